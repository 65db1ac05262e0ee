/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged files of prepared images, with a correct digest: loading refuses the image, or every placement is
 * applied within its bounds or refused. An input is the number of a program, a seed of placements, and a list of
 * pokes. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"
#include "relinker/image/image_check.h"
#include "tests/fuzz/pokes.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/target.h"

const unsigned ifr_fuzz_seconds = 20;

/* The file's layout as image_file.c has it: digest, counts and sizes of the tables, numbers, tables. */
enum {
	HEAD_BYTES = 2,
	DIGEST = 16,
	BODY = DIGEST + IFR_SHA256_HEX - 1,
	TABLES = 13,
	SHAPE_WORDS = 2 + 2 * TABLES
};
static const size_t numbers_at = BODY + SHAPE_WORDS * 8,
					tables_at = BODY + SHAPE_WORDS * 8 + sizeof(struct image_numbers);

static struct ifr_buffer files[FIXTURES]; /* undamaged */

void ifr_fuzz_mutate(uint64_t bits, struct ifr_buffer *input) {
	poke_draw(bits, HEAD_BYTES, input);
}

static void release_files(void) {
	for (size_t i = 0; i < FIXTURES; i++)
		ifr_buffer_release(&files[i]);
}

/* Reads the file of a program's image. */
static const struct ifr_buffer *file_of(const struct fixture *fixture, size_t index) {
	static bool registered;
	struct image *image;
	struct ifr_error err = {0};
	if (files[index].length)
		return &files[index];
	if (!registered)
		atexit(release_files);
	registered = true;
	char *path = ifr_format("%s/image", fixture->folder);
	if (image_prepare(&fixture->engine, &fixture->units, ifr_buffer_text(&fixture->script), &fixture->sizes,
	                  &image, &err) ||
	    image_save(image, path, &err) || ifr_file_read(path, 0, &files[index], &err)) {
		printf("Bail out! image: %s\n", err.message);
		abort();
	}
	image_close(image);
	free(path);
	return &files[index];
}

static uint64_t word_at(const struct ifr_buffer *file, size_t at) {
	uint64_t word = 0;
	if (at + 8 <= file->length)
		memcpy(&word, file->data + at, 8);
	return word;
}

/* The offset and size of table number index, from the counts in the file. */
static struct poke_table table_at(const struct ifr_buffer *file, size_t index) {
	size_t at = tables_at;
	for (size_t i = 0; i < index; i++) {
		uint64_t bytes = word_at(file, BODY + 16 + 8 * i) * word_at(file, BODY + 16 + 8 * (TABLES + i));
		at += bytes + (-bytes & 7);
	}
	return (struct poke_table){at, word_at(file, BODY + 16 + 8 * index),
	                           word_at(file, BODY + 16 + 8 * (TABLES + index)), "4"};
}

/* Pokes one of the 4-byte fields of a table's entry. */
static void poke_entry(struct ifr_buffer *file, size_t index, const struct poke *poke) {
	struct poke_table table = table_at(file, index);
	char widths[] = "44444444";
	if (!table.stride || !table.count)
		return;
	if (table.stride < 4)
		table.widths = "1";
	else
		widths[table.stride / 4 < sizeof widths ? table.stride / 4 : sizeof widths - 1] = '\0',
																					 table.widths = widths;
	poke_table(file, &table, poke);
}

static void damage(struct ifr_buffer *file, const struct poke *poke) {
	enum { NUMBERS = 4, SHAPE = 1, WAYS = TABLES + NUMBERS + SHAPE + 1 };
	const struct poke_table shape = {BODY, SHAPE_WORDS, 8, "8"},
							numbers = {numbers_at, sizeof(struct image_numbers) / 4, 4, "4"},
							wide = {numbers_at, offsetof(struct image_numbers, text_end) / 8, 8, "8"};
	size_t way = poke->table % WAYS;
	if (way < TABLES)
		poke_entry(file, way, poke);
	else if (way < TABLES + NUMBERS / 2)
		poke_table(file, &numbers, poke);
	else if (way < TABLES + NUMBERS)
		poke_table(file, &wide, poke);
	else if (way < TABLES + NUMBERS + SHAPE)
		poke_table(file, &shape, poke);
	else if (poke->operation % 4)
		file->data[BODY + (poke->entry | (size_t)poke->field << 16) % (file->length - BODY)] = (char)poke->value;
	else
		file->length = BODY + poke->entry % (file->length - BODY);
}

static void sign(struct ifr_buffer *file) {
	char digest[IFR_SHA256_HEX];
	ifr_sha256(file->data + BODY, file->length - BODY, digest);
	memcpy(file->data + DIGEST, digest, sizeof digest - 1);
}

/* Placements of the image's size: another order, another order with gaps, and more than there is room for. */
static void apply_all(const struct fixture *fixture, const struct image *image, uint64_t seed, bool intact) {
	enum { PLACEMENTS = 4 };
	struct ifr_buffer variant = {0};
	for (unsigned i = 0; i < PLACEMENTS; i++) {
		struct ifr_plan plan;
		struct placement placement;
		struct ifr_error err = {0};
		ifr_plan_init(&plan);
		if (i)
			ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, seed + i);
		if (i == 2)
			ifr_plan_enable(&plan, IFR_AXIS_PADDING, seed);
		ifr_plan_set(&plan, IFR_AXIS_DATA, i == 2 ? "max=64" : "max=0", NULL);
		plan.axis[IFR_AXIS_DATA].seed = seed + i;
		assert(!placement_make(&placement, &fixture->units, &plan, NULL, NULL));
		placement.sizes = image->numbers.sizes;
		if (image->numbers.leading < image->numbers.leading_end && image_longest_path(image) > 2)
			placement.sizes.interp_bytes += seed % 3;
		if (i == 3 && placement.outputs[seed % OUTPUTS].order)
			placement.outputs[seed % OUTPUTS].order[0].padding_bytes = ifr_siphash(seed, 0, "gap", 3) >> seed % 64;
		char *build_id = ifr_alloc(2 * (size_t)image->numbers.build_id_bytes + 1);
		memset(build_id, 'a', 2 * (size_t)image->numbers.build_id_bytes);
		if (image_apply(image, &placement, build_id, &variant, &err))
			assert(err.code == IFR_E_ENVIRONMENT && *err.message && (!intact || i > 1));
		else
			assert(variant.length == image->length);
		free(build_id);
		placement_release(&placement);
	}
	ifr_buffer_release(&variant);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	size_t index = size ? data[0] % FIXTURES : 0;
	const struct fixture *fixture = fixture_get(index);
	const struct ifr_buffer *whole = file_of(fixture, index);
	struct ifr_buffer file = {0};
	struct image *image = NULL;
	struct ifr_error err = {0};
	ifr_buffer_append(&file, whole->data, whole->length);
	for (size_t i = 0; size > HEAD_BYTES && i < poke_count(size - HEAD_BYTES); i++) {
		struct poke poke = poke_of(data + HEAD_BYTES, size - HEAD_BYTES, i);
		if (file.length > BODY)
			damage(&file, &poke);
	}
	sign(&file);
	if (image_parse(file.data, file.length, "image", &fixture->units, &image, &err)) {
		assert(err.code == IFR_E_ENVIRONMENT && !strncmp(err.message, "image ", 6));
		assert(size > HEAD_BYTES);
	} else {
		apply_all(fixture, image, size > 1 ? data[1] : 0, size <= HEAD_BYTES);
	}
	image_close(image);
	ifr_buffer_release(&file);
	return 0;
}
