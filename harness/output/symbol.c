/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/output/symbol.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "harness/output/escape.h"

char *ifr_symbol_demangle(const char *symbol) {
	if (*symbol != '_')
		return NULL;
	char *name = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	char *copy = name && *name ? ifr_strdup(name) : NULL;
	free(name);
	return copy;
}

/* Bytes of the name of an operator behind the word, whose brackets and angles open nothing. */
static size_t skip_operator(const char *text, const char *begin) {
	static const char word[] = "operator";
	const size_t length = sizeof word - 1;
	const bool starts = text == begin || strchr(":. (<*&", text[-1]);
	if (!starts || strncmp(text, word, length))
		return 0;
	if (!strncmp(text + length, "()", 2))
		return length + 2;
	return length + strspn(text + length, "<>=-");
}

/* Puts ".." for all that stands between an outer pair of brackets. */
static char *fold(const char *name, char open, char close) {
	static const char unnamed[] = "(anonymous namespace)";
	struct ifr_buffer out = {0};
	unsigned depth = 0;
	for (const char *c = name; *c;) {
		size_t length = skip_operator(c, name);
		length = !length && !strncmp(c, unnamed, sizeof unnamed - 1) ? sizeof unnamed - 1 : length;
		const bool opens = !length && *c == open, closes = !length && *c == close && depth;
		length = length ? length : 1;
		if (!depth)
			ifr_buffer_append(&out, c, length);
		depth += opens;
		if (closes && !--depth)
			ifr_buffer_printf(&out, "%s%c", c[-1] == open ? "" : "..", close);
		c += length;
	}
	if (depth) { /* brackets that mean something else */
		ifr_buffer_release(&out);
		return ifr_strdup(name);
	}
	return out.length ? ifr_buffer_detach(&out) : ifr_strdup("");
}

static bool fits(const char *name, size_t columns) {
	return ifr_text_width(name, strlen(name)) <= columns;
}

/* The name without as many of its outer scopes as is enough; all of it where that does not help. */
static const char *drop_scopes(const char *name, size_t columns) {
	for (const char *scope = name; (scope = strstr(scope, "::"));) {
		scope += 2;
		if (fits(scope, columns))
			return scope;
	}
	return name;
}

/* The last columns: the function's own name is at the end. */
static char *cut(const char *name, size_t columns) {
	const size_t bytes = strlen(name);
	size_t from = 0;
	while (ifr_text_width(name + from, bytes - from) > columns - 2 || ((unsigned char)name[from] & 0xc0) == 0x80)
		from++;
	return ifr_format("..%s", name + from);
}

char *ifr_symbol_shorten(const char *name, size_t columns) {
	static const char brackets[][2] = {{'(', ')'}, {'<', '>'}};
	char *text = ifr_strdup(name);
	for (size_t i = 0; i < sizeof brackets / sizeof *brackets && !fits(text, columns); i++) {
		char *folded = fold(text, brackets[i][0], brackets[i][1]);
		free(text);
		text = folded;
	}
	if (!fits(text, columns)) {
		const char *inner = drop_scopes(text, columns);
		char *end = inner > text ? ifr_strdup(inner) : cut(text, columns);
		free(text);
		text = end;
	}
	return text;
}
