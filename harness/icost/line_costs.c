/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/line_costs.h"

#include <stdlib.h>
#include <string.h>

/* --- the lines ------------------------------------------------------------------------------------------------ */

/* Adds up how often the instructions of each line were executed. */
static void count_executions(struct ifr_trace *trace, const struct ifr_code_lines *lines, uint64_t *executed) {
	const struct ifr_trace_block *blocks;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	uint64_t *runs = ifr_alloc((count + 1) * sizeof *runs);
	struct ifr_trace_chunk chunk;
	ifr_trace_rewind(trace);
	do {
		ifr_trace_read_chunk(trace, 65536, &chunk);
		for (size_t i = 0; i < chunk.executions_count; i++)
			if (chunk.executions[i] != IFR_EXECUTION_BREAK)
				runs[chunk.executions[i] >> 1]++;
	} while (chunk.executions_count);
	for (size_t i = 0; i < lines->instructions; i++)
		if (!lines->sites[i].fused)
			executed[lines->of[i]] += runs[lines->sites[i].block];
	free(runs);
}

static void insert_line(struct ifr_line_costs *costs, struct ifr_line_cost line) {
	size_t at = costs->count < IFR_LINE_COSTS_MOST ? costs->count++ : IFR_LINE_COSTS_MOST;
	for (; at && costs->items[at - 1].retires < line.retires; at--)
		if (at < IFR_LINE_COSTS_MOST)
			costs->items[at] = costs->items[at - 1];
	if (at < IFR_LINE_COSTS_MOST)
		costs->items[at] = line;
}

/* Chooses the lines for which retirement waits longest. */
static int choose_lines(const struct ifr_icost_subject *subject, struct ifr_line_costs *costs,
                        struct ifr_error *err) {
	struct ifr_icost icost;
	ifr_icost_init_singles(&icost, 0);
	int result = ifr_code_lines_find(subject->trace, subject->machine, &costs->lines, err);
	if (!result)
		result = ifr_icost_replay(subject, NULL, &icost, &costs->instructions, err);
	if (!result) {
		const struct ifr_code_lines *lines = &costs->lines;
		double *retires = ifr_alloc((lines->count + 1) * sizeof *retires);
		uint64_t *executed = ifr_alloc((lines->count + 1) * sizeof *executed);
		costs->cycles = ifr_icost_time(&icost, 0);
		for (size_t i = 0; i < lines->instructions; i++)
			retires[lines->of[i]] += icost.times.instruction_cycles[i];
		count_executions(subject->trace, lines, executed);
		for (size_t i = 0; i < lines->count; i++)
			if (retires[i] > 0 && executed[i])
				insert_line(costs, (struct ifr_line_cost){
									   .line = (uint32_t)i, .executed = executed[i], .retires = retires[i]});
		free(retires);
		free(executed);
	}
	ifr_icost_release(&icost);
	return result;
}

/* --- their costs ---------------------------------------------------------------------------------------------- */

/* Site n takes no time in line n, and is a cycle later in line n - count. */
static void mark_lines(const struct ifr_line_costs *costs, uint16_t *of, struct ifr_site_marks *marks) {
	const struct ifr_code_lines *lines = &costs->lines;
	*marks = (struct ifr_site_marks){.of = of, .count = lines->instructions};
	for (size_t n = 0; n < costs->count; n++) {
		const uint16_t both = (uint16_t)(1u << n | 1u << (n + costs->count));
		marks->delayed |= (uint16_t)(1u << (n + costs->count));
		for (size_t i = 0; i < lines->instructions; i++)
			if (lines->of[i] == costs->items[n].line)
				of[i] |= both;
	}
}

int ifr_line_costs_find(const struct ifr_icost_subject *subject, struct ifr_line_costs *costs,
                        struct ifr_error *err) {
	struct ifr_site_marks marks;
	struct ifr_icost icost;
	*costs = (struct ifr_line_costs){0};
	int result = choose_lines(subject, costs, err);
	if (result || !costs->count)
		return result;
	uint16_t *of = ifr_alloc((costs->lines.instructions + 1) * sizeof *of);
	mark_lines(costs, of, &marks);
	ifr_icost_init_singles(&icost, ((1u << 2 * costs->count) - 1) << IFR_CAUSES);
	result = ifr_icost_replay(subject, &marks, &icost, &costs->instructions, err);
	for (size_t n = 0; n < costs->count && !result; n++) {
		struct ifr_line_cost *item = &costs->items[n];
		item->cost = ifr_icost_cost(&icost, 1u << (IFR_CAUSES + n));
		item->later = ifr_icost_cost(&icost, 1u << (IFR_CAUSES + n + costs->count));
		item->later.cycles = -item->later.cycles;
		item->criticality = item->later.cycles / (double)item->executed;
	}
	ifr_icost_release(&icost);
	free(of);
	return result;
}

void ifr_line_costs_release(struct ifr_line_costs *costs) {
	ifr_code_lines_release(&costs->lines);
	*costs = (struct ifr_line_costs){0};
}
