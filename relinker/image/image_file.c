/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image's file:
 *
 *     16 bytes               "interfero-image" and a newline
 *     64 bytes               SHA-256 of the rest, in hexadecimal
 *     struct shape           format, number and size of each table's entries
 *     struct image_numbers
 *     each table             in the order of list_tables()
 *
 * Each part is padded with zeros to a multiple of 8 bytes. Structures are stored as they lie in memory: the file
 * is a cache of one machine's work, and an image is prepared again where its file does not fit. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/kit.h"
#include "relinker/image/image_check.h"

static const char magic[] = "interfero-image\n";
enum { MAGIC_BYTES = sizeof magic - 1, HEADER_BYTES = MAGIC_BYTES + IFR_SHA256_HEX - 1, TABLES = 13, FORMAT = 4 };

/* One table of an image. */
struct table {
	void **items;
	size_t *count;
	size_t size;
};

struct shape {
	uint64_t format;
	uint64_t numbers_bytes;
	uint64_t count[TABLES], size[TABLES];
};

static void list_tables(struct image *image, struct table tables[TABLES]) {
	size_t n = 0;
	tables[n++] = (struct table){(void **)&image->bytes, &image->length, 1};
	tables[n++] = (struct table){(void **)&image->atoms, &image->atom_count, sizeof *image->atoms};
	tables[n++] = (struct table){(void **)&image->units, &image->unit_count, sizeof *image->units};
	for (int kind = 0; kind < PATCH_KINDS; kind++)
		tables[n++] =
			(struct table){(void **)&image->sites[kind], &image->site_count[kind], sizeof *image->sites[kind]};
	tables[n++] = (struct table){(void **)&image->frames, &image->frame_count, sizeof *image->frames};
	tables[n++] = (struct table){(void **)&image->symbols, &image->symbol_count, sizeof *image->symbols};
	tables[n++] = (struct table){(void **)&image->groups, &image->group_count, sizeof *image->groups};
	tables[n++] = (struct table){(void **)&image->roots, &image->root_count, sizeof *image->roots};
	tables[n++] = (struct table){(void **)&image->pins, &image->pin_count, sizeof *image->pins};
	tables[n++] = (struct table){(void **)&image->visits, &image->visit_count, sizeof *image->visits};
}

/* The tables' pointers have different types; memcpy reads each without breaking the aliasing rules. */
static void *items_of(const struct table *table) {
	void *items;
	memcpy(&items, table->items, sizeof items);
	return items;
}

static void set_items(const struct table *table, void *items) {
	memcpy(table->items, &items, sizeof items);
}

int image_save(const struct image *image, const char *path, struct ifr_error *err) {
	static const char zeros[8];
	struct image copy = *image;
	struct table tables[TABLES];
	struct shape shape = {.format = FORMAT, .numbers_bytes = sizeof image->numbers};
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX];
	list_tables(&copy, tables);
	for (size_t i = 0; i < TABLES; i++) {
		shape.count[i] = *tables[i].count;
		shape.size[i] = tables[i].size;
	}
	memset(digest, '0', sizeof digest);
	ifr_buffer_append(&text, magic, MAGIC_BYTES);
	ifr_buffer_append(&text, digest, sizeof digest - 1);
	ifr_buffer_append(&text, &shape, sizeof shape);
	ifr_buffer_append(&text, &image->numbers, sizeof image->numbers);
	for (size_t i = 0; i < TABLES; i++) {
		size_t bytes = *tables[i].count * tables[i].size;
		if (bytes)
			ifr_buffer_append(&text, items_of(&tables[i]), bytes);
		ifr_buffer_append(&text, zeros, -bytes & 7);
	}
	ifr_sha256(text.data + HEADER_BYTES, text.length - HEADER_BYTES, digest);
	memcpy(text.data + MAGIC_BYTES, digest, sizeof digest - 1);
	int result = ifr_file_write(path, text.data, text.length, 0644, err);
	ifr_buffer_release(&text);
	return result;
}

/* Moves bytes and their padding from the start of the remaining input to `to`; false if too few are left. */
static bool take_bytes(const char **at, size_t *left, void *to, size_t bytes) {
	size_t whole = bytes + (-bytes & 7);
	if (whole < bytes || whole > *left)
		return false;
	if (bytes)
		memcpy(to, *at, bytes);
	*at += whole;
	*left -= whole;
	return true;
}

static bool read_tables(struct image *image, const char *at, size_t left) {
	struct shape shape;
	struct table tables[TABLES];
	if (!take_bytes(&at, &left, &shape, sizeof shape) || shape.format != FORMAT ||
	    shape.numbers_bytes != sizeof image->numbers ||
	    !take_bytes(&at, &left, &image->numbers, sizeof image->numbers))
		return false;
	list_tables(image, tables);
	for (size_t i = 0; i < TABLES; i++) {
		if (shape.size[i] != tables[i].size || shape.count[i] > left / tables[i].size)
			return false;
		void *items = ifr_alloc((shape.count[i] + 1) * tables[i].size);
		set_items(&tables[i], items);
		*tables[i].count = shape.count[i];
		if (!take_bytes(&at, &left, items, shape.count[i] * tables[i].size))
			return false;
	}
	return !left;
}

int image_parse(const void *data, size_t length, const char *origin, const struct units *units,
                struct image **loaded, struct ifr_error *err) {
	char digest[IFR_SHA256_HEX];
	const char *text = data;
	if (length < HEADER_BYTES || memcmp(text, magic, MAGIC_BYTES))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not a prepared image", origin);
	ifr_sha256(text + HEADER_BYTES, length - HEADER_BYTES, digest);
	if (memcmp(digest, text + MAGIC_BYTES, sizeof digest - 1))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is damaged: its digest does not agree", origin);
	struct image *image = ifr_alloc(sizeof *image);
	const char *fault = read_tables(image, text + HEADER_BYTES, length - HEADER_BYTES)
	                        ? image_fault(image)
	                        : "it is of another version";
	if (!fault && (image->unit_count != units->count || image->numbers.units != image_digest_units(units)))
		fault = "it was made of other units";
	if (fault) {
		image_close(image);
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s cannot be used: %s", origin, fault);
	}
	*loaded = image;
	return 0;
}

int image_load(const char *path, const struct units *units, struct image **image, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(path, UINT32_MAX, &contents, err);
	if (!result)
		result = image_parse(ifr_buffer_text(&contents), contents.length, path, units, image, err);
	ifr_buffer_release(&contents);
	return result;
}
