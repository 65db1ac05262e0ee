/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/hot_code.h"

#include <stdlib.h>
#include <string.h>

#include "harness/exec/exec.h"

enum { NO_UNIT = -1, CHUNK = 16384 };
static const double kept_share = 0.999;

/* A trace's blocks and what their executions are counted into. */
struct reading {
	const struct ifr_trace_block *blocks;
	size_t count;
	long *unit; /* of each block, or NO_UNIT */
	uint64_t *executions, *falls;
};

/* A unit of code where it ships. */
struct extent {
	uint64_t from, to;
	size_t unit;
};

static int by_from(const void *a, const void *b) {
	const struct extent *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

static size_t list_extents(const struct ifr_relinker *relinker, struct extent *extents) {
	size_t count = 0;
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (unit.bytes && ifr_starts_with(unit.section, ".text"))
			extents[count++] = (struct extent){unit.address, unit.address + unit.bytes, i};
	}
	qsort(extents, count, sizeof *extents, by_from);
	return count;
}

static long find_unit(const struct extent *extents, size_t count, uint64_t address) {
	size_t low = 0, high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (extents[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < extents[low - 1].to ? (long)extents[low - 1].unit : NO_UNIT;
}

static uint64_t address_of(const struct ifr_trace_block *block) {
	return block->normalised & ((UINT64_C(1) << IFR_MAPPING_SHIFT) - 1);
}

static void find_units(const struct ifr_trace *trace, const struct ifr_relinker *relinker, struct reading *r) {
	const struct ifr_mapping *mappings;
	const size_t mapping_count = ifr_trace_mappings(trace, &mappings);
	struct extent *extents = ifr_alloc((ifr_relinker_unit_count(relinker) + 1) * sizeof *extents);
	const size_t count = list_extents(relinker, extents);
	for (size_t i = 0; i < r->count; i++) {
		const size_t mapping = r->blocks[i].normalised >> IFR_MAPPING_SHIFT;
		const bool own = mapping < mapping_count && mappings[mapping].kind == IFR_MAPPING_PROGRAM;
		r->unit[i] = own ? find_unit(extents, count, address_of(&r->blocks[i])) : NO_UNIT;
	}
	free(extents);
}

static void count_execution(struct reading *r, size_t block, size_t before, bool jumped) {
	r->executions[block]++;
	r->falls[block] += before < r->count && !jumped &&
	                   r->blocks[before].normalised + r->blocks[before].bytes == r->blocks[block].normalised;
}

static int count_executions(struct ifr_trace *trace, struct reading *r, struct ifr_error *err) {
	struct ifr_trace_chunk chunk;
	uint32_t before = IFR_EXECUTION_BREAK;
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK, &chunk)) {
		if (ifr_launch_interrupted())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a trace");
		for (size_t i = 0; i < chunk.executions_count; i++) {
			const uint32_t now = chunk.executions[i];
			if (now != IFR_EXECUTION_BREAK)
				count_execution(r, now >> 1, before == IFR_EXECUTION_BREAK ? r->count : before >> 1, before & 1);
			before = now;
		}
	}
	ifr_trace_rewind(trace);
	return 0;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static uint64_t weight_of(const struct reading *r, size_t block) {
	return r->executions[block] * r->blocks[block].instructions;
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

static void keep_block(const struct reading *r, size_t block, const struct ifr_relinker *relinker,
                       struct hot_code *code) {
	struct ifr_relinker_unit unit;
	ifr_relinker_unit(relinker, (size_t)r->unit[block], &unit);
	code->blocks[code->block_count++] =
		(struct hot_block){.unit = (size_t)r->unit[block],
	                       .offset = address_of(&r->blocks[block]) - unit.address,
	                       .executions = r->executions[block],
	                       .falls = r->falls[block],
	                       .bytes = r->blocks[block].bytes,
	                       .branch_bytes = r->blocks[block].branch ? r->blocks[block].branch_bytes : 0};
}

static int keep_blocks(const struct reading *r, const struct ifr_relinker *relinker, struct hot_code *code,
                       struct ifr_error *err) {
	struct weighed *heaviest = ifr_alloc((r->count + 1) * sizeof *heaviest);
	size_t count = 0;
	uint64_t kept = 0;
	for (size_t i = 0; i < r->count; i++)
		if (r->unit[i] >= 0 && r->executions[i]) {
			heaviest[count++] = (struct weighed){weight_of(r, i), i};
			code->instructions += weight_of(r, i);
		}
	qsort(heaviest, count, sizeof *heaviest, heaviest_first);
	code->blocks = ifr_alloc((count + 1) * sizeof *code->blocks);
	for (size_t i = 0; i < count && (double)kept < kept_share * (double)code->instructions; i++) {
		keep_block(r, heaviest[i].index, relinker, code);
		kept += heaviest[i].weight;
	}
	free(heaviest);
	qsort(code->blocks, code->block_count, sizeof *code->blocks, by_place);
	return kept ? 0
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

static void list_units(const struct reading *r, const struct ifr_relinker *relinker, struct hot_code *code) {
	uint64_t *instructions = ifr_alloc((ifr_relinker_unit_count(relinker) + 1) * sizeof *instructions);
	for (size_t i = 0; i < r->count; i++)
		if (r->unit[i] >= 0)
			instructions[r->unit[i]] += weight_of(r, i);
	code->units = ifr_alloc((code->block_count + 1) * sizeof *code->units);
	for (size_t i = 0; i < code->block_count; i++) {
		struct ifr_relinker_unit unit;
		const size_t index = code->blocks[i].unit;
		if (i && index == code->blocks[i - 1].unit)
			continue;
		ifr_relinker_unit(relinker, index, &unit);
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

/* A block that ends in a direct call calls as often as it is executed. */
static void list_calls(const struct reading *r, const struct ifr_relinker *relinker, struct hot_code *code) {
	const size_t units = ifr_relinker_unit_count(relinker);
	long *rank = ifr_alloc((units + 1) * sizeof *rank);
	struct extent *extents = ifr_alloc((units + 1) * sizeof *extents);
	const size_t extent_count = list_extents(relinker, extents);
	size_t count = 0;
	for (size_t i = 0; i < units; i++)
		rank[i] = NO_UNIT;
	for (size_t i = 0; i < code->unit_count; i++)
		rank[code->units[i].unit] = (long)i;
	code->calls = ifr_alloc((r->count + 1) * sizeof *code->calls);
	for (size_t i = 0; i < r->count; i++) {
		const struct ifr_trace_block *block = &r->blocks[i];
		const struct ifr_trace_block target = {.normalised = block->target};
		if (block->branch != IFR_BRANCH_CALL || !block->target || r->unit[i] < 0 || !r->executions[i] ||
		    block->target >> IFR_MAPPING_SHIFT != block->normalised >> IFR_MAPPING_SHIFT)
			continue;
		const long to = find_unit(extents, extent_count, address_of(&target));
		if (to >= 0 && to != r->unit[i] && rank[to] >= 0 && rank[r->unit[i]] >= 0)
			code->calls[count++] = (struct hot_call){(size_t)rank[r->unit[i]], (size_t)rank[to], r->executions[i]};
	}
	qsort(code->calls, count, sizeof *code->calls, by_ends);
	for (size_t i = 0; i < count; i++) {
		struct hot_call *last = code->call_count ? &code->calls[code->call_count - 1] : NULL;
		if (last && !by_ends(last, &code->calls[i]))
			last->count += code->calls[i].count;
		else
			code->calls[code->call_count++] = code->calls[i];
	}
	qsort(code->calls, code->call_count, sizeof *code->calls, most_frequent_first);
	free(extents);
	free(rank);
}

int hot_code_read(struct ifr_trace *trace, const struct ifr_relinker *relinker, struct hot_code *code,
                  struct ifr_error *err) {
	struct reading r = {0};
	r.count = ifr_trace_blocks(trace, &r.blocks);
	r.unit = ifr_alloc((r.count + 1) * sizeof *r.unit);
	r.executions = ifr_alloc((r.count + 1) * sizeof *r.executions);
	r.falls = ifr_alloc((r.count + 1) * sizeof *r.falls);
	*code = (struct hot_code){0};
	find_units(trace, relinker, &r);
	int result = count_executions(trace, &r, err);
	if (!result)
		result = keep_blocks(&r, relinker, code, err);
	if (!result) {
		list_units(&r, relinker, code);
		list_calls(&r, relinker, code);
	}
	free(r.unit);
	free(r.executions);
	free(r.falls);
	return result;
}

void hot_code_release(struct hot_code *code) {
	free(code->blocks);
	free(code->units);
	free(code->calls);
	*code = (struct hot_code){0};
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
