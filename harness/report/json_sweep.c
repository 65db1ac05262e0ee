/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep as JSON. */
#include "harness/output/output.h"
#include "harness/report/report_json.h"

static json_t *json_values(const struct ifr_sweeps *sweeps, unsigned layout) {
	json_t *made = json_object();
	for (unsigned i = 0; i < sweeps->count; i++) {
		const struct ifr_sweep *sweep = &sweeps->items[i];
		char *name = ifr_format("%s:%s", ifr_axes[sweep->axis].name, ifr_sweep_name(sweep));
		ifr_json_set(made, name, json_integer(ifr_sweep_value(sweep, ifr_sweeps_level(sweeps, i, layout))));
		free(name);
	}
	return made;
}

static json_t *json_side(const struct ifr_sweep_side *side) {
	const struct ifr_sweep *sweep = side->sweep;
	const struct ifr_period *period = &side->period;
	char *name = ifr_format("%s:%s", ifr_axes[sweep->axis].name, ifr_sweep_name(sweep));
	json_t *made = json_object(), *medians = json_array(), *found = json_object();
	ifr_json_set(made, "name", ifr_json_text(name));
	ifr_json_set(made, "from", json_integer(sweep->from));
	ifr_json_set(made, "to", json_integer(sweep->to));
	ifr_json_set(made, "step", json_integer(sweep->step));
	for (unsigned i = 0; i < side->levels; i++)
		json_array_append_new(medians, ifr_json_number(side->medians[i]));
	ifr_json_set(made, "medians", medians);
	if (side->tested) {
		ifr_json_set(found, "length", json_integer((int64_t)period->steps * sweep->step));
		ifr_json_set(found, "p", ifr_json_number(period->p));
		ifr_json_set(found, "share", ifr_json_number(period->share));
		ifr_json_set(found, "found", json_boolean(period->p < IFR_SWEEP_LEVEL));
	} else {
		ifr_json_set(found, "unknown_because", ifr_json_text(side->why_not.message));
	}
	ifr_json_set(made, "period", found);
	free(name);
	return made;
}

static json_t *json_cells(const struct ifr_analysis *analysis) {
	const struct ifr_sweep_findings *from = analysis->sweep;
	json_t *made = json_array();
	for (unsigned i = 0; i < from->layouts; i++) {
		const struct ifr_layout *layout = from->cells[i];
		json_t *cell = json_object(), *counters = json_object();
		ifr_json_set(cell, "variant", ifr_json_count(i + 1));
		ifr_json_set(cell, "values", json_values(&from->sweeps, i + 1));
		ifr_json_set(cell, "median", layout ? ifr_json_number(layout->median) : json_null());
		for (size_t j = 0; j < from->overlay_count; j++)
			ifr_json_set(counters, analysis->dataset->counters[from->overlays[j].counter].name,
			             ifr_json_number(from->overlays[j].medians[i]));
		ifr_json_set(cell, "counters", counters);
		json_array_append_new(made, cell);
	}
	return made;
}

static json_t *json_spikes(const struct ifr_sweep_findings *from) {
	json_t *made = json_array();
	for (size_t i = 0; i < from->spike_count; i++) {
		const struct ifr_spike *spike = &from->spikes[i];
		json_t *one = json_object();
		ifr_json_set(one, "variant", ifr_json_count(spike->layout->variant->layout));
		ifr_json_set(one, "values", json_values(&from->sweeps, spike->layout->variant->layout));
		ifr_json_set(one, "deviation", ifr_json_number(spike->deviation));
		ifr_json_set(one, "p_adjusted", ifr_json_number(spike->p));
		ifr_json_set(one, "measured_again", json_boolean(spike->again));
		json_array_append_new(made, one);
	}
	return made;
}

static json_t *json_suspects(const struct ifr_sweep_findings *from) {
	json_t *made = json_array();
	for (size_t i = 0; i < from->suspect_count; i++) {
		const struct ifr_suspect *suspect = &from->suspects[i];
		json_t *one = json_object();
		ifr_json_set(one, "variant", ifr_json_count(suspect->layout->variant->layout));
		ifr_json_set(one, "values", json_values(&from->sweeps, suspect->layout->variant->layout));
		ifr_json_set(one, "deviation", ifr_json_number_if(suspect->tested, suspect->deviation));
		ifr_json_set(one, "p_holm", ifr_json_number_if(suspect->tested, suspect->p));
		json_array_append_new(made, one);
	}
	return made;
}

json_t *ifr_json_sweep(const struct ifr_analysis *analysis) {
	const struct ifr_sweep_findings *from = analysis->sweep;
	if (!from)
		return json_null();
	json_t *made = json_object(), *sides = json_array();
	for (unsigned i = 0; i < from->sweeps.count; i++)
		json_array_append_new(sides, json_side(&from->side[i]));
	ifr_json_set(made, "sweeps", sides);
	ifr_json_set(made, "layouts", json_cells(analysis));
	ifr_json_set(made, "suspects", json_suspects(from));
	ifr_json_set(made, "suspects_runs", ifr_json_count(from->runs_again));
	if (from->spikes_tested)
		ifr_json_set(made, "spikes", json_spikes(from));
	else
		ifr_json_set(made, "spikes_unknown_because", ifr_json_text(from->no_spikes.message));
	return made;
}
