/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks the entry of each function in a template, for counters (compiletime/entries.h).
 *
 * The mark stands behind endbr64 and the patchable area, which must come first, and in front of all else: also in
 * front of a label, which may be the top of a loop. A function without an instruction has no mark. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static void mark_entry() {
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
		if (LABEL_P(insn) || (active_insn_p(insn) && !gcc_entry_insn_p(insn))) {
			gcc_put_directive(IFR_MARK_ENTRY, insn);
			return;
		}
}

static const pass_data entries_data = {RTL_PASS, "interfero_entries", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class entries_pass : public rtl_opt_pass {
  public:
	entries_pass() : rtl_opt_pass(entries_data, g) {
	}
	bool gate(function *) final override {
		return !gcc_hands_off_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		mark_entry();
		return 0;
	}
};

void ifr_entries_register(void) {
	gcc_register_pass(new entries_pass(), PASS_POS_INSERT_BEFORE, "shorten");
}
