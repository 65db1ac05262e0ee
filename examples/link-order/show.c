/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "program.h"

void show(const uint32_t *counts, const enum kind *order) {
	static const char *const name[KIND_COUNT] = {"letters", "digits", "spaces", "others"};
	for (int i = 0; i < KIND_COUNT; i++)
		printf("%-8s %lu\n", name[order[i]], (unsigned long)counts[order[i]]);
}
