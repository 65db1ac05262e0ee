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
	int least;     /* characters of the shortest abbreviation that bench, compare and audit take for it alone */
	bool modelled; /* an option of a replay, too */
} table[] = {
	{"axes", 'a', VALUE, 2, true},         {"set", 'x', VALUE, 3, true},
	{"counters", 'c', VALUE, 3, false},    {"machine", 0, VALUE, 3, true},
	{"core", 0, JOINED_VALUE, 3, false},   {"metric", 'm', VALUE, 6, false},
	{"metrics", 0, VALUE, 7, false},       {"program", 0, VALUE, 3, false},
	{"prepare", 0, VALUE, 3, false},       {"warmup", 0, VALUE, 1, false},
	{"repeat-marker", 0, VALUE, 3, false}, {"timeout", 0, VALUE, 1, true},
	{"cpu", 0, VALUE, 2, false},           {"keep-aslr", 0, NO_VALUE, 5, false},
	{"stdin", 0, VALUE, 2, true},          {"env", 0, VALUE, 2, true},
	{"expect-exit", 0, VALUE, 2, false},   {"ignore-output", 0, NO_VALUE, 2, false},
	{"one-file", 0, NO_VALUE, 2, false},
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

static bool put_options(const struct ifr_strings *words, bool modelled, struct ifr_buffer *out) {
	bool has_metric = false;
	for (size_t i = 0; i < words->count;) {
		size_t taken = 0;
		bool shown = false;
		for (size_t j = 0; j < sizeof table / sizeof *table && !taken; j++) {
			taken = match_option(&table[j], words->items[i]);
			shown = !modelled || table[j].modelled;
			has_metric |= taken && is_metric(&table[j]);
		}
		for (size_t j = i; shown && j < i + taken && j < words->count; j++) {
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
	if (options && ifr_unquote_shell(options, &words) && !put_options(&words, false, out) && metric &&
	    has_figures) {
		ifr_buffer_puts(out, " -m ");
		ifr_quote_shell(out, metric);
	}
	ifr_strings_release(&words);
}

/* The recorded command, with another program. */
static void put_command(const char *command, const char *program, struct ifr_buffer *out) {
	struct ifr_strings words = {0};
	ifr_buffer_puts(out, " -- ");
	if (!program || !ifr_unquote_shell(command, &words)) {
		ifr_buffer_puts(out, command);
	} else {
		ifr_quote_shell(out, program);
		for (size_t i = 1; i < words.count; i++) {
			ifr_buffer_puts(out, " ");
			ifr_quote_shell(out, words.items[i]);
		}
	}
	ifr_strings_release(&words);
}

void next_put_icost(const struct ifr_dataset *dataset, const char *program, size_t layouts,
                    struct ifr_buffer *out) {
	const char *options = ifr_dataset_fact(dataset, "options"), *seed = ifr_dataset_fact(dataset, "seed");
	const char *command = ifr_dataset_fact(dataset, "command");
	struct ifr_strings words = {0};
	if (!options || ifr_dataset_fact(dataset, "sweep") || !next_can_run(dataset) || next_is_driven(dataset) ||
	    !next_runs_itself(dataset))
		return;
	next_begin(dataset, out);
	ifr_buffer_puts(out, "interfero icost --across");
	if (ifr_unquote_shell(options, &words))
		put_options(&words, true, out);
	if (!ifr_dataset_fact(dataset, "machine"))
		ifr_buffer_puts(out, " --machine native");
	ifr_buffer_printf(out, " -n %zu -s %s", layouts, seed ? seed : "1");
	put_command(command, program, out);
	next_end(dataset, out);
	ifr_strings_release(&words);
}
