/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any file as an experiment: it is read and written, or there is an error; nothing else appears beside it. An
 * input that begins with 'P' is a list of changes to a good experiment: two bytes where to cut (65535: nowhere),
 * then three bytes a change, an offset and what to exclusive-or there. Any other input is the file itself. */
#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/store/experiment.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static char *folder, *path;
static struct ifr_buffer good;

static void remove_folder(void) {
	ifr_tree_remove(folder, NULL);
	ifr_buffer_release(&good);
	free(folder);
	free(path);
}

static void remove_files(void) {
	static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		char *file = ifr_format("%s%s", path, tails[i]);
		unlink(file);
		free(file);
	}
}

static int add_run(struct ifr_experiment *experiment, unsigned round, struct ifr_error *err) {
	const double values[] = {1.5, NAN};
	const struct ifr_experiment_run run = {
		.repetition = round, .started_ns = 1, .values = values, .value_count = 2};
	return ifr_experiment_add_run(experiment, &run, err);
}

static void make_good(void) {
	struct ifr_experiment *experiment;
	const struct ifr_experiment_variant variant = {
		.name = "v00000", .plan = "", .build_id = "ab", .sha256 = "cd", .facts = ""};
	/* In memory, where there is such a folder: SQLite waits for a disk several times a run. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	assert(!ifr_temporary_dir(&folder, NULL));
	path = ifr_format("%s/e", folder);
	atexit(remove_folder);
	assert(!ifr_experiment_open(path, &experiment, NULL));
	assert(!ifr_experiment_set(experiment, "program", "p", NULL));
	assert(!ifr_experiment_save_counter(experiment, 0, "duration_time", "ns", "clock", NULL));
	assert(!ifr_experiment_save_counter(experiment, 1, "cycles", "", "perf", NULL));
	assert(!ifr_experiment_save_variant(experiment, &variant, NULL));
	for (unsigned i = 0; i < 20; i++)
		assert(!add_run(experiment, i, NULL));
	ifr_experiment_close(experiment);
	assert(!ifr_file_read(path, 0, &good, NULL));
}

static void write_input(const unsigned char *data, size_t size) {
	if (size < 3 || *data != 'P') {
		assert(!ifr_file_write(path, data, size, 0644, NULL));
		return;
	}
	struct ifr_buffer file = {0};
	ifr_buffer_append(&file, good.data, good.length);
	for (size_t i = 3; i + 3 <= size; i += 3)
		file.data[(data[i] | (size_t)data[i + 1] << 8) % file.length] ^= (char)data[i + 2];
	size_t cut = data[1] | (size_t)data[2] << 8;
	assert(!ifr_file_write(path, file.data, cut < file.length ? cut : file.length, 0644, NULL));
	ifr_buffer_release(&file);
}

static void is_sound(const struct ifr_dataset *dataset) {
	for (size_t i = 0; i < dataset->run_count; i++)
		assert(dataset->runs[i].variant < dataset->variant_count && dataset->runs[i].value);
	for (size_t i = 0; i < dataset->counter_count; i++)
		assert(memchr(dataset->counters[i].name, '\0', sizeof dataset->counters[i].name));
}

static void nothing_else_appeared(void) {
	DIR *entries = opendir(folder);
	for (struct dirent *entry; (entry = readdir(entries));)
		assert(entry->d_name[0] == '.' || (entry->d_name[0] == 'e' && strchr("-", entry->d_name[1])));
	closedir(entries);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_experiment *experiment;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	if (!path)
		make_good();
	remove_files();
	write_input(data, size);
	if (ifr_experiment_load(path, &dataset, &err))
		assert(err.code == IFR_E_ENVIRONMENT && *err.message);
	else
		is_sound(&dataset);
	ifr_dataset_release(&dataset);
	err = (struct ifr_error){0};
	if (ifr_experiment_open(path, &experiment, &err)) {
		assert(err.code == IFR_E_ENVIRONMENT && *err.message);
	} else {
		if (!add_run(experiment, 1000, &err))
			assert(ifr_experiment_has_run(experiment, 0, 1000, 0));
		else
			assert(err.code == IFR_E_ENVIRONMENT && *err.message);
		ifr_experiment_close(experiment);
	}
	nothing_else_appeared();
	return 0;
}
