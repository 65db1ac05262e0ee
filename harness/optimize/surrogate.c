/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/search.h"

/* --- the regression ---------------------------------------------------------------------------------------------- */

static size_t choose_columns(const struct hot_code *code, bool offsets, bool modelled, size_t *column) {
	const size_t plain = offsets ? features_count(code) : features_count_counts(code);
	size_t count = 0;
	while (count < plain) {
		column[count] = count;
		count++;
	}
	if (modelled)
		column[count++] = features_count(code);
	return count;
}

static int fit_set(const struct hot_code *code, const double (*rows)[FEATURES_MOST], const double *y, size_t count,
                   bool offsets, bool modelled, struct surrogate *s, struct ifr_error *err) {
	const size_t columns = choose_columns(code, offsets, modelled, s->column);
	double *x = ifr_alloc((count * columns + 1) * sizeof *x);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < columns; j++)
			x[i * columns + j] = rows[i][s->column[j]];
	s->modelled = modelled;
	const int result = ifr_ridge_fit(x, y, count, columns, &s->ridge, err);
	free(x);
	return result;
}

static double left_out_error(const struct surrogate *s, const double *y, size_t count) {
	double squares = 0;
	for (size_t i = 0; i < count && s->ridge.left_out; i++)
		squares += pow(y[i] - s->ridge.left_out[i], 2);
	return squares;
}

int surrogate_fit(const struct hot_code *code, const double (*rows)[FEATURES_MOST], const double *y, size_t count,
                  bool modelled, struct surrogate *surrogate, struct ifr_error *err) {
	enum { SETS = 4 };
	int result = fit_set(code, rows, y, count, false, false, surrogate, err);
	for (unsigned set = 1; set < SETS && !result; set++) {
		struct surrogate other;
		if ((set & 2) && !modelled)
			break;
		result = fit_set(code, rows, y, count, set & 1, set & 2, &other, err);
		if (!result && left_out_error(&other, y, count) < left_out_error(surrogate, y, count)) {
			const struct surrogate worse = *surrogate;
			*surrogate = other;
			other = worse;
		}
		if (!result)
			surrogate_release(&other);
	}
	return result;
}

double surrogate_predict(const struct surrogate *surrogate, const double *features, double *se) {
	double x[FEATURES_MOST];
	for (size_t j = 0; j < surrogate->ridge.predictors; j++)
		x[j] = features[surrogate->column[j]];
	return ifr_ridge_predict(&surrogate->ridge, x, se);
}

void surrogate_release(struct surrogate *surrogate) {
	ifr_ridge_release(&surrogate->ridge);
	*surrogate = (struct surrogate){.modelled = false};
}

/* --- of a search ------------------------------------------------------------------------------------------------- */

static void tell_correlation(struct search *search, const double *y, size_t count) {
	struct ifr_correlation correlation = {.r = NAN};
	if (ifr_correlation_pearson(search->surrogate.ridge.left_out, y, count, 0.95, &correlation, NULL))
		correlation.r = NAN;
	search->optimum->r = correlation.r;
}

int search_fit(struct search *search, bool modelled, struct ifr_error *err) {
	double(*rows)[FEATURES_MOST] = ifr_alloc((search->count + 1) * sizeof *rows),
	*y = ifr_alloc((search->count + 1) * sizeof *y);
	size_t count = 0;
	for (size_t i = 0; i < search->count; i++) {
		const struct trial *trial = &search->trials[i];
		if (!isfinite(trial->time) || trial->candidate.inexact)
			continue;
		memcpy(rows[count], trial->candidate.features, sizeof *rows);
		modelled &= isfinite(rows[count][features_count(&search->code)]);
		y[count++] = trial->time;
	}
	if (search->fitted)
		surrogate_release(&search->surrogate);
	const int result = surrogate_fit(&search->code, (const double(*)[FEATURES_MOST])rows, y, count, modelled,
	                                 &search->surrogate, err);
	search->fitted = !result;
	search->stages.source.surrogate = search->fitted ? &search->surrogate : NULL;
	if (!result)
		tell_correlation(search, y, count);
	free(rows);
	free(y);
	return result;
}

double search_shrunk_time(const struct search *search, const struct trial *trial) {
	return (trial->time + surrogate_predict(&search->surrogate, trial->candidate.features, NULL)) / 2;
}

void search_name_features(struct search *search) {
	const struct ifr_ridge *ridge = &search->surrogate.ridge;
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
		features_name(&search->code, search->surrogate.column[best], &name);
		search->optimum->feature[n].name = ifr_buffer_detach(&name);
		search->optimum->feature[n].effect = ridge->coefficient[best];
	}
}
