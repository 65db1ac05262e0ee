/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's part of a campaign: programs are recorded, and their recordings replayed. Private to the room. */
#ifndef IFR_HARNESS_MODEL_VALUES_H
#define IFR_HARNESS_MODEL_VALUES_H

#include "harness/campaign/state.h"

/* Checks that the model has the machine and can lay out the axes. Errors: IFR_E_USAGE. */
int campaign_check_model(const struct campaign_state *state, struct ifr_error *err);
/* Checks that alone of axes, as a mask. */
int campaign_check_model_axes(unsigned axes, struct ifr_error *err);
/* Whether "auto" has not decided on the model yet. */
bool campaign_auto_is_open(const struct campaign_state *state);
/* Adds the model's counters where "auto" chose them at the experiment's start. */
int campaign_adopt_model(struct campaign_state *state, struct ifr_error *err);
/* Records the programs for the model, after the reference runs. With "auto" on a machine without events of the
 * processor, decides on the model for the whole experiment: it is taken if the programs can be recorded and
 * replayed within a fifth of the budget, or of the measuring time. Where the budget has no time for a recording, the
 * campaign goes on without, and the result says so. */
int campaign_record_programs(struct campaign_state *state, struct ifr_campaign_result *result,
                             struct ifr_error *err);
/* With one program: takes the recording of a sibling that recorded the same, where there is one. */
int campaign_share_recording(struct campaign_state *state, struct ifr_error *err);
/* Whether the recording of the first program is that of a program, which differs from it by a cure alone; links
 * it beside the experiment, and returns whether it did. */
bool campaign_reuses_recording(const struct campaign_state *state, unsigned program);
bool campaign_reuse_recording(struct campaign_state *state, unsigned program);
/* The beginning of the warnings that a recording brings. */
#define CAMPAIGN_RECORDING_WARNING "The model's recording: "
/* The path of a program's recording; the caller frees. */
char *campaign_recording_path(const struct campaign_state *state, unsigned program);
/* Whether the experiment's recording of a program is there, of this call or an earlier one. */
bool campaign_has_recording(const struct campaign_state *state, unsigned program);
/* Reads the executed code of a program's recording into its state, and its instructions by class where these are asked
 * for (not NULL). */
int campaign_read_executed(struct campaign_state *state, unsigned program, struct ifr_buffer *classes,
                           struct ifr_error *err);

/* Notes why the budget has no time for a step of the model that is expected to take so long, and which has. */
void campaign_leave_model_out(const struct campaign_state *state, int64_t expected_ns, const char *why,
                              struct ifr_campaign_result *result);
/* Whether a variant lacks the model's values. */
bool campaign_needs_model(const struct campaign_state *state, unsigned id);
/* Whether any variant of a program does, of those that are made. */
bool campaign_program_needs_model(const struct campaign_state *state, unsigned program);
/* Carries out the missing jobs in the model. */
int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
