/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a sweep: the metric against the swept values, its period, and values that stand out. Part of
 * harness/analysis/result.h. */
#ifndef IFR_HARNESS_ANALYSIS_SWEEP_H
#define IFR_HARNESS_ANALYSIS_SWEEP_H

#include "common/sweep.h"
#include "harness/statistics/statistics.h"

struct ifr_layout;

#define IFR_SWEEP_LEVEL 0.05 /* of each test: of a period, and of any spike at all (family-wise) */
enum { IFR_SWEEP_OVERLAYS = 4 };

/* One sweep of the one or two. */
struct ifr_sweep_side {
	const struct ifr_sweep *sweep;
	unsigned levels;
	double *medians; /* [levels] of the metric; of a grid the mean over the other sweep; NaN for no layout */
	bool tested;     /* for a period; else why_not */
	struct ifr_error why_not;
	struct ifr_period period; /* in steps */
};

/* A layout whose value stands out. */
struct ifr_spike {
	const struct ifr_layout *layout;
	bool again;       /* confirmed by runs that did not choose it; else the first runs alone suffice */
	double deviation; /* relative: from the median layout; where confirmed, from its neighbours in these runs */
	double p;         /* adjusted for all layouts; 0 in the model, which has no noise */
};

/* A suspect of the second look. */
struct ifr_suspect {
	const struct ifr_layout *layout;
	bool tested;
	double deviation; /* from its neighbours in the runs of the second look, relative */
	double p;         /* adjusted for all suspects */
};

/* A counter that goes along with the metric, for figures and tables. */
struct ifr_overlay {
	size_t counter;
	double r;        /* correlation with the metric over the layouts */
	double *medians; /* [layouts of the sweep] by layout number - 1; NaN for none */
};

struct ifr_sweep_findings {
	struct ifr_sweeps sweeps;
	struct ifr_sweep_side side[IFR_SWEEPS_MAX];
	unsigned layouts;                /* of the sweep, measured or not */
	unsigned measured;               /* cells that are not NULL */
	const struct ifr_layout **cells; /* [layouts] by layout number - 1; NULL: refused or not measured */
	struct ifr_suspect suspects[8];  /* of a second look, which runs them again beside their neighbours */
	size_t suspect_count;
	unsigned runs_again; /* repetitions of the second look that took place */
	bool spikes_tested;
	struct ifr_error no_spikes;
	double least_p;           /* the smallest adjusted p of a value; 1 where none was tested */
	struct ifr_spike *spikes; /* in the order of layouts */
	size_t spike_count;
	struct ifr_overlay overlays[IFR_SWEEP_OVERLAYS]; /* those that go along most closely, first */
	size_t overlay_count;
};

#endif
