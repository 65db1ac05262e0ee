/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/captured.h"

#include <stdlib.h>
#include <time.h>

#include "common/file.h"

int captured_open(struct captured *captured, const char *program, struct ifr_error *err) {
	struct ifr_buffer bytes = {0};
	struct link_map read = {0};
	struct ifr_error unread;
	*captured = (struct captured){0};
	int result = ifr_kit_of_program(program, &captured->kit, err);
	if (!result)
		result = ld_engine_open(&captured->engine, &captured->kit, err);
	if (!result)
		result = ifr_temporary_dir(&captured->folder, err);
	if (result)
		return result;
	char *output = ifr_format("%s/base", captured->folder), *map = ifr_format("%s/map", captured->folder);
	result = ld_engine_link_base(&captured->engine, captured->kit.build_id, output, map, &captured->script, err);
	if (!result)
		result = ifr_file_read(output, 0, &bytes, err);
	if (!result)
		result = link_map_read(&read, map, err);
	if (!result)
		result = units_of_link(&captured->units, &read, &bytes, captured->engine.folder, &unread, err);
	captured->sizes.output_bytes[OUTPUT_TEXT] = captured->units.outputs[OUTPUT_TEXT].bytes;
	link_map_release(&read);
	ifr_buffer_release(&bytes);
	free(output);
	free(map);
	return result;
}

void captured_close(struct captured *captured) {
	if (captured->folder)
		ifr_tree_remove(captured->folder, NULL);
	free(captured->folder);
	ifr_buffer_release(&captured->script);
	units_release(&captured->units);
	ld_engine_close(&captured->engine);
	ifr_kit_release(&captured->kit);
}

double now_ms(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double median(double *values, size_t count) {
	qsort(values, count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
