/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a command as a shell takes them. */
#include <stdlib.h>
#include <string.h>

#include "harness/output/escape.h"

/* Appends the byte of an escape in $'…', behind its backslash; returns the rest. */
static const char *take_escape(const char *text, struct ifr_buffer *word) {
	static const char names[] = "abefnrtv", bytes[] = "\a\b\033\f\n\r\t\v";
	const char *known = *text ? strchr(names, *text) : NULL;
	char digits[4] = "", byte;
	size_t length = 0;
	if (known) {
		ifr_buffer_append(word, &bytes[known - names], 1);
		return text + 1;
	}
	const bool hex = *text == 'x';
	const char *set = hex ? "0123456789abcdefABCDEF" : "01234567";
	text += hex;
	while (length < (hex ? 2u : 3u) && text[length] && strchr(set, text[length]))
		length++;
	if (!length) {
		ifr_buffer_append(word, text, *text != '\0');
		return text + (*text != '\0');
	}
	memcpy(digits, text, length);
	byte = (char)strtoul(digits, NULL, hex ? 16 : 8);
	ifr_buffer_append(word, &byte, 1);
	return text + length;
}

/* Appends a quoted part, whose opening quote is at text; returns the rest, or NULL where it stays open. */
static const char *take_quoted(const char *text, struct ifr_buffer *word) {
	const bool escapes = *text == '$';
	const char quote = text[escapes];
	for (text += 1 + escapes; *text && *text != quote;) {
		if (*text == '\\' && escapes)
			text = take_escape(text + 1, word);
		else if (*text == '\\' && quote == '"' && text[1] && strchr("\"\\$`", text[1])) {
			ifr_buffer_append(word, text + 1, 1);
			text += 2;
		} else
			ifr_buffer_append(word, text++, 1);
	}
	return *text ? text + 1 : NULL;
}

/* Takes one word; returns the rest, or NULL where a quote stays open. */
static const char *take_word(const char *text, struct ifr_buffer *word) {
	ifr_buffer_puts(word, "");
	while (text && *text && !strchr(" \t\n", *text)) {
		if (*text == '\'' || *text == '"' || (*text == '$' && text[1] == '\''))
			text = take_quoted(text, word);
		else if (*text == '\\' && text[1]) {
			ifr_buffer_append(word, text + 1, 1);
			text += 2;
		} else
			ifr_buffer_append(word, text++, 1);
	}
	return text;
}

bool ifr_unquote_shell(const char *command, struct ifr_strings *words) {
	const char *text = command + strspn(command, " \t\n");
	while (*text) {
		struct ifr_buffer word = {0};
		text = take_word(text, &word);
		ifr_strings_take(words, ifr_buffer_detach(&word));
		if (!text)
			return false;
		text += strspn(text, " \t\n");
	}
	return true;
}
