/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis alias-check in unoptimised code: a version of a loop with its local variables in registers.
 *
 * GCC puts a name of SSA form into the stack if it belongs to a variable of the user, and into a register if it is
 * anonymous. In the other version, names of variables become anonymous: the values stay those of the same statements.
 * Copies at the loop's entry and exit are made when SSA form is left. */
#include "plugin/alias_check.h"

#include "gimple-walk.h"
#include "tree-dfa.h"

enum { RANGES_MAX = 16, STATEMENTS_MAX = 500, SAVED_BYTES = 64 };

/* A part of a static variable that the loop loads or stores. */
struct range {
	tree variable;
	HOST_WIDE_INT offset, bytes;
};

struct ranges {
	struct range item[RANGES_MAX];
	unsigned count;
};

static bool add_range(gimple *, tree base, tree reference, void *data) {
	struct ranges *ranges = (struct ranges *)data;
	HOST_WIDE_INT offset, bits;
	bool reverse;
	tree found = get_ref_base_and_extent_hwi(reference, &offset, &bits, &reverse);
	if (!VAR_P(base) || !is_global_var(base) || DECL_THREAD_LOCAL_P(base) || found != base ||
	    ranges->count == RANGES_MAX || bits / BITS_PER_UNIT >= PAGE_BYTES)
		return false;
	struct range range = {base, offset / BITS_PER_UNIT, CEIL(bits, BITS_PER_UNIT)};
	for (unsigned i = 0; i < ranges->count; i++)
		if (ranges->item[i].variable == base && ranges->item[i].offset == range.offset &&
		    ranges->item[i].bytes == range.bytes)
			return false;
	ranges->item[ranges->count++] = range;
	return false;
}

static bool variable_p(tree name) {
	return TREE_CODE(name) == SSA_NAME && !virtual_operand_p(name) && SSA_NAME_VAR(name);
}

/* Bytes of the stack frame below the frame pointer, at most. */
static HOST_WIDE_INT frame_bytes() {
	HOST_WIDE_INT bytes = estimated_stack_frame_size(cgraph_node::get(current_function_decl)) + SAVED_BYTES;
	for (tree parameter = DECL_ARGUMENTS(current_function_decl); parameter; parameter = DECL_CHAIN(parameter))
		bytes += MAX(8, MAX(0, int_size_in_bytes(TREE_TYPE(parameter))));
	return bytes;
}

/* Whether a range has the low 12 address bits of a byte of the frame, which lies below the frame pointer. */
static tree check_of(const struct ranges *ranges, tree frame_pointer) {
	tree check = boolean_false_node;
	HOST_WIDE_INT frame = frame_bytes();
	for (unsigned i = 0; i < ranges->count; i++) {
		const struct range *range = &ranges->item[i];
		tree x = fold_convert(size_type_node, build_fold_addr_expr(range->variable));
		x = fold_build2(PLUS_EXPR, size_type_node, x,
		                build_int_cst(size_type_node, range->offset + range->bytes - 1 + frame));
		x = fold_build2(MINUS_EXPR, size_type_node, x, fold_convert(size_type_node, frame_pointer));
		x = fold_build2(BIT_AND_EXPR, size_type_node, x, build_int_cst(size_type_node, PAGE_BYTES - 1));
		x = fold_build2(LT_EXPR, boolean_type_node, x, build_int_cst(size_type_node, frame + range->bytes - 1));
		check = fold_build2(TRUTH_OR_EXPR, boolean_type_node, check, x);
	}
	return check;
}

static tree get_frame_pointer(class loop *loop) {
	tree pointer = make_ssa_name(ptr_type_node);
	gcall *call =
		gimple_build_call(builtin_decl_explicit(BUILT_IN_FRAME_ADDRESS), 1, build_zero_cst(unsigned_type_node));
	gimple_call_set_lhs(call, pointer);
	gsi_insert_on_edge_immediate(loop_preheader_edge(loop), call);
	return pointer;
}

/* The anonymous copy of a variable's value at the loop's entry. */
static tree copy_of(class loop *loop, tree value, hash_map<tree, tree> *copies) {
	bool existed;
	tree &copy = copies->get_or_insert(value, &existed);
	if (existed)
		return copy;
	copy = make_ssa_name(TREE_TYPE(value));
	gsi_insert_on_edge_immediate(loop_preheader_edge(loop), gimple_build_assign(copy, value));
	return copy;
}

static void replace_uses(class loop *loop, gimple *statement, hash_map<tree, tree> *copies) {
	use_operand_p use;
	ssa_op_iter iterator;
	FOR_EACH_SSA_USE_OPERAND(use, statement, iterator, SSA_OP_USE) {
		tree value = USE_FROM_PTR(use);
		gimple *definition = SSA_NAME_DEF_STMT(value);
		if (variable_p(value) && !(gimple_bb(definition) && flow_bb_inside_loop_p(loop, gimple_bb(definition))))
			SET_USE(use, copy_of(loop, value, copies));
	}
	update_stmt(statement);
}

static void make_anonymous(tree name) {
	if (variable_p(name))
		SET_SSA_NAME_VAR_OR_IDENTIFIER(name, NULL_TREE);
}

static void anonymise(class loop *loop) {
	hash_map<tree, tree> copies;
	basic_block *body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator at = gsi_start_bb(body[i]); !gsi_end_p(at); gsi_next(&at))
			if (!is_gimple_debug(gsi_stmt(at)))
				replace_uses(loop, gsi_stmt(at), &copies);
	for (unsigned i = 0; i < loop->num_nodes; i++) {
		for (gphi_iterator at = gsi_start_phis(body[i]); !gsi_end_p(at); gsi_next(&at))
			make_anonymous(gimple_phi_result(at.phi()));
		for (gimple_stmt_iterator at = gsi_start_bb(body[i]); !gsi_end_p(at); gsi_next(&at)) {
			tree name;
			ssa_op_iter iterator;
			FOR_EACH_SSA_TREE_OPERAND(name, gsi_stmt(at), iterator, SSA_OP_DEF)
			make_anonymous(name);
		}
	}
	free(body);
}

/* Collects the static ranges of a loop, and says why it cannot be copied, or NULL. */
static const char *survey(class loop *loop, struct ranges *ranges) {
	basic_block *body = get_loop_body(loop);
	unsigned statements = 0, variables = 0;
	bool abnormal = false;
	for (unsigned i = 0; i < loop->num_nodes; i++) {
		for (gphi_iterator at = gsi_start_phis(body[i]); !gsi_end_p(at); gsi_next(&at))
			abnormal |= SSA_NAME_OCCURS_IN_ABNORMAL_PHI(gimple_phi_result(at.phi()));
		for (gimple_stmt_iterator at = gsi_start_bb(body[i]); !gsi_end_p(at); gsi_next(&at), statements++) {
			tree name;
			ssa_op_iter iterator;
			walk_stmt_load_store_ops(gsi_stmt(at), ranges, add_range, add_range);
			FOR_EACH_SSA_TREE_OPERAND(name, gsi_stmt(at), iterator, SSA_OP_USE | SSA_OP_DEF) {
				variables += variable_p(name);
				abnormal |= SSA_NAME_OCCURS_IN_ABNORMAL_PHI(name);
			}
		}
	}
	free(body);
	if (abnormal || !can_duplicate_loop_p(loop))
		return "it cannot be copied";
	if (statements > STATEMENTS_MAX)
		return "it is too long";
	if (!variables)
		return "it uses no local variable whose address is not taken";
	return ranges->count ? NULL
	                     : "it accesses no static variable, and unoptimised code is checked for these alone";
}

const char *alias_check_move_locals(class loop *loop) {
	struct ranges ranges = {};
	const char *why = survey(loop, &ranges);
	if (why)
		return why;
	alias_check_version(loop, check_of(&ranges, get_frame_pointer(loop)));
	anonymise(loop);
	return NULL;
}
