/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places the prefetch of an advised load.
 *
 * - Along a recurrence: behind p->data, the nodes that p points to are those to come, be it in a list (p = p->next) or in
 *   the recursion over a tree: their pointers are loaded at once and what is behind them is prefetched.
 * - In a loop: what the load reads some iterations later, or in the next one where its address is carried over.
 * - Along chains that begin in a loop, as the buckets of a hash table do: the beginnings of later chains, too, as chains
 *   are short.
 * - Before a call: what the load behind a parameter will read at the next call from the same place.
 *
 * A load that misses each n-th time reads n times from a line: its prefetch is left out where the address ahead is in the
 * line of the present one. */
#include "plugin/prefetch.h"

#include "asan.h"
#include "tree-dfa.h"

enum { SUCCESSORS_MAX = 4, LINE_SHIFT = 6 };

/* The prefetch has the line of the load, by which a profile of the build finds it. */
static gimple *make_prefetch(tree place, gimple *load) {
	gimple *prefetch = gimple_build_call(builtin_decl_explicit(BUILT_IN_PREFETCH), 3, place, integer_zero_node,
	                                     build_int_cst(integer_type_node, 3));
	gimple_set_location(prefetch, gimple_location(load));
	return prefetch;
}

/* Puts the statements and the prefetch for the load behind where its address is known. */
static void insert(struct prefetch_address *address, tree place, tree present, gimple *load) {
	gimple_stmt_iterator at = gsi_for_stmt(address->at);
	tree near = NULL_TREE;
	if (present) {
		tree word = pointer_sized_int_node, one = make_ssa_name(word), other = make_ssa_name(word);
		tree apart = make_ssa_name(word);
		near = make_ssa_name(word);
		gimple_seq_add_stmt_without_update(&address->statements, gimple_build_assign(one, NOP_EXPR, place));
		gimple_seq_add_stmt_without_update(&address->statements, gimple_build_assign(other, NOP_EXPR, present));
		gimple_seq_add_stmt_without_update(&address->statements,
		                                   gimple_build_assign(apart, BIT_XOR_EXPR, one, other));
		gimple_seq_add_stmt(
			&address->statements,
			gimple_build_assign(near, RSHIFT_EXPR, apart, build_int_cst(integer_type_node, LINE_SHIFT)));
	}
	gsi_insert_seq_after(&at, address->statements, GSI_CONTINUE_LINKING);
	if (!near) {
		gsi_insert_after(&at, make_prefetch(place, load), GSI_NEW_STMT);
		return;
	}
	basic_block then_block, rest;
	gimple_stmt_iterator behind = create_cond_insert_point(&at, false, false, true, &then_block, &rest);
	gcond *condition =
		gimple_build_cond(NE_EXPR, near, build_int_cst(pointer_sized_int_node, 0), NULL_TREE, NULL_TREE);
	gsi_insert_after(&behind, condition, GSI_NEW_STMT);
	gimple_stmt_iterator then = gsi_start_bb(then_block);
	gsi_insert_before(&then, make_prefetch(place, load), GSI_SAME_STMT);
}

/* The present address of a load, of which prefetches in the same line are left out; NULL: none is left out. */
static tree present_address(struct prefetch_address *address, tree reference, const struct ifr_prefetch *advice) {
	tree base = advice->context == IFR_PREFETCH_SELF ? prefetch_base(reference) : NULL_TREE;
	return base ? prefetch_address_behind(address, reference, base) : NULL_TREE;
}

/* --- recurrences ------------------------------------------------------------------------------------------------- */

/* The structure that a reference is a part of. */
static tree whole_type(tree reference) {
	while (handled_component_p(reference))
		reference = TREE_OPERAND(reference, 0);
	return TYPE_MAIN_VARIANT(TREE_TYPE(reference));
}

/* Whether a statement loads, from the structure behind a pointer, a pointer to another such structure. */
static bool loads_successor_p(gimple *statement, tree pointer, tree whole) {
	if (!is_gimple_assign(statement) || !gimple_assign_load_p(statement) || gimple_has_volatile_ops(statement))
		return false;
	tree value = gimple_assign_lhs(statement);
	return TREE_CODE(value) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(value)) &&
	       TYPE_MAIN_VARIANT(TREE_TYPE(TREE_TYPE(value))) == whole &&
	       prefetch_base(gimple_assign_rhs1(statement)) == pointer;
}

/* The values that point to the next structures, each place once. */
static unsigned find_successors(tree pointer, tree whole, tree *successors) {
	imm_use_iterator uses;
	use_operand_p use;
	unsigned count = 0;
	FOR_EACH_IMM_USE_FAST(use, uses, pointer) {
		gimple *statement = USE_STMT(use);
		if (!loads_successor_p(statement, pointer, whole))
			continue;
		unsigned same = 0;
		while (same < count && !operand_equal_p(gimple_assign_rhs1(SSA_NAME_DEF_STMT(successors[same])),
		                                        gimple_assign_rhs1(statement), 0))
			same++;
		if (same == count && count < SUCCESSORS_MAX)
			successors[count++] = gimple_assign_lhs(statement);
	}
	return count;
}

/* Prefetches behind each successor of the structure. Returns their number. */
static unsigned place_successors(gimple *load, struct prefetch_row *row) {
	tree reference = gimple_assign_rhs1(load), pointer = prefetch_base(reference), successors[SUCCESSORS_MAX];
	if (!pointer || !RECORD_OR_UNION_TYPE_P(whole_type(reference)))
		return 0;
	unsigned count = find_successors(pointer, whole_type(reference), successors), placed = 0;
	for (unsigned i = 0; i < count; i++) {
		struct prefetch_address address = {};
		address.at = load;
		address.executed = true;
		tree value = prefetch_value_now(&address, successors[i]);
		if (!value) {
			row->why = address.why;
			prefetch_address_discard(&address);
			continue;
		}
		tree present = present_address(&address, reference, row->advice);
		value = prefetch_value_unless_null(&address, value, pointer);
		insert(&address, prefetch_address_behind(&address, reference, value), present, load);
		placed++;
	}
	return placed;
}

/* --- loops ------------------------------------------------------------------------------------------------------- */

static const char *place_in_loop(gimple *load, struct prefetch_row *row) {
	tree reference = gimple_assign_rhs1(load);
	const char *why = "it is in no loop, and reads no structure that points to the next one";
	for (class loop *loop = gimple_bb(load)->loop_father; loop && loop_outer(loop); loop = loop_outer(loop)) {
		struct prefetch_address address = {};
		address.loop = loop;
		address.at = load;
		address.executed = true;
		address.distance = row->advice->distance;
		tree place = prefetch_address_ahead(&address, reference);
		if (place) {
			insert(&address, place, present_address(&address, reference, row->advice), load);
			return NULL;
		}
		prefetch_address_discard(&address);
		if (loop == gimple_bb(load)->loop_father)
			why = address.why;
		if (address.moved)
			break;
	}
	return why;
}

/* The load that begins the chain which a pointer walks in an inner loop, or NULL. */
static gimple *find_beginning(tree pointer) {
	gphi *phi = pointer ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(pointer)) : NULL;
	class loop *walk = phi ? gimple_bb(phi)->loop_father : NULL;
	if (!phi || !loop_outer(walk) || walk->header != gimple_bb(phi) || !loop_outer(loop_outer(walk)))
		return NULL;
	tree first = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(walk));
	gimple *begin = TREE_CODE(first) == SSA_NAME ? SSA_NAME_DEF_STMT(first) : NULL;
	return begin && is_gimple_assign(begin) && gimple_assign_load_p(begin) &&
	               gimple_bb(begin)->loop_father == loop_outer(walk)
	           ? begin
	           : NULL;
}

/* Prefetches behind the beginning of a later chain, once for each chain. */
static bool place_chain(gimple *load, const struct prefetch_row *row) {
	tree reference = gimple_assign_rhs1(load), pointer = prefetch_base(reference);
	gimple *begin = find_beginning(pointer);
	if (!begin)
		return false;
	struct prefetch_address address = {};
	address.loop = gimple_bb(begin)->loop_father;
	address.at = begin;
	address.executed = true;
	address.distance = row->advice->distance;
	tree value = prefetch_value_ahead(&address, gimple_assign_lhs(begin));
	tree slot = value ? prefetch_address_now(&address, gimple_assign_rhs1(begin)) : NULL_TREE;
	if (!slot) {
		prefetch_address_discard(&address);
		return false;
	}
	value = prefetch_value_unless_null(&address, value, slot);
	insert(&address, prefetch_address_behind(&address, reference, value), NULL_TREE, load);
	return true;
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

bool prefetch_note_parameter(gimple *load, struct prefetch_row *row) {
	tree reference = gimple_assign_rhs1(load), pointer = prefetch_base(reference);
	poly_int64 offset;
	if (!pointer || !SSA_NAME_IS_DEFAULT_DEF(pointer) || !SSA_NAME_VAR(pointer) ||
	    TREE_CODE(SSA_NAME_VAR(pointer)) != PARM_DECL)
		return false;
	tree base = get_addr_base_and_unit_offset(reference, &offset);
	HOST_WIDE_INT bytes;
	if (!base || !offset.is_constant(&bytes) || TREE_CODE(base) != MEM_REF)
		return false;
	row->callee = DECL_ORIGIN(current_function_decl);
	row->offset = bytes + tree_to_shwi(TREE_OPERAND(base, 1));
	row->parameter = 0;
	for (tree p = DECL_ARGUMENTS(current_function_decl); p && p != SSA_NAME_VAR(pointer); p = DECL_CHAIN(p))
		row->parameter++;
	return true;
}

const char *prefetch_place_call(gimple *call, struct prefetch_row *row) {
	struct prefetch_address address = {};
	address.loop = gimple_bb(call)->loop_father;
	address.at = call;
	address.distance = row->advice->distance;
	if (!loop_outer(address.loop))
		return "its call is in no loop";
	if (row->parameter >= gimple_call_num_args(call))
		return "its call has another number of arguments";
	tree pointer = prefetch_value_ahead(&address, gimple_call_arg(call, row->parameter));
	if (pointer && !POINTER_TYPE_P(TREE_TYPE(pointer)))
		address.why = "its call passes no pointer";
	if (address.why) {
		prefetch_address_discard(&address);
		return address.why;
	}
	gimple_seq more = NULL;
	tree place = force_gimple_operand(fold_build_pointer_plus_hwi(pointer, row->offset), &more, true, NULL_TREE);
	gimple_seq_add_seq_without_update(&address.statements, more);
	gimple_seq_add_stmt_without_update(&address.statements, make_prefetch(place, call));
	gimple_stmt_iterator at = gsi_for_stmt(call);
	gsi_insert_seq_before(&at, address.statements, GSI_SAME_STMT);
	return NULL;
}

const char *prefetch_place_load(gimple *load, struct prefetch_row *row, bool loops) {
	if (row->advice->context == IFR_PREFETCH_CALL) {
		if (prefetch_note_parameter(load, row))
			return "its call is not in this unit, or is compiled before it";
		if (row->copy ? row->copy != current_function_decl : row->advice->only_in_context)
			return "its address is not a parameter's, and it only pays in calls from one place";
	}
	row->why = NULL;
	const bool chain = loops && place_chain(load, row);
	if (place_successors(load, row) || chain)
		return NULL;
	if (row->why)
		return row->why;
	return loops ? place_in_loop(load, row)
	             : "GCC looks for no loops here, and it reads no structure that points to the next";
}
