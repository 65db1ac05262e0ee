/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis unit-order: the order of a unit's functions in its object.
 *
 * GCC compiles and writes the functions in its own order, so every body, the constructors' order and the data stay
 * as they are; the assembler does the moving:
 * - a function with a section of its own (-ffunction-sections): an assembler lists sections in the order in which
 *   they are first named, so all of them are named, in the new order, before the first function is written;
 * - a function in plain .text is written into a numbered subsection of it (".text 17"), and the assembler joins
 *   subsections by number. What GCC writes to .text afterwards goes to the last subsection, so that the label at
 * the end of the text, from which debug information takes its length, is at the end. Left alone: COMDAT functions,
 * those with a section by the user or by their temperature (.text.startup with main, .text.unlikely, .text.hot,
 * and the cold parts of others), those with the attribute no_reorder or retain, those with an asm statement that
 * itself switches to .text, and everything under an explicit -fno-toplevel-reorder. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;
static struct ifr_order order;
static bool collected;
static char text_directive[64];

/* Not where the user asked for GCC's own order. */
static bool wanted_p() {
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

/* Whether the function's section is ".text." and its own name, with nothing of its temperature between. */
static bool own_section_p(section *place, tree decl) {
	if (SECTION_STYLE(place) != SECTION_NAMED || strncmp(place->named.name, ".text.", 6))
		return false;
	return !strcmp(place->named.name + 6, gcc_assembler_name(decl));
}

static uint64_t seed() {
	return unit->note.plan.axis[IFR_AXIS_UNIT_ORDER].seed;
}

static bool covers_p(tree decl) {
	return ifr_decide_covers(&unit->note.plan, IFR_AXIS_UNIT_ORDER, ifr_entity_of(unit, decl));
}

static const char *axes_off(const struct ifr_entity *thing) {
	static struct ifr_buffer text;
	ifr_buffer_clear(&text);
	ifr_entity_print_exempt(thing, &text);
	return ifr_buffer_text(&text);
}

static void take_in(tree decl, section *place) {
	if (unit->template_wanted) {
		const struct ifr_entity *thing = ifr_entity_of(unit, decl);
		fprintf(asm_out_file, IFR_MARK_ORDER " %c %s\t%s\n", place == text_section ? 't' : 's', axes_off(thing),
		        ifr_buffer_text(&thing->names));
	} else if (covers_p(decl)) {
		ifr_order_add(&order, seed(), gcc_assembler_name(decl), place);
	}
}

/* Takes in all functions that are still to be written, and the current one. */
static void collect() {
	cgraph_node *node;
	FOR_EACH_DEFINED_FUNCTION(node) {
		if (!(node->process || node->decl == current_function_decl) || !movable_p(node))
			continue;
		section *place = gcc_function_section(node->decl);
		if (place == text_section || own_section_p(place, node->decl))
			take_in(node->decl, place);
	}
	ifr_order_sort(&order);
}

static void name_sections() {
	if (unit->template_wanted)
		fprintf(asm_out_file, IFR_MARK_SECTIONS "\n");
	for (size_t i = 0; i < order.count; i++) {
		section *place = (section *)order.entries[i].thing;
		order.entries[i].thing = NULL; /* belongs to GCC's collector */
		if (place != text_section)
			switch_to_section(place);
	}
}

/* What GCC writes to .text from now on goes where this directive says. */
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

/* An asm statement that returns to ".text" would leave its function's subsection. */
static bool asm_leaves_p() {
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

/* -: no place in the order, s: by a section of its own, t: by a subsection of .text. */
static char kind_of(tree decl, section *place) {
	if (!wanted_p() || !movable_p(cgraph_node::get(decl)))
		return '-';
	return place == text_section && !asm_leaves_p()              ? 't'
	       : place != text_section && own_section_p(place, decl) ? 's'
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
	const struct ifr_entity *thing = ifr_entity_of(unit, decl);
	fprintf(asm_out_file, IFR_MARK_FUNCTION " %c %s %d %u\t%s\n", kind, axes_off(thing), thing->cold,
	        gcc_function_alignment_bytes(decl), ifr_buffer_text(&thing->names));
	select_text(kind == 't' ? TEXT_SECTION_ASM_OP "\t" IFR_MARK_HERE : TEXT_SECTION_ASM_OP);
}

static void before_function() {
	tree decl = current_function_decl;
	if (!collected && wanted_p()) {
		collected = true;
		collect();
		name_sections();
	}
	char kind = kind_of(decl, gcc_function_section(decl));
	if (unit->template_wanted)
		mark_function(decl, kind);
	else
		place_function(decl, kind);
}

/* So that the label at the end of the text is at the end. */
static void after_function() {
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
		return wanted_p() || unit->template_wanted;
	}
	unsigned execute(function *) final override {
		before_function();
		return 0;
	}
};

class after_pass : public rtl_opt_pass {
  public:
	after_pass() : rtl_opt_pass(after_data, g) {
	}
	bool gate(function *) final override {
		return wanted_p();
	}
	unsigned execute(function *) final override {
		after_function();
		return 0;
	}
};

static void release(void *, void *) {
	ifr_order_release(&order);
}

void ifr_unit_order_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new before_pass(), PASS_POS_INSERT_BEFORE, "final");
	gcc_register_pass(new after_pass(), PASS_POS_INSERT_AFTER, "final");
	register_callback("interfero", PLUGIN_FINISH, release, NULL);
}
