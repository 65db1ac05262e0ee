/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/machine_option.h"

#include <stdlib.h>

#include "harness/commands/commands.h"
#include "model/model.h"

int machine_option(const char *argument, const char **machine, struct ifr_error *err) {
	static char *kept;
	char *note = NULL;
	free(kept);
	kept = NULL;
	int result = ifr_machine_resolve(argument, &kept, &note, err);
	if (note)
		ifr_command_note("%s", note);
	free(note);
	*machine = kept;
	return result;
}
