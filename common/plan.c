/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"

enum { PLAN_LIMIT_BYTES = 1 << 20, LINE_MAX_BYTES = 1024 };

void ifr_plan_init(struct ifr_plan *plan) {
	memset(plan, 0, sizeof *plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		for (int j = 0; j < IFR_AXIS_PARAMETERS; j++)
			plan->axis[i].value[j] = ifr_axes[i].parameter[j].initial;
}

void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed) {
	plan->axis[axis].on = true;
	plan->axis[axis].seed = seed;
}

void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index) {
	if (!index)
		return;
	char name[32];
	snprintf(name, sizeof name, "variant %u", index);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (axes & 1u << i)
			ifr_plan_enable(plan, (enum ifr_axis)i, ifr_random_keyed(master, ifr_axes[i].name, name));
}

unsigned ifr_plan_axes(const struct ifr_plan *plan) {
	unsigned axes = 0;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (plan->axis[i].on)
			axes |= 1u << i;
	return axes;
}

static int parse_number(const char *text, uint64_t *number) {
	if (!*text || isspace((unsigned char)*text) || *text == '+' || *text == '-')
		return -1;
	char *end;
	errno = 0;
	/* Not by strtoull's own rule, which takes 010 for eight. */
	*number = strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	return *end || errno ? -1 : 0;
}

static int set_word(struct ifr_plan *plan, enum ifr_axis axis, char *word, struct ifr_error *err) {
	const struct ifr_axis_info *info = &ifr_axes[axis];
	char *value = strchr(word, '=');
	if (!value)
		return ifr_fail(err, IFR_E_USAGE, "%s: \"%.64s\" is not of the form name=value", info->name, word);
	*value++ = '\0';
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
	return ifr_fail(err, IFR_E_USAGE, "%s has no parameter \"%.64s\"", info->name, word);
}

int ifr_plan_set(struct ifr_plan *plan, enum ifr_axis axis, const char *words, struct ifr_error *err) {
	char line[LINE_MAX_BYTES];
	if (strlen(words) >= sizeof line)
		return ifr_fail(err, IFR_E_USAGE, "%s: too many words", ifr_axes[axis].name);
	strcpy(line, words);
	char *rest = line;
	for (char *word; (word = strtok_r(rest, " \t", &rest));) {
		int result = set_word(plan, axis, word, err);
		if (result)
			return result;
	}
	plan->axis[axis].on = true;
	return 0;
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

int ifr_plan_parse(const char *text, size_t length, const char *origin, struct ifr_plan *plan,
                   struct ifr_error *err) {
	ifr_plan_init(plan);
	struct ifr_error inner = {0};
	int result = 0, number = 0;
	size_t at = 0;
	do {
		const char *newline = at < length ? memchr(text + at, '\n', length - at) : NULL;
		size_t size = newline ? (size_t)(newline - text) - at : length - at;
		char line[LINE_MAX_BYTES];
		number++;
		if (size >= sizeof line || memchr(text + at, '\0', size)) {
			result = ifr_fail(&inner, IFR_E_USAGE, "not a layout plan: a line too long, or a NUL byte");
			break;
		}
		memcpy(line, text + at, size);
		line[size] = '\0';
		if (size && line[size - 1] == '\r')
			line[size - 1] = '\0';
		result = number == 1 ? parse_header(line, &inner) : parse_line(plan, line, &inner);
		at += size + 1;
	} while (!result && at < length);
	if (result)
		return ifr_fail(err, inner.code, "%s:%d: %s", origin, number, inner.message);
	return 0;
}

int ifr_plan_read(const char *path, struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = ifr_file_read(path, PLAN_LIMIT_BYTES, &text, err);
	if (!result)
		result = ifr_plan_parse(ifr_buffer_text(&text), text.length, path, plan, err);
	ifr_buffer_release(&text);
	return result;
}

void ifr_plan_print(const struct ifr_plan *plan, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "interfero-plan %d\n", IFR_PLAN_VERSION);
	if (*plan->kit)
		ifr_buffer_printf(text, "kit %s\n", plan->kit);
	if (*plan->name)
		ifr_buffer_printf(text, "name %s\n", plan->name);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		const struct ifr_axis_setting *setting = &plan->axis[i];
		if (!setting->on)
			continue;
		ifr_buffer_printf(text, "%s seed=%" PRIu64, ifr_axes[i].name, setting->seed);
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++)
			ifr_buffer_printf(text, " %s=%" PRId64, ifr_axes[i].parameter[j].name, setting->value[j]);
		ifr_buffer_puts(text, "\n");
	}
}
