/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of comma-separated values, and what perf stat -x, prints. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/store/import_parts.h"

/* Splits a line at commas; a field may be quoted, with "" for a quote in it. False where a quote stays open. */
static bool split(const char *line, size_t length, struct ifr_strings *fields) {
	const char *end = line + length;
	struct ifr_buffer field = {0};
	bool quoted = false;
	for (const char *c = line;; c++) {
		if (c < end && *c == '"' && quoted && c + 1 < end && c[1] == '"')
			ifr_buffer_append(&field, c++, 1);
		else if (c < end && *c == '"' && (quoted || !field.length))
			quoted = !quoted;
		else if (c < end && (*c != ',' || quoted))
			ifr_buffer_append(&field, c, 1);
		else {
			ifr_strings_add(fields, ifr_buffer_text(&field));
			ifr_buffer_clear(&field);
			if (c >= end)
				break;
		}
	}
	ifr_buffer_release(&field);
	return !quoted;
}

static char *trimmed(const char *text) {
	text += strspn(text, " \t\r");
	size_t length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	return ifr_format("%.*s", (int)length, text);
}

/* A number, or NaN for what counts as missing; false for anything else. */
static bool parse_value(const char *field, double *value) {
	char *text = trimmed(field), *end;
	bool missing = !*text || !strcasecmp(text, "na") || !strcasecmp(text, "nan");
	*value = missing ? NAN : strtod(text, &end);
	bool good = missing || (end != text && !*end && isfinite(*value));
	free(text);
	return good;
}

static int parse_header(const struct ifr_strings *fields, const char *origin, struct ifr_dataset *dataset,
                        struct ifr_error *err) {
	for (size_t i = 0; i < fields->count; i++) {
		char *name = trimmed(fields->items[i]), *bracket = strstr(name, " ["), unit[16] = "";
		size_t length = strlen(name);
		if (bracket && name[length - 1] == ']') {
			snprintf(unit, sizeof unit, "%.*s", (int)(name + length - 1 - bracket - 2), bracket + 2);
			*bracket = '\0';
		}
		size_t before = dataset->counter_count;
		bool fits = i == 0   ? !strcmp(name, "variant")
		            : i == 1 ? !strcmp(name, "run")
		                     : *name && import_counter(dataset, name, unit, "imported") >= 0 &&
		                           dataset->counter_count > before;
		int result =
			fits ? 0
				 : ifr_fail(err, IFR_E_USAGE,
		                    "%s:1: the header has to be variant,run and then up to %d counters of different "
		                    "names; column %zu is \"%.60s\"",
		                    origin, IMPORT_COUNTERS_MOST, i + 1, name);
		free(name);
		if (result)
			return result;
	}
	return dataset->counter_count
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE, "%s:1: there is no counter behind variant,run", origin);
}

static int by_round(const void *a, const void *b) {
	const struct ifr_dataset_run *const *x = a, *const *y = b;
	if ((*x)->variant != (*y)->variant)
		return (*x)->variant < (*y)->variant ? -1 : 1;
	return ((*x)->repetition > (*y)->repetition) - ((*x)->repetition < (*y)->repetition);
}

/* No run may be there twice. */
static int check_runs(const struct ifr_dataset *dataset, const char *origin, struct ifr_error *err) {
	const struct ifr_dataset_run **runs = ifr_alloc((dataset->run_count + 1) * sizeof *runs);
	int result = 0;
	for (size_t i = 0; i < dataset->run_count; i++)
		runs[i] = &dataset->runs[i];
	qsort(runs, dataset->run_count, sizeof *runs, by_round);
	for (size_t i = 1; i < dataset->run_count && !result; i++)
		if (!by_round(&runs[i - 1], &runs[i]))
			result = ifr_fail(err, IFR_E_USAGE, "%s: run %u of %s is there twice", origin, runs[i]->repetition,
			                  dataset->variants[runs[i]->variant].name);
	free(runs);
	return result;
}

static int parse_row(const struct ifr_strings *fields, const char *where, struct ifr_dataset *dataset,
                     struct ifr_error *err) {
	if (fields->count != dataset->counter_count + 2)
		return ifr_fail(err, IFR_E_USAGE, "%s: there are %zu columns, and the header has %zu", where,
		                fields->count, dataset->counter_count + 2);
	char *name = trimmed(fields->items[0]), *number = trimmed(fields->items[1]), *end;
	unsigned long round = strtoul(number, &end, 10);
	bool good =
		*name && strlen(name) < IFR_NAME_MAX && isdigit((unsigned char)*number) && !*end && round < 1u << 31;
	size_t variant = good ? import_variant(dataset, name) : 0;
	int result = 0;
	if (!good)
		result = ifr_fail(err, IFR_E_USAGE, "%s: a line begins with a variant's name and a run's number", where);
	free(number);
	free(name);
	if (result)
		return result;
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = (unsigned)variant;
	run->repetition = (unsigned)round;
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!parse_value(fields->items[i + 2], &run->value[i]))
			return ifr_fail(err, IFR_E_USAGE, "%s: column %zu is not a number: \"%.60s\"", where, i + 3,
			                fields->items[i + 2]);
	return 0;
}

int import_csv(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	const char *line = text->text;
	bool has_header = false;
	int result = 0;
	for (size_t number = 1; *line && !result; number++) {
		size_t length = strcspn(line, "\n");
		struct ifr_strings fields = {0};
		char *where = ifr_format("%s:%zu", text->origin, number);
		bool blank = strspn(line, " \t\r") >= length;
		if (!blank && !split(line, length, &fields))
			result = ifr_fail(err, IFR_E_USAGE, "%s: a quote is not closed", where);
		else if (!blank)
			result = has_header ? parse_row(&fields, where, dataset, err)
			                    : parse_header(&fields, text->origin, dataset, err);
		has_header |= !blank;
		ifr_strings_release(&fields);
		free(where);
		line += length + (line[length] == '\n');
	}
	return result ? result : check_runs(dataset, text->origin, err);
}

/* --- perf stat -x, : value,unit,event,time running,share of it in %,… ------------------------------------------
 */

/* One line of a count; false for comments and the rest. */
static bool parse_count(const char *line, size_t length, struct ifr_strings *fields) {
	return length && *line != '#' && split(line, length, fields) && fields->count >= 3 && *fields->items[2];
}

static int add_events(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err) {
	for (const char *line = text->text; *line;) {
		size_t length = strcspn(line, "\n");
		struct ifr_strings fields = {0};
		bool fits = !parse_count(line, length, &fields);
		if (!fits) {
			bool time = ifr_starts_with(fields.items[2], "duration_time");
			fits = import_counter(dataset, fields.items[2], time ? "ns" : fields.items[1], "perf") >= 0;
		}
		ifr_strings_release(&fields);
		if (!fits)
			return ifr_fail(err, IFR_E_USAGE, "%s counts more than %d events", text->origin, IMPORT_COUNTERS_MOST);
		line += length + (line[length] == '\n');
	}
	return 0;
}

static void take_count(const struct ifr_strings *fields, size_t counter, struct ifr_dataset_run *run) {
	const char *event = fields->items[2];
	double share;
	char *why = NULL;
	if (!parse_value(fields->items[0], &run->value[counter]))
		why = ifr_format("%.80s was %.40s", event, fields->items[0]);
	else if (fields->count > 4 && parse_value(fields->items[4], &share) && share < 99.995)
		why = ifr_format("%.80s was counted %.2f %% of the time only", event, share);
	if (why) {
		run->value[counter] = NAN;
		free(run->refused);
		run->refused = why;
	}
}

static void read_counts(const struct ifr_import_text *text, struct ifr_dataset *dataset) {
	size_t variant = import_variant(dataset, ifr_path_base(text->origin));
	bool *seen = ifr_alloc(dataset->counter_count + 1);
	struct ifr_dataset_run *run = NULL;
	for (const char *line = text->text; *line;) {
		size_t length = strcspn(line, "\n");
		struct ifr_strings fields = {0};
		if (parse_count(line, length, &fields)) {
			size_t counter = (size_t)import_counter(dataset, fields.items[2], "", "");
			if (!run || seen[counter]) {
				run = import_run(dataset, variant);
				memset(seen, 0, dataset->counter_count);
			}
			seen[counter] = true;
			take_count(&fields, counter, run);
		}
		ifr_strings_release(&fields);
		line += length + (line[length] == '\n');
	}
	free(seen);
}

int import_perf(const struct ifr_import_text *texts, size_t count, struct ifr_dataset *dataset,
                struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < count && !result; i++)
		result = add_events(&texts[i], dataset, err);
	for (size_t i = 0; i < count && !result; i++)
		read_counts(&texts[i], dataset);
	return result;
}
