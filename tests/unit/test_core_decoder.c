/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of single instructions and of pairs, by rules of the architecture and of the makers' manuals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/core/operation.h"

enum { RAX = IFR_REGISTER_GENERAL, RCX, RDX, RBX, RSP, RBP, RSI, RDI, XMM0 = IFR_REGISTER_VECTOR };

static struct ifr_operations decode(const char *core, const char *code, size_t bytes) {
	struct ifr_decoder *decoder;
	struct ifr_operations operations = {0};
	assert_int_equal(ifr_decoder_new(core, &decoder, NULL), 0);
	ifr_decoder_decode(decoder, (const uint8_t *)code, bytes, SIZE_MAX, &operations);
	ifr_decoder_free(decoder);
	return operations;
}

#define DECODE(core, code) decode(core, code, sizeof(code) - 1)

static bool reads(const struct ifr_operation *operation, unsigned reg) {
	return memchr(operation->sources, (int)reg, sizeof operation->sources);
}

static bool writes(const struct ifr_operation *operation, unsigned reg) {
	return memchr(operation->destinations, (int)reg, sizeof operation->destinations);
}

/* add [rbx + rcx], rax: a load, an addition, a store of the sum. */
static void test_update_of_memory(void **state) {
	struct ifr_operations all = DECODE("skylake", "\x48\x01\x04\x0b");
	const struct ifr_operation *operation = all.operations;
	(void)state;
	assert_int_equal(all.operations_count, 4);
	assert_int_equal(operation[0].kind, IFR_OPERATION_LOAD);
	assert_true(reads(&operation[0], RBX) && reads(&operation[0], RCX) && !reads(&operation[0], RAX));
	assert_int_equal(operation[1].kind, IFR_OPERATION_COMPUTE);
	assert_true(reads(&operation[1], RAX) && reads(&operation[1], operation[0].destinations[0]));
	assert_true(writes(&operation[1], IFR_REGISTER_CARRY) && writes(&operation[1], IFR_REGISTER_FLAGS));
	assert_int_equal(operation[2].kind, IFR_OPERATION_STORE_ADDRESS);
	assert_int_equal(operation[2].ports, 0xc); /* not port 7: the address has an index */
	assert_int_equal(operation[3].kind, IFR_OPERATION_STORE_DATA);
	assert_true(reads(&operation[3], operation[1].destinations[0]));
	assert_int_equal(all.instructions[0].decoded, 2);
	assert_int_equal(all.instructions[0].issued, 4);
	ifr_operations_release(&all);
}

/* The same on AMD is one operation of the front end. */
static void test_update_on_amd(void **state) {
	struct ifr_operations all = DECODE("zen3", "\x48\x01\x04\x0b");
	(void)state;
	assert_int_equal(all.instructions[0].issued, 1);
	ifr_operations_release(&all);
}

static void test_idioms(void **state) {
	struct ifr_operations all = DECODE("skylake", "\x31\xc0"         /* xor eax, eax */
	                                              "\x48\x89\xd8"     /* mov rax, rbx */
	                                              "\x66\x0f\x76\xc0" /* pcmpeqd xmm0, xmm0 */
	                                              "\x89\xc0"         /* mov eax, eax */
	                                              "\x66\x31\xc0");   /* xor ax, ax */
	(void)state;
	assert_int_equal(all.instructions_count, 5);
	const struct ifr_operation *operation = all.operations;
	assert_true(operation[0].flags & IFR_OPERATION_ELIMINATED && !operation[0].sources[0]);
	assert_true(operation[1].flags & IFR_OPERATION_ELIMINATED && reads(&operation[1], RBX));
	assert_true(operation[2].ports && !operation[2].sources[0] && writes(&operation[2], XMM0));
	assert_false(operation[3].flags & IFR_OPERATION_ELIMINATED);
	assert_false(operation[4].flags & IFR_OPERATION_ELIMINATED);
	ifr_operations_release(&all);
	all = DECODE("sandybridge", "\x48\x89\xd8"); /* no move is eliminated */
	assert_int_equal(all.operations[0].ports, 0x23);
	ifr_operations_release(&all);
}

/* Slots of rename that code takes. */
static unsigned slots(const char *core, const char *code, size_t bytes) {
	struct ifr_operations all = decode(core, code, bytes);
	unsigned count = 0;
	for (size_t i = 0; i < all.instructions_count; i++) {
		assert_int_equal(all.instructions[i].decoded, all.instructions[i].issued);
		count += all.instructions[i].issued;
	}
	ifr_operations_release(&all);
	return count;
}

#define SLOTS(core, code) slots(core, code, sizeof(code) - 1)

/* By the clock of a Zen 5: four pairs of a move and one of these take 0.68 cycles, as four additions, others 1.2. */
static void test_moves_in_one_slot(void **state) {
	(void)state;
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x01\xc8"), 1);             /* mov rax, r9; add rax, rcx */
	assert_int_equal(SLOTS("zen4", "\x4c\x89\xc8\x48\x01\xc8"), 2);             /* not measured there */
	assert_int_equal(SLOTS("zen5", "\x44\x89\xc8\x01\xc8"), 1);                 /* of 32 bits */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x83\xe0\x07"), 1);         /* and rax, 7 */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\xc1\xe0\x03"), 1);         /* shl rax, 3 */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\xff\xc0"), 1);             /* inc rax */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\xf7\xd8"), 2);             /* neg rax */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x39\xc8"), 2);             /* cmp rax, rcx */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x01\xca"), 2);             /* add rdx, rcx */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x03\x06"), 2);             /* add rax, [rsi] */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x8d\x40\x08"), 2);         /* lea rax, [rax + 8] */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x31\xc0"), 2);                 /* xor eax, eax */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x01\xc8\x48\x01\xc8"), 2); /* a second addition */
	/* An instruction that fuses with a jump takes a slot, which may be the jump's. */
	assert_int_equal(SLOTS("zen5", "\x4c\x89\xc8\x48\x01\xc8\x75\x00"), 3);
}

static bool fuses(const char *core, const char *code, size_t bytes) {
	struct ifr_operations all = decode(core, code, bytes);
	assert_int_equal(all.instructions_count, 2);
	const bool result = all.instructions[0].flags & IFR_INSTRUCTION_FUSES;
	ifr_operations_release(&all);
	return result;
}

#define FUSES(core, code) fuses(core, code, sizeof(code) - 1)

/* Ref: Intel's optimization manual, "Macro-fusion"; AMD's guides 56305 and 56665, "Branch fusion". */
static void test_macro_fusion(void **state) {
	(void)state;
	assert_true(FUSES("skylake", "\x48\x39\xc3\x74\x00"));               /* cmp rbx, rax; je */
	assert_true(FUSES("skylake", "\x48\x39\xc3\x77\x00"));               /* ja */
	assert_false(FUSES("skylake", "\x48\x39\xc3\x78\x00"));              /* js */
	assert_true(FUSES("skylake", "\x48\x85\xc0\x78\x00"));               /* test rax, rax; js */
	assert_true(FUSES("skylake", "\x48\xff\xc0\x75\x00"));               /* inc rax; jne */
	assert_false(FUSES("skylake", "\x48\xff\xc0\x77\x00"));              /* inc rax; ja */
	assert_true(FUSES("skylake", "\x48\x01\xd8\x72\x00"));               /* add rax, rbx; jb */
	assert_false(FUSES("skylake", "\x48\x31\xd8\x74\x00"));              /* xor rax, rbx; je */
	assert_true(FUSES("skylake", "\x3b\x03\x74\x00"));                   /* cmp eax, [rbx]; je */
	assert_false(FUSES("skylake", "\x83\x3b\x05\x74\x00"));              /* cmp [rbx], 5; je */
	assert_false(FUSES("skylake", "\x01\x03\x74\x00"));                  /* add [rbx], eax; je */
	assert_false(FUSES("skylake", "\x48\x39\xc3\xe3\x00"));              /* jrcxz */
	assert_true(FUSES("zen2", "\x48\x39\xc3\x78\x00"));                  /* cmp; js */
	assert_false(FUSES("zen2", "\x48\x01\xd8\x74\x00"));                 /* add; je */
	assert_true(FUSES("zen3", "\x48\x31\xd8\x74\x00"));                  /* xor; je */
	assert_false(FUSES("zen3", "\x83\x7b\x08\x05\x74\x00"));             /* cmp [rbx + 8], 5; je */
	assert_false(FUSES("zen3", "\x83\x3d\x00\x00\x00\x00\x05\x74\x00")); /* cmp [rip], 5; je */
}

/* Ref: Intel 64 and IA-32 Architectures Optimization Reference Manual, table 3-2, "Macro-fusible instructions in Haswell
 * microarchitecture": conditions 0 to f (jo, jno, jb, …), of add, sub and cmp; of inc and dec; of test and and. */
static void test_fusible_pairs(void **state) {
	static const struct {
		const char *code;
		const char *fuses; /* a letter for each condition */
	} kinds[] = {
		{"\x01\xd8", "nnyyyyyynnnnyyyy"}, {"\x29\xd8", "nnyyyyyynnnnyyyy"}, {"\x39\xd8", "nnyyyyyynnnnyyyy"},
		{"\xff\xc0", "nnnnyynnnnnnyyyy"}, {"\xff\xc8", "nnnnyynnnnnnyyyy"}, {"\x85\xd8", "yyyyyyyyyyyyyyyy"},
		{"\x21\xd8", "yyyyyyyyyyyyyyyy"}, {"\x09\xd8", "nnnnnnnnnnnnnnnn"}, {"\x89\xd8", "nnnnnnnnnnnnnnnn"}};
	(void)state;
	for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
		for (unsigned condition = 0; condition < 16; condition++) {
			const char code[] = {kinds[kind].code[0], kinds[kind].code[1], (char)(0x70 | condition), 0};
			assert_int_equal(fuses("haswell", code, sizeof code), kinds[kind].fuses[condition] == 'y');
		}
}

/* sqrtsd, popcnt and al wait for the old value; popcnt no longer does on Ice Lake. */
static void test_dependences(void **state) {
	struct ifr_operations all = DECODE("skylake", "\xf2\x0f\x51\xc1\xf3\x48\x0f\xb8\xc1\xb0\x01");
	(void)state;
	assert_int_equal(all.instructions_count, 3);
	assert_true(reads(&all.operations[all.instructions[0].first], XMM0));
	assert_true(reads(&all.operations[all.instructions[1].first], RAX));
	assert_true(reads(&all.operations[all.instructions[2].first], RAX));
	ifr_operations_release(&all);
	all = DECODE("icelake", "\xf3\x48\x0f\xb8\xc1");
	assert_false(reads(&all.operations[0], RAX));
	ifr_operations_release(&all);
}

static void test_flags_of_instructions(void **state) {
	struct ifr_operations all = DECODE("skylake", "\x66\x05\x34\x12"                         /* add ax, 0x1234 */
	                                              "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08" /* movabs */
	                                              "\xf0\xff\x03"                             /* lock inc [rbx] */
	                                              "\xf3\x48\xab"                             /* rep stosq */
	                                              "\x0f\x1f\x40\x00"                         /* nop */
	                                              "\x0f\x05"                                 /* syscall */
	                                              "\x83\x7b\x08\x00");                       /* cmp [rbx + 8], 0 */
	const uint16_t expected[] = {IFR_INSTRUCTION_LENGTH_CHANGING,
	                             IFR_INSTRUCTION_WIDE_IMMEDIATE,
	                             IFR_INSTRUCTION_LOCKED,
	                             IFR_INSTRUCTION_REPEATED,
	                             IFR_INSTRUCTION_NOP,
	                             IFR_INSTRUCTION_SERIALISING,
	                             IFR_INSTRUCTION_TWO_CONSTANTS};
	const uint16_t all_flags = IFR_INSTRUCTION_LENGTH_CHANGING | IFR_INSTRUCTION_WIDE_IMMEDIATE |
	                           IFR_INSTRUCTION_LOCKED | IFR_INSTRUCTION_REPEATED | IFR_INSTRUCTION_NOP |
	                           IFR_INSTRUCTION_SERIALISING | IFR_INSTRUCTION_TWO_CONSTANTS;
	(void)state;
	assert_int_equal(all.instructions_count, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(all.instructions[i].flags & all_flags, expected[i]);
	assert_int_equal(all.instructions[4].offset, 4 + 10 + 3 + 3);
	ifr_operations_release(&all);
}

/* push [rbx]; movups [rdi], xmm0 in two pieces; push again at the same end does not mix with it. */
static void test_binding(void **state) {
	static const struct ifr_trace_access accesses[] = {{.end = 2, .bytes = 8},
	                                                   {.end = 2, .bytes = 8, .kind = IFR_ACCESS_STORE},
	                                                   {.end = 5, .bytes = 8, .kind = IFR_ACCESS_STORE},
	                                                   {.end = 5, .bytes = 8, .kind = IFR_ACCESS_STORE}};
	struct ifr_operations all = DECODE("skylake", "\xff\x33\x0f\x11\x07\xa6");
	int32_t first[16];
	uint16_t pieces[16];
	(void)state;
	ifr_operations_bind(&all, &all.instructions[0], accesses, 4, first, pieces);
	assert_int_equal(all.instructions[0].count, 3);
	assert_int_equal(first[0], 0);
	assert_int_equal(first[1], 1);
	assert_int_equal(first[2], 1);
	ifr_operations_bind(&all, &all.instructions[1], accesses, 4, first, pieces);
	assert_int_equal(first[0], 2);
	assert_int_equal(pieces[0], 2);
	/* cmpsb: two loads. */
	static const struct ifr_trace_access strings[] = {{.end = 6, .bytes = 1}, {.end = 6, .bytes = 1}};
	ifr_operations_bind(&all, &all.instructions[2], strings, 2, first, pieces);
	assert_int_equal(first[0], 0);
	assert_int_equal(first[1], 1);
	ifr_operations_release(&all);
	/* prefetcht0 [rax + 8] */
	static const struct ifr_trace_access prefetches[] = {{.end = 4, .bytes = 1, .kind = IFR_ACCESS_PREFETCH}};
	all = DECODE("skylake", "\x0f\x18\x48\x08");
	ifr_operations_bind(&all, &all.instructions[0], prefetches, 1, first, pieces);
	assert_int_equal(all.operations[0].kind, IFR_OPERATION_PREFETCH);
	assert_int_equal(first[0], 0);
	ifr_operations_release(&all);
}

static void test_names(void **state) {
	struct ifr_decoder *decoder;
	struct ifr_error err;
	(void)state;
	assert_int_equal(ifr_decoder_new("z80", &decoder, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "goldencove"));
	assert_int_equal(ifr_decoder_new("zen2", &decoder, &err), 0);
	assert_string_equal(ifr_decoder_port(decoder, 0), "alu0");
	assert_null(ifr_decoder_port(decoder, 12));
	ifr_decoder_free(decoder);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_update_of_memory), cmocka_unit_test(test_update_on_amd),
		cmocka_unit_test(test_idioms),           cmocka_unit_test(test_moves_in_one_slot),
		cmocka_unit_test(test_macro_fusion),     cmocka_unit_test(test_fusible_pairs),
		cmocka_unit_test(test_dependences),      cmocka_unit_test(test_flags_of_instructions),
		cmocka_unit_test(test_binding),          cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
