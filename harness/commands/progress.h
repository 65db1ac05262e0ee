/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on a terminal's standard error. */
#ifndef IFR_HARNESS_PROGRESS_H
#define IFR_HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/campaign/campaign.h"

/* Whether to show progress: standard error is a terminal, and the command is not quiet. */
bool progress_wanted(bool quiet);
/* Draws the line for `done` of `planned` runs; left_ns: the expected time left, negative if unknown. */
void progress_show(unsigned done, unsigned planned, int64_t left_ns);
/* Draws the line for a recording. */
void progress_show_recording(const struct ifr_recording_progress *recording);
/* Draws the line for a replay, of which a share of 1 is done, after so much time. */
void progress_show_replay(double share, int64_t spent_ns);
/* Draws the line for a program's first run, which lasts. */
void progress_show_waiting(int64_t elapsed_ns);
/* Says a text in a line of its own, in the place of the progress line. */
void progress_say_over(const char *text);
/* Gives a campaign these lines, if they are wanted, and its notes for the user. */
void progress_follow(struct ifr_campaign *campaign, bool quiet);
/* Clears the line. */
void progress_clear(void);

#endif
