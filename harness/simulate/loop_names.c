/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/loop_names.h"

#include <stdlib.h>
#include <string.h>

#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/site_names.h"

const char *ifr_source_words(enum ifr_slot_source source) {
	static const char *const words[IFR_SOURCES] = {[IFR_SOURCE_OP_CACHE] = "the op cache",
	                                               [IFR_SOURCE_DECODERS] = "the decoders",
	                                               [IFR_SOURCE_LOOP_BUFFER] = "the loop buffer"};
	return words[source];
}

/* The slots that come from another source. */
static uint64_t count_moved(const struct ifr_loop_change *loop) {
	uint64_t most = 0;
	for (unsigned i = 0; i < IFR_SOURCES; i++) {
		const uint64_t one = loop->slots[0][i], other = loop->slots[1][i],
					   moved = one > other ? one - other : other - one;
		most = moved > most ? moved : most;
	}
	return most;
}

static int compare_loops(const void *left, const void *right) {
	const struct ifr_loop_change *a = left, *b = right;
	const uint64_t one = count_moved(a), other = count_moved(b);
	if (one != other)
		return one < other ? 1 : -1;
	return (a->head > b->head) - (a->head < b->head);
}

static struct ifr_named_loop name_loop(struct ifr_site_names *names, const struct ifr_trace_block *blocks,
                                       const struct ifr_loop_change *loop) {
	const uint64_t head = blocks[loop->head].normalised;
	struct ifr_named_loop name = {.code = ifr_site_code(names, head),
	                              .site = ifr_site_of(names, head),
	                              .bytes = loop->bytes,
	                              .iterations = loop->iterations,
	                              .address = {loop->address[0], loop->address[1]},
	                              .windows = {loop->windows[0], loop->windows[1]}};
	memcpy(name.slots, loop->slots, sizeof name.slots);
	return name;
}

static void name_loops(const struct ifr_trace *trace, struct ifr_layout_loops *loops, size_t most,
                       struct ifr_named_loops *named) {
	enum { PART = 100, RUN_PART = 1000 };
	const struct ifr_trace_block *blocks;
	ifr_trace_blocks(trace, &blocks);
	struct ifr_site_names *names = ifr_site_names_new(trace);
	if (loops->count)
		qsort(loops->items, loops->count, sizeof *loops->items, compare_loops);
	named->window_bytes = loops->window_bytes;
	named->cut = loops->cut;
	named->items = ifr_alloc((most + 1) * sizeof *named->items);
	for (; named->all < loops->count && RUN_PART * count_moved(&loops->items[named->all]) > loops->slots;
	     named->all++) {
		const struct ifr_loop_change *loop = &loops->items[named->all];
		if (named->all < most && PART * count_moved(loop) >= count_moved(&loops->items[0]))
			named->items[named->count++] = name_loop(names, blocks, loop);
	}
	ifr_site_names_free(names);
}

int ifr_loops_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                   const struct ifr_machine *machine, size_t most, struct ifr_named_loops *named,
                   struct ifr_error *err) {
	struct ifr_address_map *maps[2] = {NULL};
	struct ifr_layout_loops loops = {0};
	int result = 0;
	*named = (struct ifr_named_loops){0};
	for (unsigned i = 0; i < 2 && !result; i++)
		result = ifr_layout_of_plan(trace, builder, plans[i], &maps[i], err);
	if (!result)
		result = ifr_layout_loops_count(trace, (const struct ifr_address_map *const *)maps, machine, &loops, err);
	if (!result)
		name_loops(trace, &loops, most, named);
	ifr_layout_loops_release(&loops);
	for (unsigned i = 0; i < 2; i++)
		if (maps[i])
			ifr_address_map_free(maps[i]);
	return result;
}

void ifr_named_loops_release(struct ifr_named_loops *named) {
	for (size_t i = 0; i < named->count; i++)
		free(named->items[i].code);
	free(named->items);
	*named = (struct ifr_named_loops){0};
}
