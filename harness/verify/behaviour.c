/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test command: its launch and the comparison of outcomes. */
#include "harness/verify/behaviour.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/process.h"

static bool stands_for_program(const struct ifr_verify *verify, const char *word) {
	return !strcmp(word, "{}") || !strcmp(word, verify->program);
}

bool test_has_place(const struct ifr_verify *verify) {
	for (char *const *word = verify->test; *word; word++)
		if (stands_for_program(verify, *word))
			return true;
	return false;
}

int test_run(const struct ifr_verify *verify, const char *path, struct ifr_outcome *outcome,
             struct ifr_error *err) {
	struct ifr_strings words = {0};
	struct ifr_context context;
	ifr_outcome_init(outcome);
	for (char *const *word = verify->test; *word; word++) {
		if (!stands_for_program(verify, *word))
			ifr_strings_add(&words, *word);
		else /* a shell would look a bare name up in PATH */
			ifr_strings_take(&words, ifr_format("%s%s", strchr(path, '/') ? "" : "./", path));
	}
	assert(words.count); /* an empty command is refused with the options */
	ifr_context_init(&context, NULL);
	char *program = ifr_program_find(words.items[0], NULL);
	struct ifr_launch launch = {
		.program = program,
		.argv = words.items,
		.context = &context,
		.cpu = -1,
		.timeout_ns = verify->timeout_ns,
	};
	int result = program ? ifr_launch_run(&launch, outcome, err)
	                     : ifr_fail(err, IFR_E_ENVIRONMENT, "there is no program \"%s\"", words.items[0]);
	free(program);
	ifr_context_release(&context);
	ifr_strings_release(&words);
	return result;
}

void test_compare(const struct ifr_outcome *wanted, const struct ifr_outcome *got, struct ifr_buffer *finding) {
	size_t same = 0,
		   length = wanted->output.length < got->output.length ? wanted->output.length : got->output.length;
	if (got->timed_out) {
		ifr_buffer_puts(finding, "it did not end in time");
	} else if (got->signal != wanted->signal) {
		ifr_buffer_printf(finding, "it ended by signal %d instead of %d", got->signal, wanted->signal);
	} else if (got->exit_status != wanted->exit_status) {
		ifr_buffer_printf(finding, "it exited with status %d instead of %d", got->exit_status,
		                  wanted->exit_status);
	} else {
		while (same < length && wanted->output.data[same] == got->output.data[same])
			same++;
		if (wanted->output.length != got->output.length || same < length)
			ifr_buffer_printf(finding, "its output differs from byte %zu on (%zu bytes, the program's %zu)", same,
			                  got->output.length, wanted->output.length);
	}
}
