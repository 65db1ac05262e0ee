/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Front ends of both layouts see the same sequence of blocks, and each block's slots are added up by source. Loops come
 * from the sequence, too: a taken jump to a block at or before its own. A block belongs to the innermost loop around
 * it. Its executions from outside the loop are counted there as well: they are few, or there is no loop to speak of. */
#include "model/layout/loops.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"
#include "model/core/program.h"

/* A longer way back is no loop that a front end could hold, but a jump from code that was put aside. */
enum { CHUNK_EXECUTIONS = 16384, LOOP_BYTES_MOST = 4096 };

struct side {
	struct ifr_front *front;
	struct ifr_placed *placed; /* by block; no parts: not yet */
	struct ifr_geometry *geometry;
	uint64_t (*slots)[IFR_SOURCES]; /* by block */
};

struct walk {
	const struct ifr_trace_block *blocks;
	size_t block_count;
	struct ifr_core core;
	struct ifr_core_program program;
	struct side sides[IFR_LOOP_LAYOUTS];
	struct ifr_table heads; /* loops by the block of their head */
	struct ifr_layout_loops *loops;
	size_t room, executions;
	uint32_t before;
};

static void enter_block(const struct walk *walk, struct side *side, uint32_t id) {
	const bool cut = walk->before == IFR_EXECUTION_BREAK;
	struct ifr_placed *placed = &side->placed[id];
	size_t count;
	if (!placed->parts)
		ifr_core_place(&walk->core, &walk->program, id, side->geometry[id].address, side->geometry[id].bytes,
		               placed);
	if (cut)
		ifr_front_cut(side->front);
	const uint64_t *slots = ifr_front_slots(side->front);
	for (unsigned i = 0; i < IFR_SOURCES; i++)
		side->slots[id][i] -= slots[i];
	ifr_front_enter(side->front, placed, id, cut || walk->before & 1,
	                !cut && walk->blocks[walk->before >> 1].branch >= IFR_BRANCH_CALL, &count);
	for (unsigned i = 0; i < IFR_SOURCES; i++)
		side->slots[id][i] += slots[i];
}

static struct ifr_loop_change *find_loop(struct walk *walk, uint32_t head) {
	struct ifr_layout_loops *loops = walk->loops;
	const uint32_t number = ifr_table_number(&walk->heads, head);
	if (number == loops->count) {
		if (loops->count == walk->room) {
			walk->room = 2 * walk->room + 64;
			loops->items = ifr_realloc(loops->items, walk->room, sizeof *loops->items);
		}
		loops->items[loops->count++] = (struct ifr_loop_change){.head = head};
	}
	return &loops->items[number];
}

/* Notes the jump by which a block was entered, if it closes a loop. */
static void note_jump(struct walk *walk, uint32_t id) {
	if (walk->before == IFR_EXECUTION_BREAK || !(walk->before & 1))
		return;
	const struct ifr_trace_block *from = &walk->blocks[walk->before >> 1], *to = &walk->blocks[id];
	const uint64_t bytes = from->normalised + from->bytes - to->normalised;
	if ((from->branch != IFR_BRANCH_CONDITIONAL && from->branch != IFR_BRANCH_JUMP) ||
	    from->normalised < to->normalised || bytes > LOOP_BYTES_MOST)
		return;
	struct ifr_loop_change *loop = find_loop(walk, id);
	loop->iterations++;
	loop->bytes = bytes > loop->bytes ? bytes : loop->bytes;
}

static void walk_trace(struct walk *walk, struct ifr_trace *trace) {
	struct ifr_trace_chunk chunk;
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk);
	     chunk.executions_count && walk->executions < IFR_LOOPS_EXECUTIONS;
	     ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk)) {
		for (size_t i = 0; i < chunk.executions_count; i++) {
			const uint32_t execution = chunk.executions[i];
			if (execution != IFR_EXECUTION_BREAK) {
				note_jump(walk, execution >> 1);
				for (unsigned side = 0; side < IFR_LOOP_LAYOUTS; side++)
					enter_block(walk, &walk->sides[side], execution >> 1);
			}
			walk->before = execution;
		}
		walk->executions += chunk.executions_count;
	}
	walk->loops->cut = chunk.executions_count > 0;
	ifr_trace_rewind(trace);
}

static struct ifr_loop_change *find_innermost(const struct walk *walk, uint32_t block) {
	struct ifr_loop_change *innermost = NULL;
	const uint64_t at = walk->blocks[block].normalised;
	for (size_t i = 0; i < walk->loops->count; i++) {
		struct ifr_loop_change *loop = &walk->loops->items[i];
		const uint64_t head = walk->blocks[loop->head].normalised;
		if (at >= head && at < head + loop->bytes && (!innermost || loop->bytes < innermost->bytes))
			innermost = loop;
	}
	return innermost;
}

static uint64_t count_windows(uint64_t address, uint64_t bytes, unsigned window) {
	return window && bytes ? (address + bytes - 1) / window - address / window + 1 : 0;
}

static void add_up(const struct walk *walk) {
	for (uint32_t id = 0; id < walk->block_count; id++) {
		struct ifr_loop_change *loop = walk->sides[0].placed[id].parts ? find_innermost(walk, id) : NULL;
		for (unsigned source = 0; source < IFR_SOURCES; source++)
			walk->loops->slots += walk->sides[0].slots[id][source];
		for (unsigned side = 0; side < IFR_LOOP_LAYOUTS && loop; side++)
			for (unsigned source = 0; source < IFR_SOURCES; source++)
				loop->slots[side][source] += walk->sides[side].slots[id][source];
	}
	for (size_t i = 0; i < walk->loops->count; i++) {
		struct ifr_loop_change *loop = &walk->loops->items[i];
		for (unsigned side = 0; side < IFR_LOOP_LAYOUTS; side++) {
			loop->address[side] = walk->sides[side].geometry[loop->head].address;
			loop->windows[side] = count_windows(loop->address[side], loop->bytes, walk->loops->window_bytes);
		}
	}
}

static int place_blocks(struct walk *walk, struct ifr_trace *trace, const struct ifr_address_map *map,
                        struct side *side, struct ifr_error *err) {
	const struct ifr_trace_access *accesses;
	const size_t access_count = ifr_trace_accesses(trace, &accesses);
	uint16_t *ends = ifr_alloc((access_count + 1) * sizeof *ends);
	side->front = ifr_front_new(&walk->core);
	side->placed = ifr_alloc((walk->block_count + 1) * sizeof *side->placed);
	side->geometry = ifr_alloc((walk->block_count + 1) * sizeof *side->geometry);
	side->slots = ifr_alloc((walk->block_count + 1) * sizeof *side->slots);
	const int result = ifr_address_map_blocks(map, trace, IFR_ENTRY_JUMP, side->geometry, ends, err);
	free(ends);
	return result;
}

static void release_walk(struct walk *walk) {
	for (unsigned i = 0; i < IFR_LOOP_LAYOUTS; i++) {
		struct side *side = &walk->sides[i];
		for (size_t block = 0; block < walk->block_count && side->placed; block++)
			free(side->placed[block].parts);
		free(side->placed);
		free(side->geometry);
		free(side->slots);
		ifr_front_free(side->front);
	}
	ifr_table_release(&walk->heads);
	ifr_core_program_release(&walk->program);
}

static unsigned choose_window(const struct ifr_machine *machine) {
	return machine->values[IFR_LOOP_BUFFER_OPS] ? machine->values[IFR_LOOP_BUFFER_WINDOW]
	       : machine->values[IFR_OP_CACHE_SETS] ? machine->values[IFR_OP_CACHE_WINDOW]
	                                            : 0;
}

int ifr_layout_loops_count(struct ifr_trace *trace, const struct ifr_address_map *const maps[2],
                           const struct ifr_machine *machine, struct ifr_layout_loops *loops,
                           struct ifr_error *err) {
	struct walk walk = {.loops = loops, .before = IFR_EXECUTION_BREAK};
	char table[32];
	*loops = (struct ifr_layout_loops){0};
	if (!ifr_machine_has_core(machine))
		return ifr_fail(err, IFR_E_USAGE, "%s has no core: nothing is known of its op cache and loop buffer",
		                machine->name);
	if (ifr_address_map_has_instructions(maps[0]) || ifr_address_map_has_instructions(maps[1]))
		return ifr_fail(err, IFR_E_USAGE, "loops are not told apart where the compiler's axes vary");
	walk.block_count = ifr_trace_blocks(trace, &walk.blocks);
	ifr_core_init(&walk.core, machine);
	loops->window_bytes = choose_window(machine);
	int result = ifr_core_program_make(&walk.program, ifr_core_table(machine, table), trace, err);
	for (unsigned i = 0; i < IFR_LOOP_LAYOUTS && !result; i++)
		result = place_blocks(&walk, trace, maps[i], &walk.sides[i], err);
	if (!result) {
		walk_trace(&walk, trace);
		add_up(&walk);
	}
	release_walk(&walk);
	return result;
}

void ifr_layout_loops_release(struct ifr_layout_loops *loops) {
	free(loops->items);
	*loops = (struct ifr_layout_loops){0};
}
