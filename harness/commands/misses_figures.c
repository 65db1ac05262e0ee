/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a profile, as Mowry and Luk draw them (1997): references by the miss ratio of their context (9a), hits
 * and misses that are mispredicted (6), and the parts of the run's time (7). */
#include "harness/commands/misses_result.h"
#include "harness/report/report.h"

enum { FIGURES = 3 };

const char *const misses_ratio_names[IFR_MISS_RATIO_BINS] = {
	"0 to 10 %",  "10 to 20 %", "20 to 30 %", "30 to 40 %", "40 to 50 %",
	"50 to 60 %", "60 to 70 %", "70 to 80 %", "80 to 90 %", "90 to 100 %"};
const char *const misses_error_names[MISSES_ERRORS] = {"hit as miss", "miss as hit"};
const char *const misses_time_names[MISSES_TIMES] = {"busy", "other loads", "useful overhead", "wasted overhead",
                                                     "stalls that remain"};

static double percent(double part, double whole) {
	return whole > 0 ? 100 * part / whole : 0;
}

void misses_shares_find(const struct misses_result *result, struct misses_shares *shares) {
	const struct ifr_judged *schemes = result->judged.schemes;
	const double all = (double)ifr_miss_prediction_wrong(&schemes[IFR_SCHEME_SUMMARY].predicted);
	const double plain = misses_time_plain(result);
	for (enum ifr_miss_scheme i = 0; i < IFR_MISS_SCHEMES; i++) {
		const struct misses_time spent = misses_time_of(result, i);
		const double parts[MISSES_TIMES] = {spent.busy, spent.other_stalls, spent.useful, spent.wasted,
		                                    spent.untolerated};
		for (unsigned bin = 0; bin < IFR_MISS_RATIO_BINS; bin++)
			shares->ratios[i][bin] = percent((double)schemes[i].bins[bin], (double)result->judged.references);
		shares->mispredicted[i][0] = percent((double)schemes[i].predicted.hit_as_miss, all);
		shares->mispredicted[i][1] = percent((double)schemes[i].predicted.miss_as_hit, all);
		for (unsigned k = 0; k < MISSES_TIMES; k++)
			shares->time[i][k] = percent(parts[k], plain);
	}
}

int misses_draw(const struct misses_result *result, const char *dir, struct ifr_error *err) {
	struct misses_shares shares;
	misses_shares_find(result, &shares);
	const struct ifr_stacked_bars figures[FIGURES] = {
		{"ratios", "References by the miss ratio of their context. Contexts that always or never miss tell most.",
	     "% of references", ifr_miss_scheme_names, misses_ratio_names, IFR_MISS_SCHEMES, IFR_MISS_RATIO_BINS,
	     &shares.ratios[0][0]},
		{"mispredicted", "Hits and misses that are mispredicted, in percent of those of the miss ratio alone.",
	     "% of the summary's", ifr_miss_scheme_names, misses_error_names, IFR_MISS_SCHEMES, MISSES_ERRORS,
	     &shares.mispredicted[0][0]},
		{"time", "The run's time where predicted misses are tolerated, in percent of that without.",
	     "% of the time without tolerance", ifr_miss_scheme_names, misses_time_names, IFR_MISS_SCHEMES,
	     MISSES_TIMES, &shares.time[0][0]}};
	if (!result->judged.count)
		return ifr_fail(err, IFR_E_USAGE,
		                "no load misses now and then, so that there are no contexts to draw: widen --ratios");
	return ifr_stacked_bars_draw(figures, FIGURES, dir, err);
}
