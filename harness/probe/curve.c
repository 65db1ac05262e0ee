/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/curve.h"

#include <math.h>

#include "harness/statistics/statistics.h"

#define NEAR 0.35
enum { VALUES_LEAST = 5, SIDE_LEAST = 2 };

struct probe_estimate probe_estimate_median(const double *values, size_t count) {
	struct probe_estimate estimate = {0};
	struct ifr_interval interval;
	if (count < VALUES_LEAST || ifr_sample_median(values, count, &estimate.value, NULL) ||
	    ifr_median_interval(values, count, 0.99, &interval, NULL))
		return (struct probe_estimate){0};
	estimate.low = interval.low;
	estimate.high = interval.high;
	estimate.told = true;
	return estimate;
}

bool probe_curve_edge(const struct probe_point *points, size_t last, struct probe_border border, size_t *edge) {
	size_t inside = 0;
	while (inside <= last && points[inside].y.told && points[inside].y.high < border.inside)
		inside++;
	if (inside < SIDE_LEAST || last + 1 < inside + SIDE_LEAST)
		return false;
	for (size_t i = inside; i <= last; i++)
		if (!points[i].y.told || points[i].y.low <= border.outside)
			return false;
	*edge = inside - 1;
	return true;
}

void probe_widen(struct probe_estimate *all, const struct probe_estimate *other) {
	all->low = other->low < all->low ? other->low : all->low;
	all->high = other->high > all->high ? other->high : all->high;
}

void probe_curve_smooth(struct probe_point *points, size_t count) {
	struct probe_estimate before = count ? points[0].y : (struct probe_estimate){0};
	for (size_t i = 1; i + 1 < count; i++) {
		const struct probe_estimate *all[] = {&before, &points[i].y, &points[i + 1].y};
		size_t middle = 0;
		for (size_t j = 0; j < 3; j++) {
			unsigned less = 0;
			for (size_t k = 0; k < 3; k++)
				less += all[k]->value < all[j]->value || (k < j && !(all[k]->value > all[j]->value));
			if (less == 1)
				middle = j;
		}
		const struct probe_estimate smooth = *all[middle];
		before = points[i].y;
		points[i].y = smooth;
	}
}

/* The mean of three points; their whole range, with the intervals, becomes `range`. */
static double mean_of_three(const struct probe_point *points, double *range) {
	double sum = 0, low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < 3; i++) {
		sum += points[i].y.told ? points[i].y.value : NAN;
		low = fmin(low, points[i].y.low);
		high = fmax(high, points[i].y.high);
	}
	*range = high - low;
	return sum / 3;
}

bool probe_curve_middle(const struct probe_point *points, size_t count, size_t *below, size_t *above) {
	double first_range, last_range;
	if (count < 8)
		return false;
	const double first = mean_of_three(points, &first_range),
				 last = mean_of_three(points + count - 3, &last_range), middle = (first + last) / 2;
	if (!(last_range <= last / 10) || !(first < middle))
		return false;
	size_t under = 0, over = count;
	while (under < count && points[under].y.told && points[under].y.high < middle)
		under++;
	while (over > under && points[over - 1].y.told && points[over - 1].y.low > middle)
		over--;
	if (under == 0 || over == count || over > under + 1)
		return false;
	*below = under - 1;
	*above = over;
	return true;
}

int probe_curve_side(const struct probe_point *points, size_t count, double x, struct probe_border border) {
	size_t behind = 0, inside = 0, outside = 0;
	for (size_t i = 0; i < count; i++) {
		if (points[i].x < x)
			continue;
		behind++;
		inside += points[i].y.told && points[i].y.high < border.inside;
		outside += points[i].y.told && points[i].y.low > border.outside;
	}
	return !behind ? -1 : inside == behind ? 1 : outside == behind ? 0 : -1;
}

struct probe_border probe_curve_border(const struct probe_point *points, size_t count, double inside,
                                       double outside) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += points[i].y.value;
	return (struct probe_border){sum / (double)count * inside, sum / (double)count * outside};
}

bool probe_estimate_whole(const struct probe_estimate *estimate, double widest, double *whole) {
	*whole = round(estimate->value);
	return estimate->told && estimate->high - estimate->low < widest && estimate->low > *whole - NEAR &&
	       estimate->high < *whole + NEAR;
}
