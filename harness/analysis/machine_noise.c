/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of each node: by its calibration, and by the runs of one layout on it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/machines.h"
#include "harness/analysis/result.h"

/* Runs that tell a node's noise where it has no calibration, and the multiple of the usual noise that is told. */
enum { FEWEST_DF = 4, FEWEST_NODES = 3, NOISY = 3 };

/* Deviations of the runs of one layout on one node. */
struct sums {
	double sum, squares;
	size_t count;
};

static double number_of(const json_t *object, const char *key) {
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The document behind "calibration: ", which begins a line; other facts may follow. */
static void read_calibration(const char *facts, struct ifr_machine_node *node) {
	static const char name[] = "calibration: ";
	const char *at = facts;
	while (at && strncmp(at, name, sizeof name - 1) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	json_t *document = at ? json_loads(at + sizeof name - 1, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	node->calibrated_sd = number_of(document, "within_sd");
	node->calibrated_calls = number_of(document, "called_other_runs");
	json_decref(document);
}

/* Adds the squares of a layout's runs to their nodes, and leaves the sums empty. */
static void take_variant(const struct ifr_analysis *analysis, size_t variant, struct sums *sums, double *squares,
                         size_t *df) {
	const size_t *first = &analysis->by_variant[analysis->first[variant]],
				 *end = &analysis->by_variant[analysis->first[variant + 1]];
	for (const size_t *run = first; run < end; run++) {
		const size_t node = analysis->dataset->runs[*run].node;
		if (sums[node].count > 1) {
			squares[node] += sums[node].squares - sums[node].sum * sums[node].sum / (double)sums[node].count;
			df[node] += sums[node].count - 1;
		}
		sums[node] = (struct sums){0};
	}
}

static void pool_runs(const struct ifr_analysis *analysis, const double *logs, double *squares, size_t *df) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct sums *sums = ifr_alloc((dataset->node_count + 1) * sizeof *sums);
	for (size_t v = 0; v < dataset->variant_count; v++) {
		double origin = NAN;
		for (size_t i = analysis->first[v]; i < analysis->first[v + 1]; i++) {
			const size_t run = analysis->by_variant[i];
			if (isnan(logs[run]) || dataset->runs[run].twin)
				continue;
			origin = isnan(origin) ? logs[run] : origin;
			struct sums *of = &sums[dataset->runs[run].node];
			of->count++;
			of->sum += logs[run] - origin;
			of->squares += (logs[run] - origin) * (logs[run] - origin);
		}
		take_variant(analysis, v, sums, squares, df);
	}
	free(sums);
}

static int by_noise(const void *one, const void *other) {
	const struct ifr_machine_node *a = one, *b = other;
	if (isnan(a->noise) || isnan(b->noise))
		return isnan(a->noise) - isnan(b->noise);
	return (a->noise < b->noise) - (a->noise > b->noise);
}

static void judge(struct ifr_machine_findings *found) {
	size_t known = 0;
	qsort(found->node, found->nodes, sizeof *found->node, by_noise);
	while (known < found->nodes && !isnan(found->node[known].noise))
		known++;
	found->usual_noise = known ? (found->node[(known - 1) / 2].noise + found->node[known / 2].noise) / 2 : NAN;
	for (size_t i = 0; i < known && known >= FEWEST_NODES; i++)
		found->noisy += found->node[i].noise > NOISY * found->usual_noise;
}

void ifr_machines_find_noise(struct ifr_analysis *analysis, const double *logs, const size_t *kind_of,
                             const double *level) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct ifr_machine_findings *found = &analysis->machines;
	const size_t nodes = dataset->node_count + 1;
	const char *here = ifr_dataset_fact(dataset, "host");
	double *squares = ifr_alloc(nodes * sizeof *squares);
	size_t *df = ifr_alloc(nodes * sizeof *df), *runs = ifr_alloc(nodes * sizeof *runs), used = 0;
	pool_runs(analysis, logs, squares, df);
	for (size_t i = 0; i < dataset->run_count; i++)
		runs[dataset->runs[i].node] += !isnan(logs[i]);
	found->node = ifr_alloc((found->nodes + 1) * sizeof *found->node);
	for (size_t i = 0; i < nodes && used < found->nodes; i++) {
		struct ifr_machine_node *node = &found->node[used];
		if (!runs[i])
			continue;
		*node = (struct ifr_machine_node){.host = i      ? dataset->nodes[i - 1].host
		                                          : here ? here
		                                                 : "this machine",
		                                  .kind = kind_of[i],
		                                  .runs = runs[i],
		                                  .level = exp(level[i]),
		                                  .run_sd = df[i] ? sqrt(squares[i] / (double)df[i]) : NAN,
		                                  .run_df = df[i]};
		read_calibration(i ? dataset->nodes[i - 1].facts : NULL, node);
		node->noise = !isnan(node->calibrated_sd) ? node->calibrated_sd : df[i] >= FEWEST_DF ? node->run_sd : NAN;
		used++;
	}
	judge(found);
	free(runs);
	free(df);
	free(squares);
}

void ifr_machines_release(struct ifr_machine_findings *machines) {
	free(machines->node);
	machines->node = NULL;
}
