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

void ifr_place_text(const struct ifr_place_result *result, struct ifr_buffer *out) {
	print_pairs(result, out);
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

void ifr_place_json(const struct ifr_place_result *result, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *pairs = json_array(), *functions = json_array();
	struct ifr_buffer plan = {0};
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
	ifr_buffer_release(&plan);
	ifr_json_print(root, out);
}
