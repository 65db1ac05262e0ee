/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analysis of variance and trend of a response by classes. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"
#include "harness/statistics/regression.h"

/* Size and mean of a class. */
struct class_sums {
	double n, mean;
};

static void test_trend(const double *response, const unsigned *class_of, size_t count, struct ifr_classes *c) {
	double *score = ifr_alloc(count * sizeof *score);
	for (size_t i = 0; i < count; i++)
		score[i] = class_of[i];
	struct ifr_regression_line line;
	c->trend_p = 1;
	if (!ifr_regression_line_fit(score, response, count, &line, NULL)) {
		c->trend = line.slope;
		/* Armitage's chi-square: count times the squared correlation. */
		c->trend_p = gsl_cdf_chisq_Q((double)count * line.r2, 1);
	}
	free(score);
}

static void compare_means(const struct class_sums *sums, size_t class_count, double grand, struct ifr_classes *c,
                          double *between) {
	bool first = true;
	for (size_t k = 0; k < class_count; k++) {
		if (!(sums[k].n > 0))
			continue;
		*between += sums[k].n * (sums[k].mean - grand) * (sums[k].mean - grand);
		c->classes++;
		if (first || sums[k].mean < sums[c->lowest].mean)
			c->lowest = k;
		if (first || sums[k].mean > sums[c->highest].mean)
			c->highest = k;
		first = false;
	}
	c->difference = sums[c->highest].mean - sums[c->lowest].mean;
}

static int check_classes(const unsigned *class_of, size_t count, size_t class_count, struct ifr_error *err) {
	for (size_t i = 0; i < count; i++)
		if (class_of[i] >= class_count)
			return ifr_fail(err, IFR_E_USAGE, "value %zu is of class %u of %zu", i + 1, class_of[i], class_count);
	return 0;
}

int ifr_classes_test(const double *response, const unsigned *class_of, size_t count, size_t class_count,
                     struct ifr_classes *classes, struct ifr_error *err) {
	int result = ifr_values_check(response, count, 3, err);
	if (!result)
		result = check_classes(class_of, count, class_count, err);
	if (result)
		return result;
	struct class_sums *sums = ifr_alloc((class_count + 1) * sizeof *sums);
	struct ifr_classes c = {0};
	double grand = gsl_stats_mean(response, 1, count), between = 0, within = 0;
	for (size_t i = 0; i < count; i++)
		sums[class_of[i]].n++;
	for (size_t i = 0; i < count; i++)
		sums[class_of[i]].mean += response[i] / sums[class_of[i]].n;
	compare_means(sums, class_count, grand, &c, &between);
	for (size_t i = 0; i < count; i++)
		within += (response[i] - sums[class_of[i]].mean) * (response[i] - sums[class_of[i]].mean);
	free(sums);
	c.df_between = (double)c.classes - 1;
	c.df_within = (double)count - (double)c.classes;
	if (c.classes < 2 || c.df_within < 1)
		return ifr_fail(err, IFR_E_USAGE, "%zu values in %zu classes: there is nothing to compare", count,
		                c.classes);
	double noise = within / c.df_within;
	c.f = noise > 0 ? between / c.df_between / noise : 0;
	c.p = noise > 0 ? gsl_cdf_fdist_Q(c.f, c.df_between, c.df_within) : between > 0 ? 0 : 1;
	double omega = between + within > 0 ? (between - c.df_between * noise) / (between + within + noise) : 0;
	c.share = fmax(0, omega);
	test_trend(response, class_of, count, &c);
	*classes = c;
	return 0;
}
