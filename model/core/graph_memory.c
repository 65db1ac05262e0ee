/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores in the graph.
 *
 * A load takes its value from the youngest older store in the queue that has one of its bytes:
 *   the store has all its bytes     P = max(E, the store's data) + forward
 *   the store has some of them      P = max(E, when the store has left the queue) + load latency + blocked
 *   no store has any                P = E + load latency + the latency of the level that has the line
 * A younger store than that one in the queue may share a unit of four bytes with the load by the low 12 bits of the
 * address, and have none of its bytes. Each such store whose address is known when the load is issued, the youngest
 * first, sends it back: it is issued again `alias` cycles later, and takes its port twice.
 *                                   P = max(P, the last issue + load latency)
 * A counter, chosen by the low bits of the load's address in the program, lets a load go ahead of stores whose
 * addresses are not known: each time when that would have been right counts up, and once when it would have been wrong
 * sets it to 0. At 15 the load goes ahead. If that is wrong, the next slot is renamed `clear` cycles behind P. Without
 * counters, disambiguation is perfect: a load waits for the address of the store that has its bytes, and of no other.
 * A load that names the memory of one of the last `renamed` stores (names.h) executes so, too, but what needs its result
 * has the stored register, from the load's D on.
 * A store leaves the queue in order, a cycle each, when it has retired and has its line.
 * A prefetch of a line that the first cache lacks has it under way from E on, as a load's miss would, and is done itself
 * at E + 1: retirement does not wait for the line, a load of that line does. It ignores stores, and may not be wrong.
 * Ref: Intel, Optimization Reference Manual (2019), sections 2.5.4.4 and 2.5.5.2 (forwarding, disambiguation), 12.8
 * (4-KByte aliasing: five cycles); Melhus 2013, table 4.3 (several events a load); Stark et al., US patent 6,108,775
 * (counters). */
#include "model/core/graph_state.h"

enum { IN_PAGE = 4095, UNIT_SHIFT = 2 };

static struct store *store_of(struct ifr_graph *graph, uint32_t number) {
	return &graph->queue[number & graph->stores_mask];
}

/* Finds the youngest store that shares a unit of a page with an access; NULL if none is kept. */
static const struct store *find_alike(struct ifr_graph *graph, const struct joined_access *access) {
	const uint64_t first = access->address >> UNIT_SHIFT;
	const uint64_t last = (access->address + access->bytes - 1) >> UNIT_SHIFT;
	uint32_t number = 0;
	for (uint64_t at = first; at <= last; at++) {
		const uint32_t one = graph->youngest[at & (UNITS_OF_PAGE - 1)];
		if (one > number)
			number = one;
	}
	const struct store *store = store_of(graph, number);
	return number && store->number == number ? store : NULL;
}

static bool overlaps(const struct store *store, const struct joined_access *access) {
	return store->address < access->address + access->bytes && access->address < store->address + store->bytes;
}

static bool covers(const struct store *store, const struct joined_access *access) {
	return store->address <= access->address && access->address + access->bytes <= store->address + store->bytes;
}

/* Finds the youngest store with a byte of an access, from one on to older ones; NULL if none is in the queue at a time.
 * The open slot's stores do not count: an instruction reads before it writes. */
static const struct store *find_source(struct ifr_graph *graph, const struct store *from,
                                       const struct joined_access *access, int64_t at) {
	for (uint32_t number = from ? from->number : 0; number; number--) {
		const struct store *store = store_of(graph, number);
		if (store->number != number || store->drain <= at)
			break;
		if (store->commit != INT64_MAX && overlaps(store, access))
			return store;
	}
	return NULL;
}

/* P of a load of bytes that a store in the queue has. */
static int64_t load_stored(struct ifr_graph *graph, const struct store *store, const struct joined_access *access,
                           int64_t execute) {
	const struct ifr_core *core = graph->core;
	if (covers(store, access))
		return later(execute, later(store->data, store->known)) + core->forward;
	graph->counts.blocked++;
	return later(execute, store->drain) + core->load_latency + core->blocked;
}

/* Whether an access shares a unit of a page with a store. */
static bool looks_alike(const struct store *store, const struct joined_access *access) {
	const uint64_t stored = store->address >> UNIT_SHIFT, first = access->address >> UNIT_SHIFT;
	const uint64_t more_stored = ((store->address + store->bytes - 1) >> UNIT_SHIFT) - stored;
	const uint64_t more = ((access->address + access->bytes - 1) >> UNIT_SHIFT) - first;
	return ((first - stored) & (UNITS_OF_PAGE - 1)) <= more_stored ||
	       ((stored - first) & (UNITS_OF_PAGE - 1)) <= more;
}

/* The last time that a load is issued, from the first one on: stores that look like its own send it back. */
static int64_t issue_again(struct ifr_graph *graph, unsigned port, const struct store *youngest,
                           const struct joined_access *access, int64_t issued) {
	const int64_t first = issued;
	for (uint32_t number = youngest->number; number; number--) {
		const struct store *store = store_of(graph, number);
		if (store->number != number || store->drain <= issued)
			break;
		if (store->commit == INT64_MAX)
			continue;
		if (overlaps(store, access))
			break;
		if (store->known <= issued && looks_alike(store, access))
			issued = ports_issue_again(&graph->ports, port, issued + graph->core->alias);
	}
	graph->counts.aliases += issued > first;
	return issued;
}

/* A line that the first cache lacks comes. Returns when it is there. */
static int64_t bring_line(struct ifr_graph *graph, uint64_t line, unsigned level, int64_t start, bool prefetched) {
	const struct ifr_core *core = graph->core;
	const size_t row = line & (LINES_KEPT - 1);
	int64_t *fill = prefetched && core->own_fills ? NULL : next_fill(graph);
	const int64_t done = later(start, fill ? *fill : 0) + core->load_latency + core->miss_latency[level];
	if (fill)
		*fill = done;
	graph->lines[row] = line;
	graph->line_done[row] = done;
	graph->line_prefetched[row] = prefetched;
	return done;
}

/* P of a load from the caches. */
static int64_t load_cached(struct ifr_graph *graph, const struct joined_access *access, int64_t execute) {
	const struct ifr_core *core = graph->core;
	const unsigned level = access->level & 3, page = access->level >> 2;
	const uint64_t line = access->address >> core->line_shift;
	const size_t row = line & (LINES_KEPT - 1);
	const int64_t start = execute + core->page_latency[page], done = start + core->load_latency;
	if (level)
		return bring_line(graph, line, level, start, false);
	if (graph->lines[row] != line)
		return done;
	graph->counts.late += graph->line_done[row] > done && graph->line_prefetched[row];
	return later(done, graph->line_done[row]);
}

void graph_prefetch(struct ifr_graph *graph, const struct ifr_core_op *op, int64_t execute,
                    const struct ifr_core_outcome *outcome) {
	const struct ifr_core *core = graph->core;
	const struct joined_access access = join_access(core, op, outcome);
	const unsigned level = access.level & 3;
	if (!level)
		return;
	bring_line(graph, access.address >> core->line_shift, level, execute + core->page_latency[access.level >> 2],
	           true);
}

static int64_t split_latency(struct ifr_graph *graph, const struct joined_access *access, unsigned port,
                             int64_t execute) {
	const struct ifr_core *core = graph->core;
	const uint64_t last = access->address + access->bytes - 1;
	if (access->address >> core->line_shift == last >> core->line_shift ||
	    ifr_core_idealises(core, IFR_CAUSE_SPLIT))
		return 0;
	ports_hold(&graph->ports, port, execute + 1);
	return access->address >> core->page_shift == last >> core->page_shift ? core->line_split : core->page_split;
}

/* A load that names a recent store's memory has its value at rename, if no other store in the queue has it. */
static void take_value(struct ifr_graph *graph, const struct ifr_core_op *op, const struct store *source) {
	if (!graph->core->renamed || !op->name)
		return;
	const uint32_t named = names_find(&graph->names, op, graph->stores, graph->core->renamed);
	if (named && (!source || source->number == named))
		graph->taken_value = store_of(graph, named)->value;
}

int64_t graph_load(struct ifr_graph *graph, const struct ifr_core_op *op, unsigned port, int64_t ready,
                   uint64_t pc, const struct ifr_core_outcome *outcome) {
	const struct joined_access access = join_access(graph->core, op, outcome);
	const unsigned counters = graph->core->counters;
	uint8_t *counter = &graph->counters[counters ? pc % counters : 0];
	ready = later(ready, graph->loads_floor);
	const struct store *alike = find_alike(graph, &access);
	const struct store *source = find_source(graph, alike, &access, ready);
	take_value(graph, op, source);
	const int64_t known = *counter == COUNTER_MOST ? 0
	                      : counters               ? graph->stores_known
	                      : source                 ? source->known
	                                               : 0;
	const int64_t execute = ports_book(&graph->ports, port, later(ready, known), op->unit, op->occupancy);
	int64_t done = source && source->drain > execute ? load_stored(graph, source, &access, execute)
	                                                 : load_cached(graph, &access, execute);
	if (alike && alike != source && graph->core->alias) {
		const int64_t issued = issue_again(graph, port, alike, &access, execute);
		done = issued > execute ? later(done, issued + graph->core->load_latency) : done;
	}
	done += load_extra(graph->core, op) + split_latency(graph, &access, port, execute);
	if (source && source->known > execute) {
		graph->counts.clears++;
		graph->rename_floor = later(graph->rename_floor, done + graph->core->clear);
	}
	*counter =
		!counters || (source && source->known > ready) ? 0 : (uint8_t)(*counter + (*counter < COUNTER_MOST));
	return done;
}

void graph_store_address(struct ifr_graph *graph, const struct ifr_core_op *op, int64_t known,
                         const struct ifr_core_outcome *outcome) {
	const struct joined_access access = join_access(graph->core, op, outcome);
	const uint32_t number = ++graph->stores;
	*store_of(graph, number) = (struct store){.address = access.address,
	                                          .bytes = (uint16_t)access.bytes,
	                                          .known = known,
	                                          .data = known,
	                                          .value = known,
	                                          .commit = INT64_MAX,
	                                          .drain = INT64_MAX,
	                                          .number = number,
	                                          .level = (uint8_t)access.level};
	graph->stores_known = later(graph->stores_known, known);
	if (graph->core->renamed)
		names_keep(&graph->names, op, number);
	for (uint64_t at = access.address >> UNIT_SHIFT; at <= (access.address + access.bytes - 1) >> UNIT_SHIFT; at++)
		graph->youngest[at & (UNITS_OF_PAGE - 1)] = number;
}

void graph_store_data(struct ifr_graph *graph, int64_t value, int64_t data) {
	struct store *store = store_of(graph, graph->stores);
	store->value = value;
	store->data = data;
}

void graph_store_retire(struct ifr_graph *graph, uint32_t number, int64_t commit) {
	const struct ifr_core *core = graph->core;
	struct store *store = store_of(graph, number);
	const unsigned level = store->level & 3;
	int64_t arrived = commit + 1 + core->page_latency[store->level >> 2];
	if (level) {
		int64_t *fill = next_fill(graph);
		arrived = later(arrived, *fill) + core->miss_latency[level];
		*fill = arrived;
	}
	store->commit = commit;
	/* Of the stores that leave together, the first waits for the last ones before. */
	const int64_t before = store_of(graph, number - core->commit)->drain;
	store->drain = graph->drained = later(later(graph->drained, before + core->drain), arrived);
}
