/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heap_loops WORKLOAD [ROUNDS]: allocation-heavy loops for comparing allocators, which are preloaded from outside.
 *
 *   single   one thread keeps 20000 objects of 1 … 1024 bytes, mostly small, and replaces one at a time
 *   pair     two threads do so, each for itself
 *   cross    one thread allocates, another frees */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 20000, RING = 4096 };

static unsigned long rounds = 3000000;

static uint64_t draw(uint64_t *state) {
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Half of the objects at most 64 bytes, a tenth above 256. */
static size_t draw_size(uint64_t *state) {
	uint64_t bits = draw(state);
	unsigned kind = bits % 10;
	return 1 + (bits >> 32) % (kind < 5 ? 64 : kind < 9 ? 256 : 1024);
}

static void *take(size_t size) {
	char *object = malloc(size);
	if (!object)
		abort();
	/* As programs do: the object is written. */
	object[0] = object[size - 1] = (char)size;
	return object;
}

static void *churn(void *seed) {
	uint64_t state = 88172645463325252u + (uintptr_t)seed;
	void **objects = calloc(OBJECTS, sizeof *objects);
	if (!objects)
		abort();
	for (unsigned long i = 0; i < rounds; i++) {
		size_t place = draw(&state) % OBJECTS;
		free(objects[place]);
		objects[place] = take(draw_size(&state));
	}
	for (size_t i = 0; i < OBJECTS; i++)
		free(objects[i]);
	free(objects);
	return NULL;
}

static void *_Atomic ring[RING];

static void *consume(void *unused) {
	for (unsigned long i = 0; i < rounds; i++) {
		void *object;
		while (!(object = atomic_exchange_explicit(&ring[i % RING], NULL, memory_order_acq_rel)))
			;
		free(object);
	}
	return unused;
}

static void produce(void) {
	uint64_t state = 88172645463325252u;
	for (unsigned long i = 0; i < rounds; i++) {
		void *object = take(draw_size(&state));
		while (atomic_load_explicit(&ring[i % RING], memory_order_relaxed))
			;
		atomic_store_explicit(&ring[i % RING], object, memory_order_release);
	}
}

int main(int argc, char **argv) {
	const char *workload = argc > 1 ? argv[1] : "";
	pthread_t other;
	if (argc > 2)
		rounds = strtoul(argv[2], NULL, 10);
	if (!strcmp(workload, "single")) {
		churn(NULL);
	} else if (!strcmp(workload, "pair") && !pthread_create(&other, NULL, churn, &rounds)) {
		churn(NULL);
		pthread_join(other, NULL);
	} else if (!strcmp(workload, "cross") && !pthread_create(&other, NULL, consume, NULL)) {
		produce();
		pthread_join(other, NULL);
	} else {
		fprintf(stderr, "usage: heap_loops single|pair|cross [ROUNDS]\n");
		return 2;
	}
	return 0;
}
