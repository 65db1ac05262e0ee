/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decisions of the compile-time axes: functions of the seed and of names alone (common/random.h), without GCC.
 *
 * A function is hashed by its key: its assembler name without the numbers that GCC gives out over a whole unit. So
 * an unchanged function keeps its decisions when another one is added. */
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

/* A function or variable, with all that decisions depend on beside the seed. A zeroed entity is empty. */
struct ifr_entity {
	struct ifr_buffer key;
	/* The names that patterns match, parted by tabs: the assembler name first, then the name in the source, the
	 * qualified name of C++, and "@WORD" for each word of the attribute interfero (plugin/plugin.h). */
	struct ifr_buffer names;
	unsigned exempt_axes; /* axes that the attribute keeps away, 1u << enum ifr_axis */
	bool cold;            /* GCC takes the whole function for cold */
};

/* Resets an entity to one assembler name; ifr_entity_add_name adds the others. */
void ifr_entity_begin(struct ifr_entity *entity, const char *assembler_name);
void ifr_entity_add_name(struct ifr_entity *entity, const char *name);
/* Appends the exempt axes in the form that ifr_axes_parse reads. */
void ifr_entity_print_exempt(const struct ifr_entity *entity, struct ifr_buffer *text);
void ifr_entity_release(struct ifr_entity *entity);

/* Whether an axis may change an entity: the axis is on, its patterns cover a name, the entity is not exempt. */
bool ifr_decide_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct ifr_entity *entity);

/* Whether an axis changes functions that the plan names (only=) and no others: copies of code cost where nothing asks for
 * them. */
bool ifr_decide_by_name_alone(enum ifr_axis axis);

/* The hotness filter of the axis (nops or align), the parameter `heat`: whether the axis may change cold code, or
 * code that is not cold. */
bool ifr_decide_hotness(const struct ifr_plan *plan, enum ifr_axis axis, bool cold);

/* Writes the key of an assembler name into key, which is cleared first. The key leaves out:
 *
 *     *             in front: GCC's mark for a name that the user gave
 *     .N            behind the base name: C's local functions, numbered over the unit
 *     .lto_priv.N   local symbols that -flto numbers
 *     all text behind _GLOBAL__sub_I or _GLOBAL__sub_D, which may be a path
 *
 * Numbers of clones (foo.constprop.0) count per function and stay. */
void ifr_decide_key(const char *assembler_name, struct ifr_buffer *key);

/* Bytes of nops at a site: 1 … `max` at `rate` percent of the sites, else 0, and further ones at the site that the plan
 * gives. ordinal counts the sites of the function from 0. Depends on the axis's seed, the key and the ordinal. */
unsigned ifr_decide_nops_bytes(const struct ifr_axis_setting *nops, const char *key, unsigned ordinal);

/* Alignment of a function in bytes: a power of two from least_bytes (the compiler's own alignment, a power of two)
 * to the parameter `functions`, each as likely; least_bytes if the parameter is smaller. */
unsigned ifr_decide_function_alignment_bytes(const struct ifr_axis_setting *align, const char *key,
                                             unsigned least_bytes);

/* The same alignment after the plan's patterns, attributes and hotness filter; 0: the function keeps least_bytes. */
unsigned ifr_decide_align_function(const struct ifr_plan *plan, const struct ifr_entity *function,
                                   unsigned least_bytes);

/* The directives that carry out decisions: bytes, the binary logarithm of bytes, bytes. */
#define IFR_ALIGN_FUNCTION "\t.align %u"
#define IFR_ALIGN_LOOP ".p2align %u"
#define IFR_PUT_NOPS ".nops %u"

/* Alignment of the ordinal-th loop of a function in bytes: the value `loop-bytes` where the plan gives one above 0,
 * rounded down to a power of two; else a power of two from 1 to the parameter `loops`, each as likely. */
unsigned ifr_decide_loop_alignment_bytes(const struct ifr_axis_setting *align, const char *key, unsigned ordinal);

/* Extra bytes in the frame of a function: 0, or a multiple of 16 up to the parameter `max`, each as likely. */
unsigned ifr_decide_frame_bytes(const struct ifr_axis_setting *frames, const char *key);

/* Alignment of the stack at the entry of a function, in bytes: the value `align-bytes` where the plan gives one, rounded
 * down to a power of two; 0 where that is what the ABI has anyway (16). */
unsigned ifr_decide_stack_alignment_bytes(const struct ifr_axis_setting *frames);

/* Alignment of a variable in bytes: a power of two from least_bytes to the parameter `align`, each as likely. */
unsigned ifr_decide_variable_alignment_bytes(const struct ifr_axis_setting *globals, const char *key,
                                             unsigned least_bytes);

/* Iterations of a loop whose loads come before their stores in the version for aliasing addresses. No seed draws it. */
unsigned ifr_decide_alias_check_unroll(const struct ifr_axis_setting *alias_check);

/* Outcomes that a branch's history holds: loops with more trips are split. No seed draws it. */
unsigned ifr_decide_split_history(const struct ifr_axis_setting *split_loops);
/* Whether split-loops or duplicate-joins may change the loop or join of a line, counted from its function's. */
bool ifr_decide_line(const struct ifr_axis_setting *setting, int64_t line);

/* The rank of a function or variable under an axis that orders: a hash of the seed and the name's key. */
uint64_t ifr_decide_rank(uint64_t seed, enum ifr_axis axis, const char *assembler_name);

/* One function in the order of a unit. */
struct ifr_order_entry {
	uint64_t rank;
	char *name; /* assembler name */
	void *data; /* the caller's */
};

/* The functions of a unit in their new order. A zeroed order is empty. */
struct ifr_order {
	struct ifr_order_entry *entries;
	size_t count, capacity;
};

void ifr_order_release(struct ifr_order *order);

/* Adds a function under the rank of unit-order (ifr_decide_rank). */
void ifr_order_add(struct ifr_order *order, uint64_t seed, const char *name, void *data);

/* Sorts the entries by rank, then by name. */
void ifr_order_sort(struct ifr_order *order);

/* The number of entries of a sorted order in front of a function of that name: its index if it was added. */
size_t ifr_order_position(const struct ifr_order *order, uint64_t seed, const char *name);

enum { IFR_SUBSECTION_LAST = 8192 }; /* the assembler's largest subsection number */

/* The subsection of .text for the function at a position: 1 … IFR_SUBSECTION_LAST - 1, ascending. Functions share
 * subsections only where there are more functions than subsections. */
unsigned ifr_order_subsection(const struct ifr_order *order, size_t position);

#ifdef __cplusplus
}
#endif
#endif
