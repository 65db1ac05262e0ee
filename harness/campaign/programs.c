/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one or two programs of a campaign, and how their variants are counted. */
#include "common/buffer.h"
#include "harness/campaign/state.h"

void campaign_programs_set(struct campaign_state *state) {
	const struct ifr_campaign *plan = state->plan;
	state->subject[0] = (struct campaign_program){plan->program, plan->generator.kit, plan->files[0], ""};
	state->subject[1] = (struct campaign_program){plan->other.program, plan->other.kit, plan->files[1], ""};
	state->subjects = plan->other.program ? 2 : 1;
}

unsigned campaign_ids(const struct campaign_state *state) {
	return (state->plan->variants + 1) * state->subjects;
}

const struct campaign_program *campaign_program_of(const struct campaign_state *state, unsigned id) {
	return &state->subject[id % state->subjects];
}

unsigned campaign_index_of(const struct campaign_state *state, unsigned id) {
	return id / state->subjects;
}

bool campaign_has(const struct campaign_state *state, unsigned id) {
	return campaign_index_of(state, id) || !campaign_program_of(state, id)->files;
}

void campaign_variant_name(const struct campaign_state *state, unsigned id, char name[IFR_NAME_MAX]) {
	ifr_variant_name(campaign_index_of(state, id), name);
	*name = (char)(*name + id % state->subjects);
}

char *campaign_fact_name(const char *name, unsigned subject) {
	return subject ? ifr_format("%s %u", name, subject + 1) : ifr_strdup(name);
}
