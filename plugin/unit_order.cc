/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis unit-order: the order of a unit's functions in its object.
 *
 * GCC still compiles and writes the functions in its own order, so bodies, data and the order of constructors stay
 * as they are. Only the assembler moves functions:
 *
 * - A function with a section of its own (-ffunction-sections): an assembler lays out sections in the order in
 *   which it first meets their names. All these sections are named, in the new order, before GCC writes the first
 *   function.
 * - A function in plain .text: it is written into a numbered subsection (".text 17"), and the assembler joins
 *   subsections by number. GCC's other text goes to the last subsection, so that the label that ends .text, from
 *   which debug information takes its length, stays at the end.
 *
 * Left where they are:
 *
 * - COMDAT functions
 * - functions with a section by attribute, or by temperature: .text.startup (main), .text.unlikely, .text.hot, and
 *   the cold parts of other functions
 * - functions with the attribute no_reorder or retain
 * - functions with an asm statement that itself switches to .text
 * - all functions under an explicit -fno-toplevel-reorder */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;
static struct ifr_order order;
static bool collected;
static char text_directive[64];

/* False under an explicit -fno-toplevel-reorder. */
static bool reorder_allowed_p() {
	return flag_toplevel_reorder || !global_options_set.x_flag_toplevel_reorder;
}

static bool movable_p(cgraph_node *node) {
	tree decl = node->decl;
	if (node->alias || node->thunk || DECL_ONE_ONLY(decl) || DECL_COMDAT_GROUP(decl))
		return false;
	if (DECL_SECTION_NAME(decl) && !node->implicit_section)
		return false;
	return !lookup_attribute("no_reorder", DECL_ATTRIBUTES(decl)) &&
	       !lookup_attribute("retain", DECL_ATTRIBUTES(decl));
}

/* Whether the function's section is ".text.NAME" by its own name, without a temperature between. */
static bool own_section_p(section *target, tree decl) {
	if (SECTION_STYLE(target) != SECTION_NAMED || strncmp(target->named.name, ".text.", 6))
		return false;
	return !strcmp(target->named.name + 6, gcc_assembler_name(decl));
}

static uint64_t seed() {
	return unit->note.plan.axis[IFR_AXIS_UNIT_ORDER].seed;
}

static bool covers_p(tree decl) {
	return ifr_decide_covers(&unit->note.plan, IFR_AXIS_UNIT_ORDER, ifr_entity_of(unit, decl));
}

static const char *exempt_axes(const struct ifr_entity *function) {
	static struct ifr_buffer text;
	ifr_buffer_clear(&text);
	ifr_entity_print_exempt(function, &text);
	return ifr_buffer_text(&text);
}

static void collect_function(tree decl, section *target) {
	if (unit->template_wanted) {
		const struct ifr_entity *function = ifr_entity_of(unit, decl);
		fprintf(asm_out_file, IFR_MARK_ORDER " %c %s\t%s\n", target == text_section ? 't' : 's',
		        exempt_axes(function), ifr_buffer_text(&function->names));
	} else if (covers_p(decl)) {
		ifr_order_add(&order, seed(), gcc_assembler_name(decl), target);
	}
}

/* Collects the current function and all that are still to be written. */
static void collect_functions() {
	cgraph_node *node;
	FOR_EACH_DEFINED_FUNCTION(node) {
		if (!(node->process || node->decl == current_function_decl) || !movable_p(node))
			continue;
		section *target = gcc_function_section(node->decl);
		if (target == text_section || own_section_p(target, node->decl))
			collect_function(node->decl, target);
	}
	ifr_order_sort(&order);
}

static void name_sections() {
	if (unit->template_wanted)
		fprintf(asm_out_file, IFR_MARK_SECTIONS "\n");
	for (size_t i = 0; i < order.count; i++) {
		section *target = (section *)order.entries[i].data;
		order.entries[i].data = NULL; /* GCC's garbage collector owns it */
		if (target != text_section)
			switch_to_section(target);
	}
}

/* Makes GCC switch to .text by this directive from now on. */
static void select_text(const char *directive) {
	snprintf(text_directive, sizeof text_directive, "%s", directive);
	text_section->unnamed.data = text_directive;
	if (in_section == text_section)
		in_section = NULL;
}

static void select_subsection(unsigned number) {
	char directive[sizeof text_directive] = TEXT_SECTION_ASM_OP;
	if (number)
		snprintf(directive, sizeof directive, TEXT_SECTION_ASM_OP " %u", number);
	select_text(directive);
}

/* Whether an asm statement names ".text": such a switch would leave the function's subsection. */
static bool asm_leaves_subsection_p() {
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (!NONDEBUG_INSN_P(insn))
			continue;
		rtx body = PATTERN(insn);
		if (GET_CODE(body) == PARALLEL)
			body = XVECEXP(body, 0, 0);
		const char *text = NULL;
		if (GET_CODE(body) == ASM_INPUT)
			text = XSTR(body, 0);
		else if (rtx operands = extract_asm_operands(body))
			text = ASM_OPERANDS_TEMPLATE(operands);
		if (text && strstr(text, ".text"))
			return true;
	}
	return false;
}

/* How the function moves: 's' by a section of its own, 't' by a subsection of .text, '-' not at all. */
static char classify_function(tree decl, section *target) {
	if (!reorder_allowed_p() || !movable_p(cgraph_node::get(decl)))
		return '-';
	return target == text_section && !asm_leaves_subsection_p()    ? 't'
	       : target != text_section && own_section_p(target, decl) ? 's'
	                                                               : '-';
}

static void place_function(tree decl, char kind) {
	unsigned number = 0;
	if (kind != '-' && covers_p(decl)) {
		const char *name = gcc_assembler_name(decl);
		size_t at = ifr_order_position(&order, seed(), name);
		ifr_note_add_fact(&unit->note, false, name, IFR_FACT_ORDER, at + 1);
		number = ifr_order_subsection(&order, at);
	}
	select_subsection(kind == 't' ? number : 0);
}

static void mark_function(tree decl, char kind) {
	const struct ifr_entity *function = ifr_entity_of(unit, decl);
	fprintf(asm_out_file, IFR_MARK_FUNCTION " %c %s %d %u\t%s\n", kind, exempt_axes(function), function->cold,
	        gcc_function_alignment_bytes(decl), ifr_buffer_text(&function->names));
	select_text(kind == 't' ? TEXT_SECTION_ASM_OP "\t" IFR_MARK_HERE : TEXT_SECTION_ASM_OP);
}

static void begin_function() {
	tree decl = current_function_decl;
	if (!collected && reorder_allowed_p()) {
		collected = true;
		collect_functions();
		name_sections();
	}
	char kind = classify_function(decl, gcc_function_section(decl));
	if (unit->template_wanted)
		mark_function(decl, kind);
	else
		place_function(decl, kind);
}

/* Sends all text behind the function to the last subsection, where the label that ends .text belongs. */
static void end_function() {
	if (unit->template_wanted)
		select_text(TEXT_SECTION_ASM_OP "\t" IFR_MARK_REST);
	else
		select_subsection(IFR_SUBSECTION_LAST);
}

static const pass_data before_data = {RTL_PASS, "interfero_order", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};
static const pass_data after_data = {RTL_PASS, "interfero_rest", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class before_pass : public rtl_opt_pass {
  public:
	before_pass() : rtl_opt_pass(before_data, g) {
	}
	bool gate(function *) final override {
		return reorder_allowed_p() || unit->template_wanted;
	}
	unsigned execute(function *) final override {
		begin_function();
		return 0;
	}
};

class after_pass : public rtl_opt_pass {
  public:
	after_pass() : rtl_opt_pass(after_data, g) {
	}
	bool gate(function *) final override {
		return reorder_allowed_p();
	}
	unsigned execute(function *) final override {
		end_function();
		return 0;
	}
};

static void release_order(void *, void *) {
	ifr_order_release(&order);
}

void ifr_unit_order_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new before_pass(), PASS_POS_INSERT_BEFORE, "final");
	gcc_register_pass(new after_pass(), PASS_POS_INSERT_AFTER, "final");
	register_callback("interfero", PLUGIN_FINISH, release_order, NULL);
}
