/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis duplicate-joins: a join of paths that ends in a conditional branch is copied for each path.
 *
 * Problem: the outcome of a branch behind a join may depend on the path that led there. A predictor whose history does
 * not reach back to where the paths part has one entry for all of them, and mispredicts.
 *
 * Idea: each path gets a copy of the join with a branch of its own, which has an entry of its own. Ref: Milenković et
 * al. 2004, figure 4 and table I.
 *
 * The paths are those of the branch that all ways to the join pass last, its immediate dominator: the ways by one of its
 * outcomes share a copy. Blocks behind the join are not copied. The ways are found before anything is copied, and joins
 * are copied from the end of the function on, so that a copy of an earlier one goes where that one goes.
 *
 * GCC would join the copies again when it merges equal tails (-fcrossjumping): that is off for the rest of a function
 * with copies. */
#include "plugin/gimple_passes.h"

#include "cfganal.h"

#include "plugin/passes.h"

enum { COPIES_MOST = 8, STATEMENTS_MOST = 200 };

static struct ifr_unit *unit;
static bool crossjumping_is_due; /* of the current function, whose tails are not merged */

/* A join of the current function. */
struct join {
	basic_block block;
	location_t line;
	auto_vec<edge> ways;       /* into it */
	auto_vec<unsigned> groups; /* of each way: by the outcome of the dominating branch, from 0 */
	unsigned paths;            /* groups */
	const char *why;           /* it stays as it is */
};

/* --- joins that can be copied ------------------------------------------------------------------------------------- */

/* Whether the block begins a loop, or ends in a branch of one: to its begin, or out of it. */
static bool loops_p(basic_block block) {
	edge way;
	edge_iterator at;
	if (block->loop_father->header == block)
		return true;
	FOR_EACH_EDGE(way, at, block->succs)
	if (dominated_by_p(CDI_DOMINATORS, block, way->dest) || loop_exit_edge_p(block->loop_father, way))
		return true;
	return false;
}

static const char *refuse_statements(basic_block block) {
	unsigned statements = 0;
	for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at))
		if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI(gimple_phi_result(at.phi())))
			return "a jump that GCC cannot follow leads to it";
	for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
		const char *why = gcc_refuse_copy(gsi_stmt(at));
		if (why)
			return why;
		statements += !is_gimple_debug(gsi_stmt(at));
	}
	return statements > STATEMENTS_MOST ? "it is too long to be copied" : NULL;
}

static const char *refuse(basic_block block) {
	edge way;
	edge_iterator at;
	FOR_EACH_EDGE(way, at, block->preds)
	if (way->flags & EDGE_COMPLEX)
		return "a jump that GCC cannot follow leads to it";
	return can_duplicate_block_p(block) ? refuse_statements(block) : "GCC cannot copy it";
}

/* The outcome of the dominating branch that leads to a way, by the index of its edge; the number of edges: several do. */
static unsigned find_outcome(basic_block branch, edge way) {
	unsigned i = 0;
	for (; i < EDGE_COUNT(branch->succs); i++) {
		edge out = EDGE_SUCC(branch, i);
		if (out == way || (single_pred_p(out->dest) && dominated_by_p(CDI_DOMINATORS, way->src, out->dest)))
			break;
	}
	return i;
}

/* Groups the ways into a join. */
static void group_ways(struct join *join) {
	basic_block branch = get_immediate_dominator(CDI_DOMINATORS, join->block);
	auto_vec<unsigned> outcomes;
	edge way;
	edge_iterator at;
	FOR_EACH_EDGE(way, at, join->block->preds) {
		const unsigned outcome = find_outcome(branch, way);
		unsigned group = 0;
		while (group < outcomes.length() && outcomes[group] != outcome)
			group++;
		if (group == outcomes.length())
			outcomes.safe_push(outcome);
		join->ways.safe_push(way);
		join->groups.safe_push(group);
	}
	join->paths = outcomes.length();
	if (join->paths < 2)
		join->why = "one outcome of the branch before it leads to all of its paths";
	else if (join->paths > COPIES_MOST)
		join->why = "more than 8 paths lead to it";
}

static struct join *examine(basic_block block) {
	gimple *branch = gcc_last_statement(block);
	if (EDGE_COUNT(block->preds) < 2 || !branch || gimple_code(branch) != GIMPLE_COND || loops_p(block) ||
	    !ifr_decide_line(&unit->note.plan.axis[IFR_AXIS_DUPLICATE_JOINS],
	                     gcc_line_in_function(gimple_location(branch))))
		return NULL;
	struct join *join = new struct join();
	join->block = block;
	join->line = gimple_location(branch);
	join->why = refuse(block);
	if (!join->why)
		group_ways(join);
	return join;
}

static void find_joins(vec<struct join *> *joins) {
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(cfun));
	const int count = post_order_compute(order, false, false);
	for (int i = 0; i < count; i++) {
		struct join *join = examine(BASIC_BLOCK_FOR_FN(cfun, order[i]));
		if (join)
			joins->safe_push(join);
	}
	free(order);
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* Gives the ways of a group a copy of the join. */
static void copy_for(const struct join *join, unsigned group) {
	basic_block copy = NULL;
	initialize_original_copy_tables();
	for (unsigned i = 0; i < join->ways.length(); i++) {
		edge way = join->ways[i];
		if (join->groups[i] != group)
			continue;
		if (copy) {
			flush_pending_stmts(redirect_edge_and_branch(way, copy));
			continue;
		}
		copy = duplicate_block(join->block, way, NULL);
		flush_pending_stmts(way);
		add_phi_args_after_copy(&copy, 1, NULL);
	}
	free_original_copy_tables();
	free_dominance_info(CDI_DOMINATORS);
	calculate_dominance_info(CDI_DOMINATORS);
	update_ssa(TODO_update_ssa);
}

/* Returns the number of copies. The last group keeps the join itself. */
static unsigned copy_joins(const vec<struct join *> *joins) {
	unsigned copies = 0;
	for (unsigned i = 0; i < joins->length(); i++)
		for (unsigned group = 0; !(*joins)[i]->why && group + 1 < (*joins)[i]->paths; group++, copies++)
			copy_for((*joins)[i], group);
	return copies;
}

/* --- the passes --------------------------------------------------------------------------------------------------- */

static void report(const vec<struct join *> *joins, unsigned copies) {
	for (unsigned i = 0; i < joins->length(); i++)
		if ((*joins)[i]->why)
			ifr_tell_unchanged((*joins)[i]->line, IFR_AXIS_DUPLICATE_JOINS, "join", (*joins)[i]->why);
	if (joins->is_empty())
		ifr_tell_unchanged(DECL_SOURCE_LOCATION(current_function_decl), IFR_AXIS_DUPLICATE_JOINS, "function",
		                   "no such join in it ends in a branch");
	if (copies)
		ifr_record_fact(unit, current_function_decl, IFR_FACT_COPIES, copies);
}

static void release(vec<struct join *> *joins) {
	for (unsigned i = 0; i < joins->length(); i++)
		delete (*joins)[i];
}

static const pass_data copy_data = {
	GIMPLE_PASS, "interfero_copy_joins", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data restore_data = {RTL_PASS, "interfero_joins", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class copy_pass : public gimple_opt_pass {
  public:
	copy_pass() : gimple_opt_pass(copy_data, g) {
	}
	bool gate(function *) final override {
		return ifr_decide_covers(&unit->note.plan, IFR_AXIS_DUPLICATE_JOINS,
		                         ifr_entity_of(unit, current_function_decl));
	}
	unsigned execute(function *) final override {
		auto_vec<struct join *> joins;
		loop_optimizer_init(LOOPS_NORMAL);
		calculate_dominance_info(CDI_DOMINATORS);
		find_joins(&joins);
		const unsigned copies = copy_joins(&joins);
		report(&joins, copies);
		release(&joins);
		if (copies) {
			loops_state_set(LOOPS_NEED_FIXUP);
			crossjumping_is_due = flag_crossjumping;
			flag_crossjumping = 0;
		}
		loop_optimizer_finalize();
		return copies ? TODO_cleanup_cfg : 0;
	}
};

class restore_pass : public rtl_opt_pass {
  public:
	restore_pass() : rtl_opt_pass(restore_data, g) {
	}
	bool gate(function *) final override {
		return crossjumping_is_due;
	}
	unsigned execute(function *) final override {
		flag_crossjumping = 1;
		crossjumping_is_due = false;
		return 0;
	}
};

void ifr_duplicate_join_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new copy_pass(), PASS_POS_INSERT_AFTER, "optimized");
	gcc_register_pass(new restore_pass(), PASS_POS_INSERT_BEFORE, "shorten");
}
