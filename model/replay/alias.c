/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads that wait for a store at another address, by data group: ld_blocks_partial.address_alias.
 *
 * Groups of one line_group see the same data whole pages apart: their low 12 bits agree, and so does which accesses
 * overlap in truth. One of them (the leader) is looked at for all. */
#include "model/replay/stages.h"

#include <stdlib.h>

#include "model/memory/store_buffer.h"

struct alias_group {
	struct ifr_store_buffer stores;
	size_t leader;
	uint64_t aliases;
};

static void *create_alias(const struct ifr_pass *pass) {
	struct alias_group *groups = ifr_alloc((pass->groups_count + 1) * sizeof *groups);
	for (size_t i = 0; i < pass->groups_count; i++) {
		groups[i].stores.entries = pass->machine->values[IFR_STORE_BUFFER_ENTRIES];
		groups[i].leader = pass->line_groups[i];
	}
	return groups;
}

static void destroy_alias(void *state, const struct ifr_pass *pass) {
	(void)pass;
	free(state);
}

static void walk_group(struct alias_group *group, const uint64_t *addresses, const uint8_t *kinds, size_t count) {
	struct ifr_store_buffer *stores = &group->stores;
	uint64_t aliases = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t bytes = (kinds[i] & 63u) + 1;
		if (kinds[i] >> 6) {
			if (kinds[i] >> 6 == 1)
				ifr_store_buffer_add(stores, addresses[i], bytes, 0);
			continue;
		}
		const struct ifr_store *store = ifr_store_buffer_find(stores, addresses[i], bytes);
		aliases += store && ifr_store_is_alias(store, addresses[i], bytes);
	}
	group->aliases += aliases;
}

static void run_alias(void *state, struct ifr_pass *pass) {
	struct alias_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++)
		if (groups[i].leader == i && groups[i].stores.entries && pass->chunk->data_count)
			walk_group(&groups[i], pass->addresses[i], pass->data_kinds, pass->chunk->data_count);
}

static void count_alias(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct alias_group *groups = state;
	counters->value[IFR_EVENT_ADDRESS_ALIAS] += groups[groups[pass->lanes[lane].data_group].leader].aliases;
}

const struct ifr_stage ifr_stage_alias = {
	.name = "scalar", .create = create_alias, .run = run_alias, .count = count_alias, .destroy = destroy_alias};
