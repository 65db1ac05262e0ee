/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running campaign, shared by the files that carry it out: campaign.c prepares and ends it, settings.c says what
 * it is, reference.c learns what the program does as it ships, measure.c runs it. */
#ifndef IFR_HARNESS_CAMPAIGN_STATE_H
#define IFR_HARNESS_CAMPAIGN_STATE_H

#include "harness/experiment/campaign.h"
#include "harness/experiment/experiment.h"
#include "harness/experiment/library.h"
#include "harness/launch/launch.h"

struct campaign_state {
	struct ifr_campaign *plan;
	struct ifr_experiment *experiment;
	struct ifr_counters *counters;
	struct ifr_strings environment;
	struct ifr_library library;            /* of the campaign's user, if there is one */
	struct ifr_strings launch_environment; /* of the launch under way, with its variant of the library */
	char *folder;                          /* of the variants */
	int lock;
	int cpu;
	int64_t deadline_ns;                   /* of the budget, on CLOCK_MONOTONIC; INT64_MAX without */
	char reference_digest[IFR_SHA256_HEX]; /* of the output; "" if it is not compared */
	int64_t reference_ns;                  /* how long a run takes */
	int64_t timeout_ns;
	uint64_t *stack_bytes; /* of each variant, like the next two */
	uint64_t *load_pages;
	char **runtime; /* settings; NULL where no variant has any */
	unsigned ready; /* variants 0 … ready-1 are made */
};

int64_t campaign_now_ns(void);

/* Writes what this campaign is into a new experiment, or compares it with an existing one. */
int campaign_settle(struct campaign_state *state, struct ifr_error *err);
/* The launch of one variant, whose file is at path; valid until the next one. */
int campaign_launch(struct campaign_state *state, unsigned variant, const char *path, unsigned pass,
                    struct ifr_launch *launch, struct ifr_error *err);
/* Runs the program as it ships twice, unless the experiment knows the outcome already. */
int campaign_reference(struct campaign_state *state, struct ifr_error *err);
/* Runs whatever is not in the experiment yet. */
int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
