/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address that a load will have.
 *
 * Problem: a prefetch needs an address before the program computes it, and must neither fault nor change anything.
 * Idea: the statements that compute the address are computed once more with other values. Inductions get the value of a
 * later iteration; a value that a loop carries over gets the one that it will carry over; where paths join, the likeliest
 * one is taken, as a wrong address only costs a prefetch in vain. Loads on the way are repeated, too.
 * Invariant: no new load can fault, whatever the pointers are. It reads only in the page of an access that the program
 * has just carried out: another address is replaced by that of the access. It is aligned to its size, so that it does not
 * leave the page. The result is used by the prefetch alone, which faults at no address. */
#include "plugin/prefetch.h"

enum { STATEMENTS_MAX = 48, PAGE_SIZE_BYTES = 4096, DEPTH_MAX = 24 };

static tree fail(struct prefetch_address *address, const char *why) {
	if (!address->why)
		address->why = why;
	return NULL_TREE;
}

static void add(struct prefetch_address *address, gimple *statement) {
	gimple_seq_add_stmt_without_update(&address->statements, statement);
	address->count++;
}

static tree compute(struct prefetch_address *address, tree expression) {
	gimple_seq more = NULL;
	tree value = force_gimple_operand(expression, &more, true, NULL_TREE);
	gimple_seq_add_seq_without_update(&address->statements, more);
	address->count++;
	return value;
}

static bool known_p(const struct prefetch_address *address, tree value) {
	return SSA_NAME_IS_DEFAULT_DEF(value) || stmt_dominates_stmt_p(SSA_NAME_DEF_STMT(value), address->at);
}

typedef tree (*transform)(struct prefetch_address *, tree, unsigned);
static tree value_now(struct prefetch_address *address, tree value, unsigned depth);
static tree value_ahead(struct prefetch_address *address, tree value, unsigned depth);

/* --- references -------------------------------------------------------------------------------------------------- */

/* A reference to memory without the parts that have no address of their own. */
static tree strip_bits(tree reference) {
	while (TREE_CODE(reference) == BIT_FIELD_REF || TREE_CODE(reference) == REALPART_EXPR ||
	       TREE_CODE(reference) == IMAGPART_EXPR || TREE_CODE(reference) == VIEW_CONVERT_EXPR ||
	       (TREE_CODE(reference) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(reference, 1))))
		reference = TREE_OPERAND(reference, 0);
	return reference;
}

static bool replace_operand(struct prefetch_address *address, tree *operand, transform change, unsigned depth) {
	if (!*operand || TREE_CODE(*operand) != SSA_NAME)
		return true;
	tree value = change(address, *operand, depth + 1);
	if (!value)
		return false;
	if (!useless_type_conversion_p(TREE_TYPE(*operand), TREE_TYPE(value)))
		value = compute(address, fold_convert(TREE_TYPE(*operand), value));
	*operand = value;
	return true;
}

/* Whether a declaration lies at one address for the whole run. */
static bool global_p(tree base) {
	return DECL_P(base) && is_global_var(base) && !DECL_HARD_REGISTER(base) && !DECL_THREAD_LOCAL_P(base);
}

/* Replaces the values in a reference, which is nobody else's. */
static bool replace_values(struct prefetch_address *address, tree reference, transform change, unsigned depth) {
	for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0)) {
		if ((TREE_CODE(reference) == ARRAY_REF || TREE_CODE(reference) == ARRAY_RANGE_REF) &&
		    !replace_operand(address, &TREE_OPERAND(reference, 1), change, depth))
			return false;
		if (TREE_CODE(reference) == COMPONENT_REF && TREE_OPERAND(reference, 2))
			return fail(address, "its structure has no fixed size");
	}
	if (TREE_CODE(reference) == MEM_REF)
		return replace_operand(address, &TREE_OPERAND(reference, 0), change, depth);
	if (TREE_CODE(reference) == TARGET_MEM_REF)
		return replace_operand(address, &TMR_BASE(reference), change, depth) &&
		       replace_operand(address, &TMR_INDEX(reference), change, depth) &&
		       replace_operand(address, &TMR_INDEX2(reference), change, depth);
	return global_p(reference) || fail(address, "it reads the stack");
}

/* The address of a reference whose values are replaced. */
static tree address_of(struct prefetch_address *address, tree reference, transform change, unsigned depth) {
	tree copy = unshare_expr(strip_bits(reference));
	if (!replace_values(address, copy, change, depth))
		return NULL_TREE;
	return compute(address, build_fold_addr_expr(copy));
}

static tree same_value(struct prefetch_address *, tree value, unsigned) {
	return value;
}

void prefetch_address_discard(struct prefetch_address *address) {
	for (gimple_stmt_iterator at = gsi_start(address->statements); !gsi_end_p(at); gsi_next(&at)) {
		delink_stmt_imm_use(gsi_stmt(at));
		if (gimple_get_lhs(gsi_stmt(at)) && TREE_CODE(gimple_get_lhs(gsi_stmt(at))) == SSA_NAME)
			release_ssa_name(gimple_get_lhs(gsi_stmt(at)));
	}
	address->statements = NULL;
}

tree prefetch_base(tree reference) {
	reference = strip_bits(reference);
	for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
		if (TREE_CODE(reference) != COMPONENT_REF || TREE_OPERAND(reference, 2))
			if (TREE_CODE(reference) != ARRAY_REF || TREE_CODE(TREE_OPERAND(reference, 1)) != INTEGER_CST)
				return NULL_TREE;
	if (TREE_CODE(reference) != MEM_REF || TREE_CODE(TREE_OPERAND(reference, 0)) != SSA_NAME)
		return NULL_TREE;
	return TREE_OPERAND(reference, 0);
}

/* --- loads that cannot fault ------------------------------------------------------------------------------------- */

/* The memory that a statement accesses, or NULL. */
static tree accessed(gimple *statement) {
	if (!gimple_assign_single_p(statement) || gimple_has_volatile_ops(statement))
		return NULL_TREE;
	if (gimple_assign_load_p(statement))
		return gimple_assign_rhs1(statement);
	return gimple_store_p(statement) ? gimple_assign_lhs(statement) : NULL_TREE;
}

/* An access through a pointer that was carried out at `at`, or NULL. */
static tree find_access(const struct prefetch_address *address, tree pointer) {
	imm_use_iterator uses;
	use_operand_p use;
	FOR_EACH_IMM_USE_FAST(use, uses, pointer) {
		gimple *statement = USE_STMT(use);
		tree reference = is_gimple_assign(statement) ? accessed(statement) : NULL_TREE;
		if (!reference || prefetch_base(reference) != pointer)
			continue;
		if (statement == address->at ? address->executed : stmt_dominates_stmt_p(statement, address->at))
			return reference;
	}
	return NULL_TREE;
}

/* The size of what a statement loads if a load can repeat it, or 0. */
static unsigned loaded_bytes(gimple *load) {
	tree reference = gimple_assign_rhs1(load), type = TREE_TYPE(reference);
	if (gimple_has_volatile_ops(load) || strip_bits(reference) != reference ||
	    !(INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) || !ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(type)) ||
	    !tree_fits_uhwi_p(TYPE_SIZE_UNIT(type)))
		return 0;
	unsigned HOST_WIDE_INT bytes = tree_to_uhwi(TYPE_SIZE_UNIT(type));
	return bytes && bytes <= 8 && !(bytes & (bytes - 1)) ? bytes : 0;
}

/* Loads from a place, if it is in the page of an access that was carried out; else from near that access. */
static tree load_guarded(struct prefetch_address *address, tree place, tree done, tree type, unsigned bytes) {
	tree word = pointer_sized_int_node;
	tree at = compute(address, fold_convert(word, place)), sure = compute(address, fold_convert(word, done));
	tree apart = compute(address, build2(BIT_XOR_EXPR, word, at, sure));
	tree near = make_ssa_name(boolean_type_node), chosen = make_ssa_name(word);
	add(address, gimple_build_assign(near, LT_EXPR, apart, build_int_cst(word, PAGE_SIZE_BYTES)));
	add(address, gimple_build_assign(chosen, COND_EXPR, near, at, sure));
	tree aligned =
		compute(address, build2(BIT_AND_EXPR, word, chosen, build_int_cst(word, -(HOST_WIDE_INT)bytes)));
	tree any = build_pointer_type_for_mode(type, ptr_mode, true);
	tree pointer = compute(address, fold_convert(any, aligned));
	tree value = make_ssa_name(type);
	add(address, gimple_build_assign(value, build2(MEM_REF, type, pointer, build_int_cst(any, 0))));
	return value;
}

/* Repeats a load with other values. Behind a pointer that is not followed anywhere yet, it would have to guess. */
static tree repeat_load(struct prefetch_address *address, gimple *load, transform change, unsigned depth) {
	unsigned bytes = loaded_bytes(load);
	tree reference = gimple_assign_rhs1(load), done = NULL_TREE;
	if (!bytes)
		return fail(address, "its address comes from a volatile, wide or packed value");
	if (change == value_ahead && stmt_dominates_stmt_p(load, address->at))
		done = reference;
	bool chased = address->chased;
	tree place = address_of(address, reference, change, depth);
	if (!place)
		return NULL_TREE;
	if (change == value_ahead && address->chased && !chased)
		return fail(address, "its address is behind a pointer that is not followed yet, and may be none");
	tree base = prefetch_base(reference);
	if (!done && base && known_p(address, base))
		done = find_access(address, base);
	if (!done)
		return fail(address, "nothing is known to be read near what its address comes from");
	tree sure = address_of(address, done, same_value, depth);
	return sure ? load_guarded(address, place, sure, TREE_TYPE(reference), bytes) : NULL_TREE;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* The argument of a join by the path that comes from `at`, else by the likeliest one. */
static tree likely_argument(const struct prefetch_address *address, gphi *phi) {
	unsigned best = 0;
	basic_block here = gimple_bb(address->at);
	for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
		edge e = gimple_phi_arg_edge(phi, i);
		if (dominated_by_p(CDI_DOMINATORS, e->src, here))
			return gimple_phi_arg_def(phi, i);
		if (i && e->probability.initialized_p() && gimple_phi_arg_edge(phi, best)->probability < e->probability)
			best = i;
	}
	return gimple_phi_arg_def(phi, best);
}

/* Whether a statement divides by what was divided by at `at` already, and so is not 0 in this loop. */
static bool divides_again_p(const struct prefetch_address *address, gimple *statement) {
	const enum tree_code code = gimple_assign_rhs_code(statement);
	if ((code != TRUNC_DIV_EXPR && code != TRUNC_MOD_EXPR) ||
	    !TYPE_UNSIGNED(TREE_TYPE(gimple_assign_lhs(statement))))
		return false;
	tree divisor = gimple_assign_rhs2(statement);
	return TREE_CODE(divisor) == SSA_NAME && stmt_dominates_stmt_p(statement, address->at) &&
	       (SSA_NAME_IS_DEFAULT_DEF(divisor) ||
	        (address->loop && !flow_bb_inside_loop_p(address->loop, gimple_bb(SSA_NAME_DEF_STMT(divisor)))));
}

/* Computes an assignment once more with other values. */
static tree repeat_assign(struct prefetch_address *address, gimple *statement, transform change, unsigned depth) {
	tree type = TREE_TYPE(gimple_assign_lhs(statement)), operand[3] = {};
	if (gimple_assign_load_p(statement))
		return repeat_load(address, statement, change, depth);
	if (gimple_vuse(statement) || (gimple_could_trap_p(statement) && !divides_again_p(address, statement)))
		return fail(address, "its address comes from an operation that may trap");
	if (gimple_assign_rhs_code(statement) == ADDR_EXPR) {
		tree place = address_of(address, TREE_OPERAND(gimple_assign_rhs1(statement), 0), change, depth);
		return place ? compute(address, fold_convert(type, place)) : NULL_TREE;
	}
	if (get_gimple_rhs_class(gimple_assign_rhs_code(statement)) == GIMPLE_SINGLE_RHS &&
	    TREE_CODE(gimple_assign_rhs1(statement)) != SSA_NAME)
		return fail(address, "its address comes from an unusual operation");
	unsigned count = gimple_num_ops(statement) - 1;
	for (unsigned i = 0; i < count && i < 3; i++) {
		operand[i] = gimple_op(statement, i + 1);
		if (TREE_CODE(operand[i]) == SSA_NAME)
			operand[i] = change(address, operand[i], depth + 1);
		else if (!is_gimple_min_invariant(operand[i]))
			return fail(address, "its address comes from an unusual operation");
		if (!operand[i])
			return NULL_TREE;
	}
	tree value = make_ssa_name(type);
	add(address,
	    gimple_build_assign(value, gimple_assign_rhs_code(statement), operand[0], operand[1], operand[2]));
	return value;
}

static bool too_long_p(struct prefetch_address *address, unsigned depth) {
	return (depth > DEPTH_MAX || address->count > STATEMENTS_MAX) &&
	       (fail(address, "its address takes too many operations"), true);
}

static tree value_now(struct prefetch_address *address, tree value, unsigned depth) {
	if (TREE_CODE(value) != SSA_NAME)
		return is_gimple_min_invariant(value) ? value
		                                      : fail(address, "its address comes from an unusual operation");
	if (known_p(address, value))
		return value;
	if (too_long_p(address, depth))
		return NULL_TREE;
	gimple *statement = SSA_NAME_DEF_STMT(value);
	if (gphi *phi = dyn_cast<gphi *>(statement)) {
		if (address->loop && bb_loop_header_p(gimple_bb(phi)))
			return fail(address, "its address comes out of another loop");
		return value_now(address, likely_argument(address, phi), depth + 1);
	}
	if (is_gimple_assign(statement)) {
		address->chased |= gimple_assign_load_p(statement);
		return repeat_assign(address, statement, value_now, depth);
	}
	return fail(address, "its address comes from a call");
}

/* The value of an induction so many iterations ahead. */
static tree step_ahead(struct prefetch_address *address, tree value, tree step, unsigned depth) {
	tree base = value_now(address, value, depth + 1), type = TREE_TYPE(value);
	if (!base)
		return NULL_TREE;
	tree wide = POINTER_TYPE_P(type) ? sizetype : unsigned_type_for(type);
	tree amount = fold_build2(MULT_EXPR, wide, fold_convert(wide, unshare_expr(step)),
	                          build_int_cst(wide, address->distance));
	address->moved |= !integer_zerop(step);
	if (POINTER_TYPE_P(type))
		return compute(address, fold_build_pointer_plus(base, amount));
	return compute(address, fold_convert(type, fold_build2(PLUS_EXPR, wide, fold_convert(wide, base), amount)));
}

static tree carried_ahead(struct prefetch_address *address, gphi *phi, unsigned depth) {
	tree carried = gimple_phi_arg_def(phi, loop_latch_edge(address->loop)->dest_idx);
	if (carried == gimple_phi_result(phi))
		return carried;
	tree value = value_now(address, carried, depth + 1);
	address->moved |= value && value != gimple_phi_result(phi);
	return value;
}

static tree value_ahead(struct prefetch_address *address, tree value, unsigned depth) {
	affine_iv induction;
	if (TREE_CODE(value) != SSA_NAME)
		return is_gimple_min_invariant(value) ? value
		                                      : fail(address, "its address comes from an unusual operation");
	gimple *statement = SSA_NAME_DEF_STMT(value);
	if (SSA_NAME_IS_DEFAULT_DEF(value) || !flow_bb_inside_loop_p(address->loop, gimple_bb(statement)))
		return value;
	if (too_long_p(address, depth))
		return NULL_TREE;
	if (gimple_bb(statement)->loop_father != address->loop)
		return fail(address, "its address comes out of another loop");
	if ((INTEGRAL_TYPE_P(TREE_TYPE(value)) || POINTER_TYPE_P(TREE_TYPE(value))) &&
	    simple_iv(address->loop, address->loop, value, &induction, false) &&
	    is_gimple_min_invariant(induction.step))
		return step_ahead(address, value, induction.step, depth);
	if (gphi *phi = dyn_cast<gphi *>(statement))
		return gimple_bb(phi) == address->loop->header
		           ? carried_ahead(address, phi, depth)
		           : value_ahead(address, likely_argument(address, phi), depth + 1);
	if (is_gimple_assign(statement))
		return repeat_assign(address, statement, value_ahead, depth);
	return fail(address, "its address comes from a call");
}

/* --- the face ---------------------------------------------------------------------------------------------------- */

tree prefetch_value_now(struct prefetch_address *address, tree value) {
	return value_now(address, value, 0);
}

static tree refuse_still(struct prefetch_address *address, tree result) {
	return result && !address->moved ? fail(address, "its address does not change in its loop") : result;
}

tree prefetch_value_ahead(struct prefetch_address *address, tree value) {
	return refuse_still(address, value_ahead(address, value, 0));
}

tree prefetch_address_ahead(struct prefetch_address *address, tree reference) {
	return refuse_still(address, address_of(address, reference, value_ahead, 0));
}

tree prefetch_address_now(struct prefetch_address *address, tree reference) {
	return address_of(address, reference, same_value, 0);
}

tree prefetch_value_unless_null(struct prefetch_address *address, tree value, tree otherwise) {
	tree null = make_ssa_name(boolean_type_node), chosen = make_ssa_name(TREE_TYPE(value));
	if (!useless_type_conversion_p(TREE_TYPE(value), TREE_TYPE(otherwise)))
		otherwise = compute(address, fold_convert(TREE_TYPE(value), otherwise));
	add(address, gimple_build_assign(null, EQ_EXPR, value, build_zero_cst(TREE_TYPE(value))));
	add(address, gimple_build_assign(chosen, COND_EXPR, null, otherwise, value));
	return chosen;
}

tree prefetch_address_behind(struct prefetch_address *address, tree reference, tree pointer) {
	tree copy = unshare_expr(strip_bits(reference)), base = copy;
	while (handled_component_p(base))
		base = TREE_OPERAND(base, 0);
	if (!useless_type_conversion_p(TREE_TYPE(TREE_OPERAND(base, 0)), TREE_TYPE(pointer)))
		pointer = compute(address, fold_convert(TREE_TYPE(TREE_OPERAND(base, 0)), pointer));
	TREE_OPERAND(base, 0) = pointer;
	return compute(address, build_fold_addr_expr(copy));
}
