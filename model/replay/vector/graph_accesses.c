/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores of sixteen lanes, as model/core/graph_memory.c has them of one. */
#include "model/replay/vector/graph_ports.h"

enum { UNIT_SHIFT = 2 };

/* An access in all lanes, its pieces joined. */
struct lanes_access {
	vec low, high; /* of the address */
	vec level;
	uint32_t bytes;
};

/* Levels of an access, of which a lane has one that is not the first. */
static vec join_levels(const struct ifr_core_op *op, const struct lanes_step *step) {
	struct lane_words levels;
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned level = step->levels[lane][op->access];
		for (unsigned i = 1; i < op->pieces; i++)
			if (step->levels[lane][op->access + i] > level)
				level = step->levels[lane][op->access + i];
		levels.at[lane] = level;
	}
	return words_get(&levels);
}

static struct lanes_access join(const struct ifr_core_op *op, const struct lanes_step *step, unsigned level_mask) {
	struct lanes_access access = {.level = vec_set(0)};
	for (unsigned i = 0; i < op->pieces; i++)
		access.bytes += step->accesses[op->access + i].bytes;
	const vec end = vec_set(step->number + op->access + op->pieces);
	if (mask_bits(vec_greater(end, words_get(step->next_level))))
		access.level = vec_and(join_levels(op, step), vec_set(level_mask));
	if (step->same_addresses) {
		const uint64_t address = step->addresses[0][op->access];
		access.low = vec_set((uint32_t)address);
		access.high = vec_set((uint32_t)(address >> 32));
		return access;
	}
	struct lane_words low, high;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const uint64_t address = step->addresses[lane][op->access];
		low.at[lane] = (uint32_t)address;
		high.at[lane] = (uint32_t)(address >> 32);
	}
	access.low = words_get(&low);
	access.high = words_get(&high);
	return access;
}

/* --- stores in the queue -------------------------------------------------------------------------------------- */

static struct lanes_store *store_of(struct lanes_graph *graph, uint32_t number) {
	return &graph->queue[number & graph->stores_mask];
}

/* A store of each lane: most often, all lanes have the same one. */
struct lanes_stores {
	vec number;
	const struct lanes_store *same; /* NULL: they have not */
};

static inline struct lanes_stores stores_of(const struct lanes_graph *graph, vec number) {
	return (struct lanes_stores){number, vec_is_one(number) ? &graph->queue[vec_first(number) & graph->stores_mask]
	                                                        : NULL};
}

enum { STORE_WORDS = sizeof(struct lanes_store) / sizeof(uint32_t) };
#define FIELD(name) (offsetof(struct lanes_store, name) / sizeof(uint32_t))

/* A field of each lane's own store. */
static inline vec store_field(const struct lanes_graph *graph, vec_mask mask, struct lanes_stores store,
                              size_t field) {
	if (store.same)
		return vec_load((const uint32_t *)store.same + field);
	const vec slot = vec_and(store.number, vec_set(graph->stores_mask));
	const vec index =
		vec_add(vec_multiply(slot, vec_set(STORE_WORDS)), vec_add(vec_lanes(), vec_set((uint32_t)field)));
	return vec_gather(mask, (const uint32_t *)graph->queue, index, vec_set(0));
}

/* Bytes of a store, which are the same in all lanes. */
static inline vec store_bytes(const struct lanes_graph *graph, vec_mask mask, struct lanes_stores store) {
	if (store.same)
		return vec_set(store.same->bytes);
	const vec slot = vec_and(store.number, vec_set(graph->stores_mask));
	const vec index = vec_add(vec_multiply(slot, vec_set(STORE_WORDS)), vec_set((uint32_t)FIELD(bytes)));
	return vec_gather(mask, (const uint32_t *)graph->queue, index, vec_set(0));
}

/* Stores that are kept: the last ones of a ring. */
static inline vec_mask is_kept(const struct lanes_graph *graph, vec_mask among, vec number) {
	const vec age = vec_sub(vec_set(graph->stores), number);
	return mask_and(mask_not_zero(number, among), vec_greater(vec_set(graph->stores_mask + 1), age));
}

/* The last store to a unit of a page. */
static inline vec youngest_at(const struct lanes_graph *graph, vec_mask mask, vec unit, bool same) {
	return same ? words_get(&graph->youngest[vec_first(unit)])
	            : rows_gather(mask, graph->youngest, unit, vec_set(0));
}

/* Finds each lane's youngest store that shares a unit of a page; 0: none is kept. */
static inline vec find_alike(const struct lanes_graph *graph, vec_mask on, const struct lanes_access *access) {
	const vec first = vec_right(access->low, UNIT_SHIFT);
	const vec last = vec_right(vec_add(access->low, vec_set(access->bytes - 1)), UNIT_SHIFT);
	const vec units = vec_and(vec_sub(last, first), vec_set(UINT32_MAX >> UNIT_SHIFT));
	const bool same = vec_is_one(vec_and(access->low, vec_set((UNITS_OF_PAGE << UNIT_SHIFT) - 1)));
	vec number = vec_set(0);
	vec_mask left = on;
	for (uint32_t i = 0; mask_bits(left); i++, left = mask_and(on, vec_greater(units, vec_set(i - 1)))) {
		const vec unit = vec_and(vec_add(first, vec_set(i)), vec_set(UNITS_OF_PAGE - 1));
		number = vec_max(number, youngest_at(graph, left, unit, same));
	}
	return vec_where(is_kept(graph, on, number), number);
}

/* Stores as an access meets them. */
struct met {
	vec_mask overlaps, covers;
};

static inline struct met meet(const struct lanes_graph *graph, vec_mask among, struct lanes_stores stores,
                              const struct lanes_access *access) {
	const vec store = store_field(graph, among, stores, FIELD(low));
	const vec bytes = store_bytes(graph, among, stores);
	const vec_mask near = mask_and(among, vec_equal(store_field(graph, among, stores, FIELD(high)), access->high));
	const vec ahead = vec_sub(access->low, store); /* of the access's first byte before the store's */
	const vec behind = vec_add(ahead, vec_set(access->bytes));
	const vec_mask begins = vec_greater(bytes, ahead), ends = vec_greater(behind, vec_set(0));
	const vec_mask whole = mask_without(near, vec_greater(vec_set(0), ahead));
	return (struct met){mask_and(mask_and(near, begins), ends), mask_without(whole, vec_greater(behind, bytes))};
}

/* Finds the youngest store with a byte of an access, from one on to older ones; 0 if none is in the queue at a time. */
static inline vec find_source(const struct lanes_graph *graph, vec_mask on, vec number,
                              const struct lanes_access *access, vec at) {
	vec source = vec_set(0);
	for (vec_mask left = on;;) {
		const struct lanes_stores stores = stores_of(graph, number);
		left = is_kept(graph, left, number);
		if (!mask_bits(left))
			return source;
		left = mask_and(left, vec_greater(store_field(graph, left, stores, FIELD(drain)), at));
		if (!mask_bits(left))
			return source;
		const vec commit = store_field(graph, left, stores, FIELD(commit));
		const vec_mask open = vec_equal(commit, vec_set(LANE_NEVER));
		const vec_mask found = mask_without(meet(graph, left, stores, access).overlaps, open);
		source = vec_select(found, number, source);
		left = mask_without(left, found);
		number = vec_sub(number, vec_set(1)); /* of all lanes: those that are left go on */
	}
}

/* --- loads ---------------------------------------------------------------------------------------------------- */

/* Page and line latencies, by level. */
static vec latency_of_level(const unsigned *latencies, vec level, unsigned levels) {
	vec sum = vec_set(latencies[0]);
	for (unsigned i = 1; i < levels; i++)
		sum = vec_select(vec_equal(level, vec_set(i)), vec_set(latencies[i]), sum);
	return sum;
}

static void advance_fill(struct lanes_graph *graph, vec_mask mask) {
	const vec next = vec_add(words_get(&graph->fill), vec_set(1));
	const vec_mask wraps = vec_equal(next, vec_set(graph->core.fills));
	words_put(&graph->fill, mask, vec_select(wraps, vec_set(0), next));
}

/* Where a line is kept while it is under way. */
struct kept_line {
	vec line, high, row;
};

static struct kept_line kept_line_of(const struct ifr_core *core, const struct lanes_access *access) {
	const vec line =
		vec_or(vec_right(access->low, core->line_shift), vec_left(access->high, 32 - core->line_shift));
	return (struct kept_line){line, vec_right(access->high, core->line_shift),
	                          vec_and(line, vec_set(LINES_KEPT - 1))};
}

/* Brings lines from such levels, from a time on. fills: each takes a fill buffer. Returns when they are there. */
static vec bring_lines(struct lanes_graph *graph, vec_mask missed, const struct kept_line *kept, vec level,
                       vec start, bool fills) {
	const struct ifr_core *core = &graph->core;
	const vec latency = vec_add(vec_set(core->load_latency), latency_of_level(core->miss_latency, level, 4));
	if (fills) {
		const vec fill = words_get(&graph->fill);
		start = vec_max(start, rows_gather(missed, graph->fill_done, fill, vec_set(0)));
		rows_scatter(graph->fill_done, missed, fill, vec_add(start, latency));
		advance_fill(graph, missed);
	}
	const vec done = vec_add(start, latency);
	rows_scatter(graph->line_done, missed, kept->row, done);
	rows_scatter(graph->lines, missed, kept->row, kept->line);
	rows_scatter(graph->lines_high, missed, kept->row, kept->high);
	words_put(&graph->line_latest, missed, vec_max(done, words_get(&graph->line_latest)));
	return done;
}

/* P of loads from the caches. */
static vec load_cached(struct lanes_graph *graph, vec_mask on, const struct lanes_access *access, vec execute) {
	const struct ifr_core *core = &graph->core;
	const vec level = vec_and(access->level, vec_set(3)), page = vec_right(access->level, 2);
	const vec_mask missed = mask_not_zero(level, on), hit = mask_without(on, missed);
	vec start = execute;
	if (mask_bits(mask_not_zero(page, on)))
		start = vec_add(start, latency_of_level(core->page_latency, page, 3));
	vec done = vec_add(start, vec_set(core->load_latency));
	const vec_mask late = mask_and(hit, vec_greater(words_get(&graph->line_latest), done));
	if (!mask_bits(missed) && !mask_bits(late))
		return done;
	const struct kept_line kept = kept_line_of(core, access);
	if (mask_bits(missed)) {
		done = vec_select(missed, bring_lines(graph, missed, &kept, level, start, true), done);
		if (graph->any_prefetched)
			rows_scatter(graph->line_prefetched, missed, kept.row, vec_set(0));
	}
	const vec_mask low = vec_equal(rows_gather(late, graph->lines, kept.row, vec_set(0)), kept.line);
	const vec_mask high = vec_equal(rows_gather(late, graph->lines_high, kept.row, vec_set(0)), kept.high);
	const vec_mask same = mask_and(late, mask_and(low, high));
	const vec other = rows_gather(late, graph->line_done, kept.row, done);
	if (graph->any_prefetched)
		words_add(&graph->late, mask_and(same, vec_greater(other, done)),
		          rows_gather(same, graph->line_prefetched, kept.row, vec_set(0)));
	return vec_select(same, vec_max(done, other), done);
}

void IFR_VECTOR(graph_prefetch)(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                                vec execute, const struct lanes_step *step) {
	const struct ifr_core *core = &graph->core;
	const struct lanes_access access = join(op, step, core->level_mask);
	const vec level = vec_and(access.level, vec_set(3)), page = vec_right(access.level, 2);
	const vec_mask missed = mask_not_zero(level, on.mask);
	if (!mask_bits(missed))
		return;
	const struct kept_line kept = kept_line_of(core, &access);
	bring_lines(graph, missed, &kept, level, vec_add(execute, latency_of_level(core->page_latency, page, 3)),
	            !core->own_fills);
	rows_scatter(graph->line_prefetched, missed, kept.row, vec_set(1));
	graph->any_prefetched = true;
}

/* P of loads of bytes that a store in the queue has. */
static vec load_stored(struct lanes_graph *graph, vec_mask on, struct lanes_stores source, vec_mask covered,
                       vec execute) {
	const struct ifr_core *core = &graph->core;
	const vec_mask blocked = mask_without(on, covered);
	const vec there =
		vec_max(store_field(graph, on, source, FIELD(data)), store_field(graph, on, source, FIELD(known)));
	const vec drained = store_field(graph, on, source, FIELD(drain));
	words_add(&graph->blocked, blocked, vec_set(1));
	return vec_select(covered, vec_add(vec_max(execute, there), vec_set(core->forward)),
	                  vec_add(vec_max(execute, drained), vec_set(core->load_latency + core->blocked)));
}

/* Whether an access shares a unit of a page with a store. */
static inline vec_mask looks_alike(const struct lanes_graph *graph, vec_mask among, struct lanes_stores stores,
                                   const struct lanes_access *access) {
	const vec low = store_field(graph, among, stores, FIELD(low)), bytes = store_bytes(graph, among, stores);
	const vec stored = vec_right(low, UNIT_SHIFT), first = vec_right(access->low, UNIT_SHIFT);
	const vec units = vec_set(UINT32_MAX >> UNIT_SHIFT), page = vec_set(UNITS_OF_PAGE - 1);
	const vec stored_last = vec_right(vec_add(low, vec_sub(bytes, vec_set(1))), UNIT_SHIFT);
	const vec last = vec_right(vec_add(access->low, vec_set(access->bytes - 1)), UNIT_SHIFT);
	const vec more_stored = vec_and(vec_sub(stored_last, stored), units),
			  more = vec_and(vec_sub(last, first), units);
	const vec_mask before = vec_greater(vec_and(vec_sub(first, stored), page), more_stored);
	const vec_mask behind = vec_greater(vec_and(vec_sub(stored, first), page), more);
	return mask_without(among, mask_and(before, behind));
}

/* The last times that loads are issued, from the first ones on: stores that look like their own send them back. */
static vec issue_again(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec port, vec number,
                       const struct lanes_access *access, vec first) {
	vec issued = first;
	for (vec_mask left = on;;) {
		const struct lanes_stores stores = stores_of(graph, number);
		left = is_kept(graph, left, number);
		if (mask_bits(left))
			left = mask_and(left, vec_greater(store_field(graph, left, stores, FIELD(drain)), issued));
		if (!mask_bits(left))
			break;
		const vec_mask open = vec_equal(store_field(graph, left, stores, FIELD(commit)), vec_set(LANE_NEVER));
		left = mask_without(left, mask_without(meet(graph, left, stores, access).overlaps, open));
		vec_mask back = mask_without(looks_alike(graph, left, stores, access), open);
		back = mask_without(back, vec_greater(store_field(graph, back, stores, FIELD(known)), issued));
		if (mask_bits(back)) {
			const vec ready = vec_add(issued, vec_set(graph->core.alias));
			issued = vec_select(back, lanes_issue_again(graph, back, op->ports, port, ready), issued);
		}
		number = vec_sub(number, vec_set(1)); /* of all lanes: those that are left go on */
	}
	words_add(&graph->aliases, mask_and(on, vec_greater(issued, first)), vec_set(1));
	return issued;
}

static inline vec add_split(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op,
                            const struct lanes_access *access, vec port, vec execute, vec done) {
	const struct ifr_core *core = &graph->core;
	const uint32_t line = 1u << core->line_shift, page = 1u << core->page_shift;
	const vec in_line = vec_add(vec_and(access->low, vec_set(line - 1)), vec_set(access->bytes));
	const vec in_page = vec_add(vec_and(access->low, vec_set(page - 1)), vec_set(access->bytes));
	const vec_mask split = mask_and(on, vec_greater(in_line, vec_set(line)));
	if (!mask_bits(split))
		return done;
	const vec_mask pages = vec_greater(in_page, vec_set(page));
	lanes_hold(graph, split, op->ports, port, vec_add(execute, vec_set(1)));
	return vec_add(done, vec_select(split, vec_select(pages, vec_set(core->page_split), vec_set(core->line_split)),
	                                vec_set(0)));
}

/* Counters that let loads of such an address in the program go ahead of stores. */
static inline vec counter_row(const struct lanes_graph *graph, vec pc) {
	return vec_and(pc, vec_set(graph->core.counters - 1));
}

static inline void count_up(struct lanes_graph *graph, vec_mask on, vec row, vec counter, vec_mask wrong) {
	const vec more = vec_min(vec_add(counter, vec_set(1)), vec_set(COUNTER_MOST));
	const vec after = vec_without(wrong, more);
	rows_scatter(graph->counters, mask_without(on, vec_equal(after, counter)), row, after);
}

/* Loads of which no store in the queue has a byte or looks like it. */
static inline vec load_alone(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                             const struct port_choice *port, vec ready, vec known,
                             const struct lanes_access *access) {
	const vec execute = lanes_book(graph, on, op, port, vec_max(ready, known));
	const vec done = vec_add(load_cached(graph, on.mask, access, execute), vec_set(op->latency));
	return add_split(graph, on.mask, op, access, port->port, execute, done);
}

/* A load that names a recent store's memory has its value at rename, where no other store in the queue has it. */
static inline void take_values(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec source) {
	const uint32_t named = names_find(&graph->names, op, graph->stores, graph->core.renamed);
	if (!named)
		return;
	const vec_mask none = mask_without(on, mask_not_zero(source, on));
	const vec_mask own = mask_and(on, vec_equal(source, vec_set(named)));
	graph->value_lanes = mask_bits(none) | mask_bits(own);
	words_set(&graph->values, words_get(&store_of(graph, named)->value));
}

vec IFR_VECTOR(graph_load)(struct lanes_graph *graph, struct lanes_on lanes, const struct ifr_core_op *op,
                           const struct port_choice *port, vec ready, vec pc, const struct lanes_step *step) {
	const struct ifr_core *core = &graph->core;
	const vec_mask on = lanes.mask, none = mask_of_bits(0);
	const struct lanes_access access = join(op, step, core->level_mask);
	const vec never = vec_set((uint32_t)LANE_LONG_AGO);
	vec row = vec_set(0), counter = row, known = never;
	if (core->counters) {
		row = counter_row(graph, pc);
		counter = rows_gather(on, graph->counters, row, vec_set(0));
		known = vec_select(vec_equal(counter, vec_set(COUNTER_MOST)), never, words_get(&graph->stores_known));
	}
	ready = vec_max(ready, words_get(&graph->loads_floor));
	const vec alike = find_alike(graph, on, &access);
	const vec source = find_source(graph, on, alike, &access, ready);
	if (core->renamed && op->name)
		take_values(graph, on, op, source);
	const vec_mask has = mask_not_zero(source, on);
	if (!mask_bits(has) && (!core->alias || !mask_bits(mask_not_zero(alike, on)))) {
		if (core->counters)
			count_up(graph, on, row, counter, none);
		return load_alone(graph, lanes, op, port, ready, known, &access);
	}
	const struct lanes_stores sources = stores_of(graph, source);
	const vec source_known = vec_select(has, store_field(graph, has, sources, FIELD(known)), never);
	if (!core->counters)
		known = source_known;
	const vec execute = lanes_book(graph, lanes, op, port, vec_max(ready, known));
	const vec_mask queued = mask_and(has, vec_greater(store_field(graph, has, sources, FIELD(drain)), execute));
	const vec_mask cached = mask_without(on, queued);
	vec done = execute;
	if (mask_bits(cached))
		done = load_cached(graph, cached, &access, execute);
	if (mask_bits(queued)) {
		const vec_mask covered = meet(graph, queued, sources, &access).covers;
		done = vec_select(queued, load_stored(graph, queued, sources, covered, execute), done);
	}
	const vec_mask other = mask_without(mask_not_zero(alike, on), vec_equal(alike, source));
	if (core->alias && mask_bits(other)) {
		const vec issued = issue_again(graph, other, op, port->port, alike, &access, execute);
		const vec_mask later = mask_and(other, vec_greater(issued, execute));
		done = vec_select(later, vec_max(done, vec_add(issued, vec_set(core->load_latency))), done);
	}
	done = vec_add(done, vec_set(op->latency));
	done = add_split(graph, on, op, &access, port->port, execute, done);
	const vec_mask clear = mask_and(has, vec_greater(source_known, execute));
	if (mask_bits(clear)) {
		words_add(&graph->clears, clear, vec_set(1));
		const vec floor = vec_max(words_get(&graph->rename_floor), vec_add(done, vec_set(core->clear)));
		words_put(&graph->rename_floor, clear, floor);
	}
	if (core->counters)
		count_up(graph, on, row, counter, mask_and(has, vec_greater(source_known, ready)));
	return done;
}

/* --- stores --------------------------------------------------------------------------------------------------- */

/* Notes the last store to the units of a page. */
static inline void note_units(struct lanes_graph *graph, vec_mask on, const struct lanes_access *access,
                              uint32_t number) {
	const vec first = vec_right(access->low, UNIT_SHIFT);
	const vec last = vec_right(vec_add(access->low, vec_set(access->bytes - 1)), UNIT_SHIFT);
	const vec units = vec_and(vec_sub(last, first), vec_set(UINT32_MAX >> UNIT_SHIFT));
	const bool same = vec_is_one(vec_and(access->low, vec_set((UNITS_OF_PAGE << UNIT_SHIFT) - 1)));
	vec_mask left = on;
	for (uint32_t i = 0; mask_bits(left); i++, left = mask_and(on, vec_greater(units, vec_set(i - 1)))) {
		const vec unit = vec_and(vec_add(first, vec_set(i)), vec_set(UNITS_OF_PAGE - 1));
		if (same)
			words_put(&graph->youngest[vec_first(unit)], left, vec_set(number));
		else
			rows_scatter(graph->youngest, left, unit, vec_set(number));
	}
}

void IFR_VECTOR(graph_store_address)(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                                     vec known, const struct lanes_step *step) {
	const struct lanes_access access = join(op, step, graph->core.level_mask);
	const uint32_t number = ++graph->stores;
	struct lanes_store *store = store_of(graph, number);
	store->bytes = access.bytes;
	words_keep(&store->low, on, access.low);
	words_keep(&store->high, on, access.high);
	words_keep(&store->known, on, known);
	words_keep(&store->data, on, known);
	words_keep(&store->value, on, known);
	if (graph->core.renamed)
		names_keep(&graph->names, op, number);
	words_keep(&store->commit, on, vec_set(LANE_NEVER));
	words_keep(&store->drain, on, vec_set(LANE_NEVER));
	words_keep(&store->level, on, access.level);
	words_keep(&graph->stores_known, on, vec_max(known, words_get(&graph->stores_known)));
	note_units(graph, on.mask, &access, number);
}

void IFR_VECTOR(graph_store_data)(struct lanes_graph *graph, struct lanes_on on, vec value, vec data) {
	struct lanes_store *store = store_of(graph, graph->stores);
	words_keep(&store->value, on, value);
	words_keep(&store->data, on, data);
}

void IFR_VECTOR(graph_store_retire)(struct lanes_graph *graph, struct lanes_on lanes, uint32_t number,
                                    vec commit) {
	const struct ifr_core *core = &graph->core;
	const vec_mask on = lanes.mask;
	struct lanes_store *store = store_of(graph, number);
	const vec kept = words_get(&store->level), level = vec_and(kept, vec_set(3));
	vec arrived = vec_add(commit, vec_set(1));
	if (mask_bits(mask_not_zero(kept, on))) {
		const vec_mask missed = mask_not_zero(level, on);
		arrived = vec_add(arrived, latency_of_level(core->page_latency, vec_right(kept, 2), 3));
		if (mask_bits(missed)) {
			const vec fill = words_get(&graph->fill),
					  free = rows_gather(missed, graph->fill_done, fill, vec_set(0));
			const vec filled = vec_add(vec_max(arrived, free), latency_of_level(core->miss_latency, level, 4));
			arrived = vec_select(missed, filled, arrived);
			rows_scatter(graph->fill_done, missed, fill, arrived);
			advance_fill(graph, missed);
		}
	}
	words_keep(&store->commit, lanes, commit);
	const vec before = words_get(&store_of(graph, number - core->commit)->drain);
	const vec in_order = vec_max(words_get(&graph->drained), vec_add(before, vec_set(core->drain)));
	const vec drain = vec_max(in_order, arrived);
	words_keep(&graph->drained, lanes, drain);
	words_keep(&store->drain, lanes, drain);
}
