/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine PROGRAM [FOLDER]: makes variants of a program by both engines, under plans of every kind, and compares
 * them byte for byte; FOLDER receives the variants. ld.bfd is the oracle. Speaks TAP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/kit.h"
#include "relinker/image/image.h"
#include "relinker/relinker.h"

static double now_ms(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

enum { MOST_IMAGES = 16 };

struct subject {
	struct ifr_kit kit;
	struct ld_engine engine;
	struct units units;
	struct ifr_buffer script;
	char *folder;
	struct image *images[MOST_IMAGES];
	size_t image_count;
};

static void die(const char *what, const struct ifr_error *err) {
	printf("not ok 1 %s: %s\n1..1\n", what, err->message);
	exit(1);
}

static void open_subject(struct subject *subject, const char *program) {
	struct ifr_error err = {0};
	struct ifr_buffer text = {0};
	char *output, *map;
	if (ifr_kit_of_program(program, &subject->kit, &err) ||
	    ld_engine_open(&subject->engine, &subject->kit, &err) || ifr_temporary_dir(&subject->folder, &err))
		die("open", &err);
	output = ifr_format("%s/base", subject->folder);
	map = ifr_format("%s/map", subject->folder);
	if (ld_engine_link_base(&subject->engine, subject->kit.build_id, output, map, &subject->script, &err) ||
	    ifr_file_read(map, 0, &text, &err) ||
	    units_read(&subject->units, ifr_buffer_text(&text), subject->engine.folder, &err))
		die("link", &err);
	ifr_buffer_release(&text);
	free(output);
	free(map);
}

static const char *const plans[][2] = {
	{"identity", "functions seed=0"},
	{"functions", "functions seed=5"},
	{"crossing", "functions seed=6 cross=1"},
	{"objects", "objects seed=7"},
	{"blocks", "objects seed=8\nfunctions seed=8"},
	{"padding", "padding seed=9"},
	{"wide", "padding seed=10 max=300"},
	{"base", "base seed=11"},
	{"all", "functions seed=12\nobjects seed=13\npadding seed=14\nbase seed=15"},
	{"everything", "functions seed=16 cross=1\npadding seed=17 max=9\nbase seed=18 step=1"},
	{"interp", "functions seed=19\ninterp seed=20"},
};

static void report(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes) {
	size_t at = 0, different = 0;
	for (size_t i = 0; i < a_bytes && i < b_bytes; i++)
		if (a[i] != b[i] && !different++)
			at = i;
	printf("# %zu and %zu bytes, %zu different, first at 0x%zx\n", a_bytes, b_bytes, different, at);
}

/* One image a size, as the relinker keeps them. */
static struct image *image_for(struct subject *subject, const struct placement *placement, struct ifr_error *err) {
	struct image_info info;
	for (size_t i = 0; i < subject->image_count; i++) {
		image_describe(subject->images[i], &info);
		if (info.text_bytes == placement->text_bytes && info.interp_bytes == placement->interp_bytes)
			return subject->images[i];
	}
	struct image **image = &subject->images[subject->image_count];
	struct ifr_buffer pins = {0};
	struct ifr_strings lines = {0};
	double start = now_ms();
	if (subject->image_count == MOST_IMAGES ||
	    image_prepare(&subject->engine, &subject->units, ifr_buffer_text(&subject->script), placement->text_bytes,
	                  placement->interp_bytes, image, err))
		return NULL;
	image_describe(*image, &info);
	printf("# image: %zu of %zu units movable, %zu sites, %zu bytes, prepared in %.1f ms\n", info.movable,
	       info.units, info.sites, info.image_bytes, now_ms() - start);
	image_print_pins(*image, &subject->units, &pins);
	ifr_strings_split(&lines, ifr_buffer_text(&pins), "\n");
	for (size_t i = 0; i < lines.count; i++)
		printf("# %s\n", lines.items[i]);
	ifr_strings_release(&lines);
	ifr_buffer_release(&pins);
	subject->image_count++;
	return *image;
}

static void make_plan(size_t index, struct ifr_plan *plan) {
	struct ifr_error err = {0};
	char *text = ifr_format("interfero-plan 1\n%s\n", plans[index][1]);
	if (ifr_plan_parse(text, strlen(text), "plan", plan, &err))
		die("plan", &err);
	if (!strcmp(plans[index][0], "identity"))
		plan->axis[IFR_AXIS_FUNCTIONS].on = false;
	free(text);
}

/* The oracle's variant at path. */
static int link_variant(const struct subject *subject, const struct placement *placement, const char *path,
                        struct ifr_buffer *variant, struct ifr_error *err) {
	int result = ld_engine_link(&subject->engine, &subject->units, placement, ifr_buffer_text(&subject->script),
	                            subject->kit.build_id, path, NULL, err);
	return result ? result : ifr_file_read(path, 0, variant, err);
}

static int compare(struct subject *subject, size_t index, const char *keep) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	struct placement placement;
	struct ifr_buffer mine = {0}, theirs = {0};
	char *path = ifr_format("%s/%s", keep ? keep : subject->folder, plans[index][0]),
		 *mine_path = ifr_format("%s.mine", path);
	make_plan(index, &plan);
	placement_make(&placement, &subject->units, &plan);
	const struct image *image = image_for(subject, &placement, &err);
	bool made = image && !image_apply(image, &placement, subject->kit.build_id, &mine, &err) &&
	            !link_variant(subject, &placement, path, &theirs, &err);
	bool same = made && theirs.length == mine.length && !memcmp(theirs.data, mine.data, mine.length);
	if (made && !same)
		report((uint8_t *)mine.data, mine.length, (uint8_t *)theirs.data, theirs.length);
	if (made && keep)
		ifr_file_write(mine_path, mine.data, mine.length, 0755, NULL);
	printf("%s %zu %s%s%s\n", same ? "ok" : "not ok", index + 1, plans[index][0], err.code ? ": " : "",
	       err.message);
	ifr_buffer_release(&mine);
	ifr_buffer_release(&theirs);
	placement_release(&placement);
	free(mine_path);
	free(path);
	return same ? 0 : 1;
}

static void close_subject(struct subject *subject) {
	ifr_tree_remove(subject->folder, NULL);
	for (size_t i = 0; i < subject->image_count; i++)
		image_close(subject->images[i]);
	ifr_buffer_release(&subject->script);
	units_release(&subject->units);
	ld_engine_close(&subject->engine);
	ifr_kit_release(&subject->kit);
	free(subject->folder);
}

static int compare_doubles(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
	qsort(values, count, sizeof *values, compare_doubles);
	return values[count / 2];
}

enum { IN_MEMORY, WRITTEN, LINKED, WAYS, MOST_RUNS = 400 };

static void run_once(const struct ifr_relinker *relinker, const struct ld_engine *engine, const char *path,
                     int way, uint64_t seed, struct ifr_buffer *bytes) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	struct ifr_variant variant = {0};
	struct ifr_layout *layout = NULL;
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, seed);
	int result = 0;
	if (way == IN_MEMORY)
		result = ifr_relinker_place(relinker, &plan, &layout, &err) || ifr_relinker_apply(layout, bytes, &err);
	else if (way == WRITTEN)
		result = ifr_relinker_make(relinker, &plan, path, &variant, &err);
	else
		result = ld_engine_link_base(engine, engine->kit->build_id, path, NULL, NULL, &err);
	if (result)
		die("time", &err);
	ifr_layout_close(layout);
	ifr_buffer_release(&variant.facts);
}

/* The three in turn, so that the machine's drift falls on all alike. */
static void measure(struct subject *subject) {
	static const char *const names[WAYS] = {"in memory", "written", "ld.bfd"};
	static const unsigned every[WAYS] = {1, 2, 20};
	static double times[WAYS][MOST_RUNS];
	size_t counts[WAYS] = {0};
	struct ifr_relinker *relinker;
	struct ifr_error err = {0};
	struct ifr_buffer bytes = {0};
	char *path = ifr_format("%s/timed", subject->folder);
	if (ifr_relinker_open(&subject->kit, &relinker, &err))
		die("open", &err);
	double start = now_ms();
	run_once(relinker, &subject->engine, path, IN_MEMORY, 1, &bytes);
	printf("prepared or loaded in %.1f ms\n", now_ms() - start);
	for (unsigned i = 0; i < MOST_RUNS; i++)
		for (int way = 0; way < WAYS; way++) {
			if (i % every[way])
				continue;
			/* Replacing a file makes some file systems write the new one to the disk at once. */
			unlink(path);
			start = now_ms();
			run_once(relinker, &subject->engine, path, way, i + 2, &bytes);
			times[way][counts[way]++] = now_ms() - start;
		}
	double medians[WAYS];
	for (int way = 0; way < WAYS; way++)
		medians[way] = median(times[way], counts[way]);
	for (int way = 0; way < WAYS; way++)
		printf("%-10s %8.3f ms %8.1f x\n", names[way], medians[way], medians[LINKED] / medians[way]);
	ifr_relinker_close(relinker);
	ifr_buffer_release(&bytes);
	free(path);
}

int main(int argc, char **argv) {
	struct subject subject = {0};
	int failed = 0;
	size_t count = sizeof plans / sizeof *plans;
	if (argc < 3) {
		fprintf(stderr, "usage: engine check PROGRAM [FOLDER], or engine time PROGRAM\n");
		return IFR_E_USAGE;
	}
	open_subject(&subject, argv[2]);
	if (!strcmp(argv[1], "time")) {
		measure(&subject);
	} else {
		if (argc > 3)
			ifr_dir_make(argv[3], NULL);
		for (size_t i = 0; i < count; i++)
			failed += compare(&subject, i, argc > 3 ? argv[3] : NULL);
		printf("1..%zu\n", count);
	}
	close_subject(&subject);
	return failed != 0;
}
