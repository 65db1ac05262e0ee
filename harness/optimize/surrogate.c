/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/search.h"

int search_fit(struct search *search, struct ifr_error *err) {
	const size_t features = features_count(&search->code);
	double *x = ifr_alloc((search->count * features + 1) * sizeof *x),
		   *y = ifr_alloc((search->count + 1) * sizeof *y);
	size_t count = 0;
	for (size_t i = 0; i < search->count; i++)
		if (isfinite(search->trials[i].time)) {
			memcpy(x + count * features, search->trials[i].candidate.features, features * sizeof *x);
			y[count++] = search->trials[i].time;
		}
	if (search->fitted)
		ifr_ridge_release(&search->surrogate);
	int result = ifr_ridge_fit(x, y, count, features, &search->surrogate, err);
	search->fitted = !result;
	search->stages.source.surrogate = search->fitted ? &search->surrogate : NULL;
	struct ifr_correlation correlation = {.r = NAN};
	if (!result && ifr_correlation_pearson(search->surrogate.left_out, y, count, 0.95, &correlation, NULL))
		correlation.r = NAN;
	if (!result)
		search->optimum->r = correlation.r;
	free(x);
	free(y);
	return result;
}

double search_shrunk_time(const struct search *search, const struct trial *trial) {
	return (trial->time + ifr_ridge_predict(&search->surrogate, trial->candidate.features, NULL)) / 2;
}

void search_name_features(struct search *search) {
	const struct ifr_ridge *ridge = &search->surrogate;
	bool taken[FEATURES_MOST] = {false};
	for (int n = 0; n < IFR_OPTIMUM_FEATURES && search->fitted; n++) {
		size_t best = ridge->predictors;
		for (size_t i = 0; i < ridge->predictors; i++)
			if (!taken[i] && isfinite(ridge->scale[i]) &&
			    (best == ridge->predictors || fabs(ridge->coefficient[i]) > fabs(ridge->coefficient[best])))
				best = i;
		if (best == ridge->predictors)
			return;
		struct ifr_buffer name = {0};
		taken[best] = true;
		features_name(&search->code, best, &name);
		search->optimum->feature[n].name = ifr_buffer_detach(&name);
		search->optimum->feature[n].effect = ridge->coefficient[best];
	}
}
