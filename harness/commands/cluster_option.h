/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --on and --dry-run, of every command that measures or replays. */
#ifndef IFR_HARNESS_CLUSTER_OPTION_H
#define IFR_HARNESS_CLUSTER_OPTION_H

#include "harness/cluster/cluster.h"

/* Rows of an option table. */
#define CLUSTER_OPTION(on, group)                                                                                 \
	{                                                                                                             \
		"on", on, "slurm[:KEY=VALUE,...]", 0,                                                                     \
			"Work on the nodes of a cluster, in jobs of Slurm; the same command goes on with what is submitted. " \
			"Keys: partition, account, time; constraint (several: each kind of nodes makes all runs of -r); "     \
			"cores of a piece (1); pieces of a repetition, or of a replay. The folder of the results must be "    \
			"that of all nodes",                                                                                  \
			group                                                                                                 \
	}
#define CLUSTER_OPTIONS(on, dry_run, group)                                                                \
	CLUSTER_OPTION(on, group), {                                                                           \
		"dry-run", dry_run, NULL, 0, "With --on: print what would be submitted, and the core hours", group \
	}

/* Chooses the cluster of --on, and a dry run of it; --dry-run may come first. Errors: IFR_E_USAGE. */
int cluster_option(const char *text, struct ifr_cluster **cluster, struct ifr_error *err);
int cluster_option_dry_run(struct ifr_cluster **cluster, struct ifr_error *err);
/* A dry run that is of no cluster is refused. */
int cluster_option_check(const struct ifr_cluster *cluster, bool spread, struct ifr_error *err);
/* Prints what a dry run would submit; nothing without one. */
int cluster_option_print(const struct ifr_cluster *cluster, struct ifr_error *err);
void cluster_option_release(struct ifr_cluster **cluster);

#endif
