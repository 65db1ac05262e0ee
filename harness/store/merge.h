/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging: experiments of the same programs, layouts and conditions become one.
 *
 * A run has an identity: the experiment that first held it (fact "identity"), its variant, its repetition and pass
 * there, and whether it is the twin. A merge keeps identities (table origin), so that the same part twice, an overlapping
 * part, or an experiment that was merged before add nothing twice. Parts of a campaign share the campaign's identity:
 * a repetition that two nodes ran counts once. Machines may differ: each run keeps its node. */
#ifndef IFR_HARNESS_MERGE_H
#define IFR_HARNESS_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ifr_merge_result {
	uint64_t parts;
	uint64_t runs, samples; /* added */
	uint64_t held;          /* runs of the parts that were there already */
	uint64_t other;         /* of these, the ones that began at another time: the first stays */
};

/* Merges experiments into file. A new file is written whole or not at all; an existing one gets the runs that it lacks,
 * whole parts at a time. Bounded memory: nothing is held but SQLite's cache. Errors: IFR_E_USAGE for a part that another
 * program, other layouts, other options or other units made: then nothing is merged; IFR_E_ENVIRONMENT for the files. */
int ifr_experiment_merge(const char *file, char *const *parts, size_t count, struct ifr_merge_result *result,
                         struct ifr_error *err);

/* Merges pieces into the experiment of their campaign: the facts of the file stay as they are. */
int ifr_experiment_merge_pieces(const char *file, char *const *pieces, size_t count,
                                struct ifr_merge_result *result, struct ifr_error *err);

#endif
