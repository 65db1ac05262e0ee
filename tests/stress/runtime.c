/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runtime SECONDS: eight threads allocate, resize, exchange and free objects of random sizes, start and join
 * threads, and fork children that do the same. Each object holds a pattern that is checked before the free. Built
 * with AddressSanitizer and with ThreadSanitizer; exits with 0 if no error was found. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime_help.h"

enum { THREADS = 8, SHARED = 512, OWN = 64, STEPS = 4000, FORKS = 3 };

struct object {
	size_t size; /* size including this head */
	uint64_t check;
	unsigned char byte[];
};

static struct object *_Atomic shared[SHARED];
static _Atomic bool broken;

static uint64_t draw(uint64_t *state) {
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Mostly small sizes, sometimes a block, rarely a large one. */
static size_t draw_size(uint64_t *state) {
	uint64_t bits = draw(state);
	size_t most = bits % 100 < 90 ? 600 : bits % 100 < 98 ? 40000 : 400000;
	return sizeof(struct object) + (bits >> 32) % most;
}

static void fill(struct object *object, size_t size) {
	object->size = size;
	object->check = (uint64_t)size * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)object;
	size_t bytes = size - sizeof *object;
	/* Checks both ends only: the middle of a large object costs time and shows nothing more. */
	memset(object->byte, (int)size, bytes < 64 ? bytes : 64);
	if (bytes > 64)
		object->byte[bytes - 1] = (unsigned char)size;
}

static void complain(const char *what, const void *object) {
	fprintf(stderr, "object %p %s\n", object, what);
	broken = true;
	_exit(1);
}

static void check(const struct object *object) {
	size_t size = object->size, bytes = size - sizeof *object;
	bool good = object->check == ((uint64_t)size * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)object);
	for (size_t i = 0; good && i < bytes && i < 64; i++)
		good = object->byte[i] == (unsigned char)size;
	if (good && (bytes <= 64 || object->byte[bytes - 1] == (unsigned char)size))
		return;
	complain("is not as it was written", object);
}

static void drop(struct object *object) {
	if (!object)
		return;
	check(object);
	allocator_free(object);
}

static struct object *make(uint64_t *state) {
	size_t size = draw_size(state), alignment = (size_t)16 << (draw(state) % 64 ? 0 : draw(state) % 10);
	bool zero = draw(state) % 4 == 0;
	struct object *object = allocator_allocate(size, alignment, zero);
	if (!object || (uintptr_t)object % alignment)
		complain("is not aligned", object);
	for (size_t i = 0; zero && i < size; i++)
		if (((unsigned char *)object)[i])
			complain("is not zero", object);
	fill(object, size);
	return object;
}

static void resize(struct object **place, uint64_t *state) {
	struct object *object = *place;
	if (!object)
		return;
	check(object);
	size_t size = draw_size(state), kept = object->size < size ? object->size : size;
	unsigned char first = kept > sizeof *object ? object->byte[0] : 0;
	object = allocator_resize(object, size);
	if (!object || (kept > sizeof *object && object->byte[0] != first))
		complain("lost its contents when it was resized", object);
	fill(object, size);
	*place = object;
}

static void step(struct object **own, uint64_t *state) {
	uint64_t bits = draw(state);
	struct object **place = &own[bits % OWN];
	switch (bits >> 32 & 7) {
	case 0: /* to and from other threads */
		*place = atomic_exchange(&shared[(bits >> 40) % SHARED], *place);
		break;
	case 1:
		drop(atomic_exchange(&shared[(bits >> 40) % SHARED], NULL));
		break;
	case 2:
		resize(place, state);
		break;
	default:
		drop(*place);
		*place = make(state);
	}
}

static void *run(void *argument) {
	uint64_t state = *(uint64_t *)argument;
	struct object *own[OWN] = {0};
	for (int i = 0; i < STEPS; i++)
		step(own, &state);
	for (int i = 0; i < OWN; i++)
		drop(own[i]);
	return NULL;
}

static void *run_and_start(void *argument) {
	uint64_t seed[2] = {*(uint64_t *)argument, *(uint64_t *)argument ^ 12345};
	pthread_t child = runtime_thread(run, &seed[1]);
	run(&seed[0]);
	runtime_join(child);
	return NULL;
}

/* A child has the memory of all threads and none of the threads. */
static void fork_child(uint64_t seed) {
	threads_before_fork();
	pid_t child = fork();
	threads_after_fork();
	if (child == 0) {
		run(&seed);
		_exit(0);
	}
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) != child || status) {
		fprintf(stderr, "a forked child ended with status %d\n", status);
		exit(1);
	}
}

static void round_of(uint64_t seed, int threads) {
	pthread_t thread[THREADS];
	uint64_t seeds[THREADS];
	for (int i = 0; i < threads; i++) {
		seeds[i] = seed * 1000 + (uint64_t)i + 1;
		thread[i] = runtime_thread(i % 2 ? run : run_and_start, &seeds[i]);
	}
	for (int i = 0; i < FORKS; i++)
		fork_child(seed * 2000 + (uint64_t)i + 1);
	for (int i = 0; i < threads; i++)
		runtime_join(thread[i]);
}

int main(int argc, char **argv) {
	time_t seconds = argc > 1 ? atoi(argv[1]) : 5, end = time(NULL) + seconds;
	unsigned rounds = 0;
	do {
		for (int mode = HEAP_SHUFFLE; mode <= HEAP_DIEHARD; mode++) {
			runtime_start((enum heap_mode)mode, BLOCKS_ALIGNED + rounds % 3, rounds + 1);
			round_of(2 * rounds, THREADS);
			round_of(2 * rounds + 1, THREADS);
			for (int i = 0; i < SHARED; i++)
				drop(atomic_exchange(&shared[i], NULL));
			allocator_stop();
		}
		rounds++;
	} while (time(NULL) < end && !broken);
	printf("%u rounds\n", rounds);
	return broken;
}
