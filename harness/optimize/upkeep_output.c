/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "harness/optimize/confirmation_output.h"
#include "harness/optimize/pins.h"

static void put(struct ifr_buffer *out, const char *first, char *text) {
	ifr_text_wrap(out, text, first, "    ");
	free(text);
}

static double percent(double ratio) {
	return 100 * (ratio - 1);
}

/* --- text -------------------------------------------------------------------------------------------------------- */

static void put_verdict(const struct ifr_upkeep *u, const char *program, struct ifr_buffer *out) {
	static const char *const holds[] = {"The pin holds", "The refreshed pin is better",
	                                    "The stable layout is not slower"},
							 *const fails[] = {"The pin has lost its gain", "The refreshed pin is not better",
	                                           "The stable layout is slower"};
	const struct ifr_optimum *o = &u->optimum;
	if (isnan(o->ratio))
		put(out, "", ifr_strdup("Interrupted: nothing is confirmed."));
	else
		put(out, "",
		    ifr_format(
				"%s: %s %+.1f %% against the plain layout (95 %% interval %+.1f to %+.1f %%) when it runs %s.",
				ifr_upkeep_holds(u) ? holds[u->kind] : fails[u->kind], o->confirmed->metric, percent(o->ratio),
				percent(o->interval.low), percent(o->interval.high), program));
}

static void put_stability(const struct ifr_upkeep *u, struct ifr_buffer *out) {
	put(out, "  - ",
	    ifr_format(
			"A function that grows by %d bytes moves %.1f %% of the others, and %.1f %% in the shipped layout: "
			"the mean over %zu functions.",
			IFR_STABILITY_BYTES, 100 * u->moved, 100 * u->moved_shipped, u->functions));
	put(out, "  - ",
	    ifr_format("Each function begins a line of 64 bytes; slack takes %.1f KiB in all.",
	               (double)u->slack_bytes / 1024));
	if (u->loops_aligned)
		put(out, "  - ",
		    ifr_format("The loops of %zu hot function%s are aligned to 32 bytes.", u->loops_aligned,
		               u->loops_aligned == 1 ? "" : "s"));
	else
		put(out, "  - ",
		    ifr_strdup("Loops keep their distance from the begin of their function. Of a build with "
		               "INTERFERO_TEMPLATES=1, those of hot functions are aligned."));
}

void ifr_upkeep_text(const struct ifr_upkeep *u, const char *program, struct ifr_buffer *out) {
	put_verdict(u, program, out);
	if (u->optimum.goal == IFR_GOAL_WORST)
		optimum_put_worst(&u->optimum, out);
	optimum_put_runs(&u->optimum, out);
	if (u->kind == IFR_UPKEEP_CHECK && !u->pinned)
		put(out, "  - ",
		    ifr_format(
				"%s itself has the plain layout: remove it, and build it with INTERFERO_LAYOUT, to ship the "
				"pinned one.",
				program));
	if (u->missing)
		put(out, "  - ", ifr_format("Of the plan, %s.", u->missing));
	if (u->new_functions)
		put(out, "  - ",
		    ifr_format("Hot functions that are new: %zu, which %s in the fastest of %zu layouts.",
		               u->new_functions, u->placed ? "have places" : "stay where the linker puts them", u->tried));
	if (u->kind == IFR_UPKEEP_STABLE && u->functions)
		put_stability(u, out);
	if (u->kind != IFR_UPKEEP_STABLE && !isnan(u->optimum.ratio) && !ifr_upkeep_holds(u))
		put(out, "  - ",
		    ifr_strdup(
				u->kind == IFR_UPKEEP_CHECK
					? "\"interfero optimize --refresh\" tries to repair it, \"interfero optimize\" searches anew."
					: "The plan stays as it is. \"interfero optimize\" searches anew."));
	if (u->optimum.plan_file)
		pin_text(u->optimum.plan_file, program, out);
}

/* --- JSON -------------------------------------------------------------------------------------------------------- */

void ifr_upkeep_json(const struct ifr_upkeep *u, const char *program, struct ifr_buffer *out) {
	const struct ifr_optimum *o = &u->optimum;
	json_t *document = ifr_json_document(1, NULL, NULL);
	ifr_json_set(document, "program", ifr_json_text(program));
	ifr_json_set(document, "upkeep", ifr_json_text(ifr_upkeep_names[u->kind]));
	ifr_json_set(document, "holds", json_boolean(ifr_upkeep_holds(u)));
	ifr_json_set(document, "faster", json_boolean(o->faster));
	ifr_json_set(document, "slower", json_boolean(o->slower));
	optimum_set_confirmation(o, document);
	ifr_json_set(document, "pinned", json_boolean(u->pinned));
	ifr_json_set(document, "units_gone", ifr_json_count(u->missing_count));
	ifr_json_set(document, "functions_new", ifr_json_count(u->new_functions));
	ifr_json_set(document, "functions_placed", ifr_json_count(u->placed));
	if (u->kind == IFR_UPKEEP_STABLE) {
		ifr_json_set(document, "moved_shipped", ifr_json_number(u->moved_shipped));
		ifr_json_set(document, "moved", ifr_json_number(u->moved));
		ifr_json_set(document, "slack_bytes", ifr_json_count((size_t)u->slack_bytes));
		ifr_json_set(document, "loops_aligned", ifr_json_count(u->loops_aligned));
	}
	ifr_json_set(document, "plan", ifr_json_text(o->plan_file));
	ifr_json_print(document, out);
}
