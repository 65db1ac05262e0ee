/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/report/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/output/output.h"

void ifr_format_number(struct ifr_buffer *out, const struct ifr_scale *scale, double value) {
	ifr_buffer_printf(out, "%.*f", scale->decimals, value / scale->divisor);
}

void ifr_format_value(struct ifr_buffer *out, const struct ifr_scale *scale, double value) {
	ifr_format_number(out, scale, value);
	ifr_buffer_printf(out, "%s%s", *scale->unit ? " " : "", scale->unit);
}

void ifr_format_range(struct ifr_buffer *out, const struct ifr_scale *scale, double low, double high) {
	ifr_format_number(out, scale, low);
	ifr_buffer_puts(out, " to ");
	ifr_format_value(out, scale, high);
}

static int pct_decimals(double size) {
	return size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2;
}

void ifr_format_pct(struct ifr_buffer *out, double pct) {
	double size = fabs(pct);
	if (size > 0 && size < 0.005)
		ifr_buffer_puts(out, "under 0.01 %");
	else if (size == 0)
		ifr_buffer_puts(out, "0 %");
	else
		ifr_buffer_printf(out, "%.*f %%", pct_decimals(size), size);
}

void ifr_format_signed_pct(struct ifr_buffer *out, double pct) {
	double size = fabs(pct);
	if (size < 0.005)
		ifr_buffer_puts(out, "0 %");
	else
		ifr_buffer_printf(out, "%+.*f %%", pct_decimals(size), pct);
}

bool ifr_format_is_vague(const struct ifr_interval *interval, double value, double base) {
	const double reach = fmax(interval->high - value, value - interval->low);
	return !(reach <= fabs(base));
}

void ifr_format_p(struct ifr_buffer *out, double p) {
	if (p < 0.001)
		ifr_buffer_puts(out, "p < 0.001");
	else
		ifr_buffer_printf(out, "p = %.*f", p < 0.1 ? 3 : 2, p);
}

char *ifr_format_row_name(const struct ifr_dataset *dataset) {
	const char *program = ifr_dataset_fact(dataset, "program");
	struct ifr_buffer name = {0};
	ifr_escape_plain(&name, program ? ifr_path_base(program) : "?");
	const size_t length = strlen(ifr_buffer_text(&name)), cut = length > IFR_ROW_NAME ? length - IFR_ROW_NAME : 0;
	char *end = ifr_strdup(ifr_buffer_text(&name) + cut);
	ifr_buffer_release(&name);
	return end;
}
