/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value align-bytes of the axis frames: the stack is aligned at a function's entry.
 *
 * Problem: the stack begins where the environment ends, so that a function's variables have other addresses modulo 4096
 * in other environments, and in one of 256 they meet what the function reads or writes elsewhere.
 *
 * Idea: a local variable of one byte with the wanted alignment, which an empty asm at the entry reads. GCC then aligns
 * the frame itself, with the unwinding information and the pointer to the arguments that this needs. All of the frame
 * keeps its offsets modulo the alignment, whatever the environment. Ref: Melhus 2013, section 5.1 (andq $-4096,%rsp at a
 * kernel's entry).
 *
 * The cost: up to twice the alignment of stack in each call. */
#include "plugin/gimple_passes.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;

static unsigned find_alignment(tree decl) {
	return ifr_decide_covers(&unit->note.plan, IFR_AXIS_FRAMES, ifr_entity_of(unit, decl))
	           ? ifr_decide_stack_alignment_bytes(&unit->note.plan.axis[IFR_AXIS_FRAMES])
	           : 0;
}

static tree add_aligned_byte(function *fun, unsigned bytes) {
	tree variable =
		build_decl(DECL_SOURCE_LOCATION(fun->decl), VAR_DECL, get_identifier("interfero_aligned"), char_type_node);
	DECL_CONTEXT(variable) = fun->decl;
	DECL_ARTIFICIAL(variable) = DECL_IGNORED_P(variable) = 1;
	TREE_ADDRESSABLE(variable) = TREE_USED(variable) = 1;
	SET_DECL_ALIGN(variable, bytes * BITS_PER_UNIT);
	DECL_USER_ALIGN(variable) = 1;
	layout_decl(variable, 0);
	add_local_decl(fun, variable);
	return variable;
}

/* Its address, so that no memory has to be followed. */
static void use_at_entry(function *fun, tree variable) {
	vec<tree, va_gc> *inputs = NULL;
	tree constraint = build_tree_list(NULL_TREE, build_string(2, "r"));
	tree address = make_ssa_name(build_pointer_type(TREE_TYPE(variable)));
	gimple_stmt_iterator at = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)));
	gsi_insert_before(&at, gimple_build_assign(address, build_fold_addr_expr(variable)), GSI_SAME_STMT);
	vec_safe_push(inputs, build_tree_list(constraint, address));
	gasm *use = gimple_build_asm_vec("", inputs, NULL, NULL, NULL);
	gimple_asm_set_volatile(use, true);
	gsi_insert_before(&at, use, GSI_SAME_STMT);
}

static const pass_data alignment_data = {
	GIMPLE_PASS, "interfero_stack_alignment",  OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
	0,           TODO_update_ssa_only_virtuals};

class stack_alignment_pass : public gimple_opt_pass {
  public:
	stack_alignment_pass() : gimple_opt_pass(alignment_data, g) {
	}
	bool gate(function *fun) final override {
		return !gcc_hands_off_p(fun->decl) && !(fun->cfg == NULL);
	}
	unsigned execute(function *fun) final override {
		const unsigned bytes = find_alignment(fun->decl);
		if (bytes)
			use_at_entry(fun, add_aligned_byte(fun, bytes));
		return 0;
	}
};

void ifr_stack_alignment_register(struct ifr_unit *compiled) {
	unit = compiled;
	if (ifr_decide_stack_alignment_bytes(&unit->note.plan.axis[IFR_AXIS_FRAMES]))
		gcc_register_pass(new stack_alignment_pass(), PASS_POS_INSERT_AFTER, "optimized");
}
