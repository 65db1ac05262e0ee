/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis nops: just before GCC measures branches, each place between two instructions gets its decision.
 *
 * A place is in front of a real instruction. There is none in front of
 * - endbr64 and the patchable area at a function's entry, where indirect jumps and patching tools expect them;
 * - a conditional jump, which the processor fuses with its comparison: a nop there would cost more than its place;
 * - a jump table, which is no code;
 * and none in naked functions. After GCC's pass "shorten" a new instruction would have no length. */
#include "plugin/gcc.h"

#include "plugin/decide.h"
#include "plugin/passes.h"

static const struct ifr_axis_setting *setting;
static struct ifr_note_counts *did;

static bool place_p(rtx_insn *insn) {
	return active_insn_p(insn) && !JUMP_TABLE_DATA_P(insn) && !any_condjump_p(insn) && !gcc_entry_insn_p(insn);
}

static void insert_nops(const char *key) {
	unsigned ordinal = 0;
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (!place_p(insn))
			continue;
		unsigned bytes = ifr_decide_nops_bytes(setting, key, ordinal++);
		if (!bytes)
			continue;
		char text[32];
		snprintf(text, sizeof text, ".nops %u", bytes);
		/* The line of its successor, so that debug information gets no new row. */
		emit_insn_before_setloc(gcc_directive(text), insn, INSN_LOCATION(insn));
		did->nops++;
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
		struct ifr_buffer key = {};
		ifr_decide_key(gcc_assembler_name(current_function_decl), &key);
		insert_nops(ifr_buffer_text(&key));
		ifr_buffer_release(&key);
		return 0;
	}
};

void ifr_nops_register(const struct ifr_axis_setting *nops, struct ifr_note_counts *counts) {
	setting = nops;
	did = counts;
	gcc_register_pass(new nops_pass(), PASS_POS_INSERT_BEFORE, "shorten");
}
