/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks_run COPIES ROUNDS CODE: runs a basic block, machine code in base 16 without its branch, COPIES times in a row,
 * ROUNDS times over. blocks_run COPIES: reads such blocks, one a line, and prints for each the cycles of one execution
 * by the clock, or why there are none.
 *
 * Before each round all registers but rsp get START, and before the first, vector registers 1.0. Wherever a block reads
 * or writes, a page is mapped, at each address the same one, which is full of START: so every access hits the first
 * level. Cycles are the difference of runs of 2 COPIES and of COPIES copies, so that what a round costs besides is taken
 * off; the processor's cycle is that of a chain of multiplications, timed beside. Ref: Chen, Brahmakshatriya, Mendis et
 * al. 2019, "BHive", section 3. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	PAGE = 4096,
	MOST_PAGES = 128,
	MOST_BYTES = 400,
	CODE_ROOM = 1 << 20,
	STACK_PAGES = 4,
	TRIES = 60,
	LINE_ROOM = 4096,
	SIGNAL_STACK = 1 << 16,
	CLOCK_ROUNDS = 100,
	CHAIN = 20000,
};
#define START UINT64_C(0x12345600)
#define BLOCK_STACK UINT64_C(0x22345000)

static uint8_t *code;
static size_t code_bytes;
static int page_file;
static uint64_t pages[MOST_PAGES];
static unsigned pages_count;
static sigjmp_buf out;
static const char *reason;
static uint64_t saved_stack; /* of the caller, while a block runs */

static void fail(const char *what) {
	fprintf(stderr, "blocks_run: %s\n", what);
	exit(4);
}

static bool map_page(uint64_t address) {
	uint64_t page = address & ~(uint64_t)(PAGE - 1);
	if (page < 0x10000 || page >> 46 || pages_count == MOST_PAGES)
		return false;
	if (mmap((void *)page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, page_file, 0) !=
	    (void *)page)
		return false;
	pages[pages_count++] = page;
	return true;
}

static void on_signal(int number, siginfo_t *info, void *context) {
	(void)context;
	if (number == SIGSEGV && info->si_code == SEGV_MAPERR && map_page((uint64_t)info->si_addr))
		return;
	reason = number == SIGSEGV || number == SIGBUS ? "it accesses what cannot be mapped"
	         : number == SIGFPE                    ? "it divides by nothing"
	         : number == SIGALRM                   ? "it takes too long"
	                                               : "the processor does not know it";
	siglongjmp(out, 1);
}

static void put(const void *bytes, size_t count) {
	if (code_bytes + count > CODE_ROOM)
		fail("too much code");
	memcpy(code + code_bytes, bytes, count);
	code_bytes += count;
}
#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_number(uint64_t value) {
	put(&value, sizeof value);
}

/* Of the program's own data, which lie in the lowest 2 GiB. */
static void put_address(const void *of) {
	const uint32_t address = (uint32_t)(uintptr_t)of;
	put(&address, sizeof address);
}

/* Makes void run(void): ROUNDS rounds of so many copies. */
static void make(const uint8_t *block, size_t bytes, unsigned copies, uint32_t rounds) {
	static uint32_t left;
	code_bytes = 0;
	PUT(0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* push rbx, rbp, r12 to r15 */
	PUT(0x48, 0xb8);                                                 /* mov rax, &saved_stack */
	put_number((uint64_t)&saved_stack);
	PUT(0x48, 0x89, 0x20); /* mov [rax], rsp */
	PUT(0xc7, 0x04, 0x25); /* mov dword [left], rounds */
	put_address(&left);
	put(&rounds, sizeof rounds);
	while (code_bytes % 64)
		PUT(0x90);
	size_t top = code_bytes;
	/* Each register from its value of the round before: chains go on from round to round. */
	for (uint8_t i = 0; i < 16; i++) {
		const uint32_t value = i == 4 ? BLOCK_STACK + STACK_PAGES * PAGE / 2 : START;
		PUT((uint8_t)(0x48 | i >> 3), 0x83, (uint8_t)(0xe0 | (i & 7)), 0); /* and register, 0 */
		PUT((uint8_t)(0x48 | i >> 3), 0x81, (uint8_t)(0xc0 | (i & 7)));    /* add register, value */
		put(&value, sizeof value);
	}
	PUT(0xfc); /* cld */
	while (code_bytes % 64)
		PUT(0x90);
	for (unsigned i = 0; i < copies; i++)
		put(block, bytes);
	PUT(0xff, 0x0c, 0x25); /* dec dword [left] */
	put_address(&left);
	PUT(0x0f, 0x85); /* jnz top */
	int32_t distance = (int32_t)((int64_t)top - (int64_t)(code_bytes + 4));
	put(&distance, sizeof distance);
	PUT(0x48, 0xb8); /* mov rax, &saved_stack */
	put_number((uint64_t)&saved_stack);
	PUT(0x48, 0x8b, 0x20);                                                 /* mov rsp, [rax] */
	PUT(0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3); /* pops, ret */
}

static void fill_page(void) {
	uint64_t words[PAGE / 8];
	for (unsigned i = 0; i < PAGE / 8; i++)
		words[i] = START;
	if (pwrite(page_file, words, PAGE, 0) != PAGE)
		fail("cannot fill the page");
}

static void run(void) {
	unsigned control = _mm_getcsr();
	_mm_setcsr(0x9fc0); /* no exceptions, no subnormal numbers */
	__asm__ volatile("movq %0, %%xmm0\n\tpunpcklqdq %%xmm0, %%xmm0\n\t"
	                 "movaps %%xmm0, %%xmm1\n\tmovaps %%xmm0, %%xmm2\n\tmovaps %%xmm0, %%xmm3\n\t"
	                 "movaps %%xmm0, %%xmm4\n\tmovaps %%xmm0, %%xmm5\n\tmovaps %%xmm0, %%xmm6\n\t"
	                 "movaps %%xmm0, %%xmm7\n\tmovaps %%xmm0, %%xmm8\n\tmovaps %%xmm0, %%xmm9\n\t"
	                 "movaps %%xmm0, %%xmm10\n\tmovaps %%xmm0, %%xmm11\n\tmovaps %%xmm0, %%xmm12\n\t"
	                 "movaps %%xmm0, %%xmm13\n\tmovaps %%xmm0, %%xmm14\n\tmovaps %%xmm0, %%xmm15\n\t"
	                 "call *%1\n\tcld"
	                 :
	                 : "r"(UINT64_C(0x3ff0000000000000)), "r"(code)
	                 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
	                   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
	                   "xmm15", "memory", "cc");
	_mm_setcsr(control);
}

static uint64_t least(uint64_t a, uint64_t b) {
	return a < b ? a : b;
}

static uint64_t time_run(void) {
	unsigned core;
	uint64_t start = __rdtscp(&core);
	run();
	return __rdtscp(&core) - start;
}

/* Ticks of the clock for CHAIN cycles. */
static uint64_t time_chain(void) {
	unsigned core;
	uint64_t start = __rdtscp(&core), sum = 0;
	for (unsigned i = 0; i < CHAIN / 20; i++)
		__asm__ volatile(".rept 20\n\timul $3, %0, %0\n\t.endr" : "+r"(sum));
	return (__rdtscp(&core) - start) / 3;
}

/* Cycles of an execution; negative: none, for `reason`. */
static double clock_block(const uint8_t *block, size_t bytes, unsigned copies) {
	static uint64_t ticks[2], chain;
	uint8_t *place = code;
	reason = NULL;
	ticks[0] = ticks[1] = chain = UINT64_MAX;
	if (sigsetjmp(out, 1) == 0) {
		alarm(5);
		/* One round each that maps pages; then all take turns. */
		for (unsigned try = 0; try < TRIES; try++)
			for (unsigned half = 0; half < 2; half++) {
				code = place + half * (CODE_ROOM * 2);
				if (!try) {
					make(block, bytes, copies << half, 1);
					fill_page();
					run();
					make(block, bytes, copies << half, CLOCK_ROUNDS);
				}
				fill_page();
				ticks[half] = least(ticks[half], time_run());
				chain = least(chain, time_chain());
			}
	}
	alarm(0);
	code = place;
	for (unsigned i = 0; i < pages_count; i++)
		munmap((void *)pages[i], PAGE);
	pages_count = 0;
	double cycles =
		((double)ticks[1] - (double)ticks[0]) / ((double)copies * CLOCK_ROUNDS) * CHAIN / (double)chain;
	if (!reason && cycles <= 0)
		reason = "the clock was disturbed";
	return reason ? -1 : cycles;
}

static size_t read_code(const char *text, uint8_t *block) {
	size_t bytes = 0;
	for (; sscanf(text + 2 * bytes, "%2hhx", &block[bytes]) == 1; bytes++)
		if (bytes == MOST_BYTES)
			return 0;
	return bytes;
}

static void run_once(const uint8_t *block, size_t bytes, unsigned copies, uint32_t rounds) {
	if (sigsetjmp(out, 1))
		fail(reason);
	fill_page();
	make(block, bytes, copies, rounds);
	run();
}

int main(int argc, char **argv) {
	const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM};
	uint8_t block[MOST_BYTES + 1];
	unsigned copies = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	if ((argc != 2 && argc != 4) || !copies || copies > 1000) {
		fprintf(stderr, "usage: blocks_run COPIES [ROUNDS CODE]\n");
		return 2;
	}
	page_file = memfd_create("block", 0);
	if (page_file < 0 || ftruncate(page_file, PAGE))
		fail("cannot make a page");
	code = mmap((void *)UINT64_C(0x32340000), CODE_ROOM * 4, PROT_READ | PROT_WRITE | PROT_EXEC,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (code == MAP_FAILED || mmap((void *)BLOCK_STACK, STACK_PAGES * PAGE, PROT_READ | PROT_WRITE,
	                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		fail("cannot map code and stack");
	memset((void *)BLOCK_STACK, 0, STACK_PAGES * PAGE);
	stack_t stack = {.ss_sp = malloc(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		fail("cannot have a signal stack");
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
		sigaction(signals[i], &action, NULL);
	}
	if (argc == 4) {
		const size_t bytes = read_code(argv[3], block);
		if (!bytes)
			fail("no code");
		run_once(block, bytes, copies, (uint32_t)atoi(argv[2]));
		return 0;
	}
	for (char line[LINE_ROOM]; fgets(line, sizeof line, stdin);) {
		size_t bytes = read_code(line, block);
		line[strcspn(line, " ,\n")] = '\0';
		double cycles = bytes ? clock_block(block, bytes, copies) : -1;
		if (cycles > 0)
			printf("%s %.3f\n", line, cycles);
		else
			printf("%s - %s\n", line, bytes ? reason : "no code");
		fflush(stdout);
	}
	return 0;
}
