/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a difference between layouts, by cause and by place in the code. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/table.h"
#include "harness/icost/across.h"

static int by_part(const void *a, const void *b) {
	const double x = fabs(((const struct ifr_across_part *)a)->value.cycles),
				 y = fabs(((const struct ifr_across_part *)b)->value.cycles);
	return (x < y) - (x > y);
}

void ifr_across_list(const struct ifr_across *across, struct ifr_across_parts *parts) {
	const struct ifr_icost *icost = &across->icost;
	*parts = (struct ifr_across_parts){.rest = ifr_icost_time(icost, icost->causes)};
	parts->causes = ifr_alloc(icost->count * sizeof *parts->causes);
	parts->interactions = ifr_alloc(icost->count * sizeof *parts->interactions);
	for (size_t i = 1; i < icost->count; i++) {
		const uint32_t set = icost->sets[i];
		if (__builtin_popcount(set) > 1)
			parts->interactions[parts->interactions_count++] =
				(struct ifr_across_part){set, ifr_icost_interaction(icost, set)};
		else
			parts->causes[parts->causes_count++] =
				(struct ifr_across_part){set, ifr_icost_share(icost, (enum ifr_cause)__builtin_ctz(set))};
	}
	qsort(parts->causes, parts->causes_count, sizeof *parts->causes, by_part);
	qsort(parts->interactions, parts->interactions_count, sizeof *parts->interactions, by_part);
}

void ifr_across_parts_release(struct ifr_across_parts *parts) {
	free(parts->causes);
	free(parts->interactions);
	*parts = (struct ifr_across_parts){0};
}

/* --- places --------------------------------------------------------------------------------------------------- */

static int by_cycles(const void *a, const void *b) {
	const double x = fabs(((const struct ifr_across_place *)a)->cycles),
				 y = fabs(((const struct ifr_across_place *)b)->cycles);
	return (x < y) - (x > y);
}

/* Numbers the places: of each line its own, or that of its function. Returns how many there are. */
static size_t number_places(const struct ifr_code_lines *lines, bool functions, uint32_t *of) {
	struct ifr_table table = {0};
	for (size_t i = 0; i < lines->count; i++) {
		const char *name = lines->items[i].function;
		of[i] = functions ? ifr_table_number(&table, ifr_siphash(0, 0, name, strlen(name))) : (uint32_t)i;
	}
	const size_t count = functions ? table.count : lines->count;
	ifr_table_release(&table);
	return count;
}

/* Adds up the lines of each place, and names it by its largest. */
static void add_lines(const struct ifr_across *across, const uint32_t *of, struct ifr_across_places *places) {
	double *most = ifr_alloc((places->count + 1) * sizeof *most);
	for (size_t i = 0; i < across->lines.count; i++) {
		struct ifr_across_place *place = &places->items[of[i]];
		const double part = ifr_across_line(across, i);
		place->cycles += part;
		for (unsigned k = 0; k < IFR_CAUSES; k++)
			if (across->icost.causes >> k & 1)
				place->shares[k] += ifr_across_line_share(across, (enum ifr_cause)k, i);
		if (place->line && fabs(part) <= most[of[i]])
			continue;
		most[of[i]] = fabs(part);
		place->function = across->lines.items[i].function;
		place->line = across->lines.items[i].line;
	}
	free(most);
}

/* Finds the cause that makes most of a place's part. */
static void find_cause(struct ifr_across_place *place) {
	const double sign = place->cycles < 0 ? -1 : 1;
	double most = 0;
	place->cause = IFR_CAUSES;
	for (unsigned k = 0; k < IFR_CAUSES; k++)
		if (sign * place->shares[k] > most) {
			most = sign * place->shares[k];
			place->cause = (enum ifr_cause)k;
		}
}

void ifr_across_places(const struct ifr_across *across, bool functions, struct ifr_across_places *places) {
	uint32_t *of = ifr_alloc((across->lines.count + 1) * sizeof *of);
	places->count = number_places(&across->lines, functions, of);
	places->items = ifr_alloc((places->count + 1) * sizeof *places->items);
	add_lines(across, of, places);
	for (size_t i = 0; i < places->count; i++)
		find_cause(&places->items[i]);
	qsort(places->items, places->count, sizeof *places->items, by_cycles);
	free(of);
}

void ifr_across_places_release(struct ifr_across_places *places) {
	free(places->items);
	*places = (struct ifr_across_places){0};
}
