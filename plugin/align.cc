/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis align: raises the alignment of functions and loops, never lowers it.
 *
 * - A function is aligned at the last moment, by a directive in front of all that GCC writes for it. No decision of
 *   GCC can depend on the directive, and it works in every language and in a link-time compiler.
 * - Loops take two passes: GCC knows loops only while there is a flow graph, but labels still move then. The first
 *   pass runs where GCC decides its own alignments and records the label at each loop's top. The second runs just
 *   before GCC measures branches and puts a directive in front of each recorded label. GCC's own directives follow
 *   and are kept. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;

static void align_function(tree decl) {
	unsigned least = gcc_function_alignment_bytes(decl);
	unsigned bytes = ifr_decide_align_function(&unit->note.plan, ifr_entity_of(unit, decl), least);
	if (!bytes && !unit->template_wanted)
		return;
	/* GCC names the section of the cold part first, and sections lie in the order of their first names. */
	if (crtl->has_bb_partition)
		switch_to_section(unlikely_text_section());
	switch_to_section(gcc_function_section(decl));
	if (unit->template_wanted) {
		fprintf(asm_out_file, IFR_MARK_ALIGN "\n");
		return;
	}
	fprintf(asm_out_file, IFR_ALIGN_FUNCTION "\n", bytes);
	ifr_note_add_fact(&unit->note, false, gcc_assembler_name(decl), IFR_FACT_ALIGN, bytes);
}

/* The labels at the tops of the current function's loops, by number. */
static sbitmap tops;

/* Records the label of each loop's first block in the order of the code: the header, or a block that the jump into
 * a rotated loop skips. */
static void record_tops() {
	sbitmap seen = sbitmap_alloc(number_of_loops(cfun));
	bitmap_clear(seen);
	basic_block block;
	FOR_EACH_BB_FN(block, cfun) {
		class loop *around = block->loop_father;
		for (; loop_outer(around) && !bitmap_bit_p(seen, around->num); around = loop_outer(around)) {
			bitmap_set_bit(seen, around->num);
			if (LABEL_P(BB_HEAD(block)))
				bitmap_set_bit(tops, CODE_LABEL_NUMBER(BB_HEAD(block)));
		}
	}
	sbitmap_free(seen);
}

static void find_loops() {
	tops = sbitmap_alloc(max_label_num() + 1);
	bitmap_clear(tops);
	loop_optimizer_init(AVOID_CFG_MODIFICATIONS);
	record_tops();
	loop_optimizer_finalize();
	free_dominance_info(CDI_DOMINATORS);
}

static bool top_p(rtx_insn *insn) {
	return LABEL_P(insn) && (unsigned)CODE_LABEL_NUMBER(insn) < SBITMAP_SIZE(tops) &&
	       bitmap_bit_p(tops, CODE_LABEL_NUMBER(insn));
}

static void align_top(const struct ifr_entity *function, rtx_insn *top, unsigned ordinal) {
	const struct ifr_axis_setting *align = &unit->note.plan.axis[IFR_AXIS_ALIGN];
	unsigned bytes = ifr_decide_loop_alignment_bytes(align, ifr_buffer_text(&function->key), ordinal);
	if (bytes < 2)
		return;
	char text[32];
	snprintf(text, sizeof text, IFR_ALIGN_LOOP, floor_log2(bytes));
	gcc_put_directive(text, top);
	ifr_note_add_fact(&unit->note, false, gcc_assembler_name(current_function_decl), IFR_FACT_LOOPS, 1);
}

static void align_tops(const struct ifr_entity *function) {
	bool covers = ifr_decide_covers(&unit->note.plan, IFR_AXIS_ALIGN, function), cold = function->cold;
	unsigned ordinal = 0;
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		cold |= gcc_cold_begins_p(insn);
		if (!top_p(insn))
			continue;
		if (unit->template_wanted)
			gcc_put_directive(cold ? IFR_MARK_LOOP "-cold" : IFR_MARK_LOOP, insn);
		else if (covers && ifr_decide_hotness(&unit->note.plan, IFR_AXIS_ALIGN, cold))
			align_top(function, insn, ordinal);
		ordinal++;
	}
}

static void align_loops_of(tree decl) {
	if (!tops)
		return;
	align_tops(ifr_entity_of(unit, decl));
	sbitmap_free(tops);
	tops = NULL;
}

static const pass_data tops_data = {RTL_PASS, "interfero_tops", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};
static const pass_data functions_data = {RTL_PASS, "interfero_align", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};
static const pass_data loops_data = {RTL_PASS, "interfero_loops", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class functions_pass : public rtl_opt_pass {
  public:
	functions_pass() : rtl_opt_pass(functions_data, g) {
	}
	unsigned execute(function *) final override {
		align_function(current_function_decl);
		return 0;
	}
};

class tops_pass : public rtl_opt_pass {
  public:
	tops_pass() : rtl_opt_pass(tops_data, g) {
	}
	bool gate(function *) final override {
		return !gcc_hands_off_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		find_loops();
		return 0;
	}
};

class loops_pass : public rtl_opt_pass {
  public:
	loops_pass() : rtl_opt_pass(loops_data, g) {
	}
	bool gate(function *) final override {
		return !gcc_hands_off_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		align_loops_of(current_function_decl);
		return 0;
	}
};

void ifr_align_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new tops_pass(), PASS_POS_INSERT_AFTER, "alignments");
	gcc_register_pass(new loops_pass(), PASS_POS_INSERT_BEFORE, "shorten");
	gcc_register_pass(new functions_pass(), PASS_POS_INSERT_BEFORE, "final");
}
