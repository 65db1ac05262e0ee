/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a description: every value has standing and source, nothing is unknown, nothing left out. */
#include "model/machines/parts.h"

#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct ifr_machine *machine;
	const char *path;
	struct ifr_error *err;
};

static int complain(struct reading *r, const config_setting_t *at, const char *message, const char *what) {
	return ifr_fail(r->err, IFR_E_USAGE, "%s:%u: %s%s%s", r->path, config_setting_source_line(at), what,
	                *what ? ": " : "", message);
}

static int read_standing(struct reading *r, config_setting_t *at, const char *word, const char *source,
                         struct ifr_machine_note *note) {
	if (!word || !source || !*source)
		return complain(r, at, "standing and source are needed, as standing = \"documented\"; source = \"…\";",
		                config_setting_name(at) ? config_setting_name(at) : "value");
	for (unsigned i = 0; i < IFR_STANDING_SET; i++)
		if (!strcmp(ifr_standings[i], word)) {
			ifr_machine_note_assign(note, i, source);
			return 0;
		}
	return complain(r, at, "a standing is documented, reverse-engineered, disputed or assumed", word);
}

/* Writes a value, a number or a word, as text. */
static int value_text(struct reading *r, config_setting_t *value, char *text, size_t size) {
	if (config_setting_type(value) == CONFIG_TYPE_STRING)
		snprintf(text, size, "%s", config_setting_get_string(value));
	else if (config_setting_type(value) == CONFIG_TYPE_INT)
		snprintf(text, size, "%d", config_setting_get_int(value));
	else if (config_setting_type(value) == CONFIG_TYPE_INT64)
		snprintf(text, size, "%lld", config_setting_get_int64(value));
	else
		return complain(r, value, "a value is a whole number or a word, or ( value, \"standing\", \"source\" )",
		                "");
	return 0;
}

/* Reads name = value, or name = ( value, "standing", "source" ); text takes the value. */
static int read_value(struct reading *r, config_setting_t *setting, const struct ifr_machine_note *group,
                      struct ifr_machine_note *note, char *text, size_t size) {
	if (config_setting_type(setting) != CONFIG_TYPE_LIST) {
		ifr_machine_note_assign(note, group->standing, group->source);
		return value_text(r, setting, text, size);
	}
	if (config_setting_length(setting) != 3)
		return complain(r, setting, "write ( value, \"standing\", \"source\" )", config_setting_name(setting));
	const int rc = read_standing(r, setting, config_setting_get_string_elem(setting, 1),
	                             config_setting_get_string_elem(setting, 2), note);
	return rc ? rc : value_text(r, config_setting_get_elem(setting, 0), text, size);
}

static int read_setting(struct reading *r, config_setting_t *setting, const char *group,
                        const struct ifr_machine_note *group_note) {
	const char *name = config_setting_name(setting);
	struct ifr_setting_slot slot;
	char text[64], what[512];
	if (!strcmp(name, "standing") || !strcmp(name, "source") || !strcmp(name, "kind"))
		return 0;
	if (!ifr_setting_slot_find(r->machine, group, name, &slot))
		return complain(r, setting,
		                "there is no such setting in this group; interfero's built-in descriptions show all",
		                name);
	const int rc = read_value(r, setting, group_note, slot.note, text, sizeof text);
	snprintf(what, sizeof what, "%s:%u: %s.%s", r->path, config_setting_source_line(setting), group, name);
	return rc ? rc : ifr_setting_slot_assign(&slot, text, what, r->err);
}

static int read_kind(struct reading *r, config_setting_t *group, const char *name,
                     const struct ifr_machine_note *note) {
	config_setting_t *kind = config_setting_get_member(group, "kind");
	char text[64], what[512];
	struct ifr_machine_note *notes =
		strcmp(name, "direction") ? r->machine->indirect_notes : r->machine->direction_notes;
	if (!kind)
		return complain(r, group, "a predictor needs kind = \"…\"", name);
	const int rc = read_value(r, kind, note, &notes[IFR_PREDICTOR_PARAMETERS], text, sizeof text);
	snprintf(what, sizeof what, "%s:%u: %s.kind", r->path, config_setting_source_line(kind), name);
	return rc ? rc : ifr_machine_set_predictor(r->machine, name, text, what, r->err);
}

/* The settings that a group may leave out, and their values then. */
static bool find_usual(size_t setting, unsigned *value) {
	static const struct {
		enum ifr_setting setting;
		unsigned value;
	} usual[] = {{IFR_PIPELINE_RENAMED, 0},    {IFR_PIPELINE_COMMIT, 1},  {IFR_PIPELINE_WAKEUP, 1},
	             {IFR_PIPELINE_LONGEST, 1000}, {IFR_PIPELINE_UNITS, 0},   {IFR_PIPELINE_WAY_TAG, 0},
	             {IFR_FETCH_CALLS, 0},         {IFR_FETCH_PAIRS, 0},      {IFR_FETCH_INDIRECT, 0},
	             {IFR_FETCH_TARGETS, 0},       {IFR_FETCH_FAR, 0},        {IFR_FETCH_REDIRECT, 0},
	             {IFR_FETCH_BLOCK_TAG, 0},     {IFR_FETCH_BRANCHES, 0},   {IFR_FETCH_SEVERAL, 0},
	             {IFR_OP_CACHE_ENDS, 0},       {IFR_OP_CACHE_READS, 1},   {IFR_OP_CACHE_POLICY, 0},
	             {IFR_OP_CACHE_EXTENT, 0},     {IFR_OP_CACHE_FURTHER, 0}, {IFR_OP_CACHE_CONSTANTS, 2}};
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (usual[i].setting == setting) {
			*value = usual[i].value;
			return true;
		}
	return false;
}

/* A group that is there must have all its settings but those with usual values. */
static int check_whole(struct reading *r, config_setting_t *group, const char *name) {
	for (size_t i = 0; i < IFR_SETTINGS; i++) {
		const struct ifr_setting_about *about = &ifr_settings[i];
		if (strcmp(about->group, name) || config_setting_get_member(group, about->name))
			continue;
		if (!find_usual(i, &r->machine->values[i]))
			return complain(r, group, "is missing", about->name);
		ifr_machine_note_assign(&r->machine->notes[i], IFR_STANDING_ASSUMED, "left out: the usual value");
	}
	return 0;
}

static bool is_group(const char *name) {
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		if (!strcmp(ifr_settings[i].group, name))
			return true;
	return !strcmp(name, "direction") || !strcmp(name, "indirect");
}

static int read_group(struct reading *r, config_setting_t *group) {
	const char *name = config_setting_name(group);
	const char *standing = NULL, *source = NULL;
	struct ifr_machine_note note = {0};
	if (!is_group(name) || !config_setting_is_group(group))
		return complain(r, group, "there is no such group; interfero's built-in descriptions show all", name);
	config_setting_lookup_string(group, "standing", &standing);
	config_setting_lookup_string(group, "source", &source);
	int rc = read_standing(r, group, standing, source, &note);
	if (!rc && (!strcmp(name, "direction") || !strcmp(name, "indirect")))
		rc = read_kind(r, group, name, &note);
	for (int i = 0; !rc && i < config_setting_length(group); i++)
		rc = read_setting(r, config_setting_get_elem(group, (unsigned)i), name, &note);
	free(note.source);
	return rc ? rc : check_whole(r, group, name);
}

static int read_all(struct reading *r, config_t *config) {
	config_setting_t *root = config_root_setting(config);
	const char *title = NULL;
	static const char *const needed[] = {"core", "direction", "indirect", "penalty"};
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!config_setting_get_member(root, needed[i]))
			return complain(r, root, "this group is missing", needed[i]);
	if (!config_lookup_string(config, "title", &title))
		return complain(r, root, "title = \"…\" is missing", "");
	r->machine->title = ifr_strdup(title);
	for (int i = 0; i < config_setting_length(root); i++) {
		config_setting_t *group = config_setting_get_elem(root, (unsigned)i);
		const int rc = strcmp(config_setting_name(group), "title") ? read_group(r, group) : 0;
		if (rc)
			return rc;
	}
	return ifr_machine_check(r->machine, r->err);
}

int ifr_machine_read(struct ifr_machine **out, const char *name, const char *path, const char *text,
                     struct ifr_error *err) {
	config_t config;
	struct ifr_machine *machine = ifr_alloc(sizeof *machine);
	struct reading r = {machine, path, err};
	int rc;
	machine->name = ifr_strdup(name);
	config_init(&config);
	/* A description is one file: @include would read from the folder where the command happens to run. */
	if (strstr(text, "@include"))
		rc = ifr_fail(err, IFR_E_USAGE, "%s: a description of a machine may not @include another file", path);
	else if (!config_read_string(&config, text))
		rc = ifr_fail(err, IFR_E_USAGE, "%s:%d: %s", path, config_error_line(&config), config_error_text(&config));
	else
		rc = read_all(&r, &config);
	config_destroy(&config);
	if (rc)
		ifr_machine_free(machine);
	else
		*out = machine;
	return rc;
}
