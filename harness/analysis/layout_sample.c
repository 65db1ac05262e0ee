/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/layout_sample.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t tie_seed = 1;

static void find_range(struct layout_sample *sample) {
	sample->lowest = UINT64_MAX;
	for (size_t i = 0; i < sample->count; i++)
		for (size_t unit = 0; unit < sample->addresses->unit_count; unit++) {
			uint64_t at = layout_sample_address(sample, i, unit);
			sample->lowest = at && at < sample->lowest ? at : sample->lowest;
			sample->highest = at > sample->highest ? at : sample->highest;
		}
}

void layout_sample_take(const struct ifr_analysis *analysis, const struct ifr_unit_addresses *addresses,
                        struct layout_sample *sample) {
	size_t room = analysis->layout_count + 1;
	*sample = (struct layout_sample){.addresses = addresses,
	                                 .variant = ifr_alloc(room * sizeof *sample->variant),
	                                 .response = ifr_alloc(room * sizeof *sample->response),
	                                 .score = ifr_alloc(room * sizeof *sample->score),
	                                 .used = ifr_alloc(room * sizeof *sample->used),
	                                 .used_score = ifr_alloc(room * sizeof *sample->used_score),
	                                 .class_of = ifr_alloc(room * sizeof *sample->class_of)};
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (&analysis->layouts[i] != analysis->shipped) {
			sample->variant[sample->count] = (size_t)(analysis->layouts[i].variant - analysis->dataset->variants);
			sample->response[sample->count++] = analysis->layouts[i].median;
		}
	ifr_normal_scores(sample->response, sample->count, tie_seed, sample->score);
	find_range(sample);
}

void layout_sample_release(struct layout_sample *sample) {
	free(sample->variant);
	free(sample->response);
	free(sample->score);
	free(sample->used);
	free(sample->used_score);
	free(sample->class_of);
	*sample = (struct layout_sample){0};
}

uint64_t layout_sample_address(const struct layout_sample *sample, size_t layout, size_t unit) {
	return sample->addresses->at[sample->variant[layout] * sample->addresses->unit_count + unit];
}

int layout_sample_test(const struct layout_sample *sample, size_t count, size_t classes,
                       struct ifr_finding *finding) {
	struct ifr_classes scores;
	int result = ifr_classes_test(sample->used, sample->class_of, count, classes, &finding->classes, NULL);
	if (!result)
		result = ifr_classes_test(sample->used_score, sample->class_of, count, classes, &scores, NULL);
	if (result)
		return result;
	finding->classes.f = scores.f;
	finding->classes.p = scores.p;
	return 0;
}

void layout_sample_contrast(const struct layout_sample *sample, size_t used, struct ifr_finding *f) {
	double mean[2] = {0}, count[2] = {0}, squares = 0;
	struct ifr_classes *c = &f->classes;
	for (size_t i = 0; i < used; i++)
		for (int end = 0; end < 2; end++)
			if (sample->class_of[i] == (end ? c->highest : c->lowest)) {
				count[end]++;
				mean[end] += sample->used[i];
			}
	for (int end = 0; end < 2; end++)
		mean[end] /= count[end];
	for (size_t i = 0; i < used; i++) {
		double own = 0, n = 0;
		for (size_t j = 0; j < used; j++)
			if (sample->class_of[j] == sample->class_of[i]) {
				own += sample->used[j];
				n++;
			}
		squares += (sample->used[i] - own / n) * (sample->used[i] - own / n);
	}
	double se = sqrt(squares / c->df_within * (1 / count[0] + 1 / count[1]));
	struct ifr_interval absolute =
		ifr_t_interval(c->difference, se, c->df_within, IFR_REPORT_CONFIDENCE, c->classes * (c->classes - 1) / 2);
	f->low_mean = mean[0];
	f->difference = (struct ifr_interval){absolute.low / mean[0], absolute.high / mean[0], absolute.confidence};
}
