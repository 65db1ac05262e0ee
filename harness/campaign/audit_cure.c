/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/campaign/audit_state.h"
#include "harness/campaign/cure.h"
#include "harness/store/store.h"

int64_t ifr_audit_cures_ns(int64_t budget_ns) {
	return budget_ns / 4;
}

char *ifr_audit_cure_file(const char *folder, unsigned number) {
	return ifr_format("%s/cure-%u.exp", folder, number);
}

/* Whether an experiment is that of the cure. */
static bool is_of(const char *file, const char *plan) {
	struct ifr_experiment *experiment = NULL;
	if (ifr_experiment_open(file, &experiment, NULL))
		return false;
	char *cure = ifr_experiment_get(experiment, "cure");
	const bool is = cure && !strcmp(cure, plan);
	free(cure);
	ifr_experiment_close(experiment);
	return is;
}

static char *find_file(const char *folder, const struct ifr_plan *cure) {
	struct ifr_buffer plan = {0};
	ifr_plan_print(cure, &plan);
	unsigned number = 1;
	char *file = ifr_audit_cure_file(folder, number);
	while (ifr_file_exists(file) && !is_of(file, ifr_buffer_text(&plan))) {
		free(file);
		file = ifr_audit_cure_file(folder, ++number);
	}
	ifr_buffer_release(&plan);
	return file;
}

/* An experiment that is there keeps its contexts; else they are fresh. */
static int make_contexts(const struct ifr_campaign *audit, const struct ifr_trigger *trigger,
                         struct ifr_campaign *campaign, struct ifr_error *err) {
	char *found = ifr_audit_file(audit->file, trigger), *sweep = audit_find_sweep(found);
	int result = ifr_trigger_contexts(trigger, audit->generator.seed, sweep, &campaign->generator,
	                                  &campaign->variants, err);
	char *kept = audit_find_sweep(campaign->file);
	if (!result && kept) {
		struct ifr_sweeps sweeps = {0};
		result = ifr_sweeps_parse(&sweeps, kept, err);
		campaign->generator.sweeps = result ? campaign->generator.sweeps : sweeps;
		campaign->variants = ifr_sweeps_layouts(&campaign->generator.sweeps);
	}
	campaign->context_axes = campaign->generator.axes;
	free(kept);
	free(sweep);
	free(found);
	return result;
}

enum { RUNS_LEAST = 2, SIDES = 2 };

int64_t ifr_audit_cure_least_ns(const struct ifr_audit *audit, const struct ifr_cure_candidate *candidate,
                                int64_t run_ns) {
	const struct ifr_trigger *trigger = &ifr_triggers[ifr_trigger_find(candidate->row->trigger)];
	struct ifr_campaign campaign = audit->campaign;
	campaign.file = ""; /* there is no experiment yet whose contexts would be kept */
	const int result = make_contexts(&audit->campaign, trigger, &campaign, NULL);
	ifr_plan_release(&campaign.generator.parameters);
	/* The shipped layout is one more; half of the layouts have a twin. */
	return result ? 0 : SIDES * ((int64_t)campaign.variants + 1) * (2 * RUNS_LEAST + 1) * run_ns / 2;
}

/* Two at least: the worst context is chosen by one half of the runs and measured by the other. */
static unsigned count_runs(const struct ifr_campaign *campaign, int64_t run_ns) {
	const int64_t round_ns = SIDES * (int64_t)campaign->variants * run_ns;
	if (!campaign->budget_ns || round_ns <= 0 || campaign->repetitions <= RUNS_LEAST)
		return campaign->repetitions;
	const int64_t fit = campaign->budget_ns / 2 / round_ns;
	return fit >= campaign->repetitions ? campaign->repetitions : fit <= RUNS_LEAST ? RUNS_LEAST : (unsigned)fit;
}

int ifr_audit_cure(const struct ifr_audit *audit, const struct ifr_cure_candidate *candidate, int64_t budget_ns,
                   int64_t run_ns, char **file, bool *whole, struct ifr_error *err) {
	const struct ifr_trigger *trigger = &ifr_triggers[ifr_trigger_find(candidate->row->trigger)];
	struct ifr_campaign campaign = audit->campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_strings siblings = {0};
	*whole = false;
	*file = find_file(campaign.file, &candidate->plan);
	audit_list_experiments(campaign.file, &siblings);
	campaign.file = *file;
	campaign.siblings = &siblings;
	campaign.options = NULL;
	campaign.seed_given = false;
	campaign.one_look = true;
	campaign.budget_ns = budget_ns;
	int result = ifr_cure_check(&candidate->plan, campaign.programs->kit, err);
	if (!result)
		result = make_contexts(&audit->campaign, trigger, &campaign, err);
	struct ifr_error no_model = {0};
	char *counters = result ? NULL : audit_choose_counters(&campaign, &candidate->plan, &no_model);
	campaign.counters = counters ? counters : campaign.counters;
	campaign.repetitions = count_runs(&campaign, run_ns);
	if (!result)
		result = ifr_cure_run(&campaign, &candidate->plan, &done, err);
	if (!result && done.refused_variants && done.complete)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s", done.refusal);
	*whole = !result && (done.complete || done.measured);
	ifr_plan_release(&campaign.generator.parameters);
	ifr_strings_release(&siblings);
	free(counters);
	return result;
}
