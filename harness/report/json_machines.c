/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines, in the report as JSON. */
#include "harness/output/output.h"
#include "harness/report/report_json.h"

static json_t *json_kinds(const struct ifr_machine_findings *from) {
	json_t *made = json_array();
	for (size_t i = 0; i < from->kind_count; i++) {
		json_t *kind = json_object();
		ifr_json_set(kind, "processor", ifr_json_text(from->kinds[i].processor));
		ifr_json_set(kind, "nodes", ifr_json_count(from->kinds[i].nodes));
		ifr_json_set(kind, "level", ifr_json_number_if(from->kinds[i].level > 0, from->kinds[i].level));
		json_array_append_new(made, kind);
	}
	return made;
}

static json_t *json_nodes(const struct ifr_machine_findings *from) {
	json_t *made = json_array();
	for (size_t i = 0; i < from->nodes; i++) {
		const struct ifr_machine_node *one = &from->node[i];
		json_t *node = json_object();
		ifr_json_set(node, "host", ifr_json_text(one->host));
		ifr_json_set(node, "processor", ifr_json_text(from->kinds[one->kind].processor));
		ifr_json_set(node, "runs", ifr_json_count(one->runs));
		ifr_json_set(node, "level", ifr_json_number(one->level));
		ifr_json_set(node, "run_sd", ifr_json_number(one->run_sd));
		ifr_json_set(node, "df_runs", ifr_json_count(one->run_df));
		ifr_json_set(node, "calibrated_run_sd", ifr_json_number(one->calibrated_sd));
		ifr_json_set(node, "calibrated_called_other", ifr_json_number(one->calibrated_calls));
		json_array_append_new(made, node);
	}
	return made;
}

json_t *ifr_json_machines(const struct ifr_machine_findings *from) {
	if (from->nodes < 2)
		return json_null();
	json_t *made = json_object(), *effect = json_object();
	ifr_json_set(made, "kinds", json_kinds(from));
	ifr_json_set(made, "nodes", json_nodes(from));
	ifr_json_set(made, "noisy_nodes", ifr_json_count(from->noisy));
	ifr_json_set(effect, "common_sd", ifr_json_number_if(from->crossed, from->effect.row_sd));
	ifr_json_set(effect, "own_sd", ifr_json_number_if(from->crossed, from->effect.cell_sd));
	ifr_json_set(effect, "run_sd", ifr_json_number_if(from->crossed, from->effect.run_sd));
	ifr_json_set(effect, "p_own", ifr_json_number_if(from->crossed, from->effect.p));
	ifr_json_set(made, "layout_effect", effect);
	return made;
}
