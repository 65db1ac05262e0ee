/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns on a cluster: cut into pieces, which are files; submitted to Slurm; gathered into the campaign's experiment.
 *
 * A piece is a chunk of the layouts in one repetition. It knows nothing but the folder of pieces, on a file system that
 * all nodes share, and its number:
 *
 *     EXPERIMENT.pieces/campaign      "interfero-pieces 1", the bundle's SHA-256, chunks of a repetition: a line each
 *     EXPERIMENT.pieces/SHA.bundle    programs, kits, inputs, and the experiment that says what is measured
 *     EXPERIMENT.pieces/NUMBER.exp    what the piece measured; there whole or not at all
 *     EXPERIMENT.pieces/NUMBER.done   instead of it, once its runs are in the experiment
 *     EXPERIMENT.pieces/NUMBER.failed instead of it: why there is none
 *
 * These files are the whole state, and Slurm's list of jobs says which pieces are under way. So the submitting process
 * may die at any moment, and a piece may run twice: runs have identities (store/merge.h) and count once. */
#ifndef IFR_HARNESS_CLUSTER_H
#define IFR_HARNESS_CLUSTER_H

#include "harness/campaign/campaign.h"

enum { IFR_CLUSTER_KINDS = 16 };

struct ifr_cluster {
	char *partition, *account, *time_limit; /* as sbatch takes them; NULL: not given */
	char *constraints[IFR_CLUSTER_KINDS];   /* kinds of nodes: each measures all repetitions */
	unsigned kinds;                         /* at least 1; constraints[0] NULL: any node */
	unsigned chunks;                        /* of a repetition; 0: pieces of ten minutes at most */
	unsigned cores;                         /* of a piece */
};

/* Parses slurm[:KEY=VALUE,…]; constraint may be given several times. Errors: IFR_E_USAGE. The caller releases. */
int ifr_cluster_parse(const char *text, struct ifr_cluster *cluster, struct ifr_error *err);
void ifr_cluster_release(struct ifr_cluster *cluster);

/* Carries out the campaign on the cluster; repetitions are those of each kind. Errors: as ifr_campaign_run, and
 * IFR_E_ENVIRONMENT for a Slurm that refuses, or pieces that fail again and again: what came is in the experiment. */
int ifr_cluster_run(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                    struct ifr_campaign_result *result, struct ifr_error *err);

/* Appends what would be submitted, and what it costs. Runs the program as it ships, here, for that. */
int ifr_cluster_describe(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                         struct ifr_buffer *text, struct ifr_error *err);

/* The piece on its node. Prepares: a private folder of this node's, in which the bundle is unpacked once. */
struct ifr_piece {
	char *folder;  /* of the pieces */
	char *cache;   /* of this node */
	char *bundle;  /* there */
	char *scratch; /* of this process; removed in the end */
	unsigned number, chunks;
};

/* Finds the campaign of the folder, and fetches its bundle unless this node has it; it must have the recorded digest. */
int ifr_piece_open(const char *folder, unsigned number, struct ifr_piece *piece, struct ifr_error *err);
/* Whether the piece's runs are there already. */
bool ifr_piece_is_done(const struct ifr_piece *piece);
/* Gives the folder the piece's experiment, or the reason why there is none. */
int ifr_piece_publish(const struct ifr_piece *piece, const char *experiment, struct ifr_error *err);
void ifr_piece_fail(const struct ifr_piece *piece, const char *message);
void ifr_piece_release(struct ifr_piece *piece);

#endif
