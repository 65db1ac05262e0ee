/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a recorded command line that decide what is measured, for another command on the same program. */
#include <stdbool.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/next_command.h"

enum value { NO_VALUE, VALUE, JOINED_VALUE /* --core, or --core=HOW */ };

static const struct measuring_option {
	const char *name;
	char letter;
	enum value value;
	int least; /* characters of the shortest abbreviation that bench, compare and audit take for it alone */
} table[] = {
	{"axes", 'a', VALUE, 2},      {"set", 'x', VALUE, 3},         {"counters", 'c', VALUE, 3},
	{"machine", 0, VALUE, 3},     {"core", 0, JOINED_VALUE, 3},   {"metric", 'm', VALUE, 6},
	{"metrics", 0, VALUE, 7},     {"program", 0, VALUE, 3},       {"prepare", 0, VALUE, 3},
	{"warmup", 0, VALUE, 1},      {"repeat-marker", 0, VALUE, 3}, {"timeout", 0, VALUE, 1},
	{"cpu", 0, VALUE, 2},         {"keep-aslr", 0, NO_VALUE, 5},  {"stdin", 0, VALUE, 2},
	{"env", 0, VALUE, 2},         {"expect-exit", 0, VALUE, 2},   {"ignore-output", 0, NO_VALUE, 2},
	{"one-file", 0, NO_VALUE, 2},
};

static bool is_long(const struct measuring_option *option, const char *word) {
	const size_t length = strncmp(word, "--", 2) ? 0 : strcspn(word + 2, "=");
	return length >= (size_t)option->least && length <= strlen(option->name) &&
	       !strncmp(word + 2, option->name, length);
}

/* The words that the option takes here: 0 for another option. */
static size_t match_option(const struct measuring_option *option, const char *word) {
	const bool is_short = option->letter && word[0] == '-' && word[1] == option->letter;
	if (!is_short && !is_long(option, word))
		return 0;
	const bool has_value = is_short ? word[2] != '\0' : strchr(word, '=') != NULL;
	return option->value == VALUE && !has_value ? 2 : 1;
}

/* Whether the word gives the metric. */
static bool is_metric(const struct measuring_option *option) {
	return option->letter == 'm';
}

static bool put_options(const struct ifr_strings *words, struct ifr_buffer *out) {
	bool has_metric = false;
	for (size_t i = 0; i < words->count;) {
		size_t taken = 0;
		for (size_t j = 0; j < sizeof table / sizeof *table && !taken; j++) {
			taken = match_option(&table[j], words->items[i]);
			has_metric |= taken && is_metric(&table[j]);
		}
		for (size_t j = i; j < i + taken && j < words->count; j++) {
			ifr_buffer_puts(out, " ");
			ifr_quote_shell(out, words->items[j]);
		}
		i += taken ? taken : 1;
	}
	return has_metric;
}

void next_put_measuring(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out) {
	const char *options = ifr_dataset_fact(dataset, "options");
	const char *figures = ifr_dataset_fact(dataset, "metrics");
	const bool has_figures = figures && strcmp(figures, "none") != 0;
	struct ifr_strings words = {0};
	if (options && ifr_unquote_shell(options, &words) && !put_options(&words, out) && metric && has_figures) {
		ifr_buffer_puts(out, " -m ");
		ifr_quote_shell(out, metric);
	}
	ifr_strings_release(&words);
}
