/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of functions for the calls from which advised loads miss.
 *
 * Problem: a load that only misses if its function is called from one place, and whose address the caller cannot tell,
 * would need a prefetch in all calls. Idea: that call gets a copy of the function; the prefetches are the copy's
 * (Mowry and Luk 1997, section 6). The copy is a function of its own up to the end: it is neither inlined nor folded into
 * the original, which has the same body until prefetches are placed. */
#include "plugin/prefetch.h"

#include "tree-inline.h"

/* Whether some advised load of the function has an address that its callers cannot tell. */
static bool needed_p(struct prefetch_row *row, cgraph_node *callee) {
	auto_vec<gimple *> found;
	bool needed = false;
	push_cfun(DECL_STRUCT_FUNCTION(callee->decl));
	prefetch_find_loads(row, &found);
	for (unsigned i = 0; i < found.length(); i++)
		needed |= !prefetch_note_parameter(found[i], row);
	pop_cfun();
	return needed;
}

static bool copyable_p(struct prefetch_row *row, cgraph_node *callee) {
	return callee->definition && !callee->alias && !callee->thunk && callee->has_gimple_body_p() &&
	       gimple_has_body_p(callee->decl) && DECL_STRUCT_FUNCTION(callee->decl)->cfg &&
	       prefetch_names_p(callee->decl, row->advice->function, row->advice->file) &&
	       tree_versionable_function_p(callee->decl) &&
	       !lookup_attribute("noclone", DECL_ATTRIBUTES(callee->decl));
}

/* The copies so far: several loads of a function share the copy for one call. */
static auto_vec<tree> copies;

/* Gives the calls of one function a copy of it. */
static void copy_function(struct prefetch_row *row, cgraph_node *callee, vec<cgraph_edge *> calls) {
	cgraph_node *copy =
		callee->create_version_clone_with_body(calls, NULL, NULL, NULL, NULL, "prefetched", NULL_TREE);
	if (!copy)
		return;
	DECL_UNINLINABLE(copy->decl) = 1;
	DECL_ATTRIBUTES(copy->decl) = tree_cons(get_identifier("no_icf"), NULL_TREE, DECL_ATTRIBUTES(copy->decl));
	row->copy = copy->decl;
	copies.safe_push(copy->decl);
	for (unsigned i = 0; i < calls.length(); i++) {
		push_cfun(DECL_STRUCT_FUNCTION(calls[i]->caller->decl));
		cgraph_edge::redirect_call_stmt_to_callee(calls[i]);
		update_ssa(TODO_update_ssa);
		pop_cfun();
	}
}

void prefetch_copy_function(struct prefetch_row *row) {
	vec<cgraph_edge *> calls = vNULL;
	cgraph_node *caller;
	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(caller) {
		if (!DECL_STRUCT_FUNCTION(caller->decl)->cfg)
			continue;
		for (cgraph_edge *call = caller->callees; call; call = call->next_callee) {
			tree function = prefetch_source_function_of(call->call_stmt, caller->decl);
			if (call->callee != caller && copyable_p(row, call->callee) &&
			    (calls.is_empty() || calls[0]->callee == call->callee) &&
			    prefetch_calls_from_p(row, call->call_stmt, function))
				calls.safe_push(call);
		}
	}
	if (!calls.is_empty() && copies.contains(calls[0]->callee->decl))
		row->copy = calls[0]->callee->decl;
	else if (!calls.is_empty() && needed_p(row, calls[0]->callee))
		copy_function(row, calls[0]->callee, calls);
	calls.release();
}
