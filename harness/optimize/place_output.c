/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/optimize/hot_code.h"
#include "harness/optimize/place.h"
#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1 };

static const char *const structure_names[SHARED_STRUCTURES] = {"BTB", "predictor"};

static void print_pairs(const struct ifr_place_result *result, struct ifr_buffer *out) {
	if (!result->pairs_count) {
		ifr_buffer_puts(out, "no two hot branches share an entry of the BTB or of the predictor\n");
		return;
	}
	ifr_buffer_printf(out, "hot branches that share an entry (%zu, of the most executed)\n", result->pairs_count);
	ifr_buffer_puts(out, "  executions  structure  branches\n");
	for (size_t i = 0; i < result->pairs_count; i++) {
		const struct ifr_named_pair *pair = &result->pairs[i];
		char *first = ifr_format("%12" PRIu64 "  %-9s  ", pair->executions, structure_names[pair->structure]);
		char *names = ifr_format("%s and %s", pair->names[0], pair->names[1]);
		ifr_text_wrap(out, names, first, "                         ");
		free(names);
		free(first);
	}
}

static void print_function(const struct ifr_placed_function *function, struct ifr_buffer *out) {
	const char *symbol = hot_unit_symbol(function->name);
	char *gain = ifr_format("%+.2f %%", -100 * function->gain);
	char *first = ifr_format("  %9s  ", gain);
	char *words =
		ifr_format("%s from 0x%" PRIx64 " to 0x%" PRIx64 ": windows entered too many %" PRIu64 " -> %" PRIu64
	               ", branches on shared entries of the BTB %" PRIu64 " -> %" PRIu64 ", of the predictor %" PRIu64
	               " -> %" PRIu64,
	               symbol ? symbol : function->name, function->address[0], function->address[1],
	               function->counts[0].windows, function->counts[1].windows,
	               function->counts[0].shared[SHARED_BTB], function->counts[1].shared[SHARED_BTB],
	               function->counts[0].shared[SHARED_PREDICTOR], function->counts[1].shared[SHARED_PREDICTOR]);
	ifr_text_wrap(out, words, first, "             ");
	free(words);
	free(first);
	free(gain);
}

static void print_nops(const struct ifr_place_result *result, struct ifr_buffer *out) {
	if (result->nops_count)
		ifr_buffer_puts(out, "\nnops in front of one of two branches (estimated cycles)\n");
	for (size_t i = 0; i < result->nops_count; i++) {
		const struct ifr_placed_nops *nops = &result->nops[i];
		char *gain = ifr_format("%+.2f %%", -100 * nops->gain);
		char *first = ifr_format("  %9s  ", gain);
		char *words = ifr_format("nops rate=0 site=%" PRIu64 " bytes=%u only=%s: BTB misses %" PRIu64
		                         " -> %" PRIu64 ", mispredicted %" PRIu64 " -> %" PRIu64,
		                         nops->site, nops->bytes, nops->function, nops->btb_misses[0], nops->btb_misses[1],
		                         nops->misses[0], nops->misses[1]);
		ifr_text_wrap(out, words, first, "             ");
		free(words);
		free(first);
		free(gain);
	}
}

/* "repeat (trips.c:13)", or as much as is known; the caller frees. */
static char *describe_branch(const struct ifr_placed_copy *placed) {
	const struct ifr_source_position *position = &placed->copy->position;
	return placed->copy->known ? ifr_format("%s (%s:%u)", placed->function, position->file, position->line)
	                           : ifr_strdup(placed->function);
}

static void print_copy(const struct ifr_place_result *result, const struct ifr_placed_copy *placed,
                       struct ifr_buffer *out) {
	const struct ifr_branch_copy *copy = placed->copy;
	char *branch = describe_branch(placed);
	char *first = ifr_format("  %9" PRIu64 " -> %-9" PRIu64 "  ", result->found.before, copy->after);
	char *what = copy->kind == IFR_COPY_LOOP
	                 ? ifr_format("a loop of %" PRIu64 " trips in %u parts", copy->trips, copy->parts)
	                 : ifr_strdup("a join with a copy for each path");
	char *words = ifr_format("%s: %s, mispredicted %" PRIu64 " times of %" PRIu64 "; %s", branch, what,
	                         copy->misses, copy->executions, placed->axis);
	ifr_text_wrap(out, words, first, "                           ");
	free(words);
	free(what);
	free(first);
	free(branch);
}

static void print_copies(const struct ifr_place_result *result, struct ifr_buffer *out) {
	if (!result->copies_count)
		return;
	ifr_buffer_puts(out, "\ncopies of code that the predictor tells apart: branches mispredicted in all\n");
	for (size_t i = 0; i < result->copies_count; i++)
		print_copy(result, &result->copies[i], out);
	if (!result->compiles)
		ifr_text_wrap(
			out,
			"the kit has no sources to compile them (INTERFERO_SOURCES=1 make CC=interfero-gcc); by hand: "
			"-fplugin-arg-interfero-AXIS=WORDS, with commas between the words",
			"  ", "  ");
}

void ifr_place_text(const struct ifr_place_result *result, struct ifr_buffer *out) {
	print_pairs(result, out);
	print_nops(result, out);
	print_copies(result, out);
	char *title = ifr_format("modelled cycles of %s%s with one function elsewhere, at the best of 7 places",
	                         result->machine, result->has_core ? "" : " (an estimate)");
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(out, title, "", "");
	free(title);
	for (size_t i = 0; i < result->functions_count; i++)
		print_function(&result->functions[i], out);
	if (!result->functions_count)
		ifr_buffer_puts(out, "  no function that moves is in its own way\n");
	else if (!result->plan.place_count)
		ifr_buffer_puts(out, "\nno place gains anything in the model\n");
	else
		ifr_buffer_printf(out, "\ntogether: %+.2f %% (%zu functions)\n", -100 * result->gain,
		                  (size_t)result->plan.place_count);
}

static json_t *json_counts(const struct shared_counts *counts) {
	json_t *object = json_object();
	ifr_json_set(object, "btb", ifr_json_count(counts->shared[SHARED_BTB]));
	ifr_json_set(object, "predictor", ifr_json_count(counts->shared[SHARED_PREDICTOR]));
	ifr_json_set(object, "windows", ifr_json_count(counts->windows));
	return object;
}

static json_t *json_pair_of(const uint64_t *counts) {
	json_t *array = json_array();
	json_array_append_new(array, ifr_json_count(counts[0]));
	json_array_append_new(array, ifr_json_count(counts[1]));
	return array;
}

static json_t *json_nops(const struct ifr_place_result *result) {
	json_t *array = json_array();
	for (size_t i = 0; i < result->nops_count; i++) {
		json_t *object = json_object();
		ifr_json_set(object, "function", ifr_json_text(result->nops[i].function));
		ifr_json_set(object, "site", ifr_json_count(result->nops[i].site));
		ifr_json_set(object, "bytes", ifr_json_count(result->nops[i].bytes));
		ifr_json_set(object, "btb_misses", json_pair_of(result->nops[i].btb_misses));
		ifr_json_set(object, "mispredicted", json_pair_of(result->nops[i].misses));
		ifr_json_set(object, "gain", ifr_json_number(result->nops[i].gain));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *json_copies(const struct ifr_place_result *result) {
	json_t *array = json_array();
	for (size_t i = 0; i < result->copies_count; i++) {
		const struct ifr_placed_copy *placed = &result->copies[i];
		const struct ifr_branch_copy *copy = placed->copy;
		json_t *object = json_object();
		ifr_json_set(object, "kind", ifr_json_text(copy->kind == IFR_COPY_LOOP ? "loop" : "join"));
		ifr_json_set(object, "function", ifr_json_text(placed->function));
		if (copy->known) {
			ifr_json_set(object, "file", ifr_json_text(copy->position.file));
			ifr_json_set(object, "line", ifr_json_count(copy->position.line));
		}
		ifr_json_set(object, "axis", ifr_json_text(placed->axis));
		ifr_json_set(object, "executions", ifr_json_count(copy->executions));
		ifr_json_set(object, "mispredicted", ifr_json_count(copy->misses));
		if (copy->kind == IFR_COPY_LOOP) {
			ifr_json_set(object, "trips", ifr_json_count(copy->trips));
			ifr_json_set(object, "parts", ifr_json_count(copy->parts));
		}
		ifr_json_set(object, "before", ifr_json_count(result->found.before));
		ifr_json_set(object, "after", ifr_json_count(copy->after));
		json_array_append_new(array, object);
	}
	return array;
}

void ifr_place_json(const struct ifr_place_result *result, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *pairs = json_array(), *functions = json_array();
	struct ifr_buffer plan = {0}, code = {0};
	for (size_t i = 0; i < result->pairs_count; i++) {
		json_t *pair = json_object();
		ifr_json_set(pair, "structure", ifr_json_text(structure_names[result->pairs[i].structure]));
		ifr_json_set(pair, "first", ifr_json_text(result->pairs[i].names[0]));
		ifr_json_set(pair, "second", ifr_json_text(result->pairs[i].names[1]));
		ifr_json_set(pair, "executions", ifr_json_count(result->pairs[i].executions));
		json_array_append_new(pairs, pair);
	}
	for (size_t i = 0; i < result->functions_count; i++) {
		const struct ifr_placed_function *function = &result->functions[i];
		json_t *object = json_object();
		ifr_json_set(object, "unit", ifr_json_text(function->name));
		ifr_json_set(object, "from", ifr_json_count(function->address[0]));
		ifr_json_set(object, "to", ifr_json_count(function->address[1]));
		ifr_json_set(object, "before", json_counts(&function->counts[0]));
		ifr_json_set(object, "after", json_counts(&function->counts[1]));
		ifr_json_set(object, "gain", ifr_json_number(function->gain));
		json_array_append_new(functions, object);
	}
	ifr_plan_print(&result->plan, &plan);
	ifr_json_set(root, "machine", ifr_json_text(result->machine));
	ifr_json_set(root, "core", json_boolean(result->has_core));
	ifr_json_set(root, "all_pairs", ifr_json_count(result->all_pairs));
	ifr_json_set(root, "pairs", pairs);
	ifr_json_set(root, "functions", functions);
	ifr_json_set(root, "gain", ifr_json_number(result->gain));
	ifr_json_set(root, "plan", ifr_json_text(ifr_buffer_text(&plan)));
	ifr_plan_print(&result->code, &code);
	ifr_json_set(root, "nops", json_nops(result));
	ifr_json_set(root, "copies", json_copies(result));
	ifr_json_set(root, "compiles", json_boolean(result->compiles));
	ifr_json_set(root, "code", ifr_json_text(ifr_buffer_text(&code)));
	ifr_buffer_release(&code);
	ifr_buffer_release(&plan);
	ifr_json_print(root, out);
}
