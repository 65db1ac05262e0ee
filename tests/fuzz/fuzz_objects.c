/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged objects, programs and maps: preparing an image gives an error or an image that can be applied within its
 * bounds. An image of undamaged files gives the program itself.
 *
 * An input is the number of a program, a seed of placements, and a list of pokes. One of 64 inputs pokes objects
 * alone and is linked, too: its variants must then equal the linker's, byte for byte. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"
#include "relinker/image/image_check.h"
#include "relinker/prepare/prepare.h"
#include "tests/fuzz/pokes.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/target.h"

const unsigned ifr_fuzz_seconds = 40;

enum { HEAD_BYTES = 2, ONE_LINKED_OF = 64, PLACEMENTS = 4 };

void ifr_fuzz_mutate(uint64_t bits, struct ifr_buffer *input) {
	poke_draw(bits, HEAD_BYTES, input);
}

static void is_error(const struct ifr_error *err) {
	assert(err->code == IFR_E_ENVIRONMENT && *err->message);
}

/* Writes the files that the input changes, and marks them. */
static void damage(const struct fixture *fixture, const unsigned char *pokes, size_t length, size_t files,
                   bool changed[FIXTURE_FILES]) {
	struct ifr_buffer contents[FIXTURE_FILES] = {0};
	for (size_t i = 0; i < poke_count(length); i++) {
		struct poke poke = poke_of(pokes, length, i);
		size_t file = poke.file % files;
		if (!changed[file])
			ifr_buffer_append(&contents[file], fixture->files[file].data, fixture->files[file].length);
		changed[file] = true;
		if (file == FIXTURE_MAP)
			poke_text(&contents[file], &poke);
		else
			poke_elf(&contents[file], &poke);
	}
	for (size_t i = 0; i < FIXTURE_FILES; i++) {
		if (changed[i])
			fixture_write(fixture, i, &contents[i]);
		ifr_buffer_release(&contents[i]);
	}
}

static void repair(const struct fixture *fixture, const bool changed[FIXTURE_FILES]) {
	for (size_t i = 0; i < FIXTURE_FILES; i++)
		if (changed[i])
			fixture_write(fixture, i, &fixture->files[i]);
}

/* Placement number 0 is the shipped order. */
static struct placement place(const struct units *units, const struct layout_sizes *sizes, uint64_t seed,
                              unsigned number) {
	struct ifr_plan plan;
	struct placement placement;
	ifr_plan_init(&plan);
	if (!number)
		return prepare_placement(sizes, units);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, seed + number);
	ifr_plan_enable(&plan, IFR_AXIS_DATA, seed + number);
	if (number == 2)
		plan.axis[IFR_AXIS_FUNCTIONS].value[0] = 1;
	if (number == 3) {
		ifr_plan_enable(&plan, IFR_AXIS_PADDING, seed);
		ifr_plan_enable(&plan, IFR_AXIS_BASE, seed);
	} else {
		plan.axis[IFR_AXIS_DATA].value[0] = 0;
	}
	assert(!placement_make(&placement, units, &plan, NULL, NULL));
	placement.sizes = *sizes;
	return placement;
}

/* Returns whether the image made a variant. */
static bool apply(const struct fixture *fixture, const struct image *image, const struct placement *placement,
                  struct ifr_buffer *variant) {
	struct ifr_error err = {0};
	if (!image_apply(image, placement, fixture->kit.build_id, variant, &err))
		return true;
	is_error(&err);
	return false;
}

static void print_all(const struct fixture *fixture, const struct image *image) {
	struct image_info info;
	struct ifr_buffer text = {0};
	image_describe(image, &info);
	assert(info.movable <= info.units && info.units <= fixture->units.count);
	image_print_pins(image, &fixture->units, &text);
	ifr_buffer_release(&text);
}

/* Tests the reading of a link's files, without a link. */
static void read_damaged(const struct fixture *fixture, uint64_t seed, bool intact) {
	char *program = ifr_format("%s/program", fixture->folder), *map = ifr_format("%s/map", fixture->folder);
	const struct prepare_files files = {"fixture", program, map, fixture->folder, &fixture->kit.arguments};
	struct image *image = ifr_alloc(sizeof *image);
	struct preparation preparation = {.units = &fixture->units, .image = image};
	struct ifr_buffer variant = {0};
	struct ifr_error err = {0};
	image->numbers.sizes = fixture->sizes;
	image->numbers.units = image_digest_units(&fixture->units);
	if (prepare_read(&preparation, &files, &err)) {
		is_error(&err);
		assert(!intact);
	} else {
		print_all(fixture, image);
		for (unsigned i = 0; i < PLACEMENTS; i++) {
			struct placement placement = place(&fixture->units, &fixture->sizes, seed, i);
			bool made = apply(fixture, image, &placement, &variant);
			assert(!intact || i ||
			       (made && variant.length == fixture->files[FIXTURE_PROGRAM].length &&
			        !memcmp(variant.data, fixture->files[FIXTURE_PROGRAM].data, variant.length)));
			placement_release(&placement);
		}
	}
	ifr_buffer_release(&variant);
	prepare_release(&preparation);
	image_close(image);
	free(program);
	free(map);
}

/* --- with the linker ----------------------------------------------------------------------------------------- */

/* Compares the linker's variant with the image's, if both make one. */
static void compare(const struct fixture *fixture, const struct units *units, const char *script,
                    const struct image *image, const struct placement *placement) {
	char *path = ifr_format("%s/linked", fixture->folder);
	struct ifr_buffer mine = {0};
	uint8_t *theirs = NULL;
	size_t length = 0;
	if (apply(fixture, image, placement, &mine) &&
	    !ld_engine_link(&fixture->engine, units, placement, script, fixture->kit.build_id, path, NULL, NULL) &&
	    !prepare_read_program(path, &theirs, &length, NULL))
		assert(length == mine.length && !memcmp(theirs, mine.data, length));
	ifr_buffer_release(&mine);
	free(theirs);
	free(path);
}

static void relink_damaged(const struct fixture *fixture, uint64_t seed) {
	char *program = ifr_format("%s/linked", fixture->folder), *map = ifr_format("%s/linked-map", fixture->folder);
	struct ifr_buffer script = {0};
	struct units units = {0};
	struct layout_sizes sizes;
	struct image *image = NULL;
	struct ifr_error err = {0};
	if (!ld_engine_link_base(&fixture->engine, fixture->kit.build_id, program, map, &script, &err) &&
	    !fixture_units(program, map, fixture->folder, &units, &sizes, &err) &&
	    !image_prepare(&fixture->engine, &units, ifr_buffer_text(&script), &sizes, &image, &err)) {
		for (unsigned i = 0; i < PLACEMENTS - 1; i++) {
			struct placement placement = place(&units, &sizes, seed, i);
			compare(fixture, &units, ifr_buffer_text(&script), image, &placement);
			placement_release(&placement);
		}
		image_close(image);
	} else {
		is_error(&err);
	}
	units_release(&units);
	ifr_buffer_release(&script);
	free(program);
	free(map);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	const struct fixture *fixture = fixture_get(size ? data[0] % FIXTURES : 0);
	uint64_t seed = size > 1 ? data[1] : 0;
	bool changed[FIXTURE_FILES] = {false}, linked = ifr_siphash(0, 0, data, size) % ONE_LINKED_OF == 0;
	if (size > HEAD_BYTES)
		damage(fixture, data + HEAD_BYTES, size - HEAD_BYTES, linked ? FIXTURE_OBJECTS : FIXTURE_FILES, changed);
	if (linked)
		relink_damaged(fixture, seed);
	else
		read_damaged(fixture, seed, size <= HEAD_BYTES);
	repair(fixture, changed);
	return 0;
}
