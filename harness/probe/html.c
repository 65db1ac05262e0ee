/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A probe's findings as a page: the table, and a plot of each curve with its intervals, as SVG. */
#include "harness/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"

enum { WIDTH = 720, HEIGHT = 300, LEFT = 60, RIGHT = 20, TOP = 14, BOTTOM = 44, TICKS = 6, NAME_ROOM = 32 };

/* Beside the style of all pages. */
static const char own_style[] =
	"td,th{text-align:left;vertical-align:top;white-space:normal}td.key,td.value{white-space:nowrap}\n"
	"tr.untold td{color:var(--soft)}svg text{fill:var(--ink);font:12px system-ui,sans-serif}\n"
	".axis{stroke:var(--soft);fill:none}.grid{stroke:var(--line)}.a{stroke:#3b7dd8;fill:none}"
	".b{stroke:#d8733b;fill:none}\n"
	"@media (max-width:40rem){td.value{white-space:normal}}\n";

/* The extent of a figure: sizes by their logarithm where they span octaves. */
struct scale {
	double x_least, x_most, y_most;
	bool is_logarithmic;
};

static double x_at(const struct scale *scale, double x) {
	const double part = scale->is_logarithmic ? log(x / scale->x_least) / log(scale->x_most / scale->x_least)
	                                          : (x - scale->x_least) / (scale->x_most - scale->x_least);
	return LEFT + part * (WIDTH - LEFT - RIGHT);
}

/* Within the frame: an interval of disturbed repetitions is cut there, and medians are not. */
static double y_at(const struct scale *scale, double y) {
	y = fmin(fmax(y, 0), scale->y_most);
	return HEIGHT - BOTTOM - y / scale->y_most * (HEIGHT - TOP - BOTTOM);
}

static struct scale choose_scale(const struct ifr_probe_curve *curves, size_t count) {
	struct scale scale = {curves->points[0][0], curves->points[0][0], 0, false};
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < curves[i].count; j++) {
			const double *point = curves[i].points[j];
			scale.x_least = fmin(scale.x_least, point[0]);
			scale.x_most = fmax(scale.x_most, point[0]);
			scale.y_most = fmax(scale.y_most, point[1]);
		}
	scale.is_logarithmic = scale.x_least > 0 && scale.x_most > 8 * scale.x_least;
	scale.y_most = scale.y_most > 0 ? 1.2 * scale.y_most : 1;
	if (scale.x_most <= scale.x_least)
		scale.x_most = scale.x_least + 1;
	return scale;
}

static void name_number(char *name, double value) {
	const char *unit = value >= 1 << 20 ? " Mi" : value >= 1 << 13 ? " Ki" : "";
	snprintf(name, NAME_ROOM, "%.5g%s", value >= 1 << 20 ? value / (1 << 20) : *unit ? value / 1024 : value, unit);
}

/* The least of 1, 2 and 5 times a power of ten with which a few steps reach `extent`. */
static double choose_step(double extent) {
	const double least = extent / TICKS, power = pow(10, floor(log10(least)));
	return power * (least > 5 * power ? 10 : least > 2 * power ? 5 : least > power ? 2 : 1);
}

static void put_x(const struct scale *scale, double x, struct ifr_buffer *out) {
	char name[NAME_ROOM];
	name_number(name, x);
	ifr_buffer_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", x_at(scale, x),
	                  HEIGHT - BOTTOM + 18, name);
}

static void put_axes(const struct scale *scale, const char *x_label, struct ifr_buffer *out) {
	const double y_step = choose_step(scale->y_most), x_step = choose_step(scale->x_most - scale->x_least);
	for (unsigned i = 0; i * y_step <= scale->y_most; i++)
		ifr_buffer_printf(out,
		                  "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
		                  "text-anchor=\"end\">%.5g</text>",
		                  LEFT, y_at(scale, i * y_step), WIDTH - RIGHT, LEFT - 6, y_at(scale, i * y_step) + 4,
		                  i * y_step);
	if (scale->is_logarithmic)
		for (double x = exp2(ceil(log2(scale->x_least))); x <= scale->x_most; x *= 2)
			put_x(scale, x, out);
	else
		for (double x = ceil(scale->x_least / x_step) * x_step; x <= scale->x_most; x += x_step)
			put_x(scale, x, out);
	ifr_buffer_printf(out,
	                  "<path class=\"axis\" d=\"M%d %dV%dH%d\"/><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
	                  LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
	ifr_escape_html(out, x_label);
	ifr_buffer_puts(out, "</text>");
}

static void put_curve(const struct scale *scale, const struct ifr_probe_curve *curve, const char *class,
                      struct ifr_buffer *out) {
	ifr_buffer_printf(out, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < curve->count; i++)
		ifr_buffer_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', x_at(scale, curve->points[i][0]),
		                  y_at(scale, curve->points[i][1]));
	for (size_t i = 0; i < curve->count; i++)
		ifr_buffer_printf(out, "M%.1f %.1fV%.1f", x_at(scale, curve->points[i][0]),
		                  y_at(scale, curve->points[i][2]), y_at(scale, curve->points[i][3]));
	ifr_buffer_puts(out, "\"/>");
}

/* Curves of one title are of two processes. Returns how many there are. */
static size_t put_figure(const struct ifr_probe_curve *curves, size_t left, bool is_exact,
                         struct ifr_buffer *out) {
	size_t count = 1;
	while (count < left && !strcmp(curves[count].title, curves->title))
		count++;
	const struct scale scale = choose_scale(curves, count);
	ifr_buffer_printf(out, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\"><title>", WIDTH, HEIGHT);
	ifr_escape_html(out, curves->title);
	ifr_buffer_puts(out, "</title>");
	put_axes(&scale, curves->x_label, out);
	for (size_t i = 0; i < count; i++)
		put_curve(&scale, &curves[i], i % 2 ? "b" : "a", out);
	ifr_buffer_puts(out, "</svg><figcaption>");
	ifr_escape_html(out, curves->title);
	ifr_buffer_puts(out, is_exact ? "" : ", medians with intervals of 99 %; a colour for each process");
	ifr_buffer_puts(out, "</figcaption></figure>\n");
	return count;
}

static void put_finding(const struct ifr_probe_result *result, const struct ifr_probe_finding *finding,
                        struct ifr_buffer *out) {
	char *value = ifr_probe_value(finding), *experiment = ifr_probe_experiment(result, finding);
	const char *const cells[] = {finding->key, value, experiment};
	static const char *const classes[] = {" class=\"key\"", " class=\"value\"", ""};
	ifr_buffer_puts(out, finding->told ? "<tr>" : "<tr class=\"untold\">");
	for (unsigned i = 0; i < 3; i++) {
		ifr_buffer_printf(out, "<td%s>", classes[i]);
		ifr_escape_html(out, cells[i]);
		ifr_buffer_puts(out, "</td>");
	}
	ifr_buffer_puts(out, "</tr>\n");
	free(experiment);
	free(value);
}

static void put_part(const struct ifr_probe_result *result, unsigned part, struct ifr_buffer *out) {
	size_t rows = 0;
	for (size_t i = 0; i < result->findings_count; i++) {
		if (result->findings[i].part != part)
			continue;
		if (!rows++)
			ifr_buffer_printf(out,
			                  "<h2>%s</h2>\n<div class=\"wide\"><table><tr><th>setting</th><th>value</th>"
			                  "<th>experiment</th></tr>\n",
			                  ifr_probe_part_names[part]);
		put_finding(result, &result->findings[i], out);
	}
	if (rows)
		ifr_buffer_puts(out, "</table></div>\n");
	for (size_t i = 0; i < result->curves_count;)
		i += result->curves[i].part == part && result->curves[i].count
		         ? put_figure(&result->curves[i], result->curves_count - i, result->is_described, out)
		         : 1;
}

void ifr_probe_html(const struct ifr_probe_result *result, struct ifr_buffer *out) {
	ifr_buffer_puts(out,
	                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	                "content=\"width=device-width\"><title>");
	ifr_escape_html(out, result->machine);
	ifr_buffer_printf(out, ", probed</title><style>\n%s%s</style></head><body>\n<h1>", ifr_html_style, own_style);
	ifr_escape_html(out, result->machine);
	ifr_buffer_printf(out, "</h1>\n<p class=\"note\">interfero probe %s, %s, seed %llu</p>\n", INTERFERO_VERSION,
	                  ifr_probe_sources(result), (unsigned long long)result->seed);
	for (unsigned part = 0; part < IFR_PROBE_PARTS; part++)
		put_part(result, part, out);
	ifr_buffer_puts(out, "</body></html>\n");
}
