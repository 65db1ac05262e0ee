/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of a layout.
 *
 *     windows      a block enters every window of 16, 32 or 64 bytes that it lies in; without a jump into it, the window
 *                  in which the block before it ended is entered already
 *     branch ends  branches that cross or end at a multiple of 32 bytes, which some decoded-instruction caches refuse
 *     crowded      branches in a line of 64 bytes that has two others before them, more than a line's entry tells
 *     footprint    lines and pages of the hot code
 *     sets         executions in lines beyond six, and beyond eight, of one of 64 sets, those of libraries among them:
 *                  most first-level caches have eight ways, of which the kernel, prefetches and rare code take some
 *     aliases      branches whose last byte has the twelve low address bits of a more executed branch's
 *     offsets      the addresses of the most executed functions modulo 64 and 4096, each as a point of a circle, because
 *                  0 and 63 are neighbours
 *
 * Lines and pages count where they are hot; of a set, every line does. */
#include "harness/optimize/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"

enum { WINDOWS = 0, BRANCH_ENDS = 3, CROWDED, LINES, PAGES, SET_OVERFLOW, ALIASES, SET_PRESSURE };
enum { NAME_COLUMNS = 32 };
enum { LINE = 64, PAGE = 4096, SETS = 64, WAYS = 8, FREE_WAYS = 6, BRANCHES_A_LINE = 2, BRANCH_INDICES = 4096 };

static const char *const program_names[FEATURES_OF_PROGRAM] = {
	"windows of 16 bytes entered",
	"windows of 32 bytes entered",
	"windows of 64 bytes entered",
	"branches that cross or end at 32 bytes",
	"branches beyond two in a line",
	"lines of hot code",
	"pages of hot code",
	"executions beyond eight ways of a set",
	"branches that share 12 address bits",
	"executions beyond six ways of a set",
};
static const unsigned window_bytes[] = {16, 32, 64};
static const unsigned unit_windows[FEATURES_OF_UNIT] = {16, 32, 64};
static const unsigned offset_bytes[OFFSETS_OF_UNIT / 2] = {LINE, PAGE};
/* A line is hot with this share of the executions of the program's blocks. */
static const double hot_share = 1e-4;
static const double two_pi = 6.283185307179586;

static size_t units_with_features(const struct hot_code *code) {
	return code->unit_count < FEATURE_UNITS_MOST ? code->unit_count : FEATURE_UNITS_MOST;
}

size_t features_count_counts(const struct hot_code *code) {
	return FEATURES_OF_PROGRAM + units_with_features(code) * FEATURES_OF_UNIT;
}

size_t features_count(const struct hot_code *code) {
	return features_count_counts(code) + units_with_features(code) * OFFSETS_OF_UNIT;
}

/* A unit's symbol as people read it; the caller frees. */
static char *name_unit(const struct hot_unit *unit) {
	const char *symbol = hot_unit_symbol(unit->name);
	char *plain = ifr_symbol_demangle(symbol ? symbol : unit->name),
		 *narrow = ifr_symbol_shorten(plain    ? plain
	                                  : symbol ? symbol
	                                           : unit->name,
	                                  NAME_COLUMNS);
	free(plain);
	return narrow;
}

void features_name(const struct hot_code *code, size_t feature, struct ifr_buffer *name) {
	const size_t counts = features_count_counts(code);
	if (feature < FEATURES_OF_PROGRAM || feature >= features_count(code)) {
		ifr_buffer_puts(name, feature < FEATURES_OF_PROGRAM ? program_names[feature] : "modelled cycles");
		return;
	}
	const bool is_offset = feature >= counts;
	feature -= is_offset ? counts : FEATURES_OF_PROGRAM;
	const size_t each = is_offset ? OFFSETS_OF_UNIT : FEATURES_OF_UNIT;
	char *unit = name_unit(&code->units[feature / each]);
	if (is_offset)
		ifr_buffer_printf(name, "address modulo %u of %s", offset_bytes[feature % each / 2], unit);
	else
		ifr_buffer_printf(name, "windows of %u bytes entered, in %s", unit_windows[feature % each], unit);
	free(unit);
}

/* Windows entered by all executions of a block. */
static double windows_entered(const struct hot_block *block, uint64_t at, unsigned bytes) {
	const uint64_t spans = block->bytes ? (at + block->bytes - 1) / bytes - at / bytes + 1 : 0;
	return (double)block->executions * (double)spans - (at % bytes && spans ? (double)block->falls : 0);
}

static bool ends_badly(const struct hot_block *block, uint64_t at) {
	const uint64_t end = at + block->bytes, begin = end - block->branch_bytes;
	return block->branch_bytes && (end % 32 == 0 || begin / 32 != (end - 1) / 32);
}

/* A line of hot code, and the executions of blocks in it. */
struct line {
	uint64_t number;
	double executions;
};

static int by_set(const void *a, const void *b) {
	const struct line *x = a, *y = b;
	const uint64_t s = x->number % SETS, t = y->number % SETS;
	if (s != t)
		return s < t ? -1 : 1;
	return x->executions != y->executions ? (x->executions < y->executions) - (x->executions > y->executions)
	                                      : (x->number > y->number) - (x->number < y->number);
}

static int by_number(const void *a, const void *b) {
	const struct line *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* Adds the lines of a block to those that are listed. Returns their number. */
static size_t add_lines(uint64_t at, uint64_t bytes, uint64_t executions, struct line *lines) {
	size_t count = 0;
	for (uint64_t line = at / LINE; bytes && line <= (at + bytes - 1) / LINE; line++)
		lines[count++] = (struct line){line, (double)executions};
	return count;
}

/* Lists the lines of all blocks by number, each once. Returns their count. */
static size_t list_lines(const struct hot_code *code, const uint64_t *addresses, struct line *lines) {
	size_t count = 0, distinct = 0;
	for (size_t i = 0; i < code->block_count; i++) {
		const struct hot_block *block = &code->blocks[i];
		count += add_lines(addresses[block->unit] + block->offset, block->bytes, block->executions, lines + count);
	}
	for (size_t i = 0; i < code->outside_count; i++) {
		const struct outside_block *block = &code->outside[i];
		count += add_lines(block->address, block->bytes, block->executions, lines + count);
	}
	qsort(lines, count, sizeof *lines, by_number);
	for (size_t i = 0; i < count; i++) {
		if (distinct && lines[distinct - 1].number == lines[i].number)
			lines[distinct - 1].executions += lines[i].executions;
		else
			lines[distinct++] = lines[i];
	}
	return distinct;
}

static void measure_footprint(const struct hot_code *code, const uint64_t *addresses, double *values) {
	size_t most = 0, in_set = 0;
	double all = 0;
	for (size_t i = 0; i < code->block_count; i++) {
		most += code->blocks[i].bytes / LINE + 2;
		all += (double)code->blocks[i].executions;
	}
	for (size_t i = 0; i < code->outside_count; i++)
		most += code->outside[i].bytes / LINE + 2;
	struct line *lines = ifr_alloc((most + 1) * sizeof *lines);
	const size_t count = list_lines(code, addresses, lines);
	uint64_t page = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		if (lines[i].executions >= hot_share * all) {
			values[LINES]++;
			values[PAGES] += lines[i].number / (PAGE / LINE) != page;
			page = lines[i].number / (PAGE / LINE);
		}
	qsort(lines, count, sizeof *lines, by_set);
	for (size_t i = 0; i < count; i++) {
		in_set = i && lines[i].number % SETS == lines[i - 1].number % SETS ? in_set + 1 : 0;
		values[SET_PRESSURE] += in_set >= FREE_WAYS ? lines[i].executions : 0;
		values[SET_OVERFLOW] += in_set >= WAYS ? lines[i].executions : 0;
	}
	free(lines);
}

/* Lists where branches end, by address, each with the executions of the blocks that end in it: blocks overlap where one
 * is entered in the middle of another. Returns their number. */
static size_t list_branches(const struct hot_code *code, const uint64_t *addresses, struct line *ends) {
	size_t count = 0, distinct = 0;
	for (size_t i = 0; i < code->block_count; i++) {
		const struct hot_block *block = &code->blocks[i];
		if (block->branch_bytes)
			ends[count++] = (struct line){addresses[block->unit] + block->offset + block->bytes - 1,
			                              (double)block->executions};
	}
	for (size_t i = 0; i < code->outside_count; i++) {
		const struct outside_block *block = &code->outside[i];
		if (block->branch_bytes)
			ends[count++] = (struct line){block->address + block->bytes - 1, (double)block->executions};
	}
	qsort(ends, count, sizeof *ends, by_number);
	for (size_t i = 0; i < count; i++) {
		if (distinct && ends[distinct - 1].number == ends[i].number)
			ends[distinct - 1].executions += ends[i].executions;
		else
			ends[distinct++] = ends[i];
	}
	return distinct;
}

static int by_index(const void *a, const void *b) {
	const struct line *x = a, *y = b;
	const uint64_t s = x->number % BRANCH_INDICES, t = y->number % BRANCH_INDICES;
	if (s != t)
		return s < t ? -1 : 1;
	return (x->executions < y->executions) - (x->executions > y->executions);
}

/* ends: by address; in another order afterwards. */
static void measure_branches(struct line *ends, size_t count, double *values) {
	size_t in_line = 0;
	for (size_t i = 0; i < count; i++) {
		in_line = i && ends[i].number / LINE == ends[i - 1].number / LINE ? in_line + 1 : 0;
		values[CROWDED] += in_line >= BRANCHES_A_LINE ? ends[i].executions : 0;
	}
	qsort(ends, count, sizeof *ends, by_index);
	for (size_t i = 1; i < count; i++)
		if (ends[i].number % BRANCH_INDICES == ends[i - 1].number % BRANCH_INDICES)
			values[ALIASES] += ends[i].executions;
}

static void compute_offsets(const struct hot_code *code, const uint64_t *addresses, double *values) {
	for (size_t u = 0; u < units_with_features(code); u++)
		for (size_t i = 0; i < OFFSETS_OF_UNIT; i += 2) {
			const unsigned bytes = offset_bytes[i / 2];
			const double angle = two_pi * (double)(addresses[code->units[u].unit] % bytes) / bytes;
			values[u * OFFSETS_OF_UNIT + i] = cos(angle);
			values[u * OFFSETS_OF_UNIT + i + 1] = sin(angle);
		}
}

void features_compute(const struct hot_code *code, const uint64_t *addresses, double *values) {
	const double per_mille = 1000 / (double)code->instructions;
	const size_t units = units_with_features(code);
	struct line *ends = ifr_alloc((code->block_count + code->outside_count + 1) * sizeof *ends);
	memset(values, 0, features_count(code) * sizeof *values);
	for (size_t i = 0; i < code->block_count; i++) {
		const struct hot_block *block = &code->blocks[i];
		const uint64_t at = addresses[block->unit] + block->offset;
		for (size_t w = 0; w < sizeof window_bytes / sizeof *window_bytes; w++)
			values[WINDOWS + w] += windows_entered(block, at, window_bytes[w]);
		values[BRANCH_ENDS] += ends_badly(block, at) ? (double)block->executions : 0;
		for (size_t u = 0; u < units; u++)
			for (size_t w = 0; w < FEATURES_OF_UNIT && code->units[u].unit == block->unit; w++)
				values[FEATURES_OF_PROGRAM + u * FEATURES_OF_UNIT + w] +=
					windows_entered(block, at, unit_windows[w]);
	}
	measure_branches(ends, list_branches(code, addresses, ends), values);
	measure_footprint(code, addresses, values);
	for (size_t i = 0; i < features_count_counts(code); i++)
		values[i] *= i == LINES || i == PAGES ? 1 : per_mille;
	compute_offsets(code, addresses, values + features_count_counts(code));
	values[features_count(code)] = NAN;
	free(ends);
}
