/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports as text or JSON, for tests that look for words and numbers in them. */
#ifndef IFR_TESTS_REPORT_READ_H
#define IFR_TESTS_REPORT_READ_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "harness/report/report.h"
#include "tests/unit/report_made.h"

static inline struct ifr_analysis *analysed(const struct ifr_dataset *dataset, const char *metric) {
	struct ifr_analysis *analysis = NULL;
	struct ifr_error err = {0};
	if (ifr_analysis_make(dataset, metric, &analysis, &err))
		fail_msg("%s", err.message);
	return analysis;
}

/* Makes one space of each run of white space, so that words can be found wherever lines end. */
static inline void join_lines(char *text) {
	char *to = text;
	for (const char *from = text; *from; from++) {
		char c = *from == '\n' ? ' ' : *from;
		if (c != ' ' || to == text || to[-1] != ' ')
			*to++ = c;
	}
	*to = '\0';
}

/* The report as text without its line ends; the caller frees. Fails where a line is too wide or a number is none.
 */
static inline char *as_text(const struct ifr_analysis *analysis) {
	struct ifr_buffer out = {0};
	ifr_report_text(analysis, false, &out);
	char *text = ifr_buffer_detach(&out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("wider than 80 columns: %.100s", line);
	join_lines(text);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	return text;
}

static inline char *text_of(const struct recipe *recipe, unsigned long seed, const char *metric) {
	struct ifr_dataset dataset;
	fill(&dataset, recipe, seed);
	struct ifr_analysis *analysis = analysed(&dataset, metric);
	char *text = as_text(analysis);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return text;
}

static inline json_t *json_of(const struct ifr_analysis *analysis) {
	struct ifr_buffer out = {0};
	json_error_t error;
	ifr_report_json(analysis, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, &error);
	if (!root)
		fail_msg("%s at line %d", error.text, error.line);
	ifr_buffer_release(&out);
	return root;
}

/* Follows "analysis.spread.f". */
static inline json_t *follow(json_t *root, const char *path) {
	char *copy = ifr_strdup(path), *rest = copy;
	for (char *key; root && (key = strsep(&rest, "."));)
		root = json_object_get(root, key);
	free(copy);
	return root;
}

static inline double number(json_t *root, const char *path) {
	json_t *value = follow(root, path);
	if (!json_is_number(value))
		fail_msg("%s is not a number", path);
	return json_number_value(value);
}

static inline void says(const char *text, const char *words) {
	if (!strstr(text, words))
		fail_msg("does not say \"%s\":\n%s", words, text);
}

static inline void says_not(const char *text, const char *words) {
	if (strstr(text, words))
		fail_msg("says \"%s\":\n%s", words, text);
}

#endif
