/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The confirmation of a finding about one unit of code, by an intervention: the unit is moved alone, everything
 * else stays where each layout has it. */
#ifndef IFR_HARNESS_CONFIRMATION_H
#define IFR_HARNESS_CONFIRMATION_H

#include "harness/analysis/analysis.h"
#include "harness/campaign/campaign_plan.h"
#include "relinker/relinker.h"

struct ifr_confirmation {
	const struct ifr_dataset *dataset; /* the experiment of the finding */
	const struct ifr_unit_addresses *addresses;
	struct ifr_relinker *relinker;
	const struct ifr_finding *finding;
	const char *metric; /* NULL: the usual one */
};

/* The most significant finding that can be confirmed, or NULL: moving one unit cannot change its page only. */
const struct ifr_finding *ifr_confirmation_choose(const struct ifr_attribution *code);

/* Makes every layout of the experiment twice, with the finding's unit at an address of its best class and of its worst,
 * runs both interleaved by the campaign (whose file is given), and compares them, the best class first. The other units
 * of the section have the same address in both; those behind a unit that shares sets with another one flow. Layouts in
 * which one of the addresses is impossible are left out of both. A file that holds an experiment about another unit goes
 * aside. comparison->side is not set. Errors: IFR_E_USAGE where fewer than two layouts remain; of the campaign. */
int ifr_confirmation_run(const struct ifr_confirmation *confirmation, const struct ifr_campaign *campaign,
                         struct ifr_comparison *comparison, struct ifr_error *err);

#endif
