/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis alias-check: innermost loops in two versions, chosen at run time by a check of addresses.
 *
 * A load whose low 12 address bits are those of an earlier store still under way waits for that store, though both
 * addresses differ. Where the check finds such a pair, a version of the loop runs that avoids it: the loads of several
 * iterations stand before the stores of these. Else, and where arrays overlap, the loop runs as GCC made it.
 *
 * - The pass runs behind GCC's own loop transformations, so that vectors are checked and moved as such. Passes that
 *   follow remove the loads and stores that are redundant in the new order.
 * - Unoptimised code has no such passes, and its local variables lie in the stack: there the other version has them in
 *   registers, as in the thesis' listing.
 * - A last pass before code is generated tells which loops stay as they are, and why.
 *
 * Ref: Melhus 2013, section 4.1.1, listing 4.2. */
#include "plugin/alias_check.h"

#include "plugin/passes.h"

enum { REFUSALS_MAX = 16, INSTRUCTIONS_MAX = 4000 };

static struct ifr_unit *unit;

/* The loops of the current function. */
static struct {
	bool visited;
	unsigned versioned, refused;
	struct {
		location_t line;
		const char *why;
	} refusal[REFUSALS_MAX];
} done;

static const char *const too_short = "it has too few iterations";

static bool covers_p(tree decl) {
	return ifr_decide_covers(&unit->note.plan, IFR_AXIS_ALIAS_CHECK, ifr_entity_of(unit, decl));
}

static void conclude(class loop *loop, const char *why) {
	done.versioned += !why;
	location_t line = gimple_location_safe(gsi_stmt(gsi_last_bb(loop->header)));
	if (line == UNKNOWN_LOCATION)
		line = DECL_SOURCE_LOCATION(current_function_decl);
	if (why && done.refused < REFUSALS_MAX)
		done.refusal[done.refused++] = {line, why};
}

class loop *alias_check_version(class loop *loop, tree check) {
	gimple_seq statements = NULL;
	tree flag = force_gimple_operand(check, &statements, true, NULL_TREE);
	if (statements)
		gsi_insert_seq_on_edge_immediate(loop_preheader_edge(loop), statements);
	flag = fold_build2(NE_EXPR, boolean_type_node, flag, boolean_false_node);
	initialize_original_copy_tables();
	class loop *copy = loop_version(loop, flag, NULL, profile_probability::even(), profile_probability::even(),
	                                profile_probability::even(), profile_probability::even(), true);
	free_original_copy_tables();
	update_ssa(TODO_update_ssa);
	return copy;
}

/* Why a statement cannot be moved over others, or NULL. */
static const char *refuse_statement(gimple *statement) {
	if (is_gimple_debug(statement))
		return NULL;
	if (gimple_code(statement) == GIMPLE_ASM)
		return "it holds assembler";
	if (gimple_has_volatile_ops(statement))
		return "it accesses volatile memory";
	if (is_gimple_call(statement) && (gimple_vuse(statement) || gimple_has_side_effects(statement)))
		return "it calls a function";
	if (gimple_clobber_p(statement))
		return "a variable's life ends in it";
	if (gimple_vdef(statement) && gimple_assign_load_p(statement))
		return "it copies from memory to memory";
	return NULL;
}

/* GCC's limit is for loops that it unrolls by itself. */
static bool can_unroll_p(class loop *loop, unsigned unroll, class tree_niter_desc *iterations) {
	auto limit = param_max_unrolled_insns;
	param_max_unrolled_insns = INSTRUCTIONS_MAX;
	bool can = can_unroll_loop_p(loop, unroll, iterations);
	param_max_unrolled_insns = limit;
	return can;
}

/* Why a loop is not one block with one exit and a known number of iterations, or NULL. */
static const char *refuse_shape(class loop *loop, unsigned unroll, class tree_niter_desc *iterations) {
	if (loop->num_nodes != 2 || !single_exit(loop) || !empty_block_p(loop->latch))
		return "it branches, or ends at more than one place";
	for (gimple_stmt_iterator at = gsi_start_bb(loop->header); !gsi_end_p(at); gsi_next(&at)) {
		const char *why = refuse_statement(gsi_stmt(at));
		if (why)
			return why;
	}
	HOST_WIDE_INT most = max_stmt_executions_int(loop);
	if (most >= 0 && most < (HOST_WIDE_INT)(2 * unroll))
		return too_short;
	return can_unroll_p(loop, unroll, iterations)
	           ? NULL
	           : "its number of iterations is not known when it begins, or it is too long";
}

/* Moves the stores of an unrolled loop, which is a chain of blocks, behind all of its loads. */
static void sink_stores(class loop *loop) {
	basic_block last = single_exit(loop)->src;
	auto_vec<gimple *> stores;
	for (basic_block block = loop->header;; block = single_succ(block)) {
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
			if (gimple_vdef(gsi_stmt(at)))
				stores.safe_push(gsi_stmt(at));
		if (block == last)
			break;
	}
	gimple_stmt_iterator end = gsi_last_bb(last);
	for (unsigned i = 0; i < stores.length(); i++) {
		gimple_stmt_iterator at = gsi_for_stmt(stores[i]);
		gsi_move_before(&at, &end);
	}
}

static const char *version_loop(class loop *loop, unsigned unroll) {
	class tree_niter_desc iterations;
	tree check;
	const char *why = refuse_shape(loop, unroll, &iterations);
	if (!why)
		why = alias_check_find(loop, unroll, &check);
	if (why)
		return why;
	alias_check_version(loop, check);
	initialize_original_copy_tables();
	gcc_unroll_loop(loop, unroll, &iterations);
	free_original_copy_tables();
	sink_stores(loop);
	mark_virtual_operands_for_renaming(cfun);
	update_ssa(TODO_update_ssa_only_virtuals);
	scev_reset();
	return NULL;
}

static void version_loops(const char *(*version)(class loop *, unsigned), unsigned unroll) {
	done.visited = true;
	unsigned count = number_of_loops(cfun);
	for (unsigned i = 1; i < count; i++) {
		class loop *loop = get_loop(cfun, i);
		if (loop && !loop->inner)
			conclude(loop, version(loop, unroll));
	}
}

/* Tells about loops of functions that the plan names, and records the others in the note. */
static void report(tree decl) {
	bool named = unit->note.plan.axis[IFR_AXIS_ALIAS_CHECK].only;
	/* GCC runs no passes over loops where there is none. */
	bool loops = done.visited || (optimize && !optimize_debug && flag_tree_loop_optimize);
	for (unsigned i = 0; named && i < done.refused; i++)
		if (!done.versioned || done.refusal[i].why != too_short)
			ifr_tell_unchanged(done.refusal[i].line, IFR_AXIS_ALIAS_CHECK, "loop", done.refusal[i].why);
	if (named && !done.refused && !done.versioned)
		ifr_tell_unchanged(DECL_SOURCE_LOCATION(decl), IFR_AXIS_ALIAS_CHECK, "function",
		                   loops ? "GCC has left no loop in it" : "these options let GCC look for no loops");
	if (done.versioned)
		ifr_record_fact(unit, decl, IFR_FACT_CHECKS, done.versioned);
}

static unsigned unroll_factor() {
	return ifr_decide_alias_check_unroll(&unit->note.plan.axis[IFR_AXIS_ALIAS_CHECK]);
}

static const char *move_locals(class loop *loop, unsigned) {
	return alias_check_move_locals(loop);
}

static void version_loops_of_locals() {
	loop_optimizer_init(LOOPS_NORMAL);
	rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
	version_loops(move_locals, 0);
	loop_optimizer_finalize();
}

static const pass_data arrays_data = {
	GIMPLE_PASS, "interfero_arrays", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data locals_data = {
	GIMPLE_PASS, "interfero_locals", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data report_data = {
	GIMPLE_PASS, "interfero_checks", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class arrays_pass : public gimple_opt_pass {
  public:
	arrays_pass() : gimple_opt_pass(arrays_data, g) {
	}
	bool gate(function *) final override {
		return covers_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		version_loops(version_loop, unroll_factor());
		return done.versioned ? TODO_cleanup_cfg : 0;
	}
};

class locals_pass : public gimple_opt_pass {
  public:
	locals_pass() : gimple_opt_pass(locals_data, g) {
	}
	bool gate(function *) final override {
		return !optimize && covers_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		version_loops_of_locals();
		return done.versioned ? TODO_cleanup_cfg : 0;
	}
};

class report_pass : public gimple_opt_pass {
  public:
	report_pass() : gimple_opt_pass(report_data, g) {
	}
	bool gate(function *) final override {
		return covers_p(current_function_decl);
	}
	unsigned execute(function *) final override {
		report(current_function_decl);
		memset(&done, 0, sizeof done);
		return 0;
	}
};

void ifr_alias_check_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new arrays_pass(), PASS_POS_INSERT_BEFORE, "ivopts");
	gcc_register_pass(new locals_pass(), PASS_POS_INSERT_AFTER, "optimized");
	gcc_register_pass(new report_pass(), PASS_POS_INSERT_AFTER, locals_data.name);
}
