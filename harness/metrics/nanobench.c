/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ankerl::nanobench: its table ("|  ns/op |  op/s |  err% |  total | benchmark"), or its JSON template. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

enum { CELL_MOST = 24 };

/* Copies the cell of a row, without blanks and without the commas of numbers; false if the row has no such cell, or a
 * long one. Cells are between bars; the text behind the last bar is none. */
static bool take_cell(const char *row, size_t length, size_t cell, char text[CELL_MOST]) {
	const char *end = row + length, *from = row;
	for (size_t i = 0; i <= cell; i++) {
		from = memchr(from, '|', (size_t)(end - from));
		if (!from)
			return false;
		from++;
	}
	const char *to = memchr(from, '|', (size_t)(end - from));
	size_t used = 0;
	for (; to && from < to; from++)
		if (!strchr(" ,", *from)) {
			if (used + 1 >= CELL_MOST)
				return false;
			text[used++] = *from;
		}
	text[used] = '\0';
	return to != NULL;
}

/* Finds the column of a time for one operation, such as "ns/op"; stores the unit's nanoseconds. */
static bool find_column(const char *row, size_t length, size_t *column, double *unit_ns) {
	char text[CELL_MOST];
	for (size_t i = 0; take_cell(row, length, i, text); i++) {
		char *slash = strchr(text, '/');
		if (!slash)
			continue;
		*slash = '\0';
		*unit_ns = time_unit_ns(text);
		*column = i;
		if (isfinite(*unit_ns))
			return true;
	}
	return false;
}

/* "| 12.5 | … | `name`" */
static void parse_row(const char *row, size_t length, size_t column, double unit_ns,
                      struct ifr_observations *observations) {
	char text[CELL_MOST], *end;
	const char *name = memchr(row, '`', length),
			   *close = name ? memchr(name + 1, '`', length - (size_t)(name + 1 - row)) : NULL;
	if (!close || !take_cell(row, length, column, text))
		return;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value))
		return;
	char *benchmark = ifr_format("%.*s", (int)(close - name - 1), name + 1);
	observations_add_time(observations, benchmark, value * unit_ns, 0);
	free(benchmark);
}

static void parse_table(const char *text, struct ifr_observations *observations) {
	bool headed = false;
	size_t column = 0;
	double unit_ns = 1;
	while (*text && observations->count < IFR_OBSERVATIONS_MOST) {
		size_t length = strcspn(text, "\n");
		if (*text != '|')
			headed = false;
		else if (!headed)
			headed = find_column(text, length, &column, &unit_ns);
		else
			parse_row(text, length, column, unit_ns, observations);
		text += length + (text[length] == '\n');
	}
}

/* Times are in seconds. */
static void parse_json(json_t *root, struct ifr_observations *observations) {
	json_t *one;
	size_t i;
	json_array_foreach(json_object_get(root, "results"), i, one) {
		const char *name = json_string_value(json_object_get(one, "name"));
		json_t *median = json_object_get(one, "median(elapsed)");
		if (name && json_is_number(median) && observations->count < IFR_OBSERVATIONS_MOST)
			observations_add_time(observations, name, 1e9 * json_number_value(median),
			                      fmax(json_number_value(json_object_get(one, "sum(iterations)")), 0));
	}
}

void nanobench_parse(const char *text, struct ifr_observations *observations) {
	json_t *root = json_find(text, "results");
	if (root)
		parse_json(root, observations);
	json_decref(root);
	if (!observations->count)
		parse_table(text, observations);
}
