/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain of loads that each miss every cache, none of which can begin before the one before ended. */
#include "start.h"

#ifndef ROUNDS
#define ROUNDS 2
#endif
enum { LINKS = 65536, STEP = 12345 };

static struct link {
	struct link *next;
	char rest[2 * LINE - sizeof(struct link *)];
} links[LINKS] __attribute__((aligned(2 * LINE)));

static int run(void) {
	for (unsigned i = 0; i < LINKS; i++)
		links[i].next = &links[(i + STEP) % LINKS];
	const struct link *at = links;
	for (unsigned i = 0; i < ROUNDS * LINKS; i++)
		at = at->next; /* LOAD */
	return at == links;
}
