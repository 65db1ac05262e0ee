/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes what was found as a description: a base, which is the nearest built-in description or the one that was probed,
 * with the values found in their places. Values that do not fit together with the base's others are left out. */
#include "harness/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "harness/probe/findings.h"
#include "model/model.h"

/* By enum ifr_standing; what a user has set is assumed in a description. */
static const char *const standings[] = {"documented", "reverse-engineered", "disputed", "assumed", "assumed"};

struct writing {
	const struct ifr_probe_result *result;
	const char *base; /* its specification */
	bool *accepted;   /* by finding */
	struct ifr_machine *machine;
	struct ifr_buffer *out;
};

static bool is_in_group(const char *key, const char *group, size_t length) {
	return !strncmp(key, group, length) && key[length] == '.';
}

/* Whether the base describes the setting's group, which is whole or not there. */
static bool base_has(const struct ifr_machine *base, const char *key) {
	const size_t length = strcspn(key, ".");
	if (is_in_group(key, "direction", length) || is_in_group(key, "indirect", length))
		return true;
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		if (base->notes[i].source && strlen(ifr_settings[i].group) == length &&
		    is_in_group(key, ifr_settings[i].group, length))
			return true;
	return false;
}

/* A kind brings its initial values: where it is the base's, nothing changes. */
static int apply_kind(const struct ifr_probe_finding *finding, struct ifr_machine *machine) {
	const bool direction = is_in_group(finding->key, "direction", strlen("direction"));
	const char *kind = direction ? machine->direction->name : machine->indirect->name;
	return strcmp(finding->word, kind)
	           ? ifr_machine_set(machine, direction ? "direction" : "indirect", finding->word, NULL)
	           : 0;
}

static int apply(const struct ifr_probe_finding *finding, struct ifr_machine *machine) {
	if (!strcmp(finding->key, "direction.kind") || !strcmp(finding->key, "indirect.kind"))
		return apply_kind(finding, machine);
	char *value = finding->word ? ifr_strdup(finding->word) : ifr_format("%.0f", finding->value);
	const int rc = ifr_machine_set(machine, finding->key, value, NULL);
	free(value);
	return rc;
}

/* Opens the base with the accepted values. Returns NULL if they do not fit. */
static struct ifr_machine *open_accepted(const struct writing *writing) {
	const struct ifr_probe_result *result = writing->result;
	struct ifr_machine *machine = NULL;
	int rc = ifr_machine_open(&machine, writing->base, NULL);
	for (size_t i = 0; !rc && i < result->findings_count; i++)
		if (writing->accepted[i])
			rc = apply(&result->findings[i], machine);
	if (!rc && !ifr_machine_check(machine, NULL))
		return machine;
	ifr_machine_free(machine);
	return NULL;
}

/* Marks the group of a finding as accepted, or not. */
static void mark_group(struct writing *writing, const char *key, bool accepted) {
	const struct ifr_probe_result *result = writing->result;
	for (size_t i = 0; i < result->findings_count; i++) {
		const struct ifr_probe_finding *finding = &result->findings[i];
		if (finding->told && finding->is_setting && is_in_group(finding->key, key, strcspn(key, ".")))
			writing->accepted[i] = accepted && base_has(writing->machine, finding->key);
	}
}

/* Accepts group after group. */
static void accept_groups(struct writing *writing) {
	for (size_t i = 0; i < writing->result->findings_count; i++) {
		const struct ifr_probe_finding *finding = &writing->result->findings[i];
		if (!finding->told || !finding->is_setting || writing->accepted[i])
			continue;
		mark_group(writing, finding->key, true);
		struct ifr_machine *machine = open_accepted(writing);
		if (machine) {
			ifr_machine_free(writing->machine);
			writing->machine = machine;
		} else {
			mark_group(writing, finding->key, false);
		}
	}
}

static const struct ifr_probe_finding *find_accepted(const struct writing *writing, const char *group,
                                                     const char *name) {
	for (size_t i = 0; i < writing->result->findings_count; i++) {
		const struct ifr_probe_finding *finding = &writing->result->findings[i];
		const size_t length = strlen(group);
		if (writing->accepted[i] && is_in_group(finding->key, group, length) &&
		    !strcmp(finding->key + length + 1, name))
			return finding;
	}
	return NULL;
}

static void put_quoted(struct ifr_buffer *out, const char *text) {
	for (; *text; text++)
		ifr_buffer_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void put_measured(struct ifr_buffer *out, const struct ifr_probe_finding *finding) {
	ifr_buffer_puts(out, finding->source == IFR_PROBE_BY_EVENTS ? "measured by events" : "measured");
	if (finding->low < finding->high)
		ifr_buffer_printf(out, ", %.4g (%.4g to %.4g)", finding->value, finding->low, finding->high);
	ifr_buffer_puts(out, ": ");
}

/* One value: measured, or taken from the base with its standing. */
static void put_value(const struct writing *writing, const char *group, const char *name, const char *value,
                      const struct ifr_machine_note *note) {
	const struct ifr_probe_finding *finding = find_accepted(writing, group, name);
	struct ifr_buffer *out = writing->out;
	ifr_buffer_printf(out, "  %s = (%s, \"%s\", \"", name, value,
	                  standings[finding ? IFR_STANDING_REVERSE_ENGINEERED : note->standing]);
	if (finding)
		put_measured(out, finding);
	else
		ifr_buffer_printf(out, "from %s: ", writing->base);
	put_quoted(out, finding ? finding->experiment : note->source);
	ifr_buffer_puts(out, "\");\n");
}

/* A setting's value, as a word where it has words, in quotes; the caller frees. */
static char *format_setting(const struct ifr_machine *machine, size_t setting, const char *quote) {
	const char *words = ifr_settings[setting].words;
	for (unsigned word = 0; words && word < machine->values[setting]; word++)
		words = strchr(words, ' ') + 1;
	return words ? ifr_format("%s%.*s%s", quote, (int)strcspn(words, " "), words, quote)
	             : ifr_format("%u", machine->values[setting]);
}

static void put_group_end(const struct writing *writing) {
	ifr_buffer_puts(writing->out, "  standing = \"assumed\"; source = \"each value has its own\";\n};\n");
}

static void put_settings(const struct writing *writing) {
	const struct ifr_machine *machine = writing->machine;
	const char *group = NULL;
	for (size_t i = 0; i < IFR_SETTINGS; i++) {
		const struct ifr_setting_about *about = &ifr_settings[i];
		if (!machine->notes[i].source)
			continue;
		if (!group || strcmp(group, about->group)) {
			if (group)
				put_group_end(writing);
			group = about->group;
			ifr_buffer_printf(writing->out, "%s: {\n", group);
		}
		char *value = format_setting(machine, i, about->words ? "\"" : "");
		put_value(writing, group, about->name, value, &machine->notes[i]);
		free(value);
	}
	if (group)
		put_group_end(writing);
}

static void put_predictor(const struct writing *writing, const char *group, const char *kind,
                          const struct ifr_parameter *parameters, const unsigned *values,
                          const struct ifr_machine_note *notes) {
	char *quoted = ifr_format("\"%s\"", kind);
	ifr_buffer_printf(writing->out, "%s: {\n", group);
	put_value(writing, group, "kind", quoted, &notes[IFR_PREDICTOR_PARAMETERS]);
	for (size_t i = 0; parameters[i].name; i++) {
		char *value = ifr_format("%u", values[i]);
		put_value(writing, group, parameters[i].name, value, &notes[i]);
		free(value);
	}
	put_group_end(writing);
	free(quoted);
}

/* Findings without a setting are comments: they are of use to people. */
static void put_comments(const struct writing *writing) {
	for (size_t i = 0; i < writing->result->findings_count; i++) {
		const struct ifr_probe_finding *finding = &writing->result->findings[i];
		if (writing->accepted[i])
			continue;
		ifr_buffer_printf(writing->out, "// %s: ", finding->key);
		if (!finding->told)
			ifr_buffer_printf(writing->out, "not told: %s\n", finding->experiment);
		else if (finding->word)
			ifr_buffer_printf(writing->out, "measured, %s: %s\n", finding->word, finding->experiment);
		else
			ifr_buffer_printf(writing->out, "measured, %.4g (%.4g to %.4g) %s: %s%s\n", finding->value,
			                  finding->low, finding->high, finding->unit, finding->experiment,
			                  finding->is_setting ? "; it does not fit the other values" : "");
	}
}

static void add_value(struct ifr_probe_finding *finding, const struct ifr_machine *machine, const char *name) {
	for (size_t i = 0; i < IFR_SETTINGS; i++) {
		const size_t length = strlen(ifr_settings[i].group);
		if (!machine->notes[i].source || !is_in_group(finding->key, ifr_settings[i].group, length) ||
		    strcmp(finding->key + length + 1, ifr_settings[i].name) != 0)
			continue;
		char *value = format_setting(machine, i, ""),
			 *experiment = ifr_format("%s; %s has %s (%s)", finding->experiment, name, value,
		                              standings[machine->notes[i].standing]);
		free(finding->experiment);
		finding->experiment = experiment;
		free(value);
		return;
	}
}

void probe_add_published(struct ifr_probe_result *result) {
	char *name = NULL;
	bool is_same;
	struct ifr_machine *machine = NULL;
	if (!ifr_machine_nearest(&name, &is_same, NULL) && !ifr_machine_open(&machine, name, NULL))
		for (size_t i = 0; i < result->findings_count; i++)
			if (result->findings[i].is_setting)
				add_value(&result->findings[i], machine, name);
	ifr_machine_free(machine);
	free(name);
}

int ifr_probe_description(const struct ifr_probe_result *result, struct ifr_buffer *out, struct ifr_error *err) {
	char *base = NULL;
	bool is_same;
	struct writing writing = {.result = result, .out = out};
	int rc = result->is_described ? 0 : ifr_machine_nearest(&base, &is_same, err);
	if (result->is_described)
		base = ifr_strdup(result->machine);
	if (!rc)
		rc = ifr_machine_open(&writing.machine, base, err);
	if (!rc) {
		const struct ifr_machine *machine;
		writing.base = base;
		writing.accepted = ifr_alloc((result->findings_count + 1) * sizeof *writing.accepted);
		accept_groups(&writing);
		machine = writing.machine;
		ifr_buffer_puts(out, "// SPDX-License-Identifier: GPL-3.0-or-later\n// By interfero probe.\n");
		put_comments(&writing);
		ifr_buffer_puts(out, "title = \"");
		put_quoted(out, result->machine);
		ifr_buffer_printf(out, ", probed; other values from %s\";\n", base);
		put_settings(&writing);
		put_predictor(&writing, "direction", machine->direction->name, machine->direction->parameters,
		              machine->direction_values, machine->direction_notes);
		put_predictor(&writing, "indirect", machine->indirect->name, machine->indirect->parameters,
		              machine->indirect_values, machine->indirect_notes);
		ifr_machine_free(writing.machine);
		free(writing.accepted);
	}
	free(base);
	return rc;
}
