/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrival, as model/core/graph_arrival.c has it: lane by lane where decoders or a loop buffer deliver, else together. */
#include "model/core/entry.h"
#include "model/replay/vector/gather.h"
#include "model/replay/vector/graph_lanes.h"

static int32_t *word(struct lane_words *words, unsigned lane) {
	return (int32_t *)&words->at[lane];
}

static void wait_until(struct lanes_graph *graph, unsigned lane, int32_t cycle) {
	if (cycle > *word(&graph->arrival, lane)) {
		*word(&graph->arrival, lane) = cycle;
		graph->arrival_used.at[lane] = 0;
	}
}

static void begin_cycle(struct lanes_graph *graph, unsigned lane) {
	++*word(&graph->arrival, lane);
	graph->arrival_used.at[lane] = 0;
}

static int32_t predecode(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                         uint64_t address, unsigned lane) {
	const struct ifr_core *core = &graph->core;
	const uint64_t bytes = (address + instruction->bytes - !!instruction->bytes) / core->fetch_bytes;
	if (bytes != graph->predecode_bytes[lane]) {
		graph->predecoded[lane] += graph->predecode_bytes[lane] != UINT64_MAX;
		graph->predecode_bytes[lane] = bytes;
		graph->predecode_count[lane] = 0;
	} else if (graph->predecode_count[lane] == core->predecode) {
		graph->predecoded[lane]++;
		graph->predecode_count[lane] = 0;
	}
	graph->predecode_count[lane]++;
	if (instruction->flags & IFR_INSTRUCTION_LENGTH_CHANGING)
		graph->predecoded[lane] += (int32_t)core->length_change;
	return graph->predecoded[lane];
}

void IFR_VECTOR(graph_decode)(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                              uint64_t address, unsigned lane) {
	const int32_t ready = predecode(graph, instruction, address, lane);
	if (graph->decoded[lane] == graph->core.decoders || (instruction->decoded > 1 && graph->decoded[lane])) {
		begin_cycle(graph, lane);
		graph->decoded[lane] = 0;
	}
	if (ready > *word(&graph->arrival, lane)) {
		wait_until(graph, lane, ready);
		graph->decoded[lane] = 0;
	}
	graph->decoded[lane]++;
}

/* Notes when a lane's window could arrive. */
static void note_window(struct lanes_graph *graph, unsigned lane) {
	const uint32_t number = graph->windows.at[lane]++, row = lane * WINDOWS_AHEAD;
	graph->window_arrivals[row + number % WINDOWS_AHEAD] = graph->arrival.at[lane];
	graph->window_room.at[lane] = row + (number + 1 - graph->core.ahead) % WINDOWS_AHEAD;
}

/* Finds a window into which the one before goes on. start: its first instruction's address. */
static void predict_next(struct lanes_graph *graph, uint32_t start, unsigned lane) {
	const int32_t room = (int32_t)graph->window_arrivals[graph->window_room.at[lane]];
	const bool blocks = graph->core.pairs == IFR_PAIRS_BLOCKS;
	const bool paired = graph->paired >> lane & 1;
	const bool wide = blocks && !paired && !(graph->wide >> lane & 1) && room <= *word(&graph->predicted, lane);
	const int32_t windows = wide ? 0 : paired && !blocks ? 2 : 1;
	const int32_t found = *word(&graph->predicted, lane) + windows * (int32_t)graph->core.prediction;
	graph->paired &= ~(1u << lane);
	graph->wide = (graph->wide & ~(1u << lane)) | (unsigned)wide << lane;
	graph->places.at[lane] = graph->core.branches;
	graph->group_before.at[lane] = graph->group.at[lane];
	graph->group.at[lane] = start;
	*word(&graph->predicted, lane) = found > room ? found : room;
	wait_until(graph, lane, *word(&graph->predicted, lane));
}

/* Windows begin in some lanes. No line of them arrives with those of the last one that were behind its first ones. */
static void enter_windows(struct lanes_graph *graph, unsigned lanes) {
	if (graph->core.cache_reads == 1)
		return;
	const vec_mask on = mask_of_bits(lanes);
	const vec reads = vec_set(graph->core.cache_reads);
	words_put(&graph->lines_begun, mask_and(on, vec_greater(words_get(&graph->window_lines), reads)), reads);
	words_put(&graph->window_lines, on, vec_set(0));
	graph->window_entered |= lanes;
}

/* A line begins in a window. Those behind the first ones of the window arrive some cycles behind these. */
static void delay_further(struct lanes_graph *graph, unsigned lane) {
	const unsigned reads = graph->core.cache_reads, lines = graph->window_lines.at[lane]++;
	if (lines % reads)
		return;
	if (lines)
		wait_until(graph, lane, *word(&graph->window_cycle, lane) + (int32_t)graph->core.cache_further);
	graph->window_cycle.at[lane] = graph->arrival.at[lane];
}

/* A delivery begins another cycle, unless its line of the op cache arrives with the last one. */
static void end_cycle(struct lanes_graph *graph, const struct ifr_delivery *delivery, bool joined, unsigned lane) {
	const bool used = graph->arrival_used.at[lane];
	if (graph->core.cache_reads == 1 || delivery->source != IFR_SOURCE_OP_CACHE) {
		if (!joined && used)
			begin_cycle(graph, lane);
		return;
	}
	const bool same = used && graph->lines_cycle.at[lane] == graph->arrival.at[lane];
	const unsigned lines = same ? graph->lines_begun.at[lane] : 0;
	const bool entered = graph->window_entered >> lane & 1;
	const bool ends = (entered && !joined && same) || lines == graph->core.cache_reads;
	graph->window_entered &= ~(1u << lane);
	if (ends)
		begin_cycle(graph, lane);
	graph->lines_begun.at[lane] = ends ? 1 : lines + 1;
	if (graph->core.cache_further)
		delay_further(graph, lane);
	graph->lines_cycle.at[lane] = graph->arrival.at[lane];
}

void IFR_VECTOR(graph_begin)(struct lanes_graph *graph, const struct ifr_delivery *delivery, bool first,
                             uint32_t start, unsigned lane) {
	const bool joined = graph->joined >> lane & 1;
	if (!first && delivery->window)
		predict_next(graph, start, lane);
	graph->joined &= ~(1u << lane);
	if (delivery->window)
		enter_windows(graph, 1u << lane);
	if (delivery->boundary)
		end_cycle(graph, delivery, joined, lane);
	if (delivery->wait)
		wait_until(graph, lane, *word(&graph->arrival, lane) + delivery->wait);
	if (delivery->window)
		note_window(graph, lane);
	const bool decoders = delivery->source == IFR_SOURCE_DECODERS;
	if (decoders && delivery->boundary) {
		graph->predecoded[lane] = *word(&graph->arrival, lane);
		graph->predecode_bytes[lane] = UINT64_MAX;
		graph->predecode_count[lane] = 0;
		graph->decoded[lane] = joined && !delivery->wait ? graph->decoded[lane] : 0;
	}
	graph->decoding = (graph->decoding & ~(1u << lane)) | (unsigned)decoders << lane;
	graph->odd = (graph->odd & ~(1u << lane)) | (unsigned)(delivery->source != IFR_SOURCE_OP_CACHE) << lane;
	graph->width.at[lane] = decoders                                  ? UINT32_MAX
	                        : delivery->source == IFR_SOURCE_OP_CACHE ? graph->core.cache_width
	                                                                  : graph->core.issue;
}

/* --- lanes whose op cache delivers, together -------------------------------------------------------------------- */

/* Waits until a cycle, in some lanes. */
static void wait_lanes(struct lanes_graph *graph, vec_mask on, vec cycle) {
	const vec arrival = words_get(&graph->arrival);
	const vec_mask late = mask_and(on, vec_greater(cycle, arrival));
	words_set(&graph->arrival, vec_select(late, cycle, arrival));
	words_set(&graph->arrival_used, vec_without(late, words_get(&graph->arrival_used)));
}

static void begin_cycles(struct lanes_graph *graph, vec_mask on) {
	words_set(&graph->arrival, vec_increment(on, words_get(&graph->arrival)));
	words_set(&graph->arrival_used, vec_without(on, words_get(&graph->arrival_used)));
}

/* Lanes that find a window; of them those in which the one before goes on into it, and in which a direct taken branch
 * without a bubble joins it to that. */
struct window_entries {
	unsigned lanes, going_on, joined;
};

/* Begins a group at these addresses in some lanes. */
static void begin_groups(struct lanes_graph *graph, vec_mask on, vec starts) {
	words_put(&graph->places, on, vec_set(graph->core.branches));
	words_put(&graph->group_before, on, words_get(&graph->group));
	words_put(&graph->group, on, starts);
}

/* starts: their first instructions' addresses. */
static void predict_windows(struct lanes_graph *graph, struct window_entries entries, vec starts, vec bubble,
                            vec fetch_wait) {
	const vec_mask on = mask_of_bits(entries.lanes);
	const vec room = vec_load_at(graph->window_arrivals, graph->window_room.at);
	const vec before = words_get(&graph->predicted), one = vec_set(graph->core.prediction);
	vec predicted = vec_add(before, vec_add(one, bubble));
	const unsigned going_on = entries.lanes & entries.going_on;
	if (graph->core.branches || graph->core.targets) {
		const vec_mask full = mask_and(on, vec_equal(words_get(&graph->places), vec_set(0)));
		begin_groups(graph, mask_or(mask_of_bits(going_on), full), starts);
	}
	const bool blocks = graph->core.pairs == IFR_PAIRS_BLOCKS;
	const unsigned again = blocks ? 0 : graph->paired & entries.lanes & entries.going_on;
	if (again)
		predicted = vec_select(mask_of_bits(again), vec_add(predicted, one), predicted);
	predicted = vec_max(predicted, room);
	unsigned pairs = graph->core.pairs ? entries.lanes & entries.joined & ~graph->paired : 0;
	unsigned wide = blocks ? entries.lanes & entries.going_on & ~graph->paired & ~graph->wide : 0;
	if (pairs | wide) {
		const unsigned late = mask_bits(vec_greater(room, before));
		pairs &= ~late;
		wide &= ~late;
		predicted = vec_select(mask_of_bits(pairs | wide), before, predicted);
	}
	graph->paired = (graph->paired & ~entries.lanes) | pairs;
	graph->wide = (graph->wide & ~entries.lanes) | wide;
	words_put(&graph->predicted, on, predicted);
	wait_lanes(graph, on, vec_add(predicted, fetch_wait));
}

/* Lines begin in windows of some lanes, as above. */
static void delay_lanes(struct lanes_graph *graph, vec_mask on) {
	const vec lines = words_get(&graph->window_lines), one = vec_set(1);
	/* Of two that arrive at once, the first; not those of the window's first two. */
	const vec_mask leads = mask_without(on, mask_not_zero(vec_and(lines, one), on));
	const vec_mask late = mask_not_zero(lines, leads);
	words_put(&graph->window_lines, on, vec_add(lines, one));
	if (mask_bits(late))
		wait_lanes(graph, late, vec_add(words_get(&graph->window_cycle), vec_set(graph->core.cache_further)));
	words_put(&graph->window_cycle, leads, words_get(&graph->arrival));
}

/* Lines begin in some lanes, in some of them those of a window that the last one goes on into: another cycle begins, or
 * they arrive with the last ones. */
static void begin_lines(struct lanes_graph *graph, unsigned lanes, unsigned going_on) {
	const vec_mask on = mask_of_bits(lanes), used = mask_not_zero(words_get(&graph->arrival_used), on);
	const vec_mask same = mask_and(used, vec_equal(words_get(&graph->lines_cycle), words_get(&graph->arrival)));
	const vec lines = vec_where(same, words_get(&graph->lines_begun)), one = vec_set(1);
	const vec_mask full = vec_equal(lines, vec_set(graph->core.cache_reads));
	const vec_mask ends = mask_or(mask_and(on, full), mask_and(same, mask_of_bits(going_on)));
	begin_cycles(graph, ends);
	words_put(&graph->lines_begun, on, vec_select(ends, one, vec_add(lines, one)));
	if (graph->core.cache_further)
		delay_lanes(graph, on);
	words_put(&graph->lines_cycle, on, words_get(&graph->arrival));
}

void IFR_VECTOR(graph_begin_lanes)(struct lanes_graph *graph, const struct joint_begin *begin, unsigned lanes,
                                   bool first, const struct lanes_step *step,
                                   const struct ifr_core_instruction *instruction) {
	const unsigned windows = begin->windows & lanes, joined = graph->joined & lanes;
	const unsigned boundaries = begin->boundaries & lanes, closing = boundaries & ~joined;
	const unsigned all = begin->lanes & lanes;
	if (!first && windows)
		predict_windows(graph, (struct window_entries){windows, windows, 0},
		                vec_add(vec_load(step->entry->addresses), vec_set(instruction->offset)), vec_set(0),
		                vec_set(0));
	graph->joined &= ~all;
	if (windows)
		enter_windows(graph, windows);
	if (graph->core.cache_reads > 1 && boundaries) {
		begin_lines(graph, boundaries, graph->window_entered & ~joined);
		graph->window_entered &= ~boundaries;
	} else if (closing)
		begin_cycles(graph, mask_not_zero(words_get(&graph->arrival_used), mask_of_bits(closing)));
	for (unsigned left = windows; left; left &= left - 1)
		note_window(graph, (unsigned)__builtin_ctz(left));
	if (!(graph->odd & all))
		return;
	words_put(&graph->width, mask_of_bits(all), vec_set(graph->core.cache_width));
	graph->decoding &= ~all;
	graph->odd &= ~all;
}

/* --- a block ----------------------------------------------------------------------------------------------------- */

/* Lets fetch go on behind a taken branch in the same cycle, where it may. decoded: lanes whose decoders deliver what is
 * behind it. Returns those lanes in which it goes on. */
static vec_mask pass_branches(struct lanes_graph *graph, vec_mask on, unsigned decoded) {
	if (graph->core.cache_sets)
		on = mask_without(on, mask_of_bits(graph->decoding | decoded));
	if (!mask_bits(on))
		return on;
	const vec arrival = words_get(&graph->arrival);
	const vec_mask same = vec_equal(words_get(&graph->passed_cycle), arrival);
	const vec passed = vec_add(vec_select(same, words_get(&graph->passed), vec_set(0)), vec_set(1));
	words_put(&graph->passed, on, passed);
	words_put(&graph->passed_cycle, on, arrival);
	return mask_and(on, vec_greater(vec_set(graph->core.taken), passed));
}

/* Lanes of which a slow one's first delivery begins a window, comes from the loop buffer, and from the decoders; and any
 * from these. */
struct slow_lanes {
	unsigned windows, looping, decoded, decoding;
};

static struct slow_lanes look_at_slow(const struct joint_front *front) {
	struct slow_lanes lanes = {0};
	for (unsigned left = front->slow; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		const struct ifr_delivery *deliveries = front->deliveries[lane];
		lanes.windows |= (unsigned)deliveries->window << lane;
		lanes.looping |= (unsigned)(deliveries->source == IFR_SOURCE_LOOP_BUFFER) << lane;
		lanes.decoded |= (unsigned)(deliveries->source == IFR_SOURCE_DECODERS) << lane;
		for (uint32_t i = 0; i < front->deliveries_count[lane]; i++)
			lanes.decoding |= (unsigned)(deliveries[i].source == IFR_SOURCE_DECODERS) << lane;
	}
	return lanes;
}

/* Cycles that each lane loses behind a taken branch, by the BTB that has it. */
static vec bubbles_of(const struct lanes_graph *graph, const struct lanes_step *step) {
	const struct ifr_core *core = &graph->core;
	struct lane_words bubbles;
	if (!step->btb_lanes)
		return vec_set(core->bubble[0]);
	words_set(&bubbles, vec_set(core->bubble[0]));
	for (unsigned left = step->btb_lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left), level = step->btb[lane];
		bubbles.at[lane] = level < IFR_CORE_BTB_NONE ? core->bubble[level] : core->unknown_branch;
	}
	return words_get(&bubbles);
}

/* Lanes in which the last block is left for one that is far. */
static unsigned lanes_far(const struct lanes_graph *graph, const struct lanes_step *step) {
	unsigned lanes = 0;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const struct ifr_placed *from = joint_placed(step->front, lane, graph->left_block);
		const struct ifr_placed *to = joint_placed(step->front, lane, step->entry->block);
		lanes |= (unsigned)leads_far(from->address + from->bytes, to->address) << lane;
	}
	return lanes;
}

/* Cycles that each lane loses behind an indirect jump that leads far, has led to several targets, or whose groups told
 * another target. */
static vec target_bubbles(struct lanes_graph *graph, const struct lanes_step *step) {
	const struct ifr_core *core = &graph->core;
	struct lane_words elsewhere;
	if (!ifr_branch_is_indirect(graph->left_by))
		return vec_set(0);
	vec lost = core->far ? vec_where(mask_of_bits(lanes_far(graph, step)), vec_set(core->far)) : vec_set(0);
	if (step->several)
		lost = vec_add(lost, vec_set(core->several));
	if (!core->targets)
		return lost;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const struct groups groups = {graph->group_before.at[lane], graph->group.at[lane]};
		const bool again = target_again(graph->rows[lane], groups, step->entry->addresses[lane]);
		elsewhere.at[lane] = again ? 0 : core->targets;
	}
	return vec_add(lost, words_get(&elsewhere));
}

static vec waits_of(const struct lanes_step *step, unsigned decoding) {
	struct lane_words waits;
	if (!(step->waiting & decoding))
		return vec_set(0);
	for (unsigned lane = 0; lane < LANES; lane++)
		waits.at[lane] = step->waiting & decoding & 1u << lane ? step->fetch_wait[lane] : 0;
	return words_get(&waits);
}

/* A mispredicted branch was executed. windows: lanes in which a window begins; in the others, the predictor finds the
 * rest of the last one again. */
static void redirect(struct lanes_graph *graph, unsigned lanes, unsigned windows, vec starts) {
	const vec_mask on = mask_of_bits(lanes), again = mask_of_bits(lanes & ~windows);
	wait_lanes(graph, on, vec_add(words_get(&graph->branch_done), vec_set(graph->core.mispredicted - 1)));
	const vec arrival = words_get(&graph->arrival), before = vec_sub(arrival, vec_set(graph->core.prediction));
	words_put(&graph->predicted, on, vec_select(again, arrival, before));
	begin_groups(graph, again, starts);
	graph->paired &= ~lanes;
	graph->wide &= ~lanes;
}

/* Lanes in which the last block is left for another page (leaves_page). */
static unsigned lanes_leaving(const struct lanes_graph *graph, const struct lanes_step *step) {
	const vec last = vec_sub(words_get(&graph->left_at), vec_set(1)), to = vec_load(step->entry->addresses);
	const vec pages = vec_right_each(vec_xor(last, to), vec_set(graph->core.page_shift));
	return ALL_LANES & ~mask_bits(vec_equal(pages, vec_set(0)));
}

/* The predictor finds the branch that ended the last block, and led to this one. */
static void find_branch(struct lanes_graph *graph, const struct lanes_step *step) {
	if (!graph->core.branches || !step->known)
		return;
	const vec_mask none = vec_equal(words_get(&graph->places), vec_set(0));
	const unsigned ended = ends_group(graph->left_by) ? ALL_LANES
	                       : step->taken              ? step->mispredicted | lanes_leaving(graph, step)
	                                                  : step->mispredicted;
	begin_groups(graph, none, words_get(&graph->left_at));
	words_set(&graph->predicted,
	          vec_add(words_get(&graph->predicted), vec_where(none, vec_set(graph->core.prediction))));
	words_set(&graph->places, vec_without(mask_of_bits(ended), vec_sub(words_get(&graph->places), vec_set(1))));
}

/* A block of code ends behind a branch that is not taken. windows: lanes in which a window begins behind it. */
static void divide_block(struct lanes_graph *graph, unsigned lanes, unsigned windows) {
	const unsigned within = lanes & ~windows, again = graph->paired & within;
	words_set(&graph->predicted, vec_add(words_get(&graph->predicted),
	                                     vec_where(mask_of_bits(again), vec_set(graph->core.prediction))));
	graph->paired = (graph->paired & ~lanes) | (lanes & windows) | (within & ~again);
	graph->wide &= ~lanes;
	wait_lanes(graph, mask_of_bits(within), words_get(&graph->predicted));
}

void IFR_VECTOR(graph_enter)(struct lanes_graph *graph, const struct lanes_step *step) {
	const struct slow_lanes slow = look_at_slow(step->front);
	const unsigned windows = slow.windows | (step->entry->begins[0].windows & ~step->front->slow);
	const unsigned taken = step->taken ? ALL_LANES & ~step->mispredicted & ~slow.looping : 0;
	const vec waits = waits_of(step, slow.decoding);
	struct window_entries entries = {windows, step->taken ? 0 : ALL_LANES & ~step->mispredicted, 0};
	const vec at = vec_load(step->entry->addresses);
	vec bubble = vec_set(0);
	find_branch(graph, step);
	if (step->divides && graph->core.pairs == IFR_PAIRS_BLOCKS)
		divide_block(graph, ALL_LANES & ~step->mispredicted, windows);
	const vec elsewhere = step->taken ? target_bubbles(graph, step) : vec_set(0);
	if (step->mispredicted)
		redirect(graph, step->mispredicted, windows, at);
	if (taken) {
		const vec_mask on = mask_of_bits(taken);
		const vec of_kind = vec_set(kind_bubble(&graph->core, graph->left_by));
		bubble = vec_where(on, vec_add(vec_add(bubbles_of(graph, step), of_kind), elsewhere));
		const vec_mask none = mask_without(on, mask_not_zero(bubble, on));
		const vec_mask joined = pass_branches(graph, none, slow.decoded);
		graph->joined = (graph->joined & ~taken) | mask_bits(joined);
		entries.joined = is_direct_jump(graph->left_by) ? mask_bits(none) : 0;
		begin_cycles(graph, mask_without(on, joined));
	}
	const unsigned before = windows & ~entries.going_on & step->entry->crossing;
	if (before) {
		const vec_mask on = mask_of_bits(before);
		predict_windows(graph, (struct window_entries){before, 0, entries.joined & before}, at, bubble,
		                vec_set(0));
		for (unsigned left = before; left; left &= left - 1)
			note_window(graph, (unsigned)__builtin_ctz(left));
		if (graph->core.cache_reads > 1) {
			begin_cycles(graph, on);
			graph->joined &= ~before;
		}
		entries.going_on |= before;
		entries.joined &= ~before;
		bubble = vec_without(on, bubble);
	}
	if (windows)
		predict_windows(graph, entries, at, bubble, waits);
	if (windows != ALL_LANES)
		wait_lanes(graph, mask_of_bits(ALL_LANES & ~windows),
		           vec_add(words_get(&graph->arrival), vec_add(bubble, waits)));
}
