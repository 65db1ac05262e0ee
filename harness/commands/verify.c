/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero verify: whether variants are the program in another layout, and nothing else. */
#include "harness/verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"

struct options {
	struct ifr_verify verify;
	bool json, quiet;
};

static error_t take_word(const char *word, struct argp_state *state) {
	struct options *options = state->input;
	bool behind_dashes = state->next >= 2 && !strcmp(state->argv[state->next - 2], "--");
	if (!options->verify.program && !behind_dashes)
		options->verify.program = word;
	else if (!options->verify.folder && !behind_dashes)
		options->verify.folder = word;
	else if (!behind_dashes)
		argp_error(state, "the test command goes behind \"--\", and \"%s\" stands before it", word);
	else {
		options->verify.test = state->argv + state->next - 1;
		state->next = state->argc;
	}
	return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 't':
		if (option_duration("--timeout", argument, &options->verify.timeout_ns, &err))
			option_refuse(state, &err);
		return 0;
	case ARGP_KEY_ARG:
		return take_word(argument, state);
	case ARGP_KEY_END:
		if (!options->verify.folder)
			argp_error(state, "name the program and the folder of its variants: interfero verify ./prog DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"timeout", 't', "TIME", 0, "The longest that one run of the test may take (60s)", 0},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 0},
	{"quiet", 'q', NULL, 0, "Print nothing but errors; the exit status tells", 0},
	{0},
};
const struct argp ifr_verify_argp = {
	table,
	parse,
	"PROGRAM DIR [-- TEST COMMAND]",
	"Check that the variants in DIR are PROGRAM in another layout, and nothing else.\v"
	"For each file NAME in DIR with NAME.plan beside it: file (a whole ELF file), shape (sections, segments, "
	"alignment), symbols, functions (inside their sections, apart), frames (the frame table), unwind (from every "
	"function), addresses (relocations, dynamic tags, entry point), build-id, plan (the plan makes the same bytes "
	"again). Of variants under the compiler's axes, which change the sizes of functions: build-id, plan, and "
	"bodies (in "
	"each unit that the plan moves code in, the functions without nops are the shipped ones; not under frames and "
	"globals, which change code). Then test: the command is run with {} and PROGRAM replaced by the variant, and "
	"its output and exit "
	"status are compared with those of PROGRAM. Its environment is PATH, HOME and LC_ALL=C, its standard input "
	"/dev/null. Exit status: 0 all are fine, 1 a variant differs.",
	NULL,
	NULL,
	NULL};

static int print(const struct options *options, const struct ifr_verification *done, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (options->json)
		ifr_verification_json(&options->verify, done, &text);
	else if (!options->quiet)
		ifr_verification_text(done, &text);
	if (text.length && (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	ifr_buffer_release(&text);
	return result;
}

int ifr_command_verify(int argc, char **argv) {
	struct options options = {.verify.timeout_ns = INT64_C(60000000000)};
	struct ifr_verification done;
	struct ifr_error err = {0};
	argp_parse(&ifr_verify_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	int result = ifr_verify_variants(&options.verify, &done, &err);
	bool interrupted = done.interrupted, differ = done.differing > 0;
	if (!result && !interrupted && *done.note && !options.quiet)
		ifr_command_note("compared with %s as its kit links it: %s", options.verify.program, done.note);
	if (!result && !interrupted)
		result = print(&options, &done, &err);
	ifr_verification_release(&done);
	if (interrupted) {
		ifr_command_note("interrupted");
		return STOPPED_BY_INTERRUPT;
	}
	return result ? ifr_command_failed(&err) : differ ? IFR_E_REGRESSION : 0;
}
