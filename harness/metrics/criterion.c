/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Criterion (Rust): below its folder each benchmark has new/estimates.json, new/benchmark.json and new/sample.json. The
 * value is what Criterion calls typical: the slope, or where sampling was flat the mean; in nanoseconds. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "harness/metrics/formats.h"

enum { DEPTH_MOST = 12, FILE_MOST = 64 << 20 };

static bool find_estimate(json_t *root, const char *name, double *value) {
	json_t *point = json_object_get(json_object_get(root, name), "point_estimate");
	*value = json_number_value(point);
	return json_is_number(point);
}

static double sum_iterations(const char *sample) {
	json_t *root = sample ? json_loads(sample, 0, NULL) : NULL, *one;
	double sum = 0;
	size_t i;
	json_array_foreach(json_object_get(root, "iters"), i, one) {
		sum += fmax(json_number_value(one), 0);
	}
	json_decref(root);
	return isfinite(sum) ? sum : 0;
}

void criterion_parse(const char *name, const char *estimates, const char *benchmark, const char *sample,
                     struct ifr_observations *observations) {
	json_t *root = json_loads(estimates, 0, NULL), *about = benchmark ? json_loads(benchmark, 0, NULL) : NULL;
	const char *full = json_string_value(json_object_get(about, "full_id"));
	double value;
	if (find_estimate(root, "slope", &value) || find_estimate(root, "mean", &value))
		observations_add_time(observations, full ? full : name, value, sum_iterations(sample));
	json_decref(about);
	json_decref(root);
}

/* Whether the file was written by the last run: ifr_metrics_prepare set the time of older ones to 0. */
static bool is_fresh(const char *path) {
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode) && status.st_mtime;
}

static void read_benchmark(const char *folder, const char *name, struct ifr_observations *observations) {
	static const char *const files[] = {"estimates.json", "benchmark.json", "sample.json"};
	struct ifr_buffer texts[3] = {{0}};
	bool found[3];
	for (int i = 0; i < 3; i++) {
		char *path = ifr_format("%s/new/%s", folder, files[i]);
		found[i] =
			(i || is_fresh(path)) && ifr_file_exists(path) && !ifr_file_read(path, FILE_MOST, &texts[i], NULL);
		free(path);
	}
	if (found[0])
		criterion_parse(name, ifr_buffer_text(&texts[0]), found[1] ? ifr_buffer_text(&texts[1]) : NULL,
		                found[2] ? ifr_buffer_text(&texts[2]) : NULL, observations);
	for (int i = 0; i < 3; i++)
		ifr_buffer_release(&texts[i]);
}

static int is_folder(const struct dirent *entry) {
	return *entry->d_name != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

typedef void visit(const char *folder, const char *name, struct ifr_observations *observations);

static void walk(const char *folder, const char *name, unsigned depth, visit *visit_benchmark,
                 struct ifr_observations *observations) {
	struct dirent **entries;
	int count = depth < DEPTH_MOST ? scandir(folder, &entries, is_folder, alphasort) : -1;
	if (*name)
		visit_benchmark(folder, name, observations);
	for (int i = 0; i < count; i++) {
		char *below = ifr_format("%s/%s", folder, entries[i]->d_name);
		char *its = ifr_format("%s%s%s", name, *name ? "/" : "", entries[i]->d_name);
		if (observations->count < IFR_OBSERVATIONS_MOST)
			walk(below, its, depth + 1, visit_benchmark, observations);
		free(its);
		free(below);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

void criterion_read(const char *folder, struct ifr_observations *observations) {
	walk(folder, "", 0, read_benchmark, observations);
}

static void age_benchmark(const char *folder, const char *name, struct ifr_observations *observations) {
	char *path = ifr_format("%s/new/estimates.json", folder);
	(void)name;
	(void)observations;
	metrics_age(path);
	free(path);
}

void criterion_age(const char *folder) {
	struct ifr_observations none = {0};
	walk(folder, "", 0, age_benchmark, &none);
}
