/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hot functions, and the picture of where the units lie. */
#include <math.h>
#include <stdlib.h>

#include "harness/report/prose.h"
#include "harness/report/unit_map.h"

enum { HOT_SHOWN = 8 };
static const double hot_least = 0.01, start_share = 0.2;

static void say_hot(struct ifr_prose *prose) {
	const struct ifr_unit_map *map = prose->analysis->units;
	struct ifr_buffer *text = &prose->text;
	if (map->samples)
		ifr_buffer_printf(text, "Of %llu samples of cpu-clock in the shipped layout (user mode):",
		                  (unsigned long long)map->samples);
	else
		ifr_buffer_printf(text,
		                  "Of %llu instructions in the model's recording:", (unsigned long long)map->instructions);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	for (size_t i = 0; i < map->hot_count && i < HOT_SHOWN && map->hot[i].share >= hot_least; i++) {
		const struct ifr_dataset_unit *unit = map->hot[i].unit;
		char *name = map_unit_label(unit->name, MAP_WORDS);
		ifr_buffer_printf(text, "%.0f %%: %s", 100 * map->hot[i].share, name);
		free(name);
		if (unit->source)
			ifr_buffer_printf(text, " (%s)", unit->source);
		if (unit->bytes)
			ifr_buffer_printf(text, ", %llu bytes", (unsigned long long)unit->bytes);
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
}

/* Where the program's start outweighs the program, modelled differences are mostly the start's. */
static void warn_start(struct ifr_prose *prose) {
	const double share = ifr_loader_share(prose->analysis->dataset, 0);
	if (!(share >= start_share))
		return;
	ifr_buffer_printf(
		&prose->text,
		"%.0f %% of the recorded instructions are the dynamic loader's, before the program's main: the "
		"model counts mostly the start. Let a run do more work (more iterations, larger input), or mark "
		"the part that counts and replay it alone (interfero record --region).",
		100 * share);
	ifr_prose_end(prose, IFR_PROSE_WARNING);
}

static void say_found(struct ifr_prose *prose) {
	static const char *const features[] = {"offset in a 64-byte line", "offset in 32 bytes", "offset in 16 bytes",
	                                       "page", "set conflicts"};
	const struct ifr_unit_map *map = prose->analysis->units;
	struct ifr_buffer *text = &prose->text;
	for (size_t i = 0; i < map->found; i++) {
		const struct ifr_unit_row *row = &map->rows[i];
		char *name = map_unit_label(row->unit->name, MAP_WORDS);
		ifr_buffer_printf(text, "%s %s: its %s go%s with it, ", i ? ";" : "Found:", name, features[row->feature],
		                  row->feature == IFR_FEATURE_SET_CONFLICT ? "" : "es");
		free(name);
		ifr_format_signed_pct(text, 100 * row->difference);
		ifr_buffer_puts(text, " from best to worst (");
		ifr_format_p(text, row->p);
		ifr_buffer_puts(text, ")");
	}
	if (map->found)
		ifr_buffer_printf(text, ". False discovery rate 5 %% over %zu units; interfero blame tells more.",
		                  map->tested);
	else if (map->tested)
		ifr_buffer_printf(text, "No address of these %zu units is found to go along with time.", map->tested);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

void ifr_prose_units(struct ifr_prose *prose) {
	const struct ifr_unit_map *map = prose->analysis->units;
	const char *profile = ifr_dataset_fact(prose->analysis->dataset, "profile");
	if (!map->hot_count && !map->row_count)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING,
	              map->samples || !map->instructions
	                  ? "Where is the time, and which addresses go with it?"
	                  : "Where are the instructions, and which addresses go with time?");
	if (!map->samples && profile)
		ifr_buffer_printf(&prose->text, "Hot functions are not known by time (%s).", profile);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	if (map->samples || map->instructions)
		say_hot(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	warn_start(prose);
	if (!map->row_count || prose->analysis->random_count < 2)
		return;
	say_found(prose);
	ifr_prose_say(prose, IFR_PROSE_UNITS, "");
}
