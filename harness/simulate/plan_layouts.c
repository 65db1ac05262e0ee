/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/plan_layouts.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "harness/simulate/instruction_map.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/recording_context.h"
#include "compiletime/compiletime.h"

/* The axes that move code or data of the program's file. */
static unsigned program_axes(void) {
	return ifr_axes_of(IFR_OWNER_RELINKER) | ifr_template_axes();
}

unsigned ifr_layout_axes(void) {
	/* Copies of a file differ in physical addresses, which the model does not have. */
	const unsigned process =
		1u << IFR_AXIS_STACK | 1u << IFR_AXIS_LOAD | 1u << IFR_AXIS_COPIES | ifr_object_axes();
	/* With more external symbols, the loader executes more. */
	return (program_axes() & ~(1u << IFR_AXIS_NAMES)) | process;
}

unsigned ifr_instruction_axes(void) {
	return ifr_template_axes();
}

bool ifr_layout_needs_kit(const struct ifr_plan *plan) {
	return ifr_plan_axes(plan) & program_axes() || plan->place_count;
}

bool ifr_layouts_need_kit(const struct ifr_plan *plans, size_t count) {
	bool needs = false;
	for (size_t i = 0; i < count; i++)
		needs |= ifr_layout_needs_kit(&plans[i]);
	return needs;
}

int ifr_layout_check_runtime(const struct ifr_plan *plan, struct ifr_error *err) {
	if (plan->axis[IFR_AXIS_STACK].on && ifr_axis_setting_most(&plan->axis[IFR_AXIS_STACK], IFR_AXIS_STACK, 1))
		return ifr_fail(
			err, IFR_E_USAGE,
			"stack:main is applied by the runtime, which is not in a recording: measure it instead (interfero bench)");
	if (plan->axis[IFR_AXIS_BLOCKS].on && plan->axis[IFR_AXIS_BLOCKS].only)
		return ifr_fail(
			err, IFR_E_USAGE,
			"blocks:only names functions that allocate, of which a recording knows nothing: measure it "
			"instead (interfero bench)");
	if (plan->axis[IFR_AXIS_STACK].on &&
	    (plan->axis[IFR_AXIS_STACK].given[2] > 0 || plan->axis[IFR_AXIS_STACK].given[3] > 0 ||
	     plan->axis[IFR_AXIS_STACK].given[4] >= 0))
		return ifr_fail(
			err, IFR_E_USAGE,
			"stack:path-bytes, argument-bytes and directory-bytes are the launcher's, of which a recording "
			"knows nothing: sweep stack:bytes instead, or measure them (interfero bench --counters clock)");
	return 0;
}

static int check_axes(const struct ifr_plan *plan, struct ifr_error *err) {
	unsigned unsupported = ifr_plan_axes(plan) & ~ifr_layout_axes();
	int result = ifr_layout_check_runtime(plan, err);
	if (result)
		return result;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (unsupported & 1u << i)
			return ifr_fail(err, IFR_E_USAGE,
			                "a replay cannot follow the axis %s: it changes what the program executes; record the "
			                "variant itself (interfero record --plan)",
			                ifr_axes[i].name);
	return 0;
}

/* Arrays that a layout request borrows. */
struct program_moves {
	struct ifr_move *moves;
	struct ifr_instruction_move *instructions;
};

static int lay_out_program(struct ifr_builder *builder, const struct ifr_plan *plan, struct program_moves *program,
                           struct ifr_layout_request *request, struct ifr_error *err) {
	struct ifr_variant_layout layout;
	struct ifr_relinker_move *moves = NULL;
	size_t count = 0;
	int result = ifr_builder_lay_out(builder, plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_moves(ifr_builder_relinker(builder), layout.layout, &moves, &count,
		                                   &request->end_bytes, err);
	if (!result)
		result = ifr_instruction_map_find(builder, &layout, moves, count, &program->instructions,
		                                  &request->instruction_count, err);
	program->moves = ifr_alloc((count + 1) * sizeof *program->moves);
	for (size_t i = 0; i < count; i++)
		program->moves[i] = (struct ifr_move){moves[i].from, moves[i].bytes, moves[i].to, moves[i].code};
	request->moves = program->moves;
	request->count = count;
	request->instructions = program->instructions;
	ifr_variant_layout_release(&layout);
	free(moves);
	return result;
}

int ifr_layout_of_plan(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                       struct ifr_address_map **map, struct ifr_error *err) {
	struct ifr_context context;
	ifr_recording_context(&context, NULL, plan, 0);
	int result = ifr_layout_in_context(trace, builder, plan, &context, map, err);
	ifr_context_release(&context);
	return result;
}

int ifr_layout_in_context(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                          const struct ifr_context *context, struct ifr_address_map **map, struct ifr_error *err) {
	struct ifr_layout_request request = {.stack_bytes = context->stack_bytes, .load_pages = context->load_pages};
	struct program_moves program = {0};
	struct ifr_object_place *objects = NULL;
	int result = check_axes(plan, err);
	if (!result && ifr_layout_needs_kit(plan))
		result = lay_out_program(builder, plan, &program, &request, err);
	if (!result && ifr_plan_places_objects(plan))
		result = ifr_objects_place(trace, context, &objects, err);
	request.objects = objects;
	if (!result)
		*map = ifr_address_map_new(trace, &request);
	free(program.moves);
	free(program.instructions);
	free(objects);
	return result;
}
