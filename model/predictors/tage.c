/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/predictors/tage.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/predictors/run.h"

void ifr_tage_init(struct ifr_tage *tage, const struct ifr_tage_shape *shape) {
	*tage = (struct ifr_tage){.shape = *shape, .random = 1};
	tage->base = ifr_counters2_new((size_t)1 << shape->base_log, 1);
	for (size_t i = 0; i < IFR_TAGE_TABLES; i++) {
		tage->rotations[i] = (unsigned)i % shape->logs[i];
		tage->path_masks[i] = shape->lengths[i] < 16 ? (1u << shape->lengths[i]) - 1 : 0xffff;
		tage->tables[i] = ifr_alloc(sizeof *tage->tables[i] << shape->logs[i]);
		tage->index_folds[i] = ifr_fold_new(shape->lengths[i], shape->logs[i]);
		tage->tag_folds[0][i] = ifr_fold_new(shape->lengths[i], shape->tags[i]);
		tage->tag_folds[1][i] = ifr_fold_new(shape->lengths[i], shape->tags[i] - 1);
	}
}

void ifr_tage_release(struct ifr_tage *tage) {
	free(tage->base);
	for (size_t i = 0; i < IFR_TAGE_TABLES; i++)
		free(tage->tables[i]);
}

/* Mixes the path into a table's index, no further than the table's history goes, and rotated differently for every
 * table. */
static uint32_t mix_path(const struct ifr_tage *tage, unsigned table) {
	const unsigned log = tage->shape.logs[table], rotation = tage->rotations[table];
	const uint32_t mask = (1u << log) - 1;
	uint32_t path = tage->path & tage->path_masks[table];
	path = (path ^ path >> log) & mask;
	return (path << rotation | path >> (log - rotation)) & mask;
}

static void find_indexes(struct ifr_tage *tage, uint32_t pc) {
	for (unsigned i = 0; i < IFR_TAGE_TABLES; i++) {
		const uint32_t index =
			pc ^ pc >> (tage->rotations[i] + 1) ^ tage->index_folds[i].value ^ mix_path(tage, i);
		const uint32_t tag = pc ^ tage->tag_folds[0][i].value ^ tage->tag_folds[1][i].value << 1;
		tage->indexes[i] = index & tage->index_folds[i].mask;
		tage->tags[i] = tag & tage->tag_folds[0][i].mask;
	}
}

static int find_hit(const struct ifr_tage *tage, int below) {
	int i = below - 1;
	while (i >= 0 && tage->tables[i][tage->indexes[i]].tag != tage->tags[i])
		i--;
	return i;
}

static struct ifr_tage_entry *entry_of(struct ifr_tage *tage, int table) {
	return &tage->tables[table][tage->indexes[table]];
}

static uint8_t *base_of(struct ifr_tage *tage, uint32_t pc) {
	return &tage->base[pc & ((1u << tage->shape.base_log) - 1)];
}

static uint32_t low_bits(uint64_t pc) {
	return (uint32_t)pc & ((1u << IFR_TAGE_PC_BITS) - 1);
}

bool ifr_tage_predict(struct ifr_tage *tage, uint64_t pc) {
	const uint32_t low = low_bits(pc);
	const bool base = *base_of(tage, low) >> 1;
	find_indexes(tage, low);
	tage->provider = find_hit(tage, IFR_TAGE_TABLES);
	tage->alternate = tage->provider < 0 ? -1 : find_hit(tage, tage->provider);
	tage->alternate_taken = tage->alternate < 0 ? base : entry_of(tage, tage->alternate)->counter >= 0;
	tage->provider_taken = tage->alternate_taken;
	tage->weak = false;
	if (tage->provider >= 0) {
		const struct ifr_tage_entry *entry = entry_of(tage, tage->provider);
		tage->provider_taken = entry->counter >= 0;
		tage->weak = !entry->useful && (entry->counter == 0 || entry->counter == -1);
	}
	tage->taken = tage->weak && tage->use_alternate >= 0 ? tage->alternate_taken : tage->provider_taken;
	return tage->taken;
}

/* Allocates one entry in a longer table, where the entry is not useful; if all are useful, lowers the usefulness
 * of all. */
static void allocate_entry(struct ifr_tage *tage, bool taken) {
	int table = tage->provider + 1;
	tage->random = tage->random >> 1 ^ (-(tage->random & 1) & 0xa3000000u);
	/* Starts at the next table, or one or two further: each half as likely as the one before. */
	for (unsigned draw = tage->random; draw & 1 && table < IFR_TAGE_TABLES - 1 && table < tage->provider + 3;
	     draw >>= 1)
		table++;
	for (int i = table; i < IFR_TAGE_TABLES; i++) {
		struct ifr_tage_entry *entry = entry_of(tage, i);
		if (entry->useful)
			continue;
		*entry = (struct ifr_tage_entry){taken ? 0 : -1, 0, (uint16_t)tage->tags[i]};
		return;
	}
	for (int i = tage->provider + 1; i < IFR_TAGE_TABLES; i++)
		entry_of(tage, i)->useful -= entry_of(tage, i)->useful > 0;
}

static void reset_useful(struct ifr_tage *tage) {
	if (++tage->ticks % IFR_TAGE_USEFUL_PERIOD)
		return;
	const uint8_t keep = tage->ticks / IFR_TAGE_USEFUL_PERIOD & 1 ? 1 : 2;
	for (size_t i = 0; i < IFR_TAGE_TABLES; i++)
		for (size_t k = 0; k < (size_t)1 << tage->shape.logs[i]; k++)
			tage->tables[i][k].useful &= keep;
}

static void train_entry(struct ifr_tage *tage, int table, uint32_t low, bool taken) {
	if (table < 0) {
		*base_of(tage, low) = ifr_counter2(*base_of(tage, low), taken);
		return;
	}
	struct ifr_tage_entry *entry = entry_of(tage, table);
	entry->counter = (int8_t)ifr_counter_signed(entry->counter, taken, -4, 3);
}

void ifr_tage_train(struct ifr_tage *tage, uint64_t pc, bool taken) {
	const uint32_t low = low_bits(pc);
	bool wants_entry = tage->taken != taken && tage->provider < IFR_TAGE_TABLES - 1;
	if (tage->weak) {
		/* A new entry that is right needs time, not another entry. */
		wants_entry &= tage->provider_taken != taken;
		if (tage->provider_taken != tage->alternate_taken)
			tage->use_alternate = ifr_counter_signed(tage->use_alternate, tage->alternate_taken == taken, -8, 7);
	}
	if (wants_entry)
		allocate_entry(tage, taken);
	train_entry(tage, tage->provider, low, taken);
	if (tage->provider >= 0) {
		struct ifr_tage_entry *entry = entry_of(tage, tage->provider);
		if (!entry->useful)
			train_entry(tage, tage->alternate, low, taken);
		if (tage->provider_taken != tage->alternate_taken)
			entry->useful = (uint8_t)ifr_counter_signed(entry->useful, tage->provider_taken == taken, 0, 3);
	}
	reset_useful(tage);
}

void ifr_tage_track(struct ifr_tage *tage, uint64_t pc, bool taken) {
	tage->head = (tage->head - 1) % IFR_TAGE_RING;
	tage->ring[tage->head] = taken;
	tage->path = (tage->path << 1 | (pc & 1)) & 0xffff;
	for (size_t i = 0; i < IFR_TAGE_TABLES; i++) {
		const unsigned old = tage->ring[(tage->head + tage->shape.lengths[i]) % IFR_TAGE_RING];
		ifr_fold_shift(&tage->index_folds[i], taken, old);
		ifr_fold_shift(&tage->tag_folds[0][i], taken, old);
		ifr_fold_shift(&tage->tag_folds[1][i], taken, old);
	}
}
