/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idea: the address map of the first trace in the second recording's layout predicts the second recording. Blocks and
 * accesses are compared one by one, by address: the first trace under that map, the second under its own layout. */
#include "harness/simulate/address_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/recording_context.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/code/code.h"
#include "kit/kit.h"

/* The stack moves by whole pages: hashes of addresses change, alignments do not, on which string functions branch. */
enum { STACK_BYTES = 3 * 4096, CHUNK_EXECUTIONS = 65536 };

/* One of the two recordings, read chunk by chunk, and the layout that gives its addresses. */
struct compared_recording {
	struct ifr_trace *trace;
	struct ifr_address_map *map;
	const struct ifr_trace_block *blocks;
	struct ifr_trace_chunk chunk;
};

struct check {
	struct compared_recording recordings[2];
	uint64_t instructions;                      /* executed alike by both recordings */
	uint64_t moved_accesses;                    /* accesses at other addresses */
	const struct ifr_trace_block *diverging[2]; /* first blocks that differ; NULL: the recording ends */
	bool diverged;
};

static uint64_t execution_address(const struct compared_recording *recording, size_t i,
                                  const struct ifr_trace_block **block) {
	uint32_t execution = recording->chunk.executions[i];
	*block = execution == IFR_EXECUTION_BREAK ? NULL : &recording->blocks[execution >> 1];
	return *block ? ifr_address_of(recording->map, (*block)->normalised) : 0;
}

static bool read_chunks(struct check *check) {
	for (int i = 0; i < 2; i++)
		ifr_trace_read_chunk(check->recordings[i].trace, CHUNK_EXECUTIONS, &check->recordings[i].chunk);
	return check->recordings[0].chunk.executions_count || check->recordings[1].chunk.executions_count;
}

static void compare_accesses(struct check *check) {
	const struct compared_recording *a = &check->recordings[0], *b = &check->recordings[1];
	for (size_t i = 0; i < a->chunk.accesses_count && i < b->chunk.accesses_count; i++)
		check->moved_accesses +=
			ifr_address_of(a->map, a->chunk.normalised[i]) != ifr_address_of(b->map, b->chunk.normalised[i]);
}

static void compare_chunk(struct check *check) {
	const struct compared_recording *a = &check->recordings[0], *b = &check->recordings[1];
	size_t length = a->chunk.executions_count > b->chunk.executions_count ? a->chunk.executions_count
	                                                                      : b->chunk.executions_count;
	for (size_t i = 0; i < length; i++) {
		const struct ifr_trace_block *left = NULL, *right = NULL;
		bool both = i < a->chunk.executions_count && i < b->chunk.executions_count;
		uint64_t x = i < a->chunk.executions_count ? execution_address(a, i, &left) : 0;
		uint64_t y = i < b->chunk.executions_count ? execution_address(b, i, &right) : 0;
		if (!both || x != y || (left && right && left->bytes != right->bytes)) {
			check->diverged = true;
			check->diverging[0] = left;
			check->diverging[1] = right;
			return;
		}
		check->instructions += left ? left->instructions : 0;
	}
	compare_accesses(check);
}

static void describe_block(const struct compared_recording *recording, const struct ifr_trace_block *block,
                           struct ifr_buffer *text) {
	if (!block) {
		ifr_buffer_puts(text, "the end");
		return;
	}
	const struct ifr_mapping *mappings;
	ifr_trace_mappings(recording->trace, &mappings);
	const struct ifr_mapping *mapping = &mappings[block->normalised >> IFR_MAPPING_SHIFT];
	ifr_source_describe(mapping->path, block->normalised & IFR_OFFSET_MASK, text);
}

static void describe_comparison(const struct check *check, const char *moved, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "With its %s elsewhere the program ", moved);
	if (check->diverged) {
		ifr_buffer_printf(text, "does something else after %" PRIu64 " instructions:\n  first ",
		                  check->instructions);
		describe_block(&check->recordings[0], check->diverging[0], text);
		ifr_buffer_puts(text, ",\n  then ");
		describe_block(&check->recordings[1], check->diverging[1], text);
		ifr_buffer_puts(text, ".\nIt looks at addresses: counters of such layouts are approximate.\n");
	} else if (check->moved_accesses) {
		ifr_buffer_printf(text,
		                  "executes the same %" PRIu64 " instructions, but %" PRIu64
		                  " accesses\ngo elsewhere: counters of data caches are approximate in such layouts.\n",
		                  check->instructions, check->moved_accesses);
	} else {
		ifr_buffer_printf(text,
		                  "executes the same %" PRIu64
		                  " instructions\non the same data: counters of such layouts are "
		                  "exact.\n",
		                  check->instructions);
	}
}

static int open_recordings(struct check *check, const char *const paths[2], struct ifr_builder *builder,
                           const struct ifr_plan *plan, uint64_t stack_bytes, struct ifr_error *err) {
	struct ifr_layout_request own = {0};
	struct ifr_context context;
	int result = 0;
	for (int i = 0; i < 2 && !result; i++) {
		result = ifr_trace_open(paths[i], &check->recordings[i].trace, err);
		if (!result)
			ifr_trace_blocks(check->recordings[i].trace, &check->recordings[i].blocks);
	}
	ifr_recording_context(&context, NULL, plan, stack_bytes);
	if (!result)
		result = ifr_layout_in_context(check->recordings[0].trace, builder, plan, &context,
		                               &check->recordings[0].map, err);
	ifr_context_release(&context);
	if (!result)
		check->recordings[1].map = ifr_address_map_new(check->recordings[1].trace, &own);
	return result;
}

/* A layout for a second recording. */
struct moved_layout {
	const char *moved; /* the parts of the program that lie elsewhere, for messages */
	struct ifr_plan plan;
	uint64_t stack_bytes;
};

static int compare_recordings(const char *const paths[2], struct ifr_builder *builder,
                              const struct moved_layout *layout, bool *same, struct ifr_buffer *text,
                              struct ifr_error *err) {
	struct check check = {0};
	int result = open_recordings(&check, paths, builder, &layout->plan, layout->stack_bytes, err);
	while (!check.diverged && !result && read_chunks(&check))
		compare_chunk(&check);
	if (!result)
		describe_comparison(&check, layout->moved, text);
	*same = !check.diverged && !check.moved_accesses;
	for (int i = 0; i < 2; i++) {
		ifr_trace_free(check.recordings[i].trace);
		ifr_address_map_free(check.recordings[i].map);
	}
	return result;
}

/* Records and compares one layout. If the recordings differ, appends the layout's moved parts to the list
 * sensitive. */
static int check_moved_layout(const struct ifr_recording_request *request, struct ifr_builder *builder,
                              const struct moved_layout *layout, struct ifr_buffer *sensitive,
                              struct ifr_buffer *text, struct ifr_error *err) {
	struct ifr_recording_request second = *request;
	struct ifr_recorded recorded;
	char *path = ifr_format("%s.check", request->path);
	bool same = true;
	second.path = path;
	second.silent = true;
	second.stack_bytes = layout->stack_bytes;
	second.plan = ifr_plan_axes(&layout->plan) ? &layout->plan : NULL;
	int result = ifr_recording_make(&second, &recorded, err);
	if (!result)
		result = compare_recordings((const char *const[]){request->path, path}, builder, layout, &same, text, err);
	if (!result && !same)
		ifr_buffer_printf(sensitive, "%s%s", sensitive->length ? ", " : "", layout->moved);
	ifr_tree_remove(path, NULL);
	free(path);
	return result;
}

/* Marks the trace, so that every replay can warn. */
static int mark_trace(const char *path, const struct ifr_buffer *sensitive, struct ifr_error *err) {
	char *line = ifr_format(IFR_RECORDING_APPROXIMATE " %s\n", ifr_buffer_text(sensitive));
	int result = sensitive->length ? ifr_trace_amend(path, line, err) : 0;
	free(line);
	return result;
}

int ifr_recording_check(const struct ifr_recording_request *request, bool *same, struct ifr_buffer *text,
                        struct ifr_error *err) {
	struct moved_layout code = {.moved = "stack", .stack_bytes = STACK_BYTES}, data = {.moved = "data"},
						heap = {.moved = "heap"};
	struct ifr_buffer sensitive = {0};
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
		code.moved = "code and its stack";
		ifr_plan_enable(&code.plan, IFR_AXIS_FUNCTIONS, 1);
		ifr_plan_enable(&data.plan, IFR_AXIS_DATA, 1);
		result = ifr_builder_open(&kit, &builder, err);
	}
	if (!result)
		result = check_moved_layout(request, builder, &code, &sensitive, text, err);
	*same = !sensitive.length;
	if (!result && relinks)
		result = check_moved_layout(request, builder, &data, &sensitive, text, err);
	if (!result && request->objects)
		result = check_moved_layout(request, builder, &heap, &sensitive, text, err);
	if (!result)
		result = mark_trace(request->path, &sensitive, err);
	ifr_buffer_release(&sensitive);
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	ifr_plan_release(&code.plan);
	ifr_plan_release(&data.plan);
	ifr_plan_release(&heap.plan);
	return result;
}
