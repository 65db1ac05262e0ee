/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of latency tolerance, such as prefetching, by how well misses are predicted.
 *
 * A miss stalls L cycles. Tolerating a reference costs V cycles and hides its miss, if it is one. References come in
 * groups (all of a load, or those of one context), and a group is treated as one: it is tolerated if its miss ratio
 * exceeds V / L.
 *   never L · m    always V    ideal V · m    cycles a reference, m: miss ratio of all
 * Ref: Mowry and Luk 1997, "Predicting data cache misses in non-numeric applications through correlation profiling",
 * section 3, appendix. */
#ifndef IFR_HARNESS_TOLERANCE_H
#define IFR_HARNESS_TOLERANCE_H

#include <stdbool.h>
#include <stdint.h>

struct ifr_latency {
	double miss, overhead; /* L and V, in cycles; above 0 */
};

/* References by prediction and outcome. */
struct ifr_miss_prediction {
	uint64_t hit_as_hit, hit_as_miss, miss_as_hit, miss_as_miss;
};

/* Whether to tolerate the references of a group pays. */
bool ifr_tolerance_pays(uint64_t references, uint64_t misses, struct ifr_latency latency);
/* Adds a group, predicted by its own miss ratio. */
void ifr_miss_prediction_add(struct ifr_miss_prediction *predicted, uint64_t references, uint64_t misses,
                             struct ifr_latency latency);
/* Adds a group each of whose references is predicted by all others of the group, as in a cross-validation that leaves one
 * out: a context that occurs once proves nothing. The only reference of a group is predicted as `otherwise`. */
void ifr_miss_prediction_add_left_out(struct ifr_miss_prediction *predicted, uint64_t references, uint64_t misses,
                                      struct ifr_latency latency, bool otherwise);
void ifr_miss_prediction_sum(struct ifr_miss_prediction *sum, const struct ifr_miss_prediction *more);
/* Stall cycles and overhead of all references. */
double ifr_miss_prediction_cycles(const struct ifr_miss_prediction *predicted, struct ifr_latency latency);
uint64_t ifr_miss_prediction_wrong(const struct ifr_miss_prediction *predicted);

/* Bins of miss ratios: [0, 0.1), [0.1, 0.2), …, [0.9, 1]. */
enum { IFR_MISS_RATIO_BINS = 10 };
unsigned ifr_miss_ratio_bin(uint64_t references, uint64_t misses);

#endif
