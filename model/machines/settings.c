/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of settings: names, bounds and meanings. */
#include "model/machines/machine.h"

#define POLICIES "lru plru"

#define CACHE(group, what)                                                                                       \
	{group, "bytes", 1024, 1u << 30, NULL, "size of the " what}, {group, "ways", 1, 64, NULL, "lines of a set"}, \
		{group, "line_bytes", 16, 512, NULL, "size of a line"}, {                                                \
		group, "policy", 0, 1, POLICIES,                                                                         \
			"which line makes room: least recently used, or a tree that comes near it"                           \
	}
#define TLB(group, what)                                                                             \
	{group, "entries", 1, 1u << 16, NULL, "pages in the " what},                                     \
		{group, "ways", 1, 1024, NULL, "entries of a set; as many as entries: fully associative"}, { \
		group, "policy", 0, 1, POLICIES, "which entry makes room"                                    \
	}
#define BTB(group, what)                                                                           \
	{group, "entries", 1, 1u << 20, NULL, "taken branches whose targets the " what " holds"},      \
		{group, "ways", 1, 1024, NULL, "entries of a set"}, {                                      \
		group, "index_bit", 0, 20, NULL, "lowest bit of the branch's address that chooses the set" \
	}

const struct ifr_setting_about ifr_settings[IFR_SETTINGS] = {
	{"core", "width", 1, 16, NULL, "instructions that can start in a cycle"},
	{"core", "branch_byte", 0, 1, "first last", "the byte whose address stands for a branch"},
	{"core", "page_bytes", 4096, 1u << 30, NULL, "size of a page"},
	CACHE("l1i", "first instruction cache"),
	CACHE("l1d", "first data cache"),
	CACHE("l2", "second cache, of instructions and data"),
	CACHE("l3", "third cache, of instructions and data"),
	TLB("itlb", "first instruction TLB"),
	TLB("dtlb", "first data TLB"),
	TLB("stlb", "second TLB, of instructions and data"),
	BTB("btb1", "first BTB"),
	BTB("btb2", "BTB asked when the first has nothing"),
	BTB("btb3", "BTB asked when the second has nothing"),
	{"return_stack", "entries", 1, 1024, NULL, "return addresses; one more call forgets the oldest"},
	{"store_buffer", "entries", 1, 256, NULL,
     "stores whose low 12 address bits a load is compared with: more count as done"},
	{"penalty", "conditional", 0, 1000, NULL, "cycles for a conditional branch mispredicted"},
	{"penalty", "indirect", 0, 1000, NULL, "cycles for an indirect branch mispredicted"},
	{"penalty", "return", 0, 1000, NULL, "cycles for a return mispredicted"},
	{"penalty", "btb", 0, 1000, NULL, "cycles for a taken branch that no BTB has"},
	{"penalty", "l1i", 0, 1000, NULL, "cycles for a line that the first instruction cache has not"},
	{"penalty", "l1d", 0, 1000, NULL, "cycles for a load that the first data cache has not"},
	{"penalty", "l2", 0, 1000, NULL, "further cycles when the second cache has it not and there is a third"},
	{"penalty", "llc", 0, 1000, NULL, "further cycles when the last cache has it not"},
	{"penalty", "itlb", 0, 1000, NULL, "cycles for a page that the first instruction TLB has not"},
	{"penalty", "dtlb", 0, 1000, NULL, "cycles for a load or store whose page the first data TLB has not"},
	{"penalty", "stlb", 0, 1000, NULL, "further cycles for a page walk"},
};
