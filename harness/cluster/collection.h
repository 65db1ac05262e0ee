/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces submitted, watched and gathered until all are there. Private to this room. */
#ifndef IFR_HARNESS_CLUSTER_COLLECTION_H
#define IFR_HARNESS_CLUSTER_COLLECTION_H

#include <stdint.h>

#include "harness/cluster/cluster.h"
#include "harness/cluster/pieces.h"

struct gathering {
	const struct ifr_cluster *cluster;
	struct pieces pieces;
	char *name;        /* of the jobs */
	int64_t budget_ns; /* 0: none */
	/* Takes the results of measured[count] pieces, perhaps again; NULL: they stay in the folder. */
	int (*take)(void *data, const bool *measured, struct ifr_error *err);
	/* Called after every look; left_ns is -1 while it is not known; may be NULL. */
	void (*show)(void *data, unsigned done, unsigned count, int64_t left_ns);
	void *data;

	bool *alive, *wanted, *measured, *over; /* over: done in an earlier look */
	unsigned *attempts;                     /* of this process */
	unsigned done, done_before;
	int64_t begun_ns;
	bool silent; /* Slurm does not answer */
};

/* Makes room for the pieces, which are there; the caller releases the gathering, with its name and its pieces. */
void gathering_begin(struct gathering *gathering);
/* Returns when all pieces are there, the budget has ended, or the user interrupts. */
int gathering_run(struct gathering *gathering, struct ifr_error *err);
bool gathering_is_whole(const struct gathering *gathering);
/* Appends the commands that would submit all pieces. */
void gathering_describe(const struct gathering *gathering, struct ifr_buffer *text);
void gathering_release(struct gathering *gathering);

#endif
