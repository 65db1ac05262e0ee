/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/database.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"

/* Samples of an instruction that are compared; a hot one has many alike. */
enum { COMPARED_MOST = 256 };

static unsigned own_bits(uint32_t does, uint32_t suffers) {
	return (does >> IFR_SHOTGUN_AROUND & 1) | (suffers >> IFR_SHOTGUN_AROUND & 1) << 1;
}

static int by_place(const void *a, const void *b) {
	const uint64_t x = ((const struct shotgun_instruction *)a)->at,
				   y = ((const struct shotgun_instruction *)b)->at;
	return (x > y) - (x < y);
}

/* All bits of a sample or a context in one word. */
static uint64_t join_bits(uint32_t does, uint32_t suffers, uint32_t parity) {
	static const uint64_t all = (1u << IFR_SHOTGUN_BITS) - 1;
	return (does & all) | (suffers & all) << IFR_SHOTGUN_BITS | (parity & all) << 2 * IFR_SHOTGUN_BITS;
}

/* Lists the instructions by place. ranks: by number of the sample, the number of its instruction in that list. */
static void list_instructions(struct shotgun_database *database, const struct ifr_shotgun_samples *samples,
                              uint32_t *ranks) {
	struct ifr_table table = {0};
	size_t room = 0;
	for (size_t i = 0; i < database->count; i++) {
		const struct ifr_shotgun_detail *detail = &samples->details[i];
		ranks[i] = ifr_table_number(&table, detail->at);
		if (ranks[i] == room) {
			room = 2 * room + 1024;
			database->instructions = ifr_realloc(database->instructions, room, sizeof *database->instructions);
		}
		if (ranks[i] == database->instructions_count)
			database->instructions[database->instructions_count++] =
				(struct shotgun_instruction){.at = detail->at, .first = ranks[i]};
		database->instructions[ranks[i]].counts[own_bits(detail->does, detail->suffers)]++;
	}
	ifr_table_release(&table);
	if (database->instructions_count)
		qsort(database->instructions, database->instructions_count, sizeof *database->instructions, by_place);
	uint32_t *sorted = ifr_alloc((database->instructions_count + 1) * sizeof *sorted);
	for (size_t i = 0, first = 0; i < database->instructions_count; i++) {
		struct shotgun_instruction *instruction = &database->instructions[i];
		sorted[instruction->first] = (uint32_t)i;
		instruction->first = first;
		for (unsigned own = 0; own < 4; own++)
			first += instruction->counts[own];
	}
	for (size_t i = 0; i < database->count; i++)
		ranks[i] = sorted[ranks[i]];
	free(sorted);
}

/* Samples are many, instructions few: each sample is copied once, to the place that the counts tell. */
void shotgun_database_init(struct shotgun_database *database, const struct ifr_shotgun_samples *samples) {
	*database = (struct shotgun_database){.count = samples->details_count};
	uint32_t *ranks = ifr_alloc((database->count + 1) * sizeof *ranks);
	database->details = ifr_alloc((database->count + 1) * sizeof *database->details);
	database->words = ifr_alloc((database->count + 1) * sizeof *database->words);
	list_instructions(database, samples, ranks);
	size_t *ends = ifr_alloc((4 * database->instructions_count + 1) * sizeof *ends);
	for (size_t i = 0; i < database->instructions_count; i++) {
		ends[4 * i] = database->instructions[i].first;
		for (unsigned own = 1; own < 4; own++)
			ends[4 * i + own] = ends[4 * i + own - 1] + database->instructions[i].counts[own - 1];
	}
	for (size_t i = 0; i < database->count; i++) {
		const struct ifr_shotgun_detail *detail = &samples->details[i];
		const size_t to = ends[4 * (size_t)ranks[i] + own_bits(detail->does, detail->suffers)]++;
		database->details[to] = *detail;
		database->words[to] = join_bits(detail->does, detail->suffers, detail->parity);
		database->partial |= detail->unknown || detail->absent;
	}
	free(ends);
	free(ranks);
}

void shotgun_database_release(struct shotgun_database *database) {
	free(database->details);
	free(database->words);
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
	/* Where all bits are known, one word has them all. */
	const bool whole = !database->partial && !context->unknown && !context->absent;
	const uint64_t word = join_bits(context->does, context->suffers, context->parity);
	int least = 4 * IFR_SHOTGUN_BITS + 1;
	/* Of too many, evenly spread ones, from a drawn one on: so ties are drawn, too. */
	const size_t step = compared ? count / compared : 0;
	size_t index = count ? draw % count : 0;
	for (size_t i = 0; i < compared && least; i++) {
		const size_t sample = first + index;
		index += step;
		index -= index >= count ? count : 0;
		const int differ = whole ? count_bits(database->words[sample] ^ word)
		                         : shotgun_count_different(&database->details[sample], context);
		if (differ < least) {
			least = differ;
			best = &database->details[sample];
		}
	}
	*exact = !least;
	return best;
}
