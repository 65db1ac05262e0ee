/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: qemu translates a prefetch to nothing, and its plugins cannot read registers.
 *
 * Idea: between two blocks all registers of the guest are in qemu's memory, at the begin of its structure of a
 * processor. Translated code holds the address of that structure in rbp. So the callback at the begin of a block
 * computes the addresses of the block's prefetches from the values there, and a callback at each prefetch writes the
 * address down.
 *
 * Invariant: an address is right, or noted as not recorded. derive.c follows registers through the block; a prefetch of a
 * value that the block computes is noted (IFR_RECORDING_NOTE_PREFETCH). With -singlestep a block is one instruction, and
 * computes nothing before it.
 * Ref: QEMU 7.2, target/i386/cpu.h (CPUArchState begins with regs), tcg/i386/tcg-target.h (TCG_AREG0). */
#include "model/recorder/qemu/prefetches.h"

#include <stdlib.h>
#include <string.h>

#include "model/recorder/qemu/writer.h"

static void (*append_word)(unsigned cpu_index, uint64_t word);
static uint64_t pending[RING_THREADS][DERIVE_INSTRUCTIONS]; /* addresses of the running block's prefetches */

struct block_prefetches {
	unsigned count;
	struct decoded_prefetch prefetches[];
};

/* Called by enter_block with the registers of the guest. */
static void __attribute__((used))
compute_addresses(unsigned cpu_index, const struct block_prefetches *block,
                  const uint64_t *registers) __asm__("interfero_compute_addresses");
static void compute_addresses(unsigned cpu_index, const struct block_prefetches *block,
                              const uint64_t *registers) {
	for (unsigned i = 0; i < block->count; i++) {
		const struct decoded_prefetch *prefetch = &block->prefetches[i];
		uint64_t address = (uint64_t)prefetch->offset;
		if (prefetch->base >= 0)
			address += registers[prefetch->base];
		if (prefetch->index >= 0)
			address += registers[prefetch->index] * prefetch->scale;
		if (prefetch->narrow)
			address &= UINT32_MAX;
		pending[cpu_index][i] = address <= RING_ADDRESS ? address : 0;
	}
}

static void __attribute__((naked)) enter_block(unsigned cpu_index, void *data) {
	(void)cpu_index, (void)data;
	__asm__("mov %rbp, %rdx\n\tjmp interfero_compute_addresses");
}

static void on_prefetch(unsigned cpu_index, void *data) {
	const uintptr_t insn = (uintptr_t)data >> 16, number = (uintptr_t)data & 0xffff;
	append_word(cpu_index, RING_PREFETCH | (uint64_t)insn << RING_INSN_SHIFT | pending[cpu_index][number]);
}

void prefetches_register(struct qemu_plugin_tb *block, const struct decoded_block *decoded,
                         void (*append)(unsigned cpu_index, uint64_t word)) {
	const size_t bytes = decoded->prefetch_count * sizeof decoded->prefetches[0];
	struct block_prefetches *kept = malloc(sizeof *kept + bytes); /* as long as the block may run: for ever */
	append_word = append;
	if (!kept)
		abort();
	kept->count = decoded->prefetch_count;
	memcpy(kept->prefetches, decoded->prefetches, bytes);
	qemu_plugin_register_vcpu_tb_exec_cb(block, enter_block, QEMU_PLUGIN_CB_NO_REGS, kept);
	for (unsigned i = 0; i < kept->count; i++) {
		const unsigned insn = kept->prefetches[i].insn;
		if (kept->prefetches[i].known)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, insn), on_prefetch,
			                                       QEMU_PLUGIN_CB_NO_REGS, (void *)((uintptr_t)insn << 16 | i));
		else
			writer_note(RING_THREADS, IFR_RECORDING_NOTE_PREFETCH, decoded->block.address);
	}
}
