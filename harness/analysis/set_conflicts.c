/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which two units should not meet? Two that share sets of a cache may put each other out, wherever they lie. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"
#include "harness/analysis/attribution_parts.h"

/* A set is bits 6 to 11 of an address in every first-level cache of 4 KiB a way. */
enum { LINE = 64, SETS = 64 };

static uint64_t lines_of(struct ifr_unit_extent unit) {
	return unit.at && unit.bytes ? (unit.at + unit.bytes - 1) / LINE - unit.at / LINE + 1 : 0;
}

/* A bit a set that it covers. */
static uint64_t sets_of(struct ifr_unit_extent unit) {
	uint64_t sets = 0, lines = lines_of(unit);
	for (uint64_t line = 0; line < lines && line < SETS; line++)
		sets |= UINT64_C(1) << (unit.at / LINE + line) % SETS;
	return sets;
}

uint64_t code_meeting_place(bool meets, struct ifr_unit_extent unit, struct ifr_unit_extent other) {
	const uint64_t way = LINE * SETS, first = other.at / LINE % SETS;
	if (!lines_of(unit) || !lines_of(other) || (!meets && lines_of(unit) + lines_of(other) > SETS))
		return 0;
	if (meets == !!(sets_of(unit) & sets_of(other)))
		return unit.at;
	const uint64_t set = meets ? first : (first + lines_of(other)) % SETS;
	uint64_t at = unit.at / way * way + set * LINE + unit.at % LINE;
	/* Two in one place would push one another aside. */
	while (at < other.at + other.bytes && other.at < at + unit.bytes)
		at += way;
	return at;
}

/* The sets that a unit covers in each layout; 0 where its place is not known. */
static uint64_t *find_sets(const struct code_layouts *w) {
	size_t units = w->addresses->unit_count;
	uint64_t *sets = ifr_alloc((units * w->count + 1) * sizeof *sets);
	for (size_t unit = 0; unit < units; unit++)
		for (size_t i = 0; i < w->count; i++) {
			const struct ifr_unit_extent extent = {code_address_of(w, i, unit), w->addresses->bytes[unit]};
			sets[unit * w->count + i] = sets_of(extent);
		}
	return sets;
}

/* Student's t of the response where two meet against where they do not; false where either is rare. */
static bool compare(const struct code_layouts *w, const uint64_t *a, const uint64_t *b, double centre,
                    double squares, double *t) {
	double meeting = 0, sum = 0, n = (double)w->count;
	for (size_t i = 0; i < w->count; i++) {
		bool meet = a[i] & b[i];
		meeting += meet;
		sum += meet ? w->response[i] - centre : 0;
	}
	if (meeting < CODE_IN_A_CLASS || n - meeting < CODE_IN_A_CLASS)
		return false;
	/* The deviations add up to 0: those apart have the other sum. */
	double between = sum * sum * (1 / meeting + 1 / (n - meeting)), within = squares - between;
	*t = within > 0 ? sqrt(between / (within / (n - 2))) : INFINITY;
	return true;
}

static void keep(const struct code_layouts *w, size_t unit, size_t other, const uint64_t *a, const uint64_t *b,
                 struct ifr_attribution *found) {
	const struct ifr_unit_addresses *from = w->addresses;
	struct ifr_finding finding = {.unit = from->units[unit],
	                              .other = from->units[other],
	                              .source = from->sources ? from->sources[unit] : NULL,
	                              .kind = IFR_FEATURE_SET_CONFLICT};
	for (size_t i = 0; i < w->count; i++) {
		w->class_of[i] = (a[i] & b[i]) != 0;
		w->used[i] = w->response[i];
	}
	if (ifr_classes_test(w->used, w->class_of, w->count, 2, &finding.classes, NULL))
		return;
	code_measure(w, w->count, &finding);
	found->findings = ifr_realloc(found->findings, found->count + 1, sizeof *found->findings);
	found->findings[found->count++] = finding;
}

static void ask_all(const struct code_layouts *w, const uint64_t *sets, struct ifr_attribution *found) {
	double centre, sd, t, threshold = gsl_cdf_tdist_Qinv(IFR_REPORT_LEVEL / 2, (double)w->count - 2);
	ifr_sample_moments(w->response, w->count, &centre, &sd, NULL);
	double squares = sd * sd * ((double)w->count - 1);
	for (size_t unit = 0; unit < w->addresses->unit_count; unit++)
		for (size_t other = unit + 1; other < w->addresses->unit_count; other++) {
			const uint64_t *a = sets + unit * w->count, *b = sets + other * w->count;
			if (!compare(w, a, b, centre, squares, &t))
				continue;
			found->pairs++;
			/* What is not below 5 % alone is not so among many. */
			if (t > threshold)
				keep(w, unit, other, a, b, found);
		}
}

static int by_p(const void *a, const void *b) {
	const struct ifr_finding *x = a, *y = b;
	if (x->classes.p != y->classes.p)
		return x->classes.p < y->classes.p ? -1 : 1;
	int names = strcmp(x->unit, y->unit);
	return names ? names : strcmp(x->other, y->other);
}

/* Benjamini and Hochberg's rule for all pairs, of which the smallest p are here; returns how many are found. */
static size_t adjust(struct ifr_attribution *found) {
	size_t kept = 0;
	double least = 1;
	if (found->count)
		qsort(found->findings, found->count, sizeof *found->findings, by_p);
	for (size_t i = found->count; i-- > 0;) {
		struct ifr_finding *f = &found->findings[i];
		least = fmin(least, f->classes.p * (double)found->pairs * CODE_FAMILIES / (double)(i + 1));
		f->p_adjusted = least;
		kept += least < IFR_REPORT_LEVEL;
	}
	return kept;
}

/* Behind what is found already, and before what found nothing. */
static void insert(struct ifr_attribution *code, const struct ifr_attribution *found, size_t kept) {
	code->findings = ifr_realloc(code->findings, code->count + kept + 1, sizeof *code->findings);
	memmove(code->findings + code->found + kept, code->findings + code->found,
	        (code->count - code->found) * sizeof *code->findings);
	if (kept)
		memcpy(code->findings + code->found, found->findings, kept * sizeof *found->findings);
	code->count += kept;
	code->found += kept;
	code->meetings = kept;
	code->pairs = found->pairs;
}

void code_find_meetings(const struct code_layouts *w, struct ifr_attribution *code) {
	struct ifr_attribution found = {0};
	if (!w->addresses->bytes || w->count < 2 * CODE_IN_A_CLASS)
		return;
	uint64_t *sets = find_sets(w);
	ask_all(w, sets, &found);
	insert(code, &found, adjust(&found));
	free(found.findings);
	free(sets);
}
