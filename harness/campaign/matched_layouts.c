/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts of two programs under comparison are matched (harness/build/matched_plan.h). */
#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"
#include "harness/campaign/state.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

enum matching { MATCH_NOTHING, MATCH_ROOMS, MATCH_ALL };

static bool moves_code(const struct campaign_state *state) {
	return state->plan.generator.axes & ifr_axes_of(IFR_OWNER_RELINKER);
}

/* An experiment from before has layouts that were not matched, or by rooms alone ("yes"), and goes on with them. */
static int find_matching(struct campaign_state *state, enum matching *matching, struct ifr_error *err) {
	char *known = ifr_experiment_get(state->experiment, IFR_FACT_MATCHED),
		 *made = ifr_experiment_variant_digest(state->experiment, campaign_variant_id(state, 0, 1));
	*matching = known  ? !strcmp(known, "all")   ? MATCH_ALL
	                     : !strcmp(known, "yes") ? MATCH_ROOMS
	                                             : MATCH_NOTHING
	            : made ? MATCH_NOTHING
	                   : MATCH_ALL;
	int result =
		known ? 0 : ifr_experiment_set(state->experiment, IFR_FACT_MATCHED, *matching ? "all" : "no", err);
	free(known);
	free(made);
	return result;
}

int campaign_match_programs(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign_program *programs = state->plan.programs;
	struct ifr_relinker *relinkers[2] = {NULL};
	struct ifr_error ignored = {0};
	enum matching matching = MATCH_NOTHING;
	if (state->plan.program_count != 2 || !programs[0].kit || !programs[1].kit || !moves_code(state))
		return 0;
	int result = find_matching(state, &matching, err);
	if (result || !matching)
		return result;
	/* Kits that cannot be opened are told of where variants are made. */
	if (!ifr_relinker_open(programs[0].kit, &relinkers[0], &ignored) &&
	    !ifr_relinker_open(programs[1].kit, &relinkers[1], &ignored))
		ifr_plan_match_programs(relinkers[0], relinkers[1], matching == MATCH_ROOMS, &state->match);
	ifr_relinker_close(relinkers[0]);
	ifr_relinker_close(relinkers[1]);
	return 0;
}
