/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of an experiment with its repetition, as text. */
#include <math.h>

#include "harness/output/output.h"
#include "harness/report/format.h"

static void put_line(struct ifr_buffer *out, struct ifr_buffer *text) {
	ifr_text_wrap(out, ifr_buffer_text(text), "  ", "    ");
	ifr_buffer_clear(text);
}

static void say_correlation(const struct ifr_correlation *correlation, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%.2f (95 %% interval %.2f to %.2f)", correlation->r, correlation->interval.low,
	                  correlation->interval.high);
}

/* One sentence: whether the layouts' differences came again. */
static const char *judge(const struct ifr_agreement *agreement) {
	if (!agreement->known)
		return "Whether the layouts agree is not known: that needs three layouts whose medians differ.";
	if (agreement->linear.interval.low > 0 && agreement->rank.interval.low > 0)
		return "The layouts agree: those that were slow are slow again.";
	if (agreement->linear.interval.high < 0)
		return "The layouts disagree: those that were slow are fast now.";
	return "The layouts' differences did not come again: their medians may be unrelated.";
}

static void put_ratio(const struct ifr_agreement *agreement, struct ifr_buffer *out, struct ifr_buffer *text) {
	const struct ifr_comparison *comparison = &agreement->comparison;
	ifr_buffer_printf(text, "Mean over the layouts: %.3f times what it was (%.0f %% interval %.3f to %.3f).",
	                  comparison->ratio, 100 * comparison->confidence, comparison->interval.low,
	                  comparison->interval.high);
	put_line(out, text);
	if (!agreement->shipped_rank[0] || !agreement->shipped_rank[1])
		return;
	ifr_buffer_printf(text, "The shipped layout: rank %zu of %zu then, %zu of %zu now.",
	                  agreement->shipped_rank[0], agreement->ranked[0], agreement->shipped_rank[1],
	                  agreement->ranked[1]);
	put_line(out, text);
}

static void say_sd(const struct ifr_agreement *agreement, int side, struct ifr_buffer *text) {
	const struct ifr_interval *interval = &agreement->sd_interval[side];
	ifr_format_pct(text, 100 * agreement->sd[side]);
	ifr_buffer_printf(text, " (%.0f %% interval ", 100 * interval->confidence);
	ifr_format_pct(text, 100 * interval->low);
	ifr_buffer_puts(text, " to ");
	ifr_format_pct(text, 100 * interval->high);
	ifr_buffer_puts(text, ")");
}

/* How far the layouts are apart in each, and how well medians with this noise can agree. */
static void put_spread(const struct ifr_agreement *agreement, struct ifr_buffer *out, struct ifr_buffer *text) {
	const struct ifr_interval *then = &agreement->sd_interval[0], *now = &agreement->sd_interval[1];
	if (!agreement->has_spread)
		return;
	ifr_buffer_puts(text, "Standard deviation between layouts: ");
	say_sd(agreement, 0, text);
	ifr_buffer_puts(text, " then, ");
	say_sd(agreement, 1, text);
	ifr_buffer_printf(text, " now. With the noise of these runs, equal layout effects give r = %.2f on average.",
	                  agreement->expected_r);
	if (then->high < now->low || now->high < then->low)
		ifr_buffer_puts(text,
		                " The intervals exclude each other: layouts matter by another amount than then. Other "
		                "work on the same core slows all layouts and hides part of their differences.");
	put_line(out, text);
}

static void put_conditions(const struct ifr_agreement *agreement, struct ifr_buffer *out,
                           struct ifr_buffer *text) {
	if (agreement->compared_bytes && agreement->other_bytes)
		ifr_buffer_printf(text,
		                  "%zu of %zu files have other bytes than then: the linker or interfero is another one.",
		                  agreement->other_bytes, agreement->compared_bytes);
	else if (agreement->compared_bytes)
		ifr_buffer_printf(text, "All %zu files have the same bytes as then.", agreement->compared_bytes);
	if (text->length)
		put_line(out, text);
	for (size_t i = 0; i < agreement->differences.count; i++) {
		ifr_buffer_printf(text, "Differs: %s.", agreement->differences.items[i]);
		put_line(out, text);
	}
	if (!agreement->differences.count) {
		ifr_buffer_puts(text, "Host, processor, kernel, interfero and libraries are the same.");
		put_line(out, text);
	}
}

void ifr_agreement_text(const struct ifr_agreement *agreement, bool verdict_only, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	ifr_text_wrap(out, judge(agreement), "", "");
	if (verdict_only)
		return;
	if (agreement->known) {
		ifr_buffer_printf(&text, "Medians of %zu layouts (%s), then and now: r = ", agreement->layouts,
		                  agreement->metric.name);
		say_correlation(&agreement->linear, &text);
		ifr_buffer_puts(&text, ", of their ranks ");
		say_correlation(&agreement->rank, &text);
		ifr_buffer_puts(&text, ".");
		put_line(out, &text);
	}
	put_spread(agreement, out, &text);
	put_ratio(agreement, out, &text);
	put_conditions(agreement, out, &text);
	ifr_buffer_release(&text);
}
