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

struct ifr_core_site {
	uint64_t normalised;
	bool loads, branches;
};

/* Lists the instructions of a trace for a machine with a core; the caller frees them. Errors: those of
 * ifr_decoder_new. */
int ifr_core_sites_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        struct ifr_core_site **sites, size_t *count, struct ifr_error *err);

#endif
