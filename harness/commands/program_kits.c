/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/program_kits.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/output/output.h"

static unsigned axes_of_files(void) {
	return ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_PLUGIN);
}

/* The runtime's axes are those of a dynamically linked program: its loader preloads the runtime. */
static unsigned axes_of_runtime(void) {
	return 1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS | 1u << IFR_AXIS_ALLOCATOR | 1u << IFR_AXIS_HUGE_PAGES;
}

static char *list_axes(unsigned axes) {
	struct ifr_buffer list = {0};
	ifr_axes_print(axes, &list);
	return ifr_buffer_detach(&list);
}

static int refuse_axes(const char *program, unsigned needed, unsigned free_axes, struct ifr_error *err) {
	char *needs = list_axes(needed), *others = list_axes(free_axes);
	int result = ifr_fail(
		err, IFR_E_USAGE,
		"%s has no kit: build it with CC=interfero-gcc, which captures its link, to vary %s; any program has "
		"the axes %s",
		program, needs, others);
	free(others);
	free(needs);
	return result;
}

static void note_axes(const char *program, unsigned axes) {
	char *list = list_axes(axes);
	struct ifr_buffer name = {0};
	ifr_escape_plain(&name, program);
	ifr_command_note(
		"%s has no kit: the process varies (--axes %s), the code does not; a build with CC=interfero-gcc "
		"has a kit",
		ifr_buffer_text(&name), list);
	ifr_buffer_release(&name);
	free(list);
}

/* Chooses the axes for programs of which one has no kit. */
static int choose_axes(const char *without, struct layout_options *layouts, bool dynamic, bool quiet,
                       struct ifr_error *err) {
	unsigned possible =
		ifr_axes_of(IFR_OWNER_LAUNCHER) & ~layout_axes_apart() & ~(dynamic ? 0 : axes_of_runtime());
	if (layouts->axes_given && !layouts->all)
		return layouts->axes & axes_of_files()
		           ? refuse_axes(without, layouts->axes & axes_of_files(), possible, err)
		           : 0;
	layouts->axes = layouts->all ? layouts->axes & possible : possible;
	if (!quiet)
		note_axes(without, layouts->axes);
	return 0;
}

int program_kits_find(struct program_kit *programs, size_t count, struct layout_options *layouts, bool dynamic,
                      bool quiet, struct ifr_error *err) {
	const char *without = NULL;
	int result = 0;
	for (size_t i = 0; i < count && !result; i++) {
		result = ifr_kit_find(programs[i].path, programs[i].kit, &programs[i].found, err);
		if (!programs[i].found && !without)
			without = programs[i].path;
	}
	if (!result && without)
		return choose_axes(without, layouts, dynamic, quiet, err);
	if (!result && layouts->all && !dynamic) {
		layouts->axes &= ~axes_of_runtime();
		if (!quiet)
			ifr_command_note(
				"the program is statically linked: heap and blocks, which need its loader, are left out "
				"of the axes");
	}
	return result;
}
