/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/hot_code.h"

#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"
#include "harness/simulate/simulate.h"

static const double kept_share = 0.999;

/* The executed blocks of a trace, and the units that they are of. */
struct reading {
	const struct ifr_relinker *relinker;
	const struct ifr_trace_block *blocks;
	struct ifr_executed_code executed;
	struct ifr_unit_index units;
	size_t *unit; /* of each executed block, or units.none */
};

static void find_units(const struct ifr_trace *trace, struct reading *r) {
	const struct ifr_mapping *mappings;
	ifr_trace_mappings(trace, &mappings);
	ifr_trace_blocks(trace, &r->blocks);
	ifr_unit_index_make(r->relinker, &r->units);
	r->unit = ifr_alloc((r->executed.count + 1) * sizeof *r->unit);
	for (size_t i = 0; i < r->executed.count; i++) {
		const struct ifr_executed_block *block = &r->executed.blocks[i];
		const bool own = mappings[block->file].kind == IFR_MAPPING_PROGRAM;
		r->unit[i] = own ? ifr_unit_index_find(&r->units, block->address) : r->units.none;
	}
}

static bool is_own(const struct reading *r, size_t i) {
	return r->unit[i] < r->units.none;
}

/* Whether a block is of a file, such as a library. */
static bool is_in_file(const struct reading *r, size_t i) {
	return *r->executed.files.items[r->executed.blocks[i].file] != '\0';
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static uint64_t weight_of(const struct reading *r, size_t i) {
	return r->executed.blocks[i].executions * r->executed.blocks[i].instructions;
}

struct weighed {
	uint64_t weight;
	size_t index;
};

static int heaviest_first(const void *a, const void *b) {
	const struct weighed *x = a, *y = b;
	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
	                              : (x->index > y->index) - (x->index < y->index);
}

static int by_place(const void *a, const void *b) {
	const struct hot_block *x = a, *y = b;
	return x->unit != y->unit ? (x->unit > y->unit) - (x->unit < y->unit)
	                          : (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_address(const void *a, const void *b) {
	const struct outside_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static void keep_block(const struct reading *r, size_t i, struct hot_code *code) {
	const struct ifr_executed_block *block = &r->executed.blocks[i];
	const struct ifr_trace_block *recorded = &r->blocks[block->block];
	struct ifr_relinker_unit unit;
	ifr_relinker_unit(r->relinker, r->unit[i], &unit);
	code->blocks[code->block_count++] =
		(struct hot_block){.unit = r->unit[i],
	                       .offset = block->address - unit.address,
	                       .executions = block->executions,
	                       .falls = block->falls,
	                       .bytes = block->bytes,
	                       .branch_bytes = recorded->branch ? recorded->branch_bytes : 0};
}

/* Library code is where its file is, a multiple of a page from address 0. */
static void keep_outside(const struct reading *r, size_t i, struct hot_code *code) {
	enum { FILE_SHIFT = 44 };
	const struct ifr_executed_block *block = &r->executed.blocks[i];
	const struct ifr_trace_block *recorded = &r->blocks[block->block];
	code->outside[code->outside_count++] =
		(struct outside_block){.address = (uint64_t)(block->file + 1) << FILE_SHIFT | block->address,
	                           .executions = block->executions,
	                           .bytes = block->bytes,
	                           .branch_bytes = recorded->branch ? recorded->branch_bytes : 0};
}

/* Lists the heaviest blocks, of the program's own or of others, that make up the share of their instructions that is
 * kept; the caller frees. Returns their number; *instructions receives those of all. */
static size_t list_heaviest(const struct reading *r, bool own, struct weighed **heaviest, uint64_t *instructions) {
	size_t count = 0, kept = 0;
	uint64_t weight = 0;
	*heaviest = ifr_alloc((r->executed.count + 1) * sizeof **heaviest);
	*instructions = 0;
	for (size_t i = 0; i < r->executed.count; i++)
		if (is_own(r, i) == own) {
			(*heaviest)[count++] = (struct weighed){weight_of(r, i), i};
			*instructions += weight_of(r, i);
		}
	qsort(*heaviest, count, sizeof **heaviest, heaviest_first);
	while (kept < count && (double)weight < kept_share * (double)*instructions)
		weight += (*heaviest)[kept++].weight;
	return kept;
}

static void keep_outside_blocks(const struct reading *r, struct hot_code *code) {
	struct weighed *heaviest;
	uint64_t instructions;
	const size_t count = list_heaviest(r, false, &heaviest, &instructions);
	code->outside = ifr_alloc((count + 1) * sizeof *code->outside);
	for (size_t i = 0; i < count; i++)
		if (is_in_file(r, heaviest[i].index))
			keep_outside(r, heaviest[i].index, code);
	free(heaviest);
	qsort(code->outside, code->outside_count, sizeof *code->outside, by_address);
}

static int keep_blocks(const struct reading *r, struct hot_code *code, struct ifr_error *err) {
	struct weighed *heaviest;
	const size_t count = list_heaviest(r, true, &heaviest, &code->instructions);
	code->blocks = ifr_alloc((count + 1) * sizeof *code->blocks);
	for (size_t i = 0; i < count; i++)
		keep_block(r, heaviest[i].index, code);
	free(heaviest);
	qsort(code->blocks, code->block_count, sizeof *code->blocks, by_place);
	keep_outside_blocks(r, code);
	return count ? 0
	             : ifr_fail(err, IFR_E_USAGE,
	                        "the recording executed none of the program's functions that its kit names");
}

/* --- units ------------------------------------------------------------------------------------------------------- */

static int most_executed_first(const void *a, const void *b) {
	const struct hot_unit *x = a, *y = b;
	return x->instructions != y->instructions
	           ? (x->instructions < y->instructions) - (x->instructions > y->instructions)
	           : (x->unit > y->unit) - (x->unit < y->unit);
}

static void list_units(const struct reading *r, struct hot_code *code) {
	uint64_t *instructions = ifr_alloc((r->units.none + 1) * sizeof *instructions);
	for (size_t i = 0; i < r->executed.count; i++)
		instructions[r->unit[i]] += weight_of(r, i);
	code->units = ifr_alloc((code->block_count + 1) * sizeof *code->units);
	for (size_t i = 0; i < code->block_count; i++) {
		struct ifr_relinker_unit unit;
		const size_t index = code->blocks[i].unit;
		if (i && index == code->blocks[i - 1].unit)
			continue;
		ifr_relinker_unit(r->relinker, index, &unit);
		code->units[code->unit_count++] = (struct hot_unit){.unit = index,
		                                                    .name = unit.name,
		                                                    .bytes = unit.bytes,
		                                                    .instructions = instructions[index],
		                                                    .align = unit.align,
		                                                    .moves = !unit.pin && unit.align};
	}
	qsort(code->units, code->unit_count, sizeof *code->units, most_executed_first);
	free(instructions);
}

static int most_frequent_first(const void *a, const void *b) {
	const struct hot_call *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static int by_ends(const void *a, const void *b) {
	const struct hot_call *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* Adds up the count first calls that have the same ends. */
static void join_calls(struct hot_code *code, size_t count) {
	code->call_count = 0;
	qsort(code->calls, count, sizeof *code->calls, by_ends);
	for (size_t i = 0; i < count; i++) {
		struct hot_call *last = code->call_count ? &code->calls[code->call_count - 1] : NULL;
		const struct hot_call *call = &code->calls[i];
		if (last && !by_ends(last, call)) {
			const double counts = (double)last->count + (double)call->count;
			if (counts > 0)
				last->site = ((double)last->count * last->site + (double)call->count * call->site) / counts;
			last->count += call->count;
		} else {
			code->calls[code->call_count++] = *call;
		}
	}
	qsort(code->calls, code->call_count, sizeof *code->calls, most_frequent_first);
}

/* A block that ends in a direct call calls as often as it is executed. */
static void list_calls(const struct reading *r, struct hot_code *code) {
	enum { OFFSET_BITS = IFR_MAPPING_SHIFT };
	size_t *rank = ifr_alloc((r->units.none + 1) * sizeof *rank), count = 0;
	for (size_t i = 0; i <= r->units.none; i++)
		rank[i] = code->unit_count;
	for (size_t i = 0; i < code->unit_count; i++)
		rank[code->units[i].unit] = i;
	code->calls = ifr_alloc((r->executed.count + 1) * sizeof *code->calls);
	for (size_t i = 0; i < r->executed.count; i++) {
		const struct ifr_trace_block *block = &r->blocks[r->executed.blocks[i].block];
		if (block->branch != IFR_BRANCH_CALL || !block->target ||
		    block->target >> OFFSET_BITS != block->normalised >> OFFSET_BITS)
			continue;
		const size_t to = ifr_unit_index_find(&r->units, block->target & ((UINT64_C(1) << OFFSET_BITS) - 1));
		if (to == r->unit[i] || rank[to] >= code->unit_count || rank[r->unit[i]] >= code->unit_count)
			continue;
		const struct ifr_executed_block *executed = &r->executed.blocks[i];
		struct ifr_relinker_unit caller;
		ifr_relinker_unit(r->relinker, r->unit[i], &caller);
		code->calls[count++] =
			(struct hot_call){.from = rank[r->unit[i]],
		                      .to = rank[to],
		                      .count = executed->executions,
		                      .site = (double)(executed->address + executed->bytes - caller.address)};
	}
	join_calls(code, count);
	free(rank);
}

int hot_code_read(struct ifr_trace *trace, const struct ifr_relinker *relinker, struct hot_code *code,
                  struct ifr_error *err) {
	struct reading r = {.relinker = relinker};
	*code = (struct hot_code){0};
	int result = ifr_executed_code_read(trace, &r.executed, err);
	if (!result) {
		find_units(trace, &r);
		result = keep_blocks(&r, code, err);
	}
	if (!result) {
		list_units(&r, code);
		list_calls(&r, code);
	}
	ifr_executed_code_release(&r.executed);
	ifr_unit_index_release(&r.units);
	free(r.unit);
	return result;
}

void hot_code_release(struct hot_code *code) {
	free(code->blocks);
	free(code->outside);
	free(code->units);
	free(code->calls);
	*code = (struct hot_code){0};
}

/* --- several recordings ------------------------------------------------------------------------------------------ */

/* Joins blocks of one place and size. */
static void join_blocks(struct hot_code *code) {
	size_t kept = 0;
	qsort(code->blocks, code->block_count, sizeof *code->blocks, by_place);
	for (size_t i = 0; i < code->block_count; i++) {
		struct hot_block *block = &code->blocks[i], *last = kept ? &code->blocks[kept - 1] : NULL;
		if (last && !by_place(last, block) && last->bytes == block->bytes) {
			last->executions += block->executions;
			last->falls += block->falls;
		} else {
			code->blocks[kept++] = *block;
		}
	}
	code->block_count = kept;
}

static void add_unit(struct hot_code *code, const struct hot_unit *unit, uint64_t instructions) {
	size_t at = 0;
	while (at < code->unit_count && code->units[at].unit != unit->unit)
		at++;
	if (at == code->unit_count) {
		code->units[code->unit_count++] = *unit;
		code->units[at].instructions = 0;
	}
	code->units[at].instructions += instructions;
}

static size_t rank_of_unit(const struct hot_code *code, size_t unit) {
	size_t rank = 0;
	while (code->units[rank].unit != unit)
		rank++;
	return rank;
}

/* Adds a recording's library blocks behind those of the recordings before it. Files that two recordings map in another
 * order count as others. */
static void add_outside(struct hot_code *mixed, const struct hot_code *code, double scale) {
	for (size_t i = 0; i < code->outside_count; i++) {
		struct outside_block *block = &mixed->outside[mixed->outside_count++];
		*block = code->outside[i];
		block->executions = (uint64_t)(scale * (double)block->executions + 0.5);
	}
}

/* Joins library blocks of one address and size. */
static void join_outside(struct hot_code *code) {
	size_t kept = 0;
	qsort(code->outside, code->outside_count, sizeof *code->outside, by_address);
	for (size_t i = 0; i < code->outside_count; i++) {
		struct outside_block *block = &code->outside[i], *last = kept ? &code->outside[kept - 1] : NULL;
		if (last && last->address == block->address && last->bytes == block->bytes)
			last->executions += block->executions;
		else
			code->outside[kept++] = *block;
	}
	code->outside_count = kept;
}

static void add_code(struct hot_code *mixed, const struct hot_code *code, double scale) {
	add_outside(mixed, code, scale);
	for (size_t i = 0; i < code->block_count; i++) {
		struct hot_block *block = &mixed->blocks[mixed->block_count++];
		*block = code->blocks[i];
		block->executions = (uint64_t)(scale * (double)block->executions + 0.5);
		block->falls = (uint64_t)(scale * (double)block->falls + 0.5);
	}
	for (size_t i = 0; i < code->unit_count; i++)
		add_unit(mixed, &code->units[i], (uint64_t)(scale * (double)code->units[i].instructions + 0.5));
}

void hot_code_mix(struct hot_code *codes, const double *weights, size_t count, struct hot_code *mixed) {
	static const double instructions = (double)(UINT64_C(1) << 50);
	size_t blocks = 0, units = 0, calls = 0, call = 0, outside = 0;
	for (size_t i = 0; i < count; i++) {
		outside += codes[i].outside_count;
		blocks += codes[i].block_count;
		units += codes[i].unit_count;
		calls += codes[i].call_count;
	}
	*mixed = (struct hot_code){.blocks = ifr_alloc((blocks + 1) * sizeof *mixed->blocks),
	                           .outside = ifr_alloc((outside + 1) * sizeof *mixed->outside),
	                           .units = ifr_alloc((units + 1) * sizeof *mixed->units),
	                           .calls = ifr_alloc((calls + 1) * sizeof *mixed->calls),
	                           .instructions = (uint64_t)instructions};
	for (size_t i = 0; i < count; i++)
		add_code(mixed, &codes[i], weights[i] * instructions / (double)codes[i].instructions);
	join_blocks(mixed);
	join_outside(mixed);
	qsort(mixed->units, mixed->unit_count, sizeof *mixed->units, most_executed_first);
	for (size_t i = 0; i < count; i++) {
		const double scale = weights[i] * instructions / (double)codes[i].instructions;
		for (size_t c = 0; c < codes[i].call_count; c++) {
			const struct hot_call *from = &codes[i].calls[c];
			mixed->calls[call++] = (struct hot_call){.from = rank_of_unit(mixed, codes[i].units[from->from].unit),
			                                         .to = rank_of_unit(mixed, codes[i].units[from->to].unit),
			                                         .count = (uint64_t)(scale * (double)from->count + 0.5),
			                                         .site = from->site};
		}
		hot_code_release(&codes[i]);
	}
	join_calls(mixed, call);
}

const char *hot_unit_symbol(const char *unit) {
	static const char *const kinds[] = {"unlikely.", "startup.", "hot.", "exit."};
	const char *colon = strrchr(unit, ':');
	if (!colon || !ifr_starts_with(colon + 1, ".text."))
		return NULL;
	const char *symbol = colon + strlen(":.text.");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (ifr_starts_with(symbol, kinds[i]))
			return symbol + strlen(kinds[i]);
	return *symbol ? symbol : NULL;
}
