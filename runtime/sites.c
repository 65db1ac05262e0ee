/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/sites.h"

#include "runtime/threads.h"

struct sites sites;

bool sites_add(const struct site *site) {
	if (sites.count == SITES_MAX)
		return false;
	sites.item[sites.count++] = *site;
	return true;
}

void sites_note(const void *caller) {
	const uintptr_t address = (uintptr_t)caller;
	this_thread.site_offset = 0;
	for (unsigned i = 0; i < sites.count; i++)
		if (address >= sites.item[i].begin && address < sites.item[i].end)
			this_thread.site_offset = (uint16_t)(sites.item[i].offset + 1);
}

int sites_take(void) {
	const int offset = (int)this_thread.site_offset - 1;
	this_thread.site_offset = 0;
	return offset;
}
