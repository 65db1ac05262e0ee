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
	unsigned count;  /* repetitions of all kinds x chunks */
	unsigned chunks; /* of each repetition */
};

/* Makes the folder with the bundle of the experiment, or goes on with the one that is there: the same cut. A bundle of
 * another one, as after -n or -r grew, begins anew: pieces that were gathered are in the experiment. */
int pieces_make(const char *experiment, unsigned repetitions, unsigned chunks, struct pieces *pieces,
                struct ifr_error *err);
void pieces_release(struct pieces *pieces);

char *piece_path(const char *folder, unsigned number, const char *ending);
enum piece_state piece_find(const struct pieces *pieces, unsigned number);
/* Merges measured pieces into the experiment, all at once: opening it costs more than a piece. */
int pieces_gather(const struct pieces *pieces, const bool *measured, const char *experiment,
                  struct ifr_error *err);
/* Reads "campaign". *digest: for the caller to free. */
int pieces_read(const char *folder, char **digest, unsigned *chunks, struct ifr_error *err);

#endif
