/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verification as text and as JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/verify/verify.h"

enum { COLUMNS = 80, NAME_MAX_COLUMNS = 20, RESULT_COLUMNS = 7, SCHEMA_VERSION = 1 };

/* Appends a sentence from column indent on, wrapped at COLUMNS. */
static void append_wrapped(const char *sentence, int indent, struct ifr_buffer *text) {
	struct ifr_strings words = {0};
	size_t column = (size_t)indent;
	ifr_strings_split(&words, sentence, " \n");
	for (size_t i = 0; i < words.count; i++) {
		const char *word = words.items[i];
		size_t length = strlen(word);
		if (i && column + 1 + length > COLUMNS) {
			ifr_buffer_printf(text, "\n%*s", indent, "");
			column = (size_t)indent;
		} else if (i) {
			ifr_buffer_puts(text, " ");
			column++;
		}
		/* A mangled name may be longer than a line. */
		for (; column + length > COLUMNS;
		     length -= COLUMNS - column, word += COLUMNS - column, column = (size_t)indent)
			ifr_buffer_printf(text, "%.*s\n%*s", (int)(COLUMNS - column), word, indent, "");
		ifr_buffer_puts(text, word);
		column += length;
	}
	ifr_buffer_puts(text, "\n");
	ifr_strings_release(&words);
}

static void append_verdict(const struct ifr_verdict *verdict, int width, struct ifr_buffer *text) {
	int indent = width + 2 + RESULT_COLUMNS + 2;
	if ((int)strlen(verdict->name) > width)
		ifr_buffer_printf(text, "%s\n%*s  ", verdict->name, width, "");
	else
		ifr_buffer_printf(text, "%-*s  ", width, verdict->name);
	if (!verdict->checks.count)
		ifr_buffer_puts(text, "ok\n");
	for (size_t i = 0; i < verdict->checks.count; i++) {
		char *sentence = ifr_format("%s: %s", verdict->checks.items[i], verdict->texts.items[i]);
		ifr_buffer_printf(text, "%*s", i ? indent : 0, "");
		if (!i)
			ifr_buffer_printf(text, "%-*s  ", RESULT_COLUMNS, "differs");
		append_wrapped(sentence, indent, text);
		free(sentence);
	}
}

void ifr_verification_text(const struct ifr_verification *done, struct ifr_buffer *text) {
	int width = (int)strlen("VARIANT");
	for (size_t i = 0; i < done->count; i++) {
		int length = (int)strnlen(done->verdicts[i].name, NAME_MAX_COLUMNS);
		width = length > width ? length : width;
	}
	ifr_buffer_printf(text, "%-*s  %-*s  WHAT DIFFERS\n", width, "VARIANT", RESULT_COLUMNS, "RESULT");
	for (size_t i = 0; i < done->count; i++)
		append_verdict(&done->verdicts[i], width, text);
	ifr_buffer_printf(text, "\n%zu of %zu variants differ\n", done->differing, done->count);
}

/* A JSON string; bytes that are not ASCII become ? if the text is not UTF-8, as in some file names. */
static json_t *json_text(const char *text) {
	json_t *made = json_string(text);
	if (made)
		return made;
	char *clean = ifr_strdup(text);
	for (char *letter = clean; *letter; letter++)
		if (*letter & 0x80)
			*letter = '?';
	made = json_string(clean);
	free(clean);
	return made;
}

static json_t *json_findings(const struct ifr_verdict *verdict) {
	json_t *list = json_array();
	for (size_t i = 0; i < verdict->checks.count; i++) {
		json_t *finding = json_object();
		json_object_set_new(finding, "check", json_text(verdict->checks.items[i]));
		json_object_set_new(finding, "text", json_text(verdict->texts.items[i]));
		json_array_append_new(list, finding);
	}
	return list;
}

static json_t *json_test(const struct ifr_verify *verify) {
	if (!verify->test)
		return json_null();
	json_t *words = json_array();
	for (char *const *word = verify->test; *word; word++)
		json_array_append_new(words, json_text(*word));
	return words;
}

void ifr_verification_json(const struct ifr_verify *verify, const struct ifr_verification *done,
                           struct ifr_buffer *text) {
	json_t *root = json_object(), *variants = json_array();
	json_object_set_new(root, "schema_version", json_integer(SCHEMA_VERSION));
	json_object_set_new(root, "tool", json_text("interfero"));
	json_object_set_new(root, "version", json_text(INTERFERO_VERSION));
	json_object_set_new(root, "program", json_text(verify->program));
	json_object_set_new(root, "kit", json_text(done->key));
	json_object_set_new(root, "test", json_test(verify));
	json_object_set_new(root, "differing", json_integer((json_int_t)done->differing));
	for (size_t i = 0; i < done->count; i++) {
		const struct ifr_verdict *verdict = &done->verdicts[i];
		json_t *variant = json_object();
		json_object_set_new(variant, "name", json_text(verdict->name));
		json_object_set_new(variant, "ok", json_boolean(!verdict->checks.count));
		json_object_set_new(variant, "findings", json_findings(verdict));
		json_array_append_new(variants, variant);
	}
	json_object_set_new(root, "variants", variants);
	char *printed = json_dumps(root, JSON_INDENT(2));
	ifr_buffer_puts(text, printed ? printed : "{}");
	ifr_buffer_puts(text, "\n");
	free(printed);
	json_decref(root);
}
