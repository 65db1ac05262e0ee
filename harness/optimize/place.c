/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/place.h"

#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"
#include "harness/optimize/hot_code.h"
#include "harness/optimize/place_nops.h"
#include "harness/simulate/simulate.h"

/* Places of a function: so many steps from its address, modulo a page. */
enum { STEP = 16, STEPS = 7, PAGE = 4096, PAIRS_MOST = 10, LIBRARY_TEXT = 5 /* ".text" */ };
#define LEAST_GAIN 0.0005

struct work {
	const struct ifr_place_request *request;
	struct ifr_place_result *result;
	struct ifr_kit kit;
	struct ifr_builder *builder;
	const struct ifr_relinker *relinker;
	struct hot_code code;
	struct placed_block *blocks;  /* in the shipped layout; owners are indices of code.units */
	struct shared_counts *counts; /* by them */
	size_t *order;                /* of them, most in their own way first */
	size_t tried;
	struct ifr_plan *plans; /* [0] the shipped layout, then STEPS of each function that is tried */
	struct ifr_counts *counters;
};

/* --- the shipped layout ------------------------------------------------------------------------------------------ */

static size_t find_owner(const struct hot_code *code, size_t unit) {
	size_t i = 0;
	while (i < code->unit_count && code->units[i].unit != unit)
		i++;
	return i;
}

static void place_blocks(struct work *work) {
	const struct hot_code *code = &work->code;
	work->blocks = ifr_alloc((code->block_count + 1) * sizeof *work->blocks);
	for (size_t i = 0; i < code->block_count; i++) {
		const struct hot_block *block = &code->blocks[i];
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(work->relinker, block->unit, &unit);
		work->blocks[i] = (struct placed_block){unit.address + block->offset, block->executions, block->bytes,
		                                        block->branch_bytes, find_owner(code, block->unit)};
	}
}

static char *name_branch(const struct work *work, size_t block) {
	const struct hot_block *hot = &work->code.blocks[block];
	struct ifr_relinker_unit unit;
	ifr_relinker_unit(work->relinker, hot->unit, &unit);
	const char *symbol = hot_unit_symbol(unit.name);
	return ifr_format("%s+0x%llx", symbol ? symbol : unit.name,
	                  (unsigned long long)(hot->offset + hot->bytes - hot->branch_bytes));
}

static void keep_pairs(struct work *work, const struct shared_pair *pairs, size_t count) {
	struct ifr_place_result *result = work->result;
	result->all_pairs = count;
	result->pairs_count = count < PAIRS_MOST ? count : PAIRS_MOST;
	result->pairs = ifr_alloc((result->pairs_count + 1) * sizeof *result->pairs);
	for (size_t i = 0; i < result->pairs_count; i++)
		result->pairs[i] =
			(struct ifr_named_pair){pairs[i].structure,
		                            {name_branch(work, pairs[i].first), name_branch(work, pairs[i].second)},
		                            pairs[i].executions};
}

static void add_up(const struct shared_counts *counts, size_t count, struct shared_counts *sum) {
	*sum = (struct shared_counts){0};
	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < SHARED_STRUCTURES; k++)
			sum->shared[k] += counts[i].shared[k];
		sum->windows += counts[i].windows;
	}
}

static uint64_t count_trouble(const struct shared_counts *counts) {
	return counts->shared[SHARED_BTB] + counts->shared[SHARED_PREDICTOR] + counts->windows;
}

/* Orders the functions that move by what is in their way. */
static void order_functions(struct work *work) {
	const size_t count = work->code.unit_count;
	size_t kept = 0;
	work->order = ifr_alloc((count + 1) * sizeof *work->order);
	for (size_t i = 0; i < count; i++) {
		const uint64_t trouble = count_trouble(&work->counts[i]);
		size_t at = kept;
		if (!work->code.units[i].moves || !trouble)
			continue;
		for (; at && count_trouble(&work->counts[work->order[at - 1]]) < trouble; at--)
			work->order[at] = work->order[at - 1];
		work->order[at] = i;
		kept++;
	}
	work->tried = kept < work->request->functions ? kept : work->request->functions;
}

/* --- places ------------------------------------------------------------------------------------------------------ */

/* The first address behind all code that moves. */
static uint64_t find_end(const struct work *work) {
	uint64_t end = 0;
	for (size_t i = 0; i < ifr_relinker_unit_count(work->relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(work->relinker, i, &unit);
		if (!strncmp(unit.section, ".text", LIBRARY_TEXT) && unit.address + unit.bytes > end)
			end = unit.address + unit.bytes;
	}
	return end;
}

/* The first address from `from` on that is so many steps behind the unit's own, modulo a page. */
static uint64_t choose_address(const struct ifr_relinker_unit *unit, uint64_t from, unsigned step) {
	const uint64_t wanted = unit->address + (uint64_t)step * STEP;
	return from + (wanted - from) % PAGE;
}

static void read_unit(const struct work *work, size_t function, struct ifr_relinker_unit *unit) {
	ifr_relinker_unit(work->relinker, work->code.units[function].unit, unit);
}

static void make_plans(struct work *work) {
	const uint64_t end = find_end(work);
	work->plans = ifr_alloc((1 + work->tried * STEPS) * sizeof *work->plans);
	ifr_plan_init(&work->plans[0]);
	for (size_t i = 0; i < work->tried; i++)
		for (unsigned step = 1; step <= STEPS; step++) {
			struct ifr_plan *plan = &work->plans[i * STEPS + step];
			struct ifr_relinker_unit unit;
			read_unit(work, work->order[i], &unit);
			ifr_plan_init(plan);
			ifr_plan_place_at(plan, unit.name, choose_address(&unit, end, step));
		}
}

static int replay(struct work *work, const struct ifr_plan *plans, size_t count, struct ifr_counts *counters,
                  struct ifr_error *err) {
	const struct ifr_place_request *request = work->request;
	struct ifr_count_errors *errors = ifr_alloc((count + 1) * sizeof *errors);
	struct ifr_plan_replay run = {.trace = request->trace,
	                              .machines = &request->machine,
	                              .machine_count = 1,
	                              .core = work->result->has_core ? IFR_CORE_SAMPLED : IFR_CORE_NONE,
	                              .errors = errors,
	                              .kit = &work->kit,
	                              .progress = request->progress};
	const int result = ifr_replay_plans(&run, plans, count, counters, err);
	free(errors);
	return result;
}

static double find_gain(const struct ifr_counts *shipped, const struct ifr_counts *placed) {
	const double before = (double)shipped->value[IFR_EVENT_CYCLES];
	return before > 0 ? (before - (double)placed->value[IFR_EVENT_CYCLES]) / before : 0;
}

/* The sums over all hot code, with a function elsewhere. */
static void count_with(const struct work *work, size_t function, uint64_t to, struct shared_counts *sum) {
	struct placed_block *blocks = ifr_alloc((work->code.block_count + 1) * sizeof *blocks);
	struct shared_counts *counts = ifr_alloc((work->code.unit_count + 1) * sizeof *counts);
	struct shared_pair *pairs;
	struct ifr_relinker_unit unit;
	read_unit(work, function, &unit);
	memcpy(blocks, work->blocks, work->code.block_count * sizeof *blocks);
	memset(counts, 0, (work->code.unit_count + 1) * sizeof *counts);
	for (size_t i = 0; i < work->code.block_count; i++)
		if (blocks[i].owner == function)
			blocks[i].address += to - unit.address;
	shared_entries_find(work->request->machine, blocks, work->code.block_count, &pairs, counts);
	add_up(counts, work->code.unit_count, sum);
	free(pairs);
	free(counts);
	free(blocks);
}

static int by_gain(const void *a, const void *b) {
	const struct ifr_placed_function *x = a, *y = b;
	return (x->gain < y->gain) - (x->gain > y->gain);
}

/* The best place of each function. */
static void choose_places(struct work *work) {
	struct ifr_place_result *result = work->result;
	const uint64_t end = find_end(work);
	result->functions = ifr_alloc((work->tried + 1) * sizeof *result->functions);
	for (size_t i = 0; i < work->tried; i++) {
		struct ifr_placed_function *function = &result->functions[i];
		struct ifr_relinker_unit unit;
		unsigned best = 1;
		for (unsigned step = 2; step <= STEPS; step++)
			if (work->counters[i * STEPS + step].value[IFR_EVENT_CYCLES] <
			    work->counters[i * STEPS + best].value[IFR_EVENT_CYCLES])
				best = step;
		read_unit(work, work->order[i], &unit);
		*function =
			(struct ifr_placed_function){.name = ifr_strdup(unit.name),
		                                 .address = {unit.address, choose_address(&unit, end, best)},
		                                 .gain = find_gain(&work->counters[0], &work->counters[i * STEPS + best])};
		for (unsigned k = 0; k < 2; k++)
			count_with(work, work->order[i], function->address[k], &function->counts[k]);
	}
	result->functions_count = result->tried = work->tried;
	qsort(result->functions, result->functions_count, sizeof *result->functions, by_gain);
}

static uint64_t find_bytes(const struct work *work, const char *name) {
	for (size_t i = 0; i < work->code.unit_count; i++)
		if (!strcmp(work->code.units[i].name, name))
			return work->code.units[i].bytes;
	return 0;
}

/* Puts the functions that gain something behind one another, as each is best, and replays them together. */
static int place_together(struct work *work, struct ifr_error *err) {
	struct ifr_place_result *result = work->result;
	struct ifr_counts counters = {{0}};
	uint64_t end = find_end(work);
	size_t placed = 0;
	for (size_t i = 0; i < result->functions_count && result->functions[i].gain >= LEAST_GAIN; i++) {
		struct ifr_placed_function *function = &result->functions[i];
		function->address[1] = end + (function->address[1] - end) % PAGE;
		ifr_plan_place_at(&result->plan, function->name, function->address[1]);
		end = function->address[1] + find_bytes(work, function->name);
		placed++;
	}
	const int rc = placed ? replay(work, &result->plan, 1, &counters, err) : 0;
	if (placed && !rc)
		result->gain = find_gain(&work->counters[0], &counters);
	return rc;
}

/* --- changes of code --------------------------------------------------------------------------------------------- */

/* Of the most executed pairs, the branches in front of which nops may lie: of two in one function, the later one. */
static int find_nops(struct work *work, const struct shared_pair *pairs, size_t count, struct ifr_error *err) {
	struct nops_branch *branches = ifr_alloc((count + 1) * sizeof *branches);
	for (size_t i = 0; i < count; i++) {
		const struct hot_block *blocks = work->code.blocks;
		const size_t a = pairs[i].first, b = pairs[i].second;
		const size_t block = blocks[a].unit == blocks[b].unit && blocks[a].offset > blocks[b].offset ? a : b;
		const struct placed_block *placed = &work->blocks[block];
		branches[i] =
			(struct nops_branch){blocks[block].unit, placed->address + placed->bytes - placed->branch_bytes};
	}
	const int rc = place_nops_find(work->request, &work->kit, work->builder, branches, count, work->result, err);
	free(branches);
	return rc;
}

/* The function of a branch: the unit's symbol without a clone's suffix. The caller frees; NULL: none. */
static char *name_function(const struct work *work, uint64_t address) {
	for (size_t i = 0; i < work->code.unit_count; i++) {
		struct ifr_relinker_unit unit;
		read_unit(work, i, &unit);
		const char *symbol = hot_unit_symbol(unit.name);
		if (symbol && address - unit.address < unit.bytes)
			return ifr_format("%.*s", (int)strcspn(symbol, "."), symbol);
	}
	return NULL;
}

static int find_copies(struct work *work, struct ifr_error *err) {
	struct ifr_place_result *result = work->result;
	const unsigned axes = 1u << IFR_AXIS_SPLIT_LOOPS | 1u << IFR_AXIS_DUPLICATE_JOINS;
	struct ifr_error ignored = {0};
	result->compiles = !ifr_builder_check(work->builder, axes, &ignored);
	const int rc = ifr_branch_copies_find(work->request->trace, work->request->machine, &result->found, err);
	result->copies = ifr_alloc((result->found.count + 1) * sizeof *result->copies);
	for (size_t i = 0; i < result->found.count && !rc; i++) {
		const struct ifr_branch_copy *copy = &result->found.items[i];
		char *function = name_function(work, copy->normalised & IFR_OFFSET_MASK);
		if (!function)
			continue;
		result->copies[result->copies_count++] = (struct ifr_placed_copy){
			function, copy,
			copy->kind == IFR_COPY_LOOP ? ifr_format("split-loops history=%u only=%s", copy->history, function)
										: ifr_format("duplicate-joins only=%s", function)};
	}
	return rc;
}

/* Adds an axis for all functions with copies of a kind. One parameter holds for all: the shortest history. */
static void plan_copies(struct ifr_place_result *result, enum ifr_copy_kind kind, enum ifr_axis axis) {
	struct ifr_buffer names = {0};
	unsigned history = 0;
	for (size_t i = 0; i < result->copies_count; i++) {
		const struct ifr_placed_copy *placed = &result->copies[i];
		bool named = placed->copy->kind != kind;
		for (size_t j = 0; j < i; j++)
			named |= result->copies[j].copy->kind == kind && !strcmp(result->copies[j].function, placed->function);
		if (!named)
			ifr_buffer_printf(&names, "%s%s", names.length ? "," : "", placed->function);
		if (placed->copy->kind == kind && (!history || placed->copy->history < history))
			history = placed->copy->history;
	}
	if (names.length) {
		struct ifr_error ignored = {0};
		char *words = kind == IFR_COPY_LOOP
		                  ? ifr_format("seed=0 history=%u only=%s", history, ifr_buffer_text(&names))
		                  : ifr_format("seed=0 only=%s", ifr_buffer_text(&names));
		ifr_plan_set(&result->code, axis, words, &ignored);
		free(words);
	}
	ifr_buffer_release(&names);
}

/* Nops count sites of the code as it ships: they go with no copies. */
static void plan_code(struct ifr_place_result *result) {
	if (result->compiles) {
		plan_copies(result, IFR_COPY_LOOP, IFR_AXIS_SPLIT_LOOPS);
		plan_copies(result, IFR_COPY_JOIN, IFR_AXIS_DUPLICATE_JOINS);
	}
	if (!ifr_plan_axes(&result->code) && result->nops_count) {
		struct ifr_error ignored = {0};
		char *words =
			ifr_format("seed=0 rate=0 site=%llu bytes=%u only=%s", (unsigned long long)result->nops->site,
		               result->nops->bytes, result->nops->function);
		ifr_plan_set(&result->code, IFR_AXIS_NOPS, words, &ignored);
		free(words);
	}
}

static int search(struct work *work, struct ifr_error *err) {
	struct shared_pair *pairs;
	place_blocks(work);
	work->counts = ifr_alloc((work->code.unit_count + 1) * sizeof *work->counts);
	memset(work->counts, 0, (work->code.unit_count + 1) * sizeof *work->counts);
	const size_t count =
		shared_entries_find(work->request->machine, work->blocks, work->code.block_count, &pairs, work->counts);
	keep_pairs(work, pairs, count);
	int rc = find_nops(work, pairs, work->result->pairs_count, err);
	free(pairs);
	if (!rc)
		rc = find_copies(work, err);
	if (rc)
		return rc;
	plan_code(work->result);
	order_functions(work);
	make_plans(work);
	work->counters = ifr_alloc((1 + work->tried * STEPS) * sizeof *work->counters);
	rc = replay(work, work->plans, 1 + work->tried * STEPS, work->counters, err);
	if (rc)
		return rc;
	choose_places(work);
	return place_together(work, err);
}

static void release(struct work *work) {
	for (size_t i = 0; work->plans && i < 1 + work->tried * STEPS; i++)
		ifr_plan_release(&work->plans[i]);
	free(work->plans);
	free(work->counters);
	free(work->order);
	free(work->counts);
	free(work->blocks);
	hot_code_release(&work->code);
	ifr_builder_close(work->builder);
	ifr_kit_release(&work->kit);
}

int ifr_place_find(const struct ifr_place_request *request, struct ifr_place_result *result,
                   struct ifr_error *err) {
	struct work work = {.request = request, .result = result};
	*result = (struct ifr_place_result){.machine = request->machine_name,
	                                    .has_core = ifr_machine_has_core(request->machine)};
	ifr_plan_init(&result->plan);
	ifr_plan_init(&result->code);
	int rc = ifr_recorded_kit_load(request->trace, &work.kit, err);
	if (rc)
		return rc;
	rc = ifr_builder_open(&work.kit, &work.builder, err);
	if (!rc) {
		work.relinker = ifr_builder_relinker(work.builder);
		rc = hot_code_read(request->trace, work.relinker, &work.code, err);
	}
	if (!rc)
		rc = search(&work, err);
	release(&work);
	return rc;
}

void ifr_place_release(struct ifr_place_result *result) {
	for (size_t i = 0; i < result->pairs_count; i++) {
		free(result->pairs[i].names[0]);
		free(result->pairs[i].names[1]);
	}
	for (size_t i = 0; i < result->functions_count; i++)
		free(result->functions[i].name);
	for (size_t i = 0; i < result->nops_count; i++)
		free(result->nops[i].function);
	for (size_t i = 0; i < result->copies_count; i++) {
		free(result->copies[i].function);
		free(result->copies[i].axis);
	}
	free(result->pairs);
	free(result->functions);
	free(result->nops);
	free(result->copies);
	ifr_branch_copies_release(&result->found);
	ifr_plan_release(&result->plan);
	ifr_plan_release(&result->code);
}
