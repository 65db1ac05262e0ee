/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/recorded_program.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/strings.h"

char *program_preload(const struct ifr_recording *recording) {
	const char *wanted = NULL;
	for (size_t i = 0; recording->environment[i]; i++)
		if (ifr_starts_with(recording->environment[i], PRELOAD))
			wanted = recording->environment[i] + strlen(PRELOAD);
	const char *const parts[] = {recording->region ? recording->marks : NULL, recording->objects, wanted};
	struct ifr_buffer list = {0};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			ifr_buffer_printf(&list, "%s%s", list.length ? ":" : PRELOAD, parts[i]);
	return list.length ? ifr_buffer_detach(&list) : NULL;
}

char *program_own_path(const struct ifr_recording *recording) {
	char *program = realpath(recording->program, NULL),
		 *path = recording->name ? realpath(recording->name, NULL) : NULL;
	if (path && (!program || !strcmp(program, path))) {
		free(path);
		path = NULL;
	}
	free(program);
	return path;
}
