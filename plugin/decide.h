/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's decisions, as functions of the seed and of names alone (common/random.h): nothing here knows GCC.
 *
 * A function is known by its key, which is its assembler name without what the compiler numbers at will. So a
 * function that did not change keeps its decisions when another is added. */
#ifndef IFR_PLUGIN_DECIDE_H
#define IFR_PLUGIN_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the key of an assembler name into key, which is cleared first. Left out are a leading '*' (GCC's mark for
 * a name given by the user), the ".N" that numbers C's local functions over the whole unit, ".lto_priv.N", and
 * what follows _GLOBAL__sub_I or _GLOBAL__sub_D, which may be a path. Numbers of clones (foo.constprop.0) count
 * per function and stay. */
void ifr_decide_key(const char *assembler_name, struct ifr_buffer *key);

/* Bytes of nops at a place: 0, or 1 … max at rate percent of the places. The ordinal numbers the places of the
 * function from 0. Depends on the seed of nops, the key and the ordinal. */
unsigned ifr_decide_nops_bytes(const struct ifr_axis_setting *nops, const char *key, unsigned ordinal);

/* Alignment of a function in bytes: one of the powers of two from least_bytes (a power of two: what the compiler
 * gives it) to the parameter `functions`, each as likely; least_bytes if the parameter is below. */
unsigned ifr_decide_function_alignment_bytes(const struct ifr_axis_setting *align, const char *key,
                                             unsigned least_bytes);

/* Alignment of the ordinal-th loop of a function in bytes: one of the powers of two from 1 to the parameter
 * `loops`, each as likely. */
unsigned ifr_decide_loop_alignment_bytes(const struct ifr_axis_setting *align, const char *key, unsigned ordinal);

/* One function in the order of a unit. */
struct ifr_order_entry {
	uint64_t rank;
	char *name;  /* assembler name */
	void *thing; /* the caller's */
};

/* The functions of a unit in their new order. A zeroed one is empty. */
struct ifr_order {
	struct ifr_order_entry *entries;
	size_t count, capacity;
};

void ifr_order_release(struct ifr_order *order);

/* Adds a function; its rank depends on the seed and on its name's key alone. */
void ifr_order_add(struct ifr_order *order, uint64_t seed, const char *name, void *thing);

/* Puts the entries into their order: by rank, then by name. */
void ifr_order_sort(struct ifr_order *order);

/* How many entries of a sorted order come before a function of that name: its own index if it was added. */
size_t ifr_order_position(const struct ifr_order *order, uint64_t seed, const char *name);

enum { IFR_SUBSECTION_LAST = 8192 }; /* the assembler's largest subsection number */

/* The subsection of the function at a position: 1 … IFR_SUBSECTION_LAST - 1, ascending, and a different one for
 * each as long as there are enough of them. */
unsigned ifr_order_subsection(const struct ifr_order *order, size_t position);

#ifdef __cplusplus
}
#endif
#endif
