/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/database.h"

#include <stdlib.h>
#include <string.h>

/* Samples of an instruction that are compared; a hot one has many alike. */
enum { COMPARED_MOST = 256 };

static unsigned own_bits(uint32_t does, uint32_t suffers) {
	return (does >> IFR_SHOTGUN_AROUND & 1) | (suffers >> IFR_SHOTGUN_AROUND & 1) << 1;
}

static int by_instruction(const void *a, const void *b) {
	const struct ifr_shotgun_detail *x = a, *y = b;
	const unsigned p = own_bits(x->does, x->suffers), q = own_bits(y->does, y->suffers);
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (p > q) - (p < q);
}

void shotgun_database_init(struct shotgun_database *database, const struct ifr_shotgun_samples *samples) {
	database->count = samples->details_count;
	database->details = ifr_alloc((database->count + 1) * sizeof *database->details);
	if (database->count)
		memcpy(database->details, samples->details, database->count * sizeof *database->details);
	qsort(database->details, database->count, sizeof *database->details, by_instruction);
}

void shotgun_database_release(struct shotgun_database *database) {
	free(database->details);
}

/* The first sample that is not before an instruction with its own bits. */
static size_t find_first(const struct shotgun_database *database, uint64_t at, unsigned own) {
	size_t low = 0, high = database->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct ifr_shotgun_detail *detail = &database->details[middle];
		if (detail->at < at || (detail->at == at && own_bits(detail->does, detail->suffers) < own))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Bits of a sample that differ from those of a context, as far as both are known. That an instruction has none tells
 * something, too: it is no branch. */
static int count_different(const struct ifr_shotgun_detail *detail, const struct shotgun_context *context) {
	static const uint32_t all = (1u << IFR_SHOTGUN_BITS) - 1, own = 1u << IFR_SHOTGUN_AROUND;
	const uint32_t there = all & ~detail->absent & ~context->absent;
	const uint32_t known = there & ~detail->unknown & ~context->unknown;
	return __builtin_popcount((detail->does ^ context->does) & known) +
	       __builtin_popcount((detail->suffers ^ context->suffers) & known) +
	       __builtin_popcount((detail->parity ^ context->parity) & there) +
	       __builtin_popcount((detail->unknown ^ context->unknown) & there & ~own);
}

const struct ifr_shotgun_detail *shotgun_database_find(const struct shotgun_database *database, uint64_t at,
                                                       const struct shotgun_context *context, uint64_t draw,
                                                       bool *exact) {
	const unsigned own = own_bits(context->does, context->suffers);
	const bool known = !((context->unknown | context->absent) >> IFR_SHOTGUN_AROUND & 1);
	size_t first = find_first(database, at, known ? own : 0), end = find_first(database, at, known ? own + 1 : 4);
	const struct ifr_shotgun_detail *best = NULL;
	int least = 4 * IFR_SHOTGUN_BITS + 1;
	if (first == end) {
		first = find_first(database, at, 0);
		end = find_first(database, at, 4);
	}
	const size_t count = end - first, compared = count < COMPARED_MOST ? count : COMPARED_MOST;
	/* Of too many, evenly spread ones, from a drawn one on: so ties are drawn, too. */
	size_t index = count ? draw % count : 0;
	for (size_t i = 0; i < compared && least; i++) {
		const struct ifr_shotgun_detail *detail = &database->details[first + index];
		index += count / compared;
		index -= index >= count ? count : 0;
		const int differ = count_different(detail, context);
		if (differ < least) {
			least = differ;
			best = detail;
		}
	}
	*exact = !least;
	return best;
}
