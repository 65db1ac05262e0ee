/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "model/core/sample.h"

enum {
	RING = 4096,
	HISTORY = IFR_SHOTGUN_BEFORE + 1,
	UNITS = 4096, /* of eight bytes, and of lines: by the low bits of their numbers */
	UNIT_SHIFT = 3,
	PERIOD_LEAST = SAMPLER_STRETCH + IFR_SHOTGUN_LENGTH,
	SHORT_RUN = 10000000
};

/* Of `bits`, beside those of signatures: an access missed the second cache. */
enum { MISSED_SECOND = 8 };

/* An instruction that was executed, whose neighbours may be to come. */
struct seen {
	struct ifr_shotgun_detail detail;
	uint8_t bits;
	bool chosen;
};

struct past_access {
	uint64_t address, at; /* at: its instruction */
	uint8_t bytes, level;
	bool store;
};

struct ifr_sampler {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *own_accesses; /* of all blocks */
	const struct ifr_core *core;
	struct ifr_shotgun_samples *samples;
	uint64_t period, expected; /* instructions of the run before the next step, if it follows */
	bool *placed;              /* by block: it has a place among the samples */
	struct seen *ring;         /* of the instructions of this stretch, the last ones */
	uint64_t count, told;      /* instructions since the cut; of which so many were told as samples */
	uint8_t branch;            /* of the last instruction */
	uint64_t signed_to;        /* of them, those before the last step */
	bool signing;              /* a signature is under way */
	struct past_access past[HISTORY];
	uint64_t accesses; /* since the beginning */
	/* Numbers, from 1 on, of the last store to a unit, and of the last miss of a line; 0: none. */
	uint64_t stores[UNITS], misses[UNITS];
};

struct ifr_sampler *ifr_sampler_new(const struct ifr_trace *trace, const struct ifr_core *core, bool full,
                                    struct ifr_shotgun_samples *samples) {
	struct ifr_sampler *sampler = ifr_alloc(sizeof *sampler);
	struct ifr_trace_totals totals;
	ifr_trace_totals(trace, &totals);
	const size_t count = ifr_trace_blocks(trace, &sampler->blocks);
	ifr_trace_accesses(trace, &sampler->own_accesses);
	const uint64_t core_period = ifr_core_period(totals.instructions);
	sampler->core = core;
	sampler->samples = samples;
	const bool whole = full || totals.instructions <= IFR_CORE_HEAD;
	sampler->period = whole && totals.instructions <= SHORT_RUN ? PERIOD_LEAST : core_period;
	sampler->placed = ifr_alloc(count + 1);
	sampler->ring = ifr_alloc(RING * sizeof *sampler->ring);
	samples->instructions = totals.instructions;
	return sampler;
}

static struct seen *seen_at(struct ifr_sampler *sampler, uint64_t index) {
	return &sampler->ring[index % RING];
}

/* --- an instruction ----------------------------------------------------------------------------------------------- */

/* Whether an access needs one before it: the store of one of its bytes, or the miss of its line. */
static bool is_needed(const struct ifr_sampler *sampler, const struct past_access *past,
                      const struct past_access *access, bool store) {
	const unsigned shift = sampler->core->line_shift;
	return store ? past->store && past->address < access->address + access->bytes &&
	                   access->address < past->address + past->bytes
	             : past->level & 3 && past->address >> shift == access->address >> shift;
}

/* Finds the youngest access that this one needs. None behind number `last` is one; that one is, unless other units or
 * lines have the same low bits. Returns how many accesses before it is; 0: none is in the history. */
static uint64_t find_needed(const struct ifr_sampler *sampler, const struct past_access *access, uint64_t last,
                            bool store) {
	const uint64_t most = sampler->accesses < HISTORY - 1 ? sampler->accesses : HISTORY - 1;
	if (!last)
		return 0;
	for (uint64_t before = sampler->accesses - (last - 1); before <= most; before++)
		if (is_needed(sampler, &sampler->past[(sampler->accesses - before) % HISTORY], access, store))
			return before;
	return 0;
}

/* The number of the last store to units of an access. */
static uint64_t last_store(const struct ifr_sampler *sampler, const struct past_access *access) {
	uint64_t last = 0;
	for (uint64_t unit = access->address >> UNIT_SHIFT;
	     unit <= (access->address + access->bytes - 1) >> UNIT_SHIFT; unit++)
		if (sampler->stores[unit % UNITS] > last)
			last = sampler->stores[unit % UNITS];
	return last;
}

/* Finds the access before this one that matters to it: the youngest store with one of its bytes, or else the youngest
 * access that missed its line. */
static void link_access(const struct ifr_sampler *sampler, const struct past_access *access,
                        struct ifr_shotgun_access *to) {
	const uint64_t line = access->address >> sampler->core->line_shift;
	uint64_t before = 0;
	if (!access->store)
		before = find_needed(sampler, access, last_store(sampler, access), true);
	if (!access->store && !before)
		before = find_needed(sampler, access, sampler->misses[line % UNITS], false);
	if (!before)
		return;
	const struct past_access *found = &sampler->past[(sampler->accesses - before) % HISTORY];
	to->before = (uint16_t)before;
	to->of = found->at;
	to->offset = (int16_t)(access->address - found->address);
}

/* Keeps an access for those behind it. */
static void keep_access(struct ifr_sampler *sampler, const struct past_access *access) {
	sampler->past[sampler->accesses++ % HISTORY] = *access;
	if (access->level & 3)
		sampler->misses[(access->address >> sampler->core->line_shift) % UNITS] = sampler->accesses;
	for (uint64_t unit = access->address >> UNIT_SHIFT;
	     access->store && unit <= (access->address + access->bytes - 1) >> UNIT_SHIFT; unit++)
		sampler->stores[unit % UNITS] = sampler->accesses;
}

/* Reads an access: the worst level of any access of the instruction decides its bits. */
static void add_access(struct ifr_sampler *sampler, const struct ifr_core_outcome *outcome, unsigned index,
                       struct seen *seen) {
	struct ifr_shotgun_detail *detail = &seen->detail;
	const struct past_access access = {.address = outcome->addresses[index],
	                                   .at = detail->at,
	                                   .bytes = outcome->accesses[index].bytes,
	                                   .store = outcome->accesses[index].store,
	                                   .level = outcome->levels ? outcome->levels[index] : 0};
	if (seen->chosen && detail->accesses < IFR_SHOTGUN_ACCESSES) {
		struct ifr_shotgun_access *to = &detail->access[detail->accesses++];
		*to = (struct ifr_shotgun_access){.in_page = (uint16_t)(access.address & 4095), .level = access.level};
		link_access(sampler, &access, to);
	}
	keep_access(sampler, &access);
	if (access.level)
		seen->bits |= IFR_SHOTGUN_SUFFERS;
	if ((access.level & 3) < 2 && !(seen->bits & MISSED_SECOND))
		seen->bits |= IFR_SHOTGUN_DOES;
	else
		seen->bits = (uint8_t)((seen->bits & ~IFR_SHOTGUN_DOES) | MISSED_SECOND);
}

/* Whether the decoders deliver an instruction of a step. */
static bool is_decoded(const struct ifr_observed_step *step, unsigned index) {
	for (size_t i = 0; i < step->deliveries_count; i++)
		if (index - step->deliveries[i].first < step->deliveries[i].count)
			return step->deliveries[i].source == IFR_SOURCE_DECODERS;
	return false;
}

static bool is_head(uint64_t instructions) {
	return instructions < IFR_CORE_HEAD;
}

static uint64_t period_at(const struct ifr_sampler *sampler, uint64_t instructions) {
	return is_head(instructions) ? PERIOD_LEAST : sampler->period;
}

static bool is_chosen(const struct ifr_sampler *sampler, uint64_t instructions, unsigned index) {
	const uint64_t period = period_at(sampler, instructions);
	if (sampler->signing || instructions % period < period - SAMPLER_STRETCH)
		return false;
	return !(ifr_siphash(0x5407, instructions, &index, sizeof index) % SAMPLER_EVERY);
}

static unsigned end_of(const struct ifr_core_instruction *instruction) {
	return instruction->offset + instruction->bytes;
}

/* Adds the instructions of a step, which knows nothing of how its branch ends. */
static void add_instructions(struct ifr_sampler *sampler, const struct ifr_observed_step *step) {
	const struct ifr_trace_block *block = &sampler->blocks[step->block];
	const uint64_t round = block->bytes ? 0 : IFR_SHOTGUN_ROUND;
	const struct ifr_trace_access *own = sampler->own_accesses + block->first_access;
	unsigned access = 0;
	for (unsigned i = 0; i < step->placed->count; i++) {
		const struct ifr_core_instruction *instruction = &step->placed->instructions[i];
		struct seen *seen = seen_at(sampler, sampler->count++);
		*seen = (struct seen){.detail.at = (block->normalised + instruction->offset) | round,
		                      .chosen = is_chosen(sampler, step->instructions, i)};
		seen->bits = ifr_shotgun_parity(seen->detail.at);
		if (i)
			seen_at(sampler, sampler->count - 2)->detail.next = seen->detail.at;
		if (is_decoded(step, i))
			seen->detail.flags |= IFR_SHOTGUN_DECODED;
		if (!i) {
			seen->detail.line_wait = (uint16_t)step->outcome->fetch_wait;
			seen->detail.page_wait = (uint16_t)step->outcome->page_wait;
			if (step->outcome->fetch_wait || step->outcome->page_wait)
				seen->bits |= IFR_SHOTGUN_SUFFERS;
		}
		for (;
		     access < block->accesses && (i + 1 == step->placed->count || own[access].end <= end_of(instruction));
		     access++)
			add_access(sampler, step->outcome, access, seen);
	}
}

/* --- the sequence ------------------------------------------------------------------------------------------------- */

/* Tells the last instruction how its branch ended: its successor is there. */
static void end_branch(struct ifr_sampler *sampler, const struct ifr_observed_step *step) {
	const struct ifr_trace_block *block = &sampler->blocks[step->block];
	struct seen *seen = seen_at(sampler, sampler->count - 1);
	seen->detail.next = block->normalised | (block->bytes ? 0 : IFR_SHOTGUN_ROUND);
	seen->detail.btb = step->outcome->btb;
	if (step->outcome->mispredicted) {
		seen->detail.flags |= IFR_SHOTGUN_MISPREDICTED;
		seen->bits |= IFR_SHOTGUN_SUFFERS;
	}
	if (sampler->branch == IFR_BRANCH_NONE)
		return;
	seen->bits &= (uint8_t)~IFR_SHOTGUN_DOES;
	if (step->outcome->taken) {
		seen->detail.flags |= IFR_SHOTGUN_TAKEN;
		seen->bits |= IFR_SHOTGUN_DOES;
	}
}

/* Completes a chosen instruction by the bits around it. */
static void tell_detail(struct ifr_sampler *sampler, uint64_t index) {
	struct ifr_shotgun_detail detail = seen_at(sampler, index)->detail;
	for (int n = -IFR_SHOTGUN_AROUND; n <= IFR_SHOTGUN_AROUND; n++) {
		const uint8_t bits = seen_at(sampler, index + (uint64_t)n)->bits;
		detail.does |= (uint32_t)(bits & IFR_SHOTGUN_DOES) << (n + IFR_SHOTGUN_AROUND);
		detail.suffers |= (uint32_t)(bits >> 1 & 1) << (n + IFR_SHOTGUN_AROUND);
		detail.parity |= (uint32_t)(bits >> 2 & 1) << (n + IFR_SHOTGUN_AROUND);
	}
	ifr_shotgun_add_detail(sampler->samples, &detail);
}

/* Tells the samples of all instructions whose bits are final, up to one. */
static void tell(struct ifr_sampler *sampler, uint64_t final) {
	for (; sampler->told + IFR_SHOTGUN_AROUND < final; sampler->told++)
		if (sampler->told >= IFR_SHOTGUN_AROUND && seen_at(sampler, sampler->told)->chosen)
			tell_detail(sampler, sampler->told);
}

static void end_signature(struct ifr_sampler *sampler) {
	const struct ifr_shotgun_samples *samples = sampler->samples;
	if (sampler->signing && samples->signatures[samples->signatures_count - 1].count < IFR_SHOTGUN_LENGTH * 3 / 4)
		ifr_shotgun_drop_signature(sampler->samples);
	sampler->signing = false;
}

/* Begins or ends a signature before a step. */
static void follow_signature(struct ifr_sampler *sampler, const struct ifr_observed_step *step) {
	const uint64_t period = period_at(sampler, step->instructions);
	const bool there =
		step->instructions / period % 2 && step->instructions % period >= period - IFR_SHOTGUN_LENGTH;
	const struct ifr_trace_block *block = &sampler->blocks[step->block];
	if (!there)
		end_signature(sampler);
	if (there && !sampler->signing && block->bytes) {
		ifr_shotgun_begin_signature(sampler->samples, block->normalised, is_head(step->instructions));
		sampler->signing = true;
	}
}

static void note_place(struct ifr_sampler *sampler, const struct ifr_observed_step *step) {
	const struct ifr_trace_block *block = &sampler->blocks[step->block];
	if (sampler->placed[step->block])
		return;
	sampler->placed[step->block] = true;
	ifr_shotgun_add_place(sampler->samples, block->normalised | (block->bytes ? 0 : IFR_SHOTGUN_ROUND),
	                      step->placed->address);
}

void ifr_sampler_step(void *data, const struct ifr_observed_step *step) {
	struct ifr_sampler *sampler = data;
	const bool cut = step->cut || step->instructions != sampler->expected;
	if (cut) {
		end_signature(sampler);
		sampler->count = sampler->told = 0;
	}
	if (sampler->count) {
		end_branch(sampler, step);
		for (uint64_t i = sampler->signed_to; sampler->signing && i < sampler->count; i++)
			ifr_shotgun_add_bits(sampler->samples, seen_at(sampler, i)->bits & 7);
		tell(sampler, sampler->count);
	}
	follow_signature(sampler, step);
	note_place(sampler, step);
	sampler->signed_to = sampler->count;
	add_instructions(sampler, step);
	sampler->branch = sampler->blocks[step->block].branch;
	sampler->expected = step->instructions + sampler->blocks[step->block].instructions;
}

void ifr_sampler_free(struct ifr_sampler *sampler) {
	if (!sampler)
		return;
	end_signature(sampler);
	free(sampler->placed);
	free(sampler->ring);
	free(sampler);
}
