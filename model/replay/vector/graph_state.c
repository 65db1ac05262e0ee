/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a graph of sixteen lanes: made, rebased, read. */
#include <stdlib.h>
#include <string.h>

#include "model/replay/vector/graph_lanes.h"

static bool is_power(unsigned n) {
	return !(n & (n - 1));
}

/* Whether fused pairs make no stores: their numbers are the same in all lanes. */
static bool pairs_store_nothing(const struct ifr_core_program *program) {
	for (size_t i = 0; i < program->blocks_count; i++) {
		const struct ifr_core_code *codes = program->blocks[i];
		if (codes[0].first == codes[1].first)
			continue;
		const struct ifr_core_instruction *last = &program->instructions[codes[1].first + codes[1].count - 1];
		for (unsigned k = 0; k < last->ops; k++)
			if (program->ops[last->first_op + k].kind == IFR_OPERATION_STORE_ADDRESS)
				return false;
	}
	return true;
}

/* Tells whether operations take what the instruction table says, on ports that can be busy. */
static bool is_usual(const struct ifr_core *core, const struct ifr_core_program *program) {
	unsigned longest = 0;
	for (size_t i = 0; i < program->ops_count; i++)
		longest = program->ops[i].latency > longest ? program->ops[i].latency : longest;
	return core->wakeup == 1 && core->longest >= longest && !core->unlimited;
}

bool IFR_VECTOR(graph_fits)(const struct ifr_core *core, const struct ifr_core_program *program) {
	return !core->ideal && is_power(core->counters) && core->scheduler < UINT8_MAX && core->fills <= 64 &&
	       is_usual(core, program) && pairs_store_nothing(program);
}

enum { SLOTS_MOVED = 16 }; /* more than a pair has slots */

static uint32_t ring_mask(unsigned least, unsigned count) {
	uint32_t size = least;
	while (size < count)
		size *= 2;
	return size - 1;
}

static void *allocate_rows(size_t count, size_t size) {
	void *rows = aligned_alloc(64, (count * size + 63) / 64 * 64);
	if (!rows)
		abort();
	memset(rows, 0, (count * size + 63) / 64 * 64);
	return rows;
}

/* --- days beyond those of a word ------------------------------------------------------------------------------- */

enum { CALENDAR_BITS_LEAST = 9, CALENDAR_KEPT = 256 };

static void set_calendar(struct lanes_graph *graph, uint32_t bits) {
	graph->calendar = ifr_alloc(((size_t)LANES << bits) * sizeof *graph->calendar);
	graph->calendar_bits = bits;
	graph->calendar_mask = (1u << bits) - 1;
}

/* Twice as many days. */
static void grow_calendar(struct lanes_graph *graph) {
	uint32_t *const from = graph->calendar, bits = graph->calendar_bits, mask = graph->calendar_mask;
	set_calendar(graph, bits + 1);
	for (size_t lane = 0; lane < LANES; lane++)
		for (uint32_t day = graph->day.at[lane], left = mask + 1; left; left--, day++)
			graph->calendar[(lane << (bits + 1)) + (day & graph->calendar_mask)] =
				from[(lane << bits) + (day & mask)];
	free(from);
}

static uint32_t *day_at(struct lanes_graph *graph, unsigned lane, int32_t cycle) {
	return &graph->calendar[((size_t)lane << graph->calendar_bits) + ((uint32_t)cycle & graph->calendar_mask)];
}

/* The days that the calendar has for a lane end here. */
static int32_t end_of_days(const struct lanes_graph *graph, unsigned lane) {
	const uint32_t from = graph->calendar_bits < CALENDAR_BITS ? graph->day.at[lane] : graph->rename.at[lane];
	return (int32_t)(from + graph->calendar_mask + 1 - CALENDAR_KEPT);
}

int32_t IFR_VECTOR(graph_far_free)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t ready) {
	const uint32_t own = 1u << port, taken = own | own << PORTS;
	const int32_t beyond = (int32_t)(graph->day.at[lane] + 32);
	int32_t cycle = ready > beyond ? ready : beyond;
	while (cycle >= end_of_days(graph, lane) || *day_at(graph, lane, cycle) & taken)
		if (cycle < end_of_days(graph, lane)) {
			cycle++;
		} else if (graph->calendar_bits < CALENDAR_BITS) {
			grow_calendar(graph);
		} else {
			cycle = end_of_days(graph, lane);
			break;
		}
	return cycle;
}

int32_t IFR_VECTOR(graph_far)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t ready) {
	const uint32_t own = 1u << port;
	const int32_t cycle = IFR_VECTOR(graph_far_free)(graph, lane, port, ready);
	uint32_t *day = day_at(graph, lane, cycle);
	if (!(*day & own)) {
		graph->far_own[port].at[lane]++;
		graph->in_scheduler.at[lane]++;
		graph->far_count[lane]++;
		graph->far |= 1u << lane;
	}
	*day |= own;
	return cycle;
}

void IFR_VECTOR(graph_far_hold)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t cycle) {
	while (graph->calendar_bits < CALENDAR_BITS && cycle >= end_of_days(graph, lane))
		grow_calendar(graph);
	uint32_t *day = day_at(graph, lane, cycle);
	if (*day >> (port + PORTS) & 1)
		return;
	graph->far_count[lane]++;
	graph->far |= 1u << lane;
	*day |= 1u << (port + PORTS);
}

/* A day of the calendar comes into the words, or is behind them. */
static void bring_day(struct lanes_graph *graph, unsigned lane, uint32_t day, int32_t ahead) {
	graph->far_count[lane] -= (uint32_t)__builtin_popcount(day);
	for (; day; day &= day - 1) {
		const unsigned bit = (unsigned)__builtin_ctz(day), port = bit % PORTS;
		graph->far_own[port].at[lane] -= bit < PORTS;
		if (ahead >= 0)
			(bit < PORTS ? graph->own : graph->held)[port].at[lane] |= 1u << ahead;
		else
			graph->in_scheduler.at[lane] -= bit < PORTS;
		graph->any_held |= bit >= PORTS;
	}
}

static void bring_days(struct lanes_graph *graph, unsigned lane, int32_t from, int32_t to) {
	for (int32_t cycle = from + 32; cycle < to + 32 && graph->far_count[lane]; cycle++) {
		uint32_t *day = day_at(graph, lane, cycle);
		if (!*day)
			continue;
		const uint32_t kept = *day;
		*day = 0;
		bring_day(graph, lane, kept, cycle - to);
	}
	if (!graph->far_count[lane])
		graph->far &= ~(1u << lane);
}

void IFR_VECTOR(graph_days)(struct lanes_graph *graph, vec to) {
	const vec from = words_get(&graph->day), by = vec_sub(to, from);
	const vec kept = vec_left_each(vec_set(UINT32_MAX), by);
	const struct lane_words before = graph->day;
	vec left = vec_set(0), held = vec_set(0);
	for (unsigned i = 0; i < graph->ports_count; i++) {
		const vec days = words_get(&graph->own[i]);
		left = vec_add(left, vec_popcount(vec_without_bits(days, kept)));
		words_set(&graph->own[i], vec_right_each(days, by));
	}
	for (unsigned i = 0; i < graph->ports_count && graph->any_held; i++) {
		const vec days = vec_right_each(words_get(&graph->held[i]), by);
		held = vec_or(held, days);
		words_set(&graph->held[i], days);
	}
	graph->any_held = mask_bits(mask_not_zero(held, mask_of_bits(ALL_LANES)));
	words_set(&graph->in_scheduler, vec_sub(words_get(&graph->in_scheduler), left));
	words_set(&graph->day, to);
	for (unsigned lanes = graph->far; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		bring_days(graph, lane, (int32_t)before.at[lane], (int32_t)graph->day.at[lane]);
	}
}

/* Ports up to the last of any operation. */
static unsigned count_ports(const struct ifr_core_program *program) {
	unsigned ports = 1;
	for (size_t i = 0; i < program->ops_count; i++)
		ports |= program->ops[i].ports;
	return 32 - (unsigned)__builtin_clz(ports);
}

struct lanes_graph *IFR_VECTOR(graph_new)(const struct ifr_core *core, const struct ifr_core_program *program) {
	struct lanes_graph *graph = allocate_rows(1, sizeof *graph);
	graph->core = *core;
	graph->slots_mask =
		ring_mask(SLOTS_LEAST, (core->window > core->queue ? core->window : core->queue) + SLOTS_MOVED);
	graph->loads_mask = ring_mask(LOADS_LEAST, core->loads);
	graph->stores_mask = ring_mask(STORES_LEAST, core->stores);
	graph->left = allocate_rows(graph->slots_mask + 1u, sizeof *graph->left);
	graph->retired = allocate_rows(graph->slots_mask + 1u, sizeof *graph->retired);
	graph->loads_retired = allocate_rows(graph->loads_mask + 1u, sizeof *graph->loads_retired);
	graph->queue = allocate_rows(graph->stores_mask + 1u, sizeof *graph->queue);
	graph->counters = allocate_rows(core->counters + 1u, sizeof *graph->counters);
	set_calendar(graph, CALENDAR_BITS_LEAST);
	graph->ports_count = count_ports(program);
	graph->window_arrivals = ifr_alloc((size_t)LANES * WINDOWS_AHEAD * sizeof *graph->window_arrivals);
	graph->rows = ifr_alloc(LANES * sizeof *graph->rows);
	words_set(&graph->width, vec_set(core->cache_width));
	for (unsigned lane = 0; lane < LANES; lane++) {
		graph->predecode_bytes[lane] = UINT64_MAX;
		graph->window_room.at[lane] = lane * WINDOWS_AHEAD + (0u - core->ahead) % WINDOWS_AHEAD;
	}
	for (unsigned i = 0; i < LINES_KEPT; i++)
		words_set(&graph->lines_high[i], vec_set(UINT32_MAX));
	return graph;
}

void IFR_VECTOR(graph_free)(struct lanes_graph *graph) {
	if (!graph)
		return;
	free(graph->left);
	free(graph->retired);
	free(graph->loads_retired);
	free(graph->queue);
	free(graph->counters);
	free(graph->calendar);
	free(graph->window_arrivals);
	free(graph->rows);
	free(graph->begins);
	free(graph);
}

/* --- following a base ----------------------------------------------------------------------------------------- */

enum { REBASED_FROM = 1 << 28 };

/* Times from a later base. What lies long before it stays where it is, and what never comes, too. */
static void shift_rows(struct lane_words *rows, size_t count, vec by) {
	for (size_t i = 0; i < count; i++) {
		const vec time = words_get(&rows[i]);
		const vec_mask never = vec_equal(time, vec_set(LANE_NEVER));
		const vec shifted = vec_max(vec_sub(vec_max(time, vec_set((uint32_t)LANE_LONG_AGO)), by),
		                            vec_set((uint32_t)LANE_LONG_AGO));
		words_set(&rows[i], vec_select(never, time, shifted));
	}
}

static void shift_time(int32_t *time, int32_t by) {
	*time = *time < LANE_LONG_AGO + by ? LANE_LONG_AGO : *time - by;
}

static void shift_lane(struct lanes_graph *graph, unsigned lane, int32_t by) {
	graph->base[lane] += by;
	shift_time(&graph->predecoded[lane], by);
	for (unsigned i = 0; i < WINDOWS_AHEAD; i++)
		shift_time((int32_t *)&graph->window_arrivals[lane * WINDOWS_AHEAD + i], by);
}

static void shift_all(struct lanes_graph *graph, vec by) {
	struct lane_words *const times[] = {
		&graph->arrival,     &graph->branch_done, &graph->rename,       &graph->retire,      &graph->rename_floor,
		&graph->slot_done,   &graph->day,         &graph->stores_known, &graph->drained,     &graph->loads_floor,
		&graph->line_latest, &graph->predicted,   &graph->passed_cycle, &graph->lines_cycle, &graph->window_cycle,
	};
	for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
		shift_rows(times[i], 1, by);
	shift_rows(graph->left, graph->slots_mask + 1u, by);
	shift_rows(graph->retired, graph->slots_mask + 1u, by);
	shift_rows(graph->loads_retired, graph->loads_mask + 1u, by);
	shift_rows(graph->registers, IFR_REGISTERS, by);
	shift_rows(graph->unit_free, IFR_UNITS, by);
	shift_rows(graph->fill_done, 64, by);
	shift_rows(graph->line_done, LINES_KEPT, by);
	for (uint32_t i = 0; i <= graph->stores_mask; i++)
		shift_rows(&graph->queue[i].known, 5, by);
}

/* Bases move by whole calendars, so that a cycle keeps its day. */
void IFR_VECTOR(graph_follow)(struct lanes_graph *graph) {
	if (!mask_bits(vec_greater(words_get(&graph->retire), vec_set(REBASED_FROM))))
		return;
	struct lane_words by;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const int32_t retire = (int32_t)graph->retire.at[lane];
		const int32_t shift = retire > CALENDAR ? (retire - CALENDAR) & -CALENDAR : 0;
		by.at[lane] = (uint32_t)shift;
		shift_lane(graph, lane, shift);
	}
	shift_all(graph, words_get(&by));
	IFR_VECTOR(graph_settle)(graph);
}

/* --- reading -------------------------------------------------------------------------------------------------- */

static void settle(struct lane_words *words, uint64_t *counts) {
	const size_t stride = sizeof(struct ifr_core_counts) / sizeof(uint64_t);
	for (unsigned lane = 0; lane < LANES; lane++) {
		counts[lane * stride] += words->at[lane];
		words->at[lane] = 0;
	}
}

void IFR_VECTOR(graph_settle)(struct lanes_graph *graph) {
	struct ifr_core_counts *counts = graph->counts;
	settle(&graph->undelivered, &counts->undelivered);
	settle(&graph->stalls, &counts->stalls);
	settle(&graph->stalls_window, &counts->stalls_window);
	settle(&graph->stalls_scheduler, &counts->stalls_scheduler);
	settle(&graph->stalls_loads, &counts->stalls_loads);
	settle(&graph->stalls_stores, &counts->stalls_stores);
	settle(&graph->aliases, &counts->aliases);
	settle(&graph->blocked, &counts->blocked);
	settle(&graph->clears, &counts->clears);
	settle(&graph->late, &counts->late);
}
