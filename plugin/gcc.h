/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GCC's headers in an order in which they compile, and helpers that hide differences of its targets and versions. */
#ifndef IFR_PLUGIN_GCC_H
#define IFR_PLUGIN_GCC_H

#include "gcc-plugin.h"

#include "tree.h"
#include "stringpool.h"
#include "attribs.h"
#include "function.h"
#include "basic-block.h"
#include "rtl.h"
#include "memmodel.h"
#include "emit-rtl.h"
#include "insn-config.h"
#include "recog.h"
#include "insn-codes.h"
#include "insn-flags.h"
#include "flags.h"
#include "options.h"
#include "opts.h"
#include "predict.h"
#include "output.h"
#include "varasm.h"
#include "target.h"
#include "cgraph.h"
#include "tree-pass.h"
#include "context.h"
#include "sbitmap.h"
#include "cfgloop.h"
#include "dominance.h"
#include "diagnostic.h"
#include "toplev.h"
#include "langhooks.h"

/* The assembler name without GCC's '*' and without the target's marks. */
static inline const char *gcc_assembler_name(tree decl) {
	return targetm.strip_name_encoding(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl)));
}

/* Whether the instruction must stay at the function's entry, where indirect jumps or patching tools expect it. */
static inline bool gcc_entry_insn_p(rtx_insn *insn) {
#ifdef HAVE_nop_endbr
	int code = recog_memoized(insn);
	return code == CODE_FOR_nop_endbr || code == CODE_FOR_patchable_area;
#else
	return false;
#endif
}

/* Whether a function's cold part begins behind this note. */
static inline bool gcc_cold_begins_p(rtx_insn *insn) {
	return NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS;
}

/* The alignment that GCC gives a function by itself, in bytes. */
static inline unsigned gcc_function_alignment_bytes(tree decl) {
	unsigned bytes = symtab_node::get(decl)->definition_alignment() / BITS_PER_UNIT;
	unsigned preferred = 1u << align_functions.levels[0].log;
	if (!DECL_USER_ALIGN(decl) && optimize_function_for_speed_p(cfun) && bytes < preferred)
		bytes = preferred;
	return bytes ? bytes : 1;
}

/* The section in which GCC will write the function. GCC makes the same calls when it expands the function; until
 * then first_function_block_is_cold is still that of the function before. */
static inline section *gcc_function_section(tree decl) {
	resolve_unique_section(decl, 0, flag_function_sections);
	first_function_block_is_cold = false;
	return function_section(decl);
}

/* A directive to the assembler between two instructions. The pass "final" looks up its source location: the
 * built-in location keeps paths out of the assembly. */
static inline rtx gcc_directive(const char *text) {
	rtx directive = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);
	MEM_VOLATILE_P(directive) = 1;
	return directive;
}

/* Puts a directive in front of an instruction or label without a new row of debug information: in front of an
 * instruction the directive has that instruction's line; in front of a label it has no line, and stands before the
 * notes that belong to the next row. */
static inline void gcc_put_directive(const char *text, rtx_insn *before) {
	location_t line = INSN_P(before) ? INSN_LOCATION(before) : UNKNOWN_LOCATION;
	rtx_insn *last = PREV_INSN(before);
	while (!INSN_P(before) && last && NOTE_P(last) && !gcc_cold_begins_p(last)) {
		before = last;
		last = PREV_INSN(before);
	}
	INSN_LOCATION(emit_insn_before_noloc(gcc_directive(text), before, NULL)) = line;
}

/* Whether the user wrote, or relies on, every byte of the function. */
static inline bool gcc_hands_off_p(tree function) {
	tree attributes = DECL_ATTRIBUTES(function);
	return lookup_attribute("naked", attributes) || lookup_attribute("ms_hook_prologue", attributes);
}

/* Inserts a pass before or after GCC's pass `reference`; the pass lives as long as the compiler. */
static inline void gcc_register_pass(opt_pass *pass, pass_positioning_ops where, const char *reference) {
	struct register_pass_info info = {pass, reference, 1, where};
	register_callback("interfero", PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

#endif
