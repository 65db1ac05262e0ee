/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The L1I, or the ITLB, of a batch of lanes: the lines or pages of a block are one key group (resident.h). Each
 * line that a lane misses is appended to its list of misses, at the position that the scalar stage
 * (model/replay/fetch.c) gives it. */
#include "model/replay/lanes/front_end.h"

void ifr_fetch_batch_init(struct ifr_fetch_batch *fetch, struct ifr_lane_batch batch, struct ifr_cache_shape shape,
                          unsigned shift, struct ifr_misses *lists) {
	*fetch = (struct ifr_fetch_batch){.batch = batch, .shift = shift, .lists = lists};
	ifr_resident_init(&fetch->resident, shape, batch.count);
}

uint32_t ifr_fetch_batch_add_block(struct ifr_fetch_batch *fetch, const struct ifr_lane *lanes, size_t block) {
	struct ifr_key_run keys[IFR_RESIDENT_LANES] = {{0}};
	for (size_t i = 0; i < fetch->batch.count && fetch->resident.shape.sets; i++) {
		const struct ifr_geometry *place = &lanes[fetch->batch.first + i].blocks[block];
		const uint64_t first = place->address >> fetch->shift;
		const uint64_t end = (place->address + place->bytes + (1ull << fetch->shift) - 1) >> fetch->shift;
		keys[i] = (struct ifr_key_run){first, place->bytes ? (uint32_t)(end - first) : 0};
	}
	return ifr_resident_add(&fetch->resident, keys);
}

void ifr_fetch_batch_miss(struct ifr_fetch_batch *fetch, const struct ifr_pass *pass, size_t execution,
                          uint32_t group, uint64_t time) {
	const size_t rows = ifr_resident_fill(&fetch->resident, group, time);
	const uint32_t block = pass->chunk->executions[execution] >> 1;
	for (size_t k = 0; k < rows; k++)
		for (uint64_t missed = fetch->resident.missed[k]; missed; missed &= missed - 1) {
			const size_t i = (size_t)__builtin_ctzll(missed), lane = fetch->batch.first + i;
			const uint64_t first = pass->lanes[lane].blocks[block].address >> fetch->shift;
			ifr_fetch_miss(pass, &fetch->lists[lane], lane, execution, first + k, fetch->shift);
			fetch->misses[i]++;
		}
}
