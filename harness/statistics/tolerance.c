/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/tolerance.h"

bool ifr_tolerance_pays(uint64_t references, uint64_t misses, struct ifr_latency latency) {
	return (double)misses * latency.miss > (double)references * latency.overhead;
}

static void add(struct ifr_miss_prediction *predicted, uint64_t hits, uint64_t misses, bool as_hits_of_hits,
                bool as_hits_of_misses) {
	*(as_hits_of_hits ? &predicted->hit_as_hit : &predicted->hit_as_miss) += hits;
	*(as_hits_of_misses ? &predicted->miss_as_hit : &predicted->miss_as_miss) += misses;
}

void ifr_miss_prediction_add(struct ifr_miss_prediction *predicted, uint64_t references, uint64_t misses,
                             struct ifr_latency latency) {
	const bool pays = ifr_tolerance_pays(references, misses, latency);
	add(predicted, references - misses, misses, !pays, !pays);
}

void ifr_miss_prediction_add_left_out(struct ifr_miss_prediction *predicted, uint64_t references, uint64_t misses,
                                      struct ifr_latency latency, bool otherwise) {
	const bool alone = references < 2;
	const bool hits_pay = alone ? otherwise : ifr_tolerance_pays(references - 1, misses, latency);
	const bool misses_pay = alone || !misses ? otherwise : ifr_tolerance_pays(references - 1, misses - 1, latency);
	add(predicted, references - misses, misses, !hits_pay, !misses_pay);
}

void ifr_miss_prediction_sum(struct ifr_miss_prediction *sum, const struct ifr_miss_prediction *more) {
	sum->hit_as_hit += more->hit_as_hit;
	sum->hit_as_miss += more->hit_as_miss;
	sum->miss_as_hit += more->miss_as_hit;
	sum->miss_as_miss += more->miss_as_miss;
}

double ifr_miss_prediction_cycles(const struct ifr_miss_prediction *predicted, struct ifr_latency latency) {
	return (double)predicted->miss_as_hit * latency.miss +
	       (double)(predicted->miss_as_miss + predicted->hit_as_miss) * latency.overhead;
}

uint64_t ifr_miss_prediction_wrong(const struct ifr_miss_prediction *predicted) {
	return predicted->hit_as_miss + predicted->miss_as_hit;
}

unsigned ifr_miss_ratio_bin(uint64_t references, uint64_t misses) {
	const unsigned bin = (unsigned)((double)misses * IFR_MISS_RATIO_BINS / (double)references);
	return bin < IFR_MISS_RATIO_BINS ? bin : IFR_MISS_RATIO_BINS - 1;
}
