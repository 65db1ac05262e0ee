/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/spike_train.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/analysis/analysis.h"

static unsigned level_of(const struct ifr_spike *spike) {
	return spike->layout->variant->layout - 1;
}

/* The spikes of at least a tenth of the highest one, in their order. */
static size_t choose_high(const struct ifr_sweep_findings *sweep, struct ifr_spike *high) {
	static const double least = 0.1;
	double most = 0;
	size_t count = 0;
	for (size_t i = 0; i < sweep->spike_count; i++)
		most = fmax(most, fabs(sweep->spikes[i].deviation));
	for (size_t i = 0; i < sweep->spike_count; i++)
		if (fabs(sweep->spikes[i].deviation) >= least * most)
			high[count++] = sweep->spikes[i];
	return count;
}

static bool continues(const struct ifr_spike *before, const struct ifr_spike *spike) {
	return level_of(spike) == level_of(before) + 1 && (spike->deviation > 0) == (before->deviation > 0);
}

/* The distance after which groups of two spikes and more come again; 0: none does. begun: levels, in their order. */
static unsigned find_group_period(const unsigned *begun, size_t count) {
	for (size_t group = 2; 2 * group <= count; group++) {
		const unsigned period = begun[group] - begun[0];
		size_t at = group;
		while (at < count && begun[at] - begun[at - group] == period)
			at++;
		if (at == count)
			return period;
	}
	return 0;
}

/* Sets *common to value, or to 0 for good where it differs from those before. */
static void agree(int64_t *common, int64_t value, bool first) {
	*common = first || *common == value ? value : 0;
}

void ifr_spike_train_find(const struct ifr_sweep_findings *sweep, struct ifr_spike_train *train) {
	*train = (struct ifr_spike_train){0};
	if (sweep->sweeps.count != 1)
		return;
	const struct ifr_sweep *values = &sweep->sweeps.items[0];
	struct ifr_spike *spikes = ifr_alloc((sweep->spike_count + 1) * sizeof *spikes);
	const size_t count = choose_high(sweep, spikes);
	unsigned *begun = ifr_alloc((count + 1) * sizeof *begun);
	for (size_t i = 0; i < count;) {
		const unsigned level = level_of(&spikes[i]);
		size_t end = i + 1;
		while (end < count && continues(&spikes[end - 1], &spikes[end]))
			end++;
		agree(&train->width, (int64_t)(end - i) * values->step, !train->spikes);
		if (train->spikes)
			agree(&train->period, (int64_t)(level - begun[train->spikes - 1]) * values->step, train->spikes == 1);
		else
			train->first = ifr_sweep_value(values, level);
		begun[train->spikes++] = level;
		for (; i < end; i++)
			if (fabs(spikes[i].deviation) > fabs(train->height))
				train->height = spikes[i].deviation;
	}
	if (!train->period)
		train->period = (int64_t)find_group_period(begun, train->spikes) * values->step;
	free(begun);
	free(spikes);
}
