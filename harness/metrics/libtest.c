/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of Rust's own benches: "test NAME ... bench:   1,234.56 ns/iter (+/- 7.89)".
 * Ref: Rust 1.95, library/test/src/bench.rs, fmt_bench_samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

/* A number with commas between its thousands; NaN for anything else. */
static double read_number(const char *text) {
	struct ifr_strings parts = {0};
	struct ifr_buffer digits = {0};
	char *end;
	ifr_strings_split(&parts, text, ",");
	for (size_t i = 0; i < parts.count; i++)
		ifr_buffer_puts(&digits, parts.items[i]);
	const char *whole = ifr_buffer_text(&digits);
	double value = strtod(whole, &end);
	if (end == whole || *end)
		value = NAN;
	ifr_buffer_release(&digits);
	ifr_strings_release(&parts);
	return value;
}

static void parse_line(const char *line, struct ifr_observations *observations) {
	struct ifr_strings fields = {0};
	ifr_strings_split(&fields, line, " \t\r");
	char *const *field = fields.items;
	if (fields.count >= 6 && !strcmp(field[2], "...") && !strcmp(field[3], "bench:") &&
	    !strcmp(field[5], "ns/iter")) {
		double time = read_number(field[4]);
		if (isfinite(time))
			observations_add_time(observations, field[1], time, 0);
	}
	ifr_strings_release(&fields);
}

void libtest_parse(const char *text, struct ifr_observations *observations) {
	while (*text && observations->count < IFR_OBSERVATIONS_MOST) {
		size_t length = strcspn(text, "\n");
		if (ifr_starts_with(text, "test ")) {
			char *line = ifr_format("%.*s", (int)length, text);
			parse_line(line, observations);
			free(line);
		}
		text += length + (text[length] == '\n');
	}
}
