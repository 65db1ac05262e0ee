/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units that share sets of a cache may evict each other's lines, wherever they lie. */
#include "harness/analysis/set_conflicts.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits 6 to 11 of an address are the set in every first-level cache with ways of 4 KiB. */
enum { LINE = 64, SETS = 64 };

static uint64_t lines_of(struct ifr_unit_extent unit) {
	return unit.at && unit.bytes ? (unit.at + unit.bytes - 1) / LINE - unit.at / LINE + 1 : 0;
}

/* One bit for each set that the unit covers. */
static uint64_t sets_of(struct ifr_unit_extent unit) {
	uint64_t sets = 0, lines = lines_of(unit);
	for (uint64_t line = 0; line < lines && line < SETS; line++)
		sets |= UINT64_C(1) << (unit.at / LINE + line) % SETS;
	return sets;
}

uint64_t set_conflict_address(bool conflict, struct ifr_unit_extent unit, struct ifr_unit_extent other) {
	const uint64_t way_bytes = LINE * SETS, first = other.at / LINE % SETS;
	if (!lines_of(unit) || !lines_of(other) || (!conflict && lines_of(unit) + lines_of(other) > SETS))
		return 0;
	if (conflict == !!(sets_of(unit) & sets_of(other)))
		return unit.at;
	const uint64_t set = conflict ? first : (first + lines_of(other)) % SETS;
	uint64_t at = unit.at / way_bytes * way_bytes + set * LINE + unit.at % LINE;
	/* Units must not overlap. */
	while (at < other.at + other.bytes && other.at < at + unit.bytes)
		at += way_bytes;
	return at;
}

/* [unit * layouts + layout] the sets that a unit covers; 0 where its address is unknown. The caller frees. */
static uint64_t *find_sets(const struct layout_sample *sample) {
	size_t units = sample->addresses->unit_count;
	uint64_t *sets = ifr_alloc((units * sample->count + 1) * sizeof *sets);
	for (size_t unit = 0; unit < units; unit++)
		for (size_t i = 0; i < sample->count; i++) {
			const struct ifr_unit_extent extent = {layout_sample_address(sample, i, unit),
			                                       sample->addresses->bytes[unit]};
			sets[unit * sample->count + i] = sets_of(extent);
		}
	return sets;
}

/* Student's t of the normal scores in layouts with a conflict of the two units against layouts without; false where
 * either kind of layout is rare. */
static bool compare_layouts(const struct layout_sample *sample, const uint64_t *a, const uint64_t *b,
                            double squares, double *t) {
	double conflicting = 0, sum = 0, n = (double)sample->count;
	for (size_t i = 0; i < sample->count; i++) {
		bool conflict = a[i] & b[i];
		conflicting += conflict;
		sum += conflict ? sample->score[i] : 0;
	}
	if (conflicting < LAYOUTS_PER_CLASS || n - conflicting < LAYOUTS_PER_CLASS)
		return false;
	/* Scores add up to 0, so layouts without a conflict have the sum -sum. */
	double between = sum * sum * (1 / conflicting + 1 / (n - conflicting)), within = squares - between;
	*t = within > 0 ? sqrt(between / (within / (n - 2))) : INFINITY;
	return true;
}

static void keep_pair(const struct layout_sample *sample, size_t unit, size_t other, const uint64_t *a,
                      const uint64_t *b, struct ifr_attribution *found) {
	const struct ifr_unit_addresses *from = sample->addresses;
	struct ifr_finding finding = {.unit = from->units[unit],
	                              .other = from->units[other],
	                              .source = from->sources ? from->sources[unit] : NULL,
	                              .feature = IFR_FEATURE_SET_CONFLICT};
	for (size_t i = 0; i < sample->count; i++) {
		sample->class_of[i] = (a[i] & b[i]) != 0;
		sample->used[i] = sample->response[i];
		sample->used_score[i] = sample->score[i];
	}
	if (layout_sample_test(sample, sample->count, 2, &finding))
		return;
	layout_sample_contrast(sample, sample->count, &finding);
	found->findings = ifr_realloc(found->findings, found->count + 1, sizeof *found->findings);
	found->findings[found->count++] = finding;
}

static void test_pairs(const struct layout_sample *sample, const uint64_t *sets, struct ifr_attribution *found) {
	double squares = 0, t, threshold = gsl_cdf_tdist_Qinv(IFR_REPORT_LEVEL / 2, (double)sample->count - 2);
	for (size_t i = 0; i < sample->count; i++)
		squares += sample->score[i] * sample->score[i];
	for (size_t unit = 0; unit < sample->addresses->unit_count; unit++)
		for (size_t other = unit + 1; other < sample->addresses->unit_count; other++) {
			const uint64_t *a = sets + unit * sample->count, *b = sets + other * sample->count;
			if (!compare_layouts(sample, a, b, squares, &t))
				continue;
			found->pairs++;
			/* A pair above 5 % by itself stays above it among many. */
			if (t > threshold)
				keep_pair(sample, unit, other, a, b, found);
		}
}

static int by_p(const void *a, const void *b) {
	const struct ifr_finding *x = a, *y = b;
	if (x->classes.p != y->classes.p)
		return x->classes.p < y->classes.p ? -1 : 1;
	int names = strcmp(x->unit, y->unit);
	return names ? names : strcmp(x->other, y->other);
}

/* Benjamini and Hochberg's rule over all tested pairs, of which only those with a small p are kept here.
 * Returns the number of significant ones. */
static size_t adjust_p_values(struct ifr_attribution *found, double families) {
	size_t kept = 0;
	double least = 1;
	if (found->count)
		qsort(found->findings, found->count, sizeof *found->findings, by_p);
	for (size_t i = found->count; i-- > 0;) {
		struct ifr_finding *f = &found->findings[i];
		least = fmin(least, f->classes.p * (double)found->pairs * families / (double)(i + 1));
		f->p_adjusted = least;
		kept += least < IFR_REPORT_LEVEL;
	}
	return kept;
}

/* Puts the pairs between the significant findings and the others. */
static void insert_findings(struct ifr_attribution *attribution, const struct ifr_attribution *found,
                            size_t kept) {
	attribution->findings =
		ifr_realloc(attribution->findings, attribution->count + kept + 1, sizeof *attribution->findings);
	memmove(attribution->findings + attribution->found + kept, attribution->findings + attribution->found,
	        (attribution->count - attribution->found) * sizeof *attribution->findings);
	if (kept)
		memcpy(attribution->findings + attribution->found, found->findings, kept * sizeof *found->findings);
	attribution->count += kept;
	attribution->found += kept;
	attribution->conflicts = kept;
	attribution->pairs = found->pairs;
}

void set_conflicts_find(const struct layout_sample *sample, double families, struct ifr_attribution *attribution) {
	struct ifr_attribution found = {0};
	if (!sample->addresses->bytes || sample->count < 2 * LAYOUTS_PER_CLASS)
		return;
	uint64_t *sets = find_sets(sample);
	test_pairs(sample, sets, &found);
	insert_findings(attribution, &found, adjust_p_values(&found, families));
	free(found.findings);
	free(sets);
}
