/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored values that loads take at rename.
 *
 * Problem: a value that is spilled and loaded again costs no cycles on some cores: at rename they find that the load
 * names the memory that a recent store names, and take the stored register.
 * Idea: a name is a base register, a displacement, and how often the register was written. A store keeps its name; a load
 * of the same name takes its value. What moves the stack pointer by a constant changes no name: displacements count from
 * where it was last written otherwise.
 * Invariant: names follow from the instructions alone, so they are the same in all layouts.
 *
 * Ref: A. Fog, "Surprising new feature in AMD Ryzen 3000" (2020): general registers; push and pop are followed, absolute
 * and rip-relative addresses are not. On Zen 5 measured with tests/bench/blocks_run: without an index, by the same base
 * register, to which nothing was added, though it be 0; of any width, but not where movzx or movsx extends 8 or 16 bits;
 * with up to 12 other stores in between. On Zen 4 measured likewise: of 32 and 64 bits, not where they are extended or an
 * operand that is only read, with up to 15 other stores in between; with an index, too, which names here have not, and
 * through another register where all pairs of the code have one address. */
#ifndef IFR_MODEL_CORE_NAMES_H
#define IFR_MODEL_CORE_NAMES_H

#include <stdint.h>

#include "model/core/program.h"

enum { NAMES_KEPT = 64 };

struct ifr_names {
	uint32_t written[IFR_REGISTERS]; /* how often */
	int64_t stack;                   /* bytes by which the stack pointer was moved */
	struct {
		int64_t displacement;
		uint32_t written, store; /* number of the store; 0: none */
		uint8_t base, bytes;
	} kept[NAMES_KEPT]; /* by number, a ring */
};

static inline int64_t names_displacement(const struct ifr_names *names, const struct ifr_core_op *op) {
	return op->displacement + (op->name == IFR_REGISTER_STACK_POINTER ? names->stack : 0);
}

/* Keeps the name of a store. */
static inline void names_keep(struct ifr_names *names, const struct ifr_core_op *op, uint32_t store) {
	const uint32_t at = store % NAMES_KEPT;
	names->kept[at].displacement = names_displacement(names, op);
	names->kept[at].written = names->written[op->name];
	names->kept[at].store = op->name ? store : 0;
	names->kept[at].base = op->name;
	names->kept[at].bytes = op->name_bytes;
}

/* Finds the youngest of the last `most` stores that a load names; 0: none. last: number of the last one. */
static inline uint32_t names_find(const struct ifr_names *names, const struct ifr_core_op *op, uint32_t last,
                                  unsigned most) {
	const int64_t displacement = names_displacement(names, op);
	for (uint32_t store = last; store && last - store < most; store--) {
		const uint32_t at = store % NAMES_KEPT;
		if (names->kept[at].store == store && names->kept[at].base == op->name &&
		    names->kept[at].displacement == displacement && names->kept[at].written == names->written[op->name])
			return names->kept[at].bytes >= op->name_bytes ? store : 0;
	}
	return 0;
}

/* Follows what an operation writes. */
static inline void names_follow(struct ifr_names *names, const struct ifr_core_op *op) {
	names->stack += op->stack;
	for (unsigned i = 0; i < 3; i++)
		names->written[op->destinations[i]] += !op->stack || op->destinations[i] != IFR_REGISTER_STACK_POINTER;
}

#endif
