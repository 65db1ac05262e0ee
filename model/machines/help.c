/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help on machines, predictors and settings, printed from the tables that also read and check them. */
#include "model/machines/parts.h"

#include <stdlib.h>
#include <string.h>

static void help_machines(struct ifr_buffer *out) {
	ifr_buffer_puts(out, "Machines:\n");
	for (const struct ifr_machine_text *text = ifr_machine_texts; text->name; text++) {
		struct ifr_machine *machine;
		if (ifr_machine_open(&machine, text->name, NULL))
			continue;
		ifr_buffer_printf(out, "  %-16s %s\n", text->name, machine->title);
		ifr_machine_free(machine);
	}
	ifr_buffer_printf(out, "  %-16s %s\n", "native", "the nearest of them to this processor, by CPUID");
}

static void help_settings(struct ifr_buffer *out) {
	ifr_buffer_puts(out, "Settings (KEY=VALUE behind the machine's name, with commas between):\n");
	for (size_t i = 0; i < IFR_SETTINGS; i++) {
		const struct ifr_setting_about *about = &ifr_settings[i];
		char *key = ifr_format("%s.%s", about->group, about->name);
		if (about->words)
			ifr_buffer_printf(out, "  %-22s %s (one of %s)\n", key, about->about, about->words);
		else
			ifr_buffer_printf(out, "  %-22s %s (%u to %u)\n", key, about->about, about->least, about->most);
		free(key);
	}
}

static void help_predictor(struct ifr_buffer *out, const char *group, const char *name, const char *about,
                           const struct ifr_parameter *parameters) {
	ifr_buffer_printf(out, "  %-22s %s\n", name, about);
	for (; parameters->name; parameters++)
		ifr_buffer_printf(out, "    %s.%s = %u: %s (%u to %u)\n", group, parameters->name, parameters->initial,
		                  parameters->about, parameters->least, parameters->most);
}

void ifr_machine_print_help(struct ifr_buffer *out) {
	help_machines(out);
	ifr_buffer_puts(out, "Predictors of directions (predictor=KIND, or KIND-SIZEk for tables of SIZE KiB):\n");
	for (size_t i = 0; ifr_predictors[i]; i++)
		help_predictor(out, "direction", ifr_predictors[i]->name, ifr_predictors[i]->about,
		               ifr_predictors[i]->parameters);
	ifr_buffer_puts(out, "Predictors of targets (indirect=KIND):\n");
	for (size_t i = 0; ifr_target_predictors[i]; i++)
		help_predictor(out, "indirect", ifr_target_predictors[i]->name, ifr_target_predictors[i]->about,
		               ifr_target_predictors[i]->parameters);
	help_settings(out);
}
