/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the pass that places advised prefetches. */
#ifndef IFR_PLUGIN_PREFETCH_H
#define IFR_PLUGIN_PREFETCH_H

#include "plugin/gimple_passes.h"

#include "compiletime/compiletime.h"

/* An advised load, and what became of it in this unit. */
struct prefetch_row {
	const struct ifr_prefetch *advice;
	bool seen; /* its function is in this unit */
	unsigned placed;
	location_t where;
	const char *why; /* it has no prefetch */
	/* Of context=call: the load goes through a parameter, by number, so many bytes behind where it points to. */
	tree callee;
	unsigned parameter;
	HOST_WIDE_INT offset;
	tree copy; /* the copy of the callee for that call; NULL_TREE: none */
};

/* prefetch_loads.cc: whether a function, or one that was inlined into it, has the name and file of a row. */
bool prefetch_names_p(tree function, const char *name, const char *file);
/* The function in the source that a statement of a function comes from: that one, or one inlined into it. */
tree prefetch_source_function_of(gimple *statement, tree whole);
/* The same of a statement of the current function. */
static inline tree prefetch_source_function(gimple *statement) {
	return prefetch_source_function_of(statement, current_function_decl);
}
/* Whether a call in a function of the source is the one from which the row's load misses. */
bool prefetch_calls_from_p(const struct prefetch_row *row, gimple *call, tree function);
/* Adds the statements of the current function that load what the row names; marks the row as seen. */
void prefetch_find_loads(struct prefetch_row *row, vec<gimple *> *found);

/* prefetch_place.cc: put a prefetch behind an advised load, or in front of a call for the load in its callee. loops:
 * GCC's analyses of loops are there. Return why not, or NULL. */
const char *prefetch_place_load(gimple *load, struct prefetch_row *row, bool loops);
const char *prefetch_place_call(gimple *call, struct prefetch_row *row);
/* Notes a load behind a parameter, whose prefetch stands before the call, for the callers, which GCC compiles later.
 * Returns false for other loads. */
bool prefetch_note_parameter(gimple *load, struct prefetch_row *row);

/* prefetch_clone.cc: gives the call that the row names a copy of its function, if the row's load needs one. */
void prefetch_copy_function(struct prefetch_row *row);

/* The address of a place in memory ahead of time: prefetch_address.cc. */
struct prefetch_address {
	class loop *loop;      /* NULL: none */
	gimple *at;            /* the values that are known there are known to the prefetch */
	bool executed;         /* `at` is a load that was carried out where the prefetch stands */
	unsigned distance;     /* iterations ahead */
	gimple_seq statements; /* that compute the address */
	unsigned count;
	bool moved;  /* some value is another one ahead */
	bool chased; /* some value was loaded by way of a pointer, and may be none */
	const char *why;
};

/* Returns the address of a place in memory, by values ahead (of the iteration at `distance`, or the next one along a
 * recurrence), or NULL with a reason. */
tree prefetch_address_ahead(struct prefetch_address *address, tree reference);
/* The same of a value. */
tree prefetch_value_ahead(struct prefetch_address *address, tree value);
/* Returns a value that is loaded from behind a pointer that was followed at `at`: now, by a load that cannot fault. */
tree prefetch_value_now(struct prefetch_address *address, tree value);
/* The same of a place whose address is known at `at`: now. */
tree prefetch_address_now(struct prefetch_address *address, tree reference);
/* Returns a pointer, or another one where it is null: a prefetch of no page walks the page tables each time. */
tree prefetch_value_unless_null(struct prefetch_address *address, tree value, tree otherwise);
/* Returns the address of a place in memory whose pointer is replaced; the reference is one of prefetch_base. */
tree prefetch_address_behind(struct prefetch_address *address, tree reference, tree pointer);

/* Gives up the statements of an address that is not used. */
void prefetch_address_discard(struct prefetch_address *address);

/* The pointer by which a reference of constant offset begins, or NULL. */
tree prefetch_base(tree reference);

#endif
