/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of go test -bench: "BenchmarkName-8  1000000  1234 ns/op  16 B/op". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

/* The value of "… VALUE ns/op …"; NaN if there is none. */
static double find_time(char *const *fields, size_t count) {
	for (size_t i = 2; i + 1 < count; i += 2) {
		char *end;
		double value = strtod(fields[i], &end);
		if (!strcmp(fields[i + 1], "ns/op") && end != fields[i] && !*end)
			return value;
	}
	return NAN;
}

static void parse_line(const char *line, struct ifr_observations *observations) {
	struct ifr_strings fields = {0};
	ifr_strings_split(&fields, line, " \t\r");
	if (fields.count >= 4 && isdigit((unsigned char)fields.items[1][0])) {
		double time = find_time(fields.items, fields.count), iterations = strtod(fields.items[1], NULL);
		if (isfinite(time) && isfinite(iterations))
			observations_add_time(observations, fields.items[0], time, iterations);
	}
	ifr_strings_release(&fields);
}

void go_parse(const char *text, struct ifr_observations *observations) {
	while (*text && observations->count < IFR_OBSERVATIONS_MOST) {
		size_t length = strcspn(text, "\n");
		if (ifr_starts_with(text, "Benchmark")) {
			char *line = ifr_format("%.*s", (int)length, text);
			parse_line(line, observations);
			free(line);
		}
		text += length + (text[length] == '\n');
	}
}
