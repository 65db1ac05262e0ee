/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of a layout whose units are compiled again: known from one compilation, which a budget bounds, too. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/state.h"

/* layout_ns: of compiling the units of all programs so far. */
static int refuse_budget(const struct campaign_state *state, char *why, int64_t layout_ns, struct ifr_error *err) {
	const int64_t spent_ns = ifr_clock_ns() - state->begun_ns;
	int result = ifr_fail(err, IFR_E_USAGE,
	                      "the budget is too short: %s; --budget %" PRId64
	                      "s is enough for two layouts, or leave out the axes that compile again",
	                      why, budget_enough_to_make(spent_ns > layout_ns ? spent_ns : layout_ns, layout_ns));
	free(why);
	return result;
}

/* Compiles the units once, within the part of the budget that this may take. */
static int try_recipes(struct campaign_state *state, const char *name, struct ifr_builder *builder,
                       struct ifr_rebuild_trial *trial, struct ifr_error *err) {
	int result = ifr_builder_try_recipes(builder, state->plan.generator.axes,
	                                     budget_trial_deadline(state->begun_ns, state->deadline_ns), trial, err);
	if (result)
		return result;
	const size_t all = trial->units, done = all > trial->left ? all - trial->left : 0;
	const double seconds = trial->seconds * (double)all / (double)(done ? done : 1);
	state->trial_ns += (int64_t)(seconds * 1e9);
	return trial->left
	           ? refuse_budget(state,
	                           ifr_format("%zu of %zu units of %s were compiled in %.1f s, which is a third "
	                                      "of it, to see what a variant costs",
	                                      done, all, name, trial->seconds),
	                           state->trial_ns, err)
	           : 0;
}

int campaign_estimate_rebuilds(struct campaign_state *state, unsigned program, struct ifr_builder *builder,
                               unsigned needed, struct ifr_error *err) {
	const char *name = ifr_path_base(state->plan.programs[program].path);
	struct ifr_rebuild_trial trial;
	if (!needed || !ifr_axes_recompile(state->plan.generator.axes))
		return 0;
	char *text = ifr_format("compiling the units of %s once, to see what a variant costs", name);
	campaign_say(state, text);
	free(text);
	int result = try_recipes(state, name, builder, &trial, err);
	if (result)
		return result;
	text = ifr_rebuild_trial_describe(&trial, needed);
	campaign_say(state, text);
	free(text);
	if (!budget_allows_making(ifr_clock_ns(), state->deadline_ns, state->trial_ns))
		return refuse_budget(state,
		                     ifr_format("one layout takes %.1f s to compile", (double)state->trial_ns / 1e9),
		                     state->trial_ns, err);
	return 0;
}
