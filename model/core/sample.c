/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/sample.h"

#include <math.h>
#include <string.h>

static void read_graph(const struct ifr_graph *graph, uint64_t values[SAMPLE_VALUES]) {
	values[0] = (uint64_t)ifr_graph_cycle(graph);
	memcpy(values + 1, ifr_graph_counts(graph), sizeof(struct ifr_core_counts));
}

static void end_fragment(struct ifr_core_sample *sample, const struct ifr_graph *graph) {
	uint64_t now[SAMPLE_VALUES];
	read_graph(graph, now);
	const double instructions = (double)(sample->instructions - sample->begun);
	const double cycles = (double)(now[0] - sample->values[0]);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++)
		sample->sums[i] += now[i] - sample->values[i];
	sample->fragments++;
	sample->measured_instructions += sample->instructions - sample->begun;
	sample->cycles2 += cycles * cycles;
	sample->products += cycles * instructions;
	sample->instructions2 += instructions * instructions;
}

void ifr_core_sample_advance(struct ifr_core_sample *sample, const struct ifr_graph *graph,
                             unsigned instructions) {
	sample->instructions += instructions;
	if (sample->full || sample->instructions < IFR_CORE_HEAD)
		return;
	if (!sample->head_instructions) {
		sample->head_instructions = sample->instructions;
		read_graph(graph, sample->head);
	}
	const uint64_t at = sample->instructions % SAMPLE_PERIOD;
	const bool measured = at >= SAMPLE_PERIOD - SAMPLE_MEASURED;
	if (sample->measured && !measured)
		end_fragment(sample, graph);
	if (!sample->measured && measured) {
		sample->begun = sample->instructions;
		read_graph(graph, sample->values);
	}
	sample->measured = measured;
	sample->detailed = at >= SAMPLE_PERIOD - SAMPLE_MEASURED - SAMPLE_WARMED;
}

/* Cochran's variance of a ratio, for the instructions that it stands for. */
static double standard_error(const struct ifr_core_sample *sample, double ratio, double rest) {
	const double n = (double)sample->fragments;
	if (n < 2)
		return 0;
	const double residuals =
		sample->cycles2 - 2 * ratio * sample->products + ratio * ratio * sample->instructions2;
	const double mean = (double)sample->measured_instructions / n;
	return residuals > 0 ? rest / mean * sqrt(residuals / (n - 1) / n) : 0;
}

double ifr_core_sample_estimate(const struct ifr_core_sample *sample, const struct ifr_graph *graph,
                                double values[SAMPLE_VALUES]) {
	uint64_t now[SAMPLE_VALUES];
	read_graph(graph, now);
	const bool all = sample->full || !sample->head_instructions;
	const double rest = all ? 0 : (double)(sample->instructions - sample->head_instructions);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		const double head = (double)(all ? now[i] : sample->head[i]);
		const double ratio = sample->fragments ? (double)sample->sums[i] / (double)sample->measured_instructions
		                     : all             ? 0
		                                       : head / (double)sample->head_instructions;
		values[i] = head + rest * ratio;
	}
	const double ratio = sample->fragments ? (double)sample->sums[0] / (double)sample->measured_instructions : 0;
	return standard_error(sample, ratio, rest);
}
