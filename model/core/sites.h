/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of a trace, numbered as the program of a core has them (model/core/program.h): the same instruction
 * has a number in each block, and in each form of a block, that has it. */
#ifndef IFR_MODEL_CORE_SITES_H
#define IFR_MODEL_CORE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ifr_machine;
struct ifr_trace;

/* Sites: sets of instructions that can be idealised as causes of their own (IFR_CAUSES + the number of the site).
 *   all        its operations take 0 cycles, its data and code are in the first caches and TLBs, its branches are
 *              predicted and in the first BTB
 *   loads      only its loads, of each instruction
 *   branches   only its branches
 *   delayed    the other way round: results of its instructions take a cycle longer
 * Slots, ports and the window are as before. */
struct ifr_site_marks {
	const uint16_t *of; /* by instruction: bit n: it belongs to site n */
	size_t count;
	uint16_t loads, branches, delayed; /* sites of that kind; the others are all of their instructions */
};

struct ifr_core_site {
	uint64_t normalised;
	uint64_t branch; /* of its branch: another than `normalised` where a test and a jump are fused */
	uint32_t block;
	bool fused; /* of the form of a block in which they are; each block has the other form, too */
	bool loads, branches;
};

/* Lists the instructions of a trace for a machine with a core; the caller frees them. Errors: those of
 * ifr_decoder_new. */
int ifr_core_sites_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        struct ifr_core_site **sites, size_t *count, struct ifr_error *err);

struct ifr_core_program;
/* Marks the operations of a program. */
void ifr_core_program_mark(struct ifr_core_program *program, const struct ifr_site_marks *marks);

#endif
