// SPDX-License-Identifier: GPL-3.0-or-later
/* Kinds of code, one by name: what the two recorders must agree over. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

static volatile uint64_t sink;

/* An interpreter with a label for each operation. */
static void run_goto(void) {
	static const uint8_t program[] = {0, 1, 0, 2, 1, 3, 4};
	static const void *const labels[] = {&&add, &&twice, &&shift, &&again, &&end};
	uint64_t value = 1, rounds = 0;
	const uint8_t *at = program;
	goto *labels[*at++];
add:
	value += 3;
	goto *labels[*at++];
twice:
	value *= 2;
	goto *labels[*at++];
shift:
	value ^= value >> 7;
	goto *labels[*at++];
again:
	if (++rounds < ROUNDS)
		at = program;
	goto *labels[*at++];
end:
	sink = value;
}

static void run_x87(void) {
	volatile long double sum = 1.5L;
	for (int i = 1; i < ROUNDS; i++)
		sum = sum / 1.0001L + sqrtl((long double)i) * 0x1p-3L;
	sink = (uint64_t)sum;
}

__attribute__((target("avx2"))) static void run_avx2(void) {
	static int32_t table[256];
	__m256i sum = _mm256_setzero_si256();
	for (int i = 0; i < 256; i++)
		table[i] = i * 7 & 255;
	for (int i = 0; i + 8 <= 256; i++) {
		const __m256i at = _mm256_loadu_si256((const __m256i *)(table + i));
		sum =
			_mm256_add_epi32(sum, _mm256_i32gather_epi32(table, _mm256_and_si256(at, _mm256_set1_epi32(255)), 4));
		_mm256_maskstore_epi32(table + i, _mm256_cmpgt_epi32(at, _mm256_set1_epi32(100)), sum);
	}
	sink = (uint64_t)_mm256_extract_epi64(sum, 0);
}

static void run_rep(void) {
	static char from[300], to[300];
	for (size_t length = 0; length < 300; length += 7) {
		void *target = to;
		const void *source = from;
		size_t count = length;
		__asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count)::"memory");
		target = to, count = length / 8;
		__asm__ volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(length) : "memory");
		source = from, target = to, count = length;
		__asm__ volatile("repe cmpsb" : "+D"(target), "+S"(source), "+c"(count)::"memory", "cc");
		target = to, count = length;
		__asm__ volatile("repne scasb" : "+D"(target), "+c"(count) : "a"(1) : "memory", "cc");
	}
}

static void run_locks(void) {
	static _Atomic uint64_t whole;
	static _Atomic uint8_t byte;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t wanted = i;
		whole += i;
		byte ^= (uint8_t)i;
		atomic_fetch_or(&whole, 1);
		atomic_exchange(&whole, i);
		atomic_compare_exchange_strong(&whole, &wanted, i + 1);
		__asm__ volatile("lock negq %0\n\tlock notb %1" : "+m"(whole), "+m"(byte));
	}
	sink = whole + byte;
}

static void run_setjmp(void) {
	jmp_buf here;
	volatile int rounds = 0;
	if (setjmp(here) < ROUNDS)
		longjmp(here, ++rounds);
	sink = (uint64_t)rounds;
}

static void count_signal(int signal) {
	sink += (uint64_t)signal;
}

static void run_signals(void) {
	const stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_ONSTACK};
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
}

static sigjmp_buf before_fault;

static void leave_fault(int signal) {
	siglongjmp(before_fault, signal);
}

static void run_faults(void) {
	struct sigaction action = {.sa_handler = leave_fault};
	volatile int rounds = 0;
	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(before_fault, 1))
		rounds++;
	if (rounds < 20)
		*(volatile int *)8 = 1;
	sink = (uint64_t)rounds;
}

/* A function whose constant changes before each call. */
static void run_selfmod(void) {
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const uint8_t body[] = {0xb8, 0, 0, 0, 0, 0xc3};
	if (page == MAP_FAILED)
		exit(1);
	memcpy(page, body, sizeof body);
	for (uint8_t i = 0; i < 20; i++) {
		page[1] = i;
		sink += ((uint64_t(*)(void))(uintptr_t)page)();
	}
}

static void *add_in_thread(void *data) {
	for (int i = 0; i < ROUNDS; i++)
		*(volatile uint64_t *)data += (uint64_t)i;
	return NULL;
}

static void run_threads(void) {
	static uint64_t sums[3];
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, add_in_thread, &sums[i]) || pthread_join(thread, NULL))
			exit(1);
	}
	sink = sums[2];
}

static void run_fork(void) {
	for (int i = 0; i < 3; i++) {
		const pid_t child = fork();
		if (!child)
			_exit(7);
		waitpid(child, NULL, 0);
		add_in_thread((void *)(uintptr_t)&sink);
	}
}

static void run_exec(void) {
	char *const words[] = {"true", NULL};
	add_in_thread((void *)(uintptr_t)&sink);
	execv("/bin/true", words);
}

static uint64_t ackermann(uint64_t m, uint64_t n) {
	return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void run_stack(void) {
	volatile char wide[300000];
	for (size_t i = 0; i < sizeof wide; i += 4096)
		wide[i] = (char)i;
	sink = ackermann(2, 30) + (uint64_t)wide[4096];
}

static int by_value(const void *a, const void *b) {
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void run_sort(void) {
	static uint32_t values[500];
	for (uint32_t i = 0; i < 500; i++)
		values[i] = i * 2654435761U;
	qsort(values, 500, sizeof *values, by_value);
	sink = values[250];
}

static void run_switch(void) {
	uint64_t value = 1;
	for (uint64_t i = 0; i < ROUNDS; i++)
		switch (value % 7) {
		case 0:
			value += 11;
			break;
		case 1:
			value *= 3;
			break;
		case 2:
			value ^= i;
			break;
		case 3:
			value -= 5;
			break;
		case 4:
			value = value << 2 | 1;
			break;
		case 5:
			value /= 3;
			break;
		default:
			value = ~value;
			break;
		}
	sink = value;
}

static void run_floats(void) {
	volatile double sum = 0;
	for (int i = 1; i < ROUNDS; i++)
		sum += __builtin_sqrt((double)i) / (double)(float)(i % 17 + 1) - (double)(int64_t)sum;
	sink = (uint64_t)(int64_t)sum;
}

__attribute__((target("bmi2,popcnt,lzcnt"))) static void run_bits(void) {
	uint64_t value = 0x123456789abcdefULL;
	for (unsigned i = 0; i < ROUNDS; i++)
		value += _pdep_u64(value, 0x5555555555555555ULL) ^ (uint64_t)_mm_popcnt_u64(value) << (i & 63);
	sink = value;
}

static void run_prefetch(void) {
	struct node {
		struct node *next;
		char rest[120];
	};
	static struct node nodes[64];
	struct node *at = nodes;
	for (int i = 0; i < 64; i++)
		nodes[i].next = &nodes[i * 29 % 64];
	for (int i = 0; i < ROUNDS; i++) {
		__builtin_prefetch(at->next, 0, 3);
		__builtin_prefetch(&at->rest[64], 0, 0);
		__builtin_prefetch((char *)at + 1000, 1, 2);
		at = at->next;
	}
	sink = (uint64_t)(at - nodes);
}

static void run_strings(void) {
	static char text[5000];
	memset(text, 'a', sizeof text - 1);
	for (int i = 0; i < 50; i++) {
		sink += strlen(text + i) + (size_t)(strchr(text + i, 'b') != NULL);
		memmove(text + i, text + 2 * i, 2000);
		sink += (uint64_t)memcmp(text, text + i, 1000);
	}
}

/* Looks for Valgrind, as valgrind.h does (RUNNING_ON_VALGRIND): a processor leaves the answer that is there. */
static void run_request(void) {
	uint64_t request[6] = {0x1001}, answer, found = 0;
	for (int i = 0; i < ROUNDS; i++) {
		__asm__ volatile(
			"rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			: "=d"(answer)
			: "a"(request), "0"((uint64_t)0)
			: "cc", "memory");
		found += answer;
	}
	puts(found ? "in Valgrind" : "on a processor");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"goto", run_goto},       {"x87", run_x87},           {"avx2", run_avx2},       {"rep", run_rep},
	{"locks", run_locks},     {"setjmp", run_setjmp},     {"signals", run_signals}, {"faults", run_faults},
	{"selfmod", run_selfmod}, {"threads", run_threads},   {"fork", run_fork},       {"exec", run_exec},
	{"stack", run_stack},     {"sort", run_sort},         {"switch", run_switch},   {"floats", run_floats},
	{"bits", run_bits},       {"prefetch", run_prefetch}, {"strings", run_strings}, {"request", run_request}};

int main(int count, char **words) {
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && count > 1; i++)
		if (!strcmp(kinds[i].name, words[1])) {
			kinds[i].run();
			return 0;
		}
	return 1;
}
