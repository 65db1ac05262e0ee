/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detailed samples by instruction. Private to this folder. */
#ifndef IFR_MODEL_SHOTGUN_DATABASE_H
#define IFR_MODEL_SHOTGUN_DATABASE_H

#include "model/shotgun/samples.h"

/* Bits around an instruction; unknown: of instructions without bits 1 and 2, absent: without any. */
struct shotgun_context {
	uint32_t does, suffers, parity, unknown, absent;
};

/* An instruction that has samples: the first of them, and how many have which own bits. */
struct shotgun_instruction {
	uint64_t at;
	size_t first;
	uint32_t counts[4];
};

struct shotgun_database {
	struct ifr_shotgun_detail *details; /* by instruction, then by its own bits */
	uint64_t *words;                    /* by detail: the bits around it */
	size_t count;
	bool partial;                             /* some detail has bits that are unknown or absent */
	struct shotgun_instruction *instructions; /* by their addresses */
	size_t instructions_count;
};

/* Copies the details. */
void shotgun_database_init(struct shotgun_database *database, const struct ifr_shotgun_samples *samples);
void shotgun_database_release(struct shotgun_database *database);
/* Finds the sample of an instruction whose own bits 1 and 2 are those of a context, or else any, with most bits in
 * common; where its own bits are not known, of all. Of several, `draw` decides. NULL: the instruction has
 * none. exact: whether all known bits are the same. */
const struct ifr_shotgun_detail *shotgun_database_find(const struct shotgun_database *database, uint64_t at,
                                                       const struct shotgun_context *context, uint64_t draw,
                                                       bool *exact);
/* Lists the samples of an instruction. Returns the first of *count. */
const struct ifr_shotgun_detail *shotgun_database_list(const struct shotgun_database *database, uint64_t at,
                                                       size_t *count);
/* Counts bits of a sample that differ from those of a context, as far as both are known. That an instruction has none
 * tells something, too: it is no branch. */
int shotgun_count_different(const struct ifr_shotgun_detail *detail, const struct shotgun_context *context);

#endif
