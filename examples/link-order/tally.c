/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop whose address depends on the other object files. */
#include "program.h"

void tally(const char *text, size_t bytes, uint32_t *counts) {
	for (const char *end = text + bytes; text < end; text++) {
		if (*text >= 'a' && *text <= 'z')
			counts[KIND_LETTER]++;
		else if (*text >= '0' && *text <= '9')
			counts[KIND_DIGIT]++;
		else if (*text == ' ')
			counts[KIND_SPACE]++;
		else
			counts[KIND_OTHER]++;
	}
}
