/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder: a plugin for qemu-x86_64 that records which blocks a program runs and which addresses it accesses,
 * and answers its clocks and random numbers so that runs are repeatable. It does as little as possible; the
 * process at the other end of the ring does the rest. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "model/recorder/qemu/derive.h"
#include "model/recorder/qemu/prefetches.h"
#include "model/recorder/qemu/qemu_plugin.h"
#include "model/recorder/qemu/syscalls.h"
#include "model/recorder/qemu/writer.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/* Accesses of one instruction at most: xsave makes a hundred, enter and fxsave about sixty. */
enum { ACCESSES_MOST = 128 };

static bool everything;    /* record all accesses, derive none */
static bool info_is_plain; /* qemu_plugin_meminfo_t has the layout that on_access assumes */
static uint32_t blocks;
static pthread_mutex_t decoding = PTHREAD_MUTEX_INITIALIZER;

/* Callbacks of every block and access make no call in the common case, and so save no registers. */
static __attribute__((noinline)) void begin_chunk(unsigned cpu_index, void *data) {
	writer_swap(cpu_index);
	*ring->cpus[cpu_index].next++ = RING_BLOCK | (uintptr_t)data;
}

static void on_block(unsigned cpu_index, void *data) {
	struct ring_cpu *cpu = &ring->cpus[cpu_index];
	if (__builtin_expect(cpu->next > cpu->limit, 0))
		begin_chunk(cpu_index, data);
	else
		*cpu->next++ = RING_BLOCK | (uintptr_t)data;
}

/* Fields of qemu_plugin_meminfo_t: log2 of the size, store bit. */
enum { INFO_SIZE_SHIFT = 4, INFO_STORE_SHIFT = 17, INFO_MASK = 7 << INFO_SIZE_SHIFT | 1 << INFO_STORE_SHIFT };

static void on_access(unsigned cpu_index, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
	static_assert(RING_STORE_SHIFT - RING_SIZE_SHIFT == INFO_STORE_SHIFT - INFO_SIZE_SHIFT, "one shift for both");
	struct ring_cpu *cpu = &ring->cpus[cpu_index];
	uint64_t kind = (uint64_t)(info & INFO_MASK) << (RING_SIZE_SHIFT - INFO_SIZE_SHIFT);
	*cpu->next++ = kind | (uintptr_t)data | (address & RING_ADDRESS);
}

/* on_access for versions of qemu with another layout of qemu_plugin_meminfo_t. */
static void on_access_portable(unsigned cpu_index, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
	struct ring_cpu *cpu = &ring->cpus[cpu_index];
	uint64_t size = qemu_plugin_mem_size_shift(info), store = qemu_plugin_mem_is_store(info);
	*cpu->next++ =
		size << RING_SIZE_SHIFT | store << RING_STORE_SHIFT | (uintptr_t)data | (address & RING_ADDRESS);
}

/* on_block and on_access for blocks so long that their accesses may exceed a chunk's reserve. */
static uint64_t *room_end[RING_THREADS]; /* end of the room for the current block's accesses */

static void on_long_block(unsigned cpu_index, void *data) {
	on_block(cpu_index, data);
	room_end[cpu_index] = ring->cpus[cpu_index].next + RING_BLOCK_ACCESSES;
}

static void check_room(unsigned cpu_index) {
	if (ring->cpus[cpu_index].next == room_end[cpu_index]) {
		fprintf(stderr,
		        "interfero: a block of the program makes more than %d accesses, which cannot be recorded\n",
		        RING_BLOCK_ACCESSES);
		abort();
	}
}

static void on_long_access(unsigned cpu_index, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
	check_room(cpu_index);
	(info_is_plain ? on_access : on_access_portable)(cpu_index, info, address, data);
}

/* qemu loads the value that lock neg changes, and loads it again in an exchange. A processor loads it once. */
static void on_second_load(unsigned cpu_index, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
	struct ring_cpu *cpu = &ring->cpus[cpu_index];
	on_long_access(cpu_index, info, address, data);
	if (cpu->next[-1] == cpu->next[-2])
		cpu->next--;
}

static void append_prefetch(unsigned cpu_index, uint64_t word) {
	check_room(cpu_index);
	*ring->cpus[cpu_index].next++ = word;
}

static bool check_info_layout(void) {
	for (unsigned shift = 0; shift < 4; shift++)
		for (unsigned rw = QEMU_PLUGIN_MEM_R; rw <= QEMU_PLUGIN_MEM_RW; rw++) {
			qemu_plugin_meminfo_t info = rw << 16 | shift << 4 | 1;
			if (qemu_plugin_mem_size_shift(info) != shift || qemu_plugin_mem_is_store(info) != (rw >> 1 & 1))
				return false;
		}
	return true;
}

/* code: with room for whole words. */
static void define_block(const struct decoded_block *decoded, const void *code) {
	const struct ring_block *block = &decoded->block;
	struct writer_part parts[] = {{block, sizeof *block / 8},
	                              {decoded->lengths, (block->instructions + 7U) / 8},
	                              {decoded->derived, block->derived * sizeof decoded->derived[0] / 8},
	                              {code, (block->bytes + 7U) / 8}};
	writer_record(RING_THREADS, RING_DEFINE, parts, 4);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
	static struct decoded_block decoded;
	static struct derive_instruction instructions[DERIVE_INSTRUCTIONS];
	static uint8_t code[16 * DERIVE_INSTRUCTIONS];
	(void)id;
	pthread_mutex_lock(&decoding);
	size_t count = qemu_plugin_tb_n_insns(block);
	for (size_t i = 0; i < count && i < DERIVE_INSTRUCTIONS; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		instructions[i] = (struct derive_instruction){qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)};
	}
	if (count && !blocks)
		syscalls_first_block(qemu_plugin_tb_vaddr(block),
		                     qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(block, 0)));
	decode_block(qemu_plugin_tb_vaddr(block), instructions, count, everything, &decoded);
	decoded.block.id = blocks++;
	for (size_t i = 0, at = 0; i < decoded.block.instructions; at += instructions[i++].length)
		memcpy(code + at, instructions[i].bytes, instructions[i].length);
	define_block(&decoded, code);
	bool is_long = decoded.block.instructions * ACCESSES_MOST > RING_BLOCK_ACCESSES || decoded.prefetch_count;
	for (unsigned i = 0; i < decoded.block.instructions; i++)
		is_long = is_long || decoded.loads_twice[i];
	qemu_plugin_vcpu_mem_cb_t access = is_long ? on_long_access : info_is_plain ? on_access : on_access_portable;
	qemu_plugin_register_vcpu_tb_exec_cb(
		block, is_long ? on_long_block : on_block, QEMU_PLUGIN_CB_NO_REGS,
		(void *)((uintptr_t)RING_WORDS_UNKNOWN << RING_WORDS_SHIFT | decoded.block.id));
	for (unsigned i = 0; i < decoded.block.instructions; i++)
		if (decoded.lengths[i] & RING_RECORDED)
			qemu_plugin_register_vcpu_mem_cb(
				qemu_plugin_tb_get_insn(block, i), decoded.loads_twice[i] ? on_second_load : access,
				QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, (void *)((uintptr_t)i << RING_INSN_SHIFT));
	if (decoded.prefetch_count)
		prefetches_register(block, &decoded, append_prefetch);
	if (decoded.reads_tsc)
		writer_note(RING_THREADS, IFR_RECORDING_NOTE_TSC, decoded.block.address);
	pthread_mutex_unlock(&decoding);
}

static void on_thread(qemu_plugin_id_t id, unsigned cpu_index) {
	(void)id;
	if (cpu_index >= RING_THREADS) {
		fprintf(stderr, "interfero: the program starts more than %d threads, which cannot be recorded\n",
		        RING_THREADS);
		abort();
	}
	writer_swap(cpu_index);
	if (cpu_index)
		writer_note(cpu_index, IFR_RECORDING_NOTE_THREAD, cpu_index);
}

/* qemu calls these for the program's time() and times(), whose result is a register that a plugin cannot set. So
 * the recorder is preloaded into qemu, too. */
EXPORT time_t time(time_t *where) {
	time_t now = syscalls_now();
	if (where)
		*where = now;
	return now;
}

EXPORT clock_t times(struct tms *spent) {
	clock_t now = (clock_t)syscalls_now() * sysconf(_SC_CLK_TCK);
	if (spent)
		*spent = (struct tms){.tms_utime = now};
	return now;
}

static void on_end(qemu_plugin_id_t id, void *data) {
	(void)id, (void)data;
	writer_end();
}

/* Plugin arguments: fd=N, the ring; all=on, derive nothing; region=NAME; path=PATH, answered for /proc/self/exe.
 */
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
	int fd = -1;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "fd=", 3))
			fd = atoi(argv[i] + 3);
		everything |= !strcmp(argv[i], "all=on");
		if (!strncmp(argv[i], "region=", 7))
			syscalls_watch(argv[i] + 7);
		if (!strncmp(argv[i], "path=", 5))
			syscalls_own_path(argv[i] + 5);
	}
	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0 || fd < 0 || writer_open(fd)) {
		fprintf(stderr, "interfero: the recorder was started by something else than \"interfero record\"\n");
		return -1;
	}
	info_is_plain = check_info_layout();
	for (unsigned i = 0; i <= RING_THREADS; i++)
		ring->cpus[i].chunk = UINT32_MAX;
	pthread_atfork(NULL, NULL, writer_detach);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, syscalls_before);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, syscalls_after);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
