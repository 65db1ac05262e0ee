/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of pieces, as the submitting process sees it. Private to this room. */
#ifndef IFR_HARNESS_CLUSTER_PIECES_H
#define IFR_HARNESS_CLUSTER_PIECES_H

#include <stdbool.h>

#include "common/error.h"

/* A piece's state, by the files of the folder. */
enum piece_state { PIECE_OPEN, PIECE_MEASURED, PIECE_FAILED, PIECE_DONE };

struct pieces {
	char *folder;
	unsigned count;  /* of pieces; kinds of nodes take turns by repetition */
	unsigned chunks; /* of a campaign: of each repetition; of a replay: all */
};

/* The contents of a new folder. */
struct pieces_request {
	const char *name; /* NAME.pieces is the folder */
	unsigned count, chunks;
	bool replays;
	const char *cut; /* a line of what decides the pieces' numbers */
	int (*pack)(const void *data, const char *file, struct ifr_error *err); /* makes the bundle */
	const void *data;
};

/* The absolute path of the folder; the caller frees. */
char *pieces_folder(const char *name);
/* Makes the folder, or goes on with the one that is there: the same cut. A folder of another cut, as after -n or -r
 * grew, begins anew: pieces that were gathered are in the experiment. */
int pieces_make(const struct pieces_request *request, struct pieces *pieces, struct ifr_error *err);
void pieces_release(struct pieces *pieces);

char *piece_path(const char *folder, unsigned number, const char *ending);
enum piece_state piece_find(const struct pieces *pieces, unsigned number);
/* Notes that a measured piece was taken over. */
int piece_end(const struct pieces *pieces, unsigned number, struct ifr_error *err);
/* Notes that there is nothing to do for a piece. */
int piece_skip(const struct pieces *pieces, unsigned number, struct ifr_error *err);
/* Reads "campaign". *digest: for the caller to free. */
int pieces_read(const char *folder, char **digest, unsigned *chunks, bool *replays, struct ifr_error *err);

#endif
