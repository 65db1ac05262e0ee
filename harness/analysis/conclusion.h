/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conclusion of one analysis, and the levels that decide it. */
#ifndef IFR_HARNESS_ANALYSIS_CONCLUSION_H
#define IFR_HARNESS_ANALYSIS_CONCLUSION_H

#include <stdbool.h>
#include <stddef.h>

#define IFR_REPORT_CONFIDENCE 0.95
/* Of intervals that few layouts cannot give 0.95: below this one nothing is concluded. Five layouts give 0.9375. */
#define IFR_REPORT_CONFIDENCE_LEAST 0.9
#define IFR_REPORT_LEVEL 0.05 /* p-values below it count as evidence */
#define IFR_CHECK_LEVEL 0.01  /* p-values of a residual check below it give a warning */

/* How much layout matters. */
enum ifr_effect {
	IFR_EFFECT_UNTESTED,  /* fewer than two random layouts */
	IFR_EFFECT_UNKNOWN,   /* every layout ran once: layout effects and noise cannot be told apart */
	IFR_EFFECT_NONE,      /* every run of every layout gave the same value */
	IFR_EFFECT_NOT_FOUND, /* the differences are within run-to-run noise */
	IFR_EFFECT_FOUND
};

/* Where the shipped layout stands among the random ones. */
enum ifr_shipped_standing {
	IFR_SHIPPED_UNKNOWN, /* not measured, or there is nothing to compare it with */
	IFR_SHIPPED_TYPICAL, /* not told apart from the median layout */
	IFR_SHIPPED_BETTER,
	IFR_SHIPPED_WORSE
};

/* The next step for the user. */
enum ifr_advice {
	IFR_ADVICE_NOTHING,
	IFR_ADVICE_MORE_LAYOUTS,
	IFR_ADVICE_MORE_RUNS,
	IFR_ADVICE_QUIETER_MACHINE,
	IFR_ADVICE_BEST_LAYOUT,     /* build the best layout: it beats the shipped one beyond noise */
	IFR_ADVICE_FIND_CODE,       /* attribute the effect to code */
	IFR_ADVICE_READ_SWEEP,      /* look at the values that stand out */
	IFR_ADVICE_OTHER_BENCHMARK, /* layout matters for another of the program's benchmarks: read about that */
	IFR_ADVICE_FIND_AXIS,       /* vary one axis at a time: no code moved, and several axes vary */
	IFR_ADVICE_FIX_WORK,        /* let all runs do the same work, before anything else */
	IFR_ADVICE_COMPARE_MEANS    /* judge changes of the program over many layouts */
};

struct ifr_benchmark_finding;

struct ifr_conclusion {
	enum ifr_effect effect;
	enum ifr_shipped_standing standing;
	enum ifr_advice advice;
	size_t benchmarks,
		affected; /* of the program's own, the metric among them, and where layout matters; else 0 */
	const struct ifr_benchmark_finding *most; /* with the widest expected range, of those affected; or NULL */
	bool has_sd;                              /* the next two are known */
	double sd_pct, limit_pct; /* standard deviation between layouts, and the upper end of its interval */
	bool has_noise;
	double noise_pct; /* standard deviation from run to run */
	size_t wanted;    /* layouts, or runs of each, that the advice asks for */
};

#endif
