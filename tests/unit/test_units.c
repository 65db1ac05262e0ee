/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units, read from the maps of links made here and compared with nm and readelf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/process.h"
#include "relinker/units.h"
#include "tests/unit/folder.h"
#include "tests/unit/read_units.h"

#define LONG "a_function_with_a_name_so_long_that_the_map_has_to_break_the_line"

static struct units units;

/* Functions of different buckets, of one file name in two folders and of archives; two sections of one name. */
static int set_up(void **state) {
	(void)state;
	if (make_folder(state))
		return -1;
	write_below("main.c", "int " LONG "(int); int x_a(int); int y_a(int); int in_lib(int); int paren(int);\n"
	                      "__attribute__((cold)) int chilly(int x) { return x * 3; }\n"
	                      "__attribute__((hot)) int heated(int x) { return x * 5; }\n"
	                      "int " LONG "(int x) { return x + 7; }\n"
	                      "int main(int c, char **v) { (void)v; return " LONG
	                      "(x_a(y_a(in_lib(paren(chilly(heated(c))))))) == 1234; }\n");
	write_below("x/same.c", "int x_a(int x) { return x + 1; }\n int x_b(int x) { return x + 2; }\n");
	write_below("y/same.c", "int y_a(int x) { return x + 3; }\n");
	write_below("lib.c", "int in_lib(int x) { return x - 1; }\n");
	write_below("paren.c", "int paren(int x) { return x - 2; }\n");
	write_below("twins.s", ".section .text.twin,\"ax\",@progbits,unique,1\nfirst_twin: nop\n"
	                       ".section .text.twin,\"ax\",@progbits,unique,2\nsecond_twin: ret\n");
	shell_below(
		"set -e; for f in main x/same y/same lib paren; do gcc -O2 -ffunction-sections -c $f.c -o $f.o; done;"
		"gcc -c twins.s -o twins.o; ar rc libin.a lib.o; mv paren.o 'odd(name).o';"
		"gcc -fuse-ld=bfd main.o x/same.o y/same.o 'odd(name).o' twins.o libin.a -o prog -Wl,-Map=map",
		NULL);
	struct ifr_buffer map = {0};
	char *path = ifr_format("%s/map", folder);
	int result = ifr_file_read(path, 0, &map, NULL);
	if (!result)
		result = read_units(&units, ifr_buffer_text(&map), folder, NULL);
	ifr_buffer_release(&map);
	free(path);
	return result;
}

static const struct unit *find(const char *name) {
	for (size_t i = 0; i < units.count; i++)
		if (!strcmp(units.items[i].name, name))
			return &units.items[i];
	fail_msg("there is no unit %s", name);
	return NULL;
}

/* A symbol's address and size as nm prints them; size 0 if nm prints none. */
static void ask_nm(const char *symbol, uint64_t *address, uint64_t *bytes) {
	struct ifr_buffer out = {0};
	char *command = ifr_format("nm -S prog | grep ' %s$'", symbol);
	char kind[64];
	unsigned long long value = 0, size = 0;
	shell_below(command, &out);
	if (sscanf(ifr_buffer_text(&out), "%llx %llx %63s", &value, &size, kind) != 3 || !strcmp(kind, symbol))
		size = 0;
	*address = value;
	*bytes = size;
	free(command);
	ifr_buffer_release(&out);
}

static void test_addresses(void **state) {
	(void)state;
	static const char *const table[][2] = {
		{"main.o:.text.unlikely.chilly", "chilly"},
		{"main.o:.text.hot.heated", "heated"},
		{"main.o:.text." LONG, LONG},
		{"same.o:.text.x_a", "x_a"},
		{"same.o:.text.x_b", "x_b"},
		{"same.o#2:.text.y_a", "y_a"},
		{"libin.a(lib.o):.text.in_lib", "in_lib"},
		{"odd(name).o:.text.paren", "paren"},
		{"main.o:.text.startup.main", "main"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct unit *unit = find(table[i][0]);
		uint64_t address, bytes;
		ask_nm(table[i][1], &address, &bytes);
		assert_true(unit->movable);
		assert_int_equal(unit->address, address);
		assert_int_equal(unit->bytes, bytes);
	}
}

static void test_names_and_order(void **state) {
	(void)state;
	for (size_t i = 0; i < units.count; i++) {
		const struct unit *unit = &units.items[i];
		char *name = ifr_format("%s:%s", unit->object, unit->section);
		assert_string_equal(unit->name, name);
		free(name);
		assert_true(unit->bytes > 0);
		if (i) {
			assert_true(unit->address > units.items[i - 1].address);
			assert_true(unit->bucket >= units.items[i - 1].bucket);
		}
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(unit->name, units.items[j].name);
	}
}

/* ld's default script: .text.unlikely, .text.exit, .text.startup, .text.hot, then the rest. */
static void test_buckets(void **state) {
	(void)state;
	unsigned cold = find("main.o:.text.unlikely.chilly")->bucket,
			 startup = find("main.o:.text.startup.main")->bucket;
	unsigned hot = find("main.o:.text.hot.heated")->bucket, plain = find("main.o:.text." LONG)->bucket;
	assert_true(cold < startup && startup < hot && hot < plain);
	assert_int_equal(find("same.o#2:.text.y_a")->bucket, plain);
	assert_int_equal(find("libin.a(lib.o):.text.in_lib")->bucket, plain);
}

static void test_archives_and_odd_names(void **state) {
	(void)state;
	const struct unit *member = find("libin.a(lib.o):.text.in_lib"), *odd = find("odd(name).o:.text.paren");
	assert_string_equal(member->file, "libin.a");
	assert_string_equal(member->member, "lib.o");
	assert_string_equal(odd->file, "odd(name).o");
	assert_null(odd->member);
	assert_string_equal(find("same.o:.text.x_a")->file, "x/same.o");
	assert_string_equal(find("same.o#2:.text.y_a")->file, "y/same.o");
}

static void test_twins_are_one(void **state) {
	(void)state;
	const struct unit *twin = find("twins.o:.text.twin");
	uint64_t address, bytes;
	ask_nm("first_twin", &address, &bytes);
	assert_int_equal(twin->address, address);
	assert_int_equal(twin->bytes, 2);
}

static void test_start_files_are_pinned(void **state) {
	(void)state;
	uint64_t address, bytes;
	ask_nm("_start", &address, &bytes);
	size_t found = 0;
	for (size_t i = 0; i < units.count; i++) {
		const struct unit *unit = &units.items[i];
		if (!strncmp(unit->object, "crt", 3) || !strncmp(unit->object, "Scrt", 4)) {
			assert_false(unit->movable);
			found += unit->address <= address && address < unit->address + unit->bytes;
		}
	}
	assert_int_equal(found, 1);
}

static void test_text_size(void **state) {
	(void)state;
	struct ifr_buffer out = {0};
	shell_below(
		"readelf -SW prog | sed -n 's/.* \\.text  *PROGBITS  *[0-9a-f]* [0-9a-f]* \\([0-9a-f]*\\) .*/\\1/p'",
		&out);
	assert_int_equal(units.outputs[OUTPUT_TEXT].bytes, strtoull(ifr_buffer_text(&out), NULL, 16));
	ifr_buffer_release(&out);
}

/* The compiler's temporary object has another name each time; its units have the source's name. */
static void test_temporary_objects(void **state) {
	(void)state;
	struct units own = {0};
	struct ifr_buffer map = {0};
	shell_below(
		"mkdir -p tmp && TMPDIR=tmp gcc -save-temps=obj -c lib.c -o tmp/ccAbCdEf.o && cp tmp/ccAbCdEf.o "
		"tmp/ccAbCdE.o &&"
		" ld -r tmp/ccAbCdEf.o -o /dev/null && ld.bfd -e 0 tmp/ccAbCdEf.o tmp/ccAbCdE.o -z muldefs -o tmp/out "
		"-Map=tmp/map &&"
		" cat tmp/map",
		&map);
	assert_int_equal(read_units(&own, ifr_buffer_text(&map), folder, NULL), 0);
	assert_int_equal(own.count, 2);
	assert_string_equal(own.items[0].name, "lib.c:.text");
	/* A name of one letter less is not a temporary object's. */
	assert_string_equal(own.items[1].name, "ccAbCdE.o:.text");
	units_release(&own);
	ifr_buffer_release(&map);
}

#define HEAD "\nLinker script and memory map\n\n"
#define TEXT HEAD ".text           0x0000000000001000       0x60\n"

/* The map format as ld 2.40 writes it, line by line. */
static void test_hand_written_maps(void **state) {
	(void)state;
	static const struct {
		const char *map;
		size_t count;
	} table[] = {
		{TEXT " *(.text)\n .text          0x0000000000001000       0x10 a.o\n", 1},
		{TEXT " *(.text)\n .text          0x0000000000001000        0x0 a.o\n", 0},
		{TEXT " .text.long_name_here\n                0x0000000000001000       0x10 a.o\n", 1},
		{TEXT " .text.alone\n .text          0x0000000000001000       0x10 a.o\n", 1},
		{TEXT " *fill*         0x0000000000001010       0x10 \n", 0},
		{TEXT " .text          0x0000000000001000       0x10 a.o\n                0x0000000000001000              "
	          "  main\n",
	     1},
		{TEXT " .text          0x0000000000001000       0x10 a b.o\n\n.fini  0x1 0x2\n .fini 0x1 0x2 c.o\n", 1},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct units own = {0};
		assert_int_equal(read_units(&own, table[i].map, "/nonexistent", NULL), 0);
		assert_int_equal(own.count, table[i].count);
		assert_int_equal(own.outputs[OUTPUT_TEXT].bytes, 0x60);
		if (own.count) {
			assert_int_equal(own.items[0].address, 0x1000);
			assert_int_equal(own.items[0].bytes, 0x10);
		}
		units_release(&own);
	}
	static const char *const bad[] = {
		"", "no map", HEAD, HEAD ".textual 0x1 0x2\n", HEAD ".text\n", HEAD ".text 0x1\n", ".text 0x1000 0x60\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct units own = {0};
		struct ifr_error err = {0};
		assert_int_equal(read_units(&own, bad[i], "/nonexistent", &err), -IFR_E_ENVIRONMENT);
		assert_non_null(strstr(err.message, "map of the link"));
		units_release(&own);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),         cmocka_unit_test(test_names_and_order),
		cmocka_unit_test(test_buckets),           cmocka_unit_test(test_archives_and_odd_names),
		cmocka_unit_test(test_twins_are_one),     cmocka_unit_test(test_start_files_are_pinned),
		cmocka_unit_test(test_text_size),         cmocka_unit_test(test_temporary_objects),
		cmocka_unit_test(test_hand_written_maps),
	};
	return cmocka_run_group_tests(tests, set_up, drop_folder);
}
