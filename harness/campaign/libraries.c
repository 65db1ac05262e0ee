/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/libraries.h"

#include <stdlib.h>
#include <string.h>

void campaign_enter_library(struct campaign_state *state, unsigned first) {
	for (unsigned id = first; id < state->ready; id++) {
		char *path = campaign_variant_path(state, id);
		ifr_strings_release(&state->contexts[id].environment);
		ifr_library_environment(&state->library, path, &state->context.environment,
		                        &state->contexts[id].environment);
		free(path);
	}
}

/* Two libraries must go by one name: one user loads both. */
static int check_sonames(const struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign_program *programs = state->plan.programs;
	char *first = ifr_library_soname(programs->path);
	int result = 0;
	for (unsigned i = 1; i < state->plan.program_count && !result; i++) {
		char *other = ifr_library_soname(programs[i].path);
		if (strcmp(first, other))
			result = ifr_fail(err, IFR_E_USAGE, "%s is loaded as %s, and %s as %s: one program cannot use both",
			                  programs->path, first, programs[i].path, other);
		free(other);
	}
	free(first);
	return result;
}

int campaign_open_library(struct campaign_state *state, struct ifr_error *err) {
	char *shipped = campaign_variant_path(state, 0);
	const struct ifr_strings *environment = &state->context.environment;
	int result = check_sonames(state, err);
	if (!result)
		result = ifr_library_open(&state->library, state->plan.user, state->plan.programs->path, shipped,
		                          environment, err);
	free(shipped);
	if (!result)
		result = ifr_experiment_set(state->experiment, "library by", ifr_library_variable(&state->library), err);
	return result;
}

int campaign_save_own_libraries(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_strings files = {0};
	struct ifr_buffer list = {0};
	int result = 0;
	for (unsigned i = 0; i < state->plan.program_count && !result; i++) {
		unsigned id = campaign_first_variant(state, i);
		char *path = campaign_variant_path(state, id);
		const char *program = state->plan.user && !state->plan.driven ? state->plan.user : path;
		if (id < state->ready)
			result = ifr_libraries_list(program, &state->contexts[id].environment, state->folder, &files, err);
		free(path);
	}
	for (size_t i = 0; i < files.count && !result; i++)
		ifr_buffer_printf(&list, "%s%s", i ? " " : "", files.items[i]);
	if (!result && list.length)
		result = ifr_experiment_set(state->experiment, "own libraries", ifr_buffer_text(&list), err);
	ifr_buffer_release(&list);
	ifr_strings_release(&files);
	return result;
}

int campaign_identify_libraries(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < state->plan.program_count && !result; i++) {
		const char *program =
			state->plan.user && !state->plan.driven ? state->plan.user : state->plan.programs[i].path;
		char *list = NULL, *name = ifr_program_fact_name("libraries", i);
		if (!state->plan.programs[i].files)
			result = ifr_libraries_identify(program, &state->context.environment, &list, err);
		if (!result && list)
			result = ifr_experiment_set(state->experiment, name, list, err);
		free(name);
		free(list);
	}
	return result;
}
