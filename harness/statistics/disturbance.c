/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/disturbance.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"

static const double serial_level = 0.01, distinct_level = 1e-4, outstanding_most = 2, deviations_most = 3;

/* What is worked on. level: of each group, above the centre of all. */
struct work {
	const struct ifr_series *series;
	double *level, *rest, *base, *scratch;
	size_t *start, *member; /* the runs of group g: member[start[g] … start[g + 1] - 1] */
};

static double median_in_place(double *values, size_t count) {
	return gsl_stats_median(values, 1, count);
}

static double median_of(const struct work *w, const double *values) {
	memcpy(w->scratch, values, w->series->count * sizeof *values);
	return median_in_place(w->scratch, w->series->count);
}

static void sort_members(struct work *w) {
	const struct ifr_series *s = w->series;
	for (size_t i = 0; i < s->count; i++)
		w->start[s->group[i] + 1]++;
	for (size_t g = 0; g < s->groups; g++)
		w->start[g + 1] += w->start[g];
	size_t *next = ifr_alloc(s->groups * sizeof *next);
	memcpy(next, w->start, s->groups * sizeof *next);
	for (size_t i = 0; i < s->count; i++)
		w->member[next[s->group[i]]++] = i;
	free(next);
}

/* Groups' medians about the median of all. */
static void find_levels(struct work *w, const double *values) {
	double centre = median_of(w, values);
	for (size_t g = 0; g < w->series->groups; g++) {
		size_t count = w->start[g + 1] - w->start[g];
		for (size_t i = 0; i < count; i++)
			w->scratch[i] = values[w->member[w->start[g] + i]];
		w->level[g] = count ? median_in_place(w->scratch, count) - centre : 0;
	}
}

/* The running median of rest; at the ends over the runs that there are. */
static void find_base(struct work *w) {
	size_t n = w->series->count, half = IFR_DETREND_WINDOW / 2;
	for (size_t i = 0; i < n; i++) {
		double window[IFR_DETREND_WINDOW];
		size_t from = i < half ? 0 : i - half, to = i + half < n ? i + half : n - 1, count = 0;
		for (size_t j = from; j <= to; j++) {
			size_t at = count++;
			for (; at > 0 && window[at - 1] > w->rest[j]; at--)
				window[at] = window[at - 1];
			window[at] = w->rest[j];
		}
		w->base[i] = count % 2 ? window[count / 2] : (window[count / 2 - 1] + window[count / 2]) / 2;
	}
}

/* Robust standard deviation of values about the levels. */
static double noise_of(struct work *w, const double *values, double centre) {
	size_t n = w->series->count;
	for (size_t i = 0; i < n; i++)
		w->scratch[i] = fabs(values[i] - centre - w->level[w->series->group[i]]);
	return 1.4826 * median_in_place(w->scratch, n);
}

/* Probability that layouts without any difference differ as much as these values do. */
static double distinct_p(const struct work *w, const double *values) {
	const struct ifr_series *s = w->series;
	double *sorted = ifr_alloc(s->count * sizeof *sorted), p = 1;
	struct ifr_group *groups = ifr_alloc(s->groups * sizeof *groups);
	struct ifr_components c;
	for (size_t i = 0; i < s->count; i++)
		sorted[i] = values[w->member[i]];
	for (size_t g = 0; g < s->groups; g++)
		groups[g] = (struct ifr_group){sorted + w->start[g], w->start[g + 1] - w->start[g]};
	if (!ifr_components_estimate(groups, s->groups, 0.95, &c, NULL) && c.testable)
		p = c.p;
	free(groups);
	free(sorted);
	return p;
}

struct entry {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b) {
	double x = ((const struct entry *)a)->value, y = ((const struct entry *)b)->value;
	return (x > y) - (x < y);
}

/* Ranks from 0; those of equal values are their mean. Values and places are sorted together: an order of indices
 * alone (gsl_sort_index) looks all over a million values. */
static void find_ranks(const double *values, size_t n, double *rank) {
	struct entry *entries = ifr_alloc(n * sizeof *entries);
	for (size_t i = 0; i < n; i++)
		entries[i] = (struct entry){values[i], i};
	qsort(entries, n, sizeof *entries, by_value);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && entries[j].value == entries[i].value; j++)
			;
		for (size_t k = i; k < j; k++)
			rank[entries[k].at] = ((double)(i + j) - 1) / 2;
	}
	free(entries);
}

/* Bartels's rank form of von Neumann's ratio, by its normal approximation; small ratios are neighbours alike. */
static double serial_p(const struct work *w) {
	size_t n = w->series->count;
	double *rank = w->scratch, count = (double)n, differences = 0, squares = 0;
	find_ranks(w->rest, n, rank);
	for (size_t i = 0; i < n; i++) {
		double off = rank[i] - (count - 1) / 2;
		squares += off * off;
		if (i)
			differences += (rank[i] - rank[i - 1]) * (rank[i] - rank[i - 1]);
	}
	if (!(squares > 0))
		return 1;
	double variance = 4 * (count - 2) * (5 * count * count - 2 * count - 9) /
	                  (5 * count * (count + 1) * (count - 1) * (count - 1));
	return gsl_cdf_ugaussian_P((differences / squares - 2) / sqrt(variance));
}

static void take_off(struct work *w, double centre, double *detrended) {
	const struct ifr_series *s = w->series;
	for (size_t i = 0; i < s->count; i++)
		w->rest[i] = s->values[i] - centre - w->level[s->group[i]];
	find_base(w);
	for (size_t i = 0; i < s->count; i++)
		detrended[i] = s->values[i] - w->base[i];
}

static void pull(struct work *w, double centre, const double *detrended, double *winsorised,
                 struct ifr_disturbances *bursts) {
	const struct ifr_series *s = w->series;
	bursts->noise_sd = noise_of(w, detrended, centre);
	bursts->moved = bursts->winsorised = 0;
	double reach = deviations_most * bursts->noise_sd;
	for (size_t i = 0; i < s->count; i++) {
		double level = centre + w->level[s->group[i]];
		bool off = fabs(detrended[i] - level) > reach;
		bursts->winsorised += off;
		bursts->moved +=
			fabs(s->values[i] - level) > reach && fabs(detrended[i] - level) < fabs(s->values[i] - level);
		winsorised[i] = off ? level + copysign(reach, detrended[i] - level) : detrended[i];
	}
}

/* Whether the running median ever leaves the noise: half a window in a row is high, or low. */
static bool stands_out(struct work *w, double centre) {
	double noise = noise_of(w, w->series->values, centre);
	for (size_t i = 0; i < w->series->count; i++)
		if (fabs(w->base[i]) > outstanding_most * noise)
			return true;
	return false;
}

static void adjust(struct work *w, double *detrended, double *winsorised, struct ifr_disturbances *bursts) {
	const struct ifr_series *s = w->series;
	double centre = median_of(w, s->values);
	find_levels(w, s->values);
	for (size_t i = 0; i < s->count; i++)
		w->rest[i] = s->values[i] - w->level[s->group[i]];
	bursts->serial_p = serial_p(w);
	memset(w->level, 0, s->groups * sizeof *w->level);
	take_off(w, centre, detrended);
	bursts->found = bursts->serial_p < serial_level || stands_out(w, centre);
	if (!bursts->found) {
		memcpy(detrended, s->values, s->count * sizeof *detrended);
		return;
	}
	pull(w, centre, detrended, winsorised, bursts);
	if (distinct_p(w, winsorised) >= distinct_level)
		return;
	/* Layouts differ beyond doubt: without their levels the base is nearer to the machine's. */
	find_levels(w, detrended);
	take_off(w, centre, detrended);
	pull(w, centre, detrended, winsorised, bursts);
}

static int check(const struct ifr_series *s, struct ifr_error *err) {
	for (size_t i = 0; i < s->count; i++)
		if (s->group[i] >= s->groups)
			return ifr_fail(err, IFR_E_USAGE, "run %zu is of layout %u of %zu", i + 1, s->group[i], s->groups);
	return ifr_values_check(s->values, s->count, 1, err);
}

int ifr_series_detrend(const struct ifr_series *series, double *detrended, double *winsorised,
                       struct ifr_disturbances *bursts, struct ifr_error *err) {
	int result = check(series, err);
	if (result)
		return result;
	size_t n = series->count;
	*bursts = (struct ifr_disturbances){.serial_p = 1};
	memcpy(detrended, series->values, n * sizeof *detrended);
	memcpy(winsorised, series->values, n * sizeof *winsorised);
	if (n < IFR_DETREND_RUNS_MIN)
		return 0;
	struct work w = {series,
	                 ifr_alloc(series->groups * sizeof *w.level),
	                 ifr_alloc(n * sizeof *w.rest),
	                 ifr_alloc(n * sizeof *w.base),
	                 ifr_alloc(n * sizeof *w.scratch),
	                 ifr_alloc((series->groups + 1) * sizeof *w.start),
	                 ifr_alloc(n * sizeof *w.member)};
	sort_members(&w);
	adjust(&w, detrended, winsorised, bursts);
	void *const all[] = {w.level, w.rest, w.base, w.scratch, w.start, w.member};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	return 0;
}
