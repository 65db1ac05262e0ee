/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/cure.h"

bool ifr_cure_makes_file(const struct ifr_plan *cure) {
	return cure->place_count || ifr_plan_axes(cure) & ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_PLUGIN);
}

int ifr_cure_check(const struct ifr_plan *cure, bool has_kit, struct ifr_error *err) {
	if (has_kit || !ifr_cure_makes_file(cure))
		return 0;
	return ifr_fail(err, IFR_E_USAGE,
	                "the cure changes the program's file, which has no kit: build it with CC=interfero-gcc");
}

int ifr_cure_run(const struct ifr_campaign *campaign, const struct ifr_plan *cure,
                 struct ifr_campaign_result *done, struct ifr_error *err) {
	struct ifr_campaign both = *campaign;
	struct ifr_campaign_program programs[2] = {*campaign->programs, *campaign->programs};
	programs[1].cure = cure;
	both.programs = programs;
	both.program_count = 2;
	both.generator.axes |= ifr_plan_axes(cure);
	return ifr_campaign_run(&both, done, err);
}
