/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single settings of a machine: find, change, check. */
#include "model/machines/parts.h"

#include <stdlib.h>
#include <string.h>

static bool find_parameter(const struct ifr_parameter *parameters, unsigned *values,
                           struct ifr_machine_note *notes, const char *name, struct ifr_setting_slot *slot) {
	for (size_t i = 0; parameters[i].name; i++)
		if (!strcmp(parameters[i].name, name)) {
			*slot =
				(struct ifr_setting_slot){&values[i], &notes[i], parameters[i].least, parameters[i].most, NULL};
			return true;
		}
	return false;
}

bool ifr_setting_slot_find(struct ifr_machine *machine, const char *group, const char *name,
                           struct ifr_setting_slot *slot) {
	if (!strcmp(group, "direction") && machine->direction)
		return find_parameter(machine->direction->parameters, machine->direction_values, machine->direction_notes,
		                      name, slot);
	if (!strcmp(group, "indirect") && machine->indirect)
		return find_parameter(machine->indirect->parameters, machine->indirect_values, machine->indirect_notes,
		                      name, slot);
	for (size_t i = 0; i < IFR_SETTINGS; i++) {
		const struct ifr_setting_about *about = &ifr_settings[i];
		if (strcmp(about->group, group) || strcmp(about->name, name))
			continue;
		*slot = (struct ifr_setting_slot){&machine->values[i], &machine->notes[i], about->least, about->most,
		                                  about->words};
		return true;
	}
	return false;
}

static int assign_word(const struct ifr_setting_slot *slot, const char *value, const char *what,
                       struct ifr_error *err) {
	const char *word = slot->words;
	for (unsigned i = 0; word; i++) {
		const size_t length = strcspn(word, " ");
		if (strlen(value) == length && !strncmp(word, value, length)) {
			*slot->value = i;
			return 0;
		}
		word = word[length] ? word + length + 1 : NULL;
	}
	return ifr_fail(err, IFR_E_USAGE, "%s is \"%s\": it can be one of %s", what, value, slot->words);
}

int ifr_setting_slot_assign(const struct ifr_setting_slot *slot, const char *value, const char *what,
                            struct ifr_error *err) {
	if (slot->words)
		return assign_word(slot, value, what, err);
	char *end;
	const unsigned long long number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || number < slot->least || number > slot->most)
		return ifr_fail(err, IFR_E_USAGE, "%s is \"%s\": it can be a whole number from %u to %u", what, value,
		                slot->least, slot->most);
	*slot->value = (unsigned)number;
	return 0;
}

void ifr_predictor_print_names(struct ifr_buffer *out) {
	for (size_t i = 0; ifr_predictors[i]; i++)
		ifr_buffer_printf(out, "%s%s", i ? " " : "", ifr_predictors[i]->name);
}

static int unknown_direction(const char *kind, const char *what, struct ifr_error *err) {
	struct ifr_buffer names = {0};
	ifr_predictor_print_names(&names);
	ifr_fail(err, IFR_E_USAGE,
	         "%s is \"%s\": it can be one of %s; those made of tables also with a size, as gshare-16k", what, kind,
	         ifr_buffer_text(&names));
	ifr_buffer_release(&names);
	return -IFR_E_USAGE;
}

static int unknown_indirect(const char *kind, const char *what, struct ifr_error *err) {
	struct ifr_buffer names = {0};
	for (size_t i = 0; ifr_target_predictors[i]; i++)
		ifr_buffer_printf(&names, "%s%s", i ? " " : "", ifr_target_predictors[i]->name);
	ifr_fail(err, IFR_E_USAGE, "%s is \"%s\": it can be one of %s", what, kind, ifr_buffer_text(&names));
	ifr_buffer_release(&names);
	return -IFR_E_USAGE;
}

static void assign_initial(const struct ifr_parameter *parameters, unsigned *values,
                           struct ifr_machine_note *notes) {
	for (size_t i = 0; parameters[i].name; i++) {
		values[i] = parameters[i].initial;
		ifr_machine_note_assign(&notes[i], IFR_STANDING_ASSUMED, parameters[i].about);
	}
}

/* Splits gshare-16k into kind and bytes (0 without a size). */
static const struct ifr_predictor *direction_of(const char *text, unsigned *bytes) {
	const struct ifr_predictor *whole = ifr_predictor_find(text);
	const char *dash = strrchr(text, '-');
	*bytes = 0;
	if (whole || !dash)
		return whole;
	char *end;
	const unsigned long kib = strtoul(dash + 1, &end, 10);
	if (dash[1] < '0' || dash[1] > '9' || strcmp(end, "k") || kib < 1 || kib > 1024 || kib & (kib - 1))
		return NULL;
	char *kind = ifr_strdup(text);
	kind[dash - text] = 0;
	const struct ifr_predictor *predictor = ifr_predictor_find(kind);
	free(kind);
	*bytes = (unsigned)kib * 1024;
	return predictor;
}

static int set_direction(struct ifr_machine *machine, const char *kind, const char *what, struct ifr_error *err) {
	unsigned bytes;
	const struct ifr_predictor *predictor = direction_of(kind, &bytes);
	if (!predictor)
		return unknown_direction(kind, what, err);
	unsigned sized[IFR_PREDICTOR_PARAMETERS];
	for (size_t i = 0; predictor->parameters[i].name; i++)
		sized[i] = predictor->parameters[i].initial;
	if (bytes && (!predictor->resize || !predictor->resize(bytes, sized)))
		return ifr_fail(err, IFR_E_USAGE, "%s is \"%s\", but %s does not come in that size: leave the size out",
		                what, kind, predictor->name);
	machine->direction = predictor;
	assign_initial(predictor->parameters, machine->direction_values, machine->direction_notes);
	memcpy(machine->direction_values, sized, sizeof sized);
	return 0;
}

int ifr_machine_set_predictor(struct ifr_machine *machine, const char *group, const char *kind, const char *what,
                              struct ifr_error *err) {
	if (!strcmp(group, "direction"))
		return set_direction(machine, kind, what, err);
	const struct ifr_target_predictor *predictor = ifr_target_predictor_find(kind);
	if (!predictor)
		return unknown_indirect(kind, what, err);
	machine->indirect = predictor;
	assign_initial(predictor->parameters, machine->indirect_values, machine->indirect_notes);
	return 0;
}

/* key: the setting as the user wrote it. */
static int set_kind(struct ifr_machine *machine, const char *group, const char *key, const char *value,
                    struct ifr_error *err) {
	const int rc = ifr_machine_set_predictor(machine, group, value, key, err);
	if (rc)
		return rc;
	struct ifr_machine_note *notes =
		strcmp(group, "direction") ? machine->indirect_notes : machine->direction_notes;
	ifr_machine_note_assign(&notes[IFR_PREDICTOR_PARAMETERS], IFR_STANDING_SET, "set by the user");
	return 0;
}

static int set_value(struct ifr_machine *machine, const char *key, const char *value, struct ifr_error *err) {
	char group[64];
	const char *dot = strchr(key, '.');
	struct ifr_setting_slot slot;
	const size_t length = dot ? (size_t)(dot - key) : 0;
	if (dot && length < sizeof group) {
		memcpy(group, key, length);
		group[length] = 0;
		if ((!strcmp(group, "direction") || !strcmp(group, "indirect")) && !strcmp(dot + 1, "kind"))
			return set_kind(machine, group, key, value, err);
		if (ifr_setting_slot_find(machine, group, dot + 1, &slot)) {
			const int rc = ifr_setting_slot_assign(&slot, value, key, err);
			if (!rc)
				ifr_machine_note_assign(slot.note, IFR_STANDING_SET, "set by the user");
			return rc;
		}
	}
	return ifr_fail(err, IFR_E_USAGE,
	                "a machine has no setting \"%s\": the description of %s shows all there are (group.name, "
	                "predictor, indirect)",
	                key, machine->name);
}

int ifr_machine_set(struct ifr_machine *machine, const char *key, const char *value, struct ifr_error *err) {
	if (!strcmp(key, "direction") || !strcmp(key, "predictor"))
		return set_kind(machine, "direction", key, value, err);
	if (!strcmp(key, "indirect"))
		return set_kind(machine, "indirect", key, value, err);
	return set_value(machine, key, value, err);
}
