/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far apart the layouts are, and where the shipped one stands. */
#include <math.h>

#include "common/axis.h"
#include "harness/report/prose.h"

enum { LAYOUTS_OF_INTERVAL = 5 /* their median has an interval of IFR_REPORT_CONFIDENCE_LEAST */ };

/* A wider interval of the share of faster layouts says nothing. */
static const double share_width_most = 0.9;

static void say_range(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	double low = analysis->medians[0], high = analysis->medians[analysis->random_count - 1];
	ifr_buffer_printf(text, "The medians of the %zu %s layouts range from ", analysis->random_count,
	                  ifr_prose_random(analysis));
	ifr_format_range(text, &prose->analysis->scale, low, high);
	if (low > 0) {
		ifr_buffer_puts(text, ", which is ");
		ifr_format_pct(text, analysis->range_pct);
		ifr_buffer_puts(text, " from the lowest to the highest");
	}
	ifr_buffer_puts(text, ".");
}

static void say_sd(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_components *c = &analysis->components;
	double base = analysis->centre;
	if (!(base > 0))
		return;
	ifr_buffer_puts(&prose->text,
	                analysis->exact || !c->noise_known
	                    ? " The standard deviation between layouts is "
	                    : " With run-to-run noise removed, the standard deviation between layouts is ");
	ifr_format_pct(&prose->text, 100 * c->between_sd / base);
	if (ifr_format_is_vague(&c->between_interval, c->between_sd, base)) {
		ifr_buffer_puts(&prose->text, " of the median layout; ");
		ifr_prose_unbounded(prose);
		ifr_buffer_puts(&prose->text,
		                analysis->exact || c->noise_known ? "." : ", and it includes run-to-run noise.");
		return;
	}
	ifr_buffer_puts(&prose->text, " of the median layout (95 % interval ");
	ifr_format_pct(&prose->text, 100 * c->between_interval.low / base);
	ifr_buffer_puts(&prose->text, " to ");
	ifr_format_pct(&prose->text, 100 * c->between_interval.high / base);
	ifr_buffer_puts(&prose->text, analysis->exact || c->noise_known ? ")." : "); it includes run-to-run noise.");
}

static void say_mean(struct ifr_prose *prose) {
	const struct ifr_mean *mean = &prose->analysis->mean;
	struct ifr_buffer *text = &prose->text;
	if (prose->analysis->sweep)
		return; /* no sample of layouts, from which to infer all others */
	ifr_buffer_puts(text, " The mean over all layouts is ");
	ifr_format_value(text, &prose->analysis->scale, mean->mean);
	const bool vague = ifr_format_is_vague(&mean->interval, mean->mean, mean->mean);
	ifr_buffer_puts(text, vague ? "; " : " (95 % interval ");
	if (vague)
		ifr_prose_unbounded(prose);
	else
		ifr_format_range(text, &prose->analysis->scale, mean->interval.low, mean->interval.high);
	ifr_buffer_puts(text, vague ? "." : ").");
	if (mean->groups < mean->needs && vague)
		ifr_buffer_printf(text, " %zu layouts would be enough.", mean->needs);
	else if (mean->groups < mean->needs)
		ifr_buffer_printf(
			text,
			" With so few layouts, the interval misses the mean more often than its confidence says where the "
			"distribution "
			"is skewed or has a rare mode; %zu layouts would be enough.",
			mean->needs);
	double unmet = prose->analysis->tails.unmet_share;
	if (unmet < 1)
		ifr_buffer_printf(
			text,
			" Kinds of layouts rarer than %.2g %% (3 in %zu) may not have been met; intervals do not allow for them.",
			100 * unmet, prose->analysis->random_count);
}

static void say_tails(struct ifr_prose *prose) {
	const struct ifr_tails *tails = &prose->analysis->tails;
	if (!tails->found || prose->analysis->sweep)
		return;
	ifr_buffer_printf(
		&prose->text,
		"%zu layout%s far from the others (more than 4 robust standard deviations; excess kurtosis %.1f). The mean "
		"depends on how many of them there are: where such layouts are rare, its interval misses up to 25 times in "
		"100, and more layouts are needed to rule out a small change.",
		tails->outlying, tails->outlying == 1 ? " lies" : "s lie", tails->kurtosis);
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_cause(struct ifr_prose *prose) {
	const struct ifr_components *c = &prose->analysis->components;
	const bool found = prose->analysis->conclusion.effect == IFR_EFFECT_FOUND; /* of all benchmarks together */
	struct ifr_buffer *text = &prose->text;
	if (prose->analysis->exact) {
		ifr_buffer_puts(text, "All of this comes from the layout: the model counts the same events in every run.");
	} else if (!c->noise_known) {
		ifr_buffer_puts(
			text,
			"Whether that is more than run-to-run noise is unknown, because every layout ran once. More runs "
			"of each layout will tell.");
	} else if (!c->testable && c->between_sd > 0) {
		ifr_buffer_puts(text, "The runs of a layout agree exactly, so all of this comes from the layout.");
	} else if (!c->testable) {
		ifr_buffer_puts(text, "All runs of all layouts agree exactly: layout makes no difference here.");
	} else {
		ifr_buffer_puts(text, found ? "That is more than run-to-run noise explains"
		                            : "That is no more than run-to-run noise explains");
		if (prose->analysis->centre > 0) {
			ifr_buffer_puts(text, " (standard deviation from one run to the next: ");
			ifr_format_pct(text, 100 * sqrt(c->ms_within) / prose->analysis->centre);
			ifr_buffer_puts(text, ")");
		}
		if (found && !prose->analysis->sweep) {
			ifr_buffer_puts(text, "; of the variance of single runs, ");
			ifr_prose_proportion(text, 100 * ifr_reliability(c->between_variance, c->ms_within));
			ifr_buffer_puts(text, " is the layouts'");
		}
		ifr_buffer_puts(text, ".");
		if (!found)
			ifr_buffer_puts(text,
			                " That does not settle whether layout matters: its effect may be too small for this "
			                "many runs. The differences between single layouts below may be chance.");
	}
}

void ifr_prose_spread(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "How far apart are the layouts?");
	if (analysis->random_count == 0) {
		ifr_buffer_puts(&prose->text, analysis->sweep ? "There is no swept layout to compare."
		                                              : "There is no random layout to compare.");
	} else if (!analysis->has_components) {
		ifr_buffer_printf(&prose->text, "There is one %s layout, with a median of ", ifr_prose_random(analysis));
		ifr_format_value(&prose->text, &prose->analysis->scale, analysis->medians[0]);
		ifr_buffer_printf(&prose->text, ". The variance between layouts is unknown: %s.",
		                  analysis->no_components.message);
	} else {
		say_range(prose);
		say_mean(prose);
		say_sd(prose);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
		say_tails(prose);
		say_cause(prose);
	}
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	ifr_prose_copies(prose);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "layouts");
}

static void say_faster(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	struct ifr_buffer *text = &prose->text;
	size_t n = analysis->random_count;
	if (n == 1)
		ifr_buffer_printf(text, " The %s layout is %s%s.", ifr_prose_random(analysis),
		                  analysis->faster ? "" : "not ", ifr_prose_less(analysis));
	else if (analysis->faster == 0 || analysis->faster == n)
		ifr_buffer_printf(text, " %s of the %zu %s layouts %s %s.", analysis->faster ? "All" : "None", n,
		                  ifr_prose_random(analysis), analysis->faster ? "are" : "is", ifr_prose_less(analysis));
	else
		ifr_buffer_printf(text, " %zu of the %zu %s layouts (%.0f %%) %s %s.", analysis->faster, n,
		                  ifr_prose_random(analysis), 100.0 * (double)analysis->faster / (double)n,
		                  analysis->faster == 1 ? "is" : "are", ifr_prose_less(analysis));
	const bool tells = analysis->faster_share.high - analysis->faster_share.low <= share_width_most;
	if (analysis->has_faster_share && n >= 3 && tells && !analysis->sweep)
		ifr_buffer_printf(text, " Of all possible layouts, %.0f to %.0f %% are (95 %% interval).",
		                  100 * analysis->faster_share.low, 100 * analysis->faster_share.high);
}

static void say_against_centre(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_contrast *contrast = &analysis->shipped_to_centre;
	struct ifr_buffer *text = &prose->text;
	if (!contrast->known)
		return;
	ifr_buffer_puts(text, " Against the median layout (");
	ifr_format_value(text, &prose->analysis->scale, analysis->centre);
	ifr_buffer_puts(text, ") it is ");
	if (contrast->difference_pct == 0) {
		ifr_buffer_puts(text, "equal.");
		return;
	}
	ifr_format_pct(text, contrast->difference_pct);
	ifr_buffer_printf(text, " %s",
	                  contrast->difference_pct < 0 ? ifr_prose_less(analysis) : ifr_prose_more(analysis));
	if (!contrast->has_interval) {
		ifr_buffer_puts(text, prose->analysis->exact ? "." : "; these runs give no interval for that.");
		return;
	}
	if (contrast->interval_pct.confidence < IFR_REPORT_CONFIDENCE_LEAST) {
		ifr_buffer_printf(text, "; %zu layouts are too few for an interval of that, and %d would do.",
		                  analysis->random_count, LAYOUTS_OF_INTERVAL);
		return;
	}
	if (ifr_prose_is_vague(&contrast->interval_pct, contrast->difference_pct)) {
		ifr_buffer_puts(text, "; ");
		ifr_prose_unbounded(prose);
		ifr_buffer_puts(text, ".");
		return;
	}
	ifr_buffer_puts(text, " (");
	ifr_prose_interval(prose, &contrast->interval_pct);
	bool unclear = contrast->interval_pct.low <= 0 && contrast->interval_pct.high >= 0;
	ifr_buffer_puts(text, unclear ? "): these runs do not settle which is." : ").");
}

/* The shipped layout is no draw of axes that replace the allocator: all others have the runtime's. */
static void say_allocator(struct ifr_prose *prose) {
	const unsigned heap = prose->analysis->axes & (1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS);
	if (!heap)
		return;
	ifr_buffer_printf(
		&prose->text,
		"The shipped program runs with its own allocator, all other layouts with that of interfero, which the %s "
		"need%s: a difference may come from the allocator as well as from addresses.",
		heap == 1u << IFR_AXIS_HEAP     ? "axis heap"
		: heap == 1u << IFR_AXIS_BLOCKS ? "axis blocks"
										: "axes heap and blocks",
		heap & (heap - 1) ? "" : "s");
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

void ifr_prose_shipped(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "Where does the shipped layout stand?");
	if (!analysis->shipped) {
		ifr_prose_say(
			prose, IFR_PROSE_PARAGRAPH,
			analysis->shipped_edited
				? "Unknown. The shipped file was edited after its link, and the layouts come from the link: its "
				  "runs differ from theirs by the edit as well, which may lead it to other libraries. They "
				  "are left out."
				: "The shipped layout is not among the layouts: it was not measured, or was refused.");
		return;
	}
	const struct ifr_layout *shipped = analysis->shipped;
	ifr_buffer_puts(&prose->text, "Its median is ");
	ifr_format_value(&prose->text, &prose->analysis->scale, shipped->median);
	if (shipped->has_interval) {
		ifr_buffer_printf(&prose->text, " (%.4g %% interval ", 100 * shipped->interval.confidence);
		ifr_format_range(&prose->text, &prose->analysis->scale, shipped->interval.low, shipped->interval.high);
		ifr_buffer_puts(&prose->text, ")");
	}
	if (analysis->random_count)
		ifr_buffer_printf(&prose->text, ", rank %zu of %zu, counted from the %s.", analysis->faster + 1,
		                  analysis->layout_count, ifr_counter_is_time(analysis->metric) ? "fastest" : "lowest");
	else
		ifr_buffer_puts(&prose->text, ".");
	if (analysis->random_count)
		say_faster(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_allocator(prose);
	say_against_centre(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}
