/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine check PROGRAM [FOLDER]: makes variants of a program by both engines, under plans of every kind, and
 * compares them byte for byte; FOLDER receives the variants. ld.bfd is the oracle. Speaks TAP. At quick depth only the
 * plans that are marked: each axis is in one of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/kit.h"
#include "relinker/relinker_parts.h"
#include "tests/unit/depth.h"

struct subject {
	struct ifr_kit kit;
	struct ifr_relinker *relinker;
};

static void die(const char *what, const struct ifr_error *err) {
	printf("not ok 1 %s: %s\n1..1\n", what, err->message);
	exit(1);
}

static void open_subject(struct subject *subject, const char *program) {
	struct ifr_error err = {0};
	if (ifr_kit_of_program(program, &subject->kit, &err) ||
	    ifr_relinker_open(&subject->kit, &subject->relinker, &err))
		die("open", &err);
}

static void close_subject(struct subject *subject) {
	ifr_relinker_close(subject->relinker);
	ifr_kit_release(&subject->kit);
}

static const struct {
	const char *name, *lines;
	bool quick;
} plans[] = {
	{"identity", "functions seed=0 only=none", false},
	{"functions", "functions seed=5", false},
	{"crossing", "functions seed=6 cross=1", false},
	{"link-order", "link-order seed=7", false},
	{"blocks", "link-order seed=8\nfunctions seed=8", false},
	{"padding", "padding seed=9", false},
	{"wide", "padding seed=10 max=300", false},
	{"base", "base seed=11", false},
	{"all", "functions seed=12\nlink-order seed=13\npadding seed=14\nbase seed=15\ndata seed=25 max=4000", true},
	{"everything", "functions seed=16 cross=1\npadding seed=17 max=9\nbase seed=18 step=1\ndata seed=3", false},
	{"interp", "functions seed=19\ninterp seed=20", true},
	{"data", "data seed=21", false},
	{"data-order", "data seed=22 max=0", false},
	{"data-wide", "data seed=23 max=4000\nfunctions seed=24", false},
};

static void print_lines(const struct ifr_buffer *text) {
	struct ifr_strings lines = {0};
	ifr_strings_split(&lines, ifr_buffer_text(text), "\n");
	for (size_t i = 0; i < lines.count; i++)
		printf("# %s\n", lines.items[i]);
	ifr_strings_release(&lines);
}

static void print_image(const struct image *image) {
	struct image_info info;
	image_describe(image, &info);
	printf("# image: %zu of %zu units movable, %zu sites, %zu bytes\n", info.movable, info.units, info.sites,
	       info.image_bytes);
}

static void keep_variant(const struct ifr_relinker_layout *layout, const char *folder, const char *name) {
	struct ifr_buffer bytes = {0};
	char *path = ifr_format("%s/%s", folder, name);
	if (!ifr_relinker_apply(layout, &bytes, NULL))
		ifr_file_write(path, bytes.data, bytes.length, 0755, NULL);
	ifr_buffer_release(&bytes);
	free(path);
}

static int check(const struct subject *subject, size_t number, const char *name, const char *lines,
                 const char *keep) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	struct ifr_relinker_layout *layout = NULL;
	char *text = ifr_format("interfero-plan 1\n%s\n", lines);
	int result = ifr_plan_parse(text, strlen(text), "plan", &plan, &err);
	if (!result)
		result = ifr_relinker_place(subject->relinker, &plan, &layout, &err);
	if (!result && layout->image)
		print_image(layout->image);
	if (!result)
		result = ifr_relinker_verify(layout, &err);
	printf("%s %zu %s%s%s\n", result ? "not ok" : "ok", number, name, err.code ? ": " : "", err.message);
	if (layout && keep)
		keep_variant(layout, keep, name);
	ifr_relinker_layout_close(layout);
	ifr_plan_release(&plan);
	free(text);
	return result != 0;
}

/* A layout found before, pinned by names: its order, and its addresses. */
static int check_places(const struct subject *subject, size_t number, bool addresses, const char *keep) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_buffer places = {0};
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, 31);
	ifr_plan_enable(&plan, IFR_AXIS_DATA, 32);
	int result = ifr_relinker_place(subject->relinker, &plan, &layout, &err);
	ifr_plan_release(&plan);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, addresses, &plan, &err);
	ifr_relinker_layout_close(layout);
	if (result)
		die("places", &err);
	ifr_plan_print(&plan, &places);
	const char *lines = strchr(ifr_buffer_text(&places), '\n') + 1;
	result = check(subject, number, addresses ? "addresses" : "order", lines, keep);
	ifr_buffer_release(&places);
	ifr_plan_release(&plan);
	return result;
}

int main(int argc, char **argv) {
	struct subject subject = {0};
	struct ifr_buffer pins = {0};
	int failed = 0;
	size_t count = sizeof plans / sizeof *plans, done = 0;
	if (argc < 3 || strcmp(argv[1], "check")) {
		fprintf(stderr, "usage: engine check PROGRAM [FOLDER]\n");
		return IFR_E_USAGE;
	}
	const char *keep = argc > 3 ? argv[3] : NULL;
	if (keep)
		ifr_dir_make(keep, NULL);
	open_subject(&subject, argv[2]);
	for (size_t i = 0; i < count; i++)
		if (plans[i].quick || is_full_depth()) {
			failed += check(&subject, i + 1, plans[i].name, plans[i].lines, keep);
			done++;
		}
	if (is_full_depth())
		failed += check_places(&subject, count + 1, false, keep);
	failed += check_places(&subject, count + 2, true, keep);
	ifr_relinker_print_pins(subject.relinker, true, &pins);
	print_lines(&pins);
	ifr_buffer_release(&pins);
	close_subject(&subject);
	printf("1..%zu\n", done + (is_full_depth() ? 2 : 1));
	return failed != 0;
}
