/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop predictor: loops that run the same number of times. 64 entries (published: 256) in 4 ways; sure after three equal
 * runs.
 * Ref: Seznec 2007, "A 256 Kbits L-TAGE branch predictor", section 3: 14-bit tags and counts, 8-bit ages. */
#ifndef INTERFERO_MODEL_LOOP_H
#define INTERFERO_MODEL_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct ifr_loop_entry {
	uint16_t tag, length, current; /* length 0: not known yet */
	uint8_t confidence, age;       /* confidence: 0 to 3; age: 0 to 255, 0: free */
	bool direction;                /* outcome while the loop goes on */
};

struct ifr_loop {
	struct ifr_loop_entry entries[16][4];
	int trust; /* -64 to 63: from 0 on sure predictions are used */
	/* --- state of the last prediction --- */
	struct ifr_loop_entry *entry; /* NULL: no entry has the branch */
	bool sure, taken;
};

/* Returns true if the predictor is sure; loop->taken is its prediction. */
bool ifr_loop_predict(struct ifr_loop *loop, uint64_t pc);
/* tage_taken: prediction without the loop predictor; final: with it. */
void ifr_loop_train(struct ifr_loop *loop, uint64_t pc, bool taken, bool tage_taken, bool final);

#endif
