/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

uint32_t fold(const uint32_t *counts, const enum kind *order) {
	uint32_t sum = 0;
	for (int i = 0; i < KIND_COUNT; i++)
		sum = sum * 31 + counts[order[i]];
	return sum;
}
