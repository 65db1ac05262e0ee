/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a profile, as Mowry and Luk draw them (1997): references by the miss ratio of their context (4), hits
 * and misses that are mispredicted (6), and the parts of the run's time (7). */
#include "harness/commands/misses_result.h"
#include "harness/report/report.h"

enum { FIGURES = 3, ERRORS = 2, TIMES = 5 };

static double percent(double part, double whole) {
	return whole > 0 ? 100 * part / whole : 0;
}

int misses_draw(const struct misses_result *result, const char *dir, struct ifr_error *err) {
	static const char *const ratios[IFR_MISS_RATIO_BINS] = {"0 to 10 %",  "10 to 20 %", "20 to 30 %", "30 to 40 %",
	                                                        "40 to 50 %", "50 to 60 %", "60 to 70 %", "70 to 80 %",
	                                                        "80 to 90 %", "90 to 100 %"};
	static const char *const errors[ERRORS] = {"hit as miss", "miss as hit"};
	static const char *const times[TIMES] = {"busy", "other loads", "useful overhead", "wasted overhead",
	                                         "stalls that remain"};
	double bins[IFR_MISS_SCHEMES][IFR_MISS_RATIO_BINS], wrong[IFR_MISS_SCHEMES][ERRORS],
		time[IFR_MISS_SCHEMES][TIMES];
	const struct ifr_judged *schemes = result->judged.schemes;
	const double all = (double)ifr_miss_prediction_wrong(&schemes[IFR_SCHEME_SUMMARY].predicted);
	const double plain = misses_time_plain(result);
	for (enum ifr_miss_scheme i = 0; i < IFR_MISS_SCHEMES; i++) {
		const struct misses_time spent = misses_time_of(result, i);
		const double parts[TIMES] = {spent.busy, spent.other_stalls, spent.useful, spent.wasted,
		                             spent.untolerated};
		for (unsigned bin = 0; bin < IFR_MISS_RATIO_BINS; bin++)
			bins[i][bin] = percent((double)schemes[i].bins[bin], (double)result->judged.references);
		wrong[i][0] = percent((double)schemes[i].predicted.hit_as_miss, all);
		wrong[i][1] = percent((double)schemes[i].predicted.miss_as_hit, all);
		for (unsigned k = 0; k < TIMES; k++)
			time[i][k] = percent(parts[k], plain);
	}
	const struct ifr_stacked_bars figures[FIGURES] = {
		{"ratios", "References by the miss ratio of their context. Contexts that always or never miss tell most.",
	     "% of references", ifr_miss_scheme_names, ratios, IFR_MISS_SCHEMES, IFR_MISS_RATIO_BINS, &bins[0][0]},
		{"mispredicted", "Hits and misses that are mispredicted, in percent of those of the miss ratio alone.",
	     "% of the summary's", ifr_miss_scheme_names, errors, IFR_MISS_SCHEMES, ERRORS, &wrong[0][0]},
		{"time", "The run's time where predicted misses are tolerated, in percent of that without.",
	     "% of the time without tolerance", ifr_miss_scheme_names, times, IFR_MISS_SCHEMES, TIMES, &time[0][0]}};
	if (!result->judged.count)
		return ifr_fail(err, IFR_E_USAGE,
		                "no load misses now and then, so that there are no contexts to draw: widen --ratios");
	return ifr_stacked_bars_draw(figures, FIGURES, dir, err);
}
