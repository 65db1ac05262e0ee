/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero audit: finds the contexts that a program's speed depends on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/campaign.h"
#include "harness/commands/audit_code.h"
#include "harness/commands/audit_cures.h"
#include "harness/commands/audit_model.h"
#include "harness/commands/audit_options.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/cluster_option.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/progress.h"
#include "harness/commands/report_options.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "harness/report/report.h"
#include "model/model.h"

static void announce(const struct ifr_trigger *trigger, enum ifr_audit_step step, unsigned number,
                     unsigned count) {
	static const char *const words[] = {[IFR_AUDIT_SCREEN] = "screen",
	                                    [IFR_AUDIT_MORE_RUNS] = "more runs",
	                                    [IFR_AUDIT_REPLICATION] = "replication"};
	progress_clear();
	ifr_command_note("%s %u of %u: %s (%s)", words[step], number, count, trigger->name, trigger->summary);
}

/* --- the report ------------------------------------------------------------------------------------------------ */

struct findings {
	struct ifr_dataset *datasets, *replications;
	struct ifr_analysis **analyses;
	char **files; /* of replications */
	struct ifr_audit_row *rows;
	size_t count;
	struct ifr_error unread; /* of an experiment that could not be read, the last one */
};

static bool has_analysis(const struct findings *findings) {
	bool has = false;
	for (size_t i = 0; i < findings->count; i++)
		has |= findings->rows[i].analysis != NULL;
	return has;
}

/* Steps that were asked for are the finest. */
static int64_t find_finest_step(const struct audit_options *options, unsigned which) {
	return options->environment_given && (int)which == ifr_trigger_find("environment")
	           ? (int64_t)options->environment_increment
	           : ifr_trigger_step(&ifr_triggers[which]);
}

static int read_replication(const char *file, const char *metric, struct ifr_dataset *dataset,
                            struct ifr_audit_row *row, struct ifr_error *err) {
	const unsigned axes = ifr_triggers[ifr_trigger_find(row->trigger)].axes;
	struct ifr_analysis *analysis = NULL;
	int result = ifr_experiment_load(file, dataset, err);
	if (!result)
		result = ifr_analysis_make(dataset, metric, &analysis, err);
	if (!result) {
		row->replication.experiment = file;
		ifr_audit_replicate(row, analysis, !(axes & 1u << IFR_AXIS_COPIES));
	}
	ifr_analysis_free(analysis);
	return result;
}

static void add_replication(const struct audit_options *options, unsigned which,
                            const struct ifr_audit_outcome *outcome, struct findings *findings, size_t at) {
	struct ifr_audit_row *row = &findings->rows[at];
	row->replication.wanted = ifr_audit_outcome_suspected(outcome);
	row->replication.why_not = outcome->not_replicated;
	if (!row->replication.wanted || !outcome->replicated)
		return;
	findings->files[at] = ifr_audit_replication_file(options->campaign.file, &ifr_triggers[which]);
	read_replication(findings->files[at], options->printing.metric, &findings->replications[at], row,
	                 &row->replication.why_not);
}

/* A trigger's experiment that cannot be read costs its row, not the report. */
static void read_trigger(const struct audit_options *options, unsigned which,
                         const struct ifr_audit_outcome *outcome, struct findings *findings) {
	const size_t at = findings->count;
	struct ifr_audit_row *row = &findings->rows[at];
	struct ifr_error err;
	if (!options->wanted[which])
		return;
	findings->count++;
	*row = (struct ifr_audit_row){.trigger = ifr_triggers[which].name,
	                              .summary = ifr_triggers[which].summary,
	                              .sets = ifr_triggers[which].sets,
	                              .finest_step = find_finest_step(options, which),
	                              .why_not = outcome->why_not,
	                              .metric = options->printing.metric,
	                              .note = outcome->note,
	                              .model_left_out = outcome->model_left_out,
	                              .full = outcome->full,
	                              .interrupted = ifr_launch_interrupted()};
	if (!outcome->measured)
		return;
	char *file = ifr_audit_file(options->campaign.file, &ifr_triggers[which]);
	int result = ifr_experiment_load(file, &findings->datasets[at], &err);
	if (!result)
		result =
			ifr_analysis_make(&findings->datasets[at], options->printing.metric, &findings->analyses[at], &err);
	if (!result) {
		ifr_audit_row_make(findings->analyses[at], row);
		add_replication(options, which, outcome, findings, at);
	} else
		row->why_not = findings->unread = err;
	free(file);
}

static int print_findings(const struct audit_options *options, const struct findings *findings,
                          const struct audit_cures *cures, struct ifr_error *err) {
	struct ifr_buffer out = {0};
	const bool color = isatty(1) && !getenv("NO_COLOR");
	const struct ifr_audit_report report = {.folder = options->campaign.file,
	                                        .rows = findings->rows,
	                                        .count = findings->count,
	                                        .cures = cures->items,
	                                        .cure_count = cures->candidates.count,
	                                        .cures_wanted = options->cures > 0};
	if (options->printing.json)
		ifr_audit_json(&report, &out);
	else if (!options->printing.quiet)
		ifr_audit_text(&report, color, &out);
	const int result = ifr_command_print(&out, err);
	ifr_buffer_release(&out);
	return result;
}

static void release_findings(struct findings *findings) {
	for (size_t i = 0; i < findings->count; i++) {
		ifr_audit_row_release(&findings->rows[i]);
		ifr_analysis_free(findings->analyses[i]);
		ifr_dataset_release(&findings->datasets[i]);
		ifr_dataset_release(&findings->replications[i]);
		free(findings->files[i]);
	}
	free(findings->files);
	free(findings->replications);
	free(findings->rows);
	free(findings->analyses);
	free(findings->datasets);
}

static int report(const struct audit_options *options, const struct ifr_audit *audit,
                  const struct ifr_audit_outcome *outcomes, int64_t deadline_ns, struct ifr_error *err) {
	struct findings findings = {.datasets = ifr_alloc(ifr_trigger_count * sizeof *findings.datasets),
	                            .replications = ifr_alloc(ifr_trigger_count * sizeof *findings.replications),
	                            .analyses = ifr_alloc(ifr_trigger_count * sizeof *findings.analyses),
	                            .files = ifr_alloc(ifr_trigger_count * sizeof *findings.files),
	                            .rows = ifr_alloc(ifr_trigger_count * sizeof *findings.rows)};
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		read_trigger(options, i, &outcomes[i], &findings);
	int result = has_analysis(&findings) ? 0 : -findings.unread.code;
	if (result) {
		*err = findings.unread;
	} else {
		struct audit_cures cures;
		struct audit_code code;
		struct audit_model model;
		ifr_audit_adjust(findings.rows, findings.count);
		audit_model_make(audit, findings.rows, findings.count, deadline_ns, &model);
		audit_code_make(audit, findings.rows, findings.count, options->cures > 0, deadline_ns, &code);
		audit_cures_propose(audit, findings.rows, findings.count, options->cures, &cures);
		audit_cures_measure(audit, outcomes, deadline_ns, &cures);
		result = print_findings(options, &findings, &cures, err);
		audit_cures_release(&cures);
		audit_code_release(&code);
		audit_model_release(&model);
	}
	release_findings(&findings);
	return result;
}

/* --- the audit ------------------------------------------------------------------------------------------------- */

static int set_experiments_aside(const struct audit_options *options, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count && !result; i++) {
		char *file = ifr_audit_file(options->campaign.file, &ifr_triggers[i]),
			 *confirmation = ifr_audit_confirmation_file(options->campaign.file, &ifr_triggers[i]),
			 *model = ifr_audit_model_file(options->campaign.file, &ifr_triggers[i]),
			 *replication = ifr_audit_replication_file(options->campaign.file, &ifr_triggers[i]);
		if (options->wanted[i])
			result = ifr_campaign_set_aside(file, err);
		if (options->wanted[i] && !result)
			result = ifr_campaign_set_aside(model, err);
		if (options->wanted[i] && !result)
			result = ifr_campaign_set_aside(confirmation, err);
		if (options->wanted[i] && !result)
			result = ifr_campaign_set_aside(replication, err);
		free(replication);
		free(model);
		free(confirmation);
		free(file);
	}
	bool more = true;
	for (unsigned number = 1; more && !result; number++) {
		char *file = ifr_audit_cure_file(options->campaign.file, number);
		more = ifr_file_exists(file);
		result = more ? ifr_campaign_set_aside(file, err) : 0;
		free(file);
	}
	return result;
}

static int end_audit(const struct audit_options *options, const struct ifr_audit *audit,
                     const struct ifr_audit_outcome *outcomes, int64_t deadline_ns, bool interrupted,
                     struct ifr_error *err) {
	bool measured = false;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		measured |= outcomes[i].measured;
	int result = measured ? report(options, audit, outcomes, deadline_ns, err) : 0;
	interrupted |= ifr_launch_interrupted();
	if (interrupted && !measured)
		ifr_command_note("interrupted before the first run; nothing was recorded");
	else if (interrupted)
		ifr_command_note("interrupted; %s holds every run so far, and the same command continues it",
		                 options->campaign.file);
	if (result)
		return ifr_command_failed(err);
	if (interrupted)
		return STOPPED_BY_INTERRUPT;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (outcomes[i].refused) {
			ifr_command_note("%s: %s", ifr_triggers[i].name, outcomes[i].refusal);
			return IFR_E_PROGRAM;
		}
	return 0;
}

static int run_audit(struct audit_options *options, const struct ifr_campaign_program *program,
                     struct ifr_error *err) {
	struct ifr_audit_outcome *outcomes = ifr_alloc(ifr_trigger_count * sizeof *outcomes);
	struct ifr_campaign *campaign = &options->campaign;
	char *file = ifr_format("%s.audit", ifr_path_base(program->path));
	bool interrupted = false;
	const int64_t deadline_ns = campaign->budget_ns ? ifr_clock_ns() + campaign->budget_ns : INT64_MAX;
	campaign->programs = program;
	campaign->program_count = 1;
	campaign->whole_budget_ns = campaign->budget_ns;
	campaign->file = campaign->file ? campaign->file : file;
	progress_follow(campaign, options->printing.quiet);
	catch_interrupts();
	const struct ifr_audit audit = {
		.campaign = *campaign,
		.wanted = options->wanted,
		.has_loader = ifr_loads_libraries(campaign->user ? campaign->user : program->path),
		.environment = {options->environment_given, (int64_t)options->environment_offset,
	                    (int64_t)options->environment_increment},
		.model_machine = options->model_machine,
		.cures_ns = options->cures ? ifr_audit_cures_ns(campaign->budget_ns) : 0,
		.announce = campaign->progress ? announce : NULL};
	int result = campaign->fresh ? set_experiments_aside(options, err) : 0;
	if (!result)
		result = ifr_audit_run(&audit, outcomes, &interrupted, err);
	if (campaign->progress)
		progress_clear();
	if (!result)
		result = cluster_option_print(campaign->cluster, err);
	int status =
		result ? ifr_command_failed(err) : end_audit(options, &audit, outcomes, deadline_ns, interrupted, err);
	free(file);
	free(outcomes);
	return result && ifr_launch_interrupted() ? STOPPED_BY_INTERRUPT : status;
}

static int find_programs(struct ifr_campaign *campaign, char **program, char **driver, struct ifr_error *err) {
	int result =
		campaign_options_find_program(campaign->driven ? campaign->driven : campaign->argv[0], program, err);
	if (!result && campaign->driven)
		result = campaign_options_find_program(campaign->argv[0], driver, err);
	campaign->user = *driver;
	campaign->driven = *driver ? *program : NULL;
	return result;
}

int ifr_command_audit(int argc, char **argv) {
	struct audit_options options = {.wanted = ifr_alloc(ifr_trigger_count * sizeof *options.wanted),
	                                .cures = AUDIT_CURES_USUAL,
	                                .environment_increment = AUDIT_ENVIRONMENT_STEP};
	struct ifr_error error = {0}, *err = &error;
	struct ifr_kit kit;
	bool has_kit = false;
	char *program = NULL, *driver = NULL, *nearest = NULL, *note = NULL;
	campaign_options_init(&options.campaign);
	options.campaign.generator.seed = 1;
	ifr_triggers_parse("all", options.wanted, NULL);
	const char *usual_machine = options.campaign.machine;
	argp_parse(&ifr_audit_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	/* Findings of this machine's clock are explained by its nearest description, where none is named. */
	options.model_machine = options.campaign.machine;
	if (options.campaign.machine == usual_machine && !ifr_machine_resolve("native", &nearest, &note, NULL))
		options.model_machine = nearest;
	options.campaign.metric = options.printing.metric;
	char *words = campaign_options_keep(argv + 1, (int)(options.campaign.argv - argv) - 1);
	options.campaign.options = words;
	ifr_kit_init(&kit);
	int result = find_programs(&options.campaign, &program, &driver, err);
	if (!result)
		result = ifr_kit_find(program, &kit, &has_kit, err);
	const struct ifr_campaign_program under_test = {.path = program,
	                                                .kit = has_kit ? &kit : NULL,
	                                                .name = options.campaign.driven ? options.campaign.driven
	                                                                                : options.campaign.argv[0]};
	int status = result ? ifr_command_failed(err) : run_audit(&options, &under_test, err);
	ifr_kit_release(&kit);
	campaign_options_release(&options.campaign);
	free(note);
	free(nearest);
	free(driver);
	free(program);
	free(words);
	free(options.wanted);
	return status;
}
