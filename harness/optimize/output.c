/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "harness/optimize/optimize.h"
#include "harness/output/output.h"

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

static void put_verdict(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	const struct ifr_comparison *c = o->confirmed_count ? &o->confirmed->comparison : NULL;
	if (!c)
		put_line(out, "",
		         "Interrupted: %zu layouts are measured, and none is confirmed. The same command goes on.",
		         o->measured);
	else if (o->faster)
		put_line(
			out, "",
			"Faster: the layout found takes %.1f %% less %s than the shipped one (95 %% interval %.1f to %.1f %%) "
			"when it runs %s.",
			-percent(c->ratio), o->confirmed->metric, -percent(c->interval.high), -percent(c->interval.low),
			program);
	else if (o->confirmed->slower)
		put_line(
			out, "",
			"No layout found is faster: the best of the search takes %.1f %% more %s than the shipped one (95 %% "
			"interval %.1f to %.1f %%).",
			percent(c->ratio), o->confirmed->metric, percent(c->interval.low), percent(c->interval.high));
	else
		put_line(
			out, "",
			"No layout found is faster: the best of the search and the shipped one are not told apart (%s %+.1f %%, "
			"95 %% interval %+.1f to %+.1f %%). It gains %.1f %% at most; more runs (-r) tell smaller gains.",
			o->confirmed->metric, percent(c->ratio), percent(c->interval.low), percent(c->interval.high),
			fmax(0, -percent(c->interval.low)));
}

/* The search knew nothing of these runs. */
static void put_held_out(const struct ifr_optimum *o, struct ifr_buffer *out) {
	for (size_t i = 1; i < o->confirmed_count; i++) {
		const struct ifr_confirmed *by = &o->confirmed[i];
		const struct ifr_comparison *c = &by->comparison;
		put_line(out, "  - ", "With the arguments %s it is %s: %+.1f %% (95 %% interval %+.1f to %+.1f %%).",
		         by->arguments,
		         by->faster   ? "faster"
		         : by->slower ? "slower"
		                      : "not told apart from the shipped one",
		         percent(c->ratio), percent(c->interval.low), percent(c->interval.high));
	}
}

static void put_search(const struct ifr_optimum *o, struct ifr_buffer *out) {
	if (o->measured)
		put_line(out, "  - ", "Searched: %zu layouts by their features, %zu by the clock.", o->predicted,
		         o->measured);
	if (o->r > 0)
		put_line(out, "  - ",
		         "What the features predict for a layout from all others goes with its measured time at r = %.2f.",
		         o->r);
	else if (o->predicted)
		put_line(out, "  - ",
		         "The features do not tell these layouts' times: the search went by the clock alone.");
	if (isfinite(o->fastest_random) && o->confirmed_count)
		put_line(out, "  - ",
		         "The fastest random layout measured %+.1f %% before, the one confirmed %+.1f %%: such extremes "
		         "hold luck, and only the confirmation's runs, which are its own, give the gain.",
		         percent(o->fastest_random), percent(o->best));
	if (o->confirmed_count)
		put_line(out, "  - ", "The layout confirmed %s.",
		         o->clustered ? "puts hot functions first, callers beside callees" : "is a random one");
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
	put_held_out(o, out);
	put_search(o, out);
	if (o->plan_file) {
		struct ifr_buffer command = {0};
		ifr_buffer_puts(&command, "interfero variants --plan ");
		ifr_quote_shell(&command, o->plan_file);
		ifr_buffer_puts(&command, " -o best ");
		ifr_quote_shell(&command, program);
		ifr_buffer_puts(out, "\nTo make it:\n");
		ifr_text_command(out, ifr_buffer_text(&command), "    ");
		put_line(
			out, "",
			"The order of functions alone, without their distances: %s for --symbol-ordering-file of lld, %s for "
			"--section-ordering-file of gold.",
			o->order_file, o->sections_file);
		ifr_buffer_release(&command);
	}
}

static json_t *interval_json(const struct ifr_interval *interval) {
	json_t *made = json_object();
	ifr_json_set(made, "low", ifr_json_number(interval->low));
	ifr_json_set(made, "high", ifr_json_number(interval->high));
	ifr_json_set(made, "confidence", ifr_json_number(interval->confidence));
	return made;
}

static json_t *held_out_json(const struct ifr_optimum *o) {
	json_t *list = json_array();
	for (size_t i = 1; i < o->confirmed_count; i++) {
		json_t *one = json_object();
		ifr_json_set(one, "arguments", ifr_json_text(o->confirmed[i].arguments));
		ifr_json_set(one, "faster", json_boolean(o->confirmed[i].faster));
		ifr_json_set(one, "slower", json_boolean(o->confirmed[i].slower));
		ifr_json_set(one, "ratio", ifr_json_number(o->confirmed[i].comparison.ratio));
		ifr_json_set(one, "interval", interval_json(&o->confirmed[i].comparison.interval));
		json_array_append_new(list, one);
	}
	return list;
}

void ifr_optimum_json(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	const struct ifr_comparison *c = o->confirmed_count ? &o->confirmed->comparison : NULL;
	json_t *document = ifr_json_document(1, NULL, NULL), *features = json_array();
	for (int i = 0; i < IFR_OPTIMUM_FEATURES && o->feature[i].name; i++) {
		json_t *feature = json_object();
		ifr_json_set(feature, "name", ifr_json_text(o->feature[i].name));
		ifr_json_set(feature, "effect", ifr_json_number(exp(o->feature[i].effect) - 1));
		json_array_append_new(features, feature);
	}
	ifr_json_set(document, "program", ifr_json_text(program));
	ifr_json_set(document, "faster", json_boolean(o->faster));
	ifr_json_set(document, "ratio", ifr_json_number_if(c, c ? c->ratio : 0));
	ifr_json_set(document, "interval", c ? interval_json(&c->interval) : json_null());
	ifr_json_set(document, "p", ifr_json_number_if(c, c ? c->p : 0));
	ifr_json_set(document, "held_out", held_out_json(o));
	ifr_json_set(document, "layouts_predicted", ifr_json_count(o->predicted));
	ifr_json_set(document, "layouts_measured", ifr_json_count(o->measured));
	ifr_json_set(document, "fastest_random", ifr_json_number(o->fastest_random));
	ifr_json_set(document, "surrogate_r", ifr_json_number(o->r));
	ifr_json_set(document, "features", features);
	ifr_json_set(document, "plan", ifr_json_text(o->plan_file));
	ifr_json_set(document, "order", ifr_json_text(o->order_file));
	ifr_json_set(document, "sections", ifr_json_text(o->sections_file));
	ifr_json_print(document, out);
}
