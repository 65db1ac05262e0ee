/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kit.json, the description of a kit. */
#include "kit/kit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

enum { KIT_FORMAT = 1 };

void ifr_kit_init(struct ifr_kit *kit) {
	memset(kit, 0, sizeof *kit);
}

bool ifr_kit_is_unlinked(const struct ifr_kit *kit) {
	return !strcmp(kit->linker, IFR_KIT_UNLINKED);
}

void ifr_kit_release(struct ifr_kit *kit) {
	char *owned[] = {kit->dir,    kit->program,        kit->output, kit->sha256, kit->build_id,
	                 kit->linker, kit->linker_version, kit->cwd,    kit->created};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
	for (size_t i = 0; i < kit->input_count; i++)
		free(kit->inputs[i].path);
	free(kit->inputs);
	ifr_strings_release(&kit->arguments);
	ifr_kit_init(kit);
}

static struct ifr_kit_input *append_input(struct ifr_kit *kit, const char *path) {
	kit->inputs = ifr_realloc(kit->inputs, kit->input_count + 1, sizeof *kit->inputs);
	struct ifr_kit_input *input = &kit->inputs[kit->input_count++];
	*input = (struct ifr_kit_input){.path = ifr_strdup(path)};
	return input;
}

static bool has_input(const struct ifr_kit *kit, const char *path) {
	for (size_t i = 0; i < kit->input_count; i++)
		if (!strcmp(kit->inputs[i].path, path))
			return true;
	return false;
}

void ifr_kit_add_input(struct ifr_kit *kit, const char *path) {
	if (!has_input(kit, path))
		append_input(kit, path);
}

char *ifr_kit_print(const struct ifr_kit *kit) {
	json_t *arguments = json_array(), *inputs = json_array();
	for (size_t i = 0; i < kit->arguments.count; i++)
		json_array_append_new(arguments, json_string_nocheck(kit->arguments.items[i]));
	for (size_t i = 0; i < kit->input_count; i++) {
		json_t *input = json_object();
		json_object_set_new(input, "path", json_string_nocheck(kit->inputs[i].path));
		json_object_set_new(input, "sha256", json_string(kit->inputs[i].sha256));
		json_object_set_new(input, "bytes", json_integer(kit->inputs[i].bytes));
		json_array_append_new(inputs, input);
	}
	json_t *json = json_object();
	json_object_set_new(json, "format", json_integer(KIT_FORMAT));
	json_object_set_new(json, "tool", json_string("interfero " INTERFERO_VERSION));
	const char *texts[][2] = {
		{"key", kit->key},
		{"program", kit->program},
		{"output", kit->output},
		{"sha256", kit->sha256},
		{"build_id", kit->build_id},
		{"linker", kit->linker},
		{"linker_version", kit->linker_version},
		{"cwd", kit->cwd},
		{"created", kit->created},
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		json_object_set_new(json, texts[i][0], json_string_nocheck(texts[i][1]));
	json_object_set_new(json, "arguments", arguments);
	json_object_set_new(json, "inputs", inputs);
	char *text = json_dumps(json, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	json_decref(json);
	return text;
}

static bool is_digest(const char *text) {
	return strlen(text) == IFR_SHA256_HEX - 1 && strspn(text, "0123456789abcdef") == IFR_SHA256_HEX - 1;
}

/* Whether a path is absolute and normalised. Import writes files at the paths of inputs, so no path may lead out
 * of the kit. */
static bool is_clean_path(const char *path) {
	char *normal = *path == '/' ? ifr_path_normalise("/", path) : NULL;
	bool clean = normal && !strcmp(normal, path) && path[1];
	free(normal);
	return clean;
}

static bool is_key(const char *text) {
	return *text && strlen(text) < IFR_KEY_MAX && strspn(text, "0123456789abcdefsh-") == strlen(text);
}

static bool read_text(const json_t *json, const char *name, char **text) {
	const char *value = json_string_value(json_object_get(json, name));
	if (value)
		*text = ifr_strdup(value);
	return value;
}

static bool read_lists(const json_t *json, struct ifr_kit *kit) {
	const json_t *arguments = json_object_get(json, "arguments"), *inputs = json_object_get(json, "inputs");
	if (!json_is_array(arguments) || !json_is_array(inputs))
		return false;
	for (size_t i = 0; i < json_array_size(arguments); i++) {
		const char *argument = json_string_value(json_array_get(arguments, i));
		if (!argument)
			return false;
		ifr_strings_add(&kit->arguments, argument);
	}
	for (size_t i = 0; i < json_array_size(inputs); i++) {
		const json_t *entry = json_array_get(inputs, i), *bytes = json_object_get(entry, "bytes");
		const char *path = json_string_value(json_object_get(entry, "path"));
		const char *digest = json_string_value(json_object_get(entry, "sha256"));
		if (!path || !is_clean_path(path) || has_input(kit, path) || !digest || !is_digest(digest) ||
		    !json_is_integer(bytes))
			return false;
		struct ifr_kit_input *input = append_input(kit, path);
		strcpy(input->sha256, digest);
		input->bytes = json_integer_value(bytes);
	}
	return true;
}

int ifr_kit_parse(const char *text, size_t length, const char *origin, struct ifr_kit *kit,
                  struct ifr_error *err) {
	ifr_kit_init(kit);
	json_error_t fault;
	json_t *json = json_loadb(text, length, 0, &fault);
	if (!json)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is damaged (line %d: %s); remove the kit and link again",
		                origin, fault.line, fault.text);
	int64_t format = json_integer_value(json_object_get(json, "format"));
	const char *key = json_string_value(json_object_get(json, "key"));
	bool good = format == KIT_FORMAT && key && is_key(key) && read_text(json, "program", &kit->program) &&
	            read_text(json, "output", &kit->output) && read_text(json, "sha256", &kit->sha256) &&
	            is_digest(kit->sha256) && read_text(json, "build_id", &kit->build_id) &&
	            read_text(json, "linker", &kit->linker) &&
	            read_text(json, "linker_version", &kit->linker_version) && read_text(json, "cwd", &kit->cwd) &&
	            (is_clean_path(kit->cwd) || !strcmp(kit->cwd, "/")) && read_text(json, "created", &kit->created) &&
	            read_lists(json, kit);
	if (good)
		strcpy(kit->key, key);
	json_decref(json);
	if (good)
		return 0;
	ifr_kit_release(kit);
	if (format && format != KIT_FORMAT)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has format %lld, which is not known here; link again", origin,
		                (long long)format);
	return ifr_fail(err, IFR_E_ENVIRONMENT,
	                "%s is damaged: a field is missing or wrong; remove the kit and link again", origin);
}
