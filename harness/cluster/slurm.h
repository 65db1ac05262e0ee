/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's commands. Private to this room. */
#ifndef IFR_HARNESS_CLUSTER_SLURM_H
#define IFR_HARNESS_CLUSTER_SLURM_H

#include "common/buffer.h"
#include "common/strings.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/pieces.h"

enum { SLURM_SLICE = 1000 }; /* numbers of one array: MaxArraySize is 1001 where nobody raised it */

/* The arguments of sbatch for some pieces of a slice, all of one kind; the caller releases them. */
void slurm_describe(const struct ifr_cluster *cluster, const struct pieces *pieces, const char *name,
                    unsigned kind, unsigned slice, const bool *wanted, struct ifr_strings *argv);
/* Submits them. Errors: IFR_E_ENVIRONMENT with sbatch's message. */
int slurm_submit(const struct ifr_strings *argv, struct ifr_error *err);

/* Finds the pieces of that name that wait or run: alive[number]. Ends jobs of pieces that are done: requeued ones, and
 * those of a controller that lost its last state. false: Slurm does not answer now. */
bool slurm_find(const char *name, const bool *done, bool *alive, unsigned count);
/* Ends all jobs of that name. */
void slurm_cancel(const char *name);

#endif
