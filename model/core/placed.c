/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block in one layout: whether its last pair fuses, and its instructions by window. */
#include "model/core/front.h"

/* Tells whether a jump keeps its window out of the op cache: its last byte lies in another piece of `boundary` bytes
 * than its first, or is the last of its piece.
 * Ref: Intel 2019, "Mitigations for Jump Conditional Code Erratum", section 2. */
static bool is_barred(const struct ifr_core *core, const struct ifr_core_instruction *instruction,
                      uint64_t address) {
	const uint64_t end = address + instruction->bytes;
	return core->cache_boundary && instruction->branch != IFR_BRANCH_NONE &&
	       address / core->cache_boundary != end / core->cache_boundary;
}

static void add_to_part(const struct ifr_core *core, struct ifr_placed *placed, unsigned index) {
	const struct ifr_core_instruction *instruction = &placed->instructions[index];
	const uint64_t address = placed->address + instruction->offset;
	const unsigned last = core->cache_by_last && instruction->bytes ? instruction->bytes - 1 : 0;
	const uint64_t window = (address + last) >> core->cache_window_shift;
	struct ifr_placed_part *part = placed->parts_count ? &placed->parts[placed->parts_count - 1] : NULL;
	if (!part || part->window != window) {
		part = &placed->parts[placed->parts_count++];
		*part = (struct ifr_placed_part){.window = window, .first = (uint16_t)index};
	}
	part->count++;
	part->barred |= is_barred(core, instruction, address);
	placed->slots = (uint16_t)(placed->slots + instruction->decoded);
}

/* Counts the windows of the loop buffer that an instruction enters. */
static void add_loop_windows(const struct ifr_core *core, struct ifr_placed *placed, unsigned index) {
	const struct ifr_core_instruction *instruction = &placed->instructions[index];
	const uint64_t address = placed->address + instruction->offset;
	const uint64_t last = (address + instruction->bytes - 1) >> core->loop_window_shift;
	for (uint64_t at = address >> core->loop_window_shift; at <= last; at++) {
		if (!placed->loop_windows)
			placed->loop_first = at;
		placed->loop_windows =
			(uint16_t)(placed->loop_windows + (!placed->loop_windows || at != placed->loop_last));
		placed->loop_last = at;
	}
}

void ifr_core_place(const struct ifr_core *core, const struct ifr_core_program *program, size_t block,
                    uint64_t address, uint16_t bytes, struct ifr_placed *placed) {
	const uint16_t jump = program->jump_offsets[block];
	const bool fuses = jump && (core->fusion_anywhere || (address + jump) & ((1u << core->line_shift) - 1));
	const struct ifr_core_code *code = &program->blocks[block][fuses];
	*placed = (struct ifr_placed){.instructions = program->instructions + code->first,
	                              .address = address,
	                              .count = code->count,
	                              .bytes = bytes};
	placed->parts = ifr_alloc((code->count + 1u) * sizeof *placed->parts);
	for (unsigned i = 0; i < code->count; i++)
		add_to_part(core, placed, i);
	for (unsigned i = 0; i < code->count && core->loop_ops; i++)
		add_loop_windows(core, placed, i);
	placed->parts = ifr_realloc(placed->parts, placed->parts_count + 1u, sizeof *placed->parts);
}
