/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAGE: tagged tables indexed by geometrically growing parts of the history. The longest table that has the branch
 * is the provider.
 * Ref: Seznec and Michaud 2006, "A case for (partially) tagged geometric history length branch prediction"; Seznec
 * 2007, "A 256 Kbits L-TAGE branch predictor", for updates and the use of the alternate prediction.
 *
 * Deviations: the base predictor's hysteresis bits are not shared; the tables use the lower 20 bits of an address;
 * the random choice at allocation is a shift register of its own. predict, train, track must be called in this
 * order for one branch. */
#ifndef INTERFERO_MODEL_TAGE_H
#define INTERFERO_MODEL_TAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IFR_TAGE_TABLES 12
#define IFR_TAGE_RING 4096 /* outcomes kept: more than the longest history */
#define IFR_TAGE_PC_BITS 20
/* Conditional branches until one bit of every useful counter is cleared. */
#define IFR_TAGE_USEFUL_PERIOD (1u << 18)

struct ifr_tage_shape {
	unsigned base_log; /* log2 of the number of base counters */
	unsigned logs[IFR_TAGE_TABLES], tags[IFR_TAGE_TABLES],
		lengths[IFR_TAGE_TABLES]; /* lengths: outcomes of history */
};

extern const struct ifr_tage_shape ifr_l_tage_shape;

/* Folded history: the newest length outcomes, outcome i xored into bit i mod width. */
struct ifr_fold {
	uint32_t value, mask;
	uint32_t out; /* the bit at length mod width, which the leaving outcome is in */
	unsigned width;
};

static inline struct ifr_fold ifr_fold_new(unsigned length, unsigned width) {
	return (struct ifr_fold){0, (1u << width) - 1, 1u << length % width, width};
}

struct ifr_tage_entry {
	int8_t counter; /* -4 to 3, 0 and more is taken */
	uint8_t useful; /* 0 to 3 */
	uint16_t tag;
};

struct ifr_tage {
	struct ifr_tage_shape shape;
	uint8_t *base;
	struct ifr_tage_entry *tables[IFR_TAGE_TABLES];
	struct ifr_fold index_folds[IFR_TAGE_TABLES], tag_folds[2][IFR_TAGE_TABLES];
	/* By table: rotation of the path in the index, and the bits of it that the index uses. */
	unsigned rotations[IFR_TAGE_TABLES];
	uint32_t path_masks[IFR_TAGE_TABLES];
	uint8_t ring[IFR_TAGE_RING];
	unsigned head;     /* place of the last outcome in the ring */
	uint32_t path;     /* an address bit of each branch, the last 16 */
	int use_alternate; /* -8 to 7: from 0 on new entries are not trusted */
	uint32_t random, ticks;
	/* --- state of the last prediction; -1: the base --- */
	int provider, alternate;
	bool provider_taken, alternate_taken, taken;
	bool weak; /* the provider is newly allocated */
	uint32_t indexes[IFR_TAGE_TABLES], tags[IFR_TAGE_TABLES];
};

void ifr_tage_init(struct ifr_tage *tage, const struct ifr_tage_shape *shape);
void ifr_tage_release(struct ifr_tage *tage);
bool ifr_tage_predict(struct ifr_tage *tage, uint64_t pc);
void ifr_tage_train(struct ifr_tage *tage, uint64_t pc, bool taken);
void ifr_tage_track(struct ifr_tage *tage, uint64_t pc, bool taken);

/* Updates a fold for an outcome; old is the outcome that leaves. */
static inline void ifr_fold_shift(struct ifr_fold *fold, unsigned outcome, unsigned old) {
	const uint32_t value = (fold->value << 1 | outcome) ^ (-old & fold->out);
	fold->value = (value ^ value >> fold->width) & fold->mask;
}

#endif
