/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a search, and its steps in their order. Private to this room. */
#ifndef IFR_HARNESS_OPTIMIZE_SEARCH_H
#define IFR_HARNESS_OPTIMIZE_SEARCH_H

#include "harness/optimize/blamed_moves.h"
#include "harness/optimize/stages.h"
#include "harness/optimize/worst_case.h"

struct search {
	struct stages stages;
	struct hot_code code;
	struct trial *trials;           /* measured layouts, the shipped one among them */
	size_t count, learned;          /* learned: the first of them, random ones that nothing chose */
	double (*drawn)[FEATURES_MOST]; /* features of random layouts that rounds predicted, in order */
	unsigned drawn_count;
	struct surrogate surrogate;
	bool fitted;
	struct blamed blamed; /* functions that explain the random layouts' times */
	struct ifr_optimum *optimum;
};

/* Checks the request, opens its kit, and begins an empty optimum. The caller closes the search, after an error too.
 * Errors: IFR_E_USAGE for requests that cannot be searched; those of ifr_builder_open. */
int search_open(struct search *search, const struct ifr_optimization *plan, struct ifr_optimum *optimum,
                struct ifr_error *err);
void search_close(struct search *search);

/* Records the program in each workload, if its recording is not there yet, and reads the hot code of all. Errors: as of
 * ifr_recording_make and hot_code_read. */
int search_read_code(struct search *search, struct ifr_error *err);

/* Attributes the random layouts' times to functions, in each workload. Errors: those of blamed_add. */
int search_attribute(struct search *search, struct ifr_error *err);

/* Fits the surrogate to all measured layouts. modelled: with modelled cycles, if all have them. Errors: those of
 * ifr_ridge_fit. */
int search_fit(struct search *search, bool modelled, struct ifr_error *err);
/* Replays layouts on the machine of the search and stores the logarithm of their cycles among their features; those that
 * have it are skipped. Where the time of the round does not suffice, none gets it. Errors: those of replays. */
int search_model_candidates(struct search *search, struct candidate *candidates, size_t count,
                            struct ifr_error *err);
/* Does so for all measured layouts. */
int search_model_trials(struct search *search, struct ifr_error *err);
/* The mean of a layout's measured time and of the surrogate's expectation: noise is drawn towards what features tell. */
double search_shrunk_time(const struct search *search, const struct trial *trial);
/* Names the features by the size of their effect. */
void search_name_features(struct search *search);

/* Lists the measured layouts with the least shrunk times, the least first, so many at most; without the shipped one. A
 * quarter may be inexact: these differ from one layout alone, and would fill the list. Returns their number. */
size_t search_best_trials(const struct search *search, size_t most, const struct trial **best);
/* Takes measured layouts over. */
void search_add_trials(struct search *search, const struct trial *trials, size_t count);

/* Predicts layouts, and measures the promising ones. */
int search_run_round(struct search *search, unsigned round, struct ifr_error *err);

/* Lists the symbols of hot functions by which a plan can name them, the most executed first. Returns their number. */
size_t search_list_symbols(const struct hot_code *code, const char **symbols, size_t most);
/* Measures the best layout with loops of hot functions aligned, where the kit has templates. */
int search_align_loops(struct search *search, struct ifr_error *err);
/* Measures the best layout with one more axis at a time: those of the request that the kit allows. */
int search_try_axes(struct search *search, struct ifr_error *err);

/* The weighted geometric mean of confirmed ratios. */
struct weighted_ratio {
	double ratio;
	struct ifr_interval interval;
	bool faster, slower; /* by its interval, and by the verdict of one ratio at least */
};
/* confirmed: of independent runs, with weights that are together 1. Ref: Zou and Donner 2008 (the interval). */
struct weighted_ratio confirmed_mean(const struct ifr_confirmed *confirmed, size_t count);

/* Compares a program of a dataset with program 0, the shipped layout. Errors: those of ifr_comparison_make. */
int search_compare_sides(const struct stages *stages, const struct ifr_dataset *dataset, unsigned side,
                         struct ifr_comparison *comparison, struct ifr_error *err);
/* Runs two layouts in contexts and compares them, and on each kind of processors by itself. Adds the contexts of the
 * request's workload of that number to table, which may be NULL. The caller frees the metric's name and the kinds,
 * after an error too. */
int search_compare_in_contexts(struct stages *stages, const struct contexts_request *request, size_t workload,
                               struct ifr_confirmed *confirmed, struct context_table *table,
                               struct ifr_error *err);
void confirmed_release_kinds(struct ifr_confirmed *confirmed);

/* Compares a layout with the shipped one in each workload, then with held-out arguments, and fills the optimum. Errors:
 * as of campaigns and comparisons; IFR_E_USAGE for arguments that are no words. */
int search_confirm(struct search *search, const struct trial *best, struct ifr_error *err);

/* Compares a layout that is faster with the shipped one once more, in other contexts, and takes it back where that does
 * not show the gain. Errors: IFR_E_ENVIRONMENT if interrupted. */
int search_confirm_again(struct search *search, const struct candidate *best, struct ifr_error *err);

/* Shrinks the confirmed ratio, of both confirmations where there are two. */
void search_shrink_gain(struct search *search);

/* Tries a confirmed layout after a small edit and on described machines. What cannot be tried is skipped, with a reason.
 * Errors: IFR_E_ENVIRONMENT if interrupted. */
int search_try_robustness(struct search *search, const struct candidate *best, struct ifr_error *err);

/* Measures the finalists, confirms the best of them, and pins it where it is faster. */
int search_run_final(struct search *search, struct ifr_error *err);

#endif
