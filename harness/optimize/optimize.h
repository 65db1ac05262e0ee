/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for a fast layout of a program, on this machine and by its clock.
 *
 *     hot_code.h        what recordings executed
 *     features.h        exact features of a layout, without a run
 *     function_order.h  orders of hot functions by counts
 *     ext_tsp.h         one of them, by the distance of calls
 *     surrogate.h       times that features lead to expect
 *     candidates.h      layouts to try
 *     local_moves.h     layouts beside a given one
 *     blamed_moves.h    those that the attribution of the random layouts proposes
 *     stages.h          campaigns of the search, each an experiment in its folder
 *     shrinkage.h       a confirmed gain beside those of random layouts
 *     worst_case.h      the worst case of a layout over contexts
 *     small_edit.h      a small edit of the source, which a gain is to survive
 *     pins.h            the result as files that builds take
 *     place.h           places for single functions, by the model alone
 *     shared_entries.h  branches that share entries, blocks across windows
 *     upkeep.h          checks and repairs of a pinned layout after edits; stable layouts
 *
 * search.h has the steps: recording, surrogate, rounds, other axes, finalists, confirmation, robustness; one file each.
 *
 * Random layouts are measured first. A ridge regression of their times on their features, the surrogate, learns which
 * features matter on this machine, and predicts thousands of further layouts, of which the promising ones are measured;
 * then it is fitted again. The finalists are measured with more runs, or in several contexts as the goal asks. The best
 * of them is compared with the shipped layout in runs of their own: the gain that is reported comes from these alone. */
#ifndef IFR_HARNESS_OPTIMIZE_H
#define IFR_HARNESS_OPTIMIZE_H

#include "harness/analysis/analysis.h"
#include "harness/campaign/campaign.h"
#include "harness/optimize/place.h"

/* A use of the program that the layout is to be fast for. */
struct ifr_optimization_workload {
	const char *name;  /* of a suite's line; NULL: the only one */
	double weight;     /* in the mean of the logarithms of time ratios; all together 1 */
	char *const *argv; /* argv[0] as the user wrote it */
};

/* The goal of a search: the least mean; the least worst case over contexts and workloads; or a mean that also holds in
 * other contexts and after a small edit. Kinds of processors count as workloads do, where a cluster has several. */
enum ifr_goal { IFR_GOAL_MEAN, IFR_GOAL_WORST, IFR_GOAL_ROBUST };
extern const char *const ifr_goal_names[]; /* by enum ifr_goal: mean, worst, robust; NULL ends */

struct ifr_optimization {
	struct ifr_campaign
		campaign; /* of the random layouts: one program with a kit; its file is the folder of the search,
	                                 its budget that of all stages; its argv that of the first workload */
	const struct ifr_optimization_workload *workloads;
	size_t workload_count; /* 1 or more */
	unsigned axes;         /* tried on the best layout, one at a time, as far as the kit allows */
	unsigned candidates;   /* random layouts whose features are computed, beyond the measured ones */
	unsigned rounds, each; /* rounds of further layouts, and how many each measures */
	enum ifr_goal goal;
	unsigned
		contexts; /* in which the best layout is confirmed: stack positions; with another goal than the mean heap
	                          placements, too */
	const struct ifr_strings
		*held_out; /* arguments of further runs that confirm only, as a shell writes them; or NULL */
	const struct ifr_strings *machines; /* described machines that replay the best layout, too; or NULL */
	const struct ifr_machine *model;    /* whose modelled cycles are a feature, too; or NULL */
	void (*announce)(const char *step); /* called before each stage; may be NULL */
};

enum { IFR_OPTIMUM_FEATURES = 5 };

/* That comparison on one kind of processors. */
struct ifr_confirmed_kind {
	char *processor;
	double ratio;
	struct ifr_interval interval;
	bool faster, slower; /* as below */
};

/* The shipped layout against the best one. */
struct ifr_confirmed {
	char *name;                       /* of a suite's workload; NULL: the only one, or held-out runs */
	double weight;                    /* of the workload; 0: of held-out runs */
	char *arguments;                  /* of held-out runs; NULL: a workload's */
	char *metric;                     /* the counter's name */
	size_t runs;                      /* of each side, on average */
	int64_t run_ns;                   /* the median duration of the shipped one's; 0: not known */
	struct ifr_comparison comparison; /* side is not set */
	bool faster, slower;              /* a change, and its whole interval is below 1, or above */
	struct ifr_confirmed_kind *kinds; /* [kind_count]; none where one kind of processors ran all */
	size_t kind_count;
};

/* The worst context of the best layout against the shipped layout's, in the workload and on the kind of processors where
 * this is worst. */
struct ifr_worst_case {
	double ratio;
	struct ifr_interval interval; /* over the contexts that were measured; infinite without repeats */
	size_t workload, contexts;    /* contexts: of each workload; 0: not measured */
	size_t processors;            /* kinds that ran them */
	const char *processor;        /* the kind where it is worst; NULL: one kind ran all */
	double
		covered; /* with 95 % confidence, so large a share of all contexts is no worse than the worst one measured */
	bool better; /* its interval lies below 1 */
};

/* A confirmed ratio, drawn towards those of random layouts by its noise. */
struct ifr_shrunk_gain {
	bool known; /* false: fewer than three random layouts with two runs, or no interval */
	double ratio;
	struct ifr_interval interval;
	double kept; /* 0 … 1: the part of the distance to the centre that is kept */
	double centre,
		spread; /* of random layouts: the geometric mean of their ratios, and the standard deviation of the
	                          ratios' logarithms beyond noise */
	size_t layouts;
};

/* The best layout against the shipped one in a situation that the search has not seen. */
struct ifr_survival {
	char *what;    /* the edit, or the machine; may be NULL where skipped */
	char *skipped; /* why there is no answer; NULL: there is one */
	double ratio;  /* the weighted geometric mean over the workloads */
	struct ifr_interval interval;
	bool faster, slower;
};

/* The outcome of a search; times are relative to the shipped layout's. */
struct ifr_optimum {
	unsigned axes_tried;                  /* of the request's */
	size_t predicted, measured, modelled; /* layouts; modelled: replayed on the machine of the search */
	size_t runs; /* by which the search chose: those before the confirmation, without twins */
	double r;    /* of measured times and what the surrogate predicts for each from the others */
	struct {
		char *name;
		double effect;                      /* of a standard deviation more, on the logarithm of the time */
	} feature[IFR_OPTIMUM_FEATURES];        /* the strongest first; name NULL behind the last */
	double fastest_random;                  /* the least ratio among the random layouts, as measured */
	double best;                            /* of the layout that is confirmed, as measured in the search */
	const char *origin;                     /* how it was made: as candidate_origin_names has it */
	struct ifr_confirmed *confirmed;        /* [confirmed_count]: the workloads first, then held-out arguments */
	size_t confirmed_count, workload_count; /* confirmed_count below workload_count: interrupted before */
	double ratio;                           /* the weighted geometric mean over the workloads */
	struct ifr_interval interval;
	bool faster, slower; /* in that mean */
	struct ifr_shrunk_gain shrunk;
	bool again_tried, edit_tried;
	enum ifr_goal goal;
	struct ifr_worst_case worst; /* of the confirmation's contexts */
	char *worst_processor;       /* its name */
	struct ifr_survival again;   /* of a layout that was faster: a second confirmation in other contexts */
	/* Of a layout that is faster, or better in the worst case: */
	struct ifr_survival edit;      /* a small edit of the source */
	struct ifr_survival *machines; /* [machine_count]: modelled cycles */
	size_t machine_count;
	bool found;                                   /* a layout that is better by the goal */
	char *plan_file, *order_file, *sections_file; /* the pinned layout; NULL where none is found */
	bool interrupted;
	struct ifr_strings skipped; /* stages that the budget had no time for */
};

/* Searches. Repeating it continues what was interrupted. Errors: those of recordings and campaigns; IFR_E_USAGE for a
 * program without a kit, for axes that no relinker moves, and for a budget too short. */
int ifr_optimize(const struct ifr_optimization *search, struct ifr_optimum *optimum, struct ifr_error *err);
void ifr_optimum_release(struct ifr_optimum *optimum);

/* Appends the outcome as text, and as JSON. */
void ifr_optimum_text(const struct ifr_optimum *optimum, const char *program, struct ifr_buffer *out);
void ifr_optimum_json(const struct ifr_optimum *optimum, const char *program, struct ifr_buffer *out);

#include "harness/optimize/upkeep.h"

#endif
