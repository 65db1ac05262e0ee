/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/audit_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/exec/exec.h"
#include "harness/store/store.h"

char *ifr_audit_file(const char *folder, const struct ifr_trigger *trigger) {
	return ifr_format("%s/%s.exp", folder, trigger->name);
}

char *audit_find_sweep(const char *file) {
	struct ifr_experiment *experiment = NULL;
	char *sweep = NULL;
	if (ifr_file_exists(file) && !ifr_experiment_open(file, &experiment, NULL)) {
		sweep = ifr_experiment_get(experiment, "sweep");
		ifr_experiment_close(experiment);
	}
	return sweep;
}

void audit_find_seed(const char *file, uint64_t *seed) {
	struct ifr_experiment *experiment = NULL;
	if (!ifr_file_exists(file) || ifr_experiment_open(file, &experiment, NULL))
		return;
	char *text = ifr_experiment_get(experiment, "seed");
	if (text)
		*seed = strtoull(text, NULL, 10);
	free(text);
	ifr_experiment_close(experiment);
}

static int weigh_trigger(const char *file, const char *metric, struct ifr_audit_outcome *outcome, bool *modelled,
                         struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_audit_row row = {0};
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	result = ifr_analysis_make(&dataset, metric, &analysis, err);
	if (!result) {
		ifr_audit_row_make(analysis, &row);
		outcome->p = row.tested ? row.p : 1;
		outcome->noise_pct = row.has_noise ? row.noise_pct : 0;
		outcome->exact = analysis->exact;
		outcome->clocked = !strcmp(analysis->metric->source, "clock");
		*modelled = !strcmp(analysis->metric->source, "model");
		ifr_audit_row_release(&row);
	}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return result;
}

void audit_list_experiments(const char *folder, struct ifr_strings *files) {
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		ifr_strings_take(files, ifr_audit_file(folder, &ifr_triggers[i]));
}

/* The options by which bench goes on with a trigger's experiment; the caller frees. */
static char *list_options(const struct ifr_campaign *campaign, const char *counters,
                          const struct ifr_trigger *trigger) {
	const struct ifr_layout_generator *generator = &campaign->generator;
	const char *given = campaign->options;
	struct ifr_buffer words = {0};
	ifr_buffer_printf(&words, "%s%s", given ? given : "", given && *given ? " " : "");
	if (counters) /* of two, the last one counts */
		ifr_buffer_printf(&words, "--counters %s ", counters);
	for (unsigned i = 0; i < generator->sweeps.count; i++) {
		ifr_buffer_puts(&words, i ? " --sweep " : "--sweep ");
		ifr_sweep_print(&generator->sweeps.items[i], &words);
	}
	if (!generator->sweeps.count) {
		ifr_buffer_puts(&words, "--axes ");
		ifr_axes_print(generator->axes, &words);
	}
	if (trigger->set.text)
		ifr_buffer_printf(&words, " --set %s:%s", ifr_axes[trigger->set.axis].name, trigger->set.text);
	return ifr_buffer_detach(&words);
}

/* A finer sweep replaces the experiment of the coarser one, which stays as FILE~. */
static int make_design(const struct audit_state *state, unsigned which, const struct audit_stage *stage,
                       struct ifr_campaign *campaign, struct ifr_error *err) {
	const struct ifr_trigger *trigger = &ifr_triggers[which];
	char *sweep = audit_find_sweep(campaign->file);
	if (!sweep && state->sweeps[which])
		sweep = ifr_strdup(state->sweeps[which]);
	const unsigned repetitions = audit_count_all_runs(state, which);
	int result = 0;
	if (stage->finer) {
		result = ifr_campaign_set_aside(campaign->file, err);
		campaign->coarser_sweep = result ? NULL : sweep;
	}
	if (!result)
		result = ifr_trigger_design(trigger, campaign->generator.seed, stage->most, stage->finer ? NULL : sweep,
		                            &campaign->generator, &campaign->variants, err);
	if (!campaign->coarser_sweep)
		free(sweep);
	/* Suspects run again behind all of a trigger's runs: behind a screen, their runs would stand in for later ones. */
	campaign->one_look = stage->repetitions < repetitions;
	campaign->repetitions = stage->repetitions;
	campaign->budget_ns = stage->budget_ns;
	return result;
}

/* The cost of a layout in a whole screen, and the step of its sweep. */
static void note_screen(const struct ifr_campaign *campaign, int64_t begun_ns, struct ifr_audit_outcome *outcome) {
	const struct ifr_sweeps *sweeps = &campaign->generator.sweeps;
	if (!outcome->screened && campaign->variants)
		outcome->layout_ns = (ifr_clock_ns() - begun_ns) / campaign->variants;
	outcome->screened = true;
	outcome->layouts = campaign->variants;
	outcome->step = sweeps->count ? sweeps->items[0].step : 0;
}

bool audit_note_end(const struct ifr_campaign *campaign, const struct ifr_campaign_result *done, bool modelled,
                    int64_t begun_ns, struct ifr_audit_outcome *outcome) {
	const bool whole = done->complete || (done->measured && !modelled);
	const char *why = done->model_left_out;
	/* Behind the reason there is a budget that would suffice, but that of one trigger. */
	const char *end = strstr(why, "; ");
	snprintf(outcome->model_left_out, sizeof outcome->model_left_out, "%.*s",
	         (int)(end ? end - why : (ptrdiff_t)strlen(why)), why);
	if (whole)
		note_screen(campaign, begun_ns, outcome);
	return whole;
}

/* Puts the coarser experiment in the place of a finer one without runs. */
static void bring_back(const char *file) {
	static const char *const beside[] = {"-wal", "-shm", ".variants", ".trace"};
	char *kept = ifr_format("%s~", file);
	if (ifr_file_exists(kept) && !rename(kept, file))
		for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
			char *path = ifr_format("%s%s", file, beside[i]);
			ifr_tree_remove(path, NULL);
			free(path);
		}
	free(kept);
}

/* A finer sweep that ends before its first run, for want of time, changes nothing. *result: 0 then, unless the program
 * failed. */
static void keep_coarser(struct ifr_campaign *campaign, const struct ifr_audit_outcome *before,
                         struct ifr_audit_outcome *outcome, int *result) {
	/* An experiment that could not be set aside is still there. */
	if (campaign->coarser_sweep || !ifr_file_exists(campaign->file))
		bring_back(campaign->file);
	if (*result == -IFR_E_PROGRAM)
		return;
	*outcome = *before;
	*result = 0;
}

int audit_run_trigger(struct audit_state *state, unsigned which, const struct audit_stage *stage, bool *whole,
                      struct ifr_error *err) {
	struct ifr_audit_outcome *outcome = &state->outcomes[which];
	struct ifr_campaign campaign = state->audit->campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_strings siblings = {0};
	const int64_t begun_ns = ifr_clock_ns();
	char *file = ifr_audit_file(campaign.file, &ifr_triggers[which]);
	audit_list_experiments(campaign.file, &siblings);
	campaign.file = file;
	campaign.siblings = &siblings;
	struct ifr_error no_model = {0};
	char *options = NULL, *counters = NULL;
	outcome->resumed |= !outcome->measured && ifr_file_exists(file);
	const struct ifr_audit_outcome before = *outcome;
	if (stage->finer)
		outcome->refined = outcome->full = false;
	int result = make_design(state, which, stage, &campaign, err);
	if (!result) {
		counters = audit_choose_counters(&campaign, NULL, &no_model);
		options = list_options(&campaign, counters, &ifr_triggers[which]);
		campaign.options = options;
		campaign.counters = counters ? counters : campaign.counters;
		result = ifr_campaign_run(&campaign, &done, err);
	}
	outcome->measured |= !result && (done.runs || done.complete);
	outcome->refused = done.refused_variants;
	memcpy(outcome->refusal, done.refusal, sizeof outcome->refusal);
	state->interrupted |= done.interrupted || ifr_launch_interrupted();
	const int failed = result;
	bool modelled = false;
	if (stage->finer && !done.runs && !done.complete)
		keep_coarser(&campaign, &before, outcome, &result);
	else if (!result && outcome->measured && !state->interrupted)
		result = weigh_trigger(file, campaign.metric, outcome, &modelled, err);
	else if (!result)
		modelled = true;
	enum { TELLING = 10 };
	if (!failed && done.runs >= TELLING)
		state->run_ns = (ifr_clock_ns() - begun_ns) / done.runs;
	*whole = !failed && audit_note_end(&campaign, &done, modelled, begun_ns, outcome);
	if (counters)
		snprintf(outcome->model_left_out, sizeof outcome->model_left_out, "%.255s", no_model.message);
	ifr_plan_release(&campaign.generator.parameters);
	ifr_strings_release(&siblings);
	free(campaign.coarser_sweep);
	free(counters);
	free(options);
	free(file);
	return result;
}
