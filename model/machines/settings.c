/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of settings: names, bounds and meanings. */
#include "model/machines/machine.h"

#define POLICIES "lru plru"
#define TABLES                                                                                                \
	"sandybridge ivybridge haswell skylake skylake-avx512 icelake goldencove zen2 zen3 zen4 zen5 fields2004 " \
	"r10000"

/* More than any cycle has. */
#define UNLIMITED 65535

#define CACHE(group, what)                                                                                        \
	{group, "bytes", 0, 1u << 30, NULL, "size of the " what "; 0: none, and no miss"},                            \
		{group, "ways", 1, 64, NULL, "lines of a set"}, {group, "line_bytes", 16, 512, NULL, "size of a line"}, { \
		group, "policy", 0, 1, POLICIES,                                                                          \
			"which line makes room: least recently used, or a tree that comes near it"                            \
	}
#define TLB(group, what)                                                                             \
	{group, "entries", 0, 1u << 16, NULL, "pages in the " what "; 0: none, and no miss"},            \
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
	{"pipeline", "table", 0, 12, TABLES, "the table of instructions: their operations, ports and latencies"},
	{"pipeline", "issue", 1, UNLIMITED, NULL, "slots that are renamed in a cycle; a fused pair takes one"},
	{"pipeline", "retire", 1, UNLIMITED, NULL, "slots that retire in a cycle"},
	{"pipeline", "window", 8, 20480, NULL, "slots between rename and retirement (reorder buffer)"},
	{"pipeline", "scheduler", 4, 20480, NULL, "operations that wait for their operands or a port"},
	{"pipeline", "loads", 1, 20480, NULL, "loads between rename and retirement"},
	{"pipeline", "stores", 1, 20480, NULL, "stores between rename and their write into the first data cache"},
	{"pipeline", "fills", 1, 64, NULL, "lines that the first data cache awaits at once (fill buffers)"},
	{"pipeline", "load_latency", 0, 30, NULL, "cycles from a load's start to its use, in the first data cache"},
	{"pipeline", "forward", 0, 30, NULL, "cycles from a load's start to its use, forwarded from a store"},
	{"pipeline", "renamed", 0, 60, NULL,
     "last stores whose value a load of the same base register and displacement takes at rename; 0: none"},
	{"pipeline", "commit", 1, 8, NULL, "stores that leave the queue in a cycle"},
	{"pipeline", "blocked", 0, 100, NULL, "further cycles for a load that needs a store only in part"},
	{"pipeline", "alias", 0, 100, NULL,
     "cycles until a load is issued again behind a store with equal low 12 address bits; 0: it is not"},
	{"pipeline", "line_split", 0, 100, NULL, "further cycles for a load across two lines"},
	{"pipeline", "page_split", 0, 500, NULL, "further cycles for a load across two pages"},
	{"pipeline", "clear", 0, 100, NULL, "cycles from a load that was wrongly ahead of a store to the next slot"},
	{"pipeline", "counters", 0, 4096, NULL,
     "counters, by the load's address, that let a load go ahead of unknown stores; 0: it waits for its own store alone"},
	{"pipeline", "wakeup", 0, 30, NULL,
     "cycles from an operation to one that needs its result, at least (issue-wakeup loop); 0: none behind those of one "
     "cycle"},
	{"pipeline", "longest", 0, 1000, NULL, "cycles that a longer operation takes, at most"},
	{"pipeline", "units", 0, 1, "limited unlimited",
     "whether ports, units, the first decoder and the way of stores to the data cache can be busy"},
	{"pipeline", "way_tag", 0, 2, "whole hashed hashed-high",
     "by what the first data cache knows a line of a set: by all of its address, by a hash of bits 12 to 27, or by that "
     "and all bits above"},
	{"fetch", "bytes", 8, UNLIMITED, NULL, "aligned bytes that predecoding takes at once"},
	{"fetch", "predecode", 1, UNLIMITED, NULL, "instructions of them a cycle"},
	{"fetch", "decoders", 1, UNLIMITED, NULL,
     "instructions that are decoded a cycle; only the first may need two slots"},
	{"fetch", "length_change", 0, 20, NULL, "cycles lost by a prefix that changes an instruction's length"},
	{"fetch", "queue", 4, 512, NULL, "slots between front end and rename"},
	{"fetch", "bubble1", 0, 20, NULL, "cycles lost behind a taken branch that the first BTB has"},
	{"fetch", "bubble2", 0, 20, NULL, "the same for the second BTB"},
	{"fetch", "bubble3", 0, 20, NULL, "the same for the third BTB"},
	{"fetch", "calls", 0, 20, NULL, "cycles lost besides behind a call and a return"},
	{"fetch", "indirect", 0, 20, NULL, "the same behind an indirect jump"},
	{"fetch", "targets", 0, 20, NULL,
     "the same behind an indirect jump or call that goes elsewhere than the last one behind the same two groups of "
     "branches"},
	{"fetch", "several", 0, 20, NULL, "the same behind an indirect jump or call that has led to several targets"},
	{"fetch", "far", 0, 20, NULL,
     "the same behind an indirect jump or call to another 2^37 bytes, as from a program into a library"},
	{"fetch", "redirect", 0, 100, NULL,
     "cycles from the execution of a mispredicted branch to the next slot; 0: 3 less than penalty.conditional, which is "
     "of the whole misprediction"},
	{"fetch", "block_tag", 0, 1, "whole hashed",
     "by what the first BTB knows a block of code: by whole addresses, or by hashes of its own and of the one before"},
	{"fetch", "taken", 1, 4, NULL, "taken branches of a cycle at the last of which fetch stops"},
	{"fetch", "fusion", 0, 1, "within_line anywhere", "where a test and its jump fuse if the jump begins a line"},
	{"fetch", "prediction", 0, 16, NULL,
     "cycles in which the branch predictor, ahead of fetch, finds a window; 0: fetch waits for taken branches itself"},
	{"fetch", "branches", 0, 16, NULL,
     "branches that it finds at once; a window costs it as long for each further group of so many; 0: no limit"},
	{"fetch", "ahead", 1, 255, NULL, "windows that it may be ahead"},
	{"fetch", "pairs", 0, 2, "none jumps blocks",
     "what it finds together: windows that a direct jump joins, if the second one ends with a taken branch, too; or two "
     "blocks that a direct jump joins, of which the first may go on into a second window"},
	{"op_cache", "sets", 1, 4096, NULL, "sets of lines of decoded operations"},
	{"op_cache", "ways", 1, 64, NULL, "lines of a set"},
	{"op_cache", "ops", 1, 16, NULL, "slots of a line"},
	{"op_cache", "branches", 1, 16, NULL, "branches of a line"},
	{"op_cache", "window", 16, 128, NULL, "aligned bytes whose instructions share lines"},
	{"op_cache", "byte", 0, 1, "first last", "the byte whose address tells an instruction's window"},
	{"op_cache", "lines", 1, 16, NULL, "lines that a window may have; with more it is not cached"},
	{"op_cache", "tag", 0, 1, "window start", "a line is found by its window, or by its first instruction"},
	{"op_cache", "width", 1, UNLIMITED, NULL, "slots a cycle"},
	{"op_cache", "ends", 0, 1, "window branch",
     "what else ends its slots of a cycle: their window (tag = start: line), or a branch, taken or without room in its "
     "line"},
	{"op_cache", "reads", 1, 2, NULL,
     "lines that arrive in a cycle; the second one of the same window, or of one that a taken branch led to"},
	{"op_cache", "extent", 0, 1, "window path",
     "how far a line goes (tag = start): to the end of its window, or on into the next ones, up to a taken branch"},
	{"op_cache", "further", 0, 20, NULL,
     "cycles after the first lines of a window, which arrive at once, that as many further ones do (prediction > 0); 0: "
     "no limit"},
	{"op_cache", "constants", 1, 2, NULL,
     "constants that a slot holds: with 1, an instruction with an immediate and a displacement takes two"},
	{"op_cache", "policy", 0, 1, "lru nru",
     "which line of a set goes: the one whose use is longest ago, or one at random of those that were not used since all "
     "others were"},
	{"op_cache", "switch", 0, 20, NULL, "cycles lost by going to the decoders"},
	{"op_cache", "jump_boundary", 0, 64, NULL,
     "a jump that crosses or ends at a multiple of so many bytes keeps its window out; 0: none"},
	{"loop_buffer", "ops", 1, 1024, NULL, "slots of a loop that is replayed from the queue"},
	{"loop_buffer", "windows", 1, 64, NULL, "windows that it may span"},
	{"loop_buffer", "window", 16, 64, NULL, "size of such a window"},
	{"loop_buffer", "branches", 1, 64, NULL, "taken branches that it may have"},
	{"loop_buffer", "unroll", 1, 256, NULL, "shorter loops are unrolled to at least so many slots; 1: never"},
	{"prefetch", "software", 0, 1, "ignored filled",
     "whether a prefetch instruction brings its line into the first data cache"},
	{"prefetch", "fill", 0, 1, "shared own",
     "whether such a line takes one of pipeline.fills while it is under way"},
};
