/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/budget.h"

#include <inttypes.h>
#include <math.h>

#include "common/buffer.h"

enum { MAKING_PART = 3, MODEL_PART = 2, ESTIMATE_FACTOR = 4, LAYOUTS_LEAST = 2 };

static const double run_around_ns = 1e7, replay_share = 0.8;

int64_t budget_trial_deadline(int64_t begun_ns, int64_t deadline_ns) {
	return deadline_ns == INT64_MAX ? INT64_MAX : begun_ns + (deadline_ns - begun_ns) / MAKING_PART;
}

bool budget_allows_layout(const struct making *making) {
	if (making->deadline_ns == INT64_MAX ||
	    making->now_ns + making->layout_ns <= budget_trial_deadline(making->begun_ns, making->deadline_ns))
		return true;
	if (!making->run_ns || !making->layout_ns)
		return false;
	/* Only measured layouts count, so both estimates are generous: a layout may take twice the mean, and a run
	 * half as long again, with what surrounds it. */
	const bool needed = making->layouts < LAYOUTS_LEAST;
	const double layout_ns = (needed ? 1 : 2) * (double)making->layout_ns;
	const double runs = (double)(needed ? making->least_runs : making->missing_runs + making->layout_runs);
	return layout_ns + 1.5 * runs * ((double)making->run_ns + run_around_ns) <=
	       (double)(making->deadline_ns - making->now_ns);
}

bool budget_allows_making(int64_t now_ns, int64_t deadline_ns, int64_t layout_ns) {
	return deadline_ns == INT64_MAX || LAYOUTS_LEAST * layout_ns < deadline_ns - now_ns;
}

unsigned budget_raise_runs(unsigned runs, unsigned raised, int64_t run_ns, int64_t least_ns) {
	const int64_t enough = run_ns > 0 ? (least_ns + run_ns - 1) / run_ns : 0;
	return enough <= runs ? runs : enough < (int64_t)runs * raised ? (unsigned)enough : runs * raised;
}

int64_t budget_enough_to_make(int64_t spent_ns, int64_t layout_ns) {
	return budget_enough_seconds(spent_ns + LAYOUTS_LEAST * layout_ns, 0, 0);
}

int64_t budget_model_deadline(int64_t now_ns, int64_t deadline_ns, bool measures) {
	if (deadline_ns == INT64_MAX || !measures)
		return deadline_ns;
	return now_ns + (deadline_ns - now_ns) / MODEL_PART;
}

bool budget_allows_recording(int64_t now_ns, int64_t deadline_ns, int64_t expected_ns) {
	return deadline_ns == INT64_MAX || expected_ns / ESTIMATE_FACTOR < deadline_ns - now_ns;
}

int64_t budget_enough_for_model(int64_t now_ns, int64_t model_deadline_ns, int64_t expected_ns, int64_t budget_ns,
                                bool measures) {
	const double missing_ns = fmax(0, (double)(now_ns - model_deadline_ns) + (double)expected_ns / replay_share);
	return (int64_t)ceil(((double)budget_ns + (measures ? MODEL_PART : 1) * missing_ns) / 1e9);
}

char *budget_explain_model(const char *why, bool measures, int64_t enough_s) {
	return ifr_format("%s; %s--budget %" PRId64 "s has time for that", why,
	                  measures ? "the model may take half of the budget, as the runs need the rest: " : "",
	                  enough_s);
}

unsigned budget_layouts_to_replay(int64_t left_ns, int64_t expected_ns, size_t layouts, unsigned programs) {
	if (left_ns <= 0 || expected_ns <= 0 || !programs)
		return 0;
	return (unsigned)fmin(replay_share * (double)left_ns / (double)expected_ns * (double)layouts / programs,
	                      (double)layouts);
}

int64_t budget_enough_seconds(int64_t spent_ns, int64_t run_ns, uint64_t runs) {
	const double run = (double)run_ns + run_around_ns, all_ns = 1.5 * ((double)spent_ns + (double)runs * run);
	return (int64_t)ceil(all_ns / 1e9);
}

int64_t budget_scale_to_whole(int64_t enough_s, int64_t part_ns, int64_t whole_ns) {
	static const int64_t second_ns = INT64_C(1000000000);
	if (part_ns <= 0 || whole_ns <= part_ns)
		return enough_s;
	const int64_t scaled_s = (int64_t)ceil((double)enough_s * (double)whole_ns / (double)part_ns),
				  longer_s = whole_ns / second_ns + 1;
	return scaled_s > longer_s ? scaled_s : longer_s;
}

char *budget_describe_few(int64_t run_ns, int64_t left_ns, const struct plan_size *size) {
	static const double clearly = 0.8;
	const double runs = floor(fmax(0, (double)left_ns) / ((double)run_ns + run_around_ns)),
				 planned = (double)size->layouts * size->repetitions;
	if (!size->missing_runs || !(planned > 0) || runs < 1 || runs >= clearly * (double)size->missing_runs)
		return NULL;
	/* A layout's repetition has a run of each program in each pass. */
	const double each = (double)size->missing_runs / planned, layouts = floor(runs / each),
				 repetitions = floor(layouts / size->layouts);
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text,
	                  "one run takes at least %.2g s, so that the budget holds about %.0f run%s of the %" PRIu64
	                  " planned: ",
	                  (double)run_ns / 1e9, runs, runs == 1 ? "" : "s", size->missing_runs);
	if (repetitions >= 1)
		ifr_buffer_printf(&text, "%.0f of %u of each of the %u layouts", repetitions, size->repetitions,
		                  size->layouts);
	else
		ifr_buffer_printf(&text, "one of each of %.0f of the %u layouts", layouts, size->layouts);
	return ifr_buffer_detach(&text);
}

char *budget_describe_end(bool measured, const char *model_left_out) {
	if (!*model_left_out)
		return ifr_strdup("no: the time budget was used up");
	return ifr_format("no: the time budget was %stoo short for the model: %s", measured ? "" : "used up, and ",
	                  model_left_out);
}
