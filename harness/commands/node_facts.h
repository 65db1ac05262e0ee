/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a node beside its runs: the doctor's report, and a calibration by the program. Each is made once, not by
 * every piece, and kept in the cache of the node. */
#ifndef IFR_HARNESS_NODE_FACTS_H
#define IFR_HARNESS_NODE_FACTS_H

#include "harness/campaign/campaign.h"
#include "harness/cluster/cluster.h"
#include "harness/store/store.h"

/* Appends the doctor's report as JSON: one for each boot of the node. */
void node_checkup(const struct ifr_piece *piece, struct ifr_buffer *text);

/* Appends what `interfero calibrate --json` says of the campaign's first program here: one for each boot, program,
 * command and interfero. Its runs are few (node_facts.c), and of no campaign. Where another piece is at it, nothing is
 * appended: that piece brings it. A program that cannot be calibrated has {"unknown_because": "..."}. */
void node_calibrate(const struct ifr_piece *piece, const struct ifr_campaign *campaign,
                    const struct ifr_dataset *recorded, struct ifr_buffer *text);

/* Gives the experiment `file` the recorded campaign's identity, and its reference to compare runs with. The caller
 * closes *experiment, also behind a failure. */
int node_adopt_reference(const char *file, const struct ifr_dataset *recorded, struct ifr_experiment **experiment,
                         struct ifr_error *err);

#endif
