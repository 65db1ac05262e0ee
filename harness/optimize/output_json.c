/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "harness/optimize/confirmation_output.h"

static json_t *interval_json(const struct ifr_interval *interval) {
	json_t *made = json_object();
	ifr_json_set(made, "low", ifr_json_number(interval->low));
	ifr_json_set(made, "high", ifr_json_number(interval->high));
	ifr_json_set(made, "confidence", ifr_json_number(interval->confidence));
	return made;
}

/* The list of kinds of processors; empty where there is one. */
static json_t *kinds_json(const struct ifr_confirmed *confirmed) {
	json_t *list = json_array();
	for (size_t i = 0; i < confirmed->kind_count; i++) {
		const struct ifr_confirmed_kind *kind = &confirmed->kinds[i];
		json_t *one = json_object();
		ifr_json_set(one, "processor", ifr_json_text(kind->processor));
		ifr_json_set(one, "faster", json_boolean(kind->faster));
		ifr_json_set(one, "slower", json_boolean(kind->slower));
		ifr_json_set(one, "ratio", ifr_json_number(kind->ratio));
		ifr_json_set(one, "interval", interval_json(&kind->interval));
		json_array_append_new(list, one);
	}
	return list;
}

/* The list of workloads, or of held-out arguments. */
static json_t *confirmed_json(const struct ifr_optimum *o, size_t from, size_t to) {
	json_t *list = json_array();
	for (size_t i = from; i < to && i < o->confirmed_count; i++) {
		json_t *one = json_object();
		if (i < o->workload_count) {
			ifr_json_set(one, "name", ifr_json_text(o->confirmed[i].name));
			ifr_json_set(one, "weight", ifr_json_number(o->confirmed[i].weight));
		} else {
			ifr_json_set(one, "arguments", ifr_json_text(o->confirmed[i].arguments));
		}
		ifr_json_set(one, "faster", json_boolean(o->confirmed[i].faster));
		ifr_json_set(one, "slower", json_boolean(o->confirmed[i].slower));
		ifr_json_set(one, "ratio", ifr_json_number(o->confirmed[i].comparison.ratio));
		ifr_json_set(one, "interval", interval_json(&o->confirmed[i].comparison.interval));
		ifr_json_set(one, "runs", ifr_json_count(o->confirmed[i].runs));
		ifr_json_set(one, "run_ns",
		             ifr_json_number_if(o->confirmed[i].run_ns > 0, (double)o->confirmed[i].run_ns));
		ifr_json_set(one, "processors", kinds_json(&o->confirmed[i]));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *worst_json(const struct ifr_worst_case *worst) {
	json_t *made = json_object();
	ifr_json_set(made, "contexts", ifr_json_count(worst->contexts));
	ifr_json_set(made, "processors", ifr_json_count(worst->processors));
	ifr_json_set(made, "processor", ifr_json_text(worst->processor));
	ifr_json_set(made, "ratio", ifr_json_number(worst->ratio));
	ifr_json_set(made, "interval", interval_json(&worst->interval));
	ifr_json_set(made, "better", json_boolean(worst->better));
	ifr_json_set(made, "contexts_no_worse", ifr_json_number(worst->covered));
	return made;
}

static json_t *shrunk_json(const struct ifr_shrunk_gain *shrunk) {
	json_t *made = json_object();
	ifr_json_set(made, "ratio", ifr_json_number(shrunk->ratio));
	ifr_json_set(made, "interval", interval_json(&shrunk->interval));
	ifr_json_set(made, "kept", ifr_json_number(shrunk->kept));
	ifr_json_set(made, "centre", ifr_json_number(shrunk->centre));
	ifr_json_set(made, "spread", ifr_json_number(shrunk->spread));
	ifr_json_set(made, "layouts", ifr_json_count(shrunk->layouts));
	return made;
}

static json_t *survival_json(const char *situation, const struct ifr_survival *survival) {
	json_t *made = json_object();
	const bool known = !survival->skipped;
	ifr_json_set(made, "situation", ifr_json_text(situation));
	ifr_json_set(made, "what", ifr_json_text(survival->what));
	ifr_json_set(made, "skipped", ifr_json_text(survival->skipped));
	ifr_json_set(made, "faster", json_boolean(survival->faster));
	ifr_json_set(made, "slower", json_boolean(survival->slower));
	ifr_json_set(made, "ratio", ifr_json_number_if(known, survival->ratio));
	ifr_json_set(made, "interval", known ? interval_json(&survival->interval) : json_null());
	return made;
}

/* Contexts and held-out arguments have members of their own. */
static json_t *robustness_json(const struct ifr_optimum *o) {
	json_t *list = json_array();
	if (o->edit_tried)
		json_array_append_new(list, survival_json("edit", &o->edit));
	for (size_t i = 0; i < o->machine_count; i++)
		json_array_append_new(list, survival_json("machine", &o->machines[i]));
	return list;
}

void optimum_set_confirmation(const struct ifr_optimum *o, json_t *document) {
	const bool confirmed = o->workload_count && o->confirmed_count >= o->workload_count;
	ifr_json_set(document, "ratio", ifr_json_number_if(confirmed, o->ratio));
	ifr_json_set(document, "interval", confirmed ? interval_json(&o->interval) : json_null());
	ifr_json_set(
		document, "p",
		ifr_json_number_if(confirmed && o->workload_count == 1, confirmed ? o->confirmed->comparison.p : 0));
	ifr_json_set(document, "worst_case", confirmed && o->worst.contexts ? worst_json(&o->worst) : json_null());
	ifr_json_set(document, "workloads", confirmed_json(o, 0, o->workload_count));
	ifr_json_set(document, "held_out", confirmed_json(o, o->workload_count, o->confirmed_count));
}

void ifr_optimum_json(const struct ifr_optimum *o, const char *program, struct ifr_buffer *out) {
	json_t *document = ifr_json_document(1, NULL, NULL), *features = json_array();
	for (int i = 0; i < IFR_OPTIMUM_FEATURES && o->feature[i].name; i++) {
		json_t *feature = json_object();
		ifr_json_set(feature, "name", ifr_json_text(o->feature[i].name));
		ifr_json_set(feature, "effect", ifr_json_number(exp(o->feature[i].effect) - 1));
		json_array_append_new(features, feature);
	}
	ifr_json_set(document, "program", ifr_json_text(program));
	ifr_json_set(document, "goal", ifr_json_text(ifr_goal_names[o->goal]));
	ifr_json_set(document, "found", json_boolean(o->found));
	ifr_json_set(document, "faster", json_boolean(o->faster));
	optimum_set_confirmation(o, document);
	ifr_json_set(document, "again", o->again_tried ? survival_json("again", &o->again) : json_null());
	ifr_json_set(document, "shrunk", o->shrunk.known ? shrunk_json(&o->shrunk) : json_null());
	ifr_json_set(document, "robustness", robustness_json(o));
	ifr_json_set(document, "layouts_predicted", ifr_json_count(o->predicted));
	ifr_json_set(document, "layouts_modelled", ifr_json_count(o->modelled));
	ifr_json_set(document, "layouts_measured", ifr_json_count(o->measured));
	ifr_json_set(document, "runs_searched", ifr_json_count(o->runs));
	struct ifr_buffer axes = {0};
	ifr_axes_print(o->axes_tried, &axes);
	ifr_json_set(document, "axes_tried", ifr_json_text(ifr_buffer_text(&axes)));
	ifr_buffer_release(&axes);
	json_t *skipped = json_array();
	for (size_t i = 0; i < o->skipped.count; i++)
		json_array_append_new(skipped, ifr_json_text(o->skipped.items[i]));
	ifr_json_set(document, "skipped", skipped);
	ifr_json_set(document, "origin", ifr_json_text(o->origin));
	ifr_json_set(document, "fastest_random", ifr_json_number(o->fastest_random));
	ifr_json_set(document, "surrogate_r", ifr_json_number(o->r));
	ifr_json_set(document, "features", features);
	ifr_json_set(document, "plan", ifr_json_text(o->plan_file));
	ifr_json_set(document, "order", ifr_json_text(o->order_file));
	ifr_json_set(document, "sections", ifr_json_text(o->sections_file));
	ifr_json_print(document, out);
}
