/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of interfero audit. */
#include "harness/commands/audit_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/commands.h"
#include "harness/output/output.h"

enum { KEY_TRIGGERS = 1024, KEY_CURES, KEY_ENVIRONMENT_OFFSET, KEY_ENVIRONMENT_INCREMENT, CURES_MOST = 100 };
/* Two pages of sizes lie behind the offset. */
enum { PAGE = 4096, ENVIRONMENT_MOST = 65536 - 2 * PAGE };
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
	struct audit_options *options = state->input;
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
	"What the clock found is replayed on the nearest described machine, or that of --machine, for events and names, "
	"unless --counters names the clock alone. "
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
