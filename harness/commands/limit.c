/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero limit: makes a program that ends after a budget of time (harness/limit/limit.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/process.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/exec/exec.h"
#include "harness/limit/limit.h"
#include "harness/output/output.h"

enum { KEY_STDIN = 256, KEY_ENV, KEY_SECONDS };

struct options {
	struct ifr_limit limit;
	struct ifr_strings environment;
};

/* Below 0.1 s the program's start dominates; above 24 h measuring layouts would take weeks. */
static int parse_seconds(const char *text, int64_t *budget_ns, struct ifr_error *err) {
	int result = option_duration("--seconds", text, budget_ns, err);
	if (!result && (*budget_ns < INT64_C(100000000) || *budget_ns > INT64_C(86400000000000)))
		result = ifr_fail(err, IFR_E_USAGE, "--seconds needs a time from 0.1 s to 24 h, not \"%.60s\"", text);
	return result;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 's':
	case KEY_SECONDS:
		if (parse_seconds(argument, &options->limit.budget_ns, &err))
			option_refuse(state, &err);
		return 0;
	case 'o':
		options->limit.path = argument;
		if (option_output("-o", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_STDIN:
		options->limit.stdin_file = argument;
		return 0;
	case KEY_ENV:
		ifr_strings_add(&options->environment, argument);
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->limit.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!options->limit.argv)
			argp_error(state, "which program? interfero limit --seconds S -- ./prog args");
		if (!options->limit.budget_ns)
			argp_error(state, "--seconds is missing: after how many seconds shall the program end?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"seconds", KEY_SECONDS, "S", 0, "The budget: the limited program ends after about S seconds (also 500ms, 2m)",
     0},
	{NULL, 's', "S", OPTION_HIDDEN, NULL, 0},
	{"output", 'o', "LIMITED", 0, "The limited program's file (PROG.limited)", 0},
	{"stdin", KEY_STDIN, "FILE", 0, "The program's standard input (/dev/null)", 0},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 0},
	{0},
};
const struct argp ifr_limit_argp = {
	table,
	parse_option,
	"-- ./PROG [ARGS...]",
	"Make, from a long-running program, one that ends after a budget of time, at the same instruction in every "
	"layout.\v"
	"Build PROG with \"INTERFERO_TEMPLATES=1 make CC=interfero-gcc\" first. limit runs PROG for the budget, "
	"with a counter at each function's entry. Among the functions entered in the last tenth of the budget (else "
	"the last quarter, or half) it picks the one with the fewest entries. LIMITED is PROG with two instructions "
	"at the entry of that function, which call exit(0) at the same count of entries: stdio's buffers are "
	"written, and atexit's functions run. Three runs check that it ends there, with the same output each time, and "
	"say when; where that is a tenth or more from the budget, limit tries once more with a corrected one. Time that "
	"a run waits for a busy processor does not count. "
	"\"interfero bench -- ./LIMITED ARGS\", with the same ARGS, then measures its layouts, which all execute the "
	"same instructions of the program.\n"
	"\n"
	"A program with several threads cannot be limited. A forked process counts entries from zero.\n"
	"\n"
	"Exit status: 0 made, 2 usage, 3 the program cannot be limited, 4 the machine or a file, 130 interrupted.",
	NULL,
	NULL,
	NULL};

static void print_limited(const struct ifr_limit *limit, const struct ifr_limited *limited) {
	const double least = (double)limited->least_ns / 1e9, most = (double)limited->most_ns / 1e9;
	printf("%s ends when %s is entered for the %" PRIu64 "%s time (of %zu functions counted)\n", limit->path,
	       limited->procedure, limited->count,
	       limited->count % 100 / 10 == 1 ? "th"
	       : limited->count % 10 == 1     ? "st"
	       : limited->count % 10 == 2     ? "nd"
	       : limited->count % 10 == 3     ? "rd"
	                                      : "th",
	       limited->counted);
	printf("  after %.3g to %.3g s in three runs, without waits for a busy processor\n", least, most);
}

/* The command that measures the limited program. */
static void print_next(const struct ifr_limit *limit) {
	struct ifr_buffer text = {0};
	for (char *const *word = limit->argv + 1; *word; word++) {
		ifr_buffer_puts(&text, " ");
		ifr_quote_shell(&text, *word);
	}
	printf("  interfero bench -- %s%s%s\n", strchr(limit->path, '/') ? "" : "./", limit->path,
	       ifr_buffer_text(&text));
	ifr_buffer_release(&text);
}

static int limit_program(struct options *options, struct ifr_error *err) {
	struct ifr_limit limit = options->limit;
	struct ifr_limited limited = {0};
	struct ifr_context context;
	struct ifr_kit kit;
	ifr_kit_init(&kit);
	ifr_context_init(&context, &options->environment);
	char *program = ifr_program_find(limit.argv[0], NULL), *path = NULL;
	int result =
		program ? ifr_kit_of_program(program, &kit, err)
				: ifr_fail(err, IFR_E_USAGE, "there is no program %s", *limit.argv[0] ? limit.argv[0] : "\"\"");
	if (!result) {
		path = ifr_format("%s.limited", ifr_path_base(program));
		limit.kit = &kit;
		limit.context = &context;
		limit.path = limit.path ? limit.path : path;
		result = ifr_limit_make(&limit, &limited, err);
	}
	if (!result)
		print_limited(&limit, &limited);
	if (!result)
		print_next(&limit);
	free(limited.procedure);
	free(path);
	free(program);
	ifr_context_release(&context);
	ifr_kit_release(&kit);
	return result;
}

int ifr_command_limit(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_limit_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int result = limit_program(&options, &err);
	ifr_strings_release(&options.environment);
	if (ifr_launch_interrupted()) {
		ifr_command_note("interrupted; nothing was made");
		return STOPPED_BY_INTERRUPT;
	}
	return result ? ifr_command_failed(&err) : 0;
}
