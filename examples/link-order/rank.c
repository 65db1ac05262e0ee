/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

void rank(const uint32_t *counts, enum kind *order) {
	for (int i = 0; i < KIND_COUNT; i++) {
		int place = i;
		for (; place > 0 && counts[order[place - 1]] < counts[i]; place--)
			order[place] = order[place - 1];
		order[place] = (enum kind)i;
	}
}
