/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory PROGRAM: prepares an image of a captured program and applies a hundred layouts; prints in KiB what the
 * process held at most, what it had held at most when the kit was open, and the size of the image with its tables
 * and of the objects that it was made of. A process of its own: what one held at most never gets less. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "common/file.h"
#include "relinker/prepare/prepare.h"
#include "tests/bench/captured.h"

enum { LAYOUTS = 100 };

static long most_kib(void) {
	struct rusage usage;
	return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_maxrss;
}

static int apply(const struct captured *captured, const struct image *image, struct ifr_error *err) {
	struct ifr_buffer variant = {0};
	int result = 0;
	for (unsigned i = 0; i < LAYOUTS && !result; i++) {
		struct ifr_plan plan;
		struct placement placement;
		ifr_plan_init(&plan);
		ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, i);
		result = placement_make(&placement, &captured->units, &plan, NULL, err);
		if (!result)
			result = image_apply(image, &placement, captured->kit.build_id, &variant, err);
		placement_release(&placement);
	}
	ifr_buffer_release(&variant);
	return result;
}

/* Reads the objects as preparing does, to add them up. */
static int measure_objects(const struct captured *captured, uint64_t *bytes, struct ifr_error *err) {
	char *program = ifr_format("%s/program", captured->folder), *map = ifr_format("%s/map", captured->folder);
	const struct prepare_files files = {"program", program, map, captured->engine.folder,
	                                    &captured->kit.arguments};
	struct preparation preparation = {.units = &captured->units, .image = ifr_alloc(sizeof(struct image))};
	preparation.image->numbers.sizes = captured->sizes;
	struct placement placement = prepare_placement(&captured->sizes, preparation.units);
	int result = ld_engine_link(&captured->engine, &captured->units, &placement,
	                            ifr_buffer_text(&captured->script), captured->kit.build_id, program, map, err);
	if (!result)
		result = prepare_read(&preparation, &files, err);
	for (size_t i = 0; i < preparation.objects.count && !result; i++)
		*bytes += preparation.objects.items[i].view.length;
	placement_release(&placement);
	prepare_release(&preparation);
	image_close(preparation.image);
	free(program);
	free(map);
	return result;
}

static int measure_image(const struct captured *captured, const struct image *image, uint64_t *bytes,
                         struct ifr_error *err) {
	char *path = ifr_format("%s/image", captured->folder);
	struct ifr_buffer file = {0};
	int result = image_save(image, path, err);
	if (!result)
		result = ifr_file_read(path, 0, &file, err);
	*bytes += file.length;
	ifr_buffer_release(&file);
	free(path);
	return result;
}

int main(int argc, char **argv) {
	struct captured captured = {0};
	struct image *image = NULL;
	struct ifr_error err = {0};
	uint64_t bytes = 0;
	long before = 0, most = 0;
	if (argc != 2) {
		fprintf(stderr, "usage: memory PROGRAM\n");
		return IFR_E_USAGE;
	}
	int result = captured_open(&captured, argv[1], &err);
	before = most_kib();
	if (!result)
		result = image_prepare(&captured.engine, &captured.units, ifr_buffer_text(&captured.script),
		                       &captured.sizes, &image, &err);
	if (!result)
		result = apply(&captured, image, &err);
	most = most_kib();
	if (!result)
		result = measure_objects(&captured, &bytes, &err);
	if (!result)
		result = measure_image(&captured, image, &bytes, &err);
	if (result)
		fprintf(stderr, "memory: %s\n", err.message);
	else
		printf("%ld %ld %" PRIu64 "\n", most, before, bytes / 1024);
	image_close(image);
	captured_close(&captured);
	return result ? IFR_E_ENVIRONMENT : 0;
}
