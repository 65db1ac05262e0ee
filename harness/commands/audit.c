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

struct options {
	struct ifr_campaign campaign;
	struct printing_options printing;
	const char *triggers;
	uint64_t cures;            /* measured at most */
	bool *wanted;              /* [ifr_trigger_count] */
	const char *model_machine; /* for findings by the clock */
	bool environment_given;
	uint64_t environment_offset, environment_increment; /* bytes */
};

enum {
	KEY_TRIGGERS = 1024,
	KEY_CURES,
	KEY_ENVIRONMENT_OFFSET,
	KEY_ENVIRONMENT_INCREMENT,
	CURES_USUAL = 3,
	CURES_MOST = 100
};
/* Two pages of sizes lie behind the offset. */
enum { PAGE = 4096, ENVIRONMENT_STEP = 16, ENVIRONMENT_MOST = 65536 - 2 * PAGE };
enum { MAN_COLUMNS = 72 /* man pages indent the list by eight */ };

static void list_triggers(struct ifr_buffer *list) {
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		const char *needs = ifr_trigger_needs(&ifr_triggers[i]);
		char *name = ifr_format("  %-12s ", ifr_triggers[i].name),
			 *line = ifr_format("%s%s%s%s", ifr_triggers[i].summary, *needs ? " (needs " : "", needs,
		                        *needs ? ")" : "");
		ifr_text_wrap_to(list, line, name, "               ", MAN_COLUMNS);
		free(line);
		free(name);
	}
}

/* Ends the process, as --help does. */
static void print_triggers(const struct argp_state *state) {
	struct ifr_buffer list = {0};
	list_triggers(&list);
	fputs(ifr_buffer_text(&list), stdout);
	ifr_buffer_release(&list);
	if (!(state->flags & ARGP_NO_EXIT))
		exit(fflush(stdout) ? IFR_E_ENVIRONMENT : 0);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case KEY_TRIGGERS:
		options->triggers = argument;
		if (!strcmp(argument, "list"))
			print_triggers(state);
		else if (ifr_triggers_parse(argument, options->wanted, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_CURES:
		if (option_number("--cures", argument, 0, CURES_MOST, &options->cures, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_ENVIRONMENT_OFFSET:
		if (option_number("--environment-offset", argument, 0, ENVIRONMENT_MOST, &options->environment_offset,
		                  &err))
			option_refuse(state, &err);
		options->environment_given = true;
		return 0;
	case KEY_ENVIRONMENT_INCREMENT:
		if (option_number("--environment-increment", argument, 1, PAGE, &options->environment_increment, &err))
			option_refuse(state, &err);
		options->environment_given = true;
		return 0;
	case 's':
		if (option_number("--seed", argument, 0, UINT64_MAX, &options->campaign.generator.seed, &err))
			option_refuse(state, &err);
		options->campaign.seed_given = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->campaign;
		state->child_inputs[1] = &options->printing;
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero audit -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		if (options->campaign.keep_aslr || options->campaign.one_file)
			argp_error(state, "an audit holds every context but one: leave out --keep-aslr and --one-file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The list of triggers after the options, and the text behind it; argp frees it. */
static char *describe_triggers(int key, const char *text, void *input) {
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	struct ifr_buffer list = {0};
	ifr_buffer_puts(&list, "Triggers:\n");
	list_triggers(&list);
	ifr_buffer_printf(&list, "\n%s", text ? text : "");
	return ifr_buffer_detach(&list);
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Triggers:", 1},
	{"triggers", KEY_TRIGGERS, "LIST", 0,
     "The triggers to try, such as environment,heap (all); \"list\" prints them with what each needs", 1},
	{"cures", KEY_CURES, "N", 0,
     "Measure N of the cures that the findings suggest, 0 to 100 (3): the first of each trigger, the widest range first",
     1},
	{"environment-offset", KEY_ENVIRONMENT_OFFSET, "BYTES", 0,
     "The first value of the trigger environment: bytes that are added to the environment, 0 to 57344 (0)", 1},
	{"environment-increment", KEY_ENVIRONMENT_INCREMENT, "BYTES", 0,
     "The distance of its values, 1 to 4096 (16); they are 8192 bytes wide, or 4096 where time is short, and their "
     "distance stays",
     1},
	{"seed", 's', "SEED", 0, "The seed that repeats these layouts, 0 to 2^64-1 (1)", 1},
	{0},
};
static const struct argp_child children[] = {{&campaign_argp, 0, NULL, 2}, {&printing_argp, 0, NULL, 4}, {0}};
const struct argp ifr_audit_argp = {
	table,
	parse_option,
	"-- ./PROG [ARGS...]",
	"Find out which contexts a program's speed depends on: environment size, heap, load addresses, copies of the file, "
	"and with a kit link order, alignment and others. A table gives each trigger's range, its test against noise, and "
	"the period and width of spikes; one sentence sums it up. Cures of what was found are measured before they are "
	"advised.\v"
	"Each trigger is an experiment of its own, in the folder of --output (PROG.audit). A screen of two runs a layout "
	"tries them all; those with p up to 0.2 run on to --runs, and only these are claimed, at 5 % for all triggers "
	"together (Holm). With --budget, sweeps take larger steps where time is short, and the rest of the time goes to "
	"smaller ones, then to further runs of the other triggers. Repeating an interrupted audit continues it.\n"
	"\n"
	"Where layouts of the program's file differ, the function behind them is looked for, and moved alone. "
	"Where the model names a mechanism, the audit proposes changes of the layout against it: variables moved, large heap "
	"blocks apart, loops aligned, the best layout pinned. Each is measured with it and without it, as by \"interfero "
	"cure\", in fresh contexts of the trigger; one that does not help is withdrawn. Where something was found, a quarter "
	"of the budget is left for that.\n"
	"\n"
	"Exit status: 0 audited, 2 usage, 3 the program or a layout of it failed, 4 the machine or a file, 130 "
	"interrupted.",
	children,
	describe_triggers,
	NULL};

static void announce(const struct ifr_trigger *trigger, bool screen, unsigned number, unsigned count) {
	progress_clear();
	ifr_command_note("%s %u of %u: %s (%s)", screen ? "screen" : "more runs", number, count, trigger->name,
	                 trigger->summary);
}

/* --- the report ------------------------------------------------------------------------------------------------ */

struct findings {
	struct ifr_dataset *datasets;
	struct ifr_analysis **analyses;
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
static int64_t find_finest_step(const struct options *options, unsigned which) {
	return options->environment_given && (int)which == ifr_trigger_find("environment")
	           ? (int64_t)options->environment_increment
	           : ifr_trigger_step(&ifr_triggers[which]);
}

/* A trigger's experiment that cannot be read costs its row, not the report. */
static void read_trigger(const struct options *options, unsigned which, const struct ifr_audit_outcome *outcome,
                         struct findings *findings) {
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
	                              .full = outcome->full};
	if (!outcome->measured)
		return;
	char *file = ifr_audit_file(options->campaign.file, &ifr_triggers[which]);
	int result = ifr_experiment_load(file, &findings->datasets[at], &err);
	if (!result)
		result =
			ifr_analysis_make(&findings->datasets[at], options->printing.metric, &findings->analyses[at], &err);
	if (!result)
		ifr_audit_row_make(findings->analyses[at], row);
	else
		row->why_not = findings->unread = err;
	free(file);
}

static int print_findings(const struct options *options, const struct findings *findings,
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
	}
	free(findings->rows);
	free(findings->analyses);
	free(findings->datasets);
}

static int report(const struct options *options, const struct ifr_audit *audit,
                  const struct ifr_audit_outcome *outcomes, int64_t deadline_ns, struct ifr_error *err) {
	struct findings findings = {.datasets = ifr_alloc(ifr_trigger_count * sizeof *findings.datasets),
	                            .analyses = ifr_alloc(ifr_trigger_count * sizeof *findings.analyses),
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

static int set_experiments_aside(const struct options *options, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count && !result; i++) {
		char *file = ifr_audit_file(options->campaign.file, &ifr_triggers[i]),
			 *confirmation = ifr_audit_confirmation_file(options->campaign.file, &ifr_triggers[i]),
			 *model = ifr_audit_model_file(options->campaign.file, &ifr_triggers[i]);
		if (options->wanted[i])
			result = ifr_campaign_set_aside(file, err);
		if (options->wanted[i] && !result)
			result = ifr_campaign_set_aside(model, err);
		if (options->wanted[i] && !result)
			result = ifr_campaign_set_aside(confirmation, err);
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

static int end_audit(const struct options *options, const struct ifr_audit *audit,
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

static int run_audit(struct options *options, const struct ifr_campaign_program *program, struct ifr_error *err) {
	struct ifr_audit_outcome *outcomes = ifr_alloc(ifr_trigger_count * sizeof *outcomes);
	struct ifr_campaign *campaign = &options->campaign;
	char *file = ifr_format("%s.audit", ifr_path_base(program->path));
	bool interrupted = false;
	const int64_t deadline_ns = campaign->budget_ns ? ifr_clock_ns() + campaign->budget_ns : INT64_MAX;
	campaign->programs = program;
	campaign->program_count = 1;
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
	struct options options = {.wanted = ifr_alloc(ifr_trigger_count * sizeof *options.wanted),
	                          .cures = CURES_USUAL,
	                          .environment_increment = ENVIRONMENT_STEP};
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
