/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

static const enum ifr_axis open_axes[] = {IFR_AXIS_UNIT_ORDER, IFR_AXIS_NOPS, IFR_AXIS_ALIGN};
enum { OPEN_AXES = sizeof open_axes / sizeof *open_axes };

unsigned ifr_template_axes(void) {
	unsigned axes = 0;
	for (int i = 0; i < OPEN_AXES; i++)
		axes |= 1u << open_axes[i];
	return axes;
}

void ifr_template_print_plan(const struct ifr_plan *plan, struct ifr_buffer *lines) {
	struct ifr_buffer text = {0};
	struct ifr_strings parts = {0};
	ifr_plan_print(plan, &text);
	ifr_strings_split(&parts, ifr_buffer_text(&text), "\n");
	/* The first line is the plan's header. */
	for (size_t i = 1; i < parts.count; i++)
		ifr_buffer_printf(lines, IFR_MARK_PLAN " %s\n", parts.items[i]);
	ifr_strings_release(&parts);
	ifr_buffer_release(&text);
}

void ifr_template_read_arguments(const char *text, size_t length, struct ifr_strings *arguments) {
	static const char mark[] = IFR_MARK_ARGUMENT " ";
	size_t size = sizeof mark - 1;
	while (length > size && !memcmp(text, mark, size)) {
		const char *newline = memchr(text, '\n', length), *end = newline ? newline : text + length;
		ifr_strings_take(arguments, ifr_format("%.*s", (int)(end - text - (ptrdiff_t)size), text + size));
		if (!newline)
			break;
		length -= (size_t)(newline + 1 - text);
		text = newline + 1;
	}
}

/* The text behind the last occurrence of a mark, or NULL. Such marks stand behind all code: the search begins at
 * the end. */
static const char *find_behind_last(const char *text, size_t length, const char *mark) {
	size_t size = strlen(mark);
	for (size_t at = length; at >= size; at--)
		if (text[at - size] == '\n' && !memcmp(text + at - size, mark, size))
			return text + at;
	return NULL;
}

bool ifr_template_is_complete(const char *text, size_t length) {
	return find_behind_last(text, length, "\n" IFR_MARK_NOTE " ");
}

char *ifr_template_read_recipe(const char *text, size_t length) {
	const char *words = find_behind_last(text, length, "\n" IFR_MARK_RECIPE " ");
	const char *end = words ? memchr(words, '\n', length - (size_t)(words - text)) : NULL;
	return end ? ifr_format("%.*s", (int)(end - words), words) : NULL;
}

int ifr_template_compiler_version(const char *text, size_t length) {
	const char *word = find_behind_last(text, length, "\n" IFR_MARK_COMPILER " ");
	int version = 0;
	for (; word && word < text + length && *word >= '0' && *word <= '9' && version < 1000; word++)
		version = 10 * version + (*word - '0');
	return version;
}

/* The mark in a line, behind a tab or "\t.text\t"; NULL if the line has none. */
static const char *find_mark(const char *line, size_t length) {
	static const char text[] = "\t.text\t";
	if (length > sizeof text && !memcmp(line, text, sizeof text - 1)) {
		line += sizeof text - 1;
		length -= sizeof text - 1;
	} else if (length && *line == '\t') {
		line++;
		length--;
	}
	size_t size = strlen(IFR_MARK);
	return length > size && !memcmp(line, IFR_MARK, size) ? line : NULL;
}

static bool is_line(const char *line, size_t length, const char *text) {
	return length == strlen(text) && !memcmp(line, text, length);
}

/* Copies a line without a mark. #APP is held back, and dropped together with a #NO_APP that follows at once. */
static void copy_line(struct expansion *expansion, const char *line, size_t length) {
	bool empty = expansion->app && is_line(line, length, "#NO_APP");
	if (expansion->app && !empty)
		ifr_buffer_puts(expansion->out, "#APP\n");
	expansion->app = is_line(line, length, "#APP");
	if (expansion->app || empty)
		return;
	ifr_buffer_append(expansion->out, line, length);
	ifr_buffer_puts(expansion->out, "\n");
}

/* Calls visit_mark with each mark, and copy (or NULL) with each line that has none; ends at the first result but
 * 0. */
static int walk_lines(struct expansion *expansion, const char *text, size_t length,
                      int (*visit_mark)(struct expansion *, const char *, struct ifr_error *),
                      void (*copy)(struct expansion *, const char *, size_t), struct ifr_error *err) {
	struct ifr_buffer line = {0};
	int result = 0;
	for (size_t at = 0; at < length && !result;) {
		const char *newline = memchr(text + at, '\n', length - at);
		size_t size = newline ? (size_t)(newline - text) - at : length - at;
		const char *mark = find_mark(text + at, size);
		if (mark) {
			ifr_buffer_clear(&line);
			ifr_buffer_append(&line, mark, size - (size_t)(mark - text - at));
			result = visit_mark(expansion, ifr_buffer_text(&line), err);
		} else if (copy) {
			copy(expansion, text + at, size);
		}
		at += size + 1;
	}
	ifr_buffer_release(&line);
	return result;
}

/* Copies a plan with the axes of the mask alone: without places, name and kit. */
static void copy_axes(struct ifr_plan *own, const struct ifr_plan *plan, unsigned axes) {
	ifr_plan_copy(own, plan);
	*own->name = *own->kit = '\0';
	for (size_t i = 0; i < own->place_count; i++)
		free(own->places[i].unit);
	free(own->places);
	own->places = NULL;
	own->place_count = 0;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		own->axis[i].on = own->axis[i].on && axes & 1u << i;
}

/* Returns 1 at the first function whose frame the axis frames would widen, or align. */
static int find_wider_frame(struct expansion *expansion, const char *line, struct ifr_error *err) {
	const struct ifr_axis_setting *frames = &expansion->plan->axis[IFR_AXIS_FRAMES];
	const char *words;
	if (!is_mark(line, IFR_MARK_FUNCTION, &words))
		return 0;
	int result = expand_function(expansion, words, err);
	if (!result && ifr_decide_covers(expansion->plan, IFR_AXIS_FRAMES, &expansion->function) &&
	    (ifr_decide_frame_bytes(frames, ifr_buffer_text(&expansion->function.key)) ||
	     ifr_decide_stack_alignment_bytes(frames)))
		result = 1;
	return result;
}

/* Returns 1 at the first loop of a function that the axis covers. */
static int find_loop_under(enum ifr_axis axis, struct expansion *expansion, const char *line,
                           struct ifr_error *err) {
	const char *words;
	if (is_mark(line, IFR_MARK_FUNCTION, &words))
		return expand_function(expansion, words, err);
	const bool loop = is_mark(line, IFR_MARK_LOOP, &words) || is_mark(line, IFR_MARK_LOOP "-cold", &words);
	return loop && ifr_decide_covers(expansion->plan, axis, &expansion->function);
}

static int find_checked_loop(struct expansion *expansion, const char *line, struct ifr_error *err) {
	return find_loop_under(IFR_AXIS_ALIAS_CHECK, expansion, line, err);
}

static int find_split_loop(struct expansion *expansion, const char *line, struct ifr_error *err) {
	return find_loop_under(IFR_AXIS_SPLIT_LOOPS, expansion, line, err);
}

/* Returns 1 at the first function that the axis duplicate-joins covers. */
static int find_copied_join(struct expansion *expansion, const char *line, struct ifr_error *err) {
	const char *words;
	if (!is_mark(line, IFR_MARK_FUNCTION, &words))
		return 0;
	const int result = expand_function(expansion, words, err);
	return result ? result : ifr_decide_covers(expansion->plan, IFR_AXIS_DUPLICATE_JOINS, &expansion->function);
}

/* Whether the visitor ends at a mark, under this axis of the plan alone. */
static bool find_mark_under(enum ifr_axis axis, const char *text, size_t length, const struct ifr_plan *plan,
                            int (*visit_mark)(struct expansion *, const char *, struct ifr_error *)) {
	struct ifr_plan own;
	if (!plan->axis[axis].on)
		return false;
	copy_axes(&own, plan, 1u << axis);
	struct expansion expansion = {.plan = &own, .least_bytes = 1};
	int result = walk_lines(&expansion, text, length, visit_mark, NULL, NULL);
	ifr_entity_release(&expansion.function);
	ifr_plan_release(&own);
	return result != 0;
}

bool ifr_template_needs_recompilation(const char *text, size_t length, const struct ifr_plan *plan) {
	if (plan->axis[IFR_AXIS_GLOBALS].on && memmem(text, length, ", @object\n", strlen(", @object\n")))
		return true;
	return find_mark_under(IFR_AXIS_FRAMES, text, length, plan, find_wider_frame) ||
	       find_mark_under(IFR_AXIS_ALIAS_CHECK, text, length, plan, find_checked_loop) ||
	       find_mark_under(IFR_AXIS_SPLIT_LOOPS, text, length, plan, find_split_loop) ||
	       find_mark_under(IFR_AXIS_DUPLICATE_JOINS, text, length, plan, find_copied_join);
}

/* Sets an axis that the unit was compiled under, unless the plan has it on. */
static int merge_axis(struct expansion *expansion, const char *line, struct ifr_error *err) {
	const char *words;
	if (!is_mark(line, IFR_MARK_PLAN, &words) || *words != ' ')
		return 0;
	char *name = ifr_strdup(words + 1), *rest = name + strcspn(name, " ");
	if (*rest)
		*rest++ = '\0';
	int axis = ifr_axis_find(name, err), result = axis < 0 ? axis : 0;
	if (!result && !expansion->plan->axis[axis].on)
		result = ifr_plan_set(expansion->plan, (enum ifr_axis)axis, rest, err);
	free(name);
	return result;
}

int ifr_template_merge_plan(const char *text, size_t length, const struct ifr_plan *plan, struct ifr_plan *merged,
                            struct ifr_error *err) {
	copy_axes(merged, plan, ifr_axes_of(IFR_OWNER_PLUGIN));
	struct expansion expansion = {.plan = merged};
	return walk_lines(&expansion, text, length, merge_axis, NULL, err);
}

int ifr_template_expand(const char *text, size_t length, const struct ifr_plan *plan, const char *key,
                        struct ifr_buffer *assembly, struct ifr_note *note, struct ifr_error *err) {
	ifr_note_init(note);
	copy_axes(&note->plan, plan, ifr_template_axes());
	snprintf(note->template_key, sizeof note->template_key, "%s", key);
	struct expansion expansion = {.plan = &note->plan, .out = assembly, .note = note, .least_bytes = 1};
	int result = walk_lines(&expansion, text, length, merge_axis, NULL, err);
	if (!result)
		result = walk_lines(&expansion, text, length, expand_mark, copy_line, err);
	if (!result && !expansion.whole)
		result = ifr_fail(err, IFR_E_USAGE, "not a template, or not a whole one: compile again");
	ifr_order_release(&expansion.order);
	ifr_entity_release(&expansion.function);
	return result;
}
