/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The in-memory engine, on a small image made by hand: the offsets of atoms, the patched fields, the order of the
 * tables, and that no image file leads it out of bounds. Whole programs are in tests/e2e/engine.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "common/file.h"
#include "kit/kit.h"
#include "relinker/image/image_check.h"
#include "relinker/read/link_map.h"
#include "relinker/read/names.h"

/* Intel SDM volume 2, NOP, table "Recommended Multi-Byte Sequence of NOP Instruction": 5, 6, 8 and 9 bytes; the
 * one of 10 is the last with a prefix more, as GNU as 2.40 writes it for ".nops 10". */
static void test_fill(void **state) {
	(void)state;
	static const uint8_t five[] = {0x0f, 0x1f, 0x44, 0x00, 0x00}, nine[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
						 ten[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
	uint8_t room[64];
	memset(room, 0xcc, sizeof room);
	image_fill(room, 0);
	assert_int_equal(room[0], 0xcc);
	image_fill(room, 9);
	assert_memory_equal(room, nine, 9);
	assert_int_equal(room[9], 0xcc);
	image_fill(room, 45);
	for (int i = 0; i < 4; i++)
		assert_memory_equal(room + 10 * i, ten, 10);
	assert_memory_equal(room + 40, five, 5);
	assert_int_equal(room[45], 0xcc);
}

/* --- the image ----------------------------------------------------------------------------------------------- */

enum {
	TEXT = 16,  /* behind a path of 4 bytes and a section of 4. .text: 5 bytes A, a gap, at 16 4 bytes B, at 20
	               3 bytes C */
	LIMIT = 48, /* room for it */
	WORD = TEXT + LIMIT, /* a word with C's address */
	TABLE = WORD + 8,    /* 2 entries of the frame table */
	SYMTAB = TABLE + 16,
	STRTAB = SYMTAB + 3 * sizeof(Elf64_Sym),
	BUILD_ID = STRTAB + 6,
	LENGTH = BUILD_ID + 2,
};

static struct unit unit_items[] = {
	{.name = (char *)"a", .bytes = 5}, {.name = (char *)"b", .bytes = 4}, {.name = (char *)"c", .bytes = 3}};
static struct units units = {.items = unit_items, .count = 3};

static void *copy_of(const void *data, size_t bytes) {
	void *copy = ifr_alloc(bytes);
	memcpy(copy, data, bytes);
	return copy;
}

static uint8_t *make_bytes(void) {
	uint8_t *bytes = ifr_alloc(LENGTH);
	static const uint8_t b_and_c[] = {100, 0, 0, 0, 'C', 'C', 'C'};
	static const int32_t frames[] = {100, 7, 120, 9};
	static const Elf64_Sym symbols[] = {{0}, {.st_name = 1, .st_value = 16}, {.st_name = 3, .st_value = 20}};
	memset(bytes, '#', TEXT);
	memcpy(bytes, "a/b\0WXYZ", 8);
	memset(bytes + TEXT, 'A', 5);
	memcpy(bytes + TEXT + 16, b_and_c, sizeof b_and_c);
	bytes[WORD] = 20;
	memcpy(bytes + TABLE, frames, sizeof frames);
	memcpy(bytes + SYMTAB, symbols, sizeof symbols);
	memcpy(bytes + STRTAB, "\0b\0cc", 6);
	return bytes;
}

static struct image *make_image(void) {
	static const struct atom atoms[] = {
		{0, 0, 1, 0, 0},  {0, 5, 1, IMAGE_NONE, 0}, {16, 4, 16, 0, 1}, {20, 3, 4, 1, 1}, {32, 0, 1, 0, 2},
		{32, 0, 1, 0, 0}, {0, 4, 1, 0, 0},          {4, 4, 4, 0, 0},   {0, 0, 1, 0, 0},  {8, 0, 1, 0, 0}};
	static const struct atom_run runs[] = {{1, 1}, {2, 1}, {3, 1}};
	static const struct patch_site near = {TEXT + 16, 2, 1}, far = {WORD, 0, 3};
	static const struct frame frames[] = {{1, 100, 7, 5}, {3, 120, 9, 3}};
	static const struct image_symbol symbols[] = {{IMAGE_NONE, 0, 0}, {0, 0, 2}, {1, 0, 3}};
	static const struct symbol_group groups[] = {{1, 1}, {2, 1}};
	static const uint32_t visits[] = {VISIT_REGION | OUTPUT_TEXT};
	static const struct root roots[] = {{1, 2}, {3, 3}};
	struct image *image = ifr_alloc(sizeof *image);
	*image = (struct image){
		.numbers = {.sizes = {.output_bytes = {32}},
	                .units = image_digest_units(&units),
	                .outputs = {{.at = TEXT, .limit = LIMIT, .first = 1, .units_end = 4, .end = 4, .in_file = 1}},
	                .text_end = 4,
	                .segment_end = 5,
	                .leading = 6,
	                .leading_end = 8,
	                .leading_limit = TEXT,
	                .frame_table = TABLE,
	                .first_frame = 0,
	                .last_frame = 2,
	                .frame_count = 2,
	                .symtab = SYMTAB,
	                .symbol_count = 3,
	                .strtab = STRTAB,
	                .strtab_bytes = 6,
	                .build_id = BUILD_ID,
	                .build_id_bytes = 2},
		.bytes = make_bytes(),
		.atoms = copy_of(atoms, sizeof atoms),
		.units = copy_of(runs, sizeof runs),
		.frames = copy_of(frames, sizeof frames),
		.symbols = copy_of(symbols, sizeof symbols),
		.groups = copy_of(groups, sizeof groups),
		.roots = copy_of(roots, sizeof roots),
		.pins = ifr_alloc(1),
		.visits = copy_of(visits, sizeof visits),
		.visit_count = 1,
		.length = LENGTH,
		.atom_count = 10,
		.unit_count = 3,
		.frame_count = 2,
		.symbol_count = 3,
		.group_count = 2,
		.root_count = 2,
	};
	image->sites[PATCH_PC32] = copy_of(&near, sizeof near);
	image->sites[PATCH_ABS64] = copy_of(&far, sizeof far);
	image->site_count[PATCH_PC32] = image->site_count[PATCH_ABS64] = 1;
	return image;
}

/* The order C, 2 bytes of padding, A, B at its alignment. */
static struct placed_unit order[] = {{2, 0}, {0, 2}, {1, 0}};
static struct placement placement = {.outputs = {{.order = order, .count = 3}}, .sizes = {.output_bytes = {32}}};

/* By hand: C goes to 0 (20 back), A to 5 (5 on), B stays at 16. B's distance to A, 100, becomes 105. The word 20
 * becomes 0. The frames at 100 (A) and 120 (C) become 105 and 100, with C's first. C's name and symbol come before
 * B's. */
static void check_variant(const struct image *image) {
	static const uint8_t text[] = "CCC\x66\x90"
								  "AAAAA\x66\x0f\x1f\x44\0\0"
								  "\x69\0\0\0\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x66\x90";
	static const int32_t frames[] = {100, 9, 105, 7};
	struct ifr_buffer variant = {0};
	struct ifr_error err = {0};
	Elf64_Sym symbols[3];
	assert_int_equal(image_apply(image, &placement, "beef", &variant, &err), 0);
	assert_int_equal(variant.length, LENGTH);
	const uint8_t *bytes = (const uint8_t *)variant.data;
	assert_memory_equal(bytes, "a/b\0WXYZ########", TEXT);
	assert_memory_equal(bytes + TEXT, text, 32);
	assert_int_equal(bytes[WORD], 0);
	assert_memory_equal(bytes + TABLE, frames, sizeof frames);
	assert_memory_equal(bytes + STRTAB, "\0cc\0b", 6);
	memcpy(symbols, bytes + SYMTAB, sizeof symbols);
	assert_int_equal(symbols[1].st_name, 1);
	assert_int_equal(symbols[1].st_value, 0);
	assert_int_equal(symbols[2].st_name, 4);
	assert_int_equal(symbols[2].st_value, 16);
	assert_memory_equal(bytes + BUILD_ID, "\xbe\xef", 2);
	ifr_buffer_release(&variant);
}

static void test_apply(void **state) {
	(void)state;
	struct image *image = make_image();
	assert_null(image_fault(image));
	check_variant(image);
	image_close(image);
}

/* With 16 bytes more before the first unit: C at 16 (4 back), A at 21, B at 32 (16 on). So .text ends at 36, past
 * its size of 32. B's distance to A becomes 100 + 21 - 16; zeros follow .text. */
static void test_longer(void **state) {
	(void)state;
	static const uint8_t zeros[LIMIT - 36];
	struct image *image = make_image();
	struct placed_unit later[] = {{2, 16}, {0, 2}, {1, 0}};
	struct placement moved = placement;
	struct ifr_buffer variant = {0};
	struct ifr_error err = {0};
	moved.outputs[OUTPUT_TEXT].order = later;
	assert_int_equal(image_apply(image, &moved, "beef", &variant, &err), 0);
	const uint8_t *bytes = (const uint8_t *)variant.data;
	assert_int_equal(bytes[TEXT + 32], 105);
	assert_int_equal(bytes[WORD], 16);
	assert_memory_equal(bytes + TEXT + 36, zeros, sizeof zeros);
	ifr_buffer_release(&variant);
	image_close(image);
}

/* A path longer by 3 ends at 7: the section behind it moves from 4 to its alignment at 8, and ends at 12. By 8 it
 * would end at 16, by 9 at 20, past the limit. */
static void test_longer_path(void **state) {
	(void)state;
	struct image *image = make_image();
	struct placement longer = placement;
	struct ifr_buffer variant = {0};
	struct ifr_error err = {0};
	uint64_t words[3] = {4, 4, 8};
	/* Words for the section's offset, the path's length and the end, where the build-id was. */
	image->bytes = ifr_realloc(image->bytes, LENGTH + sizeof words, 1);
	memcpy(image->bytes + LENGTH, words, sizeof words);
	image->length = LENGTH + sizeof words;
	image->sites[PATCH_ABS64] = ifr_realloc(image->sites[PATCH_ABS64], 4, sizeof(struct patch_site));
	for (uint32_t i = 0; i < 3; i++)
		image->sites[PATCH_ABS64][1 + i] = (struct patch_site){LENGTH + 8 * i, 0, 7 + i};
	image->site_count[PATCH_ABS64] = 4;
	assert_null(image_fault(image));
	assert_int_equal(image_find_longest_path(image), 8);
	longer.sizes.interp_bytes = 3;
	assert_int_equal(image_apply(image, &longer, "beef", &variant, &err), 0);
	assert_memory_equal(variant.data, "a////b\0\0WXYZ####", TEXT);
	memcpy(words, variant.data + LENGTH, sizeof words);
	assert_int_equal(words[0], 8);
	assert_int_equal(words[1], 7);
	assert_int_equal(words[2], 12);
	longer.sizes.interp_bytes = 9;
	assert_true(image_apply(image, &longer, "beef", &variant, &err) < 0);
	assert_non_null(strstr(err.message, "another page"));
	ifr_buffer_release(&variant);
	image_close(image);
}

static void refuse(const struct image *image, const struct placement *asked, const char *build_id) {
	struct ifr_buffer variant = {0};
	struct ifr_error err = {0};
	assert_true(image_apply(image, asked, build_id, &variant, &err) < 0);
	assert_int_equal(err.code, IFR_E_ENVIRONMENT);
	ifr_buffer_release(&variant);
}

static void test_refusals(void **state) {
	(void)state;
	struct image *image = make_image();
	struct placed_unit far[] = {{2, LIMIT}, {0, 2}, {1, 0}};
	struct placement other = placement;
	other.sizes.output_bytes[OUTPUT_TEXT] = 33;
	refuse(image, &other, "beef");
	other = placement;
	other.sizes.interp_bytes = 100;
	refuse(image, &other, "beef");
	other = placement;
	other.outputs[OUTPUT_TEXT].order = far;
	refuse(image, &other, "beef");
	refuse(image, &placement, "bee");
	refuse(image, &placement, "beeg");
	image->pins = ifr_realloc(image->pins, 1, sizeof *image->pins);
	image->pins[0] = (struct pin){2, 0, PIN_KIND};
	image->pin_count = 1;
	check_variant(image); /* B did not move */
	image->pins[0].target = 1;
	refuse(image, &placement, "beef");
	image_close(image);
}

/* --- its file ------------------------------------------------------------------------------------------------ */

static void read_saved(const struct image *image, struct ifr_buffer *contents) {
	char *folder, *path;
	struct ifr_error err = {0};
	assert_int_equal(ifr_temporary_dir(&folder, &err), 0);
	path = ifr_format("%s/image", folder);
	assert_int_equal(image_save(image, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, contents, &err), 0);
	ifr_tree_remove(folder, NULL);
	free(path);
	free(folder);
}

static void test_file(void **state) {
	(void)state;
	struct image *image = make_image(), *loaded = NULL;
	struct ifr_buffer contents = {0};
	struct ifr_error err = {0};
	read_saved(image, &contents);
	assert_int_equal(image_parse(contents.data, contents.length, "image", &units, &loaded, &err), 0);
	check_variant(loaded);
	image_close(loaded);
	struct units fewer = {.items = unit_items, .count = 2};
	assert_true(image_parse(contents.data, contents.length, "image", &fewer, &loaded, &err) < 0);
	for (size_t i = 0; i < contents.length; i++) {
		contents.data[i] ^= 1;
		assert_true(image_parse(contents.data, contents.length, "image", &units, &loaded, &err) < 0);
		contents.data[i] ^= 1;
		assert_true(image_parse(contents.data, i, "image", &units, &loaded, &err) < 0);
	}
	ifr_buffer_release(&contents);
	image_close(image);
}

/* Each byte of the file changed, with a correct digest: the image is refused, or applied within its bounds (which
 * the sanitizers watch). */
static void test_poke(void **state) {
	(void)state;
	enum { DIGEST = 16, BODY = DIGEST + IFR_SHA256_HEX - 1 };
	static const uint8_t pokes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct image *image = make_image();
	struct ifr_buffer contents = {0}, variant = {0};
	size_t accepted = 0, refused = 0;
	read_saved(image, &contents);
	for (size_t i = BODY; i < contents.length; i++)
		for (size_t k = 0; k < sizeof pokes; k++) {
			char digest[IFR_SHA256_HEX], old = contents.data[i];
			struct image *poked = NULL;
			struct ifr_error err = {0};
			contents.data[i] = (char)pokes[k];
			ifr_sha256(contents.data + BODY, contents.length - BODY, digest);
			memcpy(contents.data + DIGEST, digest, sizeof digest - 1);
			if (image_parse(contents.data, contents.length, "image", &units, &poked, &err)) {
				refused++;
			} else {
				accepted++;
				image_apply(poked, &placement, "beef", &variant, &err);
				image_close(poked);
			}
			contents.data[i] = old;
		}
	assert_true(accepted > 100 && refused > 1000);
	ifr_buffer_release(&variant);
	ifr_buffer_release(&contents);
	image_close(image);
}

/* --- tables of names and maps -------------------------------------------------------------------------------- */

static void test_names(void **state) {
	(void)state;
	struct names names = {0};
	char texts[200][8];
	bool added;
	for (uint32_t i = 0; i < 200; i++) {
		snprintf(texts[i], sizeof texts[i], "n%u", i / 2);
		*names_add(&names, texts[i], i % 2, 0, &added) = i;
		assert_true(added);
	}
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(*names_find(&names, texts[i], i % 2), i);
	assert_null(names_find(&names, "n1", 2));
	assert_null(names_find(&names, "n100", 0));
	names_add(&names, "n7", 1, 99, &added);
	assert_false(added);
	names_release(&names);
}

/* The forms of a line in a map of GNU ld 2.40, and in 2.44 the size from before of what was merged into another. */
static void test_map(void **state) {
	(void)state;
	static const char text[] = "Discarded input sections\n\n .text.gone 0x0 0x8 a.o\n\n"
							   "Linker script and memory map\n\n"
							   "LOAD a.o\n"
							   ".text           0x0000000000001000       0x30\n"
							   " *(.text .stub .text.*)\n"
							   " .text          0x0000000000001000       0x10 a.o\n"
							   "                0x0000000000001004                main\n"
							   " *fill*         0x0000000000001010       0x10 90\n"
							   " .text.a_function_of_a_long_name\n"
							   "                0x0000000000001020        0x0 lib b.a(c.o)\n"
							   ".rodata         0x0000000000002000        0x9\n"
							   " .rodata.one.str1.1\n"
							   "                0x0000000000002000        0x9 a.o\n"
							   "                                          0x5 (size before relaxing)\n"
							   " .rodata.two.str1.1\n"
							   "                0x0000000000002009        0x6 a.o\n"
							   ".comment        0x0000000000000000       0x1f\n"
							   " .comment       0x0000000000000000       0x1f a.o\n"
							   "                                         0x20 (size before relaxing)\n";
	struct link_map map;
	struct ifr_error err = {0};
	char *folder, *path;
	assert_int_equal(ifr_temporary_dir(&folder, &err), 0);
	path = ifr_format("%s/map", folder);
	assert_int_equal(ifr_file_write(path, text, strlen(text), 0644, &err), 0);
	assert_int_equal(link_map_read(&map, path, &err), 0);
	assert_int_equal(map.count, 5);
	assert_string_equal(map.items[0].name, ".text");
	assert_int_equal(map.items[0].bytes, 0x10);
	assert_string_equal(map.items[1].name, ".text.a_function_of_a_long_name");
	assert_string_equal(map.items[1].file, "lib b.a(c.o)");
	assert_int_equal(map.items[1].address, 0x1020);
	assert_int_equal(map.items[2].bytes, 9);
	assert_int_equal(map.items[3].bytes, 0);
	assert_string_equal(map.items[4].output, ".comment");
	assert_int_equal(map.items[4].bytes, 0x1f);
	link_map_release(&map);
	ifr_tree_remove(folder, NULL);
	free(path);
	free(folder);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill),        cmocka_unit_test(test_apply),    cmocka_unit_test(test_longer),
		cmocka_unit_test(test_longer_path), cmocka_unit_test(test_refusals), cmocka_unit_test(test_file),
		cmocka_unit_test(test_poke),        cmocka_unit_test(test_names),    cmocka_unit_test(test_map),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
