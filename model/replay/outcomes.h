/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outcomes of a chunk in one lane: what each event came to. The scalar stages write them if pass->outcomes is there;
 * counters alone do not need them. */
#ifndef INTERFERO_MODEL_OUTCOMES_H
#define INTERFERO_MODEL_OUTCOMES_H

#include <stddef.h>
#include <stdint.h>

/* Levels of a line: 0 the first cache, then the second, the third, memory. Of a page: 0 the first TLB, 1 the second, 2 a
 * page walk. Of a taken branch: the BTB that has it, from 0; IFR_NO_BTB. */
enum { IFR_LEVEL_SECOND = 1, IFR_LEVEL_THIRD, IFR_LEVEL_MEMORY, IFR_LEVEL_PAGE_WALK = 2, IFR_NO_BTB = 3 };

struct ifr_outcomes {
	uint8_t *conditional; /* by conditional branch that has a successor: 1 if it was mispredicted */
	uint8_t *indirect;    /* by indirect branch: the same */
	uint8_t *taken;       /* by taken branch: the level of the BTB */
	uint8_t *data; /* by position: level of the line, plus 4 times that of the page; the worst of all pieces */
	uint8_t *fetch_lines, *fetch_pages; /* by miss in pass->fetch_lines and fetch_pages: its level */
};

#endif
