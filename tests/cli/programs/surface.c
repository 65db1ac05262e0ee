/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses the whole of malloc's surface as a program does, and says "fine" at the end. With an argument it does one
 * thing: addresses: prints where 40 objects and 10 blocks of two threads lie; twice, wild, static, inside: a bad
 * free; deep: prints how far below the environment main's frame lies. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                   \
	do {                                                   \
		if (!(condition)) {                                \
			printf("line %d: %s\n", __LINE__, #condition); \
			exit(1);                                       \
		}                                                  \
	} while (0)

/* Hidden from the compiler, which knows what these do. */
static void *(*volatile take)(size_t) = malloc;
static void *(*volatile resize)(void *, size_t) = realloc;
static void (*volatile drop)(void *) = free;

static int aligned(const void *memory, size_t alignment) {
	return memory && (uintptr_t)memory % alignment == 0;
}

static void surface(void) {
	void *memory = NULL;
	size_t huge = (size_t)PTRDIFF_MAX + 1;
	char *zero = take(0), *other = take(0);
	CHECK(zero && other && zero != other);
	drop(zero);
	drop(other);
	drop(NULL);
	errno = 0;
	CHECK(!take(huge) && errno == ENOMEM);
	errno = 0;
	CHECK(!calloc(huge / 2, 4) && errno == ENOMEM);
	errno = 0;
	CHECK(!reallocarray(NULL, huge, 2) && errno == ENOMEM);
	CHECK(posix_memalign(&memory, 24, 8) == EINVAL && posix_memalign(&memory, 4, 8) == EINVAL && !memory);
	CHECK(posix_memalign(&memory, 64, huge) == ENOMEM && !memory);
	for (size_t alignment = 8; alignment <= 1 << 20; alignment *= 2) {
		CHECK(!posix_memalign(&memory, alignment, 100) && aligned(memory, alignment));
		memset(memory, 1, 100);
		drop(memory);
		CHECK(aligned(memory = aligned_alloc(alignment, alignment), alignment));
		drop(memory);
		CHECK(aligned(memory = memalign(alignment, 50000), alignment));
		memory = resize(memory, 90000);
		drop(memory);
	}
	CHECK(aligned(memory = valloc(10), 4096));
	drop(memory);
	CHECK(aligned(memory = pvalloc(10), 4096) && malloc_usable_size(memory) >= 4096);
	drop(memory);
	CHECK(malloc_usable_size(NULL) == 0);
	CHECK((memory = resize(NULL, 10)) && !resize(memory, 0));
	memory = reallocarray(NULL, 1000, 1000);
	CHECK(memory && malloc_usable_size(memory) >= 1000000);
	errno = 42;
	drop(memory);
	CHECK(errno == 42);
}

static void *churn(void *unused) {
	void *own[100] = {0};
	for (unsigned i = 0; i < 50000; i++) {
		drop(own[i * 31 % 100]);
		own[i * 31 % 100] = take(i * 7919 % 3000);
	}
	for (int i = 0; i < 100; i++)
		drop(own[i]);
	return unused;
}

static pthread_key_t key;

static void last_words(void *memory) {
	drop(memory);
	drop(take(100));
}

static void *leave_early(void *unused) {
	pthread_setspecific(key, take(50));
	pthread_exit(unused);
}

static void threads(void) {
	pthread_t thread[4];
	pthread_attr_t detached;
	pthread_key_create(&key, last_words);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&thread[i], i == 3 ? &detached : NULL, leave_early, NULL));
		for (int i = 0; i < 2; i++)
			CHECK(!pthread_join(thread[i], NULL));
		CHECK(!pthread_detach(thread[2]));
	}
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&thread[i], NULL, churn, NULL));
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		if (child == 0) {
			pthread_t grandchild;
			CHECK(!pthread_create(&grandchild, NULL, churn, NULL));
			churn(NULL);
			CHECK(!pthread_join(grandchild, NULL));
			_exit(0);
		}
		int status;
		CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	}
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(thread[i], NULL));
}

static volatile sig_atomic_t ticks;

static void tick(int signal) {
	(void)signal;
	void *small = take(100), *block = take(50000);
	CHECK(small && block);
	drop(resize(small, 200));
	drop(block);
	ticks++;
}

/* Handlers that allocate in the middle of allocations. */
static void signals(void) {
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 1000000 && ticks < 300; i++)
		churn(NULL);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void step(int signal) {
	(void)signal;
	drop(take(100));
	ticks++;
}

static void set_trap_flag(unsigned long set) {
	__asm__ volatile(
		"sub $128, %%rsp\n\tpushf\n\tandq $~0x100, (%%rsp)\n\torq %0, (%%rsp)\n\tpopf\n\tadd $128, %%rsp"
		:
		: "r"(set << 8)
		: "memory", "cc");
}

/* Handlers that allocate and free behind every instruction of an allocation and of a free: each object stays whole. */
static void single_steps(void) {
	struct sigaction action = {.sa_handler = step, .sa_flags = SA_RESTART};
	unsigned char *own[32] = {0};
	sigaction(SIGTRAP, &action, NULL);
	for (unsigned i = 0; i < 96; i++) {
		unsigned char **slot = &own[i % 32];
		for (unsigned byte = 0; *slot && byte < 100; byte++)
			CHECK((*slot)[byte] == i % 32);
		set_trap_flag(1);
		drop(*slot);
		*slot = take(100);
		set_trap_flag(0);
		CHECK(*slot);
		memset(*slot, (int)(i % 32), 100);
	}
	CHECK(ticks > 96 * 10);
	for (int i = 0; i < 32; i++)
		drop(own[i]);
}

static void *addresses(void *unused) {
	for (int i = 0; i < 40; i++)
		printf("%p ", take((size_t)i * 17));
	for (int i = 0; i < 10; i++)
		printf("%p ", take(40000 + (size_t)i * 30000));
	printf("\n");
	return unused;
}

static int one_thing(const char *what) {
	static _Alignas(16) char fixed[64];
	char *memory = take(100);
	if (!strcmp(what, "addresses")) {
		pthread_t thread;
		addresses(NULL);
		pthread_create(&thread, NULL, addresses, NULL);
		return pthread_join(thread, NULL);
	}
	if (!strcmp(what, "deep"))
		return printf("%td\n", (char *)environ - (char *)&memory) < 0;
	char *bad = !strcmp(what, "static") ? fixed + 16 : !strcmp(what, "inside") ? memory + 32 : memory;
	printf("%p\n", (void *)bad);
	fflush(stdout);
	drop(bad);
	if (!strcmp(what, "twice"))
		drop(bad);
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1)
		return one_thing(argv[1]);
	surface();
	threads();
#ifndef QUIET
	signals();
	single_steps();
#endif
	void *library = dlopen("libm.so.6", RTLD_NOW);
	CHECK(library && !dlclose(library));
	printf("fine\n");
	return 0;
}
