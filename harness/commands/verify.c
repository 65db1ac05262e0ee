/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero verify: checks that variants differ from the program in their layout only. */
#include "harness/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/output/output.h"

struct options {
	struct ifr_verify verify;
	bool json, quiet;
};

static error_t parse_word(const char *word, struct argp_state *state) {
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

/* program: NULL where it is missing, too. */
static void refuse_missing(struct argp_state *state, const char *program) {
	struct ifr_buffer name = {0};
	ifr_quote_shell(&name, program ? program : "./prog");
	argp_error(state,
	           "name the program and the folder of its variants: interfero variants -o DIR %s writes them, "
	           "interfero verify %s DIR checks them",
	           ifr_buffer_text(&name), ifr_buffer_text(&name));
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
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
		return parse_word(argument, state);
	case ARGP_KEY_END:
		if (!options->verify.folder)
			refuse_missing(state, options->verify.program);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"timeout", 't', "TIME", 0, "The longest time of one run of the test (60s)", 0},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 0},
	{"quiet", 'q', NULL, 0, "Print errors only; the exit status gives the result", 0},
	{0},
};
const struct argp ifr_verify_argp = {
	table,
	parse_option,
	"PROGRAM DIR [-- TEST COMMAND]",
	"Check that the variants in DIR differ from PROGRAM in their layout only.\v"
	"Each file NAME in DIR with NAME.plan beside it is checked:\n"
	"\n"
	"  file       it is a whole ELF file\n"
	"  shape      sections, segments and alignments\n"
	"  symbols    the symbol table\n"
	"  functions  inside their sections, without overlap\n"
	"  frames     the frame table\n"
	"  unwind     unwinding from every function\n"
	"  addresses  relocations, dynamic tags, entry point\n"
	"  build-id   made from the kit and the plan\n"
	"  plan       the plan makes the same bytes again\n"
	"  bodies     functions without their nops are the shipped ones\n"
	"  test       output and exit status of TEST COMMAND\n"
	"\n"
	"The compiler's axes change the sizes of functions: their variants are checked for build-id, plan, bodies "
	"and test only, and for no bodies under axes that change code. TEST COMMAND runs twice for "
	"PROGRAM, which must behave alike both times, and once for each variant, which replaces {}, inside "
	"words too, and PROGRAM in it. Its environment is PATH, HOME and LC_ALL=C, its standard input /dev/null.\n"
	"\n"
	"Exit status: 0 no variant differs, 1 a variant differs.",
	NULL,
	NULL,
	NULL};

static int print_verification(const struct options *options, const struct ifr_verification *done,
                              struct ifr_error *err) {
	struct ifr_buffer text = {0};
	if (options->json)
		ifr_verification_json(&options->verify, done, &text);
	else if (!options->quiet)
		ifr_verification_text(done, &text);
	const int result = ifr_command_print(&text, err);
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
	if (!result && !interrupted && done.edit && !options.quiet)
		ifr_command_say(done.edit);
	if (!result && !interrupted)
		result = print_verification(&options, &done, &err);
	ifr_verification_release(&done);
	if (interrupted) {
		ifr_command_note("interrupted");
		return STOPPED_BY_INTERRUPT;
	}
	return result ? ifr_command_failed(&err) : differ ? IFR_E_REGRESSION : 0;
}
