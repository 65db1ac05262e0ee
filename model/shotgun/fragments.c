/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "model/core/sample.h"
#include "model/shotgun/database.h"

/* AHEAD: instructions that a target is judged by; SEARCHED_LEAST: if no sample tells it. */
enum { CALLS_MOST = 256, AHEAD = 64, SEARCHED_LEAST = 24 };

/* A block that may be executed. */
struct known_block {
	uint64_t at, address;
	uint32_t block;
	struct ifr_placed placed;
};

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
	struct known_block *known; /* by `at` */
	size_t known_count;
	/* --- the fragment under way --- */
	const struct ifr_shotgun_signature *signature;
	size_t at;                  /* of its bits */
	uint64_t calls[CALLS_MOST]; /* where calls return to */
	size_t calls_count;
	bool guessed;             /* a sample has told the target of a branch since this was cleared */
	uint64_t accesses;        /* in all fragments; a page of its own for each */
	struct past_access *past; /* by access of the fragments */
	uint32_t first_access;
};

enum outcome { GOES_ON, ENDED, IMPOSSIBLE, UNKNOWN, LOST };

/* --- known blocks ------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
	const struct known_block *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static struct known_block *find_known(struct assembly *assembly, uint64_t at) {
	const struct known_block key = {.at = at};
	return bsearch(&key, assembly->known, assembly->known_count, sizeof key, by_place);
}

/* Of blocks that begin alike: whether one is longer, or has more accesses; a repeated string instruction has none in its
 * last round, and that round is a block of its own. */
static bool is_larger(const struct ifr_trace_block *one, const struct ifr_trace_block *other) {
	return one->bytes != other->bytes ? one->bytes > other->bytes : one->accesses > other->accesses;
}

/* The blocks that have a place in the samples. Of several that begin alike, the largest. */
static void list_known(struct assembly *assembly) {
	const struct ifr_shotgun_samples *samples = assembly->samples;
	const struct ifr_shotgun_code *code = assembly->code;
	assembly->known = ifr_alloc((samples->places_count + 1) * sizeof *assembly->known);
	for (size_t i = 0; i < samples->places_count; i++)
		assembly->known[i] = (struct known_block){
			.at = samples->places[i].at, .address = samples->places[i].address, .block = UINT32_MAX};
	qsort(assembly->known, samples->places_count, sizeof *assembly->known, by_place);
	assembly->known_count = samples->places_count;
	for (size_t i = 0; i < code->blocks_count; i++) {
		const struct ifr_trace_block *block = &code->blocks[i];
		struct known_block *known =
			find_known(assembly, block->normalised | (block->bytes ? 0 : IFR_SHOTGUN_ROUND));
		if (known && (known->block == UINT32_MAX || is_larger(block, &code->blocks[known->block])))
			known->block = (uint32_t)i;
	}
}

static const struct ifr_placed *place(struct assembly *assembly, struct known_block *known) {
	if (!known->placed.parts)
		ifr_core_place(assembly->code->core, assembly->code->program, known->block, known->address,
		               assembly->code->blocks[known->block].bytes, &known->placed);
	return &known->placed;
}

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

/* The accesses of an instruction: from one on, up to those of the next instruction. */
static size_t count_accesses(const struct assembly *assembly, const struct known_block *known, unsigned index,
                             size_t from) {
	const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
	const struct ifr_core_instruction *instruction = &known->placed.instructions[index];
	size_t to = from;
	while (to < block->accesses &&
	       (index + 1 == known->placed.count ||
	        assembly->code->accesses[block->first_access + to].end <= instruction->offset + instruction->bytes))
		to++;
	return to - from;
}

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

/* Whether instruction number `index` of a block, with so many accesses, may have the bits at a place of the signature. */
static bool is_possible_there(const struct assembly *assembly, const struct known_block *known, unsigned index,
                              size_t accesses, size_t at) {
	const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
	const uint64_t round = known->at & IFR_SHOTGUN_ROUND;
	const bool ends = index + 1 == known->placed.count;
	const bool repeats = round || (ends && block->end == IFR_END_REPEAT);
	const uint64_t address = ((known->at & ~round) + known->placed.instructions[index].offset) | round;
	return is_possible(address, bits_at(assembly, at), ends ? block->branch : (uint8_t)IFR_BRANCH_NONE, accesses,
	                   repeats);
}

/* Adds the instructions of a block, and stores the sample of the last. */
static enum outcome add_block(struct assembly *assembly, struct known_block *known, struct ifr_shotgun_step *step,
                              struct ifr_shotgun_detail *last) {
	const struct ifr_placed *placed = place(assembly, known);
	const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
	const uint64_t round = known->at & IFR_SHOTGUN_ROUND;
	size_t accesses = 0;
	if (assembly->at + placed->count > assembly->signature->count)
		return ENDED;
	for (unsigned i = 0; i < placed->count; i++, assembly->at++) {
		const struct ifr_core_instruction *instruction = &placed->instructions[i];
		const bool ends = i + 1 == placed->count;
		const uint8_t branch = ends ? block->branch : (uint8_t)IFR_BRANCH_NONE;
		const size_t own = count_accesses(assembly, known, i, accesses);
		const uint64_t at = ((known->at & ~round) + instruction->offset) | round;
		if (!is_possible_there(assembly, known, i, own, assembly->at))
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

/* Whether the code does not tell where a block's branch goes. */
static bool is_told_by_samples(const struct ifr_trace_block *block) {
	return block->branch == IFR_BRANCH_INDIRECT_JUMP || block->branch == IFR_BRANCH_INDIRECT_CALL ||
	       block->branch == IFR_BRANCH_RETURN || !block->target;
}

/* Where calls return to, beyond the stack of an assembly: calls that are looked ahead to, and those that returned. */
struct calls_ahead {
	uint64_t calls[AHEAD];
	size_t count, returned;
};

/* Finds what is executed behind a block's branch that goes; 0: only samples tell. */
static uint64_t look_behind(const struct assembly *assembly, const struct ifr_trace_block *block,
                            struct calls_ahead *ahead) {
	if (block->branch == IFR_BRANCH_RETURN) {
		if (ahead->count)
			return ahead->calls[--ahead->count];
		if (ahead->returned == assembly->calls_count)
			return 0;
		return assembly->calls[(assembly->calls_count - ++ahead->returned) % CALLS_MOST];
	}
	if (is_told_by_samples(block))
		return 0;
	if (block->branch == IFR_BRANCH_CALL)
		ahead->calls[ahead->count++] = block->normalised + block->bytes;
	return block->target;
}

/* Whether the bits of the signature can be those of the code at an address: up to the next branch whose target the code
 * and the stack of calls do not tell, or some instructions far. Returns how many were compared; 0: they cannot. */
static size_t compare_path(struct assembly *assembly, uint64_t at) {
	size_t index = assembly->at;
	const size_t end = index + AHEAD < assembly->signature->count ? index + AHEAD : assembly->signature->count;
	struct calls_ahead ahead = {.count = 0};
	while (index < end) {
		struct known_block *known = find_known(assembly, at);
		if (!known || known->block == UINT32_MAX)
			return 0;
		const struct ifr_trace_block *block = &assembly->code->blocks[known->block];
		const struct ifr_placed *placed = place(assembly, known);
		size_t accesses = 0;
		for (unsigned i = 0; i < placed->count && index < end; i++, index++) {
			const size_t own = count_accesses(assembly, known, i, accesses);
			if (!is_possible_there(assembly, known, i, own, index))
				return 0;
			accesses += own;
		}
		if (index == end)
			return index - assembly->at;
		const bool taken = index && bits_at(assembly, index - 1) & IFR_SHOTGUN_DOES;
		const bool goes = block->branch != IFR_BRANCH_NONE && (block->branch != IFR_BRANCH_CONDITIONAL || taken);
		if (!goes && (block->end == IFR_END_REPEAT || !block->bytes))
			return index - assembly->at;
		at = goes ? look_behind(assembly, block, &ahead) : block->normalised + block->bytes;
		if (!at)
			return index - assembly->at;
	}
	return index - assembly->at;
}

/* Finds the only block of the code whose bits follow in the signature; 0: none, or several. */
static uint64_t search_target(struct assembly *assembly) {
	uint64_t found = 0;
	for (size_t i = 0; i < assembly->known_count; i++)
		if (compare_path(assembly, assembly->known[i].at) >= SEARCHED_LEAST) {
			if (found)
				return 0;
			found = assembly->known[i].at;
		}
	return found;
}

/* The target of an indirect branch, of a return from a caller outside, or of a repeated instruction, by its sample. If
 * the signature cannot have gone there, by that of the instruction's samples that has most bits in common, of those
 * whose target it can have gone to; if there is none, by the bits alone. */
static enum outcome follow_sample(struct assembly *assembly, const struct ifr_shotgun_detail *last,
                                  uint64_t *next) {
	*next = last->next;
	assembly->guessed = true;
	if (last->next && compare_path(assembly, last->next))
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
		if (!compare_path(assembly, sample->next)) {
			refused = sample->next;
			continue;
		}
		best = sample;
		least = differ;
	}
	const uint64_t found = best ? best->next : search_target(assembly);
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
	if (block->branch == IFR_BRANCH_RETURN && assembly->calls_count) {
		*next = assembly->calls[--assembly->calls_count % CALLS_MOST];
		return GOES_ON;
	}
	if (block->branch == IFR_BRANCH_CALL || block->branch == IFR_BRANCH_INDIRECT_CALL)
		assembly->calls[assembly->calls_count++ % CALLS_MOST] = behind;
	if (block->branch == IFR_BRANCH_NONE)
		return block->end == IFR_END_REPEAT || !block->bytes ? follow_sample(assembly, last, next) : GOES_ON;
	if (block->branch == IFR_BRANCH_CONDITIONAL && !taken)
		return GOES_ON;
	if (is_told_by_samples(block))
		return follow_sample(assembly, last, next);
	*next = block->target;
	return GOES_ON;
}

/* --- a fragment --------------------------------------------------------------------------------------------------- */

/* Adds a step, with the outcome of the branch before it (the step before has `last` at its end). */
static enum outcome add_execution(struct assembly *assembly, uint64_t at, const struct ifr_shotgun_detail *before,
                                  uint8_t branch, uint64_t *next, struct ifr_shotgun_detail *last,
                                  struct known_block **known) {
	*known = find_known(assembly, at);
	if (!*known || (*known)->block == UINT32_MAX)
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
	assembly->at = assembly->calls_count = 0;
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

void ifr_shotgun_assemble(const struct ifr_shotgun_code *code, const struct ifr_shotgun_samples *samples,
                          struct ifr_shotgun_fragments *fragments) {
	struct assembly assembly = {.code = code, .samples = samples, .fragments = fragments};
	*fragments = (struct ifr_shotgun_fragments){0};
	fragments->accesses = ifr_alloc((code->accesses_count + 1) * sizeof *fragments->accesses);
	for (size_t i = 0; i < code->accesses_count; i++)
		fragments->accesses[i] = (struct ifr_access){.bytes = code->accesses[i].bytes,
		                                             .store = code->accesses[i].kind == IFR_ACCESS_STORE};
	shotgun_database_init(&assembly.database, samples);
	list_known(&assembly);
	for (size_t i = 0; i < samples->signatures_count; i++)
		add_fragment(&assembly, &samples->signatures[i]);
	for (size_t i = 0; i < assembly.known_count; i++)
		free(assembly.known[i].placed.parts);
	free(assembly.known);
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
