/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/report/next_budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

/* A word of a recorded command, quoted as it stands there. */
struct word {
	const char *text;
	size_t length;
};

static bool next_word(const char **at, struct word *word) {
	const char *c = *at + strspn(*at, " ");
	*word = (struct word){.text = c};
	for (bool quoted = false; *c && (quoted || *c != ' '); c++) {
		if (*c == '\\' && !quoted && c[1])
			c++;
		else if (*c == '\'')
			quoted = !quoted;
	}
	word->length = (size_t)(c - word->text);
	*at = c;
	return word->length > 0;
}

/* Takes "--budget=TIME", or "--budget" and the word behind; *at goes on behind them. */
static bool take_budget(const struct word *word, const char **at, struct word *budget) {
	static const char option[] = "--budget";
	const size_t length = sizeof option - 1;
	if (strncmp(word->text, option, length))
		return false;
	if (word->length == length)
		return next_word(at, budget);
	*budget = (struct word){word->text + length + 1, word->length - length - 1};
	return word->text[length] == '=';
}

/* Seconds of "90s", "5m", "1h" or "500ms"; 0 for something else. */
static double parse_seconds(const struct word *time) {
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
	char *end;
	const double number = strtod(time->text, &end);
	const size_t rest = time->length - (size_t)(end - time->text);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].unit) == rest && !strncmp(end, units[i].unit, rest))
			return number * units[i].seconds;
	return 0;
}

static bool find_budget(const struct ifr_dataset *dataset, double *seconds) {
	const char *at = ifr_dataset_fact(dataset, "options");
	struct word word, budget;
	while (at && next_word(&at, &word))
		if (take_budget(&word, &at, &budget)) {
			*seconds = parse_seconds(&budget);
			return true;
		}
	return false;
}

static double cost_seconds(const struct ifr_dataset *dataset, const char *fact) {
	const char *text = ifr_dataset_fact(dataset, fact);
	return text ? strtod(text, NULL) / 1e9 : 0;
}

/* Runs of each layout and repetition: one for each pass, and its part of the twins. */
static double count_passes(const struct ifr_dataset *dataset, size_t *measured) {
	unsigned passes = 0;
	*measured = 0;
	for (size_t i = 0; i < dataset->run_count; i++) {
		*measured += !dataset->runs[i].simulated;
		if (!dataset->runs[i].simulated && dataset->runs[i].pass >= passes)
			passes = dataset->runs[i].pass + 1;
	}
	return passes;
}

double next_seconds(const struct ifr_dataset *dataset, size_t layouts, size_t runs) {
	const double run = cost_seconds(dataset, "run cost_ns"), copy = cost_seconds(dataset, "copy cost_ns"),
				 layout = cost_seconds(dataset, "layout cost_ns");
	unsigned programs = 1;
	size_t measured;
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].program >= programs)
			programs = dataset->variants[i].program + 1;
	const double passes = count_passes(dataset, &measured);
	const double all = (double)programs * (double)(layouts + 1), have = (double)dataset->variant_count,
				 missing = all * (double)runs * passes - (double)measured;
	if (!(run > 0) || !measured)
		return NAN;
	return fmax(missing, 0) * (run + copy / passes) + fmax(all - have, 0) * layout;
}

static bool was_measured(const struct ifr_dataset *dataset) {
	size_t measured;
	count_passes(dataset, &measured);
	return measured > 0;
}

/* A budget with a third more than the time, as making layouts and noise take their part. */
static void put_budget(double seconds, struct ifr_buffer *out) {
	const double enough = 1.35 * seconds + 2;
	if (enough < 100)
		ifr_buffer_printf(out, "%.0fs", 10 * ceil(enough / 10));
	else
		ifr_buffer_printf(out, "%.0fm", ceil(enough / 60));
}

void next_put_options(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out) {
	const char *at = ifr_dataset_fact(dataset, "options");
	const double seconds = next_seconds(dataset, layouts, runs);
	struct word word, budget;
	while (at && next_word(&at, &word)) {
		if (!take_budget(&word, &at, &budget)) {
			ifr_buffer_printf(out, " %.*s", (int)word.length, word.text);
		} else if (parse_seconds(&budget) >= 1.35 * seconds + 2 || (isnan(seconds) && was_measured(dataset))) {
			ifr_buffer_printf(out, " --budget %.*s", (int)budget.length, budget.text);
		} else if (!isnan(seconds)) {
			ifr_buffer_puts(out, " --budget ");
			put_budget(seconds, out);
		}
	}
}

void next_put_time(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out) {
	double budget;
	const double seconds = next_seconds(dataset, layouts, runs);
	if (isnan(seconds) || !find_budget(dataset, &budget))
		return;
	if (seconds < 100)
		ifr_buffer_printf(out, " (about %.0f s)", fmax(seconds, 1));
	else
		ifr_buffer_printf(out, " (about %.0f min)", seconds / 60);
}

bool next_is_planned(const struct ifr_dataset *dataset, size_t layouts, size_t runs) {
	const char *complete = ifr_dataset_fact(dataset, "complete"),
			   *planned_layouts = ifr_dataset_fact(dataset, "variants planned"),
			   *planned_runs = ifr_dataset_fact(dataset, "rounds planned");
	return complete && ifr_starts_with(complete, "no: ") && planned_layouts && planned_runs &&
	       strtoul(planned_layouts, NULL, 10) >= layouts && strtoul(planned_runs, NULL, 10) >= runs;
}
