/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero doctor: what this machine can measure, and what disturbs it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/commands/commands.h"
#include "harness/doctor/doctor.h"

struct options {
	bool json;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "nothing more is needed: \"%s\"", argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 0},
	{0},
};
const struct argp ifr_doctor_argp = {
	table,
	parse_option,
	NULL,
	"Say what this machine can measure, and what disturbs it.\v"
	"Each line is ok, warn or bad, with the remedy below. doctor changes nothing.\n"
	"\n"
	"Exit status: 0 interfero works here, 4 something that it needs is missing.",
	NULL,
	NULL,
	NULL};

int ifr_command_doctor(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_checkup checkup;
	struct ifr_buffer text = {0};
	int result = 0;
	argp_parse(&ifr_doctor_argp, argc, argv, 0, NULL, &options);
	ifr_checkup_init(&checkup);
	ifr_checkup_run(&checkup);
	if (options.json)
		ifr_checkup_json(&checkup, &text);
	else
		ifr_checkup_text(&checkup, isatty(1) && !getenv("NO_COLOR"), &text);
	if (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout))
		result = ifr_fail_errno(&err, IFR_E_ENVIRONMENT, "cannot write the findings to standard output");
	int status = ifr_checkup_usable(&checkup) ? 0 : IFR_E_ENVIRONMENT;
	ifr_buffer_release(&text);
	ifr_checkup_release(&checkup);
	return result ? ifr_command_failed(&err) : status;
}
