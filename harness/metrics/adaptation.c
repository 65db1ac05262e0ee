/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that choose their own iterations, told from what two runs of them print.
 *
 * Evidence is an iteration count that both runs name under the same words and that differs: of a framework's line for one
 * benchmark, or of a line that names iterations and is otherwise the same. A program with fixed work prints the same
 * counts, or none, and is not accused; times that differ are no evidence. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

/* --- frameworks, by their usual output -------------------------------------------------------------------------- */

/* Google Benchmark's table: "NAME  12.3 ns  12.1 ns  5000000 …". */
static void google_table_parse(const char *text, struct ifr_observations *observations) {
	const char *head = strstr(text, "Benchmark ");
	if (!head || !strstr(head, "Iterations"))
		return;
	while (*head && observations->count < IFR_OBSERVATIONS_MOST) {
		struct ifr_strings fields = {0};
		size_t length = strcspn(head, "\n");
		char *line = ifr_format("%.*s", (int)length, head);
		ifr_strings_split(&fields, line, " \t\r");
		if (fields.count >= 6 && isdigit((unsigned char)*fields.items[5]) &&
		    isdigit((unsigned char)*fields.items[1]))
			observations_add_time(observations, fields.items[0], strtod(fields.items[1], NULL),
			                      strtod(fields.items[5], NULL));
		ifr_strings_release(&fields);
		free(line);
		head += length + (head[length] == '\n');
	}
}

/* Catch2's table: "NAME  SAMPLES  ITERATIONS  ESTIMATE UNIT", at the end of a line. */
static void catch2_table_parse(const char *text, struct ifr_observations *observations) {
	const char *line = strstr(text, "benchmark name");
	if (!line || !strstr(line, "iterations"))
		return;
	while (*line && observations->count < IFR_OBSERVATIONS_MOST) {
		struct ifr_strings fields = {0};
		size_t length = strcspn(line, "\n");
		char *copy = ifr_format("%.*s", (int)length, line);
		ifr_strings_split(&fields, copy, " \t\r");
		size_t n = fields.count;
		if (n >= 5 && strspn(fields.items[n - 3], "0123456789") == strlen(fields.items[n - 3]) &&
		    strspn(fields.items[n - 4], "0123456789") == strlen(fields.items[n - 4])) {
			char *name = ifr_format("%.*s", (int)(strstr(copy, fields.items[n - 4]) - copy), copy);
			observations_add_time(observations, name, 0, strtod(fields.items[n - 3], NULL));
			free(name);
		}
		ifr_strings_release(&fields);
		free(copy);
		line += length + (line[length] == '\n');
	}
}

/* Criterion's lines: "NAME  time:   [1.23 us 1.25 us 1.27 us]". They name no iterations. */
static void criterion_lines_parse(const char *text, struct ifr_observations *observations) {
	const char *line = strstr(text, "time:   [");
	if (line)
		observations_add_time(observations, "", 0, 0);
}

static const struct {
	const char *title, *option;
	void (*parse)(const char *text, struct ifr_observations *observations);
} outputs[] = {
	{"Google Benchmark", "google-benchmark", google_table_parse},
	{"Google Benchmark", "google-benchmark", google_benchmark_parse},
	{"Catch2", "catch2", catch2_table_parse},
	{"Catch2", "catch2", catch2_parse},
	{"Go", "go", go_parse},
	{"libtest", "libtest", libtest_parse},
	{"Criterion", "criterion", criterion_lines_parse},
	{"nanobench", "nanobench", nanobench_parse},
};

static bool iterations_differ(const struct ifr_observations *first, const struct ifr_observations *second) {
	for (size_t i = 0; i < first->count && i < second->count; i++) {
		const struct ifr_observation *a = &first->items[i], *b = &second->items[i];
		if (!strcmp(a->benchmark, b->benchmark) && a->iterations > 0 && b->iterations > 0 &&
		    a->iterations != b->iterations)
			return true;
	}
	return false;
}

/* --- any program ------------------------------------------------------------------------------------------------ */

/* Plurals: "iteration 3" is the number of an iteration. */
static const char *const words[] = {"iterations", "iters", "loops", "rounds"};
enum { WORDS = sizeof words / sizeof *words };

static bool begins_with_word(const char *text) {
	for (size_t i = 0; i < WORDS; i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Whether text, of length bytes, ends with a word. */
static bool ends_with_word(const char *text, size_t length) {
	for (size_t i = 0; i < WORDS; i++) {
		size_t bytes = strlen(words[i]);
		if (length >= bytes && !strncasecmp(text + length - bytes, words[i], bytes))
			return true;
	}
	return false;
}

/* Whether the lines are the same but for one whole number right beside a word: "iterations: 500", "ran 500 loops". */
static bool differ_in_count(const char *a, const char *b) {
	const char *start = a;
	while (*a && *a == *b) {
		a++;
		b++;
	}
	/* Back to the start of the number in which they part. */
	while (a > start && isdigit((unsigned char)a[-1])) {
		a--;
		b--;
	}
	size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
	const char *end = a + digits_a, *before = a;
	if (!digits_a || !digits_b || strcmp(end, b + digits_b) || *end == '.' || (a > start && strchr(".,", a[-1])))
		return false;
	while (before > start && strchr(" \t:=", before[-1]))
		before--;
	return begins_with_word(end + strspn(end, " \t")) || ends_with_word(start, (size_t)(before - start));
}

static bool lines_differ(const char *first, const char *second) {
	while (*first && *second) {
		size_t length = strcspn(first, "\n"), other = strcspn(second, "\n");
		char *a = ifr_format("%.*s", (int)length, first), *b = ifr_format("%.*s", (int)other, second);
		bool found = strcmp(a, b) && differ_in_count(a, b);
		free(a);
		free(b);
		if (found)
			return true;
		first += length + (first[length] == '\n');
		second += other + (second[other] == '\n');
	}
	return false;
}

void ifr_adaptation_recognise(const char *first, const char *second, struct ifr_adaptation *adaptation) {
	*adaptation = (struct ifr_adaptation){0};
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs && !adaptation->framework; i++) {
		struct ifr_observations a = {0}, b = {0};
		outputs[i].parse(first, &a);
		if (a.count)
			outputs[i].parse(second, &b);
		if (a.count && b.count) {
			adaptation->framework = outputs[i].title;
			adaptation->option = outputs[i].option;
			adaptation->differs = iterations_differ(&a, &b);
		}
		ifr_observations_release(&a);
		ifr_observations_release(&b);
	}
	if (!adaptation->framework)
		adaptation->differs = lines_differ(first, second);
}
