/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of the experiments. Each is appended to an initialised kernel, whose elements and rounds it sets. */
#ifndef IFR_HARNESS_PROBE_KERNELS_H
#define IFR_HARNESS_PROBE_KERNELS_H

#include "harness/probe/kernel.h"

/* Places of n elements: `groups` of them side by side, `granule` bytes apart, and again so many at each `distance`.
 * One group: elements at a distance. */
struct probe_places {
	size_t count, groups;
	uint64_t granule, distance;
};
uint64_t probe_place(const struct probe_places *places, size_t i);
/* The bytes from the first element to the last. */
uint64_t probe_places_span(const struct probe_places *places);

/* Conditional branches that are always taken, each to the next one; the last bytes of the branches lie at the places. The
 * last of them, at least two, is the loop's. Where distances are too short for the loop's branch, which has 6 bytes,
 * it lies 6 bytes behind the one before. Elements: branches. Ref: Milenković et al. 2004, figures 7 and 8. */
void probe_branch_chain(struct probe_kernel *kernel, const struct probe_places *places);
/* The same behind so many zeroed registers of 2 bytes, at most 16384: straight code that takes lines of an op cache, and
 * no branches. */
void probe_branch_chain_behind(struct probe_kernel *kernel, const struct probe_places *places, size_t zeroed);

/* Branches of 6 bytes that are always taken, each to the next, in rows of groups that lie two granules apart; the last
 * bytes lie at the end and at the start of their granules, in turn by row. The last branch is the loop's. Elements:
 * branches. */
void probe_branch_pairs(struct probe_kernel *kernel, const struct probe_places *places);

/* Jumps of 5 bytes at these addresses of code, each to the next, in their order; the loop's branch lies in the page of
 * the last one, 512 bytes from it. Elements: jumps. */
void probe_jump_list(struct probe_kernel *kernel, const uint64_t *addresses, size_t count);

/* Branches of a loop's body, each followed by the next. */
enum probe_item_kind {
	PROBE_ITEM_PATTERN, /* conditional, with outcomes */
	PROBE_ITEM_JUMP     /* unconditional, to the next item */
};
struct probe_item {
	enum probe_item_kind kind;
	const uint8_t *outcomes; /* by round; NULL: never taken */
};
/* A loop of `rounds` rounds over the items. Branches end `spacing` bytes apart, at least 9; taken or not, they go on with
 * the next item. Elements: rounds. Ref: Milenković et al. 2004, figures 11 to 17. */
void probe_pattern_loop(struct probe_kernel *kernel, const struct probe_item *items, size_t count, size_t rounds,
                        unsigned spacing, uint64_t offset);
/* The same over one item, where outcomes are known late: a chain of `pace` pairs of complements in each round leads from
 * the address of one outcome to that of the next. So a round takes the chain's cycles, however its code is fetched, and
 * a misprediction adds to them. */
void probe_paced_pattern(struct probe_kernel *kernel, const struct probe_item *item, size_t rounds,
                         unsigned spacing, unsigned pace);

/* The same with outcomes of which none comes again: kinds of branches, by a bit that is new in each round. It is drawn a
 * round before, so that no branch waits for it; the bits go on where the last call ended. Branches end `spacing` bytes
 * apart, at least 13. For the clock alone. Elements: rounds. Ref: Knuth 1997, section 3.2.1: the highest bit of a linear
 * congruential sequence of period 2^64.
 *
 * pace: a chain of so many pairs of complements, of 6 bytes each, before each branch but the first and the last leads to
 * the bit that the last one tests, so that a round takes the chain's cycles, however its code is fetched. 0: no chain. */
enum probe_random_kind {
	PROBE_RANDOM_NEVER,  /* never taken; the code is that of the next kind, but for a constant */
	PROBE_RANDOM_BIT,    /* taken where the bit is 1 */
	PROBE_RANDOM_ALWAYS, /* conditional, always taken */
	PROBE_RANDOM_JUMP,
	PROBE_RANDOM_TARGET, /* an indirect jump to one of two places, by the bit: in 24 bytes at least; few of them */
	PROBE_RANDOM_SAME_TARGET /* an indirect jump to the first of these */
};
void probe_random_loop(struct probe_kernel *kernel, const enum probe_random_kind *kinds, size_t count,
                       unsigned spacing, unsigned pace);

/* A branch that goes by the sign of a product, or never, between `products` multiplications, each of which waits for the
 * one before. Outcomes go on where the last call ended. Elements: rounds. */
struct probe_late {
	unsigned products;
	bool random, jumps; /* jumps: the branch is followed by a jump, else by the multiplications */
};
void probe_late_branch(struct probe_kernel *kernel, const struct probe_late *late, uint64_t seed);

/* `depth` nested calls and their returns. Elements: calls. */
void probe_call_nest(struct probe_kernel *kernel, size_t depth);

/* A pointer chase over the places, in an order by the seed (0: in their order). Elements: loads. */
void probe_chase(struct probe_kernel *kernel, const struct probe_places *places, uint64_t seed);
/* A chase over pointers at these addresses, each once, in their order. Elements: loads. */
void probe_chase_list(struct probe_kernel *kernel, const uint64_t *addresses, size_t count);
/* A chase over one pointer at that offset. Elements: loads. */
void probe_chase_self(struct probe_kernel *kernel, uint64_t offset);
/* Dependent exclusive ors of registers, one a cycle. Elements: exclusive ors. */
void probe_unit_chain(struct probe_kernel *kernel);
/* A store, `between` stores elsewhere, and a load `distance` bytes above the first store, whose value the next round
 * stores. Elements: loads. */
void probe_store_load(struct probe_kernel *kernel, size_t between, uint64_t distance);
/* A loop over lines, a multiple of 16, upwards and over again, of which none waits for another. data: where they are, of
 * another kernel of no fewer, or 0: the kernel's own. Elements: loads. */
void probe_stream(struct probe_kernel *kernel, size_t lines, uint64_t data);
/* Nops of that length, `count` of them. Elements: nops. */
void probe_nops(struct probe_kernel *kernel, size_t count, unsigned bytes);

/* Instructions to be repeated. rax is kernel->start, rcx 1, rdx 0, xmm0 and xmm1 1.0 before the first of them. */
struct probe_sequence {
	const uint8_t *bytes;
	unsigned length, instructions;
};
/* A loop over `count` repetitions, whose data are 64 bytes from kernel->start. The model is not told of their accesses:
 * for the clock alone. Elements: repetitions. */
void probe_repeat(struct probe_kernel *kernel, const struct probe_sequence *sequence, size_t count);

/* A loop over windows of 64 bytes, each of `count` zeroed registers (11 to 32) of about one length. For the clock alone.
 * Elements: zeroed registers. */
void probe_zeroed(struct probe_kernel *kernel, size_t windows, unsigned count);

/* A round loads two lines that it has flushed from all caches, with `count` instructions between the loads: those of a
 * sequence, all of one length, over and over, with at most 64 bytes of data from rsi + 64 on; the first load's value is
 * in rax. data: where the lines are, of another
 * kernel, or 0: the kernel's own. For the clock alone. Elements: rounds. */
void probe_two_misses(struct probe_kernel *kernel, const struct probe_sequence *between, size_t count,
                      uint64_t data);

/* An instruction of a kernel, and its access, to be repeated. */
struct probe_step {
	uint8_t bytes[12], length;
	uint8_t access; /* bytes that it loads or stores; 0: none */
	bool store;
	bool far;        /* from rsi, at lines of the round's own; else from rcx, at lines that all rounds share */
	uint32_t offset; /* of the access */
	uint32_t
		stride; /* from a repetition's access to the next; not 0: the offset is the instruction's last 4 bytes */
};
struct probe_run {
	struct probe_step step;
	size_t count;
};
/* The offset from rsi of the pointer to the next round's lines. */
enum { PROBE_NEXT = 128 };
/* A loop over the instructions, in `rounds` rounds that differ in rsi where the code follows PROBE_NEXT; 1: rsi and rcx
 * stay kernel->start. Lines of more rounds than a cache has ways share its sets, so a described machine misses them
 * all; this machine may hash addresses, and does not. rdx is 0 before the first round. Elements: rounds. */
void probe_steps(struct probe_kernel *kernel, const struct probe_run *runs, size_t count, size_t rounds);

/* Two indirect jumps in a round, each to one of its targets, with `between` jumps between, each to the next. */
enum { PROBE_TARGETS_MOST = 32 };
struct probe_indirect {
	unsigned targets, between;
	const uint8_t *which[2]; /* the target of each, by round; NULL: always the first */
	size_t rounds;
	bool begins_conditional; /* the first is a conditional branch instead, taken where its target would be 1 */
};
/* Elements: rounds. */
void probe_indirect_loop(struct probe_kernel *kernel, const struct probe_indirect *indirect);
/* A loop that jumps by memory to other code, PROBE_FAR away or near, and back. Elements: jumps. */
void probe_there_and_back(struct probe_kernel *kernel, bool far);

/* A loop of so many bytes of nops that are as long as instructions can be, at an offset in its page. Elements: rounds. */
void probe_long_nops(struct probe_kernel *kernel, unsigned bytes, unsigned offset);

/* Windows of code. Each may have an instruction whose prefix changes the length of its immediate, which stalls Intel's
 * decoders and nothing behind them, or in its place one of the same bytes that stalls nothing. */
struct probe_windows {
	size_t count;
	uint64_t distance; /* of windows; if above `bytes`, each ends with a jump to the next */
	unsigned bytes;    /* of a window, with its jump */
	unsigned ops; /* instructions of a segment, without its jump; 0: few. With jump_end: so many more than few */
	unsigned
		segments; /* equal parts of the bytes, each of which ends with a short jump to the next; 0: one, without it */
	unsigned jumps; /* conditional jumps of a segment, never taken */
	unsigned
		jump_end; /* one such jump, behind a test that may fuse with it, which ends there; 0: none. At least 9 */
	unsigned offset; /* of the first window in its page */
	unsigned stalls; /* instructions of a segment, from its first on, that stall decoders, of 4 bytes each */
};
/* A loop over windows. Elements: windows. */
void probe_windows(struct probe_kernel *kernel, const struct probe_windows *windows);

/* A loop over blocks that go on into the next 64 bytes: there, `branches` conditional ones (at most 3) that go on behind
 * themselves, and a jump to the next block. seldom: each is taken, in another one of 256 rounds; else never. Elements:
 * blocks. */
void probe_seldom(struct probe_kernel *kernel, size_t blocks, unsigned branches, bool seldom);

#endif
