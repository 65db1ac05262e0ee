/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/writer.h"

#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring *ring;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t spare[RING_CHUNKS]; /* chunks to write to; the last freed is the first used: it is in the cache */
static uint32_t spare_count, freed_seen;
static bool detached;

static uint64_t *words_of(uint32_t chunk) {
	return ring->base + (size_t)chunk * RING_CHUNK_WORDS;
}

int writer_open(int fd) {
	ring = mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED || close(fd))
		return -1;
	ring->base = &ring->words[0][0];
	for (uint32_t i = 0; i < RING_CHUNKS; i++)
		spare[spare_count++] = RING_CHUNKS - 1 - i;
	return 0;
}

static void take_freed(void) {
	uint32_t freed = atomic_load_explicit(&ring->freed, memory_order_acquire);
	while (freed_seen != freed)
		spare[spare_count++] = ring->freed_chunks[freed_seen++ % RING_CHUNKS];
}

/* Should the reader die, this process is killed with it: it never waits for nobody. */
static void wait_for_reader(void) {
	for (;;) {
		take_freed();
		if (spare_count && ring->filled - freed_seen < RING_AHEAD)
			return;
		syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed_seen, NULL, NULL, 0);
	}
}

static void give(struct ring_cpu *cpu, uint32_t thread) {
	if (cpu->chunk == UINT32_MAX || !cpu->next)
		return;
	uint32_t words = (uint32_t)(cpu->next - words_of(cpu->chunk));
	if (!words)
		return;
	ring->chunks[cpu->chunk] = (struct ring_chunk){.thread = thread, .words = words};
	ring->filled_chunks[ring->filled % RING_CHUNKS] = cpu->chunk;
	cpu->next = NULL;
	atomic_fetch_add_explicit(&ring->filled, 1, memory_order_release);
	syscall(SYS_futex, &ring->filled, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void renew(struct ring_cpu *cpu) {
	if (cpu->next)
		return;
	wait_for_reader();
	cpu->chunk = spare[--spare_count];
	cpu->limit = words_of(cpu->chunk) + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
	cpu->next = words_of(cpu->chunk);
}

static void swap_locked(unsigned thread) {
	struct ring_cpu *cpu = &ring->cpus[thread];
	if (detached) {
		cpu->chunk = thread % RING_CHUNKS;
		cpu->next = words_of(cpu->chunk);
		cpu->limit = cpu->next + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
		return;
	}
	if (thread != RING_THREADS) /* what it refers to comes first */
		give(&ring->cpus[RING_THREADS], RING_THREADS);
	give(cpu, thread);
	renew(cpu);
}

void writer_swap(unsigned thread) {
	pthread_mutex_lock(&lock);
	swap_locked(thread);
	pthread_mutex_unlock(&lock);
}

static void append(struct ring_cpu *cpu, enum ring_record type, const struct writer_part *parts, size_t count) {
	assert(cpu->next); /* its owner has seen to that */
	uint64_t *header = cpu->next++, words = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(cpu->next, parts[i].data, parts[i].words * sizeof(uint64_t));
		cpu->next += parts[i].words;
		words += parts[i].words;
	}
	*header = RING_RECORD | (uint64_t)type << RING_TYPE_SHIFT | words;
}

void writer_record(unsigned thread, enum ring_record type, const struct writer_part *parts, size_t count) {
	struct ring_cpu *cpu = &ring->cpus[thread];
	bool shared = thread == RING_THREADS;
	if (shared)
		pthread_mutex_lock(&lock);
	if (!cpu->next || cpu->next > cpu->limit) {
		if (shared)
			swap_locked(thread);
		else
			writer_swap(thread);
	}
	append(cpu, type, parts, count);
	if (shared)
		pthread_mutex_unlock(&lock);
}

void writer_note(unsigned thread, enum ring_note note, uint64_t value) {
	uint64_t words[2] = {note, value};
	writer_record(thread, RING_NOTE, &(struct writer_part){words, 2}, 1);
}

void writer_end(void) {
	if (detached)
		return;
	pthread_mutex_lock(&lock);
	give(&ring->cpus[RING_THREADS], RING_THREADS);
	for (uint32_t i = 0; i < RING_THREADS; i++)
		if (ring->cpus[i].next)
			give(&ring->cpus[i], i);
	ring->ended = 1;
	pthread_mutex_unlock(&lock);
}

void writer_detach(void) {
	struct ring *own =
		mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (own == MAP_FAILED)
		_exit(127); /* rather than write into the parent's recording */
	memcpy(own->cpus, ring->cpus, sizeof own->cpus);
	munmap(ring, sizeof *ring);
	ring = own;
	ring->base = &ring->words[0][0];
	detached = true;
	pthread_mutex_init(&lock, NULL);
	for (unsigned i = 0; i <= RING_THREADS; i++)
		if (ring->cpus[i].next)
			swap_locked(i);
}
