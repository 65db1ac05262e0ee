/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/curve.h"

#include <math.h>

#include "harness/statistics/statistics.h"

#define NEAR 0.35
/* Of the first level's time: a point below that is in it, though the next ones are, too. */
#define FLAT 1.5
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

/* Of three estimates the one whose value is in the middle. */
static struct probe_estimate middle_of(const struct probe_estimate *const all[3]) {
	size_t middle = 0;
	for (size_t j = 0; j < 3; j++) {
		unsigned less = 0;
		for (size_t k = 0; k < 3; k++)
			less += all[k]->value < all[j]->value || (k < j && !(all[k]->value > all[j]->value));
		if (less == 1)
			middle = j;
	}
	return *all[middle];
}

void probe_curve_smooth(struct probe_point *points, size_t count) {
	struct probe_estimate before = count ? points[0].y : (struct probe_estimate){0};
	for (size_t i = 1; i + 1 < count; i++) {
		const struct probe_estimate *const all[] = {&before, &points[i].y, &points[i + 1].y};
		const struct probe_estimate smooth = middle_of(all);
		before = points[i].y;
		points[i].y = smooth;
	}
}

/* The middle one of the first three points: other work may have disturbed one of them. */
static struct probe_estimate first_level(const struct probe_point *points) {
	const struct probe_estimate *const all[] = {&points[0].y, &points[1].y, &points[2].y};
	return middle_of(all);
}

/* Whether a point is surely under the half of the way from the first level to the point `next`. */
static bool under_half(const struct probe_estimate *first, const struct probe_estimate *point,
                       const struct probe_estimate *next) {
	const double half = (first->low + next->low) / 2;
	return point->told && next->told && point->high < fmax(half, FLAT * first->value);
}

static bool over_half(const struct probe_estimate *first, const struct probe_estimate *point,
                      const struct probe_estimate *next) {
	return point->told && next->told && point->low > (first->high + next->high) / 2;
}

bool probe_curve_middle(const struct probe_point *points, size_t count, size_t octave, size_t *below,
                        size_t *above) {
	if (count < octave + 3 + SIDE_LEAST)
		return false;
	const struct probe_estimate first = first_level(points);
	const size_t last = count - octave; /* points before it have one at twice their x */
	size_t over = 0, sure = 0;
	for (size_t i = 0; i < last && sure < SIDE_LEAST; i++) {
		sure = over_half(&first, &points[i].y, &points[i + octave].y) ? sure + 1 : 0;
		over = i + 1 - sure;
	}
	/* A smaller region that other work disturbed is under the half as well. */
	size_t under = over;
	while (under > 0 && !under_half(&first, &points[under - 1].y, &points[under - 1 + octave].y))
		under--;
	if (!first.told || sure < SIDE_LEAST || under == 0 || over >= under + SIDE_LEAST)
		return false;
	const double half_way = points[over + octave / 2].y.value, next = points[over + octave].y.value;
	if (next < 2 * first.value || next - half_way >= half_way - points[over].y.value)
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
