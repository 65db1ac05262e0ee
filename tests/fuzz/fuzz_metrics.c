/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a program prints: figures with names and values of their own, or an error in one line, by every parser; and no
 * adaptation between a text and itself. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/metrics/metrics.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void is_whole(const struct ifr_own_figures *figures) {
	for (size_t i = 0; i < figures->count; i++) {
		const struct ifr_own_figure *one = &figures->items[i];
		assert(strlen(one->name) < IFR_FIGURE_NAME && strlen(one->unit) < sizeof one->unit);
		assert(one->failed || isfinite(one->value));
		assert(ifr_own_figures_find(figures, one->name) == one);
	}
}

static void read_text(const char *specification, const char *text) {
	struct ifr_metrics *metrics = NULL;
	struct ifr_own_figures figures;
	struct ifr_error err = {0};
	assert(!ifr_metrics_open(specification, &metrics, &err));
	int result = ifr_metrics_read(metrics, text, "", &figures, &err);
	if (!result)
		is_whole(&figures);
	else
		assert(*err.message && !strchr(err.message, '\n'));
	ifr_own_figures_release(&figures);
	ifr_metrics_close(metrics);
}

/* Criterion's parser reads files. */
static void read_file(const unsigned char *data, size_t size) {
	char *folder = NULL;
	assert(!ifr_temporary_dir(&folder, NULL));
	char *below = ifr_format("%s/a/new", folder), *path = ifr_format("%s/estimates.json", below),
		 *about = ifr_format("%s/benchmark.json", below), *specification = ifr_format("criterion:%s", folder);
	assert(!ifr_dir_make(below, NULL));
	assert(!ifr_file_write(path, data, size, 0644, NULL) && !ifr_file_write(about, data, size, 0644, NULL));
	read_text(specification, "");
	ifr_tree_remove(folder, NULL);
	free(specification);
	free(about);
	free(path);
	free(below);
	free(folder);
}

/* A text as what to read, too. */
static void open_text(const char *text) {
	static const char *const kinds[] = {"json:", "regex:", ""};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char *specification = ifr_format("%s%.60s", kinds[i], text);
		struct ifr_metrics *metrics = NULL;
		struct ifr_error err = {0};
		if (ifr_metrics_open(specification, &metrics, &err))
			assert(*err.message);
		ifr_metrics_close(metrics);
		free(specification);
	}
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	static const char *const specifications[] = {
		"google-benchmark",  "catch2",           "go",
		"hyperfine",         "nanobench",        "json:.",
		"json:.results[].t", "json:.a[0].\"b\"", "regex:([a-z]+) *[:=] *([0-9.]+) *([a-z]*)",
		"regex:([0-9]*)",    "libtest"};
	char *text = ifr_format("%.*s", (int)size, (const char *)data);
	for (size_t i = 0; i < sizeof specifications / sizeof *specifications; i++)
		read_text(specifications[i], text);
	if (size % 16 == 0)
		read_file(data, size);
	open_text(text);
	struct ifr_adaptation adaptation;
	ifr_adaptation_recognise(text, text, &adaptation);
	assert(!adaptation.differs);
	free(text);
	return 0;
}
