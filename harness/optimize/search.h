/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a search, and its steps in their order. Private to this room. */
#ifndef IFR_HARNESS_OPTIMIZE_SEARCH_H
#define IFR_HARNESS_OPTIMIZE_SEARCH_H

#include "harness/optimize/stages.h"

struct search {
	struct stages stages;
	struct hot_code code;
	struct trial *trials; /* measured layouts, the shipped one among them */
	size_t count;
	double (*drawn)[FEATURES_MOST]; /* the features of random layouts that rounds predicted, in their order */
	unsigned drawn_count;
	struct ifr_ridge surrogate;
	bool fitted;
	struct ifr_optimum *optimum;
};

/* Records the program, if its recording is not there yet, and reads the hot code. Errors: those of recordings. */
int search_read_code(struct search *search, struct ifr_error *err);

/* Fits the surrogate to all measured layouts. Errors: those of ifr_ridge_fit. */
int search_fit(struct search *search, struct ifr_error *err);
/* The mean of a layout's measured time and of the surrogate's expectation: noise is drawn towards what features tell. */
double search_shrunk_time(const struct search *search, const struct trial *trial);
/* Names the features by the size of their effect. */
void search_name_features(struct search *search);

/* Predicts layouts, and measures the promising ones. */
int search_run_round(struct search *search, unsigned round, struct ifr_error *err);

/* Measures the finalists, confirms the best of them, and pins it where it is faster. */
int search_run_final(struct search *search, struct ifr_error *err);

#endif
