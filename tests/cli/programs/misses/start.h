/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without a C library, whose misses are known by arithmetic. Their loads of interest are marked LOAD. */
static volatile int result;

static int run(void);

void _start(void);
void _start(void) {
	result = run();
	__asm__ volatile("syscall" ::"a"(60), "D"(0));
	__builtin_unreachable();
}

/* Bits that no history of a hundred of them predicts. */
static inline unsigned next_bit(unsigned *state) {
	*state = *state * 1103515245U + 12345U;
	return *state >> 31;
}

enum { LINE = 64 };
