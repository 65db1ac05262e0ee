/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places the prefetches that a profile advises (compiletime/prefetches.h).
 *
 * - The pass runs behind GCC's own loop transformations and before it chooses inductions, as GCC's pass for prefetches
 *   does; for functions that GCC looks for no loops in, late.
 * - What cannot be placed is told at the end of the unit, with the reason.
 * - The file of the advice is noted as a dependency, where dependencies are asked for (-MD): make then compiles again
 *   when it changes. */
#include "plugin/prefetch.h"

#include "plugin/passes.h"

/* Of C's and C++'s front ends; others have none. */
class mkdeps;
struct cpp_reader;
extern cpp_reader *parse_in __attribute__((weak));
class mkdeps *cpp_get_deps(cpp_reader *) __attribute__((weak));
void deps_add_dep(class mkdeps *, const char *) __attribute__((weak));

static struct ifr_unit *unit;
static struct prefetch_row *rows;
static tree visited; /* the last function that was looked at with its loops */

/* --- one function ------------------------------------------------------------------------------------------------ */

static void conclude(struct prefetch_row *row, gimple *statement, const char *why) {
	row->where = gimple_location(statement);
	row->placed += !why;
	row->why = why;
	if (!why)
		ifr_record_fact(unit, current_function_decl, IFR_FACT_PREFETCHES, 1);
}

static void place_loads(struct prefetch_row *row, bool loops) {
	auto_vec<gimple *> found;
	prefetch_find_loads(row, &found);
	for (unsigned i = 0; i < found.length(); i++)
		conclude(row, found[i], prefetch_place_load(found[i], row, loops));
}

/* Whether a statement is the call that the row's load depends on. */
static bool caller_p(gimple *statement, const struct prefetch_row *row) {
	return is_gimple_call(statement) && gimple_call_fndecl(statement) &&
	       DECL_ORIGIN(gimple_call_fndecl(statement)) == row->callee &&
	       prefetch_calls_from_p(row, statement, prefetch_source_function(statement));
}

static void place_calls(struct prefetch_row *row) {
	auto_vec<gimple *> found;
	basic_block block;
	FOR_EACH_BB_FN(block, cfun)
	for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
		if (caller_p(gsi_stmt(at), row))
			found.safe_push(gsi_stmt(at));
	for (unsigned i = 0; i < found.length(); i++)
		conclude(row, found[i], prefetch_place_call(found[i], row));
}

static unsigned place_all(bool loops) {
	unsigned before = 0, after = 0;
	calculate_dominance_info(CDI_DOMINATORS);
	for (size_t i = 0; i < unit->prefetches.count; i++) {
		struct prefetch_row *row = &rows[i];
		before += row->placed;
		place_loads(row, loops);
		if (row->callee && loops)
			place_calls(row);
		after += row->placed;
	}
	if (after == before)
		return 0;
	mark_virtual_operands_for_renaming(cfun);
	update_ssa(TODO_update_ssa);
	return TODO_cleanup_cfg;
}

/* AddressSanitizer would report the loads of addresses ahead, which may read between objects. */
static bool wanted_p() {
	return !(flag_sanitize & (SANITIZE_ADDRESS | SANITIZE_HWADDRESS | SANITIZE_THREAD));
}

static const pass_data clone_data = {
	SIMPLE_IPA_PASS, "interfero_prefetch_clones", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data prefetch_data = {
	GIMPLE_PASS, "interfero_prefetch", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};
static const pass_data late_prefetch_data = {
	GIMPLE_PASS, "interfero_prefetch_rest", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class clone_pass : public simple_ipa_opt_pass {
  public:
	clone_pass() : simple_ipa_opt_pass(clone_data, g) {
	}
	bool gate(function *) final override {
		return wanted_p() && optimize > 0;
	}
	unsigned execute(function *) final override {
		for (size_t i = 0; i < unit->prefetches.count; i++)
			if (rows[i].advice->context == IFR_PREFETCH_CALL)
				prefetch_copy_function(&rows[i]);
		return 0;
	}
};

class prefetch_pass : public gimple_opt_pass {
  public:
	prefetch_pass() : gimple_opt_pass(prefetch_data, g) {
	}
	bool gate(function *) final override {
		return wanted_p();
	}
	unsigned execute(function *) final override {
		visited = current_function_decl;
		unsigned todo = place_all(true);
		scev_reset();
		return todo;
	}
};

class late_prefetch_pass : public gimple_opt_pass {
  public:
	late_prefetch_pass() : gimple_opt_pass(late_prefetch_data, g) {
	}
	bool gate(function *) final override {
		return wanted_p() && visited != current_function_decl;
	}
	unsigned execute(function *) final override {
		return place_all(false);
	}
};

/* --- the unit ---------------------------------------------------------------------------------------------------- */

static void report(void *, void *) {
	for (size_t i = 0; i < unit->prefetches.count; i++)
		if (rows[i].seen && !rows[i].placed && rows[i].why)
			inform(rows[i].where, "interfero: no prefetch for a load of %s: %s", rows[i].advice->function,
			       rows[i].why);
	if (unit->prefetch_file && &parse_in && parse_in && cpp_get_deps && deps_add_dep && cpp_get_deps(parse_in))
		deps_add_dep(cpp_get_deps(parse_in), unit->prefetch_file);
}

void ifr_prefetch_register(struct ifr_unit *compiled) {
	unit = compiled;
	rows = XCNEWVEC(struct prefetch_row, unit->prefetches.count + 1);
	for (size_t i = 0; i < unit->prefetches.count; i++)
		rows[i].advice = &unit->prefetches.items[i];
	gcc_register_pass(new clone_pass(), PASS_POS_INSERT_AFTER, "opt_local_passes");
	gcc_register_pass(new prefetch_pass(), PASS_POS_INSERT_BEFORE, "ivopts");
	gcc_register_pass(new late_prefetch_pass(), PASS_POS_INSERT_BEFORE, "optimized");
	register_callback("interfero", PLUGIN_FINISH_UNIT, report, NULL);
}
