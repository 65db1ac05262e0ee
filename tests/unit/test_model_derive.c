/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's decoder on blocks assembled by hand: which accesses derive from others, and which are recorded.
 * Ref: Intel 2023, "Software Developer's Manual", volume 2, for the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/recorder/qemu/accesses.h"
#include "model/recorder/qemu/derive.h"
#include "model/replay/replay.h"

#define AT UINT64_C(0x401000)

static struct decoded_block decoded;

/* Decodes bytes such as "48 8b 07, 90", with commas between instructions. */
static void decode_as(const char *text, bool everything) {
	static uint8_t bytes[DERIVE_INSTRUCTIONS][16];
	struct derive_instruction instructions[DERIVE_INSTRUCTIONS];
	size_t count = 0;
	while (*text) {
		int step;
		unsigned byte;
		size_t length = 0;
		for (; sscanf(text, " %2x%n", &byte, &step) == 1; text += step)
			bytes[count][length++] = (uint8_t)byte;
		instructions[count] = (struct derive_instruction){bytes[count], length};
		count++;
		text += *text == ',';
	}
	memset(&decoded, 0xee, sizeof decoded);
	decode_block(AT, instructions, count, everything, &decoded);
}

static void decode(const char *text) {
	decode_as(text, false);
}

/* Compares by instruction: "r" its accesses are recorded, "-" none or derived, "m" recorded if a mask makes any.
 */
static void expect_recorded(const char *marks) {
	assert_int_equal(decoded.block.instructions, strlen(marks));
	for (size_t i = 0; marks[i]; i++) {
		int flags = decoded.lengths[i] & (RING_RECORDED | RING_MAYBE);
		int wanted = marks[i] == 'r' ? RING_RECORDED : marks[i] == 'm' ? RING_RECORDED | RING_MAYBE : 0;
		if (flags != wanted)
			fail_msg("instruction %zu of %s: %x", i, marks, decoded.lengths[i]);
	}
}

static void expect_derived(unsigned index, unsigned insn, int anchor, int64_t offset, unsigned bytes, bool store) {
	assert_true(index < decoded.block.derived);
	const struct ring_derived *derived = &decoded.derived[index];
	assert_int_equal(derived->insn, insn);
	assert_int_equal(derived->anchor, anchor);
	assert_int_equal(derived->offset, offset);
	assert_int_equal(1U << derived->shift, bytes);
	assert_int_equal(derived->store, store);
}

static void test_same_register(void **state) {
	(void)state;
	decode("48 8b 07, 48 89 47 08, 8b 4f fc, 88 4f 01"); /* mov (%rdi),%rax; %rax,8(%rdi); -4(%rdi),%ecx;
	                                                        %cl,1(%rdi) */
	expect_recorded("r---");
	assert_int_equal(decoded.block.derived, 3);
	expect_derived(0, 1, 0, 8, 8, true);
	expect_derived(1, 2, 0, -4, 4, false);
	expect_derived(2, 3, 0, 1, 1, true);
	assert_int_equal(decoded.block.bytes, 13);
	decode("01 07, 66 ff 47 02"); /* add %eax,(%rdi); incw 2(%rdi): a load and a store */
	expect_recorded("r-");
	assert_int_equal(decoded.block.derived, 2);
	expect_derived(0, 1, 0, 2, 2, false);
	expect_derived(1, 1, 0, 2, 2, true);
}

static void test_index_and_segment(void **state) {
	(void)state;
	decode("8b 04 8f, 8b 44 8f 10, 8b 04 cf, 8b 04 b9"); /* (%rdi,%rcx,4); 16(…); (%rdi,%rcx,8); (%rcx,%rdi,4) */
	expect_recorded("r-rr");
	expect_derived(0, 1, 0, 16, 4, false);
	decode("8b 04 8f, ff c1, 8b 04 8f"); /* incl %ecx is no known step of %rcx */
	expect_recorded("r-r");
	decode("8b 04 8f, 48 ff c1, 8b 04 8f"); /* incq %rcx: four bytes on */
	expect_recorded("r--");
	expect_derived(0, 2, 0, 4, 4, false);
	decode("64 48 8b 07, 48 8b 07, 64 48 8b 47 08"); /* %fs:(%rdi) says nothing of (%rdi) */
	expect_recorded("rr-");
	expect_derived(0, 2, 0, 8, 8, false);
	decode("64 48 8b 04 25 28 00 00 00, 64 48 2b 04 25 30 00 00 00"); /* %fs:40, %fs:48 */
	expect_recorded("r-");
	expect_derived(0, 1, 0, 8, 8, false);
}

static void test_absolute(void **state) {
	(void)state;
	decode("90, 48 8b 05 10 00 00 00, 89 05 f9 ff ff ff"); /* mov 16(%rip),%rax; mov %eax,-7(%rip) */
	expect_recorded("---");
	expect_derived(0, 1, -1, 1 + 7 + 16, 8, false);
	expect_derived(1, 2, -1, 1 + 7 + 6 - 7, 4, true);
	decode("48 8b 04 25 00 20 40 00, 8b 04 25 10 20 40 00"); /* what lies at absolute addresses moves apart */
	expect_recorded("rr");
	decode("ff 25 02 00 00 00"); /* jmp *2(%rip): no plain move */
	expect_recorded("r");
	assert_int_equal(decoded.block.branch, IFR_BRANCH_INDIRECT_JUMP);
	assert_int_equal(decoded.block.target, 0);
}

static void test_stack(void **state) {
	(void)state;
	decode("55, 48 89 e5, 41 54, 48 83 ec 20, 48 89 45 f0, 48 8b 44 24 28, e8 00 01 00 00");
	/* push %rbp; mov %rsp,%rbp; push %r12; sub $32,%rsp; mov %rax,-16(%rbp); mov 40(%rsp),%rax; call */
	expect_recorded("r------");
	expect_derived(0, 2, 0, -8, 8, true);
	expect_derived(1, 4, 0, -16, 8, true);
	expect_derived(2, 5, 0, -8 - 32 + 40, 8, false);
	expect_derived(3, 6, 0, -8 - 32 - 8, 8, true);
	assert_int_equal(decoded.block.branch, IFR_BRANCH_CALL);
	assert_int_equal(decoded.block.end, RING_END_BRANCH);
	assert_int_equal(decoded.block.target, AT + 1 + 3 + 2 + 4 + 4 + 5 + 5 + 0x100);
	decode("58, 5b, c3"); /* pop, pop, ret */
	expect_recorded("r--");
	expect_derived(0, 1, 0, 8, 8, false);
	expect_derived(1, 2, 0, 16, 8, false);
	assert_int_equal(decoded.block.branch, IFR_BRANCH_RETURN);
	decode("50, 5c, 50"); /* push %rax; pop %rsp: another stack */
	expect_recorded("r-r");
	decode("50, c9, 50"); /* leave: another stack */
	expect_recorded("rrr");
	decode("50, 66 50, 50"); /* push %ax moves it by two */
	expect_recorded("rrr");
	decode("50, ff 37, 50"); /* push (%rdi): two accesses, both recorded */
	expect_recorded("rrr");
}

static void test_overwritten(void **state) {
	(void)state;
	decode("48 8b 07, 48 8b 3f, 48 8b 07"); /* mov (%rdi),%rdi */
	expect_recorded("r-r");
	decode("48 8b 07, 31 ff, 48 8b 07"); /* xor %edi,%edi */
	expect_recorded("r-r");
	decode("48 8b 07, 48 89 f7, 48 8b 07"); /* mov %rsi,%rdi */
	expect_recorded("r-r");
	decode("48 8b 07, 48 89 fe, 48 8b 46 08"); /* mov %rdi,%rsi: the same value */
	expect_recorded("r--");
	expect_derived(0, 2, 0, 8, 8, false);
	decode("48 8b 07, 89 fe, 48 8b 46 08"); /* mov %edi,%esi: not the same */
	expect_recorded("r-r");
	decode("48 8b 07, 48 8d 77 18, 48 83 c6 08, 48 83 ee 02, 48 8b 06"); /* lea 24, add 8, sub 2 */
	expect_recorded("r----");
	expect_derived(0, 4, 0, 30, 8, false);
	decode("48 8b 07, 48 01 f7, 48 8b 07"); /* add %rsi,%rdi */
	expect_recorded("r-r");
	decode("48 8b 07, 48 87 fe, 48 8b 06"); /* xchg of registers: not followed, never wrong */
	expect_recorded("r-r");
	decode("48 8b 02, 48 f7 e1, 48 8b 02"); /* mul %rcx writes %rdx */
	expect_recorded("r-r");
	decode("48 8b 02, 48 99, 48 8b 02"); /* cqo writes %rdx */
	expect_recorded("r-r");
	decode("48 8b 01, 0f a2, 48 8b 01"); /* cpuid writes %rcx */
	expect_recorded("r-r");
	decode("48 8b 01, 48 0f 44 ce, 48 8b 01"); /* cmove %rsi,%rcx: perhaps another */
	expect_recorded("r-r");
	decode("48 8b 07, 40 b7 01, 48 8b 07"); /* mov $1,%dil */
	expect_recorded("r-r");
}

static void test_never_derived(void **state) {
	(void)state;
	decode("48 8b 07, f0 ff 07, 48 87 07, f0 48 0f b1 0f, 48 0f c1 07, f0 48 0f c7 0f");
	/* lock inc; xchg; lock cmpxchg; xadd; lock cmpxchg16b */
	expect_recorded("rrrrrr");
	decode("48 8b 07, d9 07, dd 1f, 0f ae 07, f3 0f 10 07"); /* flds, fstpl, fxsave; movss moves four bytes */
	expect_recorded("rrrr-");
	decode("67 8b 07, 67 8b 47 04"); /* addresses of 32 bits wrap around */
	expect_recorded("rr");
	decode(
		"0f 1f 07, 0f 18 0f, 0f ae 3f, 48 8d 07"); /* nopl, prefetcht0, clflush, lea: no access but a prefetch */
	expect_recorded("-r--");
	decode("c4 e2 71 8c 07, c4 e2 71 8e 07, 66 0f f7 c1"); /* vpmaskmovd, both ways; maskmovdqu */
	expect_recorded("mmm");
}

static void expect_prefetch(unsigned index, unsigned insn, int base, int scaled, unsigned scale, int64_t offset) {
	const struct decoded_prefetch *prefetch = &decoded.prefetches[index];
	assert_true(index < decoded.prefetch_count && prefetch->known);
	assert_int_equal(prefetch->insn, insn);
	assert_int_equal(prefetch->base, base);
	assert_int_equal(prefetch->index, scaled);
	assert_int_equal(scaled < 0 ? 0 : prefetch->scale, scale);
	assert_int_equal(prefetch->offset, offset);
}

/* Prefetches are of registers at the begin of the block (rax is 0, rsi 6, rdi 7), or not known. */
static void test_prefetches(void **state) {
	(void)state;
	/* prefetcht0 64(%rdi); add $8,%rdi; prefetchnta -4(%rsi,%rdi,4); prefetchw 0x10(%rip); prefetcht2 8 */
	decode("0f 18 4f 40, 48 83 c7 08, 0f 18 44 be fc, 0f 0d 0d 10 00 00 00, 0f 18 1c 25 08 00 00 00");
	expect_recorded("r-rrr");
	assert_int_equal(decoded.prefetch_count, 4);
	expect_prefetch(0, 0, 7, NO_REGISTER, 0, 64);
	expect_prefetch(1, 2, 6, 7, 4, 28);
	expect_prefetch(2, 3, NO_REGISTER, NO_REGISTER, 0, (int64_t)AT + 4 + 4 + 5 + 7 + 0x10);
	expect_prefetch(3, 4, NO_REGISTER, NO_REGISTER, 0, 8);
	decode("48 8b 07, 0f 18 08, 64 0f 18 0f, 67 0f 18 0f"); /* mov (%rdi),%rax; of (%rax), %fs:(%rdi), (%edi) */
	expect_recorded("r--r");
	assert_int_equal(decoded.prefetch_count, 3);
	assert_false(decoded.prefetches[0].known || decoded.prefetches[1].known);
	assert_true(decoded.prefetches[2].known && decoded.prefetches[2].narrow);
	decode("0f 18 c8, 0f 18 27, 0f 1f 00"); /* no-operations */
	assert_int_equal(decoded.prefetch_count, 0);
}

static void test_vectors(void **state) {
	(void)state;
	decode("0f 10 07, f3 0f 7f 47 10, c5 fe 6f 4f 20"); /* movups; movdqu to 16; vmovdqu, 32 bytes, at 32 */
	expect_recorded("r--");
	assert_int_equal(decoded.block.derived, 2 + 4);
	expect_derived(0, 1, 0, 16, 8, true);
	expect_derived(1, 1, 0, 24, 8, true);
	for (unsigned i = 0; i < 4; i++)
		expect_derived(2 + i, 2, 0, 32 + 8 * i, 8, false);
}

static void test_ends(void **state) {
	(void)state;
	static const struct {
		const char *bytes;
		unsigned branch, end;
		int64_t target; /* from the block; 0: none */
	} ends[] = {{"75 fe", IFR_BRANCH_CONDITIONAL, RING_END_BRANCH, 0},
	            {"90, 0f 85 00 00 00 01", IFR_BRANCH_CONDITIONAL, RING_END_BRANCH, 7 + 0x1000000},
	            {"e3 10", IFR_BRANCH_CONDITIONAL, RING_END_BRANCH, 18},
	            {"eb 10", IFR_BRANCH_JUMP, RING_END_BRANCH, 18},
	            {"ff e0", IFR_BRANCH_INDIRECT_JUMP, RING_END_BRANCH, 0},
	            {"ff d0", IFR_BRANCH_INDIRECT_CALL, RING_END_BRANCH, 0},
	            {"c2 08 00", IFR_BRANCH_RETURN, RING_END_BRANCH, 0},
	            {"0f 05", IFR_BRANCH_NONE, RING_END_SYSCALL, 0},
	            {"f3 a4", IFR_BRANCH_NONE, RING_END_REPEAT, 0},
	            {"f2 ae", IFR_BRANCH_NONE, RING_END_REPEAT, 0},
	            {"90", IFR_BRANCH_NONE, RING_END_NONE, 0}};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		decode(ends[i].bytes);
		assert_int_equal(decoded.block.branch, ends[i].branch);
		assert_int_equal(decoded.block.end, ends[i].end);
		if (i) /* the first jumps to itself */
			assert_int_equal(decoded.block.target, ends[i].target ? AT + (uint64_t)ends[i].target : 0);
	}
	decode("75 fe");
	assert_int_equal(decoded.block.target, AT);
	decode("f3 a4");
	expect_recorded("m");
	decode("f3 c3"); /* rep ret is a return */
	assert_int_equal(decoded.block.branch, IFR_BRANCH_RETURN);
	assert_int_equal(decoded.block.end, RING_END_BRANCH);
}

/* An instruction that crosses a page is listed, cut short, in a block in which it does not run. */
static void test_phantom(void **state) {
	(void)state;
	decode("48 8b 07, 48 8b");
	expect_recorded("r");
	assert_int_equal(decoded.block.bytes, 3);
	decode("48 8b"); /* an instruction alone is decoded as it is */
	assert_int_equal(decoded.block.instructions, 1);
	decode("48 8b 07, 06, 48 8b 47 08"); /* invalid in 64-bit mode: its effects are unknown */
	expect_recorded("rrr");
}

static void test_everything(void **state) {
	(void)state;
	decode_as("55, 48 89 45 f0, 48 8b 05 00 00 00 00, c3", true);
	expect_recorded("rrrr");
	assert_int_equal(decoded.block.derived, 0);
}

static void test_clock(void **state) {
	(void)state;
	decode("0f 31");
	assert_true(decoded.reads_tsc);
	decode("0f 01 f9");
	assert_true(decoded.reads_tsc);
	decode("90");
	assert_false(decoded.reads_tsc);
}

/* More instructions and more keys than the tables hold: nothing is written beyond them. */
static void test_limits(void **state) {
	(void)state;
	struct derive_instruction instructions[DERIVE_INSTRUCTIONS + 8];
	static uint8_t bytes[DERIVE_INSTRUCTIONS + 8][8];
	for (unsigned i = 0; i < DERIVE_INSTRUCTIONS + 8; i++) {
		/* mov i % 128(%rdi,%rcx,4) after a change of %rcx: each a key of its own */
		static const uint8_t change[] = {0x48, 0x01, 0xf1}, load[] = {0xc5, 0xfe, 0x6f, 0x04, 0x8f};
		memcpy(bytes[i], i % 2 ? load : change, i % 2 ? sizeof load : sizeof change);
		instructions[i] = (struct derive_instruction){bytes[i], i % 2 ? sizeof load : sizeof change};
	}
	decode_block(AT, instructions, DERIVE_INSTRUCTIONS + 8, false, &decoded);
	assert_int_equal(decoded.block.instructions, DERIVE_INSTRUCTIONS);
	assert_int_equal(decoded.block.derived, 0);
	for (unsigned i = 0; i < DERIVE_INSTRUCTIONS + 8; i++) {
		static const uint8_t load[] = {0xc5, 0xfe, 0x6f, 0x07}; /* vmovdqu (%rdi),%ymm0 */
		memcpy(bytes[i], load, sizeof load);
		instructions[i] = (struct derive_instruction){bytes[i], sizeof load};
	}
	decode_block(AT, instructions, DERIVE_INSTRUCTIONS, false, &decoded);
	assert_int_equal(decoded.block.derived, 4 * (DERIVE_INSTRUCTIONS - 1));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_register), cmocka_unit_test(test_index_and_segment),
		cmocka_unit_test(test_absolute),      cmocka_unit_test(test_stack),
		cmocka_unit_test(test_overwritten),   cmocka_unit_test(test_never_derived),
		cmocka_unit_test(test_vectors),       cmocka_unit_test(test_ends),
		cmocka_unit_test(test_phantom),       cmocka_unit_test(test_everything),
		cmocka_unit_test(test_clock),         cmocka_unit_test(test_limits),
		cmocka_unit_test(test_prefetches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
