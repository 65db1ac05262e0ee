/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/confirmation_output.h"
#include "harness/optimize/pins.h"

/* Below this correlation, features are not named. */
static const double TELLING = 0.3;

static void put_line(struct ifr_buffer *out, const char *first, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_line(struct ifr_buffer *out, const char *first, const char *format, ...) {
	struct ifr_buffer text = {0};
	va_list arguments;
	va_start(arguments, format);
	ifr_buffer_vprintf(&text, format, arguments);
	va_end(arguments);
	ifr_text_wrap(out, ifr_buffer_text(&text), first, "    ");
	ifr_buffer_release(&text);
}

static double percent(double ratio) {
	return 100 * (ratio - 1);
}

static bool is_confirmed(const struct ifr_optimum *o) {
	return o->workload_count && o->confirmed_count >= o->workload_count;
}

/* The runs that a verdict is about; the caller frees. */
static char *name_runs(const struct ifr_optimum *o, const char *program) {
	return o->workload_count > 1 ? ifr_format("in the weighted mean of %zu workloads", o->workload_count)
	                             : ifr_format("when it runs %s", program);
}

static const char *describe_change(bool faster, bool slower) {
	return faster ? "faster" : slower ? "slower" : "not told apart from the shipped one";
}

/* The verdict on the worst case; a single run of each context gives no interval. */
static void put_worst_verdict(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	const struct ifr_worst_case *worst = &o->worst;
	char *of_workload =
		o->workload_count > 1 ? ifr_format("(%s) of", o->confirmed[worst->workload].name) : ifr_strdup("of");
	char *runs =
		worst->processor ? ifr_format("(on %s) %s", worst->processor, of_workload) : ifr_strdup(of_workload);
	free(of_workload);
	if (worst->better)
		put_line(
			out, "",
			"Better in the worst case: in the worst %s %zu contexts the layout found takes %.1f %% less %s than "
			"the shipped one in its worst (95 %% interval %.1f to %.1f %%) when it runs %s.",
			runs, worst->contexts, -percent(worst->ratio), o->confirmed->metric, -percent(worst->interval.high),
			-percent(worst->interval.low), program);
	else if (isfinite(worst->interval.high))
		put_line(
			out, "",
			"No layout found has a better worst case: in the worst %s %zu contexts the best of the search takes "
			"%+.1f %% %s against the shipped one in its worst (95 %% interval %+.1f to %+.1f %%).",
			runs, worst->contexts, percent(worst->ratio), o->confirmed->metric, percent(worst->interval.low),
			percent(worst->interval.high));
	else
		put_line(
			out, "",
			"No layout found has a better worst case for certain: single runs of each context do not tell their "
			"noise. More runs (-r 2 or more) do.");
	free(runs);
}

void optimum_put_worst(const struct ifr_optimum *o, struct ifr_buffer *out) {
	const struct ifr_worst_case *worst = &o->worst;
	if (worst->contexts && isfinite(worst->interval.high))
		put_line(
			out, "  - ",
			"Its worst of %zu contexts takes %+.1f %% against the shipped one's worst (95 %% interval %+.1f to "
			"%+.1f %%).",
			worst->contexts, percent(worst->ratio), percent(worst->interval.low), percent(worst->interval.high));
}

/* The mean and the worst case beside a verdict on the other. */
static void put_other_goal(const struct ifr_optimum *o, struct ifr_buffer *out) {
	const struct ifr_worst_case *worst = &o->worst;
	if (o->goal == IFR_GOAL_WORST)
		put_line(out, "  - ",
		         "On average over these contexts it is %s: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
		         describe_change(o->faster, o->slower), percent(o->ratio), percent(o->interval.low),
		         percent(o->interval.high));
	else
		optimum_put_worst(o, out);
	if (worst->contexts)
		put_line(out, "  - ",
		         "At least %.0f %% of all such contexts are no worse for it than its worst of these %zu (95 %% "
		         "confidence).",
		         100 * worst->covered, worst->contexts);
}

static void put_verdict(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	char *runs = name_runs(o, program);
	if (!is_confirmed(o))
		put_line(out, "",
		         "Interrupted: %zu layouts are measured, and none is confirmed. The same command goes on.",
		         o->measured);
	else if (o->goal == IFR_GOAL_WORST)
		put_worst_verdict(o, program, out);
	else if (o->again_tried && !o->again.skipped && !o->faster)
		put_line(
			out, "",
			"No layout found is faster: of the best of the search a first confirmation tells %+.1f %% %s against the "
			"shipped one (95 %% interval %+.1f to %+.1f %%), and a second in other contexts %+.1f %% (%+.1f to %+.1f "
			"%%) %s.",
			percent(o->ratio), o->confirmed->metric, percent(o->interval.low), percent(o->interval.high),
			percent(o->again.ratio), percent(o->again.interval.low), percent(o->again.interval.high), runs);
	else if (o->goal == IFR_GOAL_ROBUST && o->faster && !o->found)
		put_line(
			out, "",
			"No robust layout found: the best of the search takes %.1f %% less %s than the shipped one (95 %% "
			"interval %.1f to %.1f %%) %s, but not all of the situations below leave the gain.",
			-percent(o->ratio), o->confirmed->metric, -percent(o->interval.high), -percent(o->interval.low), runs);
	else if (o->faster)
		put_line(
			out, "",
			"Faster: the layout found takes %.1f %% less %s than the shipped one (95 %% interval %.1f to %.1f %%) "
			"%s.",
			-percent(o->ratio), o->confirmed->metric, -percent(o->interval.high), -percent(o->interval.low), runs);
	else if (o->slower)
		put_line(
			out, "",
			"No layout found is faster: the best of the search takes %.1f %% more %s than the shipped one (95 %% "
			"interval %.1f to %.1f %%) %s.",
			percent(o->ratio), o->confirmed->metric, percent(o->interval.low), percent(o->interval.high), runs);
	else
		put_line(
			out, "",
			"No layout found is faster: the best of the search and the shipped one are not told apart (%s %+.1f %%, "
			"95 %% interval %+.1f to %+.1f %%) %s. It gains %.1f %% at most; more runs (-r) tell smaller gains.",
			o->confirmed->metric, percent(o->ratio), percent(o->interval.low), percent(o->interval.high), runs,
			fmax(0, -percent(o->interval.low)));
	free(runs);
}

/* A layout can be fast for one workload and slow for another. */
static void put_workloads(const struct ifr_optimum *o, struct ifr_buffer *out) {
	for (size_t i = 0; i < o->workload_count && i < o->confirmed_count && o->workload_count > 1; i++) {
		const struct ifr_confirmed *by = &o->confirmed[i];
		const struct ifr_comparison *c = &by->comparison;
		put_line(out, "  - ", "%s (weight %.2g): %s, %+.1f %% (95 %% interval %+.1f to %+.1f %%).", by->name,
		         by->weight, describe_change(by->faster, by->slower), percent(c->ratio), percent(c->interval.low),
		         percent(c->interval.high));
	}
}

/* The search knew nothing of these runs. */
static void put_held_out(const struct ifr_optimum *o, struct ifr_buffer *out) {
	for (size_t i = o->workload_count; i < o->confirmed_count; i++) {
		const struct ifr_confirmed *by = &o->confirmed[i];
		const struct ifr_comparison *c = &by->comparison;
		put_line(out, "  - ", "With the arguments %s it is %s: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
		         by->arguments, describe_change(by->faster, by->slower), percent(c->ratio),
		         percent(c->interval.low), percent(c->interval.high));
	}
}

/* A change is one of a kind of processors: a mean over kinds hides a loss on one. */
static void put_kinds(const struct ifr_optimum *o, struct ifr_buffer *out) {
	for (size_t i = 0; i < o->confirmed_count; i++)
		for (size_t k = 0; k < o->confirmed[i].kind_count; k++) {
			const struct ifr_confirmed *by = &o->confirmed[i];
			const struct ifr_confirmed_kind *kind = &by->kinds[k];
			const char *runs = by->name ? by->name : by->arguments;
			put_line(out, "  - ", "On %s%s%s it is %s: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
			         kind->processor, runs ? ", " : "", runs ? runs : "",
			         describe_change(kind->faster, kind->slower), percent(kind->ratio),
			         percent(kind->interval.low), percent(kind->interval.high));
		}
}

static void put_skipped(const char *what, const char *why, struct ifr_buffer *out) {
	put_line(out, "  - ", "Not tried: %s (%s).", what, why);
}

/* The part of the gain that a small edit leaves and that other machines have. */
static void put_robustness(const struct ifr_optimum *o, struct ifr_buffer *out) {
	const struct ifr_survival *edit = &o->edit, *again = &o->again;
	if (o->again_tried && again->skipped)
		put_skipped("a second confirmation", again->skipped, out);
	else if (o->again_tried && o->faster)
		put_line(out, "  - ",
		         "A second confirmation, in other contexts: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
		         percent(again->ratio), percent(again->interval.low), percent(again->interval.high));
	if (!o->edit_tried)
		return;
	if (edit->skipped)
		put_skipped("a small edit", edit->skipped, out);
	else if (edit->faster && o->faster)
		put_line(
			out, "  - ",
			"After a small edit (%s) it is faster: %+.1f %% (95 %% interval %+.1f to %+.1f %%), %.0f %% of the gain.",
			edit->what, percent(edit->ratio), percent(edit->interval.low), percent(edit->interval.high),
			fmin(100, 100 * log(edit->ratio) / log(o->ratio)));
	else
		put_line(out, "  - ", "After a small edit (%s) it is %s: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
		         edit->what, describe_change(edit->faster, edit->slower), percent(edit->ratio),
		         percent(edit->interval.low), percent(edit->interval.high));
	if (o->confirmed_count == o->workload_count)
		put_skipped("other inputs", "--held-out gives them", out);
	for (size_t i = 0; i < o->machine_count; i++) {
		const struct ifr_survival *machine = &o->machines[i];
		if (machine->skipped)
			put_skipped(machine->what, machine->skipped, out);
		else
			put_line(out, "  - ",
			         "On %s, as modelled, it takes %+.2f %% cycles (95 %% interval %+.2f to %+.2f %%).",
			         machine->what, percent(machine->ratio), percent(machine->interval.low),
			         percent(machine->interval.high));
	}
	if (!o->machine_count)
		put_skipped("other machines", "--on-machine names them", out);
}

/* Short runs have more repetitions than were asked for. */
static void put_numbers(const struct ifr_optimum *o, struct ifr_buffer *out) {
	const struct ifr_confirmed *by = o->confirmed;
	if (is_confirmed(o) && by->run_ns)
		put_line(out, "  - ", "Each side of the confirmation had %zu runs, of %.3g ms for the shipped layout%s.",
		         by->runs, 1e-6 * (double)by->run_ns, o->workload_count > 1 ? " in the first workload" : "");
}

void optimum_put_runs(const struct ifr_optimum *o, struct ifr_buffer *out) {
	put_workloads(o, out);
	put_held_out(o, out);
	put_kinds(o, out);
	put_numbers(o, out);
}

/* A gain among many is told the sooner the luckier its runs are. */
static void put_shrunk(const struct ifr_optimum *o, struct ifr_buffer *out) {
	const struct ifr_shrunk_gain *shrunk = &o->shrunk;
	if (shrunk->known)
		put_line(
			out, "  - ",
			"Shrunk by what random layouts gain (empirical Bayes): %+.1f %% (95 %% interval %+.1f to %+.1f %%). "
			"It keeps %.0f %% of the distance of %s from the mean of %zu random layouts (%+.1f %%, with a "
			"standard deviation of %.1f %% beyond noise).",
			percent(shrunk->ratio), percent(shrunk->interval.low), percent(shrunk->interval.high),
			100 * shrunk->kept, o->again_tried && !o->again.skipped ? "both confirmations" : "the confirmation",
			shrunk->layouts, percent(shrunk->centre), 100 * shrunk->spread);
}

static const char *describe_origin(const char *origin) {
	static const char *const origins[][2] = {{"random", "is a random one"},
	                                         {"ordered", "puts hot functions first, callers beside callees"},
	                                         {"moved", "differs from a measured one by moves of hot functions"},
	                                         {"blamed", "puts functions where the fastest layouts have them"},
	                                         {"aligned", "has loops of hot functions aligned"},
	                                         {"varied", "varies an axis beside the places of functions"}};
	for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
		if (!strcmp(origin, origins[i][0]))
			return origins[i][1];
	return origin;
}

static void put_search(const struct ifr_optimum *o, struct ifr_buffer *out) {
	if (o->measured)
		put_line(out, "  - ", "Searched: %zu layouts by their features, %zu by the clock in %zu runs.",
		         o->predicted, o->measured, o->runs);
	if (o->axes_tried) {
		struct ifr_buffer axes = {0};
		ifr_axes_print(o->axes_tried, &axes);
		put_line(out, "  - ", "Tried on the best of these, one at a time: %s.", ifr_buffer_text(&axes));
		ifr_buffer_release(&axes);
	}
	if (o->skipped.count) {
		struct ifr_buffer stages = {0};
		for (size_t i = 0; i < o->skipped.count; i++)
			ifr_buffer_printf(&stages, "%s%s", i ? ", " : "", o->skipped.items[i]);
		put_line(out, "  - ", "The budget had no time for: %s. The search went on without.",
		         ifr_buffer_text(&stages));
		ifr_buffer_release(&stages);
	}
	if (o->modelled)
		put_line(out, "  - ", "Modelled cycles of %zu layouts took part.", o->modelled);
	if (o->r > 0)
		put_line(out, "  - ",
		         "What the features predict for a layout from all others goes with its measured time at r = %.2f.",
		         o->r);
	else if (o->predicted)
		put_line(out, "  - ",
		         "The features do not tell these layouts' times: the search went by the clock alone.");
	if (isfinite(o->fastest_random) && is_confirmed(o))
		put_line(out, "  - ",
		         "The fastest random layout measured %+.1f %% before, the one confirmed %+.1f %%: such extremes "
		         "hold luck, and only the confirmation's runs, which are its own, give the gain.",
		         percent(o->fastest_random), percent(o->best));
	if (is_confirmed(o))
		put_line(out, "  - ", "The layout confirmed %s.", describe_origin(o->origin));
	if (o->r > TELLING && o->feature[0].name)
		put_line(out, "  - ",
		         "What matters on this machine, and the change of time with a standard deviation more of it:");
	for (int i = 0; i < IFR_OPTIMUM_FEATURES && o->r > TELLING && o->feature[i].name &&
	                fabs(o->feature[i].effect) >= fabs(o->feature[0].effect) / 4;
	     i++)
		put_line(out, "      ", "%s (%+.1f %%)", o->feature[i].name, percent(exp(o->feature[i].effect)));
}

void ifr_optimum_text(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	put_verdict(o, program, out);
	if (is_confirmed(o))
		put_other_goal(o, out);
	optimum_put_runs(o, out);
	put_shrunk(o, out);
	put_robustness(o, out);
	put_search(o, out);
	if (o->plan_file)
		pin_text(o->plan_file, program, out);
}
