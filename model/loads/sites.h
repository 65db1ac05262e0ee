/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loads of a trace: its instructions that read data. Blocks of a trace overlap where code is entered at several
 * places, so that one instruction may be in many of them. */
#ifndef IFR_MODEL_LOAD_SITES_H
#define IFR_MODEL_LOAD_SITES_H

#include "model/trace/trace.h"

#define IFR_NO_LOAD UINT32_MAX

/* A load, by its first place in the trace. */
struct ifr_load_site {
	uint32_t block, access; /* of the trace */
	uint64_t normalised;    /* of the last byte of the instruction */
};

struct ifr_load_sites {
	struct ifr_load_site *items;
	size_t count;
	uint32_t *of_access; /* by access of the trace: the load's number; IFR_NO_LOAD: not of a load */
	/* By block of the trace: number of its code, from 1 on, the same for blocks that differ in their accesses only; 0:
	 * a further iteration of a string instruction, which is no basic block of its own. */
	uint32_t *codes;
};

/* Finds the loads of a trace; the caller releases them. */
void ifr_load_sites_find(const struct ifr_trace *trace, struct ifr_load_sites *sites);
void ifr_load_sites_release(struct ifr_load_sites *sites);

#endif
