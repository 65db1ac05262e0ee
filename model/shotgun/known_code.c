/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/known_code.h"

#include <stdlib.h>

#include "common/buffer.h"

enum { PARITIES_MOST = 32 };

static int by_place(const void *a, const void *b) {
	const struct known_block *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static struct known_block *find_place(const struct known_code *known, uint64_t at) {
	const struct known_block key = {.at = at};
	return bsearch(&key, known->blocks, known->count, sizeof key, by_place);
}

/* Of blocks that begin alike: whether one is longer, or has more accesses; a repeated string instruction has none in its
 * last round, and that round is a block of its own. */
static bool is_larger(const struct ifr_trace_block *one, const struct ifr_trace_block *other) {
	return one->bytes != other->bytes ? one->bytes > other->bytes : one->accesses > other->accesses;
}

void known_code_init(struct known_code *known, const struct ifr_shotgun_code *code,
                     const struct ifr_shotgun_samples *samples) {
	*known = (struct known_code){.code = code, .count = samples->places_count};
	known->blocks = ifr_alloc((samples->places_count + 1) * sizeof *known->blocks);
	for (size_t i = 0; i < samples->places_count; i++)
		known->blocks[i] = (struct known_block){
			.at = samples->places[i].at, .address = samples->places[i].address, .block = UINT32_MAX};
	qsort(known->blocks, known->count, sizeof *known->blocks, by_place);
	for (size_t i = 0; i < code->blocks_count; i++) {
		const struct ifr_trace_block *block = &code->blocks[i];
		struct known_block *found = find_place(known, block->normalised | (block->bytes ? 0 : IFR_SHOTGUN_ROUND));
		if (found && (found->block == UINT32_MAX || is_larger(block, &code->blocks[found->block])))
			found->block = (uint32_t)i;
	}
}

void known_code_release(struct known_code *known) {
	for (size_t i = 0; i < known->count; i++)
		free(known->blocks[i].placed.parts);
	free(known->blocks);
}

struct known_block *known_code_find(const struct known_code *known, uint64_t at) {
	struct known_block *found = find_place(known, at);
	return found && found->block != UINT32_MAX ? found : NULL;
}

const struct ifr_placed *known_code_place(const struct known_code *known, struct known_block *block) {
	if (block->placed.parts)
		return &block->placed;
	ifr_core_place(known->code->core, known->code->program, block->block, block->address,
	               known->code->blocks[block->block].bytes, &block->placed);
	for (unsigned i = 0; i < block->placed.count && i < PARITIES_MOST; i++) {
		block->parities |= (uint32_t) !!ifr_shotgun_parity(known_code_address(block, i)) << i;
		block->parities_known |= 1u << i;
	}
	return &block->placed;
}

size_t known_code_accesses(const struct known_code *known, const struct known_block *block, unsigned index,
                           size_t from) {
	const struct ifr_trace_block *of = &known->code->blocks[block->block];
	const struct ifr_core_instruction *instruction = &block->placed.instructions[index];
	size_t to = from;
	while (to < of->accesses &&
	       (index + 1 == block->placed.count ||
	        known->code->accesses[of->first_access + to].end <= instruction->offset + instruction->bytes))
		to++;
	return to - from;
}

uint64_t known_code_address(const struct known_block *block, unsigned index) {
	const uint64_t round = block->at & IFR_SHOTGUN_ROUND;
	return ((block->at & ~round) + block->placed.instructions[index].offset) | round;
}

/* Whether an instruction may have these bits. repeats: it is a repeated string instruction, whose last round has no
 * access. */
static bool is_possible(uint64_t at, uint8_t bits, uint8_t branch, size_t accesses, bool repeats) {
	if ((bits & IFR_SHOTGUN_PARITY) != ifr_shotgun_parity(at))
		return false;
	if (bits & IFR_SHOTGUN_UNKNOWN)
		return true;
	const bool does = bits & IFR_SHOTGUN_DOES, suffers = bits & IFR_SHOTGUN_SUFFERS;
	if (branch == IFR_BRANCH_CONDITIONAL)
		return true;
	if (branch != IFR_BRANCH_NONE)
		return does;
	return does ? accesses > 0 : suffers || !accesses || repeats;
}

bool known_code_may_have(const struct known_code *known, const struct known_block *block, unsigned index,
                         size_t accesses, uint8_t bits) {
	const struct ifr_trace_block *of = &known->code->blocks[block->block];
	const bool ends = index + 1 == block->placed.count;
	const bool repeats = block->at & IFR_SHOTGUN_ROUND || (ends && of->end == IFR_END_REPEAT);
	return is_possible(known_code_address(block, index), bits, ends ? of->branch : (uint8_t)IFR_BRANCH_NONE,
	                   accesses, repeats);
}
