/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report in words: how far apart the layouts are, and where the shipped one stands. */
#include "harness/report/prose.h"

#include <math.h>
#include <string.h>

void ifr_prose_end(struct ifr_prose *prose, enum ifr_prose_kind kind) {
	if (prose->text.length)
		prose->emit(prose->context, kind, ifr_buffer_text(&prose->text));
	ifr_buffer_clear(&prose->text);
}

void ifr_prose_say(struct ifr_prose *prose, enum ifr_prose_kind kind, const char *text) {
	prose->emit(prose->context, kind, text);
}

const char *ifr_prose_less(const struct ifr_analysis *report) {
	return ifr_metric_is_time(report) ? "faster" : "lower";
}

const char *ifr_prose_more(const struct ifr_analysis *report) {
	return ifr_metric_is_time(report) ? "slower" : "higher";
}

void ifr_prose_interval(struct ifr_prose *prose, const struct ifr_interval *pct) {
	struct ifr_buffer *text = &prose->text;
	bool lower = pct->low < 0 && pct->high < 0, crossing = !lower && pct->low < 0;
	ifr_buffer_printf(text, "%.4g %% interval ", 100 * pct->confidence);
	ifr_format_pct(text, lower ? pct->high : pct->low);
	ifr_buffer_printf(text, "%s%s to ", crossing ? " " : "", crossing ? ifr_prose_less(prose->report) : "");
	ifr_format_pct(text, lower ? pct->low : pct->high);
	ifr_buffer_printf(text, "%s%s", crossing ? " " : "", crossing ? ifr_prose_more(prose->report) : "");
}

void ifr_prose_share(struct ifr_buffer *text, double pct) {
	if (pct > 99 && pct < 100)
		ifr_buffer_puts(text, "over 99 %");
	else
		ifr_buffer_printf(text, "%.0f %%", pct);
}

static void say_range(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	struct ifr_buffer *text = &prose->text;
	double low = report->medians[0], high = report->medians[report->random_count - 1];
	ifr_buffer_printf(text, "The medians of the %zu random layouts go from ", report->random_count);
	ifr_format_range(text, &prose->scale, low, high);
	if (low > 0) {
		ifr_buffer_puts(text, ": from the lowest to the highest is ");
		ifr_format_pct(text, 100 * (high - low) / low);
	}
	ifr_buffer_puts(text, ".");
}

static void say_sd(struct ifr_prose *prose) {
	const struct ifr_components *c = &prose->report->components;
	double base = prose->report->centre;
	if (!(base > 0))
		return;
	/* The range holds the noise of the runs, this does not: said, as they stand side by side. */
	ifr_buffer_puts(&prose->text,
	                prose->report->exact ? " The standard deviation between layouts is "
	                : c->noise_known
	                    ? " Without the noise of single runs, the standard deviation between layouts is "
	                    : " The standard deviation between layouts, run-to-run noise included, is ");
	ifr_format_pct(&prose->text, 100 * c->between_sd / base);
	ifr_buffer_puts(&prose->text, " of the median layout (95 % interval ");
	ifr_format_pct(&prose->text, 100 * c->between_interval.low / base);
	ifr_buffer_puts(&prose->text, " to ");
	ifr_format_pct(&prose->text, 100 * c->between_interval.high / base);
	ifr_buffer_puts(&prose->text, ").");
}

/* The model of runs within layouts, and whether its interval can be trusted. */
static void say_mean(struct ifr_prose *prose) {
	const struct ifr_mean *mean = &prose->report->mean;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_puts(text, " The mean over all layouts is ");
	ifr_format_value(text, &prose->scale, mean->mean);
	ifr_buffer_puts(text, " (95 % interval ");
	ifr_format_range(text, &prose->scale, mean->interval.low, mean->interval.high);
	ifr_buffer_puts(text, ").");
	if (mean->groups < mean->needs)
		ifr_buffer_printf(
			text,
			" That is of few layouts: where they are lopsided, or some of a rare kind, such an interval "
			"misses more often than it says; %zu layouts would do.",
			mean->needs);
}

static void say_f(struct ifr_prose *prose) {
	const struct ifr_components *c = &prose->report->components;
	ifr_buffer_puts(&prose->text, " (F test of layouts against runs: F ");
	if (c->f < 1000)
		ifr_buffer_printf(&prose->text, "= %.3g", c->f);
	else
		ifr_buffer_puts(&prose->text, "> 1000");
	ifr_buffer_printf(&prose->text, " with %.0f and %.0f degrees of freedom, ", c->df_between, c->df_within);
	ifr_format_p(&prose->text, c->p);
	ifr_buffer_puts(&prose->text, ").");
}

static void say_verdict(struct ifr_prose *prose) {
	const struct ifr_components *c = &prose->report->components;
	struct ifr_buffer *text = &prose->text;
	if (prose->report->exact) {
		ifr_buffer_puts(text, "All of this comes from the layout: the model counts the same in every run.");
	} else if (!c->noise_known) {
		ifr_buffer_puts(text,
		                "Whether that is more than run-to-run noise cannot be told, because every layout ran "
		                "once. More runs of each layout will tell.");
	} else if (!c->testable && c->between_sd > 0) {
		ifr_buffer_puts(text, "The runs of a layout agree exactly, so all of this comes from the layout.");
	} else if (!c->testable) {
		ifr_buffer_puts(text, "All runs of all layouts agree exactly: layout makes no difference here.");
	} else {
		ifr_buffer_puts(text, c->p < IFR_REPORT_LEVEL ? "That is more than run-to-run noise"
		                                              : "That cannot be told from run-to-run noise");
		if (prose->report->centre > 0) {
			ifr_buffer_puts(text, ", whose standard deviation from one run to the next is ");
			ifr_format_pct(text, 100 * sqrt(c->ms_within) / prose->report->centre);
		}
		say_f(prose);
		if (c->p >= IFR_REPORT_LEVEL)
			ifr_buffer_puts(text, " Either layout does not matter to this program, or its effect is too small for "
			                      "this many runs: take what follows about single layouts as chance.");
	}
}

void ifr_prose_spread(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "How far apart are the layouts?");
	if (report->random_count == 0) {
		ifr_buffer_puts(&prose->text, "There is no random layout to compare.");
	} else if (!report->has_components) {
		ifr_buffer_puts(&prose->text, "There is one random layout, with a median of ");
		ifr_format_value(&prose->text, &prose->scale, report->medians[0]);
		ifr_buffer_printf(&prose->text, ". More cannot be said: %s.", report->no_components.message);
	} else {
		say_range(prose);
		say_mean(prose);
		say_sd(prose);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
		say_verdict(prose);
	}
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "layouts");
}

static void say_share(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	struct ifr_buffer *text = &prose->text;
	size_t n = report->random_count;
	if (n == 1)
		ifr_buffer_printf(text, " The random layout is %s%s.", report->faster ? "" : "not ",
		                  ifr_prose_less(report));
	else if (report->faster == 0 || report->faster == n)
		ifr_buffer_printf(text, " %s of the %zu random layouts %s %s.", report->faster ? "All" : "None", n,
		                  report->faster ? "are" : "is", ifr_prose_less(report));
	else
		ifr_buffer_printf(text, " %zu of the %zu random layouts (%.0f %%) %s %s.", report->faster, n,
		                  100.0 * (double)report->faster / (double)n, report->faster == 1 ? "is" : "are",
		                  ifr_prose_less(report));
	if (report->has_share && n >= 3)
		ifr_buffer_printf(text, " Of all possible layouts, %.0f to %.0f %% should be (95 %% interval).",
		                  100 * report->share.low, 100 * report->share.high);
}

static void say_against_centre(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	const struct ifr_contrast *contrast = &report->shipped_to_centre;
	struct ifr_buffer *text = &prose->text;
	if (!contrast->known)
		return;
	ifr_buffer_puts(text, " Against the median layout (");
	ifr_format_value(text, &prose->scale, report->centre);
	ifr_buffer_puts(text, ") it is ");
	if (contrast->difference_pct == 0) {
		ifr_buffer_puts(text, "equal.");
		return;
	}
	ifr_format_pct(text, contrast->difference_pct);
	ifr_buffer_printf(text, " %s", contrast->difference_pct < 0 ? ifr_prose_less(report) : ifr_prose_more(report));
	if (!contrast->has_interval) {
		ifr_buffer_puts(text, prose->report->exact ? "." : "; with these runs there is no interval for that.");
		return;
	}
	ifr_buffer_puts(text, " (");
	ifr_prose_interval(prose, &contrast->interval_pct);
	bool unclear = contrast->interval_pct.low <= 0 && contrast->interval_pct.high >= 0;
	ifr_buffer_puts(text, unclear ? "): no clear difference." : ").");
}

void ifr_prose_shipped(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "Where does the layout that ships stand?");
	if (!report->shipped) {
		ifr_prose_say(prose, IFR_PROSE_PARAGRAPH,
		              "It is not in this comparison: it was not measured, or was refused.");
		return;
	}
	const struct ifr_layout *shipped = report->shipped;
	ifr_buffer_puts(&prose->text, "Its median is ");
	ifr_format_value(&prose->text, &prose->scale, shipped->median);
	if (shipped->has_interval) {
		ifr_buffer_printf(&prose->text, " (%.4g %% interval ", 100 * shipped->interval.confidence);
		ifr_format_range(&prose->text, &prose->scale, shipped->interval.low, shipped->interval.high);
		ifr_buffer_puts(&prose->text, ")");
	}
	if (report->random_count)
		ifr_buffer_printf(&prose->text, ", rank %zu of %zu, counted from the %s.", report->faster + 1,
		                  report->layout_count, ifr_metric_is_time(report) ? "fastest" : "lowest");
	else
		ifr_buffer_puts(&prose->text, ".");
	if (report->random_count)
		say_share(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_against_centre(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

static void tell_title(struct ifr_prose *prose) {
	const struct ifr_analysis *report = prose->report;
	const char *program = ifr_dataset_fact(report->dataset, "program");
	const char *command = ifr_dataset_fact(report->dataset, "command");
	ifr_buffer_printf(&prose->text, "Layouts of %s", program && *program ? program : "a program");
	ifr_prose_end(prose, IFR_PROSE_TITLE);
	if (command && *command) {
		ifr_buffer_printf(&prose->text, "Command: %s", command);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	}
	ifr_buffer_printf(&prose->text,
	                  "Measured: %s (%s, from %s), less is better; a layout counts by the median of its runs.",
	                  !strcmp(report->metric->name, "cpu_time") ? "processor time"
	                  : ifr_metric_is_time(report)              ? "time"
	                                                            : "a count",
	                  report->metric->name, report->metric->source);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

void ifr_prose_tell(const struct ifr_analysis *report, ifr_prose_emit *emit, void *context) {
	struct ifr_prose prose = {report, ifr_scale_choose(report), {0}, emit, context};
	tell_title(&prose);
	ifr_prose_spread(&prose);
	ifr_prose_shipped(&prose);
	ifr_prose_extremes(&prose);
	ifr_prose_basis(&prose);
	ifr_prose_say(&prose, IFR_PROSE_HEADING, "All layouts");
	ifr_prose_say(&prose, IFR_PROSE_PLOT, "");
	ifr_prose_say(&prose, IFR_PROSE_FIGURE, "intervals");
	ifr_prose_say(&prose, IFR_PROSE_TABLE, "");
	ifr_prose_counters(&prose);
	ifr_buffer_release(&prose.text);
}
