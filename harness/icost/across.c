/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two replays. The first, under single causes, gives the weights and shows which causes matter. The second, under all
 * sets of these, adds up the layouts' weighted times as they come, so that memory does not grow with the layouts. */
#include "harness/icost/across.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A replay under way. */
struct crossing {
	const struct ifr_across_request *request;
	struct ifr_across *across;
	struct ifr_ideal_times *times; /* of the first replay, by layout */
};

void ifr_across_weigh(struct ifr_across *across, bool two_layouts) {
	const size_t n = across->layouts;
	double mean = 0, squares = 0;
	for (size_t i = 0; i < n; i++)
		mean += across->cycles[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (across->cycles[i] - mean) * (across->cycles[i] - mean);
	const double deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	for (size_t i = 0; i < n; i++)
		across->weights[i] = two_layouts     ? (i ? 1 : -1)
		                     : deviation > 0 ? (across->cycles[i] - mean) / ((double)(n - 1) * deviation)
		                                     : 0;
	across->difference = two_layouts ? across->cycles[1] - across->cycles[0] : deviation;
}

/* --- weighted times ------------------------------------------------------------------------------------------- */

/* Begins times of so many sets, like those of a layout. */
static void begin_times(struct ifr_ideal_times *times, size_t sets, const struct ifr_ideal_times *like) {
	*times = (struct ifr_ideal_times){.sets = sets, .fragments = like->fragments, .rest = like->rest};
	times->cycles = ifr_alloc((sets + 1) * sizeof *times->cycles);
	times->fragment_cycles = ifr_alloc((sets * times->fragments + 1) * sizeof *times->fragment_cycles);
	times->fragment_instructions = ifr_alloc((times->fragments + 1) * sizeof *times->fragment_instructions);
	memcpy(times->fragment_instructions, like->fragment_instructions, times->fragments * sizeof(uint32_t));
}

/* Adds a layout's times of a set to those of another set. */
static void add_times(struct ifr_ideal_times *to, size_t set, const struct ifr_ideal_times *from, size_t from_set,
                      double weight) {
	to->cycles[set] += weight * from->cycles[from_set];
	for (size_t i = 0; i < to->fragments; i++)
		to->fragment_cycles[set * to->fragments + i] +=
			weight * from->fragment_cycles[from_set * from->fragments + i];
}

/* Adds up the first replay. */
static void weigh_times(const struct crossing *crossing, struct ifr_icost *icost) {
	const struct ifr_across *across = crossing->across;
	begin_times(&icost->times, icost->count, &crossing->times[0]);
	for (size_t i = 0; i < across->layouts; i++)
		for (size_t k = 0; k < icost->count; k++)
			add_times(&icost->times, k, &crossing->times[i], k, across->weights[i]);
}

/* --- the replays ---------------------------------------------------------------------------------------------- */

static void take_times(void *data, size_t layout, struct ifr_ideal_times *times) {
	struct crossing *crossing = data;
	crossing->times[layout] = *times;
	*times = (struct ifr_ideal_times){0};
}

static void add_layout(void *data, size_t layout, struct ifr_ideal_times *times) {
	struct crossing *crossing = data;
	struct ifr_across *across = crossing->across;
	const double weight = across->weights[layout];
	if (!across->icost.times.cycles)
		begin_times(&across->icost.times, times->sets, times);
	for (size_t i = 0; i < times->sets; i++) {
		double *lines = across->line_cycles + i * across->lines.count;
		const double *cycles = times->instruction_cycles + i * times->instructions;
		add_times(&across->icost.times, i, times, i, weight);
		for (size_t k = 0; k < times->instructions; k++)
			lines[across->lines.of[k]] += weight * cycles[k];
	}
}

static int replay(struct crossing *crossing, const struct ifr_icost *sets, bool second, struct ifr_error *err) {
	const struct ifr_across_request *request = crossing->request;
	struct ifr_counts *counts = ifr_alloc(request->count * sizeof *counts);
	struct ifr_plan_replay replaying = {.trace = request->trace,
	                                    .machines = &request->machine,
	                                    .machine_count = 1,
	                                    .engine = IFR_ENGINE_SCALAR,
	                                    .core = request->core,
	                                    .sets = sets->sets,
	                                    .sets_count = sets->count,
	                                    .instructions = second,
	                                    .take = second ? add_layout : take_times,
	                                    .taker = crossing,
	                                    .progress = request->progress};
	const int result = ifr_replay_plans(&replaying, request->plans, request->count, counts, err);
	crossing->across->instructions = counts[0].value[IFR_EVENT_INSTRUCTIONS];
	free(counts);
	return result;
}

/* --- the causes that matter ----------------------------------------------------------------------------------- */

/* The causes of the largest costs, of either sign, from a hundredth of the difference on; the largest at least. */
static uint32_t choose_causes(const struct ifr_icost *icost, double difference) {
	uint32_t chosen = 0;
	for (unsigned n = 0; n < IFR_ACROSS_CAUSES_MOST; n++) {
		double most = n ? fabs(difference) / 100 : -1;
		uint32_t next = 0;
		for (unsigned i = 0; i < IFR_CAUSES; i++) {
			if (!((icost->causes & ~chosen) >> i & 1))
				continue;
			const double cost = fabs(ifr_icost_cost(icost, 1u << i).cycles);
			if (cost > most) {
				most = cost;
				next = 1u << i;
			}
		}
		chosen |= next;
	}
	return chosen;
}

static int replay_chosen(struct crossing *crossing, const struct ifr_icost *single, struct ifr_error *err) {
	struct ifr_across *across = crossing->across;
	const struct ifr_across_request *request = crossing->request;
	ifr_icost_init(&across->icost, choose_causes(single, across->difference), true);
	const int result = ifr_code_lines_find(request->trace, request->machine, &across->lines, err);
	across->line_cycles = ifr_alloc((across->icost.count * across->lines.count + 1) * sizeof *across->line_cycles);
	return result ? result : replay(crossing, &across->icost, true, err);
}

int ifr_across_find(const struct ifr_across_request *request, struct ifr_across *across, struct ifr_error *err) {
	struct ifr_icost single;
	struct crossing crossing = {.request = request, .across = across};
	*across = (struct ifr_across){.layouts = request->count};
	across->cycles = ifr_alloc(request->count * sizeof *across->cycles);
	across->weights = ifr_alloc(request->count * sizeof *across->weights);
	crossing.times = ifr_alloc(request->count * sizeof *crossing.times);
	ifr_icost_init_singles(&single, request->causes);
	int result = replay(&crossing, &single, false, err);
	if (!result) {
		for (size_t i = 0; i < request->count; i++)
			across->cycles[i] = crossing.times[i].cycles[0];
		ifr_across_weigh(across, request->two_layouts);
		weigh_times(&crossing, &single);
		result = replay_chosen(&crossing, &single, err);
	}
	for (size_t i = 0; i < request->count; i++)
		ifr_ideal_times_release(&crossing.times[i]);
	free(crossing.times);
	ifr_icost_release(&single);
	return result;
}

void ifr_across_release(struct ifr_across *across) {
	ifr_icost_release(&across->icost);
	ifr_code_lines_release(&across->lines);
	free(across->cycles);
	free(across->weights);
	free(across->line_cycles);
	*across = (struct ifr_across){0};
}

/* --- by line -------------------------------------------------------------------------------------------------- */

double ifr_across_line(const struct ifr_across *across, size_t line) {
	return across->line_cycles[line];
}

double ifr_across_line_share(const struct ifr_across *across, enum ifr_cause cause, size_t line) {
	const unsigned n = (unsigned)__builtin_popcount(across->icost.causes);
	double sum = 0;
	for (size_t i = 0; i < across->icost.count; i++)
		sum += ifr_icost_share_weight(n, across->icost.sets[i], cause) *
		       across->line_cycles[i * across->lines.count + line];
	return sum;
}
