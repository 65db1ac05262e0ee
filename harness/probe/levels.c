/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/levels.h"

#include <math.h>
#include <string.h>

enum {
	FLAT_LEAST = 3,
	SLOPE_MOST = 2,
	HALF = 4 /* counts from one to its half */,
	EDGES_MOST = PROBE_LEVEL_COUNTS
};

/* A flat part ends at a count, and another one, of more cycles, follows it. */
struct edge {
	size_t last;
	struct probe_estimate rise;
};

struct edges {
	struct edge all[EDGES_MOST];
	size_t count;
	struct probe_estimate first; /* cycles of the first flat part */
};

/* The flat part from a point on: values within a twentieth of its first. Returns the point behind it. */
static size_t flat_end(const struct probe_point *points, size_t first) {
	size_t i = first;
	while (i < PROBE_LEVEL_COUNTS && points[i].y.told &&
	       fabs(points[i].y.value - points[first].y.value) < points[first].y.value / 20)
		i++;
	return i;
}

/* The next point at which a flat part begins. */
static size_t find_flat(const struct probe_point *points, size_t from) {
	while (from < PROBE_LEVEL_COUNTS && flat_end(points, from) < from + FLAT_LEAST)
		from++;
	return from;
}

/* The middle of a flat part, with the intervals of all its points. */
static struct probe_estimate join(const struct probe_point *points, size_t first, size_t end) {
	struct probe_estimate all = points[first + (end - first) / 2].y;
	for (size_t i = first; i < end; i++)
		probe_widen(&all, &points[i].y);
	return all;
}

static void find_edges(const struct probe_point *points, struct edges *edges) {
	*edges = (struct edges){.count = 0};
	size_t first = find_flat(points, 0), end = first;
	if (first == PROBE_LEVEL_COUNTS)
		return;
	end = flat_end(points, first);
	/* At the largest distances few branches may be too many. */
	if (!first)
		edges->first = join(points, first, end);
	for (;;) {
		const size_t next = find_flat(points, end);
		if (next == PROBE_LEVEL_COUNTS)
			return;
		const size_t next_end = flat_end(points, next);
		const struct probe_estimate low = join(points, first, end), high = join(points, next, next_end);
		if (next <= end + SLOPE_MOST && high.low > low.high && high.value > 1.1 * low.value)
			edges->all[edges->count++] =
				(struct edge){end - 1, {high.value - low.value, high.low - low.high, high.high - low.low, true}};
		first = next;
		end = next_end;
	}
}

/* The edge at that point, or at a neighbour of it; NULL if there is none. */
static const struct edge *find_edge(const struct edges *edges, size_t point) {
	for (size_t i = 0; i < edges->count; i++)
		if (edges->all[i].last + 1 >= point && edges->all[i].last <= point + 1)
			return &edges->all[i];
	return NULL;
}

/* The least rise of all distances that have the edge, or its half behind the largest. Of whole numbers: two must have
 * the same. */
static void find_rise(const struct edges *all, size_t distance, size_t point, struct probe_level *level) {
	const struct probe_estimate *shown[PROBE_LEVEL_DISTANCES], *least = NULL;
	size_t count = 0, same = 0;
	for (size_t i = 0; i < PROBE_LEVEL_DISTANCES; i++) {
		const size_t halves = i > distance ? i - distance : 0;
		const struct edge *edge = point >= halves * HALF ? find_edge(&all[i], point - halves * HALF) : NULL;
		if (edge)
			shown[count++] = &edge->rise;
	}
	for (size_t i = 0; i < count; i++)
		if (!least || shown[i]->value < least->value)
			least = shown[i];
	for (size_t i = 0; i < count; i++)
		same += least && round(shown[i]->value) == round(least->value);
	level->is_rise_told = same >= 2;
	if (least)
		level->rise = *least;
}

/* The first distance, of those that have the edge, at whose double half as many fit, and more take as much longer.
 * Returns the largest that has the edge where there is none, and stores whether there is. */
static size_t find_distance(const struct edges *all, size_t first, size_t point, bool *is_halved) {
	size_t distance = first;
	*is_halved = false;
	while (distance + 1 < PROBE_LEVEL_DISTANCES) {
		const struct edge *full = find_edge(&all[distance], point),
						  *half = point < HALF ? NULL : find_edge(&all[distance + 1], point - HALF);
		*is_halved = distance > first && full && half && round(full->rise.value) == round(half->rise.value);
		if (*is_halved || !find_edge(&all[distance + 1], point))
			break;
		distance++;
	}
	return distance;
}

/* The edge of a distance that the next one has, too: of neighbouring counts the larger one. */
static bool is_shared(const struct edges *all, size_t distance, const struct edge *edge, size_t *point) {
	const struct edge *other = find_edge(&all[distance + 1], edge->last);
	if (other)
		*point = other->last > edge->last ? other->last : edge->last;
	return other != NULL;
}

static bool has_level(const struct probe_levels *levels, size_t count) {
	for (size_t i = 0; i < levels->count; i++)
		if (levels->levels[i].count >= count)
			return true;
	return false;
}

bool probe_levels_find(const struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS],
                       unsigned first_bit, size_t first, struct probe_levels *levels) {
	struct edges all[PROBE_LEVEL_DISTANCES];
	*levels = (struct probe_levels){.count = 0};
	for (size_t i = 0; i < PROBE_LEVEL_DISTANCES; i++) {
		find_edges(curves[i], &all[i]);
		if (all[i].first.told && (!levels->few.told || all[i].first.value < levels->few.value))
			levels->few = all[i].first;
	}
	if (!levels->few.told)
		return false;
	for (size_t i = 0; i < all[first].count; i++) {
		size_t point;
		bool is_halved;
		if (!is_shared(all, first, &all[first].all[i], &point))
			continue;
		const size_t distance = find_distance(all, first, point, &is_halved), count = (size_t)curves[0][point].x;
		if (levels->count == PROBE_LEVELS_MOST || has_level(levels, count))
			continue;
		struct probe_level *level = &levels->levels[levels->count++];
		*level = (struct probe_level){.count = count,
		                              .nearest = first,
		                              .distance = distance,
		                              .index_bit = is_halved ? (int)(first_bit + distance) : -1};
		find_rise(all, distance, point, level);
	}
	return true;
}
