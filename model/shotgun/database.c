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

/* Lists the instructions of the sorted details. */
static void list_instructions(struct shotgun_database *database) {
	size_t room = 0;
	for (size_t i = 0; i < database->count; i++) {
		const struct ifr_shotgun_detail *detail = &database->details[i];
		if (!i || detail[-1].at != detail->at) {
			if (database->instructions_count == room) {
				room = 2 * room + 1024;
				database->instructions = ifr_realloc(database->instructions, room, sizeof *database->instructions);
			}
			database->instructions[database->instructions_count++] =
				(struct shotgun_instruction){.at = detail->at, .first = i};
		}
		database->instructions[database->instructions_count - 1].counts[own_bits(detail->does, detail->suffers)]++;
	}
}

void shotgun_database_init(struct shotgun_database *database, const struct ifr_shotgun_samples *samples) {
	*database = (struct shotgun_database){.count = samples->details_count};
	database->details = ifr_alloc((database->count + 1) * sizeof *database->details);
	if (database->count)
		memcpy(database->details, samples->details, database->count * sizeof *database->details);
	qsort(database->details, database->count, sizeof *database->details, by_instruction);
	list_instructions(database);
}

void shotgun_database_release(struct shotgun_database *database) {
	free(database->details);
	free(database->instructions);
}

static int compare_instruction(const void *key, const void *item) {
	const uint64_t at = *(const uint64_t *)key, other = ((const struct shotgun_instruction *)item)->at;
	return (at > other) - (at < other);
}

/* Finds the samples of an instruction with its own bits, of all if these are not known, or if none has them. Returns how
 * many there are, from *first on. */
static size_t find_samples(const struct shotgun_database *database, uint64_t at, bool known, unsigned own,
                           size_t *first) {
	const struct shotgun_instruction *instruction =
		database->instructions_count ? bsearch(&at, database->instructions, database->instructions_count,
	                                           sizeof *instruction, compare_instruction)
									 : NULL;
	if (!instruction)
		return 0;
	const uint32_t *counts = instruction->counts;
	*first = instruction->first;
	if (!known || !counts[own])
		return (size_t)counts[0] + counts[1] + counts[2] + counts[3];
	for (unsigned i = 0; i < own; i++)
		*first += counts[i];
	return counts[own];
}

/* The bits that are set; without popcnt, which not every x86-64 has, GCC calls a function. */
static int count_bits(uint64_t bits) {
	bits -= bits >> 1 & 0x5555555555555555;
	bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (int)(bits * 0x0101010101010101 >> 56);
}

int shotgun_count_different(const struct ifr_shotgun_detail *detail, const struct shotgun_context *context) {
	static const uint32_t all = (1u << IFR_SHOTGUN_BITS) - 1, own = 1u << IFR_SHOTGUN_AROUND;
	const uint32_t there = all & ~detail->absent & ~context->absent;
	const uint32_t known = there & ~detail->unknown & ~context->unknown;
	const uint64_t does = (detail->does ^ context->does) & known,
				   suffers = (detail->suffers ^ context->suffers) & known,
				   parity = (detail->parity ^ context->parity) & there;
	return count_bits(does | suffers << IFR_SHOTGUN_BITS | parity << 2 * IFR_SHOTGUN_BITS) +
	       count_bits((detail->unknown ^ context->unknown) & there & ~own);
}

const struct ifr_shotgun_detail *shotgun_database_list(const struct shotgun_database *database, uint64_t at,
                                                       size_t *count) {
	size_t first = 0;
	*count = find_samples(database, at, false, 0, &first);
	return &database->details[first];
}

const struct ifr_shotgun_detail *shotgun_database_find(const struct shotgun_database *database, uint64_t at,
                                                       const struct shotgun_context *context, uint64_t draw,
                                                       bool *exact) {
	const unsigned own = own_bits(context->does, context->suffers);
	const bool known = !((context->unknown | context->absent) >> IFR_SHOTGUN_AROUND & 1);
	size_t first = 0;
	const size_t count = find_samples(database, at, known, own, &first);
	const size_t compared = count < COMPARED_MOST ? count : COMPARED_MOST;
	const struct ifr_shotgun_detail *best = NULL;
	int least = 4 * IFR_SHOTGUN_BITS + 1;
	/* Of too many, evenly spread ones, from a drawn one on: so ties are drawn, too. */
	size_t index = count ? draw % count : 0;
	for (size_t i = 0; i < compared && least; i++) {
		const struct ifr_shotgun_detail *detail = &database->details[first + index];
		index += count / compared;
		index -= index >= count ? count : 0;
		const int differ = shotgun_count_different(detail, context);
		if (differ < least) {
			least = differ;
			best = detail;
		}
	}
	*exact = !least;
	return best;
}
