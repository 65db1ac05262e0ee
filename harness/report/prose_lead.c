/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the three lines that a report opens with; harness/analysis/conclusion.c chooses what they say. The
 * lines are made to be read aloud: no intervals, no p-values. */
#include <math.h>
#include <string.h>

#include "harness/report/prose.h"

/* "processor time", or the counter's name */
static const char *name_metric(const struct ifr_analysis *analysis) {
	const char *name = analysis->metric->name;
	return !strcmp(name, "cpu_time") ? "processor time" : !strcmp(name, "duration_time") ? "elapsed time" : name;
}

static void say_effect(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_conclusion *c = &analysis->conclusion;
	struct ifr_buffer *text = &prose->text;
	size_t n = analysis->random_count;
	switch (c->effect) {
	case IFR_EFFECT_UNTESTED:
		ifr_buffer_printf(text, "Whether layout matters is unknown: there is %s random layout to compare.",
		                  n ? "only one" : "no");
		break;
	case IFR_EFFECT_UNKNOWN:
		ifr_buffer_puts(text,
		                "Whether layout matters is unknown: every layout ran once, so that layout effects cannot "
		                "be told from noise.");
		break;
	case IFR_EFFECT_NONE:
		ifr_buffer_printf(text, "Layout does not matter here: %s is the same in all %zu random layouts.",
		                  name_metric(analysis), n);
		break;
	case IFR_EFFECT_NOT_FOUND:
		ifr_buffer_printf(text, "No effect of layout was found: the %zu random layouts differ by no more than ",
		                  n);
		ifr_buffer_puts(text, "run-to-run noise");
		if (c->has_noise) {
			ifr_buffer_puts(text, " of ");
			ifr_format_pct(text, c->noise_pct);
		}
		ifr_buffer_puts(text, ", which does not settle that there is none.");
		break;
	case IFR_EFFECT_FOUND:
		ifr_buffer_printf(text, "Layout matters%s: %s differs by ", analysis->exact ? " in the model" : "",
		                  name_metric(analysis));
		ifr_format_pct(text, c->range_pct);
		ifr_buffer_printf(text, " between the best and the worst of %zu random layouts.", n);
		break;
	}
	ifr_prose_end(prose, IFR_PROSE_LEAD);
}

static void say_standing(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_contrast *contrast = &analysis->shipped_to_centre;
	const enum ifr_shipped_standing standing = analysis->conclusion.standing;
	struct ifr_buffer *text = &prose->text;
	if (standing == IFR_SHIPPED_UNKNOWN) {
		ifr_buffer_puts(text,
		                analysis->shipped
		                    ? "Where the shipped layout stands is unknown: there is nothing to compare it with."
		                    : "Where the shipped layout stands is unknown: it was not measured, or was "
		                      "refused.");
		ifr_prose_end(prose, IFR_PROSE_LEAD);
		return;
	}
	ifr_buffer_puts(text, "The shipped layout ");
	if (standing == IFR_SHIPPED_TYPICAL) {
		ifr_buffer_printf(text, "%s the median layout",
		                  contrast->difference_pct == 0 ? "equals"
		                  : contrast->has_interval      ? "cannot be told from"
		                                                : "is close to");
	} else {
		ifr_buffer_puts(text, "is ");
		ifr_format_pct(text, contrast->difference_pct);
		ifr_buffer_printf(text, " %s than the median layout",
		                  standing == IFR_SHIPPED_WORSE ? ifr_prose_more(analysis) : ifr_prose_less(analysis));
	}
	ifr_buffer_printf(text, "; %zu of %zu random layouts %s %s.", analysis->faster, analysis->random_count,
	                  analysis->faster == 1 ? "is" : "are", ifr_prose_less(analysis));
	ifr_prose_end(prose, IFR_PROSE_LEAD);
}

static void say_advice(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_conclusion *c = &analysis->conclusion;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_puts(text, "Next: ");
	switch (c->advice) {
	case IFR_ADVICE_NOTHING:
		ifr_buffer_puts(text, "nothing to do about layout; look for time elsewhere.");
		break;
	case IFR_ADVICE_MORE_LAYOUTS:
		ifr_buffer_printf(text, "measure more layouts; interfero bench -n %zu would do.", c->wanted);
		break;
	case IFR_ADVICE_MORE_RUNS:
		ifr_buffer_printf(text, "run each layout more often; interfero bench -r %zu would show more.", c->wanted);
		break;
	case IFR_ADVICE_QUIETER_MACHINE:
		ifr_buffer_puts(text, "make the machine quieter (interfero doctor says how), then measure again.");
		break;
	case IFR_ADVICE_BEST_LAYOUT:
		ifr_buffer_printf(text, "build the best layout, %s, by the command below; expect it to be ",
		                  analysis->best.layout->variant->name);
		ifr_format_pct(text, analysis->best.again.known ? analysis->best.again.difference_pct
		                                                : analysis->best.to_shipped.difference_pct);
		ifr_buffer_printf(text, " %s than the shipped one.", ifr_prose_less(analysis));
		break;
	case IFR_ADVICE_FIND_CODE:
		ifr_buffer_puts(text, "find the code that causes it: interfero blame, with the experiment's file.");
		break;
	case IFR_ADVICE_COMPARE_MEANS:
		ifr_buffer_puts(text,
		                "judge changes over many layouts (interfero compare OLD NEW); a single layout may mislead "
		                "by ");
		ifr_format_pct(text, c->range_pct);
		ifr_buffer_puts(text, ".");
		break;
	}
	ifr_prose_end(prose, IFR_PROSE_LEAD);
}

void ifr_prose_lead(struct ifr_prose *prose) {
	say_effect(prose);
	say_standing(prose);
	say_advice(prose);
}
