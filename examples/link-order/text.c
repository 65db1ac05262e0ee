/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

void text_fill(char *text) {
	static const char line[] = "ab 12, cd 3;";
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = line[i % (sizeof(line) - 1)];
}
