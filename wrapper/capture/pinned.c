/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives a captured program the layout that the build asks for, by the command "interfero pin". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/plain_text.h"
#include "common/process.h"
#include "wrapper/capture/capture.h"

/* The command interfero, seen from the folder of linkers; the caller frees. */
static char *find_interfero(void) {
	char *self = ifr_path_self(), *folder = ifr_path_dir(self ? self : ".");
	char *path = ifr_format("%s/../../../bin/interfero", folder);
	free(folder);
	free(self);
	return path;
}

/* The first line without the command's name, which every message of ours begins with. */
static char *first_line(const struct ifr_buffer *text) {
	const char *line = ifr_buffer_text(text), *name = "interfero: ";
	line += ifr_starts_with(line, name) ? strlen(name) : 0;
	return ifr_format("%.*s", (int)strcspn(line, "\n"), line);
}

static void say(const char *kind, const char *text) {
	struct ifr_buffer line = {0};
	ifr_escape_plain(&line, text);
	fprintf(stderr, "interfero: %s%s\n", kind, ifr_buffer_text(&line));
	ifr_buffer_release(&line);
}

int ifr_link_pin(const char *output, const char *plan, struct ifr_error *err) {
	char *interfero = find_interfero(), *option = ifr_format("--plan=%s", plan);
	const char *const argv[] = {interfero, "pin", option, "--", output, NULL};
	/* Links of the command are its own affair. */
	const char *const without[] = {"INTERFERO_LAYOUT", "INTERFERO_PLAN", NULL};
	struct ifr_buffer out = {0}, errors = {0};
	const struct ifr_process process = {.argv = argv, .set_env = without, .out = &out, .errors = &errors};
	int status = 0, result = ifr_process_run(&process, &status, err);
	char *failure = first_line(&errors), *missing = first_line(&out);
	if (!result && status)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s", *failure ? failure : "the command interfero was ended");
	else if (!result && *missing)
		say("", missing);
	free(missing);
	free(failure);
	ifr_buffer_release(&errors);
	ifr_buffer_release(&out);
	free(option);
	free(interfero);
	return result;
}

int ifr_link_report_unpinned(const char *output, const char *plan, const char *why) {
	const char *strict = getenv("INTERFERO_LAYOUT_STRICT");
	const bool fails = strict && *strict && strcmp(strict, "0");
	char *text =
		fails ? ifr_format("%s is not linked: the layout %s cannot be applied: %s", output, plan, why)
			  : ifr_format("%s keeps the layout of its link, as %s cannot be applied: %s", output, plan, why);
	say(fails ? "" : "warning: ", text);
	free(text);
	return fails ? IFR_E_ENVIRONMENT : 0;
}
