/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compile-time sites: the best layout with the loops of hot functions aligned, of each one and of all. Code is other code
 * then, of which the features say nothing: the clock alone judges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/pins.h"
#include "harness/optimize/search.h"

/* Functions whose loops are aligned one by one, and the least share of executed instructions; the part of the rest of the
 * budget. */
enum { FUNCTIONS = 3 };
static const double hot_share = 0.01, aligned_share = 0.2;
static const unsigned alignments[] = {32, 64};
enum { ALIGNMENTS = sizeof alignments / sizeof *alignments };

size_t search_list_symbols(const struct hot_code *code, const char **symbols, size_t most) {
	size_t count = 0;
	for (size_t i = 0; i < code->unit_count && count < most; i++) {
		const char *symbol = hot_unit_symbol(code->units[i].name);
		if (symbol && code->units[i].moves && !strpbrk(symbol, ",*?[\\ ") &&
		    (double)code->units[i].instructions >= hot_share * (double)code->instructions)
			symbols[count++] = symbol;
	}
	return count;
}

/* Makes a trial of the best layout with loops of functions aligned. */
static int make_trial(const struct candidate *best, unsigned bytes, const char *functions, struct trial *trial,
                      struct ifr_error *err) {
	char *words = ifr_format("seed=1 loop-bytes=%u functions=0 only=%s", bytes, functions);
	*trial = (struct trial){.candidate = *best};
	trial->candidate.origin = CANDIDATE_ALIGNED;
	trial->candidate.inexact = true;
	ifr_plan_copy(&trial->candidate.plan, &best->plan);
	const int result = ifr_plan_set(&trial->candidate.plan, IFR_AXIS_ALIGN, words, err);
	free(words);
	return result;
}

int search_align_loops(struct search *search, struct ifr_error *err) {
	const char *symbols[ORDERED_FUNCTIONS_MOST];
	const struct trial *best;
	struct trial trials[ALIGNMENTS * (FUNCTIONS + 1)] = {{.time = NAN}};
	struct ifr_buffer all = {0};
	size_t count = 0;
	if (!(search->stages.search->axes & 1u << IFR_AXIS_ALIGN) ||
	    !ifr_builder_count_templates(search->stages.builder))
		return 0;
	const size_t hot = search_list_symbols(&search->code, symbols, ORDERED_FUNCTIONS_MOST);
	int result = search_fit(search, true, err);
	if (result || !hot || !search_best_trials(search, 1, &best))
		return result;
	for (size_t i = 0; i < hot; i++)
		ifr_buffer_printf(&all, "%s%s", i ? "," : "", symbols[i]);
	for (size_t a = 0; a < ALIGNMENTS && !result; a++) {
		for (size_t i = 0; i < hot && i < FUNCTIONS && !result; i++)
			result = make_trial(&best->candidate, alignments[a], symbols[i], &trials[count++], err);
		if (hot > 1 && !result)
			result = make_trial(&best->candidate, alignments[a], ifr_buffer_text(&all), &trials[count++], err);
	}
	if (!result)
		result = stage_measure(&search->stages, "aligned", search->stages.search->campaign.repetitions,
		                       aligned_share, trials, count, err);
	if (count)
		search->optimum->axes_tried |= 1u << IFR_AXIS_ALIGN;
	search_add_trials(search, trials, count);
	ifr_buffer_release(&all);
	return result;
}
