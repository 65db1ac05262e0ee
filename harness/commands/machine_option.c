/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/machine_option.h"

#include <stdlib.h>

#include "common/strings.h"
#include "harness/commands/commands.h"
#include "model/model.h"

int machine_option(const char *argument, const char **machine, struct ifr_error *err) {
	/* Of all options of the command. */
	static struct ifr_strings names;
	char *name = NULL, *note = NULL;
	const int result = ifr_machine_resolve(argument, &name, &note, err);
	if (note)
		ifr_command_note("%s", note);
	free(note);
	if (result) {
		free(name);
		return result;
	}
	ifr_strings_take(&names, name);
	*machine = name;
	return 0;
}
