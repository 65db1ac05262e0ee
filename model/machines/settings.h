/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of a description: what they are called, and which values they take. docs/interfero-machine.md says what
 * each of them means. */
#ifndef IFR_MODEL_MACHINES_SETTINGS_H
#define IFR_MODEL_MACHINES_SETTINGS_H

/* All numbers of a description but those of predictors. settings.c has names, bounds and meanings. */
enum ifr_setting {
	IFR_CORE_WIDTH,
	IFR_CORE_BRANCH_BYTE, /* address that stands for a branch: 0: of its first byte, 1: of its last */
	IFR_CORE_PAGE_BYTES,
	IFR_L1I_BYTES, /* cache: bytes, ways, line_bytes, policy; 0 bytes: none */
	IFR_L1D_BYTES = IFR_L1I_BYTES + 4,
	IFR_L2_BYTES = IFR_L1D_BYTES + 4,
	IFR_L3_BYTES = IFR_L2_BYTES + 4,
	IFR_ITLB_ENTRIES = IFR_L3_BYTES + 4, /* TLB: entries, ways, policy; 0 entries: none */
	IFR_DTLB_ENTRIES = IFR_ITLB_ENTRIES + 3,
	IFR_STLB_ENTRIES = IFR_DTLB_ENTRIES + 3,
	IFR_BTB1_ENTRIES = IFR_STLB_ENTRIES + 3, /* BTB level: entries, ways, lowest bit of the index */
	IFR_BTB2_ENTRIES = IFR_BTB1_ENTRIES + 3,
	IFR_BTB3_ENTRIES = IFR_BTB2_ENTRIES + 3,
	IFR_RETURN_STACK_ENTRIES = IFR_BTB3_ENTRIES + 3,
	IFR_STORE_BUFFER_ENTRIES,
	IFR_PENALTY_CONDITIONAL, /* this to IFR_PENALTY_STLB: cycles for each event of the kind */
	IFR_PENALTY_INDIRECT,
	IFR_PENALTY_RETURN,
	IFR_PENALTY_BTB,
	IFR_PENALTY_L1I,
	IFR_PENALTY_L1D,
	IFR_PENALTY_L2,
	IFR_PENALTY_LLC,
	IFR_PENALTY_ITLB,
	IFR_PENALTY_DTLB,
	IFR_PENALTY_STLB,
	IFR_PIPELINE_TABLE, /* a machine whose pipeline.issue is 0 has no core (model/core/) */
	IFR_PIPELINE_ISSUE,
	IFR_PIPELINE_RETIRE,
	IFR_PIPELINE_WINDOW,
	IFR_PIPELINE_SCHEDULER,
	IFR_PIPELINE_LOADS,
	IFR_PIPELINE_STORES,
	IFR_PIPELINE_FILLS,
	IFR_PIPELINE_LOAD_LATENCY,
	IFR_PIPELINE_FORWARD,
	IFR_PIPELINE_RENAMED,
	IFR_PIPELINE_COMMIT,
	IFR_PIPELINE_BLOCKED,
	IFR_PIPELINE_ALIAS,
	IFR_PIPELINE_LINE_SPLIT,
	IFR_PIPELINE_PAGE_SPLIT,
	IFR_PIPELINE_CLEAR,
	IFR_PIPELINE_COUNTERS,
	IFR_PIPELINE_WAKEUP,
	IFR_PIPELINE_LONGEST,
	IFR_PIPELINE_UNITS,
	IFR_PIPELINE_WAY_TAG,
	IFR_FETCH_BYTES,
	IFR_FETCH_PREDECODE,
	IFR_FETCH_DECODERS,
	IFR_FETCH_LENGTH_CHANGE,
	IFR_FETCH_QUEUE,
	IFR_FETCH_BUBBLE1,
	IFR_FETCH_BUBBLE2,
	IFR_FETCH_BUBBLE3,
	IFR_FETCH_CALLS,
	IFR_FETCH_INDIRECT,
	IFR_FETCH_TARGETS,
	IFR_FETCH_SEVERAL,
	IFR_FETCH_FAR,
	IFR_FETCH_REDIRECT,
	IFR_FETCH_BLOCK_TAG,
	IFR_FETCH_TAKEN,
	IFR_FETCH_FUSION,
	IFR_FETCH_PREDICTION,
	IFR_FETCH_BRANCHES,
	IFR_FETCH_AHEAD,
	IFR_FETCH_PAIRS,
	IFR_OP_CACHE_SETS, /* 0: none */
	IFR_OP_CACHE_WAYS,
	IFR_OP_CACHE_OPS,
	IFR_OP_CACHE_BRANCHES,
	IFR_OP_CACHE_WINDOW,
	IFR_OP_CACHE_BYTE,
	IFR_OP_CACHE_LINES,
	IFR_OP_CACHE_TAG,
	IFR_OP_CACHE_WIDTH,
	IFR_OP_CACHE_ENDS,
	IFR_OP_CACHE_READS,
	IFR_OP_CACHE_POLICY,
	IFR_OP_CACHE_SWITCH,
	IFR_OP_CACHE_JUMP_BOUNDARY,
	IFR_LOOP_BUFFER_OPS, /* 0: none */
	IFR_LOOP_BUFFER_WINDOWS,
	IFR_LOOP_BUFFER_WINDOW,
	IFR_LOOP_BUFFER_BRANCHES,
	IFR_LOOP_BUFFER_UNROLL,
	IFR_PREFETCH_SOFTWARE, /* 0: software prefetches do nothing but take their slot */
	IFR_PREFETCH_FILL,     /* 0: lines under way by them take fill buffers; 1: they have their own */
	IFR_SETTINGS
};

struct ifr_setting_about {
	const char *group, *name;
	unsigned least, most;
	const char *words; /* names of the values 0, 1, …, separated by spaces; NULL: a number */
	const char *about; /* meaning, and unit */
};
extern const struct ifr_setting_about ifr_settings[IFR_SETTINGS];

#endif
