/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanism behind a found trigger of an audit: names from the recording beside its experiment. */
#ifndef IFR_HARNESS_CAMPAIGN_MECHANISM_H
#define IFR_HARNESS_CAMPAIGN_MECHANISM_H

#include "harness/analysis/analysis.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/simulate/simulate.h"

enum { IFR_MECHANISM_NAMED = 6 /* of a kind, at most */ };

/* Names by kind. Index 0 of layouts is the one of the lowest median, 1 that of the highest. */
struct ifr_mechanism {
	struct ifr_plan plans[2];
	bool has_plans; /* the trigger was found, and both layouts are known */
	struct ifr_named_aliases aliases;
	struct ifr_mechanism_changes {
		enum ifr_event event;
		struct ifr_named_changes named;
	} changes[IFR_EVENT_COUNT];
	size_t change_count;
	struct ifr_mechanism_conflicts {
		enum ifr_event event;
		struct ifr_named_conflicts named;
	} conflicts[IFR_EVENT_COUNT];
	size_t conflict_count; /* one for each structure: loads and stores meet in the same sets */
	struct ifr_named_loops loops;
};

/* Names what goes along with the metric (r > IFR_AUDIT_R) in a row that was found, and that the model can name:
 * pairs behind aliases, accesses across lines and pages, blocks that enter windows, loops that leave op cache or loop
 * buffer, set conflicts. campaign: of the audit, its file the folder. Without a recording there is nothing to name. The
 * caller releases the mechanism. */
void ifr_mechanism_find(const struct ifr_campaign *campaign, const struct ifr_audit_row *row,
                        struct ifr_mechanism *mechanism);
void ifr_mechanism_release(struct ifr_mechanism *mechanism);

#endif
