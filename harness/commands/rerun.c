/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/rerun.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/bundle/bundle.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"
#include "harness/output/output.h"
#include "harness/report/report.h"

struct rerun {
	const char *old;  /* as the user wrote it */
	char *experiment; /* the recorded one's file, absolute */
	char *work;       /* FILE.again: the unpacked bundle, or programs made from their kits; absolute */
	bool bundled;
	struct ifr_dataset dataset;
	struct ifr_campaign_program programs[IFR_PROGRAMS_MAX];
	struct ifr_kit kits[IFR_PROGRAMS_MAX];
	struct ifr_strings files[IFR_PROGRAMS_MAX]; /* given instead of kits */
	struct ifr_plan cure;
	char *paths[IFR_PROGRAMS_MAX], *user, *counters;
	struct ifr_strings argv;
};

static const char *fact_of(const struct rerun *rerun, const char *name, unsigned program) {
	char *own = program ? ifr_format("%s %u", name, program + 1) : ifr_strdup(name);
	const char *value = ifr_dataset_fact(&rerun->dataset, own);
	free(own);
	return value;
}

static char *absolute(const char *path) {
	char *cwd = getcwd(NULL, 0), *whole = ifr_path_normalise(cwd ? cwd : "/", path);
	free(cwd);
	return whole;
}

/* "old.exp" and "old.exp.bundle" give "old-again.exp". */
static char *name_file(const char *old) {
	static const char *const endings[] = {".bundle", ".exp"};
	const char *base = ifr_path_base(old);
	size_t length = strlen(base);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t ending = strlen(endings[i]);
		if (length > ending && !strncmp(base + length - ending, endings[i], ending))
			length -= ending;
	}
	return ifr_format("%.*s-again.exp", (int)length, base);
}

static int import_kits(const struct rerun *rerun, struct ifr_error *err) {
	char *path = ifr_format("%s/kits", rerun->work), key[IFR_KEY_MAX];
	DIR *folder = opendir(path);
	int result = 0;
	for (struct dirent *entry; folder && !result && (entry = readdir(folder));) {
		char *file = ifr_format("%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			result = ifr_kit_import(file, key, err);
		free(file);
	}
	if (folder)
		closedir(folder);
	free(path);
	return result;
}

/* Finds the recorded experiment, and enters the folder of its command. */
static int open_recorded(struct rerun *rerun, struct ifr_error *err) {
	rerun->bundled = ifr_bundle_is(rerun->old);
	rerun->experiment = rerun->bundled ? ifr_format("%s/experiment", rerun->work) : absolute(rerun->old);
	int result = rerun->bundled ? ifr_tree_remove(rerun->work, err) : 0;
	if (!result && rerun->bundled)
		result = ifr_bundle_unpack(rerun->old, rerun->work, err);
	if (!result && rerun->bundled)
		result = import_kits(rerun, err);
	if (!result)
		result = ifr_experiment_load(rerun->experiment, &rerun->dataset, err);
	if (result)
		return result;
	const char *recorded = ifr_dataset_fact(&rerun->dataset, "folder");
	char *folder = rerun->bundled ? ifr_format("%s/files", rerun->work) : recorded ? ifr_strdup(recorded) : NULL;
	if (rerun->bundled)
		result = ifr_dir_make(folder, err);
	if (!result && folder && chdir(folder))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot enter %s, where the command ran", folder);
	free(folder);
	return result;
}

static const char *digest_of(const struct rerun *rerun, unsigned program) {
	for (size_t i = 0; i < rerun->dataset.variant_count; i++)
		if (rerun->dataset.variants[i].program == program && !rerun->dataset.variants[i].layout)
			return rerun->dataset.variants[i].sha256;
	return NULL;
}

static bool has_digest(const char *path, const char *wanted) {
	char digest[IFR_SHA256_HEX];
	return ifr_file_exists(path) && !ifr_sha256_file(path, digest, NULL, NULL) &&
	       (!wanted || !*wanted || !strcmp(wanted, digest));
}

/* Links the program that shipped from its kit, where its file is gone or was built again. */
static int make_program(struct rerun *rerun, unsigned program, struct ifr_error *err) {
	struct ifr_builder *builder = NULL;
	struct ifr_variant variant = {0};
	struct ifr_plan plan;
	char *folder = ifr_format("%s/programs/%u", rerun->work, program),
		 *path = ifr_format("%s/%s", folder, ifr_path_base(rerun->paths[program]));
	ifr_plan_init(&plan);
	int result = ifr_dir_make(folder, err);
	if (!result)
		result = ifr_builder_open(&rerun->kits[program], &builder, err);
	if (!result)
		result = ifr_builder_make(builder, &plan, path, &variant, err);
	if (!result && !has_digest(path, digest_of(rerun, program)))
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s is no longer the file that was measured, and its kit does not give those bytes: pack the "
		             "experiment before the program is built again (interfero pack)",
		             rerun->paths[program]);
	if (builder)
		ifr_builder_close(builder);
	ifr_buffer_release(&variant.facts);
	free(folder);
	free(rerun->paths[program]);
	rerun->paths[program] = path;
	return result;
}

/* The files of a campaign that was given its variants; layouts stand in their order. */
static int find_files(struct rerun *rerun, unsigned program, struct ifr_error *err) {
	struct ifr_strings *files = &rerun->files[program];
	int result = 0;
	for (size_t i = 0; i < rerun->dataset.variant_count && !result; i++) {
		const struct ifr_dataset_variant *variant = &rerun->dataset.variants[i];
		if (variant->program != program)
			continue;
		char *path = ifr_format("%s/given/%s", rerun->work, variant->sha256);
		if (variant->layout != files->count + 1 || !has_digest(path, variant->sha256))
			result = ifr_fail(err, IFR_E_USAGE, "%s does not hold the files that were measured", rerun->old);
		ifr_strings_take(files, path);
	}
	if (!result && !files->count)
		result = ifr_fail(err, IFR_E_USAGE, "%s was given no files", rerun->old);
	rerun->paths[program] = result ? NULL : ifr_strdup(files->items[0]);
	rerun->programs[program] = (struct ifr_campaign_program){.path = rerun->paths[program], .files = files};
	return result;
}

static int find_program(struct rerun *rerun, unsigned program, struct ifr_error *err) {
	const char *recorded = fact_of(rerun, "program", program), *key = fact_of(rerun, "kit", program);
	if (rerun->bundled && key && !strcmp(key, IFR_KIT_OF_GIVEN_FILES))
		return find_files(rerun, program, err);
	const bool has_kit = key && strcmp(key, "none") != 0;
	if (!recorded || !key || strpbrk(key, " ,") || !digest_of(rerun, program))
		return ifr_fail(err, IFR_E_USAGE,
		                "%s was not made by bench or compare of programs with kits: nothing runs it again",
		                rerun->old);
	rerun->paths[program] = rerun->bundled
	                            ? ifr_format("%s/programs/%u/%s", rerun->work, program, ifr_path_base(recorded))
	                            : ifr_strdup(recorded);
	int result = has_kit ? ifr_kit_load(key, &rerun->kits[program], err) : 0;
	/* An imported kit takes the objects of that digest which are there: they still have to be so. */
	if (!result && has_kit && rerun->bundled)
		result = ifr_kit_check(&rerun->kits[program], err);
	if (!result && !has_digest(rerun->paths[program], digest_of(rerun, program)))
		result = has_kit
		             ? make_program(rerun, program, err)
		             : ifr_fail(err, IFR_E_USAGE,
		                        "%s is no longer the file that was measured, and has no kit: pack the experiment "
		                        "before the program changes (interfero pack)",
		                        rerun->paths[program]);
	rerun->programs[program] = (struct ifr_campaign_program){.path = rerun->paths[program],
	                                                         .kit = has_kit ? &rerun->kits[program] : NULL};
	return result;
}

static int set_axes(const char *axes, const char *parameters, struct ifr_layout_generator *generator,
                    struct ifr_error *err) {
	struct ifr_strings words = {0};
	int result = ifr_axes_parse(axes, &generator->axes, err);
	ifr_strings_split(&words, strcmp(parameters, "none") ? parameters : "", " ");
	for (size_t i = 0; i < words.count && !result; i++) {
		char *colon = strchr(words.items[i], ':');
		if (!colon)
			continue;
		*colon = '\0';
		int axis = ifr_axis_find(words.items[i], err);
		result = axis < 0 ? axis : ifr_plan_set(&generator->parameters, (enum ifr_axis)axis, colon + 1, err);
	}
	ifr_strings_release(&words);
	return result;
}

/* The counters of an experiment that did not record its --counters: their sources. */
static char *list_sources(const struct ifr_dataset *dataset) {
	struct ifr_buffer text = {0};
	struct ifr_strings seen = {0};
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!ifr_strings_contain(&seen, dataset->counters[i].source) &&
		    strcmp(dataset->counters[i].source, "repeat") && strcmp(dataset->counters[i].source, "program")) {
			ifr_strings_add(&seen, dataset->counters[i].source);
			ifr_buffer_printf(&text, "%s%s", text.length ? "," : "", dataset->counters[i].source);
		}
	ifr_strings_release(&seen);
	return ifr_buffer_detach(&text);
}

static unsigned count_layouts(const struct ifr_dataset *dataset) {
	unsigned most = 0;
	for (size_t i = 0; i < dataset->variant_count; i++)
		most = dataset->variants[i].layout > most ? dataset->variants[i].layout : most;
	return most;
}

/* A bundle's own libraries are found before those of the machine. */
static void lead_to_libraries(const struct rerun *rerun, struct ifr_strings *environment) {
	static const char variable[] = "LD_LIBRARY_PATH=";
	char *folder = ifr_format("%s/libraries", rerun->work);
	bool found = false;
	for (size_t i = 0; rerun->bundled && ifr_file_exists(folder) && i <= environment->count && !found; i++) {
		bool end = i == environment->count;
		if (!end && !ifr_starts_with(environment->items[i], variable))
			continue;
		found = true;
		if (end) {
			ifr_strings_take(environment, ifr_format("%s%s", variable, folder));
			break;
		}
		char *old = environment->items[i];
		environment->items[i] = ifr_format("%s%s:%s", variable, folder, old + strlen(variable));
		free(old);
	}
	free(folder);
}

/* A word that names a file of the bundle by its old absolute path names it by its path below the folder. */
static void relocate_words(struct rerun *rerun) {
	const char *folder = ifr_dataset_fact(&rerun->dataset, "folder");
	size_t length = folder ? strlen(folder) : 0;
	for (size_t i = 1; rerun->bundled && length && i < rerun->argv.count; i++) {
		char *word = rerun->argv.items[i];
		if (strncmp(word, folder, length) || word[length] != '/' || !ifr_file_exists(word + length + 1))
			continue;
		ifr_command_note("%s is %s of the bundle", word, word + length + 1);
		rerun->argv.items[i] = ifr_strdup(word + length + 1);
		free(word);
	}
}

static int fill_command(struct rerun *rerun, struct ifr_campaign *campaign, struct ifr_error *err) {
	const char *command = ifr_dataset_fact(&rerun->dataset, "command"),
			   *environment = ifr_dataset_fact(&rerun->dataset, "environment"),
			   *input = ifr_dataset_fact(&rerun->dataset, "standard input"),
			   *user = ifr_dataset_fact(&rerun->dataset, "run in");
	if (!command || !ifr_unquote_shell(command, &rerun->argv) || !rerun->argv.count)
		return ifr_fail(err, IFR_E_USAGE, "%s does not say which command it ran", rerun->old);
	relocate_words(rerun);
	campaign->argv = rerun->argv.items;
	ifr_unquote_shell(environment ? environment : "", &campaign->environment);
	lead_to_libraries(rerun, &campaign->environment);
	/* Also /dev/null: the program may ask for it. */
	campaign->stdin_file = input;
	const char *place = ifr_dataset_fact(&rerun->dataset, "driver of");
	const bool driven = place && *place == '/';
	if (driven && rerun->bundled)
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s was measured by a driver, which looks for the program outside of the bundle: run it again "
			"from its experiment",
			rerun->old);
	campaign->driven = driven ? place : NULL;
	if (driven) {
		rerun->user = ifr_strdup(user);
		campaign->user = rerun->user;
	} else if (user && *user == '/') {
		rerun->user = rerun->bundled ? ifr_format("%s/programs/user/%s", rerun->work, ifr_path_base(user))
		                             : ifr_strdup(user);
		campaign->user = rerun->user;
		campaign->library = rerun->paths[0];
	}
	return 0;
}

static const char *fact_unless_none(const struct ifr_dataset *dataset, const char *name) {
	const char *value = ifr_dataset_fact(dataset, name);
	return value && strcmp(value, "none") ? value : NULL;
}

/* Programs beyond the first that have a cure, and given files that run in contexts. */
static int fill_sides(struct rerun *rerun, struct ifr_campaign *campaign, struct ifr_error *err) {
	const char *cure = ifr_dataset_fact(&rerun->dataset, "cure"),
			   *axes = ifr_dataset_fact(&rerun->dataset, "context axes");
	int result = cure ? ifr_plan_parse(cure, strlen(cure), rerun->old, &rerun->cure, err) : 0;
	if (!result && axes)
		result = ifr_axes_parse(axes, &campaign->context_axes, err);
	for (unsigned i = 1; i < campaign->program_count && cure; i++)
		rerun->programs[i].cure = &rerun->cure;
	campaign->files_in_contexts = ifr_dataset_fact(&rerun->dataset, "files in contexts");
	return result;
}

static int fill_campaign(struct rerun *rerun, struct ifr_campaign *campaign, struct ifr_error *err) {
	const struct ifr_dataset *dataset = &rerun->dataset;
	const char *count = ifr_dataset_fact(dataset, "programs"), *seed = ifr_dataset_fact(dataset, "seed"),
			   *axes = ifr_dataset_fact(dataset, "axes"), *parameters = ifr_dataset_fact(dataset, "parameters"),
			   *repetitions = ifr_dataset_fact(dataset, "rounds planned"),
			   *status = ifr_dataset_fact(dataset, "expected exit status"),
			   *aslr = ifr_dataset_fact(dataset, "aslr"), *copies = ifr_dataset_fact(dataset, "copies"),
			   *output = ifr_dataset_fact(dataset, "output"),
			   *counters = ifr_dataset_fact(dataset, "counters wanted"),
			   *warmups = ifr_dataset_fact(dataset, "warmup runs"),
			   *machine = ifr_dataset_fact(dataset, "machine");
	int result = 0;
	const unsigned long programs = count ? strtoul(count, NULL, 10) : 1;
	campaign->program_count = programs > 1 && programs <= IFR_PROGRAMS_MAX ? (unsigned)programs : 1;
	campaign->programs = rerun->programs;
	for (unsigned i = 0; i < campaign->program_count && !result; i++)
		result = find_program(rerun, i, err);
	if (result)
		return result;
	if (!seed || !axes || !parameters || !repetitions)
		return ifr_fail(err, IFR_E_USAGE, "%s does not say which layouts it measured", rerun->old);
	campaign->generator.seed = strtoull(seed, NULL, 10);
	campaign->seed_given = true;
	ifr_plan_init(&campaign->generator.parameters);
	result = set_axes(axes, parameters, &campaign->generator, err);
	const char *sweep = ifr_dataset_fact(dataset, "sweep");
	if (!result && sweep)
		result = ifr_sweeps_parse(&campaign->generator.sweeps, sweep, err);
	campaign->variants = count_layouts(dataset);
	campaign->repetitions = (unsigned)strtoul(repetitions, NULL, 10);
	campaign->expected_exit = status ? atoi(status) : 0;
	campaign->keep_aslr = aslr && !strcmp(aslr, "on");
	campaign->one_file = copies && ifr_starts_with(copies, "one for all");
	campaign->ignore_output = output && !strcmp(output, "ignored");
	rerun->counters = counters ? ifr_strdup(counters) : list_sources(dataset);
	campaign->counters = rerun->counters;
	campaign->metrics = fact_unless_none(dataset, "metrics");
	campaign->prepare = fact_unless_none(dataset, "prepare");
	campaign->warmups = warmups ? (unsigned)strtoul(warmups, NULL, 10) : 0;
	campaign->marker = ifr_dataset_fact(dataset, "repeat marker");
	campaign->machine = machine ? machine : campaign->machine;
	campaign->core = machine ? ifr_cycles_core(dataset) : NULL;
	campaign->options = ifr_dataset_fact(dataset, "options");
	for (unsigned i = 0; i < campaign->program_count; i++)
		campaign->programs_removed |= ifr_starts_with(rerun->paths[i], rerun->work);
	if (!result)
		result = fill_sides(rerun, campaign, err);
	return result ? result : fill_command(rerun, campaign, err);
}

static int compare(const struct rerun *rerun, const struct ifr_campaign *campaign, const char *metric,
                   bool verdict_only, struct ifr_error *err) {
	struct ifr_dataset now;
	struct ifr_buffer text = {0};
	int result = ifr_experiment_load(campaign->file, &now, err);
	if (result)
		return result;
	for (unsigned i = 0; i < campaign->program_count && !result; i++) {
		struct ifr_agreement agreement;
		result = ifr_agreement_make(&rerun->dataset, &now, i, metric, &agreement, err);
		if (!result && campaign->program_count > 1)
			ifr_buffer_printf(&text, "%s%s\n", i ? "\n" : "", fact_of(rerun, "program", i));
		if (!result)
			ifr_agreement_text(&agreement, verdict_only, &text);
		ifr_agreement_release(&agreement);
	}
	if (!result)
		result = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	ifr_dataset_release(&now);
	return result;
}

void rerun_close(struct rerun *rerun) {
	for (int i = 0; i < IFR_PROGRAMS_MAX; i++) {
		ifr_kit_release(&rerun->kits[i]);
		ifr_strings_release(&rerun->files[i]);
		free(rerun->paths[i]);
	}
	ifr_dataset_release(&rerun->dataset);
	ifr_strings_release(&rerun->argv);
	free(rerun->experiment);
	free(rerun->work);
	free(rerun->user);
	free(rerun->counters);
	ifr_plan_release(&rerun->cure);
	free(rerun);
}

int rerun_open(const char *old, struct ifr_campaign *campaign, struct rerun **opened, struct ifr_error *err) {
	struct rerun *rerun = ifr_alloc(sizeof *rerun);
	rerun->old = old;
	ifr_plan_init(&rerun->cure);
	rerun->work = ifr_format("%s.again", campaign->file);
	*opened = rerun;
	int result = open_recorded(rerun, err);
	return result ? result : fill_campaign(rerun, campaign, err);
}

const struct ifr_dataset *rerun_recorded(const struct rerun *rerun) {
	return &rerun->dataset;
}

int rerun_experiment(const char *old, struct ifr_campaign *campaign, const char *metric, bool quiet) {
	struct ifr_campaign_result done = {0};
	struct ifr_error err = {0};
	struct rerun *rerun = NULL;
	char *name = name_file(old);
	const char *shown = campaign->file ? campaign->file : name;
	char *file = absolute(shown), *itself = absolute(old);
	const bool clash = !strcmp(file, itself);
	campaign->file = file;
	progress_follow(campaign, quiet);
	catch_interrupts();
	int result = clash ? ifr_fail(&err, IFR_E_USAGE, "%s is the experiment to repeat: choose another -o", old)
	                   : rerun_open(old, campaign, &rerun, &err);
	if (!result && campaign->fresh)
		result = ifr_campaign_set_aside(file, &err);
	if (!result)
		result = ifr_campaign_run(campaign, &done, &err);
	if (campaign->progress)
		progress_clear();
	if (!result && (done.runs || done.complete))
		result = compare(rerun, campaign, metric, quiet, &err);
	/* An interrupted repetition goes on with its folder; after a refusal nothing does. */
	if (rerun && (result ? !ifr_launch_interrupted() : done.complete))
		ifr_tree_remove(rerun->work, NULL);
	if (!result && done.complete && !quiet)
		ifr_command_note("the repetition is in %s", shown);
	int status = result ? ifr_command_failed(&err) : done.refused_variants ? IFR_E_PROGRAM : 0;
	if (done.interrupted || (result && ifr_launch_interrupted()))
		status = STOPPED_BY_INTERRUPT;
	ifr_plan_release(&campaign->generator.parameters);
	if (rerun)
		rerun_close(rerun);
	free(itself);
	free(name);
	free(file);
	return status;
}
