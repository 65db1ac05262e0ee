/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of the front end. */
#include "harness/probe/kernels.h"

#include <string.h>

enum {
	ROOM = 8192,
	SHORT_JUMP = 2,
	JUMP = 5,
	FIRST = 4 /* bytes of a segment's first instruction */,
	LOOP_TAIL = 9 /* dec rdi; jnz, long */
};

static const uint8_t count_down[] = {0x48, 0xff, 0xcf}; /* dec rdi */
static const uint8_t go_back = 0xc3;                    /* ret */

/* Code that is being written, and its block. */
struct writer {
	struct probe_kernel *kernel;
	uint64_t at, block;
	unsigned instructions;
};

static void put(struct writer *writer, const void *bytes, unsigned count) {
	probe_put(writer->kernel, writer->at, bytes, count);
	writer->at += count;
	writer->instructions++;
}

/* Longer ones than probe_put_nops has, by prefixes. */
static void put_nop(struct writer *writer, unsigned length) {
	static const uint8_t longest[] = {0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
	if (length > 8) {
		put(writer, longest + (sizeof longest - length), length);
		return;
	}
	probe_put_nops(writer->kernel, writer->at, length);
	writer->at += length;
	writer->instructions++;
}

/* Fills bytes with that many nops, of about the same length. */
static void fill(struct writer *writer, unsigned bytes, unsigned count) {
	for (; count; count--) {
		const unsigned length = (bytes + count - 1) / count;
		put_nop(writer, length);
		bytes -= length;
	}
}

/* Fills bytes with as few nops as have at most 8 bytes. */
static void fill_few(struct writer *writer, unsigned bytes) {
	fill(writer, bytes, (bytes + 7) / 8);
}

static void end_block(struct writer *writer, enum ifr_branch branch, unsigned bytes, bool backward, bool taken) {
	writer->at += bytes;
	const uint32_t block = probe_add_block(writer->kernel, writer->block, writer->at - 1, writer->instructions + 1,
	                                       branch, bytes, backward);
	probe_execute(writer->kernel, block, taken);
	writer->block = writer->at;
	writer->instructions = 0;
}

/* jc +0, which is never taken: a segment's first instruction clears the carry. */
static void put_not_taken(struct writer *writer) {
	static const uint8_t jump[SHORT_JUMP] = {0x72, 0};
	probe_put(writer->kernel, writer->at, jump, sizeof jump);
	end_block(writer, IFR_BRANCH_CONDITIONAL, sizeof jump, false, false);
}

static void go_to(struct writer *writer, uint64_t target, bool is_short) {
	const unsigned bytes = probe_jump_bytes(PROBE_ALWAYS, is_short);
	probe_put_jump(writer->kernel, writer->at + bytes - 1, PROBE_ALWAYS, is_short, target);
	end_block(writer, IFR_BRANCH_JUMP, bytes, false, true);
	writer->at = writer->block = target;
}

static void put_first(struct writer *writer, bool stalls) {
	static const uint8_t test_16[FIRST] = {0x66, 0xa9, 1, 0};      /* test ax, 1 */
	static const uint8_t test_8[FIRST] = {0x2e, 0xf6, 0xc0, 0x01}; /* test al, 1, with a prefix of no effect */
	put(writer, stalls ? test_16 : test_8, FIRST);
}

/* Few nops, and a test and its jump among them; behind them `more` nops than needed. */
static void put_pair(struct writer *writer, unsigned jump_end, unsigned bytes, unsigned more) {
	static const uint8_t compare[] = {0x38, 0xc0}; /* cmp al, al: no carry */
	fill_few(writer, jump_end - SHORT_JUMP - sizeof compare - FIRST);
	put(writer, compare, sizeof compare);
	put_not_taken(writer);
	const unsigned left = bytes - jump_end;
	fill(writer, left, (left + 7) / 8 + more);
}

/* The jumps behind a nop: the first of them would fuse with the test before. */
static void put_segment(struct writer *writer, const struct probe_windows *windows, unsigned bytes) {
	const uint64_t begin = writer->at;
	unsigned done = 1;
	put_first(writer, windows->stalls);
	if (windows->jump_end) {
		put_pair(writer, windows->jump_end, bytes, windows->ops);
		return;
	}
	for (; done < windows->stalls; done++)
		put_first(writer, true);
	if (windows->jumps) {
		put_nop(writer, 1);
		done += 1 + windows->jumps;
	}
	for (unsigned i = 0; i < windows->jumps; i++)
		put_not_taken(writer);
	const unsigned left = bytes - (unsigned)(writer->at - begin);
	if (windows->ops > done)
		fill(writer, left, windows->ops - done);
	else
		fill_few(writer, left);
}

static void put_window(struct writer *writer, const struct probe_windows *windows, unsigned bytes) {
	if (!windows->segments)
		put_segment(writer, windows, bytes);
	for (unsigned i = 0; i < windows->segments; i++) {
		const unsigned part = bytes * (i + 1) / windows->segments - bytes * i / windows->segments;
		put_segment(writer, windows, part - SHORT_JUMP);
		go_to(writer, writer->at + SHORT_JUMP, true);
	}
}

static void end_loop(struct writer *writer, uint64_t start) {
	put(writer, count_down, sizeof count_down);
	probe_put_jump(writer->kernel, writer->at + LOOP_TAIL - sizeof count_down - 1, PROBE_IF_NOT_ZERO, false,
	               start);
	end_block(writer, IFR_BRANCH_CONDITIONAL, LOOP_TAIL - sizeof count_down, true, true);
	probe_put(writer->kernel, writer->at, &go_back, 1);
}

void probe_windows(struct probe_kernel *kernel, const struct probe_windows *windows) {
	const uint64_t start = kernel->code + ROOM + windows->offset;
	const bool apart = windows->distance > windows->bytes;
	struct writer writer = {kernel, start, start, 0};
	kernel->entry = start;
	for (size_t i = 0; i < windows->count; i++) {
		put_window(&writer, windows, windows->bytes - (apart ? JUMP : 0));
		if (apart)
			go_to(&writer, start + (i + 1) * windows->distance, false);
	}
	end_loop(&writer, start);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = windows->count;
}

enum { SELDOM_PERIOD = 256 };

/* The rounds that are left, of a period, when a block's branch of that number is taken. */
static unsigned seldom_at(unsigned number) {
	return 5 + 3 * number;
}

/* A test of the number of rounds that are left, and a branch to what is behind it: taken in a round of its own, where no
 * other of the window is, because a BTB may have it by the path that leads to it. */
static void put_seldom(struct writer *writer, unsigned number, bool seldom) {
	const uint8_t left = (uint8_t)seldom_at(number);
	const uint8_t compare[] = {0x40, 0x80, 0xff, left},
				  test[] = {0x40, 0xf6, 0xc7, left};            /* dil; test: no carry */
	const uint8_t jump[SHORT_JUMP] = {seldom ? 0x74 : 0x72, 0}; /* jz, jc */
	put(writer, seldom ? compare : test, sizeof test);
	probe_put(writer->kernel, writer->at, jump, sizeof jump);
	end_block(writer, IFR_BRANCH_CONDITIONAL, sizeof jump, false, false);
}

/* Executes the first round's blocks again, with as many rounds left. branches: of a block. */
static void repeat_round(struct probe_kernel *kernel, size_t count, unsigned branches, unsigned left,
                         bool seldom) {
	for (size_t i = 0; i < count; i++) {
		const unsigned number = (unsigned)(i % (branches + 1));
		const bool loop = i + 1 == count, jump = number == branches;
		probe_execute(kernel, kernel->executions[i] >> 1, loop || jump || (seldom && left == seldom_at(number)));
	}
}

void probe_seldom(struct probe_kernel *kernel, size_t blocks, unsigned branches, bool seldom) {
	enum { LINE = 64, NOP = 8 };
	const uint64_t start = kernel->code + ROOM + LINE - NOP;
	struct writer writer = {kernel, start, start, 0};
	kernel->entry = start;
	for (size_t i = 1; i <= blocks; i++) {
		put_nop(&writer, NOP);
		for (unsigned k = 0; k < branches; k++)
			put_seldom(&writer, k, seldom);
		go_to(&writer, start + i * 2 * LINE, false);
	}
	end_loop(&writer, start);
	const size_t round = kernel->executions_count;
	for (unsigned left = SELDOM_PERIOD - 1; left; left--)
		repeat_round(kernel, round, branches, left, seldom);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = SELDOM_PERIOD;
	kernel->elements = blocks;
}

/* Nops of 15 bytes, by prefixes, and shorter ones for what is left. */
void probe_long_nops(struct probe_kernel *kernel, unsigned bytes, unsigned offset) {
	static const uint8_t longest[] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
	const uint64_t start = kernel->code + ROOM + offset;
	struct writer writer = {kernel, start, start, 0};
	kernel->entry = start;
	unsigned left = bytes - LOOP_TAIL;
	for (; left >= sizeof longest; left -= sizeof longest)
		put(&writer, longest, sizeof longest);
	fill_few(&writer, left);
	end_loop(&writer, start);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = kernel->elements = 1;
}
