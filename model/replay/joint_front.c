/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/joint_front.h"

#include <stdlib.h>
#include <string.h>

#include "model/core/entry.h"
#include "model/core/op_cache.h"

struct joint_front *joint_front_new(const struct ifr_core *core, struct core_lane *lanes, size_t first,
                                    size_t count) {
	struct joint_front *joint = aligned_alloc(64, (sizeof *joint + 63) / 64 * 64);
	if (!joint)
		abort();
	*joint = (struct joint_front){.core = core, .lanes = lanes, .first = first, .count = count};
	joint->decoding = (1u << count) - 1;
	return joint;
}

static void free_entries(struct joint_entry *entry) {
	while (entry) {
		struct joint_entry *more = entry->more;
		free(entry->lines);
		free(entry->begins);
		free(entry);
		entry = more;
	}
}

void joint_front_free(struct joint_front *joint) {
	if (!joint)
		return;
	for (size_t i = 0; i < joint->entries_count; i++) {
		free_entries(joint->entries[i]);
		free_entries(joint->arrived[i]);
	}
	free(joint->entries);
	free(joint->arrived);
	free(joint->foreseen.lines);
	free(joint);
}

static struct ifr_front *front_of(const struct joint_front *joint, size_t lane) {
	return joint->lanes[lane].fronts[0].front;
}

/* --- entries -------------------------------------------------------------------------------------------------- */

static const struct ifr_placed *place(struct joint_front *joint, size_t lane, uint32_t block) {
	struct core_front *front = &joint->lanes[lane].fronts[0];
	struct ifr_placed *placed = &front->placed[block];
	const struct ifr_geometry *at = &joint->pass->lanes[joint->first + lane].blocks[block];
	if (!placed->parts)
		ifr_core_place(&front->core, joint->pass->program, block, at->address, at->bytes, placed);
	return placed;
}

/* Lanes behind the last are as the last. */
static uint16_t lanes_like(const struct joint_front *joint, size_t lane) {
	return (uint16_t)(lane + 1 == joint->count ? 0xffffu & ~((1u << lane) - 1) : 1u << lane);
}

static void keep_lines(struct joint_entry *entry, const struct ifr_foreseen *foreseen, size_t from) {
	entry->lines = ifr_realloc(entry->lines, from + foreseen->lines_count + 1, sizeof *entry->lines);
	if (foreseen->lines_count)
		memcpy(entry->lines + from, foreseen->lines, foreseen->lines_count * sizeof *entry->lines);
}

static void foresee_lane(struct joint_front *joint, struct joint_entry *entry, size_t lane) {
	const uint16_t like = lanes_like(joint, lane);
	const size_t from = lane ? entry->lines_end[lane - 1] : 0;
	const struct ifr_placed *placed = place(joint, lane, entry->block);
	const struct ifr_delivery *deliveries =
		ifr_front_foresee(front_of(joint, lane), placed, entry->arrived, &entry->before[lane], &joint->foreseen);
	keep_lines(entry, &joint->foreseen, from);
	entry->lines_end[lane] = (uint32_t)(from + joint->foreseen.lines_count);
	entry->possible |= joint->foreseen.possible ? like : 0;
	entry->after[lane] = joint->foreseen.after;
	entry->slots[lane] = joint->foreseen.slots;
	for (size_t i = 0; i < joint->foreseen.deliveries_count; i++) {
		struct joint_begin *begin = &entry->begins[deliveries[i].first];
		begin->lanes |= like;
		begin->boundaries |= deliveries[i].boundary ? like : 0;
		begin->windows |= deliveries[i].window ? like : 0;
	}
	const struct ifr_core_code *codes = joint->pass->program->blocks[entry->block];
	const struct ifr_core_instruction *plain = joint->pass->program->instructions + codes[0].first;
	entry->unfused |= placed->instructions == plain ? like : 0;
	entry->crossing |= begins_before(joint->core, (uint32_t)placed->address, &placed->instructions[0]) ? like : 0;
	for (size_t i = lane; i < JOINT_LANES; i++)
		entry->addresses[i] = (uint32_t)placed->address;
}

static struct joint_entry *add_entry(struct joint_front *joint, uint32_t block, bool arrived) {
	struct joint_entry *entry = aligned_alloc(64, (sizeof *entry + 63) / 64 * 64);
	if (!entry)
		abort();
	*entry = (struct joint_entry){.block = block, .arrived = arrived};
	if (!arrived)
		memcpy(entry->before, joint->last->after, sizeof entry->before);
	entry->begins = ifr_alloc((joint->pass->program->blocks[block][0].count + 1u) * sizeof *entry->begins);
	for (size_t lane = 0; lane < joint->count; lane++)
		foresee_lane(joint, entry, lane);
	return entry;
}

static bool equals(const struct ifr_stretch *a, const struct ifr_stretch *b) {
	return a->window == b->window && a->line == b->line && a->slots == b->slots && a->branches == b->branches &&
	       a->barred == b->barred;
}

static bool follows(const struct joint_front *joint, const struct joint_entry *entry) {
	for (size_t lane = 0; lane < joint->count; lane++)
		if (!equals(&entry->before[lane], &joint->last->after[lane]))
			return false;
	return true;
}

/* The entry of a block behind the last one. */
static struct joint_entry *search_entry(struct joint_front *joint, uint32_t block) {
	struct joint_entry *entry = joint->entries[block];
	while (entry && !follows(joint, entry))
		entry = entry->more;
	if (!entry) {
		entry = add_entry(joint, block, false);
		entry->more = joint->entries[block];
		joint->entries[block] = entry;
	}
	return joint->last->next = entry;
}

static struct joint_entry *find_entry(struct joint_front *joint, uint32_t block, bool arrived) {
	struct joint_entry *entry = arrived ? joint->arrived[block] : joint->last->next;
	if (arrived && !entry)
		entry = joint->arrived[block] = add_entry(joint, block, true);
	return entry && entry->block == block ? entry : search_entry(joint, block);
}

static struct joint_entry **more_entries(struct joint_entry **entries, size_t from, size_t count) {
	entries = ifr_realloc(entries, count, sizeof(struct joint_entry *));
	memset(entries + from, 0, (count - from) * sizeof(struct joint_entry *));
	return entries;
}

static void reserve_blocks(struct joint_front *joint, size_t count) {
	if (count <= joint->entries_count)
		return;
	joint->entries = more_entries(joint->entries, joint->entries_count, count);
	joint->arrived = more_entries(joint->arrived, joint->entries_count, count);
	joint->entries_count = count;
}

/* --- a block -------------------------------------------------------------------------------------------------- */

/* Lets a lane's front end know its stretch. */
static void tell_stretch(struct joint_front *joint, size_t lane) {
	if (joint->synced >> lane & 1)
		ifr_front_set_stretch(front_of(joint, lane), &joint->last->after[lane]);
	joint->synced &= ~(1u << lane);
}

void joint_front_cut(struct joint_front *joint) {
	for (size_t lane = 0; lane < joint->count; lane++) {
		tell_stretch(joint, lane);
		ifr_front_cut(front_of(joint, lane));
	}
	joint->decoding = (1u << joint->count) - 1;
	joint->cut = true;
}

/* Uses a line, which mostly is where it was. Returns whether the op cache has it. */
static bool use_line(struct ifr_op_cache *cache, struct ifr_foreseen_line *line) {
	struct ifr_op_cache_line *at = &cache->lines[line->at];
	if (at->key != line->key) {
		at = ifr_op_cache_find(cache, line->set, line->key);
		if (!at)
			return false;
		line->at = (uint32_t)(at - cache->lines);
	}
	ifr_op_cache_touch(cache, line->set, at);
	return true;
}

/* Whether the op cache has all lines. By nru a line may not be used twice, if others that are not there follow it. */
static bool finds_lines(struct ifr_op_cache *cache, const struct ifr_foreseen_line *line,
                        const struct ifr_foreseen_line *end) {
	for (; cache->nru && line < end; line++)
		if (cache->lines[line->at].key != line->key && !ifr_op_cache_find(cache, line->set, line->key))
			return false;
	return true;
}

static bool has_lines(const struct joint_front *joint, const struct joint_entry *entry, size_t lane) {
	struct ifr_op_cache *cache = ifr_front_cache(front_of(joint, lane));
	struct ifr_foreseen_line *line = entry->lines + (lane ? entry->lines_end[lane - 1] : 0);
	const struct ifr_foreseen_line *end = entry->lines + entry->lines_end[lane];
	if (!finds_lines(cache, line, end))
		return false;
	for (; line < end; line++)
		if (!use_line(cache, line))
			return false;
	return true;
}

static void keep_deliveries(struct joint_front *joint, size_t lane, const struct ifr_delivery *deliveries,
                            size_t count) {
	for (size_t i = lane; i < (lane + 1 == joint->count ? JOINT_LANES : lane + 1); i++) {
		joint->deliveries[i] = deliveries;
		joint->deliveries_count[i] = (uint32_t)count;
	}
	joint->slow |= lanes_like(joint, lane);
}

/* Lanes whose loop buffer has the block. */
static unsigned enter_loops(struct joint_front *joint, uint32_t block, bool taken) {
	unsigned lanes = 0;
	for (size_t lane = 0; lane < joint->count; lane++) {
		size_t count;
		if (joint->decoding >> lane & 1)
			tell_stretch(joint, lane);
		const struct ifr_delivery *deliveries =
			ifr_front_enter_loop(front_of(joint, lane), joint_placed(joint, lane, block), block, taken, &count);
		if (!deliveries)
			continue;
		keep_deliveries(joint, lane, deliveries, count);
		lanes |= 1u << lane;
	}
	joint->decoding &= ~lanes;
	joint->synced &= ~lanes;
	return lanes;
}

/* Takes a block from the op cache. Returns the lanes in which it has all of it. */
static unsigned take_lines(struct joint_front *joint, const struct joint_entry *entry, unsigned lanes) {
	unsigned taken = 0;
	for (unsigned left = lanes; left; left &= left - 1) {
		const size_t lane = (size_t)__builtin_ctz(left);
		taken |= (unsigned)has_lines(joint, entry, lane) << lane;
	}
	for (unsigned left = taken & joint->decoding; left; left &= left - 1)
		ifr_front_take(front_of(joint, (size_t)__builtin_ctz(left)));
	joint->decoding &= ~taken;
	if (taken == 0xffffu)
		for (size_t lane = 0; lane < JOINT_LANES; lane++)
			joint->slots[lane] += entry->slots[lane];
	else
		for (size_t lane = 0; lane < JOINT_LANES; lane++)
			joint->slots[lane] += taken >> lane & 1 ? entry->slots[lane] : 0;
	return taken;
}

/* Lets a lane's front end deliver a block. */
static bool deliver_alone(struct joint_front *joint, const struct joint_entry *entry, size_t lane) {
	struct ifr_front *front = front_of(joint, lane);
	size_t count;
	bool cached = true;
	tell_stretch(joint, lane);
	const struct ifr_delivery *deliveries =
		ifr_front_deliver(front, joint_placed(joint, lane, entry->block), entry->arrived, &count);
	for (size_t i = 0; i < count; i++)
		cached &= deliveries[i].source == IFR_SOURCE_OP_CACHE;
	keep_deliveries(joint, lane, deliveries, count);
	joint->decoding = (joint->decoding & ~(1u << lane)) | (unsigned)ifr_front_decodes(front) << lane;
	return cached;
}

static void leave_block(struct joint_front *joint, uint32_t block, bool taken, bool call, unsigned looping,
                        unsigned cached) {
	for (size_t lane = 0; lane < joint->count; lane++)
		if (!(looping >> lane & 1))
			ifr_front_leave(front_of(joint, lane), joint_placed(joint, lane, block), block, taken, call,
			                cached >> lane & 1);
}

const struct joint_entry *joint_front_enter(struct joint_front *joint, const struct ifr_pass *pass, uint32_t block,
                                            bool taken, bool call) {
	const unsigned all = (1u << joint->count) - 1;
	const bool arrived = taken || joint->cut;
	unsigned looping = 0;
	joint->pass = pass;
	joint->slow = 0;
	reserve_blocks(joint, pass->blocks_count);
	struct joint_entry *entry = find_entry(joint, block, arrived);
	const unsigned synced_before = joint->synced;
	if (joint->core->loop_ops)
		looping = enter_loops(joint, block, taken);
	if (arrived)
		for (unsigned left = joint->decoding & ~looping; left; left &= left - 1) {
			const size_t lane = (size_t)__builtin_ctz(left);
			tell_stretch(joint, lane);
			ifr_front_end_stretch(front_of(joint, lane));
		}
	const unsigned ready = all & ~looping & (arrived ? all : joint->synced & ~joint->decoding);
	unsigned cached = take_lines(joint, entry, ready & entry->possible);
	for (unsigned left = all & ~looping & ~cached; left; left &= left - 1) {
		const size_t lane = (size_t)__builtin_ctz(left);
		cached |= (unsigned)deliver_alone(joint, entry, lane) << lane;
	}
	if (joint->core->loop_ops)
		leave_block(joint, block, taken, call, looping, cached);
	joint->synced = (arrived ? all : synced_before) & ~looping;
	joint->last = entry;
	joint->cut = false;
	return entry;
}

void joint_front_slots(struct joint_front *joint, size_t lane, uint64_t slots[IFR_SOURCES]) {
	joint->settled[lane] += joint->slots[lane];
	joint->slots[lane] = 0;
	memcpy(slots, ifr_front_slots(front_of(joint, lane)), IFR_SOURCES * sizeof *slots);
	slots[IFR_SOURCE_OP_CACHE] += joint->settled[lane];
}
