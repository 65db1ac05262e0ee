/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/verify/verify.h"

enum { NAME_MAX_COLUMNS = 20, RESULT_COLUMNS = 7, SCHEMA_VERSION = 1 };

static void append_verdict(const struct ifr_verdict *verdict, int width, struct ifr_buffer *text) {
	char *indent = ifr_format("%*s", width + 2 + RESULT_COLUMNS + 2, ""), *head;
	if ((int)strlen(verdict->name) > width)
		head = ifr_format("%s\n%*s  ", verdict->name, width, "");
	else
		head = ifr_format("%-*s  ", width, verdict->name);
	ifr_buffer_puts(text, head);
	if (!verdict->checks.count)
		ifr_buffer_puts(text, "ok\n");
	for (size_t i = 0; i < verdict->checks.count; i++) {
		char *sentence = ifr_format("%s: %s", verdict->checks.items[i], verdict->texts.items[i]);
		char *differs = ifr_format("%-*s  ", RESULT_COLUMNS, "differs");
		ifr_text_wrap(text, sentence, i ? indent : differs, indent);
		free(differs);
		free(sentence);
	}
	free(head);
	free(indent);
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

static json_t *json_findings(const struct ifr_verdict *verdict) {
	json_t *list = json_array();
	for (size_t i = 0; i < verdict->checks.count; i++) {
		json_t *finding = json_object();
		ifr_json_set(finding, "check", ifr_json_text(verdict->checks.items[i]));
		ifr_json_set(finding, "text", ifr_json_text(verdict->texts.items[i]));
		json_array_append_new(list, finding);
	}
	return list;
}

static json_t *json_test(const struct ifr_verify *verify) {
	if (!verify->test)
		return json_null();
	json_t *words = json_array();
	for (char *const *word = verify->test; *word; word++)
		json_array_append_new(words, ifr_json_text(*word));
	return words;
}

void ifr_verification_json(const struct ifr_verify *verify, const struct ifr_verification *done,
                           struct ifr_buffer *text) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *variants = json_array();
	ifr_json_set(root, "program", ifr_json_text(verify->program));
	ifr_json_set(root, "kit", ifr_json_text(done->key));
	ifr_json_set(root, "test", json_test(verify));
	ifr_json_set(root, "differing", ifr_json_count(done->differing));
	for (size_t i = 0; i < done->count; i++) {
		const struct ifr_verdict *verdict = &done->verdicts[i];
		json_t *variant = json_object();
		ifr_json_set(variant, "name", ifr_json_text(verdict->name));
		ifr_json_set(variant, "ok", json_boolean(!verdict->checks.count));
		ifr_json_set(variant, "findings", json_findings(verdict));
		json_array_append_new(variants, variant);
	}
	ifr_json_set(root, "variants", variants);
	ifr_json_print(root, text);
}
