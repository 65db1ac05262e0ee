/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/output/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool continues(const char *text) {
	return ((unsigned char)*text & 0xc0) == 0x80;
}

/* Appends one character and returns the bytes read. */
static size_t copy_character(struct ifr_buffer *out, const char *text, bool lines) {
	uint32_t code;
	size_t length = ifr_utf8_read(text, &code);
	bool kept = length && (!ifr_utf8_is_control(code) || (lines && (code == '\n' || code == '\t')));
	if (kept)
		ifr_buffer_append(out, text, length);
	else
		ifr_buffer_puts(out, !lines && (code == '\n' || code == '\t') ? " " : "?");
	return length ? length : 1;
}

char *ifr_escape_utf8(const char *text) {
	struct ifr_buffer out = {0};
	ifr_buffer_puts(&out, "");
	while (*text)
		text += copy_character(&out, text, true);
	return out.data ? ifr_buffer_detach(&out) : ifr_strdup("");
}

void ifr_escape_html(struct ifr_buffer *out, const char *text) {
	static const char special[] = "&<>\"'";
	static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	while (*text) {
		const char *found = strchr(special, *text);
		if (found) {
			ifr_buffer_puts(out, entity[found - special]);
			text++;
		} else {
			text += copy_character(out, text, true);
		}
	}
}

void ifr_quote_gnuplot(struct ifr_buffer *out, const char *text) {
	ifr_buffer_puts(out, "'");
	while (*text) {
		if (*text == '\'') {
			ifr_buffer_puts(out, "''");
			text++;
		} else {
			text += copy_character(out, text, false);
		}
	}
	ifr_buffer_puts(out, "'");
}

static bool is_plain(char c, const char *others) {
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(others, c));
}

void ifr_escape_word(struct ifr_buffer *out, const char *text) {
	if (!*text)
		ifr_buffer_puts(out, "_");
	for (; *text; text++)
		ifr_buffer_append(out, is_plain(*text, "._-+") ? text : "_", 1);
}

/* $'...', which bash, ksh and zsh read, and POSIX since 2024: every byte that a terminal does not show as it is becomes
 * three octal digits. */
static void quote_bytes(struct ifr_buffer *out, const char *text) {
	uint32_t code;
	ifr_buffer_puts(out, "$'");
	while (*text) {
		size_t length = ifr_utf8_read(text, &code);
		if (length && !ifr_utf8_is_control(code) && code != '\'' && code != '\\') {
			ifr_buffer_append(out, text, length);
			text += length;
		} else if (*text == '\n' || *text == '\t') {
			ifr_buffer_puts(out, *text == '\n' ? "\\n" : "\\t");
			text++;
		} else {
			ifr_buffer_printf(out, "\\%03o", (unsigned char)*text++);
		}
	}
	ifr_buffer_puts(out, "'");
}

/* Whether a terminal shows the text as it is. */
static bool is_shown(const char *text) {
	uint32_t code;
	for (size_t length; *text; text += length)
		if (!(length = ifr_utf8_read(text, &code)) || ifr_utf8_is_control(code))
			return false;
	return true;
}

void ifr_quote_shell(struct ifr_buffer *out, const char *text) {
	bool plain = *text != '\0';
	for (const char *c = text; *c; c++)
		plain = plain && is_plain(*c, "._-+/:,=@%");
	if (plain) {
		ifr_buffer_puts(out, text);
		return;
	}
	if (!is_shown(text)) {
		quote_bytes(out, text);
		return;
	}
	ifr_buffer_puts(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			ifr_buffer_puts(out, "'\\''");
		else
			ifr_buffer_append(out, text, 1);
	}
	ifr_buffer_puts(out, "'");
}

void ifr_quote_command(struct ifr_buffer *out, char *const *argv) {
	for (size_t i = 0; argv && argv[i]; i++) {
		ifr_buffer_puts(out, i ? " " : "");
		ifr_quote_shell(out, argv[i]);
	}
}

size_t ifr_text_width(const char *text, size_t bytes) {
	size_t width = 0;
	for (size_t i = 0; i < bytes; i++)
		width += !continues(text + i);
	return width;
}
