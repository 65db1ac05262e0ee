/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/permutation.h"

void values_permute(double *values, size_t count, struct ifr_random_key key, uint64_t draw) {
	for (size_t i = count - 1; i > 0; i--) {
		const uint64_t name[] = {draw, i};
		const size_t at = ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), i + 1);
		const double kept = values[at];
		values[at] = values[i];
		values[i] = kept;
	}
}
