/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without a C library, whose misses are known by arithmetic. Their loads of interest are marked LOAD. Their
 * stack is their own, so that it lies at the same addresses under every tool. */
static volatile int result = 1; /* Valgrind reads no lines of a file without data */
static char stack[1 << 16] __attribute__((aligned(4096), used));

static int run(void);

static __attribute__((noreturn, used)) void begin(void) {
	result = run();
	__asm__ volatile("syscall" ::"a"(60), "D"(0));
	__builtin_unreachable();
}

void _start(void);
__attribute__((naked)) void _start(void) {
	__asm__("lea stack+65536(%rip), %rsp\n\tcall begin");
}

/* Bits that no history of a hundred of them predicts. */
static inline unsigned next_bit(unsigned *state) {
	*state = *state * 1103515245U + 12345U;
	return *state >> 31;
}

enum { LINE = 64 };
