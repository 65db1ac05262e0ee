/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/address_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/code/code.h"
#include "kit/kit.h"

/* Whole pages: far enough to change what a program makes of a variable's address, and nothing that a string
 * function looks at. */
enum { STACK_BYTES = 3 * 4096, PIECE_STEPS = 65536 };

/* One of the two recordings, read side by side. */
struct side {
	struct ifr_trace *trace;
	struct ifr_address_map *map;
	const struct ifr_trace_block *blocks;
	struct ifr_trace_chunk piece;
};

struct check {
	struct side sides[2];
	uint64_t instructions; /* that were the same */
	uint64_t other_places;
	const struct ifr_trace_block *parts[2]; /* where they part; NULL: one ends there */
	bool parted;
};

static uint64_t address_of_step(const struct side *side, size_t i, const struct ifr_trace_block **block) {
	uint32_t step = side->piece.executions[i];
	*block = step == IFR_EXECUTION_BREAK ? NULL : &side->blocks[step >> 1];
	return *block ? ifr_address_of(side->map, (*block)->normalised) : 0;
}

static bool next_pieces(struct check *check) {
	for (int i = 0; i < 2; i++)
		ifr_trace_read_chunk(check->sides[i].trace, PIECE_STEPS, &check->sides[i].piece);
	return check->sides[0].piece.executions_count || check->sides[1].piece.executions_count;
}

static void compare_places(struct check *check) {
	const struct side *a = &check->sides[0], *b = &check->sides[1];
	for (size_t i = 0; i < a->piece.accesses_count && i < b->piece.accesses_count; i++)
		check->other_places +=
			ifr_address_of(a->map, a->piece.normalised[i]) != ifr_address_of(b->map, b->piece.normalised[i]);
}

static void compare_piece(struct check *check) {
	const struct side *a = &check->sides[0], *b = &check->sides[1];
	size_t longer = a->piece.executions_count > b->piece.executions_count ? a->piece.executions_count
	                                                                      : b->piece.executions_count;
	for (size_t i = 0; i < longer; i++) {
		const struct ifr_trace_block *left = NULL, *right = NULL;
		bool both = i < a->piece.executions_count && i < b->piece.executions_count;
		uint64_t x = i < a->piece.executions_count ? address_of_step(a, i, &left) : 0;
		uint64_t y = i < b->piece.executions_count ? address_of_step(b, i, &right) : 0;
		if (!both || x != y || (left && right && left->bytes != right->bytes)) {
			check->parted = true;
			check->parts[0] = left;
			check->parts[1] = right;
			return;
		}
		check->instructions += left ? left->instructions : 0;
	}
	compare_places(check);
}

static void describe_end(const struct side *side, const struct ifr_trace_block *block, struct ifr_buffer *text) {
	if (!block) {
		ifr_buffer_puts(text, "the end");
		return;
	}
	const struct ifr_mapping *regions;
	ifr_trace_mappings(side->trace, &regions);
	const struct ifr_mapping *region = &regions[block->normalised >> IFR_MAPPING_SHIFT];
	ifr_source_describe(region->path, block->normalised & IFR_OFFSET_MASK, text);
}

static void describe(const struct check *check, const char *elsewhere, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "With its %s elsewhere the program ", elsewhere);
	if (check->parted) {
		ifr_buffer_printf(text, "does something else after %" PRIu64 " instructions:\n  first ",
		                  check->instructions);
		describe_end(&check->sides[0], check->parts[0], text);
		ifr_buffer_puts(text, ",\n  then ");
		describe_end(&check->sides[1], check->parts[1], text);
		ifr_buffer_puts(text, ".\nIt looks at addresses: counters of such layouts are approximate.\n");
	} else if (check->other_places) {
		ifr_buffer_printf(text,
		                  "executes the same %" PRIu64 " instructions, but %" PRIu64
		                  " accesses\ngo elsewhere: counters of data caches are approximate in such layouts.\n",
		                  check->instructions, check->other_places);
	} else {
		ifr_buffer_printf(text,
		                  "executes the same %" PRIu64
		                  " instructions\non the same data: counters of such layouts are "
		                  "exact.\n",
		                  check->instructions);
	}
}

static int open_sides(struct check *check, const char *const paths[2], struct ifr_builder *builder,
                      const struct ifr_plan *plan, uint64_t stack_bytes, struct ifr_error *err) {
	struct ifr_layout_request own = {0};
	struct ifr_context context;
	int result = 0;
	for (int i = 0; i < 2 && !result; i++) {
		result = ifr_trace_open(paths[i], &check->sides[i].trace, err);
		if (!result)
			ifr_trace_blocks(check->sides[i].trace, &check->sides[i].blocks);
	}
	ifr_recording_context(&context, NULL, plan, stack_bytes);
	if (!result)
		result = ifr_layout_in_context(check->sides[0].trace, builder, plan, &context, &check->sides[0].map, err);
	ifr_context_release(&context);
	if (!result)
		check->sides[1].map = ifr_address_map_new(check->sides[1].trace, &own);
	return result;
}

/* A layout to record the program in: what of it is elsewhere, and how. */
struct other {
	const char *elsewhere;
	struct ifr_plan plan;
	uint64_t stack_bytes;
};

static int compare(const char *const paths[2], struct ifr_builder *builder, const struct other *other, bool *same,
                   struct ifr_buffer *text, struct ifr_error *err) {
	struct check check = {0};
	int result = open_sides(&check, paths, builder, &other->plan, other->stack_bytes, err);
	while (!check.parted && !result && next_pieces(&check))
		compare_piece(&check);
	if (!result)
		describe(&check, other->elsewhere, text);
	*same = !check.parted && !check.other_places;
	for (int i = 0; i < 2; i++) {
		ifr_trace_free(check.sides[i].trace);
		ifr_address_map_free(check.sides[i].map);
	}
	return result;
}

/* moved: a list of what was elsewhere when the program did not behave the same. */
static int record_other(const struct ifr_recording_request *request, struct ifr_builder *builder,
                        const struct other *other, struct ifr_buffer *moved, struct ifr_buffer *text,
                        struct ifr_error *err) {
	struct ifr_recording_request second = *request;
	struct ifr_recorded recorded;
	char *path = ifr_format("%s.check", request->path);
	bool same = true;
	second.path = path;
	second.silent = true;
	second.stack_bytes = other->stack_bytes;
	second.plan = ifr_plan_axes(&other->plan) ? &other->plan : NULL;
	int result = ifr_recording_make(&second, &recorded, err);
	if (!result)
		result = compare((const char *const[]){request->path, path}, builder, other, &same, text, err);
	if (!result && !same)
		ifr_buffer_printf(moved, "%s%s", moved->length ? ", " : "", other->elsewhere);
	ifr_tree_remove(path, NULL);
	free(path);
	return result;
}

/* The trace itself says it, to who replays it. */
static int mark_trace(const char *path, const struct ifr_buffer *moved, struct ifr_error *err) {
	char *line = ifr_format(IFR_RECORDING_APPROXIMATE " %s\n", ifr_buffer_text(moved));
	int result = moved->length ? ifr_trace_amend(path, line, err) : 0;
	free(line);
	return result;
}

int ifr_recording_check(const struct ifr_recording_request *request, bool *same, struct ifr_buffer *text,
                        struct ifr_error *err) {
	struct other code = {.elsewhere = "stack", .stack_bytes = STACK_BYTES}, data = {.elsewhere = "data"},
				 heap = {.elsewhere = "heap"};
	struct ifr_buffer moved = {0};
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	int result = 0;
	ifr_plan_init(&code.plan);
	ifr_plan_init(&data.plan);
	ifr_plan_init(&heap.plan);
	ifr_plan_enable(&heap.plan, IFR_AXIS_HEAP, 1);
	ifr_plan_enable(&heap.plan, IFR_AXIS_BLOCKS, 1);
	ifr_kit_init(&kit);
	bool relinks = !ifr_kit_of_program(request->program, &kit, NULL);
	if (relinks) {
		code.elsewhere = "code and its stack";
		ifr_plan_enable(&code.plan, IFR_AXIS_FUNCTIONS, 1);
		ifr_plan_enable(&data.plan, IFR_AXIS_DATA, 1);
		result = ifr_builder_open(&kit, &builder, err);
	}
	if (!result)
		result = record_other(request, builder, &code, &moved, text, err);
	*same = !moved.length;
	if (!result && relinks)
		result = record_other(request, builder, &data, &moved, text, err);
	if (!result && request->objects)
		result = record_other(request, builder, &heap, &moved, text, err);
	if (!result)
		result = mark_trace(request->path, &moved, err);
	ifr_buffer_release(&moved);
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	ifr_plan_release(&code.plan);
	ifr_plan_release(&data.plan);
	ifr_plan_release(&heap.plan);
	return result;
}
