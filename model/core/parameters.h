/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core's parameters: what the front end and the graph read of a machine's description. The settings of the same
 * names (model/machines/settings.c) say what they mean. */
#ifndef IFR_MODEL_CORE_PARAMETERS_H
#define IFR_MODEL_CORE_PARAMETERS_H

#include "model/core/causes.h"
#include "model/machines/machine.h"

/* The first instructions of a run, which a sampled core takes as a whole: shorter runs have no sampling error. */
enum { IFR_CORE_HEAD = 1000000 };
/* The period of the samples of a run of so many instructions. Samples of a longer run cost no more. */
uint64_t ifr_core_period(uint64_t instructions);

/* Cycles of a misprediction besides the redirect: from the next slot to the execution of an operation that waits for it,
 * with a jump among the slots behind the branch. Published penalties have them. */
enum { IFR_CORE_REDIRECT_REST = 3 };

/* Windows, or blocks of code, that a direct jump joins and the branch predictor finds together. The first of two blocks
 * goes on into a second window; the second one may be the rest of its window behind a branch that is not taken.
 *
 * On a Zen 5 by the clock (2026; tests/bench/groups): half a cycle for each window that a jump ends, a cycle for each
 * that a branch divides or whose jump is in the next window; one for the two windows of straight code. A branch that is
 * not taken divides its window if other code jumps behind it, and not if it has only been taken itself. */
enum ifr_pairs { IFR_PAIRS_NONE, IFR_PAIRS_JUMPS, IFR_PAIRS_BLOCKS };

struct ifr_core {
	/* back end */
	unsigned issue, retire, window, scheduler, loads, stores, fills;
	unsigned load_latency, forward, renamed, blocked, alias, line_split, page_split, clear, counters;
	unsigned wakeup, longest; /* cycles of operations: least of those that take any, most of longer ones */
	unsigned miss_latency[4]; /* by level that has the line: first, second, third, memory */
	unsigned page_latency[3]; /* by level that has the page: first, second, page walk */
	unsigned mispredicted;    /* cycles from the execution of a mispredicted branch to the next slot */
	unsigned line_shift, page_shift;
	unsigned drain;     /* cycles between stores that leave the queue, … */
	unsigned commit;    /* … so many together */
	bool own_fills;     /* lines that prefetches have under way take none of `fills` */
	bool unlimited;     /* ports, units and the first decoder are always free */
	uint8_t level_mask; /* of the levels of an access (IFR_CORE_LEVEL), those that count */
	uint32_t ideal;     /* the causes that are idealised */
	/* front end */
	unsigned fetch_bytes, predecode, decoders, length_change, queue, unknown_branch;
	unsigned bubble[3];       /* by BTB level */
	unsigned taken;           /* branches of a cycle, at the last of which fetch stops */
	unsigned calls, indirect; /* cycles besides `bubble` behind calls and returns, and behind indirect jumps */
	unsigned targets; /* cycles behind an indirect jump or call whose groups tell another target (targets.h) */
	unsigned several; /* cycles behind one that has led to several targets */
	unsigned far;     /* cycles behind an indirect jump or call that leads far (entry.h) */
	unsigned prediction, ahead;
	unsigned branches;         /* that the predictor finds at once; 0: no limit */
	uint8_t pairs;             /* enum ifr_pairs */
	unsigned fetch_latency[4]; /* of a line of code, by level that has it */
	unsigned fetch_page_latency[3];
	bool fusion_anywhere;
	unsigned cache_sets, cache_ways, cache_ops, cache_branches, cache_window_shift, cache_lines, cache_width;
	unsigned cache_switch, cache_boundary;
	unsigned cache_reads;   /* lines that arrive in a cycle */
	unsigned cache_further; /* cycles behind them in which further lines of their window do; 0: none */
	bool cache_spans;       /* a line goes on into the next window */
	bool one_constant;      /* a slot holds an immediate or a displacement, and not both */
	bool cache_nru;         /* a line goes that was not used since all others were, not the least recently used */
	bool cache_by_start, cache_by_last; /* lines by their first instruction; windows by last bytes */
	bool cache_goes_on;                 /* no window or line ends the op cache's slots of a cycle, only branches */
	unsigned loop_ops, loop_windows, loop_window_shift, loop_branches, loop_unroll;
};

/* Returns whether the description has a core. */
bool ifr_machine_has_core(const struct ifr_machine *machine);
/* Reads a core's parameters from a description that has one. */
void ifr_core_init(struct ifr_core *core, const struct ifr_machine *machine);
static inline bool ifr_core_idealises(const struct ifr_core *core, enum ifr_cause cause) {
	return core->ideal >> cause & 1;
}
/* Returns the name of the core's table of instructions (ifr_decoder_new). */
const char *ifr_core_table(const struct ifr_machine *machine, char name[32]);

#endif
