/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "harness/analysis/set_conflicts.h"

enum { PAGES_MOST = 8, CLASSES_MOST = 8, LAYOUTS_LEAST = 8 };

static const struct {
	unsigned frame, step;
} features[IFR_FEATURES] = {{64, 16}, {32, 16}, {16, 4}, {4096 * PAGES_MOST, 4096}};

unsigned ifr_feature_class_count(enum ifr_feature feature) {
	return features[feature].frame / features[feature].step;
}

unsigned ifr_feature_class(enum ifr_feature feature, uint64_t address, uint64_t lowest) {
	if (feature == IFR_FEATURE_PAGE)
		address -= lowest / 4096 * 4096;
	return (unsigned)(address % features[feature].frame / features[feature].step);
}

void ifr_feature_class_extent(enum ifr_feature feature, unsigned class, unsigned *offset, unsigned *bytes,
                              unsigned *frame) {
	*offset = class * features[feature].step;
	*bytes = features[feature].step;
	*frame = features[feature].frame;
}

uint64_t ifr_finding_address(const struct ifr_finding *finding, unsigned class, struct ifr_unit_extent unit,
                             struct ifr_unit_extent other) {
	unsigned offset, bytes, frame;
	if (finding->feature == IFR_FEATURE_SET_CONFLICT)
		return set_conflict_address(class, unit, other);
	ifr_feature_class_extent(finding->feature, class, &offset, &bytes, &frame);
	return finding->feature == IFR_FEATURE_PAGE ? 0 : unit.at / frame * frame + offset;
}

/* Fills class_of and used with the layouts whose class has LAYOUTS_PER_CLASS of them; returns their number. */
static size_t classify(const struct layout_sample *sample, size_t unit, enum ifr_feature feature) {
	size_t in_class[CLASSES_MOST] = {0}, used = 0;
	for (size_t i = 0; i < sample->count; i++)
		if (layout_sample_address(sample, i, unit))
			in_class[ifr_feature_class(feature, layout_sample_address(sample, i, unit), sample->lowest)]++;
	for (size_t i = 0; i < sample->count; i++) {
		uint64_t at = layout_sample_address(sample, i, unit);
		unsigned class = at ? ifr_feature_class(feature, at, sample->lowest) : 0;
		if (!at || in_class[class] < LAYOUTS_PER_CLASS)
			continue;
		sample->class_of[used] = class;
		sample->used[used] = sample->response[i];
		sample->used_score[used++] = sample->score[i];
	}
	return used;
}

static void test_unit(const struct layout_sample *sample, size_t unit, struct ifr_attribution *attribution) {
	bool tested = false;
	for (int feature = 0; feature < IFR_FEATURES; feature++) {
		struct ifr_finding finding = {.unit = sample->addresses->units[unit],
		                              .feature = (enum ifr_feature)feature,
		                              .source =
		                                  sample->addresses->sources ? sample->addresses->sources[unit] : NULL};
		if (feature == IFR_FEATURE_PAGE && sample->highest / 4096 - sample->lowest / 4096 >= PAGES_MOST)
			continue;
		size_t used = classify(sample, unit, finding.feature);
		if (layout_sample_test(sample, used, ifr_feature_class_count(finding.feature), &finding))
			continue;
		layout_sample_contrast(sample, used, &finding);
		attribution->findings =
			ifr_realloc(attribution->findings, attribution->count + 1, sizeof *attribution->findings);
		attribution->findings[attribution->count++] = finding;
		tested = true;
	}
	attribution->units += tested;
}

static int by_p(const void *a, const void *b) {
	const struct ifr_finding *x = a, *y = b;
	if (x->classes.p != y->classes.p)
		return x->classes.p < y->classes.p ? -1 : 1;
	int names = strcmp(x->unit, y->unit);
	return names ? names : (int)x->feature - (int)y->feature;
}

static void adjust_p_values(struct ifr_attribution *attribution, double families) {
	double *p = ifr_alloc((attribution->count + 1) * sizeof *p);
	if (attribution->count)
		qsort(attribution->findings, attribution->count, sizeof *attribution->findings, by_p);
	for (size_t i = 0; i < attribution->count; i++)
		p[i] = attribution->findings[i].classes.p;
	ifr_p_adjust_fdr(p, attribution->count);
	for (size_t i = 0; i < attribution->count; i++) {
		attribution->findings[i].p_adjusted = fmin(1, p[i] * families);
		attribution->found += p[i] * families < IFR_REPORT_LEVEL;
	}
	free(p);
}

double ifr_attribution_least_share(double tests, size_t layouts) {
	if (layouts < 3 || !(tests > 0))
		return 1;
	const double df = (double)layouts - 2, t = gsl_cdf_tdist_Qinv(IFR_REPORT_LEVEL / tests / 2, df);
	return t * t / (t * t + df);
}

static struct ifr_unit_extent shipped_extent(const struct ifr_unit_addresses *addresses, const char *unit) {
	size_t index = unit ? ifr_unit_addresses_index(addresses, unit) : addresses->unit_count;
	return index < addresses->unit_count
	           ? (struct ifr_unit_extent){addresses->shipped[index], addresses->bytes[index]}
	           : (struct ifr_unit_extent){0};
}

/* Finds the place in the shipped program that the remedy of each significant finding names. */
static void find_remedies(const struct ifr_unit_addresses *addresses, struct ifr_attribution *attribution) {
	for (size_t i = 0; i < attribution->found && addresses->shipped; i++) {
		struct ifr_finding *f = &attribution->findings[i];
		const size_t index = ifr_unit_addresses_index(addresses, f->unit);
		f->pin = addresses->pins && index < addresses->unit_count ? addresses->pins[index] : NULL;
		f->neighbour = f->pin ? ifr_unit_addresses_neighbour(addresses, index) : NULL;
		const struct ifr_unit_extent unit = shipped_extent(addresses, f->unit),
									 other = shipped_extent(addresses, f->other);
		if (!unit.at || (f->other && !other.at))
			continue;
		f->best_at = ifr_finding_address(f, (unsigned)f->classes.lowest, unit, other);
		f->lead = ifr_unit_addresses_lead(addresses, ifr_unit_addresses_index(addresses, f->unit));
	}
}

/* The units of one family; their names and sources stay with the addresses. The caller frees the arrays. */
static void take_family(const struct ifr_unit_addresses *all, bool first, struct ifr_unit_addresses *family) {
	const size_t room = all->unit_count + 1;
	*family = (struct ifr_unit_addresses){.variant_count = all->variant_count,
	                                      .units = ifr_alloc(room * sizeof *family->units),
	                                      .bytes = all->bytes ? ifr_alloc(room * sizeof *family->bytes) : NULL,
	                                      .sources = ifr_alloc(room * sizeof *family->sources)};
	size_t *index = ifr_alloc(room * sizeof *index);
	for (size_t i = 0; i < all->unit_count; i++) {
		if (all->first && all->first[i] != first)
			continue;
		const size_t to = family->unit_count++;
		index[to] = i;
		family->units[to] = all->units[i];
		family->sources[to] = all->sources ? all->sources[i] : NULL;
		if (all->bytes)
			family->bytes[to] = all->bytes[i];
	}
	family->at = ifr_alloc((all->variant_count * family->unit_count + 1) * sizeof *family->at);
	for (size_t v = 0; v < all->variant_count; v++)
		for (size_t i = 0; i < family->unit_count; i++)
			family->at[v * family->unit_count + i] = all->at[v * all->unit_count + index[i]];
	free(index);
}

/* part: of the false discovery rate. */
static void test_family(const struct ifr_analysis *analysis, const struct ifr_unit_addresses *all, bool first,
                        double part, struct ifr_attribution *attribution) {
	struct ifr_unit_addresses family;
	struct layout_sample sample;
	take_family(all, first, &family);
	layout_sample_take(analysis, &family, &sample);
	for (size_t unit = 0; unit < family.unit_count; unit++)
		test_unit(&sample, unit, attribution);
	adjust_p_values(attribution, (family.bytes ? HYPOTHESIS_FAMILIES : 1) / part);
	set_conflicts_find(&sample, HYPOTHESIS_FAMILIES / part, attribution);
	layout_sample_release(&sample);
	free(family.units);
	free(family.bytes);
	free(family.sources);
	free(family.at);
}

/* Adds the findings of a second family: significant ones behind the significant ones. Frees them there. */
static void append_family(struct ifr_attribution *to, struct ifr_attribution *more) {
	struct ifr_finding *all = ifr_alloc((to->count + more->count + 1) * sizeof *all), *end = all;
	const struct ifr_attribution *parts[] = {to, more};
	for (int found = 1; found >= 0; found--)
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			for (size_t j = 0; j < parts[i]->count; j++)
				if ((j < parts[i]->found) == found)
					*end++ = parts[i]->findings[j];
	free(to->findings);
	free(more->findings);
	to->findings = all;
	to->count += more->count;
	to->found += more->found;
	to->conflicts += more->conflicts;
	to->pairs += more->pairs;
	to->units += more->units;
}

int ifr_attribution_make(const struct ifr_analysis *analysis, const struct ifr_unit_addresses *addresses,
                         struct ifr_attribution *attribution, struct ifr_error *err) {
	struct ifr_attribution others = {0};
	*attribution = (struct ifr_attribution){.layouts = analysis->random_count};
	if (analysis->random_count < LAYOUTS_LEAST)
		return ifr_fail(err, IFR_E_USAGE,
		                "attribution to code takes %d random layouts at least, and there are %zu", LAYOUTS_LEAST,
		                analysis->random_count);
	test_family(analysis, addresses, true, addresses->first ? IFR_FIRST_PART : 1, attribution);
	attribution->first_units = attribution->units;
	if (addresses->first) {
		test_family(analysis, addresses, false, 1 - IFR_FIRST_PART, &others);
		append_family(attribution, &others);
	}
	find_remedies(addresses, attribution);
	return 0;
}

void ifr_attribution_release(struct ifr_attribution *attribution) {
	free(attribution->findings);
	*attribution = (struct ifr_attribution){0};
}
