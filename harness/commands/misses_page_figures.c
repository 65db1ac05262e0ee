/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the page, as SVG: columns by range of miss ratios (Mowry and Luk 1997, figure 9a), stacked columns of
 * mispredictions (6) and of the run's time (7), and lines of cycles by V / L (5, 9b). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/misses_page.h"
#include "harness/output/output.h"

enum {
	WIDTH = 760,
	HEIGHT = 330,
	LEFT = 58,
	RIGHT = 12,
	TOP = 34,
	BOTTOM = 46,
	TICKS = 6,
	COLOURS = 5,
	LINES = IFR_MISS_SCHEMES + 3,
	CURVE_POINTS = 100
};

static const char *const colours[COLOURS] = {"#3b7dd8", "#e0632a", "#2a9d5c", "#b8860b", "#8e5bb5"};

/* A figure's frame: y from 0 to y_most. */
struct chart {
	const char *id, *title, *y_label;
	const char *const *names; /* of the legend, by colour; NULL: it is drawn elsewhere */
	unsigned name_count;
	double y_most;
};

/* --- frames --------------------------------------------------------------------------------------------------- */

static double y_at(const struct chart *chart, double y) {
	return HEIGHT - BOTTOM - y / chart->y_most * (HEIGHT - TOP - BOTTOM);
}

/* The least of 1, 2 and 5 times a power of ten with which a few steps reach `extent`. */
static double choose_step(double extent) {
	const double least = extent / TICKS, power = pow(10, floor(log10(least)));
	return power * (least > 5 * power ? 10 : least > 2 * power ? 5 : least > power ? 2 : 1);
}

/* The width of a name in the legend, or a little more. */
static double text_width(const char *text) {
	double width = 0;
	for (; *text; text++)
		width += strchr("mw", *text) ? 12.5 : strchr(" fijlrt", *text) ? 5 : 8.2;
	return width;
}

static void put_legend(const struct chart *chart, struct ifr_buffer *out) {
	double x = LEFT;
	for (unsigned i = 0; i < chart->name_count; i++) {
		ifr_buffer_printf(out,
		                  "<rect x=\"%.0f\" y=\"6\" width=\"11\" height=\"11\" fill=\"%s\"/><text x=\"%.0f\" "
		                  "y=\"16\">%s</text>\n",
		                  x, colours[i], x + 16, chart->names[i]);
		x += 32 + text_width(chart->names[i]);
	}
}

static void begin_chart(const struct chart *chart, struct ifr_buffer *out) {
	const double step = choose_step(chart->y_most);
	ifr_buffer_printf(out,
	                  "<figure id=\"%s\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" "
	                  "font-size=\"13\" fill=\"currentColor\">\n",
	                  chart->id, WIDTH, HEIGHT, chart->title);
	put_legend(chart, out);
	for (unsigned i = 0; i * step <= chart->y_most * 1.0001; i++)
		ifr_buffer_printf(out,
		                  "<path d=\"M%d %.1fH%d\" stroke=\"var(--line)\"/><text x=\"%d\" y=\"%.1f\" "
		                  "text-anchor=\"end\">%.5g</text>\n",
		                  LEFT, y_at(chart, i * step), WIDTH - RIGHT, LEFT - 6, y_at(chart, i * step) + 4,
		                  i * step);
	ifr_buffer_printf(out, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
	                  (HEIGHT + TOP - BOTTOM) / 2, chart->y_label);
}

static void put_x(double x, const char *name, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, HEIGHT - BOTTOM + 18,
	                  name);
}

static void put_x_label(const char *name, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
	                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, name);
}

static void end_chart(const struct chart *chart, const char *caption, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "<path d=\"M%d %dV%dH%d\" stroke=\"var(--soft)\" fill=\"none\"/></svg>\n<figcaption>"
	                  "<strong>%s.</strong> %s</figcaption></figure>\n",
	                  LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, chart->title, caption);
}

/* --- columns -------------------------------------------------------------------------------------------------- */

/* A column's part from `from` on, with its value as a tooltip. */
static void put_column(const struct chart *chart, double x, double width, double from, double value,
                       const char *where, unsigned name, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" fill=\"%s\"><title>%s, %s: %.1f "
	                  "%%</title></rect>\n",
	                  x, y_at(chart, from + value), width, y_at(chart, from) - y_at(chart, from + value),
	                  colours[name], where, chart->names[name], value);
}

/* parts: chart->name_count of each scheme. */
static void put_stacks(struct chart *chart, const double *parts, const char *caption, struct ifr_buffer *out) {
	const double step = (double)(WIDTH - LEFT - RIGHT) / IFR_MISS_SCHEMES, width = step * 0.55;
	double sums[IFR_MISS_SCHEMES] = {0};
	chart->y_most = 100;
	for (enum ifr_miss_scheme i = 0; i < IFR_MISS_SCHEMES; i++) {
		for (unsigned k = 0; k < chart->name_count; k++)
			sums[i] += parts[i * chart->name_count + k];
		chart->y_most = fmax(chart->y_most, sums[i]);
	}
	chart->y_most *= 1.1;
	begin_chart(chart, out);
	for (enum ifr_miss_scheme i = 0; i < IFR_MISS_SCHEMES; i++) {
		const double middle = LEFT + (i + 0.5) * step;
		double from = 0;
		for (unsigned k = 0; k < chart->name_count; k++) {
			const double part = parts[i * chart->name_count + k];
			put_column(chart, middle - width / 2, width, from, part, ifr_miss_scheme_names[i], k, out);
			from += part;
		}
		ifr_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f %%</text>\n", middle,
		                  y_at(chart, sums[i]) - 5, sums[i]);
		put_x(middle, ifr_miss_scheme_names[i], out);
	}
	end_chart(chart, caption, out);
}

static void put_ratios(const struct misses_shares *shares, struct ifr_buffer *out) {
	const double group = (double)(WIDTH - LEFT - RIGHT) / IFR_MISS_RATIO_BINS;
	const double width = group * 0.8 / IFR_MISS_SCHEMES;
	const struct chart chart = {"ratios",
	                            "References by the miss ratio of their context",
	                            "% of the references",
	                            ifr_miss_scheme_names,
	                            IFR_MISS_SCHEMES,
	                            100};
	begin_chart(&chart, out);
	for (unsigned bin = 0; bin < IFR_MISS_RATIO_BINS; bin++) {
		const double x = LEFT + group * (bin + 0.1);
		char name[16];
		snprintf(name, sizeof name, "%u to %u", 10 * bin, 10 * bin + 10);
		for (enum ifr_miss_scheme i = 0; i < IFR_MISS_SCHEMES; i++)
			put_column(&chart, x + i * width, width, 0, shares->ratios[i][bin], misses_ratio_names[bin], i, out);
		put_x(x + group * 0.4, name, out);
	}
	put_x_label("miss ratio of the context, %", out);
	end_chart(
		&chart,
		"Ten ranges of miss ratios, a column for each kind of context; the columns of a kind add up to 100 % "
		"of the references to loads that miss now and then. The more of them stand at both ends, the better "
		"the context tells hits from misses; the summary has one context a load. Mowry and Luk 1997, figure "
		"9a.",
		out);
}

/* --- lines ---------------------------------------------------------------------------------------------------- */

struct line {
	const char *name, *colour, *dashes;
	double width;
};

/* Lines that coincide stay visible: a later one is thinner. */
static const struct line lines[LINES] = {{"never", "var(--soft)", "2 4", 2},  {"always", "var(--soft)", "7 4", 2},
                                         {"ideal", "currentColor", "1 3", 2}, {NULL, "#3b7dd8", "none", 7},
                                         {NULL, "#e0632a", "none", 5.5},      {NULL, "#2a9d5c", "none", 4},
                                         {NULL, "#b8860b", "none", 2.5},      {NULL, "#8e5bb5", "none", 1.2}};

static const char *line_name(unsigned line) {
	return lines[line].name ? lines[line].name : ifr_miss_scheme_names[line - 3];
}

static double line_value(const struct misses_point *point, unsigned line) {
	const double fixed[] = {point->never, point->always, point->ideal};
	return line < 3 ? fixed[line] : point->schemes[line - 3];
}

static double x_at(unsigned point) {
	return LEFT + (double)point / CURVE_POINTS * (WIDTH - LEFT - RIGHT);
}

/* Up to the frame's upper edge, which only "always" leaves. */
static void put_line(const struct chart *chart, const struct misses_point *points, unsigned line,
                     struct ifr_buffer *out) {
	ifr_buffer_puts(out, "<path d=\"");
	for (unsigned i = 0; i <= CURVE_POINTS; i++) {
		const double value = line_value(&points[i], line);
		if (value > chart->y_most)
			break;
		ifr_buffer_printf(out, "%c%.1f %.2f", i ? 'L' : 'M', x_at(i), y_at(chart, value));
	}
	ifr_buffer_printf(
		out,
		"\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\"><title>%s</title></path>\n",
		lines[line].colour, lines[line].width, lines[line].dashes, line_name(line));
}

static void put_line_legend(struct ifr_buffer *out) {
	double x = LEFT;
	for (unsigned i = 0; i < LINES; i++) {
		ifr_buffer_printf(out,
		                  "<path d=\"M%.0f 12h16\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\"/>"
		                  "<text x=\"%.0f\" y=\"16\">%s</text>\n",
		                  x, lines[i].colour, lines[i].width, lines[i].dashes, x + 20, line_name(i));
		x += 29 + text_width(line_name(i));
	}
}

static void put_curve(const struct misses_result *result, struct ifr_buffer *out) {
	struct misses_point points[CURVE_POINTS + 1];
	const double latency = result->judged.latency.miss;
	for (unsigned i = 0; i <= CURVE_POINTS; i++)
		points[i] = misses_point_at(result, latency * i / CURVE_POINTS);
	const struct chart chart = {
		"cycles", "Cycles that a reference costs by V / L", "cycles a reference", NULL, 0, points->never * 1.2};
	const double ratio = result->latency.overhead / latency;
	const double here = LEFT + fmin(ratio, 1) * (WIDTH - LEFT - RIGHT);
	char *mark = ifr_format("here V / L = %.3g", ratio);
	begin_chart(&chart, out);
	put_line_legend(out);
	for (unsigned i = 0; i < LINES; i++)
		put_line(&chart, points, i, out);
	ifr_buffer_printf(out,
	                  "<path d=\"M%.1f %dV%d\" stroke=\"var(--soft)\"/><text x=\"%.1f\" y=\"%d\" "
	                  "text-anchor=\"%s\">%s</text>\n",
	                  here, TOP, HEIGHT - BOTTOM, here + (ratio > 0.5 ? -5 : 5), TOP + 12,
	                  ratio > 0.5 ? "end" : "start", mark);
	for (unsigned i = 0; i <= 10; i += 2) {
		char name[8];
		snprintf(name, sizeof name, "%.1f", i / 10.0);
		put_x(x_at(i * CURVE_POINTS / 10), name, out);
	}
	put_x_label("V / L: overhead of tolerating a reference, in latencies of a miss", out);
	end_chart(
		&chart,
		"Overhead and stalls, without the cycle of the load itself, of the loads that miss now and then, with "
		"the latency L held. Summary: a single action for all references of a load; contexts: one for each, "
		"multiple actions a load. Never and always: no reference is tolerated, or each; ideal: only misses. "
		"Where lines coincide, the later one is drawn thinner on top. Mowry and Luk 1997, figures 5 and 9b.",
		out);
	free(mark);
}

void misses_page_figures(const struct misses_result *result, struct ifr_buffer *out) {
	struct misses_shares shares;
	misses_shares_find(result, &shares);
	struct chart mispredicted = {.id = "mispredicted",
	                             .title = "Mispredicted hits and misses",
	                             .y_label = "% of the summary's",
	                             .names = misses_error_names,
	                             .name_count = MISSES_ERRORS};
	struct chart time = {.id = "time",
	                     .title = "The run's time where predicted misses are tolerated",
	                     .y_label = "% of the time without tolerance",
	                     .names = misses_time_names,
	                     .name_count = MISSES_TIMES};
	ifr_buffer_puts(out, "<h2>Figures</h2>\n");
	put_ratios(&shares, out);
	put_stacks(
		&mispredicted, &shares.mispredicted[0][0],
		"Hits that are taken for misses, and tolerated in vain; misses that are taken for hits, and stall. In % "
		"of all that the summary mispredicts; lower is better. Mowry and Luk 1997, figure 6.",
		out);
	put_curve(result, out);
	put_stacks(
		&time, &shares.time[0][0],
		"In % of the cycles without tolerance. Busy: instructions at the machine's width; other loads: stalls "
		"of those that are not profiled; useful and wasted overhead: of tolerated misses and hits; stalls that "
		"remain: misses that are not tolerated. Mowry and Luk 1997, figure 7.",
		out);
}
