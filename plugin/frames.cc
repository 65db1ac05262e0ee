/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis frames: unused bytes in stack frames.
 *
 * The bytes are reserved like a local variable before registers are allocated: below the variables, above spill
 * slots. Allocas, variable-length arrays and setjmp's buffers lie below the fixed part of a frame and move as a
 * whole. The axis changes code, too: offsets that no longer fit a byte get longer encodings. Functions without a
 * frame, such as naked ones, get none. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;

static void widen_frame(tree decl) {
	const struct ifr_entity *function = ifr_entity_of(unit, decl);
	if (!ifr_decide_covers(&unit->note.plan, IFR_AXIS_FRAMES, function))
		return;
	unsigned bytes =
		ifr_decide_frame_bytes(&unit->note.plan.axis[IFR_AXIS_FRAMES], ifr_buffer_text(&function->key));
	const unsigned aligned = ifr_decide_stack_alignment_bytes(&unit->note.plan.axis[IFR_AXIS_FRAMES]);
	if (bytes)
		assign_stack_local(BLKmode, bytes, BITS_PER_WORD);
	if (bytes || aligned)
		ifr_record_fact(unit, decl, IFR_FACT_FRAME, bytes + aligned);
}

static const pass_data frames_data = {RTL_PASS, "interfero_frames", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class frames_pass : public rtl_opt_pass {
  public:
	frames_pass() : rtl_opt_pass(frames_data, g) {
	}
	bool gate(function *) final override {
		return !gcc_hands_off_p(current_function_decl) && maybe_ne(get_frame_size(), 0);
	}
	unsigned execute(function *) final override {
		widen_frame(current_function_decl);
		return 0;
	}
};

void ifr_frames_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new frames_pass(), PASS_POS_INSERT_BEFORE, "ira");
}
