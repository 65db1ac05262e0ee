/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/sample.h"

#include <math.h>
#include <string.h>

static void read_values(const struct ifr_graph *graph, const uint64_t slots[IFR_SOURCES],
                        uint64_t values[SAMPLE_VALUES]) {
	values[0] = (uint64_t)ifr_graph_cycle(graph);
	memcpy(values + 1, ifr_graph_counts(graph), SAMPLE_COUNTS * sizeof *values);
	memcpy(values + SAMPLE_SLOTS, slots, IFR_SOURCES * sizeof *values);
}

static void end_fragment(struct ifr_core_sample *sample, const struct ifr_graph *graph,
                         const uint64_t slots[IFR_SOURCES]) {
	uint64_t now[SAMPLE_VALUES];
	read_values(graph, slots, now);
	const double instructions = (double)(sample->instructions - sample->begun);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		const double value = (double)(now[i] - sample->values[i]);
		sample->sums[i] += now[i] - sample->values[i];
		sample->squares[i] += value * value;
		sample->products[i] += value * instructions;
	}
	sample->fragments++;
	sample->measured_instructions += sample->instructions - sample->begun;
	sample->instructions2 += instructions * instructions;
}

enum { PERIOD_LEAST = 20000, FRAGMENTS = 2000 };

uint64_t ifr_core_period(uint64_t instructions) {
	const uint64_t period = instructions / FRAGMENTS;
	return period > PERIOD_LEAST ? period : PERIOD_LEAST;
}

/* Whether all instructions are measured there, or these are among the last of their period. */
static bool is_among(uint64_t instructions, uint64_t period, unsigned last) {
	return !period || instructions < IFR_CORE_HEAD || instructions % period >= period - last;
}

/* The next number of instructions at which the head ends, or the last so many of a period begin or end. */
static uint64_t next_change(uint64_t instructions, uint64_t period, unsigned last) {
	if (!period)
		return UINT64_MAX;
	if (instructions < IFR_CORE_HEAD)
		return IFR_CORE_HEAD;
	const uint64_t begun = instructions - instructions % period;
	return instructions < begun + period - last ? begun + period - last : begun + period;
}

bool ifr_core_sample_runs(uint64_t instructions, uint64_t period, uint64_t *unchanged) {
	static const unsigned last = SAMPLE_MEASURED + SAMPLE_WARMED + SAMPLE_FRONT;
	*unchanged = next_change(instructions, period, last) - 1;
	return is_among(instructions, period, last);
}

/* Sets whether the next block is in the graph, and until when all is as it is. */
static void look_ahead(struct ifr_core_sample *sample) {
	static const unsigned detailed = SAMPLE_MEASURED + SAMPLE_WARMED;
	const uint64_t first = next_change(sample->instructions, sample->period, detailed);
	const uint64_t second = next_change(sample->instructions, sample->period, SAMPLE_MEASURED);
	sample->detailed = is_among(sample->instructions, sample->period, detailed);
	sample->unchanged = (first < second ? first : second) - 1;
}

void ifr_core_sample_skip(struct ifr_core_sample *sample, uint64_t instructions) {
	sample->instructions = instructions;
	look_ahead(sample);
}

void ifr_core_sample_change(struct ifr_core_sample *sample, const struct ifr_graph *graph,
                            const uint64_t slots[IFR_SOURCES]) {
	const bool head = !sample->period || sample->instructions < IFR_CORE_HEAD;
	const bool measured = !head && is_among(sample->instructions, sample->period, SAMPLE_MEASURED);
	look_ahead(sample);
	if (head)
		return;
	if (!sample->head_instructions) {
		sample->head_instructions = sample->instructions;
		read_values(graph, slots, sample->head);
	}
	if (sample->measured && !measured)
		end_fragment(sample, graph, slots);
	if (!sample->measured && measured) {
		sample->begun = sample->instructions;
		read_values(graph, slots, sample->values);
	}
	sample->measured = measured;
}

/* Cochran's variance of a ratio, for the instructions that it stands for. */
static double standard_error(const struct ifr_core_sample *sample, unsigned i, double ratio, double rest) {
	const double n = (double)sample->fragments;
	if (n < 2)
		return 0;
	const double residuals =
		sample->squares[i] - 2 * ratio * sample->products[i] + ratio * ratio * sample->instructions2;
	const double mean = (double)sample->measured_instructions / n;
	return residuals > 0 ? rest / mean * sqrt(residuals / (n - 1) / n) : 0;
}

double ifr_core_sample_scale(const struct ifr_core_sample *sample) {
	return sample->fragments
	           ? (double)(sample->instructions - sample->head_instructions) / (double)sample->measured_instructions
	           : 0;
}

void ifr_core_sample_estimate(const struct ifr_core_sample *sample, const struct ifr_graph *graph,
                              const uint64_t slots[IFR_SOURCES], double values[SAMPLE_VALUES],
                              double errors[SAMPLE_VALUES]) {
	uint64_t now[SAMPLE_VALUES];
	read_values(graph, slots, now);
	const bool all = !sample->period || !sample->head_instructions;
	const double rest = all ? 0 : (double)(sample->instructions - sample->head_instructions);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		const double head = (double)(all ? now[i] : sample->head[i]);
		const double ratio = sample->fragments ? (double)sample->sums[i] / (double)sample->measured_instructions
		                     : all             ? 0
		                                       : head / (double)sample->head_instructions;
		values[i] = head + rest * ratio;
		errors[i] = standard_error(sample, i, ratio, rest);
	}
}
