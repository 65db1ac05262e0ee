/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/organisation.h"

/* Distances that are tried for entries and granule. */
enum { DISTANCES = 12 };

struct search {
	const struct probe_question *question;
	size_t groups;
	uint64_t granule, distance;
	bool unclear;
};

/* Elements are counted in groups: `each` of every group. */
static bool fits(struct search *search, size_t each) {
	const struct probe_places places = {each * search->groups, search->groups, search->granule, search->distance};
	if (search->unclear || places.count < 2)
		return !search->unclear;
	const enum probe_answer answer = search->question->fits(search->question->data, &places);
	search->unclear = answer == PROBE_UNCLEAR;
	return answer == PROBE_YES;
}

static bool is_allowed(const struct search *search, size_t each) {
	const struct probe_places places = {each * search->groups, search->groups, search->granule, search->distance};
	return places.count <= search->question->most && probe_places_span(&places) <= search->question->farthest;
}

static bool is_capacity(struct search *search, size_t each) {
	return each && is_allowed(search, each + 1) && fits(search, each) && !fits(search, each + 1) &&
	       !search->unclear;
}

/* The largest each with fits(each), between low, which fits, and high, which does not. */
static size_t bisect(struct search *search, size_t low, size_t high) {
	while (low + 1 < high && !search->unclear) {
		const size_t middle = low + (high - low) / 2;
		if (fits(search, middle))
			low = middle;
		else
			high = middle;
	}
	return search->unclear ? 0 : low;
}

/* Bisects by sixteenths of the octave first: sizes are round. */
static size_t bisect_octave(struct search *search, size_t octave) {
	const size_t step = octave / 16;
	size_t low = octave, high = 2 * octave;
	if (step > 1) {
		while (low + step < high && !search->unclear) {
			const size_t middle = low + (high - low) / step / 2 * step;
			if (fits(search, middle))
				low = middle;
			else
				high = middle;
		}
		if (!search->unclear && !fits(search, low + 1))
			return search->unclear ? 0 : low;
	}
	return bisect(search, low, high);
}

size_t probe_find_capacity(const struct probe_question *question, size_t groups, uint64_t granule,
                           uint64_t distance, size_t hint) {
	struct search search = {question, groups, granule, distance, false};
	if (is_capacity(&search, hint / groups))
		return hint / groups * groups;
	size_t octave = 1;
	while (!search.unclear && is_allowed(&search, 2 * octave) && fits(&search, 2 * octave))
		octave *= 2;
	if (search.unclear || !is_allowed(&search, 2 * octave))
		return 0;
	return bisect_octave(&search, octave) * groups;
}

/* Follows C(D) from the distance where the groups are all sets, until it stays the same for two doublings. Returns the
 * distance from which it does; 0 if none is told. *constant: C(D) never fell. */
static uint64_t find_plateau(const struct probe_question *question, const struct probe_organisation *known,
                             size_t groups, size_t *plateau) {
	uint64_t distance = groups * known->granule, since = distance;
	size_t capacity = known->entries, stayed = 0;
	while (stayed < 2) {
		distance *= 2;
		size_t next = probe_find_capacity(question, groups, known->granule, distance, capacity / 2);
		if (!next || next > capacity)
			return 0;
		stayed = next == capacity ? stayed + 1 : 0;
		/* Only halves and equals are the capacities of sets. */
		if (next != capacity && next != capacity / 2)
			return 0;
		if (next != capacity)
			since = distance;
		capacity = next;
	}
	*plateau = capacity;
	return since;
}

void probe_find_ways(const struct probe_question *question, struct probe_organisation *organisation,
                     size_t inner) {
	size_t groups = 1, capacity = 0;
	while (groups < inner)
		groups *= 2;
	for (; groups; groups /= 2) {
		if (organisation->entries % groups)
			continue;
		const uint64_t span = find_plateau(question, organisation, groups, &capacity);
		if (!span)
			return;
		const bool is_constant = capacity == organisation->entries;
		if (is_constant && groups > 1)
			continue; /* not more sets than groups */
		organisation->ways = capacity / groups;
		organisation->span = span;
		return;
	}
}

void probe_find_organisation(const struct probe_question *question, uint64_t least, size_t inner,
                             struct probe_organisation *organisation) {
	size_t capacities[DISTANCES] = {0};
	unsigned falls = 0;
	*organisation = (struct probe_organisation){0};
	for (size_t i = 0; i < DISTANCES; i++) {
		capacities[i] = probe_find_capacity(question, 1, least, least << i, organisation->entries);
		/* At one distance the loop's own branch may lie in a set of others. */
		falls += capacities[i] < organisation->entries;
		if (falls > 1)
			break;
		if (capacities[i] < organisation->entries)
			continue;
		organisation->entries = capacities[i];
		organisation->granule = least << i;
	}
	if (organisation->entries)
		probe_find_ways(question, organisation, inner);
}
