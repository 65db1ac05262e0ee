/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: the metric against the swept values, its period, values that stand out, and the counters beside them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/report/prose.h"

enum { SPIKES_SHOWN = 12 };

const char *ifr_prose_random(const struct ifr_analysis *analysis) {
	return analysis->sweep ? "swept" : "random";
}

static void put_name(struct ifr_buffer *text, const struct ifr_sweep *sweep) {
	ifr_buffer_printf(text, "%s:%s", ifr_axes[sweep->axis].name, ifr_sweep_name(sweep));
}

/* "stack:bytes=3184 base:bytes=16" */
static void put_values(struct ifr_buffer *text, const struct ifr_sweeps *sweeps, unsigned layout) {
	for (unsigned i = 0; i < sweeps->count; i++) {
		ifr_buffer_puts(text, i ? " " : "");
		put_name(text, &sweeps->items[i]);
		ifr_buffer_printf(text, "=%" PRId64,
		                  ifr_sweep_value(&sweeps->items[i], ifr_sweeps_level(sweeps, i, layout)));
	}
}

static void say_range(struct ifr_prose *prose, const struct ifr_sweep_side *side) {
	const struct ifr_sweep *sweep = side->sweep;
	struct ifr_buffer *text = &prose->text;
	put_name(text, sweep);
	unsigned measured = 0, first = side->levels, last = 0;
	for (unsigned i = 0; i < side->levels; i++)
		if (isfinite(side->medians[i])) {
			first = measured++ ? first : i;
			last = i;
		}
	ifr_buffer_printf(text, " (%s) took ", ifr_sweep_meaning(sweep));
	if (measured < side->levels)
		ifr_buffer_printf(text, "%u of ", measured);
	ifr_buffer_printf(text, "%u values, ", side->levels);
	for (unsigned i = 0; i < sweep->listed; i++)
		ifr_buffer_printf(text, "%s%" PRId64,
		                  i == 0                   ? ""
		                  : i + 1 == sweep->listed ? " and "
		                                           : ", ",
		                  sweep->list[i]);
	if (!sweep->listed)
		ifr_buffer_printf(text, "from %" PRId64 " to %" PRId64 " in steps of %" PRId64, sweep->from,
		                  ifr_sweep_value(sweep, side->levels - 1), sweep->step);
	if (measured && measured < side->levels)
		ifr_buffer_printf(text, "; those measured lie from %" PRId64 " to %" PRId64, ifr_sweep_value(sweep, first),
		                  ifr_sweep_value(sweep, last));
	ifr_buffer_puts(text, ".");
	if (prose->analysis->sweep->sweeps.count > 1)
		ifr_buffer_puts(text, " The mean over the other sweep stands for each.");
}

static void say_period(struct ifr_prose *prose, const struct ifr_sweep_side *side) {
	const struct ifr_sweep *sweep = side->sweep;
	const struct ifr_period *period = &side->period;
	const int64_t longest = (int64_t)(side->levels / IFR_PERIOD_REPEATS) * sweep->step;
	struct ifr_buffer *text = &prose->text;
	if (!side->tested) {
		ifr_buffer_printf(text, " A period was not looked for: %s.", side->why_not.message);
	} else if (period->p < IFR_SWEEP_LEVEL) {
		ifr_buffer_printf(text, " It repeats with a period of %" PRId64 ": that explains ",
		                  (int64_t)period->steps * sweep->step);
		ifr_prose_proportion(text, 100 * period->share);
		ifr_buffer_puts(text, " of the variation between values (");
		ifr_format_p(text, period->p);
		ifr_buffer_printf(text,
		                  ", permutation test of all periods from %" PRId64 " to %" PRId64
		                  "). In a period the lowest is at %" PRId64 ", the highest at %" PRId64 ".",
		                  IFR_PERIOD_LEAST * sweep->step, longest,
		                  ifr_sweep_value(sweep, (unsigned)period->lowest),
		                  ifr_sweep_value(sweep, (unsigned)period->highest));
	} else {
		ifr_buffer_printf(text, " No period from %" PRId64 " to %" PRId64 " is found (",
		                  IFR_PERIOD_LEAST * sweep->step, longest);
		ifr_format_p(text, period->p);
		ifr_buffer_puts(text, ", permutation test); a longer one takes a sweep of three times its length.");
	}
}

/* The overlaid counters of the layout. */
static void put_counters(struct ifr_prose *prose, unsigned layout) {
	const struct ifr_sweep_findings *found = prose->analysis->sweep;
	for (size_t i = 0; i < found->overlay_count; i++) {
		const struct ifr_overlay *overlay = &found->overlays[i];
		const double value = overlay->medians[layout - 1];
		if (!isfinite(value))
			continue;
		ifr_buffer_printf(&prose->text, "; %s %.5g", prose->analysis->dataset->counters[overlay->counter].name,
		                  value);
	}
}

void ifr_prose_spike(struct ifr_prose *prose, const struct ifr_spike *spike) {
	ifr_format_pct(&prose->text, 100 * spike->deviation);
	ifr_buffer_printf(&prose->text, " %s than %s",
	                  spike->deviation > 0 ? ifr_prose_more(prose->analysis) : ifr_prose_less(prose->analysis),
	                  spike->again ? "its neighbours when measured again" : "the median");
}

void ifr_prose_swept(struct ifr_prose *prose, const struct ifr_spike *spike) {
	put_values(&prose->text, &prose->analysis->sweep->sweeps, spike->layout->variant->layout);
}

static void say_spike(struct ifr_prose *prose, const struct ifr_spike *spike) {
	const struct ifr_analysis *analysis = prose->analysis;
	const unsigned layout = spike->layout->variant->layout;
	struct ifr_buffer *text = &prose->text;
	put_values(text, &analysis->sweep->sweeps, layout);
	ifr_buffer_puts(text, ": ");
	ifr_format_value(text, &analysis->scale, spike->layout->median);
	ifr_buffer_puts(text, ", ");
	ifr_prose_spike(prose, spike);
	if (!analysis->exact) {
		ifr_buffer_puts(text, " (adjusted ");
		ifr_format_p(text, spike->p);
		ifr_buffer_puts(text, ")");
	}
	put_counters(prose, layout);
	ifr_buffer_puts(text, ".");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

/* The distance between neighbouring spikes, where it is one; 0 where there is none. */
static int64_t find_distance(const struct ifr_sweep_findings *found) {
	int64_t distance = 0;
	for (size_t i = 1; i < found->spike_count; i++) {
		const int64_t steps =
			(int64_t)found->spikes[i].layout->variant->layout - found->spikes[i - 1].layout->variant->layout;
		if (distance && steps != distance)
			return 0;
		distance = steps;
	}
	return distance > 1 ? distance * found->sweeps.items[0].step : 0;
}

static void say_spikes(struct ifr_prose *prose) {
	const struct ifr_sweep_findings *found = prose->analysis->sweep;
	struct ifr_buffer *text = &prose->text;
	if (!found->spikes_tested) {
		ifr_buffer_printf(text, "Whether single values stand out is unknown: %s.", found->no_spikes.message);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
		return;
	}
	if (found->spike_count)
		ifr_buffer_printf(text, "%zu of %u values stand%s out from the others", found->spike_count,
		                  found->measured, found->spike_count == 1 ? "s" : "");
	else
		ifr_buffer_printf(text, "None of the %u %svalues stands out from the others", found->measured,
		                  found->measured < found->layouts ? "measured " : "");
	ifr_buffer_puts(text, prose->analysis->exact ? "." : " (family-wise error rate 5 %).");
	if (found->runs_again)
		ifr_buffer_printf(text, " The %zu most suspicious were measured again, %u times beside their neighbours.",
		                  found->suspect_count, found->runs_again);
	const int64_t distance = found->sweeps.count == 1 ? find_distance(found) : 0;
	if (distance)
		ifr_buffer_printf(text, " They lie %" PRId64 " apart.", distance);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	for (size_t i = 0; i < found->spike_count && i < SPIKES_SHOWN; i++)
		say_spike(prose, &found->spikes[i]);
	if (found->spike_count > SPIKES_SHOWN) {
		ifr_buffer_printf(text, "%zu more stand in --json.", found->spike_count - SPIKES_SHOWN);
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
}

static void say_overlays(struct ifr_prose *prose) {
	const struct ifr_sweep_findings *found = prose->analysis->sweep;
	struct ifr_buffer *text = &prose->text;
	for (size_t i = 0; i < found->overlay_count; i++) {
		const char *name = prose->analysis->dataset->counters[found->overlays[i].counter].name;
		ifr_buffer_printf(text, "%s%s (r = %.2f%s)", i ? ", " : "Counters that go along most closely: ", name,
		                  found->overlays[i].r, ifr_counter_is_symptom(name) ? "; a symptom of the machine" : "");
	}
	ifr_buffer_puts(text, found->overlay_count ? "." : "");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

void ifr_prose_sweep(struct ifr_prose *prose) {
	const struct ifr_sweep_findings *found = prose->analysis->sweep;
	if (!found)
		return;
	for (unsigned i = 0; i < found->sweeps.count; i++) {
		ifr_buffer_puts(&prose->text, "What does ");
		put_name(&prose->text, found->side[i].sweep);
		ifr_buffer_puts(&prose->text, " do?");
		ifr_prose_end(prose, IFR_PROSE_HEADING);
		char *which = ifr_format("%u", i);
		ifr_prose_say(prose, IFR_PROSE_PLOT, which);
		free(which);
		say_range(prose, &found->side[i]);
		say_period(prose, &found->side[i]);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	}
	say_spikes(prose);
	say_overlays(prose);
	ifr_prose_say(prose, IFR_PROSE_FIGURE, "sweep");
}
