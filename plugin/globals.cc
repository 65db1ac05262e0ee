/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis globals: permutes a unit's variables and raises their alignments.
 *
 * - Order: GCC writes variables behind all functions, in the order of its symbol table, where movable variables
 *   exchange their places. Where GCC keeps the order of the source (as at -O0), it writes symbols by their numbers,
 *   and the variables exchange these.
 * - Alignments are raised when the last function has been compiled: no code can rely on them.
 *
 * Left where they are: variables with a section, in COMDAT groups, thread-local, in common blocks, with the
 * attribute no_reorder or retain, constants that GCC made, and all variables under an explicit
 * -fno-toplevel-reorder or where GCC keeps the source's order and the unit has top-level asm statements. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static struct ifr_unit *unit;
static unsigned functions_left; /* to be compiled, at least */

static bool movable_p(varpool_node *node) {
	tree decl = node->decl;
	if (!node->definition || node->alias || node->in_other_partition || DECL_EXTERNAL(decl) ||
	    DECL_HARD_REGISTER(decl) || DECL_HAS_VALUE_EXPR_P(decl))
		return false;
	if (DECL_COMDAT_GROUP(decl) || DECL_ONE_ONLY(decl) || DECL_THREAD_LOCAL_P(decl) || DECL_COMMON(decl) ||
	    DECL_IN_CONSTANT_POOL(decl) || DECL_VIRTUAL_P(decl) ||
	    (DECL_SECTION_NAME(decl) && !node->implicit_section))
		return false;
	if (lookup_attribute("no_reorder", DECL_ATTRIBUTES(decl)) || lookup_attribute("retain", DECL_ATTRIBUTES(decl)))
		return false;
	return ifr_decide_covers(&unit->note.plan, IFR_AXIS_GLOBALS, ifr_entity_of(unit, decl));
}

/* A movable variable. GCC removes the node if the variable turns out unused. */
struct candidate {
	varpool_node *node;
	uint64_t rank;
	char *name;
	unsigned aligned_bytes; /* 0: as compiled */
};
static struct candidate *candidates;
static size_t candidate_count;

static int by_rank(const void *a, const void *b) {
	const struct candidate *x = (const struct candidate *)a, *y = (const struct candidate *)b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint64_t rank_of(tree decl) {
	uint64_t seed = unit->note.plan.axis[IFR_AXIS_GLOBALS].seed;
	return ifr_decide_rank(seed, IFR_AXIS_GLOBALS, gcc_assembler_name(decl));
}

static void collect_candidates() {
	size_t room = 0;
	varpool_node *node;
	FOR_EACH_VARIABLE(node) {
		if (!movable_p(node))
			continue;
		if (candidate_count == room)
			candidates = XRESIZEVEC(struct candidate, candidates, room = room ? 2 * room : 64);
		char *name = xstrdup(gcc_assembler_name(node->decl));
		candidates[candidate_count++] = {node, rank_of(node->decl), name, 0};
	}
}

/* Puts the candidates, in their new order, into the positions that they have in the symbol table's list. */
static void permute_list(symtab_node *const *positions) {
	auto_vec<symtab_node *> all;
	size_t placed = 0;
	for (symtab_node *node = symtab->nodes; node; node = node->next)
		all.safe_push(placed < candidate_count && node == positions[placed] ? candidates[placed++].node : node);
	for (unsigned i = 0; i < all.length(); i++) {
		all[i]->previous = i ? all[i - 1] : NULL;
		all[i]->next = i + 1 < all.length() ? all[i + 1] : NULL;
	}
	symtab->nodes = all[0];
}

static void permute_numbers(const int *numbers) {
	for (size_t i = 0; i < candidate_count; i++)
		candidates[i].node->order = numbers[i];
}

static void permute_candidates() {
	symtab_node **positions = XNEWVEC(symtab_node *, candidate_count);
	int *numbers = XNEWVEC(int, candidate_count);
	for (size_t i = 0; i < candidate_count; i++) {
		positions[i] = candidates[i].node;
		numbers[i] = candidates[i].node->order;
	}
	qsort(candidates, candidate_count, sizeof *candidates, by_rank);
	if (flag_toplevel_reorder)
		permute_list(positions);
	else
		permute_numbers(numbers);
	XDELETEVEC(positions);
	XDELETEVEC(numbers);
}

static void align_variable(varpool_node *node) {
	struct candidate wanted = {node, rank_of(node->decl), CONST_CAST(char *, gcc_assembler_name(node->decl)), 0};
	struct candidate *found =
		(struct candidate *)bsearch(&wanted, candidates, candidate_count, sizeof *candidates, by_rank);
	if (!found)
		return;
	const struct ifr_entity *variable = ifr_entity_of(unit, node->decl);
	unsigned least = DECL_ALIGN_UNIT(node->decl) ? DECL_ALIGN_UNIT(node->decl) : 1;
	unsigned bytes = ifr_decide_variable_alignment_bytes(&unit->note.plan.axis[IFR_AXIS_GLOBALS],
	                                                     ifr_buffer_text(&variable->key), least);
	if (bytes <= least || bytes * BITS_PER_UNIT > MAX_OFILE_ALIGNMENT)
		return;
	SET_DECL_ALIGN(node->decl, bytes * BITS_PER_UNIT);
	found->aligned_bytes = bytes;
}

static void align_variables() {
	varpool_node *node;
	FOR_EACH_VARIABLE(node)
	align_variable(node);
}

static unsigned count_functions_left() {
	unsigned count = 0;
	cgraph_node *node;
	FOR_EACH_DEFINED_FUNCTION(node)
	count += node->process && node->decl != current_function_decl;
	return count;
}

static bool code_follows_p() {
	cgraph_node *node;
	FOR_EACH_DEFINED_FUNCTION(node)
	if (node->has_gimple_body_p())
		return true;
	return false;
}

/* Runs between the decisions about the whole unit and the compilation of its functions. */
static void order_variables(void *, void *) {
	if (flag_wpa || (flag_generate_lto && !flag_fat_lto_objects))
		return;
	if (!flag_toplevel_reorder && (global_options_set.x_flag_toplevel_reorder || symtab->first_asm_symbol()))
		return;
	collect_candidates();
	if (!candidate_count)
		return;
	permute_candidates();
	/* Where GCC keeps the source's order, variables are written before the functions. */
	if (!flag_toplevel_reorder || !code_follows_p())
		align_variables();
}

static const pass_data globals_data = {RTL_PASS, "interfero_globals", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class globals_pass : public rtl_opt_pass {
  public:
	globals_pass() : rtl_opt_pass(globals_data, g) {
	}
	bool gate(function *) final override {
		return flag_toplevel_reorder;
	}
	/* Counts again only when as many functions as were left have passed: counting behind each would take
	 * quadratic time. */
	unsigned execute(function *) final override {
		static bool done;
		if (functions_left)
			functions_left--;
		if (!functions_left && !done) {
			functions_left = count_functions_left();
			done = !functions_left;
			if (done)
				align_variables();
		}
		return 0;
	}
};

/* Runs before the note is written. */
static void add_facts(void *, void *) {
	for (size_t i = 0; i < candidate_count; i++) {
		ifr_note_add_fact(&unit->note, true, candidates[i].name, IFR_FACT_ORDER, i + 1);
		if (candidates[i].aligned_bytes)
			ifr_note_add_fact(&unit->note, true, candidates[i].name, IFR_FACT_ALIGN, candidates[i].aligned_bytes);
		free(candidates[i].name);
	}
	XDELETEVEC(candidates);
	candidates = NULL;
	candidate_count = 0;
}

void ifr_globals_register(struct ifr_unit *compiled) {
	unit = compiled;
	gcc_register_pass(new globals_pass(), PASS_POS_INSERT_AFTER, "final");
	register_callback("interfero", PLUGIN_ALL_IPA_PASSES_END, order_variables, NULL);
	register_callback("interfero", PLUGIN_FINISH_UNIT, add_facts, NULL);
}
