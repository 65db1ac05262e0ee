/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/suite.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

enum { SIZE_MOST = 1 << 20 };

/* Takes one word off the line; 1 for a word, 0 at the end, -1 for an open quote. */
static int take_word(const char **line, struct ifr_buffer *word) {
	const char *c = *line + strspn(*line, " \t\r");
	char quote = '\0';
	if (!*c)
		return 0;
	ifr_buffer_clear(word);
	ifr_buffer_puts(word, "");
	for (; *c && (quote || !strchr(" \t\r", *c)); c++) {
		if (quote ? *c == quote : *c == '\'' || *c == '"')
			quote = (char)(quote ? '\0' : *c);
		else if (*c == '\\' && c[1] && quote != '\'')
			ifr_buffer_append(word, ++c, 1);
		else
			ifr_buffer_append(word, c, 1);
	}
	*line = c;
	return quote ? -1 : 1;
}

static bool is_known(const struct suite *suite, const char *name) {
	for (size_t i = 0; i < suite->count; i++)
		if (!strcmp(suite->commands[i].name, name))
			return true;
	return false;
}

/* Takes the weight of "sort*3:" off the line, which then begins with the colon; 1 where there is none. */
static int take_weight(const char **line, const char *where, double *weight, struct ifr_error *err) {
	*weight = 1;
	if (**line != '*')
		return 0;
	char *end = NULL;
	const bool digits = (*line)[1] == '.' || isdigit((unsigned char)(*line)[1]);
	*weight = digits ? strtod(*line + 1, &end) : NAN;
	if (!digits || *end != ':' || !isfinite(*weight) || *weight <= 0)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: a weight is a number above 0 and stands between name and colon, as in \"sort*3: …\"",
		                where);
	*line = end;
	return 0;
}

/* Takes the name off the line, with what may stand between it and the colon. */
static int take_name(const char **line, const char *where, struct suite_command *command, struct ifr_error *err) {
	const char *begin = *line;
	const size_t length = strspn(begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+");
	if (length && begin[length] && !strchr(":* ", begin[length]) && strchr(begin, ':'))
		return ifr_fail(err, IFR_E_USAGE, "%s: a name is of letters, digits and \"._-+\": \"%.*s\" has \"%c\"",
		                where, (int)strcspn(begin, ":"), begin, begin[length]);
	*line += length;
	const int result = take_weight(line, where, &command->weight, err);
	if (result)
		return result;
	if (!length || length > 100 || **line != ':' || *begin == '.')
		return ifr_fail(err, IFR_E_USAGE,
		                "%s: a line is a name, a colon and arguments, such as \"fib: fib.lua 32\"", where);
	command->name = ifr_format("%.*s", (int)length, begin);
	++*line;
	return 0;
}

static int parse_line(const char *line, const char *where, struct suite *suite, struct ifr_error *err) {
	struct suite_command read = {0};
	int result = take_name(&line, where, &read, err);
	if (!read.name)
		return result;
	if (is_known(suite, read.name)) {
		result = ifr_fail(err, IFR_E_USAGE, "%s: there is a \"%s\" already", where, read.name);
		free(read.name);
		return result;
	}
	suite->commands = ifr_realloc(suite->commands, suite->count + 1, sizeof *suite->commands);
	struct suite_command *command = &suite->commands[suite->count++];
	*command = read;
	struct ifr_buffer word = {0};
	int more;
	while ((more = take_word(&line, &word)) > 0)
		ifr_strings_add(&command->words, ifr_buffer_text(&word));
	ifr_buffer_release(&word);
	return more < 0 ? ifr_fail(err, IFR_E_USAGE, "%s: a quote is not closed", where) : 0;
}

int suite_parse(const char *text, const char *origin, struct suite *suite, struct ifr_error *err) {
	int result = 0;
	*suite = (struct suite){0};
	for (unsigned number = 1; *text && !result; number++) {
		size_t length = strcspn(text, "\n");
		char *line = ifr_format("%.*s", (int)length, text), *where = ifr_format("%s:%u", origin, number);
		const char *start = line + strspn(line, " \t\r");
		if (*start && *start != '#')
			result = parse_line(start, where, suite, err);
		free(where);
		free(line);
		text += length + (text[length] == '\n');
	}
	if (!result && !suite->count)
		result = ifr_fail(err, IFR_E_USAGE, "%s names no command", origin);
	return result;
}

int suite_read(const char *path, struct suite *suite, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	*suite = (struct suite){0};
	int result = ifr_file_read_named(path, SIZE_MOST, &text, err);
	if (!result)
		result = suite_parse(ifr_buffer_text(&text), path, suite, err);
	ifr_buffer_release(&text);
	return result;
}

void suite_release(struct suite *suite) {
	for (size_t i = 0; i < suite->count; i++) {
		free(suite->commands[i].name);
		ifr_strings_release(&suite->commands[i].words);
	}
	free(suite->commands);
	*suite = (struct suite){0};
}

void suite_find_results(const char *name, struct ifr_strings *files) {
	static const char special[] = "*?[]\\";
	struct ifr_buffer pattern = {0};
	glob_t found;
	if (ifr_file_exists(name))
		return;
	for (const char *c = name; *c; c++)
		ifr_buffer_printf(&pattern, strchr(special, *c) ? "\\%c" : "%c", *c);
	ifr_buffer_puts(&pattern, "-*.exp");
	if (!glob(pattern.data, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			ifr_strings_add(files, found.gl_pathv[i]);
	globfree(&found);
	ifr_buffer_release(&pattern);
}

int64_t suite_budget_enough(const int64_t *needs_s, size_t count) {
	int64_t before_s = 0, enough_s = 0;
	for (size_t i = 0; i < count; i++) {
		const int64_t wanted_s = before_s + (int64_t)(count - i) * needs_s[i];
		enough_s = wanted_s > enough_s ? wanted_s : enough_s;
		before_s += needs_s[i];
	}
	return enough_s;
}
