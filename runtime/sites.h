/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation sites: calls of malloc and its family in the program whose blocks have page offsets of their own. */
#ifndef IFR_RUNTIME_SITES_H
#define IFR_RUNTIME_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sizes.h"

enum { SITES_MAX = 32 };

struct site {
	uintptr_t begin, end; /* return addresses of the calls: from begin, below end */
	unsigned offset;      /* page offset of their blocks in bytes, a multiple of 16 */
};

struct sites {
	unsigned count;
	struct site item[SITES_MAX];
};

extern struct sites sites;

/* Adds a site, before the program's first request. Returns false if there are SITES_MAX. */
bool sites_add(const struct site *site);

/* Remembers the page offset of the thread's next block, which a call that returns to `caller` requests. */
void sites_note(const void *caller);

/* Returns the page offset of the block that is being allocated; -1: its policy's. */
int sites_take(void);

/* In a function of malloc's family: remembers the site of a request that may become a block. */
#define SITES_NOTE(bytes)                                                  \
	do {                                                                   \
		if ((bytes) > SIZES_SMALL_MAX && __builtin_expect(sites.count, 0)) \
			sites_note(__builtin_return_address(0));                       \
	} while (0)

#endif
