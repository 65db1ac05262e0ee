/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The random layouts as a sample: responses, addresses of units, and classes of one address at a time. Private to
 * this folder. */
#ifndef IFR_HARNESS_LAYOUT_SAMPLE_H
#define IFR_HARNESS_LAYOUT_SAMPLE_H

#include "harness/analysis/attribution.h"
#include "harness/analysis/result.h"

enum { LAYOUTS_PER_CLASS = 3 }; /* at least */

struct layout_sample {
	const struct ifr_unit_addresses *addresses;
	size_t count, *variant;   /* [count] index in the dataset */
	double *response;         /* [count] the layouts' medians */
	double *score;            /* [count] their normal scores */
	uint64_t lowest, highest; /* addresses of units */
	unsigned *class_of;       /* [count] room for the classes of the layouts that a test uses */
	double *used;             /* [count] room for their responses */
	double *used_score;       /* [count] room for their scores */
};

/* The caller releases the sample. */
void layout_sample_take(const struct ifr_analysis *analysis, const struct ifr_unit_addresses *addresses,
                        struct layout_sample *sample);
void layout_sample_release(struct layout_sample *sample);

/* 0 where the address is unknown. */
uint64_t layout_sample_address(const struct layout_sample *sample, size_t layout, size_t unit);

/* Fills the finding's classes from class_of, used and used_score[count]: F and p of the scores, all else of the
 * responses. Scores make the test independent of the distribution of the responses: a few slow layouts that happen
 * to be in one class are no evidence. Errors: those of ifr_classes_test. */
int layout_sample_test(const struct layout_sample *sample, size_t count, size_t classes,
                       struct ifr_finding *finding);

/* Fills the finding's low_mean and difference from used and class_of[count]: the extreme classes, with an interval
 * that holds for all pairs of classes at once. */
void layout_sample_contrast(const struct layout_sample *sample, size_t count, struct ifr_finding *finding);

#endif
