/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work on a cluster: cut into pieces, which are files; submitted to Slurm; gathered into one result.
 *
 * Two kinds of work are spread. A piece of a campaign is a chunk of the layouts in one repetition; a piece of a replay is
 * a chunk of the layouts on all machines of the replay. Commands know neither: ifr_campaign_run and ifr_replay_plans hand
 * their work over where a cluster was chosen. A piece knows nothing but the folder of pieces, on a file system that all
 * nodes share, and its number:
 *
 *     FOLDER.pieces/campaign      the kind of work, the bundle's SHA-256, chunks: a line each
 *     FOLDER.pieces/SHA.bundle    all that a piece needs: programs, kits, inputs, the experiment; or trace and plans
 *     FOLDER.pieces/NUMBER.result the result of the piece, such as its experiment; there whole or not at all
 *     FOLDER.pieces/NUMBER.done   instead of it, once the submitting process has taken it over
 *     FOLDER.pieces/NUMBER.failed instead of it: why there is none
 *
 * These files are the whole state, and Slurm's list of jobs says which pieces are under way. So the submitting process
 * may die at any moment, and a piece may run twice: runs have identities (store/merge.h) and count once, and a replay
 * gives the same bytes. */
#ifndef IFR_HARNESS_CLUSTER_H
#define IFR_HARNESS_CLUSTER_H

#include "common/buffer.h"
#include "harness/campaign/campaign.h"
#include "harness/simulate/simulate.h"

enum { IFR_CLUSTER_KINDS = 16 };

struct ifr_cluster {
	char *partition, *account, *time_limit; /* as sbatch takes them; NULL: not given */
	char *constraints[IFR_CLUSTER_KINDS];   /* kinds of nodes: each measures all repetitions */
	unsigned kinds;                         /* at least 1; constraints[0] NULL: any node */
	unsigned chunks;                        /* of a repetition; 0: pieces of ten minutes at most */
	unsigned cores;                         /* of a piece */
	struct ifr_buffer *dry_run;             /* gets what would be submitted, instead; NULL: it is submitted */
	void (*say)(const char *text);          /* notes for the user; may be NULL */
};

/* Parses slurm[:KEY=VALUE,…]; constraint may be given several times. Errors: IFR_E_USAGE. The caller releases. */
int ifr_cluster_parse(const char *text, struct ifr_cluster *cluster, struct ifr_error *err);
void ifr_cluster_release(struct ifr_cluster *cluster);

/* Carries out a campaign on campaign->cluster; for campaign->spread. Repetitions are those of each kind. In a dry run,
 * the program runs as it ships, here, to tell the costs. Errors: as ifr_campaign_run, and IFR_E_ENVIRONMENT for a Slurm
 * that refuses, or pieces that fail again and again: what came is in the experiment. */
int ifr_cluster_run(const struct ifr_campaign *campaign, struct ifr_campaign_result *result,
                    struct ifr_error *err);

/* Replays on replay->cluster; for replay->spread. The pieces lie beside the trace. Errors: those of ifr_replay_plans and
 * of Slurm, as above. */
int ifr_cluster_replay(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                       struct ifr_counts *counters, struct ifr_error *err);

/* The piece on its node. Prepares: a private folder of this node's, in which the bundle is unpacked once. */
struct ifr_piece {
	char *folder;  /* of the pieces */
	char *cache;   /* of this node */
	char *bundle;  /* there */
	char *scratch; /* of this process; removed in the end */
	unsigned number, chunks;
	bool replays; /* a piece of a replay; else of a campaign */
};

/* Finds the campaign of the folder, and fetches its bundle unless this node has it; it must have the recorded digest. */
int ifr_piece_open(const char *folder, unsigned number, struct ifr_piece *piece, struct ifr_error *err);
/* Whether the piece's result is there already. */
bool ifr_piece_is_done(const struct ifr_piece *piece);
/* Replays the piece's layouts into file. Errors: those of ifr_replay_plans. */
int ifr_piece_replay(const struct ifr_piece *piece, const char *file, struct ifr_error *err);
/* Gives the folder the piece's result, or the reason why there is none. */
int ifr_piece_publish(const struct ifr_piece *piece, const char *file, struct ifr_error *err);
void ifr_piece_fail(const struct ifr_piece *piece, const char *message);
void ifr_piece_release(struct ifr_piece *piece);

#endif
