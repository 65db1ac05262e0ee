/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linker scripts with an explicit order: ld.bfd links by them, nm prints the addresses, and the program still
 * runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/process.h"
#include "relinker/ld/ld_engine.h"
#include "tests/unit/read_units.h"

#define LINK "gcc -fuse-ld=bfd 'odd[1].o' m.o 'a b.o' libc.a -Wl,--build-id=none "

static char *folder;
static struct units units;
static struct ifr_buffer script;

static int shell(const char *command, struct ifr_buffer *out) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_buffer own = {0};
	struct ifr_process process = {.argv = argv, .cwd = folder, .out = out ? out : &own, .errors = &own};
	int status = -1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	ifr_buffer_release(&own);
	return status;
}

static int set_up(void **state) {
	(void)state;
	struct ifr_buffer map = {0};
	if (ifr_temporary_dir(&folder, NULL))
		return -1;
	int status = shell("set -e; for i in 1 2 3 4; do for o in m a c d; do echo \"int $o$i(int x); int $o$i(int x) "
	                   "{ return x * 3 + $i; }\";"
	                   " done; done > all.c; for o in m a c d; do grep \"int $o\" all.c > $o.c; done; echo 'int "
	                   "a1(int), c1(int), d1(int);"
	                   " int main(void) { return a1(c1(d1(m1(1)))); }' >> m.c;"
	                   "for o in m a c d; do gcc -O2 -ffunction-sections -c $o.c -o $o.o; done; mv a.o 'a b.o'; "
	                   "mv d.o 'odd[1].o';"
	                   "ar rc libc.a c.o; " LINK "-Wl,-Map=map -o base; " LINK "-Wl,--verbose -o /dev/null > said;"
	                   "sed -n '/^=====/,/^=====/p' said | grep -v '^=====' > script",
	                   NULL);
	char *map_path = ifr_format("%s/map", folder), *script_path = ifr_format("%s/script", folder);
	if (!status)
		status = ifr_file_read(map_path, 0, &map, NULL);
	if (!status)
		status = ifr_file_read(script_path, 0, &script, NULL);
	if (!status)
		status = read_units(&units, ifr_buffer_text(&map), folder, NULL);
	ifr_buffer_release(&map);
	free(map_path);
	free(script_path);
	return status;
}

static int tear_down(void **state) {
	(void)state;
	units_release(&units);
	ifr_buffer_release(&script);
	int result = ifr_tree_remove(folder, NULL);
	free(folder);
	return result;
}

/* Links a placement as "variant" and reads its units back from the map. */
static void make(const struct placement *placement, struct units *placed) {
	struct ifr_buffer text = {0}, map = {0};
	struct ifr_error err = {0};
	char *path = ifr_format("%s/own.ld", folder), *map_path = ifr_format("%s/own.map", folder);
	assert_int_equal(ld_script_print(ifr_buffer_text(&script), &units, placement, &text, &err), 0);
	assert_int_equal(ifr_file_write(path, text.data, text.length, 0644, NULL), 0);
	assert_int_equal(shell(LINK "-Wl,-T,own.ld -Wl,-Map=own.map -o variant", NULL), 0);
	assert_int_equal(ifr_file_read(map_path, 0, &map, NULL), 0);
	assert_int_equal(read_units(placed, ifr_buffer_text(&map), folder, NULL), 0);
	ifr_buffer_release(&map);
	ifr_buffer_release(&text);
	free(map_path);
	free(path);
}

static uint64_t text_start(const char *program) {
	struct ifr_buffer out = {0};
	char *command =
		ifr_format("readelf -SW %s | sed -n 's/.* \\.text  *PROGBITS  *\\([0-9a-f]*\\) .*/\\1/p'", program);
	assert_int_equal(shell(command, &out), 0);
	uint64_t start = strtoull(ifr_buffer_text(&out), NULL, 16);
	assert_true(start > 0);
	free(command);
	ifr_buffer_release(&out);
	return start;
}

/* The program's exit status is a1(c1(d1(m1(1)))), where each function gives 3 x + 1. */
static void still_runs(void) {
	int expected = 1;
	for (int i = 0; i < 4; i++)
		expected = expected * 3 + 1;
	assert_int_equal(shell("./base", NULL), expected);
	assert_int_equal(shell("./variant", NULL), expected);
}

static void test_identity_gives_the_same_bytes(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct placement placement;
	struct units placed;
	ifr_plan_init(&plan);
	placement_make(&placement, &units, &plan, NULL, NULL);
	make(&placement, &placed);
	assert_int_equal(shell("cmp base variant", NULL), 0);
	placement_release(&placement);
	units_release(&placed);
}

static void test_order_is_as_placed(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct ifr_plan plan;
		struct placement placement;
		struct units placed;
		ifr_plan_init(&plan);
		assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_FUNCTIONS, seed & 1 ? "cross=1" : "", NULL), 0);
		if (seed > 2)
			ifr_plan_enable(&plan, IFR_AXIS_PADDING, seed);
		plan.axis[IFR_AXIS_FUNCTIONS].seed = seed;
		placement_make(&placement, &units, &plan, NULL, NULL);
		assert_true(placement.outputs[OUTPUT_TEXT].moved > 4);
		make(&placement, &placed);
		assert_int_equal(placed.count, units.count);
		uint64_t end = 0;
		for (size_t i = 0; i < placed.count; i++) {
			assert_string_equal(placed.items[i].name,
			                    units.items[placement.outputs[OUTPUT_TEXT].order[i].unit].name);
			assert_true(placed.items[i].address >= end + placement.outputs[OUTPUT_TEXT].order[i].padding_bytes);
			end = placed.items[i].address + placed.items[i].bytes;
		}
		assert_int_equal(placed.outputs[OUTPUT_TEXT].bytes, placement.sizes.output_bytes[OUTPUT_TEXT]);
		still_runs();
		units_release(&placed);
		placement_release(&placement);
	}
}

static void test_base(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct placement placement;
	struct units placed;
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_BASE, 3);
	placement_make(&placement, &units, &plan, NULL, NULL);
	assert_true(placement.base_bytes > 0);
	make(&placement, &placed);
	assert_int_equal(placed.items[0].address, text_start("variant") + placement.base_bytes);
	for (size_t i = 0; i < placed.count; i++)
		assert_string_equal(placed.items[i].name, units.items[i].name);
	still_runs();
	units_release(&placed);
	placement_release(&placement);
}

static void test_where_the_order_goes(void **state) {
	(void)state;
	struct unit items[] = {{.file = (char *)"a.o", .section = (char *)".text.f"},
	                       {.file = (char *)"l.a", .member = (char *)"m.o", .section = (char *)".text"}};
	struct units own = {.items = items, .count = 2};
	struct placed_unit order[] = {{1, 64}, {0, 5}};
	struct placement placement = {.outputs = {{.order = order, .count = 2}}, .sizes = {.output_bytes = {4128}}};
	struct ifr_buffer text = {0};
	assert_int_equal(ld_script_print("X { .text }\n  .text.x : { }\n .text :\n {\n { *(.text) } }\n Z {}", &own,
	                                 &placement, &text, NULL),
	                 0);
	assert_string_equal(
		ifr_buffer_text(&text),
		"X { .text }\n  .text.x : { }\n .text :\n {\n    . = . + 64;\n    \"l.a:m.o\"(\".text\")\n"
		"    . = . + 5;\n    \"a.o\"(\".text.f\")\n\n { *(.text) }   . = MAX(., 4128);\n  }\n Z {}");
	ifr_buffer_release(&text);
	static const char *const without[] = {
		"", ".data : { }", ".text", ".text :", ".text : {", ".text : { {}", "x .text : {}", ".textual : {}"};
	for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
		struct ifr_error err = {0};
		assert_int_equal(ld_script_print(without[i], &own, &placement, &text, &err), -IFR_E_ENVIRONMENT);
		assert_non_null(strstr(err.message, "no output section .text"));
		assert_int_equal(text.length, 0);
	}
}

static void test_interpreter(void **state) {
	(void)state;
	char *grown = ld_interpreter_grow("/lib64/ld.so", 3), *same = ld_interpreter_grow("ld.so", 3);
	assert_string_equal(grown, "/lib64////ld.so");
	assert_string_equal(same, "ld.so");
	free(grown);
	free(same);
	static const char *const table[][2] = {
		{"-pie -dynamic-linker /lib/x a.o", "/lib/x"},
		{"--dynamic-linker=/lib/y", "/lib/y"},
		{"-I /z", "/z"},
		{"-dynamic-linker /a -dynamic-linker /b", "/b"},
		{"-static -dynamic-linker /a", NULL},
		{"-dynamic-linker /a -shared", NULL},
		{"a.o", NULL},
		{"-dynamic-linker", NULL},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ifr_kit kit;
		ifr_kit_init(&kit);
		ifr_strings_split(&kit.arguments, table[i][0], " ");
		const char *interpreter = ld_interpreter_of(&kit);
		assert_string_equal(interpreter ? interpreter : "none", table[i][1] ? table[i][1] : "none");
		ifr_kit_release(&kit);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity_gives_the_same_bytes),
		cmocka_unit_test(test_order_is_as_placed),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_where_the_order_goes),
		cmocka_unit_test(test_interpreter),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
