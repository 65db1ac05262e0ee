/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that run the same number of times: 64 entries in 4 ways, sure after three equal runs.
 * Ref: Seznec 2007, "A 256 Kbits L-TAGE branch predictor", section 3: 14-bit tags and counts, 8-bit ages. */
#ifndef INTERFERO_MODEL_LOOP_H
#define INTERFERO_MODEL_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct ifr_loop_entry {
	uint16_t tag, length, current; /* length 0: not known yet */
	uint8_t confidence, age;       /* 0 to 3; 0 to 255, 0: free */
	bool direction;                /* while it loops */
};

struct ifr_loop {
	struct ifr_loop_entry entries[16][4];
	int trust; /* -64 to 63: 0 and more uses the predictor */
	/* Of the last prediction. */
	struct ifr_loop_entry *entry; /* NULL: none has the branch */
	bool sure, taken;
};

/* True if it is sure; loop->taken is then what it says. */
bool ifr_loop_predict(struct ifr_loop *loop, uint64_t pc);
/* other: what was said without it, final: what was said. */
void ifr_loop_train(struct ifr_loop *loop, uint64_t pc, bool taken, bool other, bool final);

#endif
