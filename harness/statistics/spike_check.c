/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suspicious values of a series, and their check on runs that chose none of them.
 *
 * Problem: a test of 257 values at once finds no spike below some five standard errors, and more runs of all values
 * cost more than the spike is worth.
 *
 * Idea: the values farthest from their neighbours are suspects. Each is run again beside its four nearest neighbours
 * that are no suspects, and only these new runs are tested: a few hypotheses instead of 257, whatever chose them.
 *
 * Invariant: without an effect the runs of one repetition, of a suspect and its neighbours, are in random order, so that
 * the suspect's rank among them is uniform, whatever the noise. The ranks of all repetitions are added: the stratified
 * rank-sum test, whose distribution is the convolution of uniform ones. Ref: van Elteren 1960; Holm 1979. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/inference.h"
#include "harness/statistics/sample.h"
#include "harness/statistics/series.h"

enum { AROUND = 8 }; /* neighbours on each side that a value is compared with to become a suspect */

/* Levels of other rows of a grid are farther than all of the row. */
static size_t measure_distance(size_t a, size_t b, size_t width) {
	const size_t column_a = a % width, column_b = b % width, row_a = a / width, row_b = b / width;
	const size_t across = column_a > column_b ? column_a - column_b : column_b - column_a;
	return across + width * (row_a > row_b ? row_a - row_b : row_b - row_a);
}

size_t ifr_spikes_neighbours(const double *medians, size_t count, size_t width, const bool *excluded, size_t of,
                             size_t most, size_t *neighbours) {
	size_t found = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == of || !isfinite(medians[i]) || (excluded && excluded[i]))
			continue;
		const size_t distance = measure_distance(i, of, width);
		size_t at = found;
		while (at > 0 && measure_distance(neighbours[at - 1], of, width) > distance)
			at--;
		if (at == most)
			continue;
		found += found < most;
		for (size_t j = found - 1; j > at; j--)
			neighbours[j] = neighbours[j - 1];
		neighbours[at] = i;
	}
	return found;
}

/* The distance of a level's median from that of its neighbours' medians; NaN without any. */
static double find_deviation(const double *medians, size_t count, size_t width, size_t of) {
	size_t around[2 * AROUND];
	double values[2 * AROUND], centre;
	const size_t found = ifr_spikes_neighbours(medians, count, width, NULL, of, 2 * AROUND, around);
	for (size_t i = 0; i < found; i++)
		values[i] = medians[around[i]];
	return isfinite(medians[of]) && !ifr_sample_median(values, found, &centre, NULL) ? medians[of] - centre : NAN;
}

size_t ifr_spikes_suspect(const double *medians, size_t count, size_t width, size_t most, size_t *suspects) {
	double *deviations = ifr_alloc((count + 1) * sizeof *deviations);
	size_t found = 0;
	for (size_t i = 0; i < count; i++) {
		deviations[i] = fabs(find_deviation(medians, count, width, i));
		if (!(deviations[i] > 0))
			continue;
		size_t at = found;
		while (at > 0 && deviations[suspects[at - 1]] < deviations[i])
			at--;
		if (at == most)
			continue;
		found += found < most;
		for (size_t j = found - 1; j > at; j--)
			suspects[j] = suspects[j - 1];
		suspects[at] = i;
	}
	free(deviations);
	return found;
}

/* Adds a uniform number 0 … most to a sum whose distribution over 0 … length - 1 is known. */
static void convolve(double *chances, size_t length, size_t most) {
	for (size_t sum = length + most; sum-- > 0;) {
		double chance = 0;
		for (size_t own = 0; own <= most && own <= sum; own++)
			chance += sum - own < length ? chances[sum - own] : 0;
		chances[sum] = chance / (double)(most + 1);
	}
}

/* Neighbours above and below the block's first value; a tie counts for neither. */
static size_t count_values(const double *block, size_t width, size_t *above, size_t *below) {
	size_t valid = 0;
	*above = *below = 0;
	for (size_t i = 1; i < width; i++)
		if (isfinite(block[i])) {
			valid++;
			*above += block[i] > block[0];
			*below += block[i] < block[0];
		}
	return valid;
}

int ifr_rank_blocks_test(const double *blocks, size_t count, size_t width, double *p, struct ifr_error *err) {
	double *chances = ifr_alloc((count * width + 1) * sizeof *chances);
	size_t length = 1, above = 0, below = 0, used = 0;
	chances[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t over, under;
		const double *block = blocks + i * width;
		const size_t others = isfinite(block[0]) ? count_values(block, width, &over, &under) : 0;
		if (!others)
			continue;
		convolve(chances, length, others);
		length += others;
		above += over;
		below += under;
		used++;
	}
	const size_t reached = above > below ? above : below;
	double tail = 0;
	for (size_t sum = reached; sum < length; sum++)
		tail += chances[sum];
	free(chances);
	if (!used)
		return ifr_fail(err, IFR_E_USAGE, "no repetition has both a value and its neighbours");
	*p = fmin(1, 2 * tail);
	return 0;
}
