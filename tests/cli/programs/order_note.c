/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "order.h"

enum { NOTES_MAX = 8 };
static const char *notes[NOTES_MAX];
static int note_count;

extern const char *__start_order_marks[], *__stop_order_marks[];

void order_note(const char *name) {
	if (note_count < NOTES_MAX)
		notes[note_count++] = name;
}

void order_print(void) {
	printf("constructors:");
	for (int i = 0; i < note_count; i++)
		printf(" %s", notes[i]);
	printf("\nweak: %s\narchive: %s\nmarks:", order_winner(), order_pulled());
	for (const char **mark = __start_order_marks; mark < __stop_order_marks; mark++)
		printf(" %s", *mark);
	printf("\n");
}
