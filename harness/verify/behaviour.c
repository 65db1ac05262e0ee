/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test command: its launch and the comparison of outcomes. */
#include "harness/verify/behaviour.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/process.h"

static const char mark[] = "{}";

static bool names_variant(const struct ifr_verify *verify, const char *word) {
	return strstr(word, mark) || !strcmp(word, verify->program);
}

bool test_has_place(const struct ifr_verify *verify) {
	for (char *const *word = verify->test; *word; word++)
		if (names_variant(verify, *word))
			return true;
	return false;
}

/* The word with the path of a variant in place of every mark, and of the program. The caller frees it. */
static char *replace_marks(const struct ifr_verify *verify, const char *word, const char *path) {
	/* a shell would look a bare name up in PATH */
	const char *here = strchr(path, '/') ? "" : "./";
	struct ifr_buffer made = {0};
	if (!strcmp(word, verify->program))
		return ifr_format("%s%s", here, path);
	for (const char *at; (at = strstr(word, mark)); word = at + strlen(mark))
		ifr_buffer_printf(&made, "%.*s%s%s", (int)(at - word), word, here, path);
	ifr_buffer_puts(&made, word);
	return ifr_buffer_detach(&made);
}

int test_run(const struct ifr_verify *verify, const char *path, struct ifr_outcome *outcome,
             struct ifr_error *err) {
	struct ifr_strings words = {0};
	struct ifr_context context;
	ifr_outcome_init(outcome);
	for (char *const *word = verify->test; *word; word++)
		ifr_strings_take(&words, replace_marks(verify, *word, path));
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
