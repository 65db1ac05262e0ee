/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON among other lines: programs print greetings and warnings around it. */
#include <string.h>

#include "harness/metrics/formats.h"

/* Texts that begin like JSON and are none are read to their first fault; so many of them are tried. */
enum { TRIES_MOST = 32 };

static bool fits(const json_t *root, const char *key) {
	return root && (!key || json_object_get(root, key));
}

json_t *json_find(const char *text, const char *key) {
	const char *line = text;
	for (int tries = 0; *line && tries < TRIES_MOST;) {
		const char *start = line + strspn(line, " \t");
		if (*start == '{' || *start == '[') {
			json_t *root = json_loads(start, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, NULL);
			if (fits(root, key))
				return root;
			json_decref(root);
			tries++;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}
