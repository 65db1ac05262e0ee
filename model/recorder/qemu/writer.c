/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/qemu/writer.h"

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
static uint32_t free_chunks[RING_CHUNKS]; /* a stack: the last freed chunk is still in the cache */
static uint32_t free_count, freed_seen;
static bool detached;

static uint64_t *chunk_words(uint32_t chunk) {
	return ring->base + (size_t)chunk * RING_CHUNK_WORDS;
}

int writer_open(int fd) {
	ring = mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED || close(fd))
		return -1;
	ring->base = &ring->words[0][0];
	for (uint32_t i = 0; i < RING_CHUNKS; i++)
		free_chunks[free_count++] = RING_CHUNKS - 1 - i;
	return 0;
}

static void collect_freed(void) {
	uint32_t freed = atomic_load_explicit(&ring->freed, memory_order_acquire);
	while (freed_seen != freed)
		free_chunks[free_count++] = ring->freed_chunks[freed_seen++ % RING_CHUNKS];
}

/* Waits for a free chunk. If the reader dies, the kernel kills this process, too (PR_SET_PDEATHSIG). */
static void wait_for_reader(void) {
	for (;;) {
		collect_freed();
		if (free_count && ring->filled - freed_seen < RING_AHEAD)
			return;
		syscall(SYS_futex, &ring->freed, FUTEX_WAIT, freed_seen, NULL, NULL, 0);
	}
}

static void hand_over(struct ring_cpu *cpu, uint32_t thread) {
	if (cpu->chunk == UINT32_MAX || !cpu->next)
		return;
	uint32_t words = (uint32_t)(cpu->next - chunk_words(cpu->chunk));
	if (!words)
		return;
	ring->chunks[cpu->chunk] = (struct ring_chunk){.thread = thread, .words = words};
	ring->filled_chunks[ring->filled % RING_CHUNKS] = cpu->chunk;
	ring->chunks[cpu->chunk].turn = ring->filled + 1;
	atomic_fetch_add_explicit(&ring->filled, 1, memory_order_release);
	cpu->next = NULL;
	syscall(SYS_futex, &ring->filled, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take_chunk(struct ring_cpu *cpu, uint32_t thread) {
	if (cpu->next)
		return;
	wait_for_reader();
	cpu->chunk = free_chunks[--free_count];
	ring->chunks[cpu->chunk] = (struct ring_chunk){.thread = thread};
	cpu->limit = chunk_words(cpu->chunk) + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
	atomic_signal_fence(memory_order_seq_cst);
	cpu->next = chunk_words(cpu->chunk);
}

static void swap_locked(unsigned thread) {
	struct ring_cpu *cpu = &ring->cpus[thread];
	if (detached) {
		cpu->chunk = thread % RING_CHUNKS;
		cpu->next = chunk_words(cpu->chunk);
		cpu->limit = cpu->next + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
		return;
	}
	if (thread != RING_THREADS) /* definitions before the blocks that use them */
		hand_over(&ring->cpus[RING_THREADS], RING_THREADS);
	hand_over(cpu, thread);
	take_chunk(cpu, thread);
}

void writer_swap(unsigned thread) {
	pthread_mutex_lock(&lock);
	swap_locked(thread);
	pthread_mutex_unlock(&lock);
}

static void append_record(struct ring_cpu *cpu, enum ring_record type, const struct writer_part *parts,
                          size_t count) {
	assert(cpu->next); /* the caller has provided a chunk */
	uint64_t *header = cpu->next, *to = header + 1;
	for (size_t i = 0; i < count; i++) {
		memcpy(to, parts[i].data, parts[i].words * sizeof(uint64_t));
		to += parts[i].words;
	}
	*header = RING_RECORD | (uint64_t)type << RING_TYPE_SHIFT | (uint64_t)(to - header - 1);
	atomic_signal_fence(memory_order_seq_cst);
	cpu->next = to;
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
	append_record(cpu, type, parts, count);
	if (shared)
		pthread_mutex_unlock(&lock);
}

void writer_note(unsigned thread, enum ifr_recording_note note, uint64_t value) {
	uint64_t words[2] = {note, value};
	writer_record(thread, RING_NOTE, &(struct writer_part){words, 2}, 1);
}

void writer_end(void) {
	if (detached)
		return;
	pthread_mutex_lock(&lock);
	hand_over(&ring->cpus[RING_THREADS], RING_THREADS);
	for (uint32_t i = 0; i < RING_THREADS; i++)
		if (ring->cpus[i].next)
			hand_over(&ring->cpus[i], i);
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
