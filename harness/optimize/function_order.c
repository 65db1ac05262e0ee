/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/function_order.h"

#include <math.h>

#include "common/random.h"
#include "harness/optimize/ext_tsp.h"

enum { HUGE_PAGE = 2 << 20 };

/* Functions in clusters: next links the members of one, head its first; all by unit of the hot code. What is said of a
 * cluster stands at its head. */
struct clusters {
	const struct hot_code *code;
	long next[ORDERED_FUNCTIONS_MOST];
	size_t head[ORDERED_FUNCTIONS_MOST], last[ORDERED_FUNCTIONS_MOST];
	uint64_t bytes[ORDERED_FUNCTIONS_MOST], instructions[ORDERED_FUNCTIONS_MOST];
	uint64_t offset[ORDERED_FUNCTIONS_MOST]; /* of a function from the begin of its cluster */
	size_t count;
};

static void clusters_init(const struct hot_code *code, struct clusters *c) {
	const size_t most = ORDERED_FUNCTIONS_MOST;
	*c = (struct clusters){.code = code, .count = code->unit_count < most ? code->unit_count : most};
	for (size_t i = 0; i < c->count; i++) {
		c->next[i] = -1;
		c->head[i] = c->last[i] = i;
		c->bytes[i] = code->units[i].bytes;
		c->instructions[i] = code->units[i].instructions;
	}
}

static void append_cluster(struct clusters *c, size_t to, size_t from) {
	c->next[c->last[to]] = (long)from;
	for (long i = (long)from; i >= 0; i = c->next[i]) {
		c->head[i] = to;
		c->offset[i] += c->bytes[to];
	}
	c->last[to] = c->last[from];
	c->bytes[to] += c->bytes[from];
	c->instructions[to] += c->instructions[from];
}

static double density_of(double instructions, double bytes) {
	return instructions / (bytes + 1);
}

/* --- call-chain clusters ------------------------------------------------------------------------------------------- */

static bool is_between_clusters(const struct clusters *c, const struct hot_call *call) {
	return call->from < c->count && call->to < c->count && c->code->units[call->from].moves &&
	       c->code->units[call->to].moves && c->head[call->from] != c->head[call->to];
}

static void join_callers(struct clusters *c) {
	for (size_t callee = 0; callee < c->count; callee++) {
		const struct hot_call *call = NULL;
		for (size_t i = 0; i < c->code->call_count && !call; i++)
			if (c->code->calls[i].to == callee && c->code->calls[i].from < c->count)
				call = &c->code->calls[i];
		/* A callee within its cluster stays where it is. */
		if (!call || !is_between_clusters(c, call))
			continue;
		const size_t to = c->head[call->from], from = c->head[callee];
		if (c->bytes[to] + c->bytes[from] <= HUGE_PAGE)
			append_cluster(c, to, from);
	}
}

/* --- cache-directed clusters --------------------------------------------------------------------------------------- */

/* The gain of a merge is the shorter distance of the calls between two clusters, and the fewer misses of a cache of so
 * many entries and bytes, which dense clusters fill better; a small cluster is merged first. The figures are LLVM's. */
static const double cache_entries = 16, cache_bytes = 2048, distance_power = 0.25, misses_scale = 4;

/* The chance that a cluster's code is not in the cache: none of the last entries was of it. */
static double miss_chance(double density, double instructions) {
	const double held = density * cache_bytes;
	return held >= instructions ? 0 : pow(1 - held / instructions, cache_entries);
}

static double gain_of_density(const struct clusters *c, size_t a, size_t b) {
	const double all = (double)c->code->instructions, of_a = (double)c->instructions[a],
				 of_b = (double)c->instructions[b], bytes_a = (double)c->bytes[a], bytes_b = (double)c->bytes[b];
	return of_a * miss_chance(density_of(of_a, bytes_a), all) +
	       of_b * miss_chance(density_of(of_b, bytes_b), all) -
	       (of_a + of_b) * miss_chance(density_of(of_a + of_b, bytes_a + bytes_b), all);
}

/* Calls between the clusters a and b, if b stands behind a. A call lies in the middle of its function. */
static double gain_of_distance(const struct clusters *c, size_t a, size_t b) {
	double gain = 0;
	for (size_t i = 0; i < c->code->call_count; i++) {
		const struct hot_call *call = &c->code->calls[i];
		if (!is_between_clusters(c, call))
			continue;
		const size_t from = c->head[call->from], to = c->head[call->to];
		if ((from != a || to != b) && (from != b || to != a))
			continue;
		const double shift_from = from == b ? (double)c->bytes[a] : 0,
					 shift_to = to == b ? (double)c->bytes[a] : 0;
		const double begin =
						 shift_from + (double)c->offset[call->from] + (double)c->code->units[call->from].bytes / 2,
					 distance = fabs(begin - shift_to - (double)c->offset[call->to]);
		gain += (double)call->count * pow(fmax(distance, 0.1), -distance_power);
	}
	return gain;
}

static double gain_of_merge(const struct clusters *c, size_t a, size_t b) {
	return (gain_of_distance(c, a, b) + misses_scale * gain_of_density(c, a, b)) /
	       (double)(c->bytes[a] < c->bytes[b] ? c->bytes[a] + 1 : c->bytes[b] + 1);
}

static void join_by_gain(struct clusters *c) {
	for (;;) {
		size_t first = 0, second = 0;
		double most = 0;
		for (size_t i = 0; i < c->code->call_count; i++) {
			const struct hot_call *call = &c->code->calls[i];
			if (!is_between_clusters(c, call))
				continue;
			const size_t a = c->head[call->from], b = c->head[call->to];
			const double forward = gain_of_merge(c, a, b), backward = gain_of_merge(c, b, a);
			if (fmax(forward, backward) <= most)
				continue;
			most = fmax(forward, backward);
			first = forward >= backward ? a : b;
			second = first == a ? b : a;
		}
		if (most <= 0)
			return;
		append_cluster(c, first, second);
	}
}

/* --- orders -------------------------------------------------------------------------------------------------------- */

/* The cluster with the least rank is the first. */
static double rank_of(const struct clusters *c, enum function_rule rule, uint64_t seed, size_t head) {
	if (rule == FUNCTIONS_DRAWN)
		return -(double)ifr_random_named(ifr_random_key_of(seed, "clusters"), c->code->units[head].name);
	if (rule == FUNCTIONS_HOTTEST)
		return -(double)c->instructions[head];
	/* Units are numbered by address. */
	if (rule == FUNCTIONS_SPLIT)
		return -1 / (1 + (double)c->code->units[head].unit);
	return -density_of((double)c->instructions[head], (double)c->bytes[head]);
}

void function_order_make(const struct hot_code *code, enum function_rule rule, uint64_t seed,
                         struct function_order *order) {
	bool taken[ORDERED_FUNCTIONS_MOST] = {false};
	struct clusters c;
	if (rule == FUNCTIONS_EXT_TSP) {
		ext_tsp_order(code, order);
		return;
	}
	*order = (struct function_order){0};
	clusters_init(code, &c);
	if (rule == FUNCTIONS_CACHE_DIRECTED)
		join_by_gain(&c);
	else if (rule != FUNCTIONS_HOTTEST && rule != FUNCTIONS_SPLIT)
		join_callers(&c);
	for (;;) {
		long best = -1;
		double least = 0;
		for (size_t i = 0; i < c.count; i++) {
			const double rank =
				c.head[i] == i && !taken[i] && code->units[i].moves ? rank_of(&c, rule, seed, i) : 1;
			if (rank <= 0 && (best < 0 || rank < least)) {
				best = (long)i;
				least = rank;
			}
		}
		if (best < 0)
			return;
		taken[best] = true;
		for (long i = best; i >= 0; i = c.next[i])
			order->unit[order->count++] = (size_t)i;
	}
}
