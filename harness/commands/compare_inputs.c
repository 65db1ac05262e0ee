/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/compare_inputs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/program_kits.h"
#include "harness/store/store.h"

static bool is_experiment(const char *path) {
	static const char magic[] = "SQLite format 3";
	char start[sizeof magic];
	FILE *file = fopen(path, "rb");
	bool same = file && fread(start, 1, sizeof start, file) == sizeof start && !memcmp(start, magic, sizeof magic);
	if (file)
		fclose(file);
	return same;
}

static bool is_folder(const char *path) {
	struct stat status;
	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool is_program_file(const char *folder, const char *name) {
	struct stat status;
	char *path = ifr_format("%s/%s", folder, name);
	bool runs = !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
	free(path);
	return runs;
}

static int find_library(struct compare_input *input, struct ifr_error *err) {
	input->kind = INPUT_PROGRAM;
	return campaign_options_find_library(input->name, &input->path, err);
}

static int find_input(struct compare_input *input, struct ifr_error *err) {
	char *cwd = getcwd(NULL, 0);
	int result = 0;
	if (is_folder(input->name)) {
		input->kind = INPUT_FOLDER;
		input->path = ifr_path_normalise(cwd ? cwd : "/", input->name);
	} else if (is_experiment(input->name)) {
		input->kind = INPUT_EXPERIMENT;
		result = ifr_experiment_load(input->name, &input->dataset, err);
	} else {
		input->kind = INPUT_PROGRAM;
		result = campaign_options_find_program(input->name, &input->path, err);
	}
	free(cwd);
	return result;
}

static int is_candidate(const struct dirent *entry) {
	return *entry->d_name != '.' && strcmp(entry->d_name, "v00000");
}

/* Takes the programs whose names are in both folders. */
static int match_files(struct compare_input *old, struct compare_input *new, struct ifr_error *err) {
	struct dirent **entries;
	int count = scandir(old->path, &entries, is_candidate, alphasort);
	if (count < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", old->path);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		if (is_program_file(old->path, name) && is_program_file(new->path, name)) {
			ifr_strings_take(&old->files, ifr_format("%s/%s", old->path, name));
			ifr_strings_take(&new->files, ifr_format("%s/%s", new->path, name));
		}
		free(entries[i]);
	}
	free(entries);
	return old->files.count >= 2
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE,
	                      "%s and %s have %zu programs of the same names, and a comparison needs two: make them "
	                      "with \"interfero variants\" under one seed",
	                      old->name, new->name, old->files.count);
}

/* Refuses experiments of two machines: their difference is no change of a program. */
static int check_machines(const struct compare_inputs *s, struct ifr_error *err) {
	static const char *const facts[] = {"host", "processor"};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *old = ifr_dataset_fact(&s->input[0].dataset, facts[i]);
		const char *new = ifr_dataset_fact(&s->input[1].dataset, facts[i]);
		if (old && new &&strcmp(old, new))
			return ifr_fail(err, IFR_E_USAGE,
			                "%s and %s are from different machines (their %s is \"%.80s\" and \"%.80s\"), whose "
			                "difference would count as the programs': take both on one",
			                s->input[0].name, s->input[1].name, facts[i], old, new);
	}
	return 0;
}

static int check_experiments(const struct compare_inputs *s, struct ifr_error *err) {
	for (size_t i = 0; i < s->count; i++) {
		bool two = ifr_dataset_fact(&s->input[i].dataset, "programs");
		if (two && s->count == 2)
			return ifr_fail(err, IFR_E_USAGE, "%s is a comparison already: name it alone", s->input[i].name);
		if (!two && s->count == 1)
			return ifr_fail(err, IFR_E_USAGE, "%s holds one program: name the other one's experiment too",
			                s->input[i].name);
	}
	return s->count == 2 ? check_machines(s, err) : 0;
}

int compare_inputs_find_kits(struct compare_inputs *inputs, struct layout_options *layouts, bool quiet,
                             struct ifr_error *err) {
	struct program_kit programs[2];
	bool dynamic = true;
	if (inputs->input[0].kind != INPUT_PROGRAM)
		return 0;
	for (int i = 0; i < 2; i++) {
		programs[i] = (struct program_kit){.path = inputs->input[i].path, .kit = &inputs->input[i].kit};
		dynamic = dynamic && (inputs->libraries || ifr_loads_libraries(inputs->input[i].path));
	}
	int result = program_kits_find(programs, 2, layouts, dynamic, quiet, err);
	for (int i = 0; i < 2; i++)
		inputs->input[i].has_kit = programs[i].found;
	return result;
}

int compare_inputs_find(char *const *names, size_t count, bool libraries, struct compare_inputs *inputs,
                        struct ifr_error *err) {
	*inputs = (struct compare_inputs){.count = count, .libraries = libraries};
	int result = 0;
	for (size_t i = 0; i < 2; i++) {
		inputs->input[i].name = i < count ? names[i] : "";
		ifr_kit_init(&inputs->input[i].kit);
		ifr_dataset_init(&inputs->input[i].dataset);
	}
	for (size_t i = 0; i < count && !result; i++)
		result = libraries ? find_library(&inputs->input[i], err) : find_input(&inputs->input[i], err);
	if (result)
		return result;
	struct compare_input *old = &inputs->input[0], *new = &inputs->input[1];
	if (count == 1 && old->kind != INPUT_EXPERIMENT)
		return ifr_fail(err, IFR_E_USAGE,
		                "compare %s with what? Name two programs: interfero compare OLD NEW -- args", old->name);
	if (count == 2 && old->kind != new->kind)
		return ifr_fail(err, IFR_E_USAGE, "%s and %s must be both programs, both folders, or both experiments",
		                old->name, new->name);
	return old->kind == INPUT_FOLDER       ? match_files(old, new, err)
	       : old->kind == INPUT_EXPERIMENT ? check_experiments(inputs, err)
	                                       : 0;
}

void compare_inputs_enter(struct compare_inputs *s, struct ifr_campaign *campaign) {
	const struct compare_input *old = &s->input[0];
	bool folders = old->kind == INPUT_FOLDER;
	for (int i = 0; i < 2; i++) {
		const struct compare_input *input = &s->input[i];
		s->programs[i] = (struct ifr_campaign_program){.path = input->path,
		                                               .kit = input->has_kit ? &input->kit : NULL,
		                                               .files = folders ? &input->files : NULL,
		                                               .name = input->name};
	}
	campaign->programs = s->programs;
	campaign->program_count = 2;
	if (folders)
		campaign->variants = (unsigned)old->files.count;
}

void compare_inputs_release(struct compare_inputs *inputs) {
	for (int i = 0; i < 2; i++) {
		free(inputs->input[i].path);
		ifr_kit_release(&inputs->input[i].kit);
		ifr_strings_release(&inputs->input[i].files);
		ifr_dataset_release(&inputs->input[i].dataset);
	}
}
