/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/machines/parts.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory/power.h"

const char *const ifr_standings[] = {"documented", "reverse-engineered", "disputed", "assumed", "set", NULL};

void ifr_machine_note_assign(struct ifr_machine_note *note, enum ifr_standing standing, const char *source) {
	char *copy = ifr_strdup(source);
	free(note->source);
	*note = (struct ifr_machine_note){standing, copy};
}

void ifr_machine_free(struct ifr_machine *machine) {
	if (!machine)
		return;
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		free(machine->notes[i].source);
	for (size_t i = 0; i <= IFR_PREDICTOR_PARAMETERS; i++) {
		free(machine->direction_notes[i].source);
		free(machine->indirect_notes[i].source);
	}
	free(machine->name);
	free(machine->title);
	free(machine);
}

/* Values of pipeline.way_tag. */
enum way_tag { WAY_TAG_WHOLE, WAY_TAG_HASHED, WAY_TAG_HASHED_HIGH };

struct ifr_cache_shape ifr_machine_cache_shape(const struct ifr_machine *machine, enum ifr_setting bytes) {
	const unsigned *values = &machine->values[bytes];
	if (!values[0])
		return (struct ifr_cache_shape){0};
	const unsigned tag = bytes == IFR_L1D_BYTES ? machine->values[IFR_PIPELINE_WAY_TAG] : WAY_TAG_WHOLE;
	return (struct ifr_cache_shape){.sets = values[0] / values[1] / values[2],
	                                .ways = values[1],
	                                .policy = values[3],
	                                .hash_bit = tag == WAY_TAG_WHOLE ? 0 : 12 - ifr_log2_of(values[2]),
	                                .hash_high = tag == WAY_TAG_HASHED_HIGH};
}

unsigned ifr_machine_line_bytes(const struct ifr_machine *machine) {
	for (unsigned first = IFR_L1I_BYTES; first <= IFR_L3_BYTES; first += 4)
		if (machine->values[first])
			return machine->values[first + 2];
	return 64;
}

struct ifr_cache_shape ifr_machine_tlb_shape(const struct ifr_machine *machine, enum ifr_setting entries) {
	const unsigned *values = &machine->values[entries];
	if (!values[0])
		return (struct ifr_cache_shape){0};
	return (struct ifr_cache_shape){.sets = values[0] / values[1], .ways = values[1], .policy = values[2]};
}

struct ifr_cache_shape ifr_machine_btb_shape(const struct ifr_machine *machine, enum ifr_setting entries) {
	const unsigned *values = &machine->values[entries];
	if (!values[0])
		return (struct ifr_cache_shape){0};
	return (struct ifr_cache_shape){
		.sets = values[0] / values[1], .ways = values[1], .index_shift = values[2], .policy = IFR_POLICY_LRU};
}

uint64_t ifr_machine_predictor_span(const struct ifr_machine *machine) {
	const struct ifr_parameter *parameters = machine->direction->parameters;
	for (size_t i = 0; parameters[i].name; i++)
		if (!strcmp(parameters[i].name, "pc_bits") && machine->direction_values[i] < 64)
			return UINT64_C(1) << machine->direction_values[i];
	const bool by_address = !strcmp(machine->direction->name, "bimodal");
	for (size_t i = 0; parameters[i].name; i++)
		if (!strcmp(parameters[i].name, by_address ? "counters" : "entries"))
			return machine->direction_values[i];
	return 0;
}

static void print_value(struct ifr_buffer *out, const char *group, const char *name, const char *words,
                        unsigned value, const struct ifr_machine_note *note) {
	ifr_buffer_printf(out, "%s.%s = ", group, name);
	if (words) {
		for (unsigned i = 0; i < value; i++)
			words = strchr(words, ' ') + 1;
		ifr_buffer_printf(out, "%.*s", (int)strcspn(words, " "), words);
	} else {
		ifr_buffer_printf(out, "%u", value);
	}
	ifr_buffer_printf(out, "\t%s\t%s\n", ifr_standings[note->standing], note->source);
}

static void print_predictor(struct ifr_buffer *out, const char *group, const char *kind,
                            const struct ifr_parameter *parameters, const unsigned *values,
                            const struct ifr_machine_note *notes) {
	const struct ifr_machine_note *note = &notes[IFR_PREDICTOR_PARAMETERS];
	ifr_buffer_printf(out, "%s.kind = %s\t%s\t%s\n", group, kind, ifr_standings[note->standing], note->source);
	for (size_t i = 0; parameters[i].name; i++)
		print_value(out, group, parameters[i].name, NULL, values[i], &notes[i]);
}

void ifr_machine_print(const struct ifr_machine *machine, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "%s: %s\n", machine->name, machine->title);
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		if (machine->notes[i].source)
			print_value(out, ifr_settings[i].group, ifr_settings[i].name, ifr_settings[i].words,
			            machine->values[i], &machine->notes[i]);
	print_predictor(out, "direction", machine->direction->name, machine->direction->parameters,
	                machine->direction_values, machine->direction_notes);
	print_predictor(out, "indirect", machine->indirect->name, machine->indirect->parameters,
	                machine->indirect_values, machine->indirect_notes);
}
