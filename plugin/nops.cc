/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis nops: decides at each site between two instructions, just before GCC's pass "shorten" measures branches;
 * an instruction that came later would have no length.
 *
 * A site lies in front of each real instruction, except
 *
 * - endbr64 and the patchable area at a function's entry, where indirect jumps and patching tools expect them;
 * - a conditional jump, which the processor fuses with the comparison before it: a nop between the two would cost
 *   more than its bytes;
 * - a jump table, which is no code;
 * - all instructions of naked functions. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;

static bool site_p(rtx_insn *insn) {
	return active_insn_p(insn) && !JUMP_TABLE_DATA_P(insn) && !any_condjump_p(insn) && !gcc_entry_insn_p(insn);
}

static void put_nops(const struct ifr_entity *function, rtx_insn *insn, unsigned ordinal) {
	const struct ifr_axis_setting *nops = &unit->note.plan.axis[IFR_AXIS_NOPS];
	unsigned bytes = ifr_decide_nops_bytes(nops, ifr_buffer_text(&function->key), ordinal);
	if (!bytes)
		return;
	char text[32];
	snprintf(text, sizeof text, IFR_PUT_NOPS, bytes);
	gcc_put_directive(text, insn);
	const char *name = gcc_assembler_name(current_function_decl);
	ifr_note_add_fact(&unit->note, false, name, IFR_FACT_NOPS, 1);
	ifr_note_add_fact(&unit->note, false, name, IFR_FACT_BYTES, bytes);
}

static void visit_sites(const struct ifr_entity *function) {
	bool covers = ifr_decide_covers(&unit->note.plan, IFR_AXIS_NOPS, function), cold = function->cold;
	unsigned ordinal = 0;
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		cold |= gcc_cold_begins_p(insn);
		if (!site_p(insn))
			continue;
		if (unit->template_wanted)
			gcc_put_directive(cold ? IFR_MARK_NOP "-cold" : IFR_MARK_NOP, insn);
		else if (covers && ifr_decide_hotness(&unit->note.plan, IFR_AXIS_NOPS, cold))
			put_nops(function, insn, ordinal);
		ordinal++;
	}
}

static const pass_data nops_data = {RTL_PASS, "interfero_nops", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class nops_pass : public rtl_opt_pass {
  public:
	nops_pass() : rtl_opt_pass(nops_data, g) {
	}
	bool gate(function *) final override {
		return !gcc_hands_off_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		visit_sites(ifr_entity_of(unit, current_function_decl));
		return 0;
	}
};

void ifr_nops_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new nops_pass(), PASS_POS_INSERT_BEFORE, "shorten");
}
