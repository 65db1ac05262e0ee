/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "compiletime/template.h"

/* Whether a line is ".L", a number and ':': GCC's labels of code and of jump tables. */
static bool is_label(const char *line, size_t length) {
	size_t at = 2;
	if (length < 4 || memcmp(line, ".L", 2) != 0 || line[length - 1] != ':')
		return false;
	while (at < length - 1 && isdigit((unsigned char)line[at]))
		at++;
	return at == length - 1;
}

void ifr_template_list_labels(struct ifr_buffer *assembly) {
	struct ifr_buffer list = {0};
	const char *text = assembly->data;
	for (size_t at = 0; at < assembly->length;) {
		const char *newline = memchr(text + at, '\n', assembly->length - at);
		size_t size = newline ? (size_t)(newline - text) - at : assembly->length - at;
		if (is_label(text + at, size))
			ifr_buffer_printf(&list, "\t.quad\t%.*s\n", (int)size - 1, text + at);
		at += size + 1;
	}
	if (assembly->length && text[assembly->length - 1] != '\n')
		ifr_buffer_puts(assembly, "\n");
	ifr_buffer_printf(assembly, "\t.section\t" IFR_LABELS_SECTION ",\"\",@progbits\n");
	ifr_buffer_append(assembly, list.data, list.length);
	ifr_buffer_release(&list);
}
