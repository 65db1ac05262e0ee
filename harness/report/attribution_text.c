/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/axis.h"
#include "harness/output/output.h"
#include "harness/report/format.h"
#include "harness/report/next_command.h"
#include "harness/report/report.h"
#include "harness/report/unit_map.h"

enum { SHOWN = 10 };

static void put_class(struct ifr_buffer *out, enum ifr_feature feature, unsigned class) {
	unsigned offset, bytes, frame;
	if (feature == IFR_FEATURE_SET_CONFLICT) {
		ifr_buffer_puts(out, class ? "with the conflict" : "without it");
		return;
	}
	ifr_feature_class_extent(feature, class, &offset, &bytes, &frame);
	if (feature == IFR_FEATURE_PAGE)
		ifr_buffer_printf(out, "in page %u", class + 1);
	else
		ifr_buffer_printf(out, "%u to %u bytes into it", offset, offset + bytes - 1);
}

/* Lines to paste: the plan that moves the unit in this build, and the attribute that does in every build. */
static void put_lines(const struct ifr_finding *f, bool aligned, unsigned frame, struct ifr_buffer *out) {
	struct ifr_buffer unit = {0};
	if (f->best_at) {
		ifr_buffer_puts(out, "      in a plan (interfero variants -o DIR --plan FILE PROGRAM):\n"
		                     "        interfero-plan 1\n");
		if (f->lead)
			ifr_escape_plain(&unit, f->lead);
		if (f->lead)
			ifr_buffer_printf(out, "        order %s\n", ifr_buffer_text(&unit));
		ifr_buffer_clear(&unit);
		ifr_escape_plain(&unit, f->unit);
		ifr_buffer_printf(out, "        at 0x%" PRIx64 " %s\n", f->best_at, ifr_buffer_text(&unit));
	}
	ifr_buffer_clear(&unit);
	ifr_escape_plain(&unit, f->source ? f->source : "");
	if (aligned && f->source)
		ifr_buffer_printf(out, "      in the source, at %s:\n        __attribute__((aligned(%u)))\n",
		                  ifr_buffer_text(&unit), frame);
	ifr_buffer_release(&unit);
}

void ifr_finding_describe(const struct ifr_finding *f, struct ifr_buffer *s) {
	static const char *const features[] = {"its offset in a 64-byte line", "its offset in 32 bytes",
	                                       "its offset in 16 bytes", "its page"};
	char *unit = map_unit_words(f->unit), *other = f->other ? map_unit_words(f->other) : NULL;
	ifr_buffer_puts(s, unit);
	if (f->source)
		ifr_buffer_printf(s, " (%s)", f->source);
	if (f->other)
		ifr_buffer_printf(s, ": set conflicts with %s explain ", other);
	else
		ifr_buffer_printf(s, ": %s explains ", features[f->feature]);
	ifr_format_pct(s, 100 * f->classes.share);
	ifr_buffer_puts(s, " of the variation (");
	ifr_format_p(s, f->p_adjusted);
	ifr_buffer_puts(s, "). Worst ");
	put_class(s, f->feature, (unsigned)f->classes.highest);
	ifr_buffer_puts(s, ": ");
	ifr_format_signed_pct(s, 100 * f->classes.difference / f->low_mean);
	ifr_buffer_puts(s, " (95 % interval ");
	ifr_format_signed_pct(s, 100 * f->difference.low);
	ifr_buffer_puts(s, " to ");
	ifr_format_signed_pct(s, 100 * f->difference.high);
	ifr_buffer_puts(s, ") against the best, ");
	put_class(s, f->feature, (unsigned)f->classes.lowest);
	free(other);
	free(unit);
}

static void say_finding(const struct ifr_finding *f, struct ifr_buffer *out) {
	struct ifr_buffer s = {0};
	unsigned offset = 0, bytes, frame = 0;
	char *neighbour = f->neighbour ? map_unit_words(f->neighbour) : NULL;
	ifr_finding_describe(f, &s);
	if (f->feature != IFR_FEATURE_SET_CONFLICT)
		ifr_feature_class_extent(f->feature, (unsigned)f->classes.lowest, &offset, &bytes, &frame);
	if (f->pin)
		ifr_buffer_printf(&s, ". It cannot be moved by itself (%s%s)%s%s%s.", f->pin,
		                  strstr(f->pin, "start file") ? ", the compiler's start-up code" : "",
		                  f->neighbour ? ": move its neighbour " : "", neighbour ? neighbour : "",
		                  f->neighbour ? ", with which it lies" : "");
	else if (f->feature == IFR_FEATURE_SET_CONFLICT)
		ifr_buffer_puts(&s, ". Remedy: \"at\" lines in the plan that keep the two at addresses whose bits 6 to 11 "
		                    "differ, or side by side.");
	else if (f->feature != IFR_FEATURE_PAGE && !offset)
		ifr_buffer_printf(&s, ". Remedy: __attribute__((aligned(%u))) on that function.", frame);
	else
		ifr_buffer_puts(&s, ". Remedy: an address of its own by an \"at\" line in the plan.");
	ifr_text_wrap(out, ifr_buffer_text(&s), "  - ", "    ");
	if (!f->pin)
		put_lines(f, f->feature < IFR_FEATURE_PAGE && !offset, frame, out);
	free(neighbour);
	ifr_buffer_release(&s);
}

void ifr_attribution_of_process(unsigned axes, struct ifr_buffer *out) {
	struct ifr_buffer s = {0};
	ifr_buffer_puts(out, "Which code?\n");
	ifr_buffer_puts(&s, "None: only the ");
	for (int i = 0, said = 0; i < IFR_AXIS_COUNT; i++)
		if (axes & 1u << i)
			ifr_buffer_printf(&s, "%s%s", !said++ ? "" : axes >> (i + 1) ? ", " : " and ", ifr_axes[i].name);
	ifr_buffer_puts(&s,
	                " varied, and the code lay at the same addresses in all layouts. To move code, take axes such "
	                "as functions, padding and base (interfero bench --axes).");
	ifr_text_wrap(out, ifr_buffer_text(&s), "  ", "  ");
	ifr_buffer_release(&s);
}

static void say_families(const struct ifr_analysis *analysis, const struct ifr_attribution *attribution,
                         struct ifr_buffer *out) {
	static const char *const which[] = {[IFR_UNITS_BY_SAMPLES] = "that the profile has samples of",
	                                    [IFR_UNITS_BY_INSTRUCTIONS] = "that the recording executes",
	                                    [IFR_UNITS_BY_SIZE] = "that the report shows"};
	if (attribution->first_units && attribution->first_units < attribution->units)
		ifr_buffer_printf(out, " The %zu %s are tested apart, with %.0f %% of that rate.",
		                  attribution->first_units, which[analysis->units->basis], 100 * IFR_FIRST_PART);
}

/* The event that goes along with the metric most; of modelled cycles the cause is among these. What the machine did to
 * the process is no cause. */
static void say_event(const struct ifr_analysis *analysis, struct ifr_buffer *s) {
	const struct ifr_counter_regression *r = NULL;
	for (size_t i = 0; i < analysis->regression_count && !r; i++)
		r = ifr_counter_is_symptom(analysis->regressions[i].counter->name) ? NULL : &analysis->regressions[i];
	if (!r || !(r->p_adjusted < IFR_REPORT_LEVEL))
		return;
	ifr_buffer_printf(s, " Of the events, %s goes along with %s most (r = %.2f, ", r->counter->name,
	                  analysis->response_is_cpi ? "CPI" : analysis->metric->name, r->line.r);
	ifr_format_p(s, r->p_adjusted);
	ifr_buffer_puts(s, ").");
}

/* Nothing was found: what more layouts would find, by arithmetic alone. */
static void say_nothing_found(const struct ifr_analysis *analysis, const struct ifr_attribution *attribution,
                              struct ifr_buffer *s) {
	enum { MORE = 4 };
	double tests = (double)(attribution->count - attribution->conflicts) * (attribution->pairs ? 2 : 1);
	/* Of units that are tested apart, for a part of the rate. */
	if (attribution->first_units && attribution->first_units < attribution->units)
		tests *= (double)attribution->first_units / (double)attribution->units / IFR_FIRST_PART;
	ifr_buffer_puts(
		s, "No single address or pair is found to explain the differences between these layouts: many may have a "
		   "part in them.");
	say_event(analysis, s);
	ifr_buffer_printf(s,
	                  " Among so many tests, an address is found from %.0f %% of the variation on; in %zu layouts "
	                  "(interfero bench -n) from %.0f %% on.",
	                  100 * ifr_attribution_least_share(tests, attribution->layouts), MORE * attribution->layouts,
	                  100 * ifr_attribution_least_share(tests, MORE * attribution->layouts));
}

/* A core's cycles can be told by cause, too; of time, or of counted cycles, those of the model for the same layouts. */
static void say_causes(const struct ifr_analysis *analysis, const struct ifr_attribution *attribution,
                       struct ifr_buffer *out) {
	struct ifr_buffer command = {0};
	const bool modelled = ifr_counter_is_modelled_cycles(analysis->metric);
	if (modelled ? !ifr_cycles_are_added(analysis->dataset, analysis->metric)
	             : ifr_counter_is_time(analysis->metric))
		next_put_icost(analysis->dataset, NULL, attribution->layouts, &command);
	if (command.length) {
		ifr_buffer_puts(out, modelled ? "  By cause, and by line:\n" : "  By cause, and by line, in the model:\n");
		ifr_text_command(out, ifr_buffer_text(&command), "    ");
	}
	ifr_buffer_release(&command);
}

void ifr_attribution_text(const struct ifr_analysis *analysis, const struct ifr_attribution *attribution,
                          struct ifr_buffer *out) {
	struct ifr_buffer s = {0};
	ifr_buffer_puts(out, "Which code?\n");
	ifr_buffer_printf(
		&s,
		"%zu units in %zu random layouts by %s: %zu tests of address features and %zu of set conflicts between two "
		"units, of which %zu %s significant (normal scores; false discovery rate 5 %%, Benjamini and Hochberg 1995).",
		attribution->units, attribution->layouts, analysis->metric->name,
		attribution->count - attribution->conflicts, attribution->pairs, attribution->found,
		attribution->found == 1 ? "is" : "are");
	say_families(analysis, attribution, &s);
	ifr_text_wrap(out, ifr_buffer_text(&s), "  ", "  ");
	for (size_t i = 0; i < attribution->found && i < SHOWN; i++)
		say_finding(&attribution->findings[i], out);
	ifr_buffer_clear(&s);
	if (attribution->found > SHOWN)
		ifr_buffer_printf(&s, "%zu further findings are not shown.", attribution->found - SHOWN);
	else if (!attribution->found)
		say_nothing_found(analysis, attribution, &s);
	else
		ifr_buffer_puts(
			&s, "Units that move together are found together: interfero blame --confirm moves one alone and "
				"measures again.");
	ifr_text_wrap(out, ifr_buffer_text(&s), "  ", "  ");
	say_causes(analysis, attribution, out);
	ifr_buffer_release(&s);
}
