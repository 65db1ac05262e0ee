/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's decisions, as functions of the seed and of names alone (common/random.h): nothing here knows GCC.
 *
 * A function is known by its key, which is its assembler name without what the compiler numbers at will. So a
 * function that did not change keeps its decisions when another is added. */
#ifndef IFR_COMPILETIME_DECIDE_H
#define IFR_COMPILETIME_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What decisions depend on beside the seed: a function or a variable. A zeroed one is empty. */
struct ifr_entity {
	struct ifr_buffer key;
	/* The names that patterns may match, parted by tabs, the assembler's first; then the source's, the qualified
	 * one of C++, and "@WORD" for each word of the attribute interfero (plugin/plugin.h). */
	struct ifr_buffer names;
	unsigned off; /* axes that must leave it alone, 1u << enum ifr_axis */
	bool cold;    /* GCC holds the whole function for cold */
};

/* Begins a thing anew under an assembler name; the other names are added one by one. */
void ifr_entity_begin(struct ifr_entity *thing, const char *assembler_name);
void ifr_entity_add_name(struct ifr_entity *thing, const char *name);
/* Appends the axes that must leave it alone, as ifr_axes_parse reads them. */
void ifr_entity_print_exempt(const struct ifr_entity *thing, struct ifr_buffer *text);
void ifr_entity_release(struct ifr_entity *thing);

/* Whether an axis may change the thing: it is on, its patterns cover one of the names, no attribute forbids it. */
bool ifr_decide_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct ifr_entity *thing);

/* Whether the axis, nops or align, may change code that GCC holds for cold, or the other. */
bool ifr_decide_hotness(const struct ifr_plan *plan, enum ifr_axis axis, bool cold);

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

/* The alignment in bytes that the axis align of a plan gives a function, with patterns, attributes and heat seen
 * to; 0: the axis leaves it at least_bytes. */
unsigned ifr_decide_align_function(const struct ifr_plan *plan, const struct ifr_entity *function,
                                   unsigned least_bytes);

/* The directives that carry decisions out; loops by the logarithm. */
#define IFR_ALIGN_FUNCTION "\t.align %u"
#define IFR_ALIGN_LOOP ".p2align %u"
#define IFR_PUT_NOPS ".nops %u"

/* Alignment of the ordinal-th loop of a function in bytes: one of the powers of two from 1 to the parameter
 * `loops`, each as likely. */
unsigned ifr_decide_loop_alignment_bytes(const struct ifr_axis_setting *align, const char *key, unsigned ordinal);

/* Extra bytes in the frame of a function: 0, or a multiple of 16 up to the parameter `max`, each as likely. */
unsigned ifr_decide_frame_bytes(const struct ifr_axis_setting *frames, const char *key);

/* Alignment of a variable in bytes, by the rule of functions; the parameter is `align`. */
unsigned ifr_decide_variable_alignment_bytes(const struct ifr_axis_setting *globals, const char *key,
                                             unsigned least_bytes);

/* The rank of a thing in an axis that orders: it depends on the seed and on the key of the name alone. */
uint64_t ifr_decide_rank(uint64_t seed, enum ifr_axis axis, const char *assembler_name);

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
