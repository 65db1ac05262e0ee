/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/plain_text.h"

static bool continues(const char *text) {
	return ((unsigned char)*text & 0xc0) == 0x80;
}

size_t ifr_utf8_read(const char *text, uint32_t *code) {
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)*text;
	size_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
	*code = length <= 1 ? lead : lead & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (!continues(text + i))
			return 0;
		*code = *code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	bool surrogate = *code >= 0xd800 && *code < 0xe000;
	return length && *code >= smallest[length] && *code < 0x110000 && !surrogate ? length : 0;
}

bool ifr_utf8_is_control(uint32_t code) {
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void ifr_escape_plain(struct ifr_buffer *out, const char *text) {
	while (*text) {
		uint32_t code;
		size_t length = ifr_utf8_read(text, &code);
		if (length && !ifr_utf8_is_control(code)) {
			ifr_buffer_append(out, text, length);
			text += length;
		} else if (*text == '\n' || *text == '\t') {
			ifr_buffer_puts(out, *text++ == '\n' ? "\\n" : "\\t");
		} else {
			for (size_t i = 0; i < (length ? length : 1); i++)
				ifr_buffer_printf(out, "\\x%02x", (unsigned char)*text++);
		}
	}
}
