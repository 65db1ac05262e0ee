/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/across.h"
#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1 };

static json_t *json_names(uint32_t set) {
	json_t *names = json_array();
	for (unsigned i = 0; i < IFR_CAUSES; i++)
		if (set >> i & 1)
			json_array_append_new(names, ifr_json_text(ifr_causes[i].name));
	return names;
}

static json_t *json_part(const struct ifr_across_part *part, const char *key) {
	json_t *row = json_object();
	ifr_json_set(row, "causes", json_names(part->set));
	ifr_json_set(row, key, ifr_json_number(part->value.cycles));
	ifr_json_set(row, "standard_error", ifr_json_number(part->value.error));
	return row;
}

static json_t *json_line(const struct ifr_across *across, size_t line) {
	json_t *row = json_object(), *shares = json_object();
	ifr_json_set(row, "function", ifr_json_text(across->lines.items[line].function));
	ifr_json_set(row, "line", ifr_json_text(across->lines.items[line].line));
	ifr_json_set(row, "cycles", ifr_json_number(ifr_across_line(across, line)));
	for (unsigned i = 0; i < IFR_CAUSES; i++)
		if (across->icost.causes >> i & 1)
			ifr_json_set(shares, ifr_causes[i].name,
			             ifr_json_number(ifr_across_line_share(across, (enum ifr_cause)i, line)));
	ifr_json_set(row, "shares", shares);
	return row;
}

/* Whether a line has a part under some set. */
static bool is_line_touched(const struct ifr_across *across, size_t line) {
	for (size_t i = 0; i < across->icost.count; i++) {
		const double cycles = across->line_cycles[i * across->lines.count + line];
		if (cycles < 0 || cycles > 0)
			return true;
	}
	return false;
}

static json_t *json_causes(const struct ifr_across *across, const struct ifr_across_parts *parts) {
	json_t *list = json_array();
	for (size_t i = 0; i < parts->causes_count; i++) {
		json_t *row = json_part(&parts->causes[i], "share");
		ifr_json_set(row, "cost", ifr_json_number(ifr_icost_cost(&across->icost, parts->causes[i].set).cycles));
		json_array_append_new(list, row);
	}
	return list;
}

void ifr_across_json(const struct ifr_across *across, const struct ifr_across_run *run, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *layouts = json_array(), *lines = json_array(),
		   *interactions = json_array();
	struct ifr_across_parts parts;
	ifr_across_list(across, &parts);
	for (size_t i = 0; i < parts.interactions_count; i++)
		json_array_append_new(interactions, json_part(&parts.interactions[i], "icost"));
	for (size_t i = 0; i < across->layouts; i++) {
		json_t *layout = json_object();
		ifr_json_set(layout, "cycles", ifr_json_number(across->cycles[i]));
		ifr_json_set(layout, "weight", ifr_json_number(across->weights[i]));
		json_array_append_new(layouts, layout);
	}
	for (size_t i = 0; i < across->lines.count; i++)
		if (is_line_touched(across, i))
			json_array_append_new(lines, json_line(across, i));
	ifr_json_set(root, "program", ifr_json_text(run->run.name));
	ifr_json_set(root, "machine", ifr_json_text(run->run.machine));
	ifr_json_set(root, "damage", ifr_json_text(run->run.damage));
	ifr_json_set(root, "approximate", ifr_json_text(run->run.approximate));
	ifr_json_set(root, "difference_of", ifr_json_text(run->first ? "two layouts" : "standard deviation"));
	ifr_json_set(root, "layouts", layouts);
	ifr_json_set(root, "difference", ifr_json_number(across->difference));
	ifr_json_set(root, "causes", json_causes(across, &parts));
	ifr_json_set(root, "interactions", interactions);
	ifr_json_set(root, "rest", ifr_json_number(parts.rest));
	ifr_json_set(root, "lines", lines);
	ifr_json_print(root, out);
	ifr_across_parts_release(&parts);
}
