/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/axis.h"

#include <string.h>

const struct ifr_axis_info ifr_axes[IFR_AXIS_COUNT] =
	{
		[IFR_AXIS_FUNCTIONS] =
			{
				"functions",
				"functions",
				IFR_OWNER_RELINKER,
				"order of functions across the whole program",
				{{"cross", 0, 0, 1, "1: also across ld's groups .text.unlikely, .text.startup and .text.hot"}},
			},
		[IFR_AXIS_LINK_ORDER] =
			{
				"link-order",
				"objects",
				IFR_OWNER_RELINKER,
				"order in which object files are linked; their functions stay together",
				{{0}},
			},
		[IFR_AXIS_PADDING] =
			{
				"padding",
				"padding",
				IFR_OWNER_RELINKER,
				"padding between functions",
				{{"max", 64, 0, 4096, "largest padding before a function, in bytes"}},
				{{"bytes", 4096, 1, 0, "padding before every function, in bytes"}},
			},
		[IFR_AXIS_BASE] =
			{
				"base",
				"base",
				IFR_OWNER_RELINKER,
				"start address of the text",
				{{"max", 4096, 0, 1 << 20, "largest shift of the text, in bytes"},
                 {"step", 16, 1, 4096, "the shift is a multiple of this many bytes"}},
				{{"bytes", 1 << 20, 1, 0, "shift of the text, in bytes"}},
			},
		[IFR_AXIS_DATA] =
			{
				"data",
				"data",
				IFR_OWNER_RELINKER,
				"order of variables and constants, and padding between them",
				{{"max", 64, 0, 4096, "largest padding before a variable or constant, in bytes"}},
			},
		[IFR_AXIS_INTERP] =
			{
				"interp",
				"interp",
				IFR_OWNER_RELINKER,
				"length of the interpreter path",
				{{"max", 1024, 0, 3900, "largest growth of the path, in bytes"}},
				{{"bytes", 3900, 1, 0, "growth of the path, in bytes"}},
			},
		[IFR_AXIS_NAMES] =
			{
				"names",
				"names",
				IFR_OWNER_RELINKER,
				"number and length of external symbols; .dynsym, .dynstr, .rela.plt and .plt grow",
				{{"symbols", 64, 1, 1024, "largest number of added external functions"},
                 {"max", 4096, 0, 65536, "largest growth of the first one's name, in bytes"}},
				{{"count", 1024, 1, 0, "number of added external functions"},
                 {"bytes", 65536, 1, 1, "growth of the first one's name, in bytes"}},
			},
		[IFR_AXIS_UNIT_ORDER] =
			{
				"unit-order",
				"unit-order",
				IFR_OWNER_PLUGIN,
				"order of functions inside a compilation unit",
				{{0}},
			},
		[IFR_AXIS_NOPS] =
			{
				"nops",
				"nops",
				IFR_OWNER_PLUGIN,
				"nops between instructions",
				{{"rate", 10, 0, 100, "share of sites between instructions that get nops, in percent"},
                 {"max", 1, 1, 9, "longest run of nops at one site, in bytes"},
                 {"heat", 0, 0, 2,
                  "hotness filter; 0: all code; 1: no code that GCC takes for cold; 2: only cold code"}},
				{{"site", 1 << 20, 1, 3, "a site, counted from 0 in each function, that gets further nops"},
                 {"bytes", 64, 1, 3, "nops at that site, in bytes"}},
			},
		[IFR_AXIS_ALIGN] =
			{
				"align",
				"align",
				IFR_OWNER_PLUGIN,
				"alignment of functions and loops",
				{{"functions", 64, 0, 4096, "largest alignment of a function, in bytes; 0: as compiled"},
                 {"loops", 32, 0, 64, "largest alignment of a loop, in bytes; 0: as compiled"},
                 {"heat", 0, 0, 2,
                  "hotness filter; 0: all code; 1: no code that GCC takes for cold; 2: only cold code"}},
				{{"loop-bytes", 64, 1, 1,
                  "alignment of every loop, in bytes, rounded down to a power of two; 0: the seed draws it"}},
			},
		[IFR_AXIS_FRAMES] =
			{
				"frames",
				"frames",
				IFR_OWNER_PLUGIN,
				"extra bytes in stack frames; changes code, too",
				{{"max", 256, 0, 65536, "largest number of extra bytes in a frame, in steps of 16"}},
				{{"align-bytes", 4096, 1, 1,
                  "alignment of the stack at a function's entry, in bytes, rounded down to a power of two"}},
			},
		[IFR_AXIS_GLOBALS] =
			{
				"globals",
				"globals",
				IFR_OWNER_PLUGIN,
				"order and alignment of global variables",
				{{"align", 64, 0, 4096, "largest alignment of a variable, in bytes; 0: as compiled"}},
			},
		[IFR_AXIS_ALIAS_CHECK] =
			{
				"alias-check",
				"alias-check",
				IFR_OWNER_PLUGIN,
				"loops in two versions, chosen by a check of addresses modulo 4096; changes code, too",
				{{"unroll", 8, 2, 64, "iterations whose loads come before their stores where addresses alias"}},
			},
		[IFR_AXIS_SPLIT_LOOPS] =
			{
				"split-loops",
				"split-loops",
				IFR_OWNER_PLUGIN,
				"loops in successive parts, of named functions alone (only=); changes code, too",
				{{"history", 4, 1, 64, "outcomes of a branch that its history holds: so many trips fit a part"}},
				{{"line", 1 << 20, 1, 1,
                  "line of the loop, counted from the function's, which is 0; without: all loops"}},
			},
		[IFR_AXIS_DUPLICATE_JOINS] =
			{
				"duplicate-joins",
				"duplicate-joins",
				IFR_OWNER_PLUGIN,
				"joins, copied for each path (only=); changes code, too",
				{{0}},
				{{"line", 1 << 20, 1, 0,
                  "line of the branch, counted from the function's, which is 0; without: all joins"}},
			},
		[IFR_AXIS_STACK] =
			{
				"stack",
				"stack",
				IFR_OWNER_LAUNCHER,
				"start of the stack, by the size of the environment above it",
				{{"max", 4096, 0, 65536, "largest addition to the environment, in bytes"},
                 {"main", 0, 0, 1 << 20,
                  "largest gap that the runtime puts above main's frame, in bytes; 0: no runtime"}},
				{{"bytes", 65536, 1, 0, "addition to the environment, in bytes"},
                 {"main-bytes", 1 << 20, 16, 1, "gap above main's frame, in bytes"},
                 {"path-bytes", 3839, 1, 0, "growth of the program's path, in bytes; no seed draws it"},
                 {"argument-bytes", 65536, 1, 0, "growth of argv[0], in bytes; no seed draws it"},
                 {"directory-bytes", 3583, 1, 0,
                  "working directory's path: 256 bytes and this growth, by a mount; no seed draws it"}},
			},
		[IFR_AXIS_HEAP] =
			{
				"heap",
				"heap",
				IFR_OWNER_LAUNCHER,
				"addresses of heap objects up to 32 KiB",
				{{"diehard", 1, 0, 1,
                  "1: any slot of the size class (DieHard); 0: one of the next free slots (shuffle)"},
                 {"fullness", 50, 5, 95, "diehard: largest share of a size class in use, in percent"},
                 {"window", 64, 2, 256, "shuffle: number of free slots to choose from"},
                 {"granule", 16, 16, 4096, "sizes are rounded up to a multiple of this many bytes"}},
			},
		[IFR_AXIS_BLOCKS] =
			{
				"blocks",
				"blocks",
				IFR_OWNER_LAUNCHER,
				"page offsets of heap blocks over 32 KiB",
				{{"policy", 1, 0, 2, "0: all begin a page; 1: random; 2: as far apart as possible (alias-free)"}},
				{{"offset", 4080, 16, 1,
                  "page offset of blocks of the functions in only=, in bytes; without: spread over 4096"}},
			},
		[IFR_AXIS_LOAD] =
			{
				"load",
				"load",
				IFR_OWNER_LAUNCHER,
				"addresses of libraries and mappings, by the stack limit above",
				{{"max", 4096, 1, 1 << 20, "largest shift down, in pages"}},
				{{"pages", 1 << 20, 1, 0, "shift down, in pages"}},
			},
		[IFR_AXIS_ALLOCATOR] =
			{
				"allocator",
				"allocator",
				IFR_OWNER_LAUNCHER,
				"the allocator, preloaded",
				{{0}},
				{{"which", 4, 1, 0, "0: glibc; 1: jemalloc; 2: tcmalloc; 3: mimalloc; 4: hoard"}},
			},
		[IFR_AXIS_HUGE_PAGES] =
			{
				"huge-pages",
				"huge-pages",
				IFR_OWNER_LAUNCHER,
				"transparent huge pages of 2 MiB for heap and text",
				{{0}},
				{{"parts", 3, 1, 0, "0: none; 1: heap (glibc's); 2: text; 3: both"}},
			},
		[IFR_AXIS_COPIES] =
			{
				"copies",
				"copies",
				IFR_OWNER_LAUNCHER,
				"place of the program's file in memory: one copy for each layout",
				{{0}},
			},
};

int ifr_axis_find(const char *name, struct ifr_error *err) {
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (!strcmp(ifr_axes[i].name, name) || !strcmp(ifr_axes[i].key, name))
			return i;
	struct ifr_buffer known = {0};
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		ifr_buffer_printf(&known, "%s%s", i ? ", " : "", ifr_axes[i].name);
	int result =
		ifr_fail(err, IFR_E_USAGE, "there is no axis \"%.64s\"; the axes are %s", name, ifr_buffer_text(&known));
	ifr_buffer_release(&known);
	return result;
}

int ifr_axes_parse(const char *list, unsigned *axes, struct ifr_error *err) {
	*axes = 0;
	if (!strcmp(list, "none"))
		return 0;
	if (!strcmp(list, "all")) {
		*axes = (1u << IFR_AXIS_COUNT) - 1;
		return 0;
	}
	while (*list) {
		char name[64];
		size_t length = strcspn(list, ",");
		size_t kept = length < sizeof name - 1 ? length : sizeof name - 1;
		memcpy(name, list, kept);
		name[kept] = '\0';
		int axis = ifr_axis_find(name, err);
		if (axis < 0)
			return axis;
		*axes |= 1u << axis;
		list += length + (list[length] == ',');
	}
	return 0;
}

unsigned ifr_axes_of(unsigned owners) {
	unsigned axes = 0;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if ((unsigned)ifr_axes[i].owner & owners)
			axes |= 1u << i;
	return axes;
}

void ifr_axes_print(unsigned axes, struct ifr_buffer *list) {
	size_t begin = list->length;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (axes & 1u << i)
			ifr_buffer_printf(list, "%s%s", list->length > begin ? "," : "", ifr_axes[i].name);
	if (list->length == begin)
		ifr_buffer_puts(list, "none");
}
