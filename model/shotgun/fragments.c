/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "model/core/sample.h"
#include "model/shotgun/database.h"
#include "model/shotgun/paths.h"

/* An access of a fragment. */
struct past_access {
	uint64_t at;  /* its instruction */
	bool matters; /* it stores, or misses: later loads may wait for it */
};

struct assembly {
	const struct ifr_shotgun_code *code;
	const struct ifr_shotgun_samples *samples;
	struct ifr_shotgun_fragments *fragments;
	struct shotgun_database database;
	struct known_code known;
	/* --- the fragment under way --- */
	const struct ifr_shotgun_signature *signature;
	size_t at; /* of its bits */
	struct call_stack calls;
	bool guessed;             /* a sample has told the target of a branch since this was cleared */
	uint64_t accesses;        /* in all fragments; a page of its own for each */
	struct past_access *past; /* by access of the fragments */
	uint32_t first_access;
};

enum outcome { GOES_ON, ENDED, IMPOSSIBLE, UNKNOWN, LOST };

/* --- an instruction ----------------------------------------------------------------------------------------------- */

static uint8_t bits_at(const struct assembly *assembly, size_t index) {
	return assembly->samples->bits[assembly->signature->first + index];
}

static struct shotgun_context read_context(const struct assembly *assembly) {
	struct shotgun_context context = {0};
	for (unsigned i = 0; i < IFR_SHOTGUN_BITS; i++) {
		const size_t index = assembly->at + i - IFR_SHOTGUN_AROUND;
		if (index >= assembly->signature->count) {
			context.absent |= 1u << i;
			continue;
		}
		context.unknown |= (uint32_t)(bits_at(assembly, index) >> 3 & 1) << i;
		context.does |= (uint32_t)(bits_at(assembly, index) & 1) << i;
		context.suffers |= (uint32_t)(bits_at(assembly, index) >> 1 & 1) << i;
		context.parity |= (uint32_t)(bits_at(assembly, index) >> 2 & 1) << i;
	}
	return context;
}

/* Instructions without a sample: the bits tell what they suffer from. */
static struct ifr_shotgun_detail guess(const struct assembly *assembly, uint64_t at, uint8_t bits, uint8_t branch,
                                       size_t accesses) {
	const bool does = bits & IFR_SHOTGUN_DOES, suffers = bits & IFR_SHOTGUN_SUFFERS;
	struct ifr_shotgun_detail detail = {.at = at};
	if (branch != IFR_BRANCH_NONE)
		detail.flags = (uint8_t)((does ? IFR_SHOTGUN_TAKEN : 0) | (suffers ? IFR_SHOTGUN_MISPREDICTED : 0));
	else if (accesses && suffers)
		detail.access[detail.accesses++].level = does ? 1 : 3;
	else if (suffers)
		detail.line_wait = (uint16_t)assembly->code->core->fetch_latency[1];
	return detail;
}

static size_t distance(size_t a, size_t b) {
	return a < b ? b - a : a - b;
}

/* Finds how many accesses before the next one of the fragment the access is that matters to it; 0: none. The sample may
 * come from another path, with fewer or more accesses between, and so may those of the accesses before, from executions
 * with other data. So the access has the same place in a page at that very distance; or else, at the distance that is
 * closest, it has the same place in a page (unrolled loops, whose instructions differ) or is of the same instruction
 * (arrays and heap objects, whose places differ). */
static size_t find_linked(const struct assembly *assembly, const struct ifr_shotgun_access *access) {
	const uint64_t *next = assembly->fragments->addresses + assembly->fragments->accesses_count;
	const struct past_access *past = assembly->past + assembly->fragments->accesses_count;
	const size_t most = assembly->fragments->accesses_count - assembly->first_access;
	const unsigned in_page = (unsigned)(access->in_page - access->offset) & 4095;
	size_t closest = 0;
	if (!access->before || (access->before <= most && (next[-access->before] & 4095) == in_page))
		return access->before;
	for (size_t before = 1; before <= most && before <= IFR_SHOTGUN_BEFORE; before++) {
		const bool fits = past[-(ptrdiff_t)before].at == access->of ||
		                  ((next[-(ptrdiff_t)before] & 4095) == in_page && past[-(ptrdiff_t)before].matters);
		if (fits && (!closest || distance(before, access->before) < distance(closest, access->before)))
			closest = before;
	}
	return closest;
}

static void add_access(struct assembly *assembly, uint64_t at, bool store,
                       const struct ifr_shotgun_access *access) {
	struct ifr_shotgun_fragments *fragments = assembly->fragments;
	if (fragments->accesses_count == fragments->accesses_room) {
		fragments->accesses_room = 2 * fragments->accesses_room + 4096;
		fragments->addresses = ifr_realloc(fragments->addresses, fragments->accesses_room, sizeof(uint64_t));
		fragments->levels = ifr_realloc(fragments->levels, fragments->accesses_room, 1);
		assembly->past = ifr_realloc(assembly->past, fragments->accesses_room, sizeof *assembly->past);
	}
	const size_t before = find_linked(assembly, access), index = fragments->accesses_count++;
	fragments->addresses[index] = before ? fragments->addresses[index - before] + (uint64_t)access->offset
	                                     : ++assembly->accesses << 12 | access->in_page;
	fragments->levels[index] = access->level;
	assembly->past[index] = (struct past_access){at, store || access->level & 3};
}

/* Adds accesses as the sample has them; those that it lacks hit. */
static void add_accesses(struct assembly *assembly, uint64_t at, const struct ifr_trace_access *own,
                         const struct ifr_shotgun_detail *detail, size_t count) {
	static const struct ifr_shotgun_access hit = {0};
	for (size_t i = 0; i < count; i++)
		add_access(assembly, at, own[i].kind == IFR_ACCESS_STORE,
		           i < detail->accesses ? &detail->access[i] : &hit);
}

static struct ifr_shotgun_detail choose_detail(struct assembly *assembly, uint64_t at, uint8_t branch,
                                               size_t accesses) {
	const struct shotgun_context context = read_context(assembly);
	const size_t index = assembly->signature->first + assembly->at;
	bool exact = false;
	const struct ifr_shotgun_detail *found = shotgun_database_find(
		&assembly->database, at, &context, ifr_siphash(0x5408, at, &index, sizeof index), &exact);
	assembly->fragments->instructions++;
	assembly->fragments->exact += exact;
	assembly->fragments->missing += !found;
	return found ? *found : guess(assembly, at, bits_at(assembly, assembly->at), branch, accesses);
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

static struct ifr_shotgun_step *add_step(struct assembly *assembly, const struct known_block *known) {
	struct ifr_shotgun_fragments *fragments = assembly->fragments;
	if (fragments->steps_count == fragments->steps_room) {
		fragments->steps_room = 2 * fragments->steps_room + 1024;
		fragments->steps = ifr_realloc(fragments->steps, fragments->steps_room, sizeof *fragments->steps);
	}
	struct ifr_shotgun_step *step = &fragments->steps[fragments->steps_count++];
	*step = (struct ifr_shotgun_step){
		.block = known->block, .address = known->address, .first_access = (uint32_t)fragments->accesses_count};
	return step;
}

/* Adds the instructions of a block, and stores the sample of the last. */
static enum outcome add_block(struct assembly *assembly, struct known_block *known, struct ifr_shotgun_step *step,
                              struct ifr_shotgun_detail *last) {
	const struct ifr_placed *placed = known_code_place(&assembly->known, known);
	const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
	size_t accesses = 0;
	if (assembly->at + placed->count > assembly->signature->count)
		return ENDED;
	for (unsigned i = 0; i < placed->count; i++, assembly->at++) {
		const bool ends = i + 1 == placed->count;
		const uint8_t branch = ends ? block->branch : (uint8_t)IFR_BRANCH_NONE;
		const size_t own = known_code_accesses(&assembly->known, known, i, accesses);
		const uint64_t at = known_code_address(known, i);
		if (!known_code_may_have(&assembly->known, known, i, own, bits_at(assembly, assembly->at)))
			return IMPOSSIBLE;
		*last = choose_detail(assembly, at, branch, own);
		add_accesses(assembly, at, assembly->code->accesses + block->first_access + accesses, last, own);
		accesses += own;
		step->line_wait += last->line_wait;
		step->page_wait += last->page_wait;
		if (last->flags & IFR_SHOTGUN_DECODED)
			step->decoded |= UINT64_C(1) << (i < 63 ? i : 63);
	}
	return GOES_ON;
}

/* The target of an indirect branch, of a return from a caller outside, or of a repeated instruction, by its sample. If
 * the signature cannot have gone there, by that of the instruction's samples that has most bits in common, of those
 * whose target it can have gone to; if there is none, by the bits alone. */
static enum outcome follow_sample(struct assembly *assembly, const struct ifr_shotgun_detail *last,
                                  uint64_t *next) {
	const struct signature_rest rest = {assembly->samples->bits + assembly->signature->first + assembly->at,
	                                    assembly->signature->count - assembly->at};
	*next = last->next;
	assembly->guessed = true;
	if (last->next && path_compare(&assembly->known, &assembly->calls, &rest, last->next))
		return GOES_ON;
	size_t count;
	assembly->at--;
	const struct shotgun_context context = read_context(assembly);
	assembly->at++;
	const struct ifr_shotgun_detail *samples = shotgun_database_list(&assembly->database, last->at, &count);
	const struct ifr_shotgun_detail *best = NULL;
	uint64_t refused = last->next;
	int least = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ifr_shotgun_detail *sample = &samples[i];
		const int differ = shotgun_count_different(sample, &context);
		if (!sample->next || sample->next == refused || (best && differ >= least))
			continue;
		if (!path_compare(&assembly->known, &assembly->calls, &rest, sample->next)) {
			refused = sample->next;
			continue;
		}
		best = sample;
		least = differ;
	}
	const uint64_t found = best ? best->next : path_search(&assembly->known, &assembly->calls, &rest);
	if (found)
		*next = found;
	return *next ? GOES_ON : LOST;
}

/* Finds what is executed behind a block. */
static enum outcome find_next(struct assembly *assembly, const struct known_block *known,
                              const struct ifr_shotgun_detail *last, uint64_t *next) {
	const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
	const uint64_t behind = block->normalised + block->bytes;
	const bool taken = bits_at(assembly, assembly->at - 1) & IFR_SHOTGUN_DOES;
	*next = behind;
	struct call_stack *calls = &assembly->calls;
	if (block->branch == IFR_BRANCH_RETURN && calls->count) {
		*next = calls->returns[--calls->count % SHOTGUN_CALLS_MOST];
		return GOES_ON;
	}
	if (block->branch == IFR_BRANCH_CALL || block->branch == IFR_BRANCH_INDIRECT_CALL)
		calls->returns[calls->count++ % SHOTGUN_CALLS_MOST] = behind;
	if (block->branch == IFR_BRANCH_NONE)
		return block->end == IFR_END_REPEAT || !block->bytes ? follow_sample(assembly, last, next) : GOES_ON;
	if (block->branch == IFR_BRANCH_CONDITIONAL && !taken)
		return GOES_ON;
	if (path_needs_sample(block))
		return follow_sample(assembly, last, next);
	*next = block->target;
	return GOES_ON;
}

/* --- a fragment --------------------------------------------------------------------------------------------------- */

/* Adds a step, with the outcome of the branch before it (the step before has `last` at its end). */
static enum outcome add_execution(struct assembly *assembly, uint64_t at, const struct ifr_shotgun_detail *before,
                                  uint8_t branch, uint64_t *next, struct ifr_shotgun_detail *last,
                                  struct known_block **known) {
	*known = known_code_find(&assembly->known, at);
	if (!*known)
		return UNKNOWN;
	struct ifr_shotgun_step *step = add_step(assembly, *known);
	step->mispredicted = before->flags & IFR_SHOTGUN_MISPREDICTED;
	step->taken =
		branch != IFR_BRANCH_NONE && assembly->at && bits_at(assembly, assembly->at - 1) & IFR_SHOTGUN_DOES;
	step->btb = step->taken ? before->btb : 0;
	step->call = branch >= IFR_BRANCH_CALL;
	const enum outcome outcome = add_block(assembly, *known, step, last);
	if (outcome || assembly->at == assembly->signature->count)
		return outcome;
	return find_next(assembly, *known, last, next);
}

/* Counts the last step: in the warm-up, or as measured. Returns its instructions. */
static unsigned count_step(const struct assembly *assembly, struct ifr_shotgun_fragment *fragment, bool warming) {
	const struct ifr_shotgun_fragments *fragments = assembly->fragments;
	const unsigned instructions =
		assembly->code->blocks[fragments->steps[fragments->steps_count - 1].block].instructions;
	fragment->end = (uint32_t)fragments->steps_count;
	if (warming)
		fragment->measured = fragment->end;
	else
		fragment->instructions += instructions;
	return instructions;
}

/* Adds the steps of the signature. Returns why it ended. Where the path turns out to be wrong, it is so since the last
 * target that a sample told: the steps up to there stay. */
static enum outcome add_steps(struct assembly *assembly, struct ifr_shotgun_fragment *fragment) {
	struct ifr_shotgun_detail before = {0}, last = {0};
	struct ifr_shotgun_fragment sure = *fragment;
	uint64_t at = assembly->signature->at, next = 0;
	struct known_block *known;
	uint8_t branch = IFR_BRANCH_NONE;
	unsigned instructions = 0;
	enum outcome outcome = GOES_ON;
	const size_t warmed =
		assembly->signature->count / 2 < SAMPLE_WARMED ? assembly->signature->count / 2 : SAMPLE_WARMED;
	while (!outcome && assembly->at < assembly->signature->count) {
		assembly->guessed = false;
		outcome = add_execution(assembly, at, &before, branch, &next, &last, &known);
		if (outcome && outcome != LOST)
			break;
		instructions += count_step(assembly, fragment, instructions < warmed);
		if (assembly->guessed)
			sure = *fragment;
		branch = assembly->code->blocks[known->block].branch;
		before = last;
		at = next;
	}
	if (outcome == IMPOSSIBLE || outcome == UNKNOWN)
		*fragment = sure;
	return outcome ? outcome : ENDED;
}

static void add_fragment(struct assembly *assembly, const struct ifr_shotgun_signature *signature) {
	struct ifr_shotgun_fragments *fragments = assembly->fragments;
	const uint32_t first = (uint32_t)fragments->steps_count;
	struct ifr_shotgun_fragment fragment = {first, first, first, 0, signature->head};
	const size_t accesses = fragments->accesses_count;
	assembly->signature = signature;
	assembly->at = assembly->calls.count = 0;
	assembly->first_access = (uint32_t)accesses;
	const enum outcome outcome = add_steps(assembly, &fragment);
	fragments->signatures++;
	fragments->steps_count = fragment.end;
	if (!fragment.instructions) {
		fragments->impossible += outcome == IMPOSSIBLE;
		fragments->unknown += outcome == UNKNOWN;
		fragments->lost += outcome == LOST;
		fragments->cut += outcome == ENDED;
		fragments->steps_count = first;
		fragments->accesses_count = accesses;
		return;
	}
	fragments->shortened += outcome != ENDED;
	if (fragments->count == fragments->room) {
		fragments->room = 2 * fragments->room + 64;
		fragments->items = ifr_realloc(fragments->items, fragments->room, sizeof *fragments->items);
	}
	fragments->items[fragments->count++] = fragment;
}

/* Of each step, whether the branch before it is known: taken there or in a step before. */
static void note_known(const struct ifr_shotgun_code *code, struct ifr_shotgun_fragments *fragments) {
	bool *taken = ifr_alloc((code->blocks_count + 1) * sizeof *taken);
	for (size_t i = 0; i < fragments->count; i++)
		for (size_t k = fragments->items[i].first + 1; k < fragments->items[i].end; k++) {
			struct ifr_shotgun_step *step = &fragments->steps[k];
			const uint32_t before = step[-1].block;
			taken[before] |= step->taken;
			step->known = taken[before];
		}
	free(taken);
}

void ifr_shotgun_assemble(const struct ifr_shotgun_code *code, const struct ifr_shotgun_samples *samples,
                          struct ifr_shotgun_fragments *fragments) {
	struct assembly assembly = {.code = code, .samples = samples, .fragments = fragments};
	*fragments = (struct ifr_shotgun_fragments){0};
	fragments->accesses = ifr_alloc((code->accesses_count + 1) * sizeof *fragments->accesses);
	for (size_t i = 0; i < code->accesses_count; i++)
		fragments->accesses[i] = (struct ifr_access){.bytes = code->accesses[i].bytes,
		                                             .store = code->accesses[i].kind == IFR_ACCESS_STORE};
	shotgun_database_init(&assembly.database, samples);
	known_code_init(&assembly.known, code, samples);
	for (size_t i = 0; i < samples->signatures_count; i++)
		add_fragment(&assembly, &samples->signatures[i]);
	note_known(code, fragments);
	known_code_release(&assembly.known);
	free(assembly.past);
	shotgun_database_release(&assembly.database);
}

void ifr_shotgun_fragments_release(struct ifr_shotgun_fragments *fragments) {
	free(fragments->steps);
	free(fragments->items);
	free(fragments->addresses);
	free(fragments->levels);
	free(fragments->accesses);
	*fragments = (struct ifr_shotgun_fragments){0};
}
