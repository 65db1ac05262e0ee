/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/valgrind/writer.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "model/recorder/valgrind/core.h"

enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, DEFINITIONS = RING_THREADS };

struct ring *ring;
static UInt free_chunks[RING_CHUNKS]; /* a stack: the last freed chunk is still in the cache */
static UInt free_count, freed_seen, running;
static Bool detached;

struct ring_cpu *writer_position(void) {
	return &ring->cpus[0];
}

static uint64_t *chunk_words(UInt chunk) {
	return ring->base + (SizeT)chunk * RING_CHUNK_WORDS;
}

Bool writer_open(Int fd) {
	SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(sizeof *ring, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
	VG_(close)(fd);
	if (sr_isError(mapped))
		return False;
	ring = (struct ring *)sr_Res(mapped);
	ring->base = &ring->words[0][0];
	for (UInt i = 0; i <= RING_THREADS; i++)
		ring->cpus[i].chunk = ~0U;
	for (UInt i = 0; i < RING_CHUNKS; i++)
		free_chunks[free_count++] = RING_CHUNKS - 1 - i;
	writer_swap();
	return True;
}

static void collect_freed(void) {
	UInt freed = atomic_load_explicit(&ring->freed, memory_order_acquire);
	while (freed_seen != freed)
		free_chunks[free_count++] = ring->freed_chunks[freed_seen++ % RING_CHUNKS];
}

/* Waits for a free chunk. If the reader dies, the kernel kills this process, too (PR_SET_PDEATHSIG). */
static void wait_for_reader(void) {
	for (;;) {
		collect_freed();
		if (free_count && ring->filled - freed_seen < RING_AHEAD)
			return;
		VG_(do_syscall)(__NR_futex, (RegWord)&ring->freed, FUTEX_WAIT, freed_seen, 0, 0, 0, 0, 0);
	}
}

static void hand_over(struct ring_cpu *cpu) {
	if (cpu->chunk == ~0U || !cpu->next)
		return;
	UInt words = (UInt)(cpu->next - chunk_words(cpu->chunk));
	if (!words)
		return;
	ring->chunks[cpu->chunk].words = words;
	ring->filled_chunks[ring->filled % RING_CHUNKS] = cpu->chunk;
	ring->chunks[cpu->chunk].turn = ring->filled + 1;
	atomic_fetch_add_explicit(&ring->filled, 1, memory_order_release);
	cpu->next = NULL;
	VG_(do_syscall)(__NR_futex, (RegWord)&ring->filled, FUTEX_WAKE, 1, 0, 0, 0, 0, 0);
}

static void take_chunk(struct ring_cpu *cpu, UInt thread) {
	if (!cpu->next) {
		wait_for_reader();
		cpu->chunk = free_chunks[--free_count];
		ring->chunks[cpu->chunk].turn = 0;
		cpu->limit = chunk_words(cpu->chunk) + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
		atomic_signal_fence(memory_order_seq_cst);
		cpu->next = chunk_words(cpu->chunk);
	}
	ring->chunks[cpu->chunk].thread = thread;
}

static void swap(struct ring_cpu *cpu, UInt thread) {
	if (detached) {
		cpu->chunk = thread == DEFINITIONS;
		cpu->next = chunk_words(cpu->chunk);
		cpu->limit = cpu->next + RING_CHUNK_WORDS - RING_RESERVE_WORDS;
		return;
	}
	hand_over(cpu);
	take_chunk(cpu, thread);
}

void writer_swap(void) {
	if (!detached)
		hand_over(&ring->cpus[DEFINITIONS]); /* definitions before the blocks that use them */
	swap(&ring->cpus[0], running);
}

void writer_run_thread(UInt thread) {
	if (thread == running)
		return;
	writer_swap();
	running = thread;
	ring->chunks[ring->cpus[0].chunk].thread = thread;
}

static void append(struct ring_cpu *cpu, enum ring_record type, const struct writer_part *parts, SizeT count) {
	uint64_t *header = cpu->next, *to = header + 1;
	for (SizeT i = 0; i < count; i++) {
		VG_(memcpy)(to, parts[i].data, parts[i].words * sizeof(ULong));
		to += parts[i].words;
	}
	*header = RING_RECORD | (ULong)type << RING_TYPE_SHIFT | (ULong)(to - header - 1);
	atomic_signal_fence(memory_order_seq_cst);
	cpu->next = to;
}

void writer_record(enum ring_record type, const struct writer_part *parts, SizeT count) {
	if (ring->cpus[0].next > ring->cpus[0].limit)
		writer_swap();
	append(&ring->cpus[0], type, parts, count);
}

void writer_define(enum ring_record type, const struct writer_part *parts, SizeT count) {
	struct ring_cpu *cpu = &ring->cpus[DEFINITIONS];
	if (!cpu->next || cpu->next > cpu->limit)
		swap(cpu, DEFINITIONS);
	append(cpu, type, parts, count);
}

void writer_note(enum ifr_recording_note note, ULong value) {
	ULong words[2] = {note, value};
	writer_record(RING_NOTE, &(struct writer_part){words, 2}, 1);
}

void writer_define_note(enum ifr_recording_note note, ULong value) {
	ULong words[2] = {note, value};
	writer_define(RING_NOTE, &(struct writer_part){words, 2}, 1);
}

void writer_end(void) {
	if (detached)
		return;
	hand_over(&ring->cpus[DEFINITIONS]);
	hand_over(&ring->cpus[0]);
	ring->ended = 1;
}

void writer_detach(void) {
	static uint64_t words[2][RING_CHUNK_WORDS];
	/* The private copy takes the place of the shared ring, because instrumented code holds addresses in it. */
	SysRes mapped = VG_(do_syscall)(__NR_mmap, (RegWord)ring, sizeof *ring, VKI_PROT_READ | VKI_PROT_WRITE,
	                                VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED | VKI_MAP_NORESERVE,
	                                (RegWord)-1, 0, 0, 0);
	if (sr_isError(mapped))
		VG_(exit)(127); /* rather than write into the parent's recording */
	detached = True;
	ring->base = &words[0][0];
	swap(&ring->cpus[0], 0);
	swap(&ring->cpus[DEFINITIONS], DEFINITIONS);
}
