/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis split-loops: loops of a known number of trips in successive parts, whose trips fit a branch's history.
 *
 * Problem: a predictor by local history of h outcomes does not tell the last trip of a longer loop from those before it,
 * and mispredicts it each time.
 *
 * Idea: 8 trips become 4 and 4. Each part has a branch, and so a history, of its own. Ref: Milenković et al. 2004,
 * figure 5.
 *
 * A part but the last is a copy of the loop in which the test of the exit is gone: in as many trips as it makes, the
 * exit is not due. A count of its trips ends it at the latch, and the next part begins with the values of the trip that
 * would have followed. So the statements are executed in the order of before, whatever they are. Other exits stay in all
 * parts.
 *
 * The pass runs behind GCC's own passes over loops: a loop that GCC has unrolled or that became vectors is split as it
 * is then, if at all. */
#include "plugin/gimple_passes.h"

#include "plugin/passes.h"

enum { PARTS_MOST = 8, STATEMENTS_MOST = 4000 };

static struct ifr_unit *unit;

/* A loop of the current function that may be split. */
struct counted_loop {
	int number; /* of GCC */
	location_t line;
	edge exit;
	HOST_WIDE_INT stays; /* outcomes of its branch before it leaves */
	const char *why;     /* it stays as it is */
};

static const char *const fits = "its trips fit the history";

/* --- loops that can be split -------------------------------------------------------------------------------------- */

static location_t find_line(class loop *loop, edge exit) {
	location_t line = exit ? gimple_location_safe(gcc_last_statement(exit->src)) : UNKNOWN_LOCATION;
	if (line == UNKNOWN_LOCATION)
		line = gimple_location_safe(gcc_last_statement(loop->header));
	return line;
}

/* How often the loop's branch stays before it leaves by this exit, or -1. */
static HOST_WIDE_INT count_stays(class loop *loop, edge exit) {
	class tree_niter_desc iterations;
	gimple *branch = gcc_last_statement(exit->src);
	tree count = NULL_TREE;
	if (!branch || gimple_code(branch) != GIMPLE_COND || exit->src->loop_father != loop ||
	    !just_once_each_iteration_p(loop, exit->src))
		return -1;
	if (number_of_iterations_exit(loop, exit, &iterations, false) &&
	    (!iterations.may_be_zero || integer_zerop(iterations.may_be_zero)))
		count = iterations.niter;
	if (!count || TREE_CODE(count) != INTEGER_CST)
		count = loop_niter_by_eval(loop, exit);
	return count && tree_fits_shwi_p(count) && TREE_CODE(count) == INTEGER_CST ? tree_to_shwi(count) : -1;
}

static void find_exit(class loop *loop, struct counted_loop *counted) {
	auto_vec<edge> exits = get_loop_exit_edges(loop);
	counted->stays = -1;
	for (unsigned i = 0; i < exits.length(); i++) {
		const HOST_WIDE_INT stays = count_stays(loop, exits[i]);
		if (stays >= 0 && (counted->stays < 0 || stays < counted->stays)) {
			counted->exit = exits[i];
			counted->stays = stays;
		}
	}
}

/* Why the statements cannot be copied, or NULL. */
static const char *refuse_body(class loop *loop, unsigned *statements) {
	basic_block *body = get_loop_body(loop);
	const char *why = can_duplicate_loop_p(loop) ? NULL : "GCC cannot copy it";
	for (unsigned i = 0; i < loop->num_nodes && !why; i++) {
		for (gphi_iterator at = gsi_start_phis(body[i]); !gsi_end_p(at); gsi_next(&at))
			if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI(gimple_phi_result(at.phi())))
				why = "a jump that GCC cannot follow leads into it";
		for (gimple_stmt_iterator at = gsi_start_bb(body[i]); !gsi_end_p(at) && !why; gsi_next(&at)) {
			*statements += !is_gimple_debug(gsi_stmt(at));
			why = gcc_refuse_copy(gsi_stmt(at));
		}
	}
	free(body);
	return why;
}

static unsigned history() {
	return ifr_decide_split_history(&unit->note.plan.axis[IFR_AXIS_SPLIT_LOOPS]);
}

/* The fewest parts that fit: a part holds one trip more than the history, as its branch leaves in the last one; the last
 * part may test before its first trip. */
static unsigned count_parts(HOST_WIDE_INT stays) {
	const HOST_WIDE_INT held = history();
	return stays <= held ? 1 : (unsigned)(1 + (stays - held + held) / (held + 1));
}

static const char *refuse(class loop *loop, const struct counted_loop *counted) {
	unsigned statements = 0;
	if (counted->stays < 0)
		return "its number of trips is not known to GCC";
	if (counted->stays <= (HOST_WIDE_INT)history())
		return fits;
	if (counted->stays > (HOST_WIDE_INT)PARTS_MOST * (history() + 1) - 1)
		return "it has more trips than 8 parts hold";
	const char *why = refuse_body(loop, &statements);
	if (!why && statements * count_parts(counted->stays) > STATEMENTS_MOST)
		why = "it is too long to be copied";
	return why;
}

static void find_loops(vec<struct counted_loop> *found) {
	const struct ifr_axis_setting *setting = &unit->note.plan.axis[IFR_AXIS_SPLIT_LOOPS];
	const unsigned count = number_of_loops(cfun);
	for (unsigned i = 1; i < count; i++) {
		class loop *loop = get_loop(cfun, i);
		struct counted_loop counted = {(int)i, UNKNOWN_LOCATION, NULL, -1, NULL};
		if (!loop || !loop->latch || !single_succ_p(loop->latch))
			continue;
		find_exit(loop, &counted);
		counted.line = find_line(loop, counted.exit);
		if (!ifr_decide_line(setting, gcc_line_in_function(counted.line)))
			continue;
		counted.why = refuse(loop, &counted);
		found->safe_push(counted);
	}
}

/* --- splitting ---------------------------------------------------------------------------------------------------- */

/* Removes an edge of a block's two, with the block's branch. */
static void take_branch_out(edge removed) {
	basic_block block = removed->src;
	edge kept = EDGE_SUCC(block, EDGE_SUCC(block, 0) == removed);
	gimple_stmt_iterator branch = gsi_last_bb(block);
	gsi_remove(&branch, true);
	remove_edge(removed);
	kept->flags = (kept->flags & ~(EDGE_TRUE_VALUE | EDGE_FALSE_VALUE)) | EDGE_FALLTHRU;
	kept->probability = profile_probability::always();
}

/* Makes the loop leave for `to` at its latch, after so many trips. */
static void leave_after(class loop *loop, HOST_WIDE_INT trips, basic_block to) {
	tree before = make_ssa_name(unsigned_type_node), after = make_ssa_name(unsigned_type_node);
	edge entry = loop_preheader_edge(loop), back = loop_latch_edge(loop);
	gphi *phi = create_phi_node(before, loop->header);
	add_phi_arg(phi, build_int_cst(unsigned_type_node, trips), entry, UNKNOWN_LOCATION);
	add_phi_arg(phi, after, back, UNKNOWN_LOCATION);
	basic_block test = split_edge(back);
	gimple_stmt_iterator at = gsi_start_bb(test);
	gsi_insert_after(&at, gimple_build_assign(after, PLUS_EXPR, before, build_minus_one_cst(unsigned_type_node)),
	                 GSI_NEW_STMT);
	gsi_insert_after(&at, gimple_build_cond(NE_EXPR, after, build_zero_cst(unsigned_type_node), NULL, NULL),
	                 GSI_NEW_STMT);
	edge again = single_succ_edge(test), leave = make_edge(test, to, EDGE_FALSE_VALUE);
	again->flags = (again->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
	leave->probability = profile_probability::always().apply_scale(1, (int)trips);
	again->probability = leave->probability.invert();
	split_edge(again); /* GCC wants latches without a branch */
}

/* Gives the next part the values with which the loop would have gone on. */
static void pass_values(class loop *loop, class loop *next) {
	gphi_iterator from = gsi_start_phis(loop->header), to = gsi_start_phis(next->header);
	for (; !gsi_end_p(to); gsi_next(&from), gsi_next(&to)) {
		tree value = PHI_ARG_DEF_FROM_EDGE(from.phi(), loop_latch_edge(loop));
		SET_PHI_ARG_DEF(to.phi(), loop_preheader_edge(next)->dest_idx, value);
	}
}

/* Splits the first trips off. The loop of the others and its exit take the place of the loop and of its. Returns false
 * if GCC does not copy it. */
static bool split_off(class loop **loop, edge *exit, HOST_WIDE_INT trips) {
	basic_block condition = NULL;
	initialize_original_copy_tables();
	const profile_probability always = profile_probability::always();
	class loop *next = loop_version(*loop, boolean_true_node, &condition, always, profile_probability::never(),
	                                always, always, true);
	basic_block copied = next ? get_bb_copy((*exit)->src) : NULL;
	free_original_copy_tables();
	if (!next)
		return false;
	update_ssa(TODO_update_ssa);
	/* The next part begins where this one ends, and no longer in its place. */
	edge skip, enter, left = *exit;
	extract_true_false_edges_from_block(condition, &enter, &skip);
	pass_values(*loop, next);
	leave_after(*loop, trips, loop_preheader_edge(next)->src);
	take_branch_out(left);
	take_branch_out(skip);
	free_dominance_info(CDI_DOMINATORS);
	calculate_dominance_info(CDI_DOMINATORS);
	*exit = EDGE_SUCC(copied, flow_bb_inside_loop_p(next, EDGE_SUCC(copied, 0)->dest));
	*loop = next;
	return true;
}

/* The parts have equally many trips, or the first ones one more. */
static bool split(const struct counted_loop *counted) {
	class loop *loop = get_loop(cfun, counted->number);
	edge exit = counted->exit;
	const edge stay = EDGE_SUCC(exit->src, EDGE_SUCC(exit->src, 0) == exit);
	const bool tests_first = stay->dest != loop->latch || !empty_block_p(loop->latch);
	HOST_WIDE_INT trips = counted->stays + !tests_first;
	for (unsigned parts = count_parts(counted->stays); parts > 1; parts--) {
		const HOST_WIDE_INT first = CEIL(trips, parts);
		if (!split_off(&loop, &exit, first))
			return false;
		trips -= first;
	}
	return true;
}

static int by_depth(const void *a, const void *b) {
	const struct counted_loop *x = (const struct counted_loop *)a, *y = (const struct counted_loop *)b;
	const int deeper = (int)loop_depth(get_loop(cfun, y->number)) - (int)loop_depth(get_loop(cfun, x->number));
	return deeper ? deeper : x->number - y->number;
}

static unsigned split_loops(vec<struct counted_loop> *found) {
	unsigned done = 0;
	found->qsort(by_depth);
	for (unsigned i = 0; i < found->length(); i++) {
		struct counted_loop *counted = &(*found)[i];
		if (!counted->why && !split(counted))
			counted->why = "GCC cannot copy it";
		done += !counted->why;
	}
	return done;
}

/* --- the pass ----------------------------------------------------------------------------------------------------- */

static void report(const vec<struct counted_loop> *found, unsigned done) {
	for (unsigned i = 0; i < found->length(); i++) {
		const struct counted_loop *counted = &(*found)[i];
		if (counted->why && (!done || counted->why != fits))
			ifr_tell_unchanged(counted->line, IFR_AXIS_SPLIT_LOOPS, "loop", counted->why);
	}
	if (found->is_empty())
		ifr_tell_unchanged(DECL_SOURCE_LOCATION(current_function_decl), IFR_AXIS_SPLIT_LOOPS, "function",
		                   "GCC has left no such loop in it");
	if (done)
		ifr_record_fact(unit, current_function_decl, IFR_FACT_SPLIT, done);
}

static const pass_data split_data = {
	GIMPLE_PASS, "interfero_split_loops", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class split_pass : public gimple_opt_pass {
  public:
	split_pass() : gimple_opt_pass(split_data, g) {
	}
	bool gate(function *) final override {
		return ifr_decide_covers(&unit->note.plan, IFR_AXIS_SPLIT_LOOPS,
		                         ifr_entity_of(unit, current_function_decl));
	}
	unsigned execute(function *) final override {
		auto_vec<struct counted_loop> found;
		loop_optimizer_init(LOOPS_NORMAL);
		rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
		scev_initialize();
		find_loops(&found);
		const unsigned done = split_loops(&found);
		report(&found, done);
		free_numbers_of_iterations_estimates(cfun);
		scev_finalize();
		loop_optimizer_finalize();
		return done ? TODO_cleanup_cfg | TODO_update_ssa_only_virtuals : 0;
	}
};

void ifr_split_loop_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new split_pass(), PASS_POS_INSERT_AFTER, "optimized");
}
