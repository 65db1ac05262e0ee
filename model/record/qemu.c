/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/qemu.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "model/record/recorded_program.h"

#define AUDIT "LD_AUDIT="

/* Returns the -plugin argument: the file and "key=value" words, separated by commas; a comma in a value is
 * doubled. */
static char *format_plugin_argument(const struct ifr_recording *recording, int ring_fd) {
	struct ifr_buffer words = {0};
	char *path = program_own_path(recording);
	ifr_buffer_printf(&words, "%s,fd=%d,all=%s", recording->plugin, ring_fd, recording->everything ? "on" : "off");
	if (recording->region)
		ifr_buffer_printf(&words, ",region=%s", recording->region);
	if (path)
		ifr_buffer_puts(&words, ",path=");
	for (const char *c = path; path && *c; c++)
		ifr_buffer_printf(&words, *c == ',' ? ",," : "%c", *c);
	free(path);
	return ifr_buffer_detach(&words);
}

/* The auditor is the program's, not of qemu's own loader. */
static const char *find_auditor(const struct ifr_recording *recording) {
	for (size_t i = 0; recording->environment[i]; i++)
		if (ifr_starts_with(recording->environment[i], AUDIT))
			return recording->environment[i];
	return NULL;
}

/* The recorder is also preloaded into qemu, for its time(), and removed from the program's environment (-U). */
static void make_arguments(const struct ifr_recording *recording, int ring_fd, struct ifr_strings *arguments) {
	static const char *const fixed[] = {QEMU, "-cpu", "max", "-seed", "1", "-U", "LD_PRELOAD"};
	char *preload = program_preload(recording);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		ifr_strings_add(arguments, fixed[i]);
	if (preload) {
		ifr_strings_add(arguments, "-E");
		ifr_strings_take(arguments, preload);
	}
	if (find_auditor(recording)) {
		ifr_strings_add(arguments, "-E");
		ifr_strings_add(arguments, find_auditor(recording));
	}
	if (recording->objects) {
		ifr_strings_add(arguments, "-E");
		ifr_strings_add(arguments, recording->settings);
	}
	/* One instruction a block: the addresses of all prefetches are known. */
	if (recording->everything)
		ifr_strings_add(arguments, "-singlestep");
	ifr_strings_add(arguments, "-plugin");
	ifr_strings_take(arguments, format_plugin_argument(recording, ring_fd));
	ifr_strings_add(arguments, "-0");
	ifr_strings_add(arguments, recording->argv[0]);
	ifr_strings_add(arguments, recording->program);
	for (size_t i = 1; recording->argv[i]; i++)
		ifr_strings_add(arguments, recording->argv[i]);
}

/* The order is reversed, because qemu reverses the list for the program. */
static void make_environment(const struct ifr_recording *recording, struct ifr_strings *environment) {
	size_t count = 0;
	while (recording->environment[count])
		count++;
	while (count--)
		if (!ifr_starts_with(recording->environment[count], PRELOAD) &&
		    !ifr_starts_with(recording->environment[count], AUDIT))
			ifr_strings_add(environment, recording->environment[count]);
	ifr_strings_take(environment, ifr_format(PRELOAD "%s", recording->plugin));
}

void qemu_command(const struct ifr_recording *recording, int ring_fd, struct ifr_strings *arguments,
                  struct ifr_strings *environment) {
	make_arguments(recording, ring_fd, arguments);
	make_environment(recording, environment);
}

char **null_terminated(const struct ifr_strings *strings) {
	char **list = ifr_alloc((strings->count + 1) * sizeof *list);
	for (size_t i = 0; i < strings->count; i++)
		list[i] = strings->items[i];
	return list;
}
