/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

/* Layouts by number, of one program of one experiment. */
struct numbered {
	double *median; /* [count]; NaN for a layout without a value that counts */
	const char **sha256;
	size_t count;
	bool has_spread;
	double sd, reliability; /* between layouts, relative; of a median */
	struct ifr_interval sd_interval;
};

/* The spread of the layouts, and how much of a median's deviation is its layout's. */
static void measure_spread(const struct ifr_analysis *analysis, struct numbered *layouts) {
	const struct ifr_components *c = &analysis->components;
	layouts->has_spread = analysis->has_components && c->noise_known && analysis->centre > 0;
	if (!layouts->has_spread)
		return;
	const size_t runs = c->values / c->groups;
	layouts->sd = c->between_sd / analysis->centre;
	layouts->sd_interval =
		(struct ifr_interval){c->between_interval.low / analysis->centre,
	                          c->between_interval.high / analysis->centre, c->between_interval.confidence};
	layouts->reliability =
		ifr_reliability(c->between_variance, c->ms_within * ifr_median_variance(runs ? runs : 1));
}

/* The medians are those of a report, of detrended runs: both give the same ranks. */
static void number_layouts(const struct ifr_dataset *dataset, unsigned program, size_t counter, size_t count,
                           struct numbered *layouts) {
	struct ifr_analysis *analysis = NULL;
	*layouts = (struct numbered){.median = ifr_alloc((count + 1) * sizeof *layouts->median),
	                             .sha256 = ifr_alloc((count + 1) * sizeof *layouts->sha256),
	                             .count = count};
	for (size_t i = 0; i < count; i++)
		layouts->median[i] = NAN;
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].program == program && dataset->variants[i].layout < count)
			layouts->sha256[dataset->variants[i].layout] = dataset->variants[i].sha256;
	if (ifr_analysis_make_brief(dataset, counter, &analysis))
		return;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout->variant->program == program && layout->variant->layout < count)
			layouts->median[layout->variant->layout] = layout->median;
	}
	measure_spread(analysis, layouts);
	ifr_analysis_free(analysis);
}

static void release_layouts(struct numbered *layouts) {
	free(layouts->median);
	free(layouts->sha256);
}

/* Layouts 0 … count-1 hold every variant of a dataset. */
static size_t count_layouts(const struct ifr_dataset *dataset) {
	size_t count = 0;
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].layout < dataset->variant_count && dataset->variants[i].layout >= count)
			count = dataset->variants[i].layout + 1;
	return count;
}

static void correlate(const struct numbered sides[2], struct ifr_agreement *agreement) {
	double *x = ifr_alloc((sides[0].count + 1) * sizeof *x), *y = ifr_alloc((sides[0].count + 1) * sizeof *y);
	for (size_t i = 1; i < sides[0].count; i++)
		if (isfinite(sides[0].median[i]) && isfinite(sides[1].median[i])) {
			x[agreement->layouts] = sides[0].median[i];
			y[agreement->layouts++] = sides[1].median[i];
		}
	agreement->known = agreement->layouts >= 3 &&
	                   !ifr_correlation_pearson(x, y, agreement->layouts, 0.95, &agreement->linear, NULL) &&
	                   !ifr_correlation_spearman(x, y, agreement->layouts, 0.95, &agreement->rank, NULL);
	free(x);
	free(y);
}

static void rank_shipped(const struct numbered *layouts, size_t *rank, size_t *ranked) {
	*rank = *ranked = 0;
	if (!layouts->count || !isfinite(layouts->median[0]))
		return;
	*rank = 1;
	for (size_t i = 0; i < layouts->count; i++) {
		*ranked += isfinite(layouts->median[i]);
		*rank += layouts->median[i] < layouts->median[0];
	}
}

static void compare_bytes(const struct numbered sides[2], struct ifr_agreement *agreement) {
	for (size_t i = 0; i < sides[0].count; i++) {
		const char *first = sides[0].sha256[i], *second = sides[1].sha256[i];
		if (!first || !second || !*first || !*second)
			continue;
		agreement->compared_bytes++;
		agreement->other_bytes += strcmp(first, second) != 0;
	}
}

static void compare_facts(const struct ifr_dataset *first, const struct ifr_dataset *second,
                          struct ifr_strings *differences) {
	static const char *const names[][2] = {{"host", "host"},
	                                       {"processor", "processor"},
	                                       {"kernel", "kernel"},
	                                       {"tool version", "interfero"},
	                                       {"counters", "counters"},
	                                       {"aslr", "address-space randomization"},
	                                       {"path length", "length of the paths"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *then = ifr_dataset_fact(first, names[i][0]), *now = ifr_dataset_fact(second, names[i][0]);
		if (then && now && strcmp(then, now))
			ifr_strings_take(differences, ifr_format("%s: %s, then %s", names[i][1], then, now));
	}
}

/* The word NAME=… of a list, or NULL. */
static const char *find_word(const struct ifr_strings *list, const char *word) {
	size_t name = strcspn(word, "=") + 1;
	for (size_t i = 0; i < list->count; i++)
		if (!strncmp(list->items[i], word, name))
			return list->items[i];
	return NULL;
}

static void compare_libraries(const struct ifr_dataset *first, const struct ifr_dataset *second, unsigned program,
                              struct ifr_strings *differences) {
	const char *then = ifr_dataset_program_fact(first, "libraries", program),
			   *now = ifr_dataset_program_fact(second, "libraries", program);
	struct ifr_strings before = {0}, after = {0};
	ifr_strings_split(&before, then ? then : "", " ");
	ifr_strings_split(&after, now ? now : "", " ");
	for (size_t i = 0; i < after.count && before.count; i++) {
		const char *old = find_word(&before, after.items[i]);
		int length = (int)strcspn(after.items[i], "=");
		if (!old)
			ifr_strings_take(differences,
			                 ifr_format("library %.*s: not loaded, then loaded", length, after.items[i]));
		else if (strcmp(old, after.items[i]))
			ifr_strings_take(differences,
			                 ifr_format("library %.*s: another file (%.8s, then %.8s)", length, after.items[i],
			                            old + length + 1, after.items[i] + length + 1));
	}
	if (!then)
		ifr_strings_add(differences, "libraries: not known, as the first experiment did not record them");
	ifr_strings_release(&before);
	ifr_strings_release(&after);
}

int ifr_agreement_make(const struct ifr_dataset *first, const struct ifr_dataset *second, unsigned program,
                       const char *metric, struct ifr_agreement *agreement, struct ifr_error *err) {
	const struct ifr_dataset *const datasets[2] = {first, second};
	const struct ifr_comparison_side sides[2] = {{first, program, "the first experiment", NULL},
	                                             {second, program, "its repetition", NULL}};
	const struct ifr_comparison_rules rules = {.margin = 0.01};
	struct numbered layouts[2];
	int counters[2];
	*agreement = (struct ifr_agreement){0};
	compare_facts(first, second, &agreement->differences);
	compare_libraries(first, second, program, &agreement->differences);
	/* By the metric that a report of the first one is about. */
	const int reported = metric ? -1 : ifr_benchmarks_choose(first);
	if (reported >= 0)
		metric = first->counters[reported].name;
	if (ifr_metric_match(datasets, metric, counters) >= 0)
		return ifr_fail(err, IFR_E_USAGE, "the two experiments have no counter in common%s%s", metric ? ": " : "",
		                metric ? metric : "");
	agreement->metric = second->counters[counters[1]];
	const size_t a = count_layouts(first), b = count_layouts(second), count = a < b ? a : b;
	for (int i = 0; i < 2; i++)
		number_layouts(datasets[i], program, (size_t)counters[i], count, &layouts[i]);
	correlate(layouts, agreement);
	compare_bytes(layouts, agreement);
	agreement->has_spread = layouts[0].has_spread && layouts[1].has_spread;
	/* A correlation is attenuated by the root of both reliabilities (Spearman 1904). */
	agreement->expected_r = sqrt(layouts[0].reliability * layouts[1].reliability);
	for (int i = 0; i < 2; i++) {
		agreement->sd[i] = layouts[i].sd;
		agreement->sd_interval[i] = layouts[i].sd_interval;
	}
	for (int i = 0; i < 2; i++)
		rank_shipped(&layouts[i], &agreement->shipped_rank[i], &agreement->ranked[i]);
	for (int i = 0; i < 2; i++)
		release_layouts(&layouts[i]);
	return ifr_comparison_make(&sides[0], &sides[1], agreement->metric.name, &rules, &agreement->comparison, err);
}

void ifr_agreement_release(struct ifr_agreement *agreement) {
	ifr_strings_release(&agreement->differences);
}
