/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of a trace in a layout: computed by hand, and compared with those of a program that Linux runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"
#include "tests/unit/folder.h"

enum { PROGRAM = IFR_MAPPING_FIRST, LOADER, STACK, HEAP, CACHE, LIBRARY, FIRST, SECOND, THIRD, REGIONS };

static uint64_t place(uint64_t region, uint64_t offset) {
	return region << IFR_MAPPING_SHIFT | offset;
}

/* A program of 0x5000 bytes with a loader; later a cache that is unmapped again, a library, and mappings. */
static struct ifr_trace *make_trace(bool fixed, const char *text) {
	struct ifr_mapping regions[REGIONS] = {
		[PROGRAM] = {.kind = IFR_MAPPING_PROGRAM, .start = fixed ? 0x400000 : 0, .bytes = 0x5000, .fixed = fixed},
		[LOADER] = {.kind = IFR_MAPPING_LIBRARY, .bytes = 0x35000},
		[STACK] = {.kind = IFR_MAPPING_STACK, .start = IFR_STACK_ORIGIN - 0x100000, .bytes = 0x800000},
		[HEAP] = {.kind = IFR_MAPPING_HEAP, .bytes = 0x21000},
		[CACHE] = {.kind = IFR_MAPPING_LIBRARY, .bytes = 0xaa5f},
		[LIBRARY] = {.kind = IFR_MAPPING_LIBRARY, .bytes = 0x1e2000},
		[FIRST] = {.kind = IFR_MAPPING_ANONYMOUS, .bytes = 0x100000},
		[SECOND] = {.kind = IFR_MAPPING_ANONYMOUS, .bytes = 0x4000},
		[THIRD] = {.kind = IFR_MAPPING_ANONYMOUS, .bytes = 0xb000},
	};
	struct ifr_trace_writer *writer;
	struct ifr_trace_totals totals;
	struct ifr_trace *trace;
	struct ifr_trace_block block = {.normalised = place(PROGRAM, regions[PROGRAM].start + 0x1000),
	                                .target = place(PROGRAM, regions[PROGRAM].start + 0x1080),
	                                .bytes = 20,
	                                .instructions = 5,
	                                .accesses = 2,
	                                .branch_bytes = 2,
	                                .branch = IFR_BRANCH_CONDITIONAL};
	const struct ifr_trace_access accesses[] = {{.anchor = IFR_ACCESS_RECORDED, .end = 4, .bytes = 8},
	                                            {.anchor = IFR_ACCESS_RECORDED, .end = 18, .bytes = 8}};
	static const uint8_t code[20];
	char *path = below("made.trace");
	assert_int_equal(ifr_trace_create(path, text, &writer, NULL), 0);
	for (int i = PROGRAM; i < REGIONS; i++) {
		if (i == STACK)
			ifr_trace_start_program(writer);
		assert_int_equal(ifr_trace_add_mapping(writer, &regions[i]), i);
		if (i == LIBRARY)
			ifr_trace_close_mapping(writer, CACHE);
	}
	ifr_trace_add_block(writer, &block, accesses, code);
	assert_int_equal(ifr_trace_close(writer, false, &totals, NULL), 0);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	free(path);
	return trace;
}

static struct ifr_address_map *map_of(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	struct ifr_layout_request none = {0};
	return ifr_address_map_new(trace, request ? request : &none);
}

static void expect(const struct ifr_address_map *map, uint64_t at, uint64_t address) {
	if (ifr_address_of(map, at) != address)
		fail_msg("%llx lies at %llx, not at %llx", (unsigned long long)at,
		         (unsigned long long)ifr_address_of(map, at), (unsigned long long)address);
}

/* Linux 6.1 by hand: everything downwards from 0x7ffff7fff000, six pages of the kernel's below the loader. */
static void test_native(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(false, "stack_strings_bytes 111\nstack_pointers 5\n");
	struct ifr_address_map *map = map_of(trace, NULL);
	expect(map, place(PROGRAM, 0x1234), 0x555555555234);
	expect(map, place(HEAP, 8), 0x555555559008);
	expect(map, place(LOADER, 0), 0x7ffff7fca000);
	expect(map, place(CACHE, 0), 0x7ffff7fca000 - 0x6000 - 0xb000);
	expect(map, place(LIBRARY, 0x10), 0x7ffff7fb9000 - 0x1e2000 + 0x10);
	expect(map, place(FIRST, 0), 0x7ffff7dd7000 - 0x100000);
	/* The cache is unmapped: either mapping fits into its gap, and the first one gets it. */
	expect(map, place(SECOND, 0), 0x7ffff7fc4000 - 0x4000);
	expect(map, place(THIRD, 0), 0x7ffff7cd7000 - 0xb000);
	/* 0x7ffffffff000 - 8 - 111 is ...ef89, rounded ...ef80; 7 + 16 bytes make ...ef69; 8 pointers and 21 pairs are
	 * 400 bytes: ...edd9, rounded down. */
	expect(map, place(STACK, IFR_STACK_ORIGIN), 0x7fffffffedd0);
	expect(map, place(STACK, IFR_STACK_ORIGIN - 8), 0x7fffffffedc8);
	expect(map, 0xffffffffff, 0xffffffffff); /* in no mapping */
	ifr_address_map_free(map);
	ifr_trace_free(trace);
}

static void test_fixed(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "auxiliary_bytes 368\nkernel_mapped_bytes 32768\nload_pages 2\n");
	struct ifr_layout_request request = {.end_bytes = 0x3001, .stack_bytes = 5, .load_pages = 3};
	struct ifr_address_map *map = map_of(trace, &request);
	expect(map, place(PROGRAM, 0x401000), 0x401000);
	expect(map, place(HEAP, 0), 0x409000);
	expect(map, place(LOADER, 0), 0x7ffff7fca000 - 5 * 0x1000);
	expect(map, place(CACHE, 0), 0x7ffff7fca000 - 5 * 0x1000 - 0x8000 - 0xb000);
	/* ...eff3 - rounded ...eff0 - 23 = ...efd9; 3 words and 368 bytes: ...ee51 */
	expect(map, place(STACK, IFR_STACK_ORIGIN), 0x7fffffffee50);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
}

static void test_moves(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "");
	const struct ifr_move moves[] = {{0x401000, 0x20, 0x401100, true},
	                                 {0x401080, 1, 0x401000, true},
	                                 {0x401081, 0x3f, 0x401300, true},
	                                 {0x404000, 0x10, 0x404800, false}};
	struct ifr_layout_request request = {.moves = moves, .count = 4}, code = {.moves = moves, .count = 3},
							  data = {.moves = moves + 3, .count = 1};
	struct ifr_address_map *all = map_of(trace, &request), *native = map_of(trace, NULL);
	struct ifr_address_map *of_code = map_of(trace, &code), *of_data = map_of(trace, &data);
	static const uint64_t offsets[] = {0x400fff, 0x401000, 0x40101f, 0x401020, 0x401080, 0x401081,
	                                   0x4010bf, 0x4010c0, 0x404000, 0x40400f, 0x404010};
	static const uint64_t wanted[] = {0x400fff, 0x401100, 0x40111f, 0x401020, 0x401000, 0x401300,
	                                  0x40133e, 0x4010c0, 0x404800, 0x40480f, 0x404010};
	enum { COUNT = sizeof offsets / sizeof *offsets };
	uint64_t places[COUNT], addresses[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		places[i] = place(PROGRAM, offsets[i]);
		expect(all, places[i], wanted[i]);
		expect(native, places[i], offsets[i]);
	}
	assert_int_equal(ifr_addresses_of(all, places, COUNT, addresses), IFR_STRAY_CODE | IFR_STRAY_UNMOVED);
	assert_memory_equal(addresses, wanted, sizeof wanted);
	assert_int_equal(ifr_addresses_of(all, places, 1, addresses), 0);
	assert_int_equal(ifr_addresses_of(all, places + 1, 9, addresses), IFR_STRAY_CODE);
	assert_int_equal(ifr_addresses_of(all, places + COUNT - 2, 2, addresses), IFR_STRAY_UNMOVED);
	assert_int_equal(ifr_addresses_of(native, places, COUNT, addresses), 0);
	assert_true(ifr_address_maps_share_data(native, of_code));
	assert_true(ifr_address_maps_share_data(of_data, all));
	assert_false(ifr_address_maps_share_data(native, all));
	/* The target was behind the block and is before it now. */
	struct ifr_geometry before, after;
	uint16_t ends[2];
	ifr_address_map_blocks(native, trace, IFR_ENTRY_JUMP, &before, ends, NULL);
	ifr_address_map_blocks(all, trace, IFR_ENTRY_JUMP, &after, ends, NULL);
	assert_int_equal(before.address, 0x401000);
	assert_false(before.backward);
	assert_int_equal(after.address, 0x401100);
	assert_true(after.backward);
	assert_int_equal(after.bytes, 20);
	ifr_address_map_free(all);
	ifr_address_map_free(native);
	ifr_address_map_free(of_code);
	ifr_address_map_free(of_data);
	ifr_trace_free(trace);
}

/* The block's instructions have 4, 3 (a nop), 5, 6 and 2 bytes. In the layout, two nops align a label at 0x405110,
 * a nop of one byte follows the label, and the jump is longer. */
static void test_points(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "");
	const struct ifr_instruction_move points[] = {
		{0x401000, 0x405111, 0x405100, 0x405110, 3, 1, 4}, {0x401007, 0x405118, 0x405115, 0x405115, 1, 1, 5},
		{0x40100c, 0x40511d, 0x40511d, 0x40511d, 0, 0, 6}, {0x401012, 0x405123, 0x405123, 0x405123, 0, 0, 6},
		{0x401080, 0x406000, 0x405f00, 0x405123, 9, 8, 1},
	};
	const struct ifr_move moves[] = {{0x401000, 0x200, 0x405100, true}};
	struct ifr_layout_request request = {
		.moves = moves, .count = 1, .instructions = points, .instruction_count = 5};
	struct ifr_address_map *map = map_of(trace, &request);
	struct ifr_geometry block;
	uint16_t ends[2];
	assert_true(ifr_address_map_has_instructions(map));
	assert_int_equal(ifr_address_map_blocks(map, trace, IFR_ENTRY_FALL, &block, ends, NULL), 0);
	assert_int_equal(block.address, 0x405100);
	assert_int_equal(block.bytes, 0x29);
	assert_int_equal(block.instructions, 4 + 3 + 1);
	assert_int_equal(block.branch_bytes, 6);
	assert_int_equal(ends[0], 0x15);
	assert_int_equal(ends[1], 0x23);
	assert_true(block.backward); /* the label lies at the branch itself, not behind it */
	assert_int_equal(ifr_address_map_blocks(map, trace, IFR_ENTRY_JUMP, &block, ends, NULL), 0);
	assert_int_equal(block.address, 0x405110);
	assert_int_equal(block.bytes, 0x19);
	assert_int_equal(block.instructions, 4 + 1 + 1);
	assert_int_equal(ends[0], 5);
	assert_int_equal(ends[1], 0x13);
	ifr_address_map_free(map);
	ifr_trace_free(trace);
}

/* A block of 64 KiB or more is refused. */
static void test_too_long(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "");
	const struct ifr_instruction_move points[] = {{0x401000, 0x405000, 0x405000, 0x405000, 0, 0, 4},
	                                              {0x401012, 0x415000, 0x405004, 0x405004, 7000, 7000, 2}};
	struct ifr_layout_request request = {.instructions = points, .instruction_count = 2};
	struct ifr_address_map *map = map_of(trace, &request);
	struct ifr_geometry block;
	struct ifr_error err = {0};
	uint16_t ends[2];
	assert_int_equal(ifr_address_map_blocks(map, trace, IFR_ENTRY_FALL, &block, ends, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "64 KiB"));
	ifr_address_map_free(map);
	ifr_trace_free(trace);
}

/* Layouts with other stacks or other ends of the program do not share data. */
static void test_share(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "");
	struct ifr_layout_request requests[] = {{0}, {.stack_bytes = 16}, {.load_pages = 1}, {.end_bytes = 0x1000}};
	struct ifr_address_map *maps[4];
	for (int i = 0; i < 4; i++)
		maps[i] = map_of(trace, &requests[i]);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			assert_int_equal(ifr_address_maps_share_data(maps[i], maps[j]), i == j);
	for (int i = 0; i < 4; i++)
		ifr_address_map_free(maps[i]);
	ifr_trace_free(trace);
}

/* Layouts whose data and heap all lie one or more pages further up share lines. */
static void test_share_lines(void **state) {
	(void)state;
	struct ifr_trace *trace = make_trace(true, "");
	const struct ifr_move moves[][3] = {
		{{0x401000, 0x20, 0x409000, true}, {0x403010, 0x10, 0x405010, false}, {0x404000, 0x80, 0x406000, false}},
		{{0x401000, 0x20, 0x401000, true}, {0x403010, 0x10, 0x404010, false}, {0x404000, 0x80, 0x405000, false}},
		{{0x402000, 0x20, 0x402000, false}, {0x403010, 0x10, 0x404010, false}, {0x404000, 0x80, 0x405000, false}},
		/* These share no lines: unequal displacements, not whole pages, downwards, from another page, beside
		 * unmoved data. */
		{{0x402000, 0x20, 0x402000, false}, {0x403010, 0x10, 0x404010, false}, {0x404000, 0x80, 0x406000, false}},
		{{0x402000, 0x20, 0x402000, false}, {0x403010, 0x10, 0x404020, false}, {0x404000, 0x80, 0x405010, false}},
		{{0x402000, 0x20, 0x402000, false}, {0x403010, 0x10, 0x402010, false}, {0x404000, 0x80, 0x403000, false}},
		{{0x402000, 0x20, 0x402000, false}, {0x403010, 0x10, 0x403010, false}, {0x404000, 0x80, 0x405000, false}},
		{{0x403000, 0x10, 0x403000, false}, {0x403010, 0x10, 0x404010, false}, {0x404000, 0x80, 0x405000, false}},
	};
	enum { ALIKE = 3, KINDS = sizeof moves / sizeof *moves };
	struct ifr_address_map *native = map_of(trace, NULL), *maps[KINDS];
	for (size_t i = 0; i < KINDS; i++) {
		struct ifr_layout_request request = {.moves = moves[i], .count = 3, .end_bytes = 0x1000 * (i % 4)};
		maps[i] = map_of(trace, &request);
		/* Against the native layout the first moved page does not matter. */
		assert_int_equal(ifr_address_maps_share_lines(native, maps[i]), i < ALIKE || i == 6);
		assert_int_equal(ifr_address_maps_share_lines(maps[i], maps[0]), i < ALIKE);
		assert_false(ifr_address_maps_share_data(maps[i], native));
	}
	const struct ifr_layout_request others[] = {{.stack_bytes = 4096}, {.load_pages = 1}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct ifr_address_map *other = map_of(trace, &others[i]);
		assert_false(ifr_address_maps_share_lines(native, other));
		ifr_address_map_free(other);
	}
	for (size_t i = 0; i < KINDS; i++)
		ifr_address_map_free(maps[i]);
	ifr_address_map_free(native);
	ifr_trace_free(trace);
}

/* --- as Linux does it ---------------------------------------------------------------------------------------- */

static const char program[] =
	"#define _GNU_SOURCE\n#include <link.h>\n#include <stdio.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
	"extern void *__libc_stack_end; extern char __executable_start;\n"
	"static char *map(size_t n) { char *p = mmap(0, n, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *p = 1; return p; "
	"}\n"
	"static int each(struct dl_phdr_info *info, size_t n, void *d) {\n"
	"	(void)n, (void)d;\n"
	"	if (*info->dlpi_name == '/') printf(\"%s %lx\\n\", info->dlpi_name, (long)info->dlpi_addr);\n"
	"	return 0; }\n"
	"int main(void) {\n"
	"	char line[512]; FILE *maps = fopen(\"/proc/self/maps\", \"r\"); unsigned long heap;\n"
	"	char *big = map(1 << 20), *small = map(1 << 16); munmap(big, 1 << 20); char *again = map(1 << 14);\n"
	"	printf(\"program %lx\\nstack %lx\\nbig %lx\\nsmall %lx\\nagain %lx\\n\", (long)&__executable_start,\n"
	"	       (long)__libc_stack_end, (long)big, (long)small, (long)again);\n"
	"	while (fgets(line, sizeof line, maps))\n"
	"		if (sscanf(line, \"%lx-%*x %*s %*s %*s %*s [heap]\", &heap) == 1 && __builtin_strstr(line, "
	"\"[heap]\"))\n"
	"			printf(\"heap %lx\\n\", heap);\n"
	"	dl_iterate_phdr(each, 0);\n"
	"	return 0; }\n";

/* Returns the address that a line of the output gives. */
static uint64_t said(const char *output, const char *what) {
	char *line = ifr_format("%s ", what);
	const char *found = strstr(output, line);
	if (!found)
		fail_msg("no %s in: %s", what, output);
	uint64_t address = strtoull(found + strlen(line), NULL, 16);
	free(line);
	return address;
}

static size_t region_of(const struct ifr_trace *trace, enum ifr_mapping_kind kind, const char *path,
                        uint64_t bytes) {
	const struct ifr_mapping *regions;
	size_t count = ifr_trace_mappings(trace, &regions);
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		if (regions[i].kind == kind && (!path || strstr(regions[i].path, path)) &&
		    (!bytes || regions[i].bytes == bytes))
			return i;
	fail_msg("no region of kind %d, %s, %llu", kind, path ? path : "", (unsigned long long)bytes);
	return 0;
}

static struct ifr_trace *record(const char *flags, struct ifr_buffer *output) {
	struct ifr_trace *trace;
	char *command =
		ifr_format("gcc -O1 %s where.c -o where && "
	               "\"$INTERFERO_BUILD\"/bin/interfero record -q -o where.trace -- \"$PWD/where\" >/dev/null",
	               flags);
	char *path = below("where.trace");
	write_below("where.c", program);
	shell_below(command, NULL);
	/* The process context that the trace states, an even and an odd number of pointers, and the launcher's path of 256
	 * bytes. */
	shell_below("PATH=/usr/bin:/bin; interfero=\"$INTERFERO_BUILD\"/bin/interfero; set --; "
	            "$interfero trace info where.trace | sed -n 's/^environment //p' >environment; "
	            "while read -r line; do set -- \"$@\" \"$line\"; done <environment; "
	            "setarch -R env -i \"$@\" perl -e 'exec { \"/\" x (256 - length $ARGV[0]) . $ARGV[0] } $ARGV[0]' "
	            "\"$PWD/where\"",
	            output);
	assert_int_equal(ifr_trace_open(path, &trace, NULL), 0);
	free(path);
	free(command);
	return trace;
}

static void skip_without_tools(void) {
	if (!getenv("INTERFERO_BUILD") || system("setarch -R true 2>/dev/null"))
		skip();
}

static void compare(const char *flags, bool is_static) {
	struct ifr_buffer output = {0};
	struct ifr_trace *trace = record(flags, &output);
	struct ifr_address_map *map = map_of(trace, NULL);
	const char *text = ifr_buffer_text(&output);
	const struct ifr_mapping *regions;
	ifr_trace_mappings(trace, &regions);
	size_t own = region_of(trace, IFR_MAPPING_PROGRAM, NULL, 0);
	expect(map, place(own, regions[own].start), said(text, "program"));
	/* Without a loader, the C library's end-of-stack is one pushed word further down. */
	expect(map, place(region_of(trace, IFR_MAPPING_STACK, NULL, 0), IFR_STACK_ORIGIN),
	       said(text, "stack") + (is_static ? 8 : 0));
	expect(map, place(region_of(trace, IFR_MAPPING_HEAP, NULL, 0), 0), said(text, "heap"));
	if (is_static) { /* with longer vector registers a loader makes other mappings, by a page or two */
		expect(map, place(region_of(trace, IFR_MAPPING_ANONYMOUS, NULL, 1 << 20), 0), said(text, "big"));
		expect(map, place(region_of(trace, IFR_MAPPING_ANONYMOUS, NULL, 1 << 16), 0), said(text, "small"));
		expect(map, place(region_of(trace, IFR_MAPPING_ANONYMOUS, NULL, 1 << 14), 0), said(text, "again"));
	} else {
		size_t loader = region_of(trace, IFR_MAPPING_LIBRARY, "ld-linux", 0);
		size_t libc = region_of(trace, IFR_MAPPING_LIBRARY, "libc.so", 0);
		expect(map, place(loader, 0), said(text, "/lib64/ld-linux-x86-64.so.2"));
		expect(map, place(libc, 0), said(text, "libc.so.6"));
	}
	ifr_address_map_free(map);
	ifr_trace_free(trace);
	ifr_buffer_release(&output);
}

static void test_real(void **state) {
	(void)state;
	skip_without_tools();
	compare("", false);
	compare("-no-pie", false);
}

static void test_real_static(void **state) {
	(void)state;
	skip_without_tools();
	compare("-static -no-pie", true);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native),      cmocka_unit_test(test_fixed),    cmocka_unit_test(test_moves),
		cmocka_unit_test(test_points),      cmocka_unit_test(test_too_long), cmocka_unit_test(test_share),
		cmocka_unit_test(test_share_lines), cmocka_unit_test(test_real),     cmocka_unit_test(test_real_static),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
