/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero: runs the command that its first argument names. */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/plain_text.h"
#include "common/strings.h"
#include "harness/commands/commands.h"
#include "harness/commands/completions.h"

const char *argp_program_version = "interfero " INTERFERO_VERSION;

static const struct ifr_command commands[] = {
	{"bench", ifr_command_bench, "measure many layouts of a program and report", &ifr_bench_argp},
	{"audit", ifr_command_audit, "find the contexts that a program's speed depends on", &ifr_audit_argp},
	{"cure", ifr_command_cure, "tell whether a change of the layout helps in fresh contexts", &ifr_cure_argp},
	{"optimize", ifr_command_optimize, "search a fast layout, and confirm it", &ifr_optimize_argp},
	{"compare", ifr_command_compare, "tell a change of a program from a layout effect", &ifr_compare_argp},
	{"calibrate", ifr_command_calibrate, "false alarms and power of comparisons on this machine",
     &ifr_calibrate_argp},
	{"variants", ifr_command_variants, "make layouts of a program", &ifr_variants_argp},
	{"run", ifr_command_run, "run a program once in one layout", &ifr_run_argp},
	{"layout", ifr_command_layout, "print a layout as a plan that pins each unit", &ifr_layout_argp},
	{"align", ifr_command_align, "give two builds of a program equal addresses", &ifr_align_argp},
	{"pin", ifr_command_pin, "give a linked program the layout of a plan", &ifr_pin_argp},
	{"verify", ifr_command_verify, "check that variants differ in their layout only", &ifr_verify_argp},
	{"heap", ifr_command_heap, "compare allocators in a program: page offsets, time, memory", &ifr_heap_argp},
	{"limit", ifr_command_limit, "make a long-running program end after a budget of time", &ifr_limit_argp},
	{"report", ifr_command_report, "report an experiment: text, HTML, figures, JSON", &ifr_report_argp},
	{"blame", ifr_command_blame, "find the code that makes the layouts differ", &ifr_blame_argp},
	{"explain", ifr_command_explain, "show what the compiler's axes did to a program", &ifr_explain_argp},
	{"record", ifr_command_record, "record a program's execution without addresses", &ifr_record_argp},
	{"replay", ifr_command_replay, "count a recording's events in any layout, on any machine", &ifr_replay_argp},
	{"icost", ifr_command_icost, "tell where the cycles go, and which causes overlap", &ifr_icost_argp},
	{"place", ifr_command_place, "find functions in their own way, and places for them", &ifr_place_argp},
	{"misses", ifr_command_misses, "find the loads that miss, and in which context", &ifr_misses_argp},
	{"predict", ifr_command_predict, "predict cycles under other branch predictors", &ifr_predict_argp},
	{"trace", ifr_command_trace, "print or check a recording", &ifr_trace_argp},
	{"pack", ifr_command_pack, "pack an experiment, to run it again elsewhere", &ifr_pack_argp},
	{"merge", ifr_command_merge, "make one experiment of several", &ifr_merge_argp},
	{"piece", ifr_command_piece, "measure a piece of a campaign on a cluster's node", &ifr_piece_argp},
	{"import", ifr_command_import, "make an experiment from other tools' measurements", &ifr_import_argp},
	{"kit", ifr_command_kit, "manage captured links", &ifr_kit_argp},
	{"probe", ifr_command_probe, "find out how a processor is organised by running on it", &ifr_probe_argp},
	{"doctor", ifr_command_doctor, "show what this machine can measure, and what disturbs it", &ifr_doctor_argp},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

void ifr_command_say(const char *text) {
	struct ifr_buffer line = {0};
	ifr_escape_plain(&line, text);
	fprintf(stderr, "interfero: %s\n", ifr_buffer_text(&line));
	ifr_buffer_release(&line);
}

int ifr_command_failed(const struct ifr_error *err) {
	ifr_command_say(err->message);
	return err->code ? err->code : IFR_E_BUG;
}

int ifr_command_print(const struct ifr_buffer *text, struct ifr_error *err) {
	return fwrite(text->data, 1, text->length, stdout) == text->length && !fflush(stdout)
	           ? 0
	           : ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
}

void ifr_command_note(const char *format, ...) {
	va_list args;
	char *text = NULL;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	ifr_command_say(text ? text : format);
	free(text);
}

static int help(void) {
	printf("Usage: interfero COMMAND [OPTIONS]\n"
	       "Measures many layouts of a program, and tells changes from layout effects.\n"
	       "\n");
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	printf("\n"
	       "First build with interfero's compiler, then measure:\n"
	       "  make CC=interfero-gcc\n"
	       "  interfero bench -- ./prog args\n"
	       "\n"
	       "\"interfero help COMMAND\" explains a command.\n"
	       "\n"
	       "Exit status: 0 fine, 1 a difference was found, 2 usage, 3 the program failed,\n"
	       "4 the machine or a file, 70 our bug, 130 interrupted.\n");
	return 0;
}

static bool checked; /* the command has ended, and its output with it */

/* Whether all that was printed has reached standard output; says so where it has not. */
static bool output_is_whole(void) {
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	fprintf(stderr, "interfero: cannot write to standard output: %s\n", strerror(errno));
	return false;
}

/* argp prints help and ends the process by itself. */
static void check_output_at_exit(void) {
	if (!checked && !output_is_whole())
		_exit(IFR_E_ENVIRONMENT);
}

/* A command that has failed said why; a result that was lost is a failure of its own. */
static int end(int status) {
	const bool said = status && status != IFR_E_REGRESSION;
	checked = true;
	return said || output_is_whole() ? status : IFR_E_ENVIRONMENT;
}

static const struct ifr_command *find_command(const char *name) {
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	fprintf(stderr, "interfero: there is no command \"%s\"; interfero --help lists them\n", name);
	return NULL;
}

static int run_command(const struct ifr_command *command, int argc, char **argv) {
	char help[] = "--help", *name = ifr_format("interfero %s", command->name);
	argv[0] = name;
	if (argc > 1 && !strcmp(argv[1], "-h"))
		argv[1] = help;
	int status = command->run(argc, argv);
	free(name);
	return status;
}

/* interfero help COMMAND */
static int explain_command(char *name) {
	char option[] = "--help";
	char *words[] = {name, option, NULL};
	const struct ifr_command *command = find_command(name);
	return command ? run_command(command, 2, words) : IFR_E_USAGE;
}

/* interfero --completions SHELL, for make install */
static int complete(const char *shell) {
	if (print_completions(shell, commands, COMMANDS))
		return 0;
	fprintf(stderr, "interfero: there are no completions for \"%s\"; bash, zsh and fish have them\n", shell);
	return IFR_E_USAGE;
}

int main(int argc, char **argv) {
	argp_err_exit_status = IFR_E_USAGE;
	atexit(check_output_at_exit);
	if (argc > 2 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help")))
		return explain_command(argv[2]);
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help();
		return argc < 2 ? IFR_E_USAGE : 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("%s\n", argp_program_version);
		return 0;
	}
	if (!strcmp(argv[1], "--completions"))
		return complete(argc > 2 ? argv[2] : "bash");
	const struct ifr_command *command = find_command(argv[1]);
	return command ? end(run_command(command, argc - 1, argv + 1)) : IFR_E_USAGE;
}
