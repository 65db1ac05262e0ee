/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contents of a bundle, found by the facts of its experiment. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/bundle/archive.h"
#include "harness/bundle/bundle.h"
#include "harness/output/output.h"
#include "harness/store/store.h"
#include "kit/kit.h"

struct packing {
	const char *experiment;
	struct ifr_dataset dataset;
	struct bundle_archive *archive;
	struct ifr_strings names; /* of the entries so far */
	struct ifr_strings *left_out;
	char *folder; /* where the command ran */
};

static int add_file(struct packing *packing, char *name, const char *path, struct ifr_error *err) {
	int result = 0;
	if (!ifr_strings_contain(&packing->names, name)) {
		ifr_strings_add(&packing->names, name);
		result = bundle_archive_add_file(packing->archive, name, path, err);
	}
	free(name);
	return result;
}

static const struct ifr_dataset_variant *find_shipped(const struct ifr_dataset *dataset, unsigned program) {
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].program == program && !dataset->variants[i].layout)
			return &dataset->variants[i];
	return NULL;
}

static const char *fact_of(const struct packing *packing, const char *name, unsigned program) {
	char *own = program ? ifr_format("%s %u", name, program + 1) : ifr_strdup(name);
	const char *value = ifr_dataset_fact(&packing->dataset, own);
	free(own);
	return value;
}

/* A program that was built again is not the one that was measured. */
static int check_program(const struct packing *packing, unsigned program, const char *path,
                         struct ifr_error *err) {
	const struct ifr_dataset_variant *shipped = find_shipped(&packing->dataset, program);
	char digest[IFR_SHA256_HEX];
	int result = ifr_sha256_file(path, digest, NULL, err);
	if (!result && shipped && shipped->sha256 && *shipped->sha256 && strcmp(shipped->sha256, digest))
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s is no longer the file that %s measured: pack an experiment before the program is built "
		             "again",
		             path, packing->experiment);
	return result;
}

static int add_loaded_kit(struct packing *packing, const struct ifr_kit *kit, struct ifr_error *err) {
	char *folder = NULL, *file = NULL;
	int result = ifr_temporary_dir(&folder, err);
	if (!result) {
		file = ifr_format("%s/kit", folder);
		result = ifr_kit_export(kit, file, err);
	}
	if (!result)
		result = add_file(packing, ifr_format("kits/%s", kit->key), file, err);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(file);
	free(folder);
	return result;
}

static int add_kit(struct packing *packing, const char *key, struct ifr_error *err) {
	struct ifr_kit kit;
	int result = ifr_kit_load(key, &kit, err);
	if (!result)
		result = add_loaded_kit(packing, &kit, err);
	ifr_kit_release(&kit);
	return result;
}

/* The variants of a campaign on a cluster lie beside its experiment. */
static int add_given(struct packing *packing, unsigned program, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < packing->dataset.variant_count && !result; i++) {
		const struct ifr_dataset_variant *variant = &packing->dataset.variants[i];
		char *path = ifr_format("%s.variants/%s", packing->experiment, variant->name), digest[IFR_SHA256_HEX];
		if (variant->program == program)
			result =
				ifr_sha256_file(path, digest, NULL, NULL) || strcmp(digest, variant->sha256)
					? ifr_fail(err, IFR_E_USAGE, "%s was given files that are not kept: nothing runs them again",
			                   packing->experiment)
					: add_file(packing, ifr_format("given/%s", digest), path, err);
		free(path);
	}
	return result;
}

static int add_programs(struct packing *packing, struct ifr_error *err) {
	const char *count = ifr_dataset_fact(&packing->dataset, "programs");
	const char *user = ifr_dataset_fact(&packing->dataset, "run in");
	unsigned programs = count ? (unsigned)strtoul(count, NULL, 10) : 1;
	int result = 0;
	for (unsigned i = 0; i < programs && !result; i++) {
		const char *path = fact_of(packing, "program", i), *key = fact_of(packing, "kit", i);
		if (key && !strcmp(key, IFR_KIT_OF_GIVEN_FILES)) {
			result = add_given(packing, i, err);
			continue;
		}
		if (!path || !find_shipped(&packing->dataset, i))
			return ifr_fail(err, IFR_E_USAGE,
			                "%s was not made by bench or compare of programs: nothing runs it again",
			                packing->experiment);
		result = check_program(packing, i, path, err);
		if (!result)
			result = add_file(packing, ifr_format("programs/%u/%s", i, ifr_path_base(path)), path, err);
		if (!result && key && !strpbrk(key, " ,") && strcmp(key, "none") != 0)
			result = add_kit(packing, key, err);
	}
	if (!result && user && *user == '/')
		result = add_file(packing, ifr_format("programs/user/%s", ifr_path_base(user)), user, err);
	return result;
}

static int add_plans(struct packing *packing, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < packing->dataset.variant_count && !result; i++) {
		const struct ifr_dataset_variant *variant = &packing->dataset.variants[i];
		char *name = ifr_format("plans/%s.plan", variant->name);
		if (*variant->plan && ifr_bundle_takes(name) && !ifr_strings_contain(&packing->names, name)) {
			ifr_strings_add(&packing->names, name);
			result = bundle_archive_add(packing->archive, name, variant->plan, strlen(variant->plan), 0644, err);
		}
		free(name);
	}
	return result;
}

static int add_libraries(struct packing *packing, struct ifr_error *err) {
	const char *list = ifr_dataset_fact(&packing->dataset, "own libraries");
	struct ifr_strings files = {0};
	int result = 0;
	ifr_strings_split(&files, list ? list : "", " ");
	for (size_t i = 0; i < files.count && !result; i++)
		if (ifr_file_exists(files.items[i]))
			result =
				add_file(packing, ifr_format("libraries/%s", ifr_path_base(files.items[i])), files.items[i], err);
	ifr_strings_release(&files);
	return result;
}

static bool is_regular(const char *path) {
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Adds a file that the command names: below its folder, or noted as left out. Words that name no file are none. */
static int add_input(struct packing *packing, const char *word, struct ifr_error *err) {
	char *path = ifr_path_normalise(packing->folder, word);
	size_t length = strlen(packing->folder);
	bool below = !strncmp(path, packing->folder, length) && path[length] == '/';
	char *name = ifr_format("files/%s", below ? path + length + 1 : "");
	int result = 0;
	if (!is_regular(path))
		;
	else if (below && ifr_bundle_takes(name))
		result = add_file(packing, ifr_strdup(name), path, err);
	else
		ifr_strings_take(
			packing->left_out,
			ifr_format("%s lies outside of %s: the bundle names it, and does not hold it", word, packing->folder));
	free(name);
	free(path);
	return result;
}

/* Adds standard input, and the files that are named by whole words and by the value in --option=FILE. */
static int add_inputs(struct packing *packing, struct ifr_error *err) {
	const char *command = ifr_dataset_fact(&packing->dataset, "command"),
			   *input = ifr_dataset_fact(&packing->dataset, "standard input");
	struct ifr_strings words = {0};
	int result = command && ifr_unquote_shell(command, &words)
	                 ? 0
	                 : ifr_fail(err, IFR_E_USAGE, "%s does not say which command it ran", packing->experiment);
	for (size_t i = 1; i < words.count && !result; i++) {
		const char *value = strchr(words.items[i], '=');
		result = add_input(packing, words.items[i], err);
		if (!result && value && value[1])
			result = add_input(packing, value + 1, err);
	}
	if (!result && input && strcmp(input, "/dev/null"))
		result = add_input(packing, input, err);
	ifr_strings_release(&words);
	return result;
}

/* The file alone may lack what its log still holds. */
static int add_experiment(struct packing *packing, struct ifr_error *err) {
	char *folder = NULL, *copy = NULL;
	int result = ifr_temporary_dir(&folder, err);
	if (!result) {
		copy = ifr_format("%s/experiment", folder);
		result = ifr_experiment_copy(packing->experiment, copy, err);
	}
	if (!result)
		result = add_file(packing, ifr_strdup("experiment"), copy, err);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(copy);
	free(folder);
	return result;
}

static int add_version(struct packing *packing, struct ifr_error *err) {
	static const char version[] = "interfero-bundle 1\n";
	return bundle_archive_add(packing->archive, "interfero-bundle", version, strlen(version), 0644, err);
}

static int add_all(struct packing *packing, struct ifr_error *err) {
	int result = add_version(packing, err);
	if (!result)
		result = add_experiment(packing, err);
	if (!result)
		result = add_programs(packing, err);
	if (!result)
		result = add_plans(packing, err);
	if (!result)
		result = add_libraries(packing, err);
	return result ? result : add_inputs(packing, err);
}

static int refuse_driver(const struct packing *packing, struct ifr_error *err) {
	const char *place = ifr_dataset_fact(&packing->dataset, "driver of");
	return !place || *place != '/'
	           ? 0
	           : ifr_fail(
					 err, IFR_E_USAGE,
					 "%s was measured by a driver, which looks for %s, outside of any bundle: run it again where it "
					 "is, with bench --again %s",
					 packing->experiment, place, packing->experiment);
}

int ifr_bundle_pack(const char *experiment, const char *file, struct ifr_strings *left_out,
                    struct ifr_error *err) {
	struct packing packing = {.experiment = experiment, .left_out = left_out};
	int result = ifr_experiment_load(experiment, &packing.dataset, err);
	if (result)
		return result;
	const char *folder = ifr_dataset_fact(&packing.dataset, "folder");
	packing.folder = folder ? ifr_strdup(folder) : getcwd(NULL, 0);
	result = refuse_driver(&packing, err);
	if (!result)
		result = bundle_archive_begin(file, &packing.archive, err);
	if (!result)
		result = bundle_archive_end(packing.archive, add_all(&packing, err), err);
	ifr_strings_release(&packing.names);
	ifr_dataset_release(&packing.dataset);
	free(packing.folder);
	return result;
}

int ifr_bundle_pack_replay(const struct ifr_strings *names, const struct ifr_strings *paths,
                           const struct ifr_kit *kit, const char *file, struct ifr_error *err) {
	struct packing packing = {0};
	int result = bundle_archive_begin(file, &packing.archive, err);
	if (result)
		return result;
	result = add_version(&packing, err);
	for (size_t i = 0; i < names->count && !result; i++)
		result = add_file(&packing, ifr_strdup(names->items[i]), paths->items[i], err);
	if (!result && kit)
		result = add_loaded_kit(&packing, kit, err);
	ifr_strings_release(&packing.names);
	return bundle_archive_end(packing.archive, result, err);
}
