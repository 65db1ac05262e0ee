/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that have to stay in one version, one for each reason. */
#include <stddef.h>

extern void work(int *);
volatile int device;

void calls(int *to, const int *from, long count) {
	for (long at = 0; at < count; at++) {
		to[at] = from[at];
		work(to);
	}
}

void is_volatile(int *to, const int *from, long count) {
	for (long at = 0; at < count; at++) {
		to[at] = from[at];
		device = 1;
	}
}

void assembler(int *to, const int *from, long count) {
	for (long at = 0; at < count; at++) {
		to[at] = from[at];
		__asm__ volatile("");
	}
}

void chain(int *to, long count) {
	for (long at = 1; at < count; at++)
		to[at] += 3 * to[at - 1];
}

void ends_early(int *to, const int *from, long count) {
	for (long at = 0; at < count && from[at] != 7; at++)
		to[at] = from[at];
}

void unknown_end(int *to, const int *from) {
	do
		*to++ = *from;
	while (*from++);
}

void steps(short *to, const short *from, long count) {
	for (long at = 0; at < count; at++)
		to[at] = from[2 * at];
}

void indirect(int *to, const int *from, const long *where, long count) {
	for (long at = 0; at < count; at++)
		to[where[at]] = from[at];
}

void few(int *to, const int *from) {
	for (long at = 0; at < 11; at++)
		to[at] = from[at] / 3;
}

int only_loads(const int *from, long count) {
	int sum = 0;
	for (long at = 0; at < count; at++)
		sum += from[at] / 3;
	return sum;
}

void no_loop(int *to) {
	*to = 3;
}

int done(const int *from) {
	return *from;
}
