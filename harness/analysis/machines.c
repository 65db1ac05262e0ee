/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of machines.
 *
 * Problem: runs of several machines differ by the machines' speed, which is no layout's effect; and a layout that is fast
 * on one kind of processor need not be on another.
 *
 * Idea: in logarithms a run is the level of its node, plus the median of its layout on that kind, plus noise. Levels and
 * medians are found in turn (median polish), which also holds where nodes measured different layouts, as pieces of a
 * repetition do. Without the nodes' levels, layouts crossed with kinds give two components: common, and a kind's own.
 * Ref: Tukey 1977, chapter 11 (median polish). */
#include "harness/analysis/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/result.h"

enum { TURNS = 10 };

struct leveling {
	struct ifr_analysis *analysis;
	const struct ifr_dataset *dataset;
	struct ifr_machine_findings *found;
	double *logs;            /* [runs]; NaN: does not count */
	size_t *kind_of;         /* [nodes + 1] */
	double *node;            /* [nodes + 1] level */
	double *cell;            /* [variants * kinds] median; NaN: no run */
	double *room;            /* [runs + nodes] */
	size_t *first, *by_node; /* the runs of node n: by_node[first[n] ... first[n + 1] - 1] */
	size_t node_count;
};

static bool find_kinds(struct leveling *l) {
	struct ifr_machine_findings *found = l->found;
	for (size_t i = 0; i < l->node_count; i++) {
		size_t kind = 0;
		if (l->first[i + 1] == l->first[i])
			continue;
		while (kind < found->kind_count &&
		       strcmp(found->kinds[kind].processor, ifr_dataset_processor(l->dataset, (unsigned)i)) != 0)
			kind++;
		if (kind == IFR_MACHINE_KINDS)
			return false;
		if (kind == found->kind_count)
			found->kinds[found->kind_count++] = (struct ifr_machine_kind){
				.processor = ifr_dataset_processor(l->dataset, (unsigned)i), .lowest = 1, .highest = 1};
		found->kinds[kind].nodes++;
		found->nodes++;
		l->kind_of[i] = kind;
	}
	return found->nodes > 1;
}

/* The median of the runs of a variant on a kind. */
static double find_cell(struct leveling *l, size_t variant, size_t kind) {
	const struct ifr_analysis *analysis = l->analysis;
	size_t count = 0;
	double median = NAN;
	for (size_t i = analysis->first[variant]; i < analysis->first[variant + 1]; i++) {
		const size_t run = analysis->by_variant[i], node = l->dataset->runs[run].node;
		if (!isnan(l->logs[run]) && l->kind_of[node] == kind)
			l->room[count++] = l->logs[run] - l->node[node];
	}
	if (count)
		ifr_sample_median(l->room, count, &median, NULL);
	return median;
}

/* The median of a node's runs beyond those of their layouts. */
static double find_node(struct leveling *l, size_t node) {
	const size_t kinds = l->found->kind_count;
	size_t count = 0;
	double median = 0;
	for (size_t i = l->first[node]; i < l->first[node + 1]; i++) {
		const size_t run = l->by_node[i];
		l->room[count++] = l->logs[run] - l->cell[l->dataset->runs[run].variant * kinds + l->kind_of[node]];
	}
	if (count)
		ifr_sample_median(l->room, count, &median, NULL);
	return median;
}

/* The median node of a kind has the level 0. */
static void centre_nodes(struct leveling *l, size_t kind) {
	struct ifr_machine_kind *found = &l->found->kinds[kind];
	size_t count = 0;
	double median = 0;
	for (size_t i = 0; i < l->node_count; i++)
		if (l->first[i + 1] > l->first[i] && l->kind_of[i] == kind)
			l->room[count++] = l->node[i];
	ifr_sample_median(l->room, count, &median, NULL);
	for (size_t i = 0; i < l->node_count; i++)
		if (l->first[i + 1] > l->first[i] && l->kind_of[i] == kind) {
			l->node[i] -= median;
			found->lowest = fmin(found->lowest, exp(l->node[i]));
			found->highest = fmax(found->highest, exp(l->node[i]));
		}
}

static void polish(struct leveling *l) {
	const size_t kinds = l->found->kind_count, cells = l->dataset->variant_count * kinds;
	for (int turn = 0; turn < TURNS; turn++) {
		for (size_t i = 0; i < cells; i++)
			l->cell[i] = find_cell(l, i / kinds, i % kinds);
		for (size_t i = 0; i < l->node_count; i++)
			l->node[i] = find_node(l, i);
	}
	for (size_t kind = 0; kind < kinds; kind++)
		centre_nodes(l, kind);
	for (size_t i = 0; i < cells; i++)
		l->cell[i] = find_cell(l, i / kinds, i % kinds);
}

static bool is_everywhere(const struct leveling *l, size_t variant) {
	for (size_t kind = 0; kind < l->found->kind_count; kind++)
		if (isnan(l->cell[variant * l->found->kind_count + kind]))
			return false;
	return true;
}

/* The mean of a kind's layouts, of those that all kinds measured, about the mean of all kinds. */
static bool level_kinds(struct leveling *l, double *kind_level) {
	const size_t kinds = l->found->kind_count;
	double mean = 0;
	size_t rows = 0;
	for (size_t v = 0; v < l->dataset->variant_count; v++)
		if (is_everywhere(l, v)) {
			rows++;
			for (size_t kind = 0; kind < kinds; kind++)
				kind_level[kind] += l->cell[v * kinds + kind];
		}
	for (size_t kind = 0; kind < kinds && rows; kind++)
		mean += kind_level[kind] /= (double)rows;
	for (size_t kind = 0; kind < kinds && rows; kind++) {
		kind_level[kind] -= mean / (double)kinds;
		l->found->kinds[kind].level = exp(kind_level[kind]);
	}
	return rows;
}

/* Random layouts crossed with kinds; twins are of one copy. */
static void cross(struct leveling *l) {
	const struct ifr_dataset *dataset = l->dataset;
	const size_t kinds = l->found->kind_count;
	struct ifr_group *cells = ifr_alloc((dataset->variant_count * kinds + 1) * sizeof *cells);
	double *values = ifr_alloc((dataset->run_count + 1) * sizeof *values);
	size_t count = 0, rows = 0;
	for (size_t v = 0; v < dataset->variant_count; v++) {
		if (!dataset->variants[v].layout)
			continue;
		for (size_t kind = 0; kind < kinds; kind++) {
			struct ifr_group *cell = &cells[rows * kinds + kind];
			cell->values = values + count;
			for (size_t i = l->analysis->first[v]; i < l->analysis->first[v + 1]; i++) {
				const size_t run = l->analysis->by_variant[i], node = dataset->runs[run].node;
				if (isnan(l->logs[run]) || dataset->runs[run].twin || l->kind_of[node] != kind)
					continue;
				values[count++] = l->logs[run] - l->node[node];
				cell->count++;
			}
		}
		rows++;
	}
	l->found->crossed = !ifr_crossed_estimate(cells, rows, kinds, &l->found->effect, &l->found->why_not);
	free(values);
	free(cells);
}

/* The runs that count, by node. */
static void sort_by_node(struct leveling *l) {
	const struct ifr_dataset *dataset = l->dataset;
	for (size_t i = 0; i < dataset->run_count; i++)
		if (!isnan(l->logs[i]))
			l->first[dataset->runs[i].node + 2]++;
	for (size_t i = 1; i <= l->node_count; i++)
		l->first[i + 1] += l->first[i];
	for (size_t i = 0; i < dataset->run_count; i++)
		if (!isnan(l->logs[i]))
			l->by_node[l->first[dataset->runs[i].node + 1]++] = i;
}

static bool take_logs(struct leveling *l, const double *values) {
	for (size_t i = 0; i < l->dataset->run_count; i++) {
		if (values[i] <= 0)
			return false;
		l->logs[i] = isnan(values[i]) || l->dataset->runs[i].simulated ? NAN : log(values[i]);
	}
	return true;
}

static void level(struct leveling *l, double *values) {
	double kind_level[IFR_MACHINE_KINDS] = {0};
	sort_by_node(l);
	if (!find_kinds(l))
		return;
	polish(l);
	ifr_machines_find_noise(l->analysis, l->logs, l->kind_of, l->node);
	if (l->found->kind_count > 1 && !level_kinds(l, kind_level))
		ifr_fail(&l->found->why_not, IFR_E_USAGE, "no layout was measured on all kinds of machines");
	else if (l->found->kind_count > 1)
		cross(l);
	for (size_t i = 0; i < l->dataset->run_count; i++) {
		const size_t node = l->dataset->runs[i].node;
		if (!isnan(l->logs[i]))
			values[i] = exp(l->logs[i] - l->node[node] - kind_level[l->kind_of[node]]);
	}
}

void ifr_machines_level(struct ifr_analysis *analysis, double *values) {
	const struct ifr_dataset *dataset = analysis->dataset;
	const size_t nodes = dataset->node_count + 1, runs = dataset->run_count + 1;
	if (!dataset->node_count)
		return;
	struct leveling l = {.analysis = analysis,
	                     .dataset = dataset,
	                     .found = &analysis->machines,
	                     .logs = ifr_alloc(runs * sizeof *l.logs),
	                     .kind_of = ifr_alloc(nodes * sizeof *l.kind_of),
	                     .node = ifr_alloc(nodes * sizeof *l.node),
	                     .cell = ifr_alloc((dataset->variant_count * IFR_MACHINE_KINDS + 1) * sizeof *l.cell),
	                     .room = ifr_alloc((runs + nodes) * sizeof *l.room),
	                     .first = ifr_alloc((nodes + 2) * sizeof *l.first),
	                     .by_node = ifr_alloc(runs * sizeof *l.by_node),
	                     .node_count = nodes};
	if (take_logs(&l, values))
		level(&l, values);
	free(l.by_node);
	free(l.first);
	free(l.room);
	free(l.cell);
	free(l.node);
	free(l.kind_of);
	free(l.logs);
}
