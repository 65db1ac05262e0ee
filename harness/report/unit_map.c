/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of the picture of causes, and its data in JSON. */
#include "harness/report/unit_map.h"

#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"

const unsigned map_frames[MAP_PANELS] = {64, 4096};
const char *const map_titles[MAP_PANELS] = {"address modulo 64 (cache line)", "address modulo 4096 (page)"};

unsigned map_step(uint64_t address, int panel) {
	return (unsigned)(address % map_frames[panel] / (map_frames[panel] / MAP_STEPS));
}

const char *map_unit_symbol(const char *unit) {
	static const char *const kinds[] = {"unlikely.", "startup.", "hot.", "exit."};
	const char *text = strstr(unit, ".text.");
	if (!text || !text[6])
		return unit;
	text += 6;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(text, kinds[i], strlen(kinds[i])) && text[strlen(kinds[i])])
			return text + strlen(kinds[i]);
	return text;
}

char *map_unit_label(const char *unit, size_t columns) {
	const char *symbol = map_unit_symbol(unit);
	char *name = ifr_symbol_demangle(symbol), *label = ifr_symbol_shorten(name ? name : symbol, columns);
	free(name);
	return label;
}

char *map_unit_words(const char *unit) {
	char *name = ifr_symbol_demangle(map_unit_symbol(unit));
	if (!name)
		return ifr_strdup(unit);
	char *label = ifr_symbol_shorten(name, MAP_WORDS);
	free(name);
	return label;
}

void map_put_caption(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, struct ifr_buffer *out) {
	bool time = ifr_counter_is_time(analysis->metric);
	ifr_buffer_printf(out,
	                  "Columns are layouts from the %s to the %s, rows are units: ", time ? "fastest" : "lowest",
	                  time ? "slowest" : "highest");
	if (map->found)
		ifr_buffer_printf(out, "first %s that blame finds (*), then ", map->found == 1 ? "the one" : "those");
	switch (map->basis) {
	case IFR_UNITS_BY_SAMPLES:
		ifr_buffer_puts(out, "the hottest by samples of cpu-clock.");
		break;
	case IFR_UNITS_BY_INSTRUCTIONS:
		ifr_buffer_puts(out, "by executed instructions of the model's recording, as there is no profile of time.");
		break;
	case IFR_UNITS_BY_SIZE:
		ifr_buffer_printf(out, "the largest, as no %s fell into units that move.",
		                  map->instructions && !map->samples ? "executed instructions" : "samples");
		break;
	}
}

static json_t *json_row(const struct ifr_unit_row *row) {
	static const char *const features[] = {"line", "window", "word", "page", "set conflict"};
	json_t *made = json_object();
	ifr_json_set(made, "name", ifr_json_text(row->unit->name));
	char *demangled = ifr_symbol_demangle(map_unit_symbol(row->unit->name));
	ifr_json_set(made, "demangled", ifr_json_text(demangled));
	free(demangled);
	ifr_json_set(made, "source", ifr_json_text(row->unit->source));
	ifr_json_set(made, "bytes", row->unit->bytes ? json_integer((json_int_t)row->unit->bytes) : json_null());
	ifr_json_set(made, "samples", json_integer((json_int_t)row->unit->samples));
	ifr_json_set(made, "instructions", json_integer((json_int_t)row->unit->instructions));
	ifr_json_set(made, "share", ifr_json_number(row->share));
	ifr_json_set(made, "finding", row->found ? ifr_json_text(features[row->feature]) : json_null());
	ifr_json_set(made, "finding_p", ifr_json_number_if(row->found, row->p));
	ifr_json_set(made, "finding_difference", ifr_json_number_if(row->found, row->difference));
	return made;
}

json_t *map_json(const struct ifr_analysis *analysis, const struct ifr_unit_map *map) {
	json_t *made = json_object(), *hot = json_array(), *rows = json_array(), *columns = json_array();
	static const char *const bases[] = {"samples", "instructions", "size"};
	const char *profile = ifr_dataset_fact(analysis->dataset, "profile");
	ifr_json_set(made, "basis", ifr_json_text(bases[map->basis]));
	ifr_json_set(made, "profile", ifr_json_text(profile));
	ifr_json_set(made, "samples", json_integer((json_int_t)map->samples));
	ifr_json_set(made, "instructions", json_integer((json_int_t)map->instructions));
	ifr_json_set(made, "units_tested", ifr_json_count(map->tested));
	for (size_t i = 0; i < map->hot_count; i++)
		json_array_append_new(hot, json_row(&map->hot[i]));
	for (size_t i = 0; i < analysis->layout_count; i++)
		json_array_append_new(columns, ifr_json_count(analysis->layouts[i].variant->layout));
	for (size_t i = 0; i < map->row_count; i++) {
		json_t *row = json_row(&map->rows[i]), *addresses = json_array();
		for (size_t j = 0; j < analysis->layout_count; j++) {
			uint64_t at = ifr_unit_map_address(analysis, &map->rows[i], j);
			json_array_append_new(addresses, at ? json_integer((json_int_t)at) : json_null());
		}
		ifr_json_set(row, "addresses", addresses);
		json_array_append_new(rows, row);
	}
	ifr_json_set(made, "hot", hot);
	ifr_json_set(made, "variants", columns);
	ifr_json_set(made, "rows", rows);
	return made;
}
