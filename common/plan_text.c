/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and prints layout plans. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/plan.h"

/* A unit's C++ name may have some thousand characters; a plan may name every unit of a large program. */
enum { PLAN_LIMIT_BYTES = 256 << 20, LINE_MAX_BYTES = 1 << 16 };

static int parse_number(const char *text, uint64_t *number) {
	if (!*text || isspace((unsigned char)*text) || *text == '+' || *text == '-')
		return -1;
	char *end;
	errno = 0;
	/* strtoull's base 0 would read 010 as eight. */
	*number = strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	return *end || errno ? -1 : 0;
}

static int set_patterns(char **patterns, const char *axis, const char *word, const char *value,
                        struct ifr_error *err) {
	if (!*value)
		return ifr_fail(err, IFR_E_USAGE, "%s: %s= names nothing", axis, word);
	free(*patterns);
	*patterns = ifr_strdup(value);
	return 0;
}

/* Gives a value of the axis; 1 if it has none of that name. */
static int set_value(struct ifr_axis_setting *setting, const struct ifr_axis_info *info, const char *word,
                     uint64_t number, struct ifr_error *err) {
	for (int i = 0; i < IFR_AXIS_VALUES && info->value[i].name; i++) {
		const struct ifr_axis_value *value = &info->value[i];
		if (strcmp(word, value->name))
			continue;
		if (number > (uint64_t)value->maximum)
			return ifr_fail(err, IFR_E_USAGE, "%s: %s=%" PRIu64 " is not in 0..%" PRId64, info->name, word, number,
			                value->maximum);
		if (number % (uint64_t)value->multiple)
			return ifr_fail(err, IFR_E_USAGE, "%s: %s=%" PRIu64 " is no multiple of %" PRId64, info->name, word,
			                number, value->multiple);
		setting->given[i] = (int64_t)number;
		return 0;
	}
	return 1;
}

static int set_word(struct ifr_plan *plan, enum ifr_axis axis, char *word, struct ifr_error *err) {
	const struct ifr_axis_info *info = &ifr_axes[axis];
	char *value = strchr(word, '=');
	if (!value)
		return ifr_fail(err, IFR_E_USAGE, "%s: \"%.64s\" is not of the form name=value", info->name, word);
	*value++ = '\0';
	if (!strcmp(word, "only"))
		return set_patterns(&plan->axis[axis].only, info->name, word, value, err);
	if (!strcmp(word, "except"))
		return set_patterns(&plan->axis[axis].except, info->name, word, value, err);
	uint64_t number;
	if (parse_number(value, &number))
		return ifr_fail(err, IFR_E_USAGE, "%s: %.64s=%.64s is not a whole number", info->name, word, value);
	if (!strcmp(word, "seed")) {
		plan->axis[axis].seed = number;
		return 0;
	}
	for (int i = 0; i < IFR_AXIS_PARAMETERS && info->parameter[i].name; i++) {
		const struct ifr_axis_parameter *parameter = &info->parameter[i];
		if (strcmp(word, parameter->name))
			continue;
		if (number > INT64_MAX || (int64_t)number < parameter->minimum || (int64_t)number > parameter->maximum)
			return ifr_fail(err, IFR_E_USAGE, "%s: %s=%s is not in %" PRId64 "..%" PRId64, info->name, word, value,
			                parameter->minimum, parameter->maximum);
		plan->axis[axis].value[i] = (int64_t)number;
		return 0;
	}
	int result = set_value(&plan->axis[axis], info, word, number, err);
	if (result <= 0)
		return result;
	return ifr_fail(err, IFR_E_USAGE, "%s has no parameter \"%.64s\"", info->name, word);
}

int ifr_plan_set(struct ifr_plan *plan, enum ifr_axis axis, const char *words, struct ifr_error *err) {
	char *line = ifr_strdup(words), *rest = line;
	int result = 0;
	for (char *comma = line; (comma = strchr(comma, ','));) {
		/* A comma in front of NAME= parts words, any other parts patterns. */
		comma++;
		if (comma[strcspn(comma, ", \t=")] == '=')
			comma[-1] = ' ';
	}
	for (char *word; !result && (word = strtok_r(rest, " \t", &rest));)
		result = set_word(plan, axis, word, err);
	free(line);
	if (!result)
		plan->axis[axis].on = true;
	return result;
}

static int set_text(char *field, size_t size, const char *word, const char *value, struct ifr_error *err) {
	if (*field)
		return ifr_fail(err, IFR_E_USAGE, "%s is given twice", word);
	if (!*value || strlen(value) >= size)
		return ifr_fail(err, IFR_E_USAGE, "%s needs one word of at most %zu characters", word, size - 1);
	for (const char *c = value; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return ifr_fail(err, IFR_E_USAGE, "%s may hold letters, digits, '.', '_' and '-' only", word);
	strcpy(field, value);
	return 0;
}

/* Parses "UNIT" behind `order` or `last`, "ADDRESS UNIT" behind `at`, or "BYTES UNIT" behind `room`. */
static int parse_place(struct ifr_plan *plan, const char *word, char *rest, struct ifr_error *err) {
	const bool fixed = !strcmp(word, "at"), room = !strcmp(word, "room");
	uint64_t number = 0;
	if (fixed || room) {
		char *text = strtok_r(rest, " \t", &rest);
		if (!text || parse_number(text, &number) || (room && number > IFR_PLAN_ROOM_MOST))
			return ifr_fail(err, IFR_E_USAGE, "%s needs %s and a unit's name", word,
			                fixed ? "an address" : "at most 2^20 bytes");
		rest += strspn(rest, " \t");
	}
	for (char *end = rest + strlen(rest); end > rest && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = '\0';
	if (!*rest)
		return ifr_fail(err, IFR_E_USAGE, "%s needs a unit's name (OBJECT:SECTION)", word);
	if (fixed)
		ifr_plan_place_at(plan, rest, number);
	else if (room)
		ifr_plan_give_room(plan, rest, number);
	else if (!strcmp(word, "last"))
		ifr_plan_put_last(plan, rest);
	else
		ifr_plan_place(plan, rest);
	return 0;
}

/* Parses "ADDRESS" behind `start`. */
static int parse_start(struct ifr_plan *plan, char *rest, struct ifr_error *err) {
	char *text = strtok_r(rest, " \t", &rest);
	if (plan->code_start)
		return ifr_fail(err, IFR_E_USAGE, "start is given twice");
	if (!text || parse_number(text, &plan->code_start) || !plan->code_start || strtok_r(NULL, " \t", &rest))
		return ifr_fail(err, IFR_E_USAGE, "start needs the address at which code begins at the earliest");
	return 0;
}

static int by_unit(const void *a, const void *b) {
	return strcmp((*(const struct ifr_plan_place *const *)a)->unit,
	              (*(const struct ifr_plan_place *const *)b)->unit);
}

/* Fails if a unit has two places. */
static int check_places(const struct ifr_plan *plan, struct ifr_error *err) {
	int result = 0;
	const struct ifr_plan_place **sorted =
		ifr_realloc(NULL, plan->place_count + 1, sizeof(struct ifr_plan_place *));
	for (size_t i = 0; i < plan->place_count; i++)
		sorted[i] = &plan->places[i];
	qsort(sorted, plan->place_count, sizeof *sorted, by_unit);
	for (size_t i = 1; i < plan->place_count && !result; i++)
		if (!by_unit(&sorted[i - 1], &sorted[i]))
			result = ifr_fail(err, IFR_E_USAGE, "the unit %s is given two places", sorted[i]->unit);
	free(sorted);
	return result;
}

static int parse_line(struct ifr_plan *plan, char *line, struct ifr_error *err) {
	char *rest = line;
	char *word = strtok_r(line, " \t", &rest);
	if (!word || *word == '#')
		return 0;
	rest += strspn(rest, " \t");
	if (!strcmp(word, "kit"))
		return set_text(plan->kit, sizeof plan->kit, word, rest, err);
	if (!strcmp(word, "name"))
		return set_text(plan->name, sizeof plan->name, word, rest, err);
	if (!strcmp(word, "order") || !strcmp(word, "at") || !strcmp(word, "room") || !strcmp(word, "last"))
		return parse_place(plan, word, rest, err);
	if (!strcmp(word, "start"))
		return parse_start(plan, rest, err);
	int axis = ifr_axis_find(word, err);
	if (axis < 0)
		return axis;
	if (plan->axis[axis].on)
		return ifr_fail(err, IFR_E_USAGE, "the axis %s is named twice", word);
	return ifr_plan_set(plan, (enum ifr_axis)axis, rest, err);
}

static int parse_header(const char *line, struct ifr_error *err) {
	int version, used = 0;
	if (sscanf(line, "interfero-plan %d%n", &version, &used) != 1 || line[used + strspn(line + used, " \t")])
		return ifr_fail(err, IFR_E_USAGE, "not a layout plan: the first line must be \"interfero-plan %d\"",
		                IFR_PLAN_VERSION);
	if (version != IFR_PLAN_VERSION)
		return ifr_fail(err, IFR_E_USAGE, "plan format %d is not known here (this interfero reads format %d)",
		                version, IFR_PLAN_VERSION);
	return 0;
}

static int parse_lines(struct ifr_plan *plan, char *text, size_t length, int *number, struct ifr_error *err) {
	int result = 0;
	size_t at = 0;
	do {
		char *line = text + at, *newline = at < length ? memchr(line, '\n', length - at) : NULL;
		size_t size = newline ? (size_t)(newline - line) : length - at;
		++*number;
		if (size >= LINE_MAX_BYTES || memchr(line, '\0', size))
			return ifr_fail(err, IFR_E_USAGE, "not a layout plan: a line too long, or a NUL byte");
		line[size] = '\0';
		if (size && line[size - 1] == '\r')
			line[size - 1] = '\0';
		result = *number == 1 ? parse_header(line, err) : parse_line(plan, line, err);
		at += size + 1;
	} while (!result && at < length);
	return result;
}

int ifr_plan_parse(const char *text, size_t length, const char *origin, struct ifr_plan *plan,
                   struct ifr_error *err) {
	ifr_plan_init(plan);
	struct ifr_error inner = {0};
	struct ifr_buffer copy = {0};
	int number = 0;
	ifr_buffer_append(&copy, text, length);
	int result = parse_lines(plan, copy.data, length, &number, &inner);
	if (!result)
		result = check_places(plan, &inner);
	if (result) {
		ifr_plan_release(plan);
		result = ifr_fail(err, inner.code, "%s:%d: %s", origin, number, inner.message);
	}
	ifr_buffer_release(&copy);
	return result;
}

int ifr_plan_read(const char *path, struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	ifr_plan_init(plan);
	int result = ifr_file_read_named(path, PLAN_LIMIT_BYTES, &text, err);
	if (!result)
		result = ifr_plan_parse(ifr_buffer_text(&text), text.length, path, plan, err);
	ifr_buffer_release(&text);
	return result;
}

static void print_plan(const struct ifr_plan *plan, bool keyed, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "interfero-plan %d\n", IFR_PLAN_VERSION);
	if (*plan->kit)
		ifr_buffer_printf(text, "kit %s\n", plan->kit);
	if (*plan->name)
		ifr_buffer_printf(text, "name %s\n", plan->name);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		const struct ifr_axis_setting *setting = &plan->axis[i];
		if (!setting->on)
			continue;
		ifr_buffer_printf(text, "%s seed=%" PRIu64, keyed ? ifr_axes[i].key : ifr_axes[i].name, setting->seed);
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++)
			ifr_buffer_printf(text, " %s=%" PRId64, ifr_axes[i].parameter[j].name, setting->value[j]);
		for (int j = 0; j < IFR_AXIS_VALUES && ifr_axes[i].value[j].name; j++)
			if (setting->given[j] >= 0)
				ifr_buffer_printf(text, " %s=%" PRId64, ifr_axes[i].value[j].name, setting->given[j]);
		if (setting->only)
			ifr_buffer_printf(text, " only=%s", setting->only);
		if (setting->except)
			ifr_buffer_printf(text, " except=%s", setting->except);
		ifr_buffer_puts(text, "\n");
	}
	for (size_t i = 0; i < plan->place_count; i++) {
		const struct ifr_plan_place *place = &plan->places[i];
		if (place->fixed)
			ifr_buffer_printf(text, "at 0x%" PRIx64 " %s\n", place->address, place->unit);
		else
			ifr_buffer_printf(text, "order %s\n", place->unit);
	}
	for (size_t i = 0; i < plan->last_count; i++)
		ifr_buffer_printf(text, "last %s\n", plan->last[i]);
	if (plan->code_start)
		ifr_buffer_printf(text, "start 0x%" PRIx64 "\n", plan->code_start);
	for (size_t i = 0; i < plan->room_count; i++)
		ifr_buffer_printf(text, "room %" PRIu64 " %s\n", plan->rooms[i].bytes, plan->rooms[i].unit);
}

void ifr_plan_print(const struct ifr_plan *plan, struct ifr_buffer *text) {
	print_plan(plan, false, text);
}

void ifr_plan_print_keyed(const struct ifr_plan *plan, struct ifr_buffer *text) {
	print_plan(plan, true, text);
}
