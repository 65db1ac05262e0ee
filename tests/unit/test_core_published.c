/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published figures of instructions against the decoder's: operations, slots, ports and latencies.
 *
 * Sources: U: A. Abel and J. Reineke, uops.info, pages DIV_R64, DIV_R32, MUL_R32, RCL_R64_CL and VPADDD_YMM_YMM_M256
 * (measurements on Alder Lake-P, and on Rocket Lake, whose core is Ice Lake's). I: Intel Architecture Code Analyzer, as
 * uops.info prints it: XCHG_R64_R64 (HSW), SHLX_R64_R64_R64 (SKX), ADD_M32_I32 (SNB), ADD_M64_R64 (BDW). G: GCC,
 * x86-tune-costs.h, znver2_cost and skylake_cost: latencies. F: A. Fog, instruction_tables.pdf, as P. Cordes quotes it
 * on Stack Overflow: imul, mul, adc. A: S. Slotin, Algorithms for Modern Hardware, "Instruction Tables" (Zen 2). M:
 * by the clock of a Zen 4 and a Zen 5, tests/bench/blocks_run and tests/bench/instructions (chains; division of small
 * quotients).
 *
 * Four figures differ (the last column): LLVM's Zen 2 multiplies 64 bits in 4 cycles, takes the longest time for square
 * roots, and its Ice Lake has Skylake's rcl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/core/cores.h"
#include "model/core/instruction_table.h"
#include "model/core/operation.h"

enum { ANY = -1 };

struct published {
	const char *core, *text, *code; /* code in base 16 */
	int operations, slots, latency; /* unfused, at rename; ANY: not published */
	char source;
	int ours; /* our latency, where it differs; 0: equal */
};

static const struct published table[] = {
	{"zen2", "add eax, ecx", "01c8", 1, 1, 1, 'G', 0},
	{"zen2", "lea eax, [rcx + rdx]", "8d0411", 1, 1, 1, 'G', 0},
	{"zen2", "shl eax, cl", "d3e0", 1, 1, 1, 'G', 0},
	{"zen2", "shl eax, 5", "c1e005", 1, 1, 1, 'G', 0},
	{"zen2", "movsx eax, cl", "0fbec1", 1, 1, 1, 'G', 0},
	{"zen2", "movzx eax, cl", "0fb6c1", 1, 1, 1, 'G', 0},
	{"zen2", "imul eax, ecx", "0fafc1", ANY, ANY, 3, 'G', 0},
	{"zen2", "imul rax, rcx", "480fafc1", ANY, ANY, 3, 'G', 4},
	{"zen2", "popcnt eax, ecx", "f30fb8c1", 1, 1, 1, 'A', 0},
	{"zen2", "cmp eax, ecx", "39c8", 1, 1, 1, 'A', 0},
	{"zen2", "mul ecx", "f7e1", ANY, ANY, 3, 'A', 0},
	{"zen2", "addsd xmm0, xmm1", "f20f58c1", 1, 1, 3, 'G', 0},
	{"zen2", "addss xmm0, xmm1", "f30f58c1", 1, 1, 3, 'G', 0},
	{"zen2", "subsd xmm0, xmm1", "f20f5cc1", 1, 1, 3, 'G', 0},
	{"zen2", "mulss xmm0, xmm1", "f30f59c1", 1, 1, 3, 'G', 0},
	{"zen2", "mulsd xmm0, xmm1", "f20f59c1", 1, 1, 3, 'G', 0},
	{"zen2", "vfmadd213ss xmm0, xmm1, xmm2", "c4e271a9c2", 1, 1, 5, 'G', 0},
	{"zen2", "vfmadd213sd xmm0, xmm1, xmm2", "c4e2f1a9c2", 1, 1, 5, 'G', 0},
	{"zen2", "divss xmm0, xmm1", "f30f5ec1", 1, 1, 10, 'G', 0},
	{"zen2", "divsd xmm0, xmm1", "f20f5ec1", 1, 1, 13, 'G', 0},
	{"zen2", "sqrtss xmm0, xmm1", "f30f51c1", 1, 1, 10, 'G', 14},
	{"zen2", "sqrtsd xmm0, xmm1", "f20f51c1", 1, 1, 15, 'G', 20},
	{"skylake", "add eax, ecx", "01c8", 1, 1, 1, 'G', 0},
	{"skylake", "shl eax, 5", "c1e005", 1, 1, 1, 'G', 0},
	{"skylake", "imul eax, ecx", "0fafc1", 1, 1, 3, 'G', 0},
	{"skylake", "imul rax, rcx", "480fafc1", 1, 1, 3, 'G', 0},
	{"skylake", "imul rax, rcx, 100", "486bc164", 1, 1, 3, 'F', 0},
	{"skylake", "imul cl", "f6e9", 1, 1, 3, 'G', 0},
	{"skylake", "adc rax, rcx", "4811c8", 1, 1, 1, 'F', 0},
	{"skylake", "sbb rax, rcx", "4819c8", 1, 1, 1, 'F', 0},
	{"skylake", "div rcx", "48f7f1", ANY, ANY, 76, 'G', 0},
	{"skylake", "addss xmm0, xmm1", "f30f58c1", 1, 1, 4, 'G', 0},
	{"skylake", "addsd xmm0, xmm1", "f20f58c1", 1, 1, 4, 'G', 0},
	{"skylake", "mulss xmm0, xmm1", "f30f59c1", 1, 1, 4, 'G', 0},
	{"skylake", "mulsd xmm0, xmm1", "f20f59c1", 1, 1, 4, 'G', 0},
	{"skylake", "vfmadd213ss xmm0, xmm1, xmm2", "c4e271a9c2", 1, 1, 4, 'G', 0},
	{"skylake", "vfmadd213sd xmm0, xmm1, xmm2", "c4e2f1a9c2", 1, 1, 4, 'G', 0},
	{"skylake", "divss xmm0, xmm1", "f30f5ec1", 1, 1, 11, 'G', 0},
	{"skylake", "divsd xmm0, xmm1", "f20f5ec1", 1, 1, 14, 'G', 0},
	{"skylake", "sqrtss xmm0, xmm1", "f30f51c1", 1, 1, 12, 'G', 0},
	{"skylake", "sqrtsd xmm0, xmm1", "f20f51c1", 1, 1, 18, 'G', 0},
	{"skylake", "fadd st, st1", "d8c1", 1, 1, 3, 'G', 0},
	{"skylake", "fmul st, st1", "d8c9", 1, 1, 4, 'G', 0},
	{"skylake", "fchs", "d9e0", 1, 1, 1, 'G', 0},
	{"skylake", "fabs", "d9e1", 1, 1, 1, 'G', 0},
	{"skylake-avx512", "shlx r8, r9, r10", "c442a9f7c1", 1, 1, 1, 'I', 0},
	{"haswell", "adc rax, rcx", "4811c8", 2, 2, 2, 'F', 0},
	{"sandybridge", "adc rax, rcx", "4811c8", 2, 2, 2, 'F', 0},
	{"haswell", "imul rax, rcx", "480fafc1", 1, 1, 3, 'F', 0},
	{"sandybridge", "imul rax, rcx", "480fafc1", 1, 1, 3, 'F', 0},
	{"haswell", "mul ecx", "f7e1", 3, 3, 4, 'F', 0},
	{"haswell", "xchg r8, r9", "4d87c8", 3, 3, ANY, 'I', 0},
	{"haswell", "add [r14], r8", "4d0106", 4, 2, ANY, 'I', 0},
	{"sandybridge", "add dword [r14], 1000000h", "41810600000001", 4, 2, ANY, 'I', 0},
	{"sandybridge", "mov [r14 + 40h], r8", "4d894640", 2, 1, ANY, 'I', 0},
	{"icelake", "div rcx", "48f7f1", 4, 4, 14, 'U', 0},
	{"icelake", "div ecx", "f7f1", 4, 4, 12, 'U', 0},
	{"icelake", "mul ecx", "f7e1", 3, 3, 4, 'U', 0},
	{"icelake", "rcl rax, cl", "48d3d0", 7, 7, 8, 'U', 11},
	{"goldencove", "div rcx", "48f7f1", ANY, 5, 14, 'U', 0},
	{"goldencove", "div ecx", "f7f1", ANY, 4, 11, 'U', 0},
	{"goldencove", "mul ecx", "f7e1", 3, 3, 4, 'U', 0},
	{"goldencove", "rcl rax, cl", "48d3d0", 7, 7, 8, 'U', 0},
	{"goldencove", "vpaddd ymm0, ymm1, [rax]", "c5f5fe00", 2, 1, ANY, 'U', 0},
	{"goldencove", "vpaddd ymm0, ymm1, [rax + rcx]", "c5f5fe0408", 2, 2, ANY, 'U', 0},
	{"goldencove", "vpaddd ymm0, ymm1, ymm2", "c5f5fec2", 1, 1, 1, 'U', 0},
	{"zen4", "tzcnt eax, eax", "f30fbcc0", 1, 1, 1, 'M', 0},
	{"zen4", "lea rax, [rax + rax * 2]", "488d0440", 1, 1, 1, 'M', 0},
	{"zen4", "lea rax, [rax + rcx * 2 + 3]", "488d444803", 1, 1, 2, 'M', 0},
	{"zen4", "div rsi", "48f7f6", ANY, ANY, 9, 'M', 0},
	{"zen4", "div esi", "f7f6", ANY, ANY, 9, 'M', 0},
	{"zen4", "imul rax, rax", "480fafc0", 1, 1, 3, 'M', 0},
	{"zen4", "popcnt eax, eax", "f30fb8c0", 1, 1, 1, 'M', 0},
	{"zen4", "bswap rax", "480fc8", 1, 1, 1, 'M', 0},
	{"zen4", "divsd xmm0, xmm1", "f20f5ec1", 1, 1, 13, 'M', 0},
	{"zen5", "divsd xmm0, xmm1", "f20f5ec1", 1, 1, 13, 'M', 0},
	{"zen5", "div rsi", "48f7f6", ANY, ANY, 10, 'M', 0},
	{"zen5", "mul r8", "49f7e0", ANY, ANY, 3, 'M', 0},
	{"zen5", "vpermq ymm0, ymm0, 27", "c4e3fd00c01b", 1, 1, 4, 'M', 0},
	{"zen5", "pcmpistrm xmm0, xmm1, 2", "660f3a62c102", ANY, ANY, 7, 'M', 0},
	{"zen5", "paddq xmm0, xmm1", "660fd4c1", 1, 1, 2, 'M', 0},
	{"zen5", "xchg rax, rcx", "4891", 2, 2, 0, 'M', 0},
	{"zen5", "psadbw xmm0, xmm1", "660ff6c1", 1, 1, 3, 'M', 0},
};

static struct ifr_operations decode(const char *core, const char *code) {
	uint8_t bytes[16];
	size_t count = strlen(code) / 2;
	struct ifr_decoder *decoder;
	struct ifr_operations operations = {0};
	for (size_t i = 0; i < count; i++)
		assert_int_equal(sscanf(code + 2 * i, "%2hhx", &bytes[i]), 1);
	assert_int_equal(ifr_decoder_new(core, &decoder, NULL), 0);
	assert_int_equal(ifr_decoder_decode(decoder, bytes, count, SIZE_MAX, &operations), 1);
	ifr_decoder_free(decoder);
	return operations;
}

/* Cycles until every result is there, if all sources are at 0. */
static int longest_path(const struct ifr_operations *all) {
	int times[IFR_REGISTERS] = {0}, longest = 0;
	for (size_t i = 0; i < all->operations_count; i++) {
		const struct ifr_operation *operation = &all->operations[i];
		int ready = 0;
		for (unsigned j = 0; j < 4; j++)
			if (operation->sources[j] >= IFR_REGISTER_TEMPORARY && times[operation->sources[j]] > ready)
				ready = times[operation->sources[j]];
		for (unsigned j = 0; j < 3; j++)
			times[operation->destinations[j]] = operation->destinations[j] ? ready + operation->latency : 0;
		longest = ready + operation->latency > longest ? ready + operation->latency : longest;
	}
	return longest;
}

static void test_figures(void **state) {
	unsigned wrong = 0;
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct published *row = &table[i];
		struct ifr_operations all = decode(row->core, row->code);
		const int slots = all.instructions[0].issued, operations = (int)all.operations_count,
				  latency = longest_path(&all);
		if ((row->operations != ANY && row->operations != operations) ||
		    (row->slots != ANY && row->slots != slots) ||
		    (row->latency != ANY && latency != (row->ours ? row->ours : row->latency))) {
			print_message("%s, %s (%c): %d operations, %d slots, %d cycles; published are %d, %d, %d\n", row->core,
			              row->text, row->source, operations, slots, latency, row->operations, row->slots,
			              row->latency);
			wrong++;
		}
		ifr_operations_release(&all);
	}
	assert_int_equal(wrong, 0);
}

static int latency_of(const char *core, const char *code) {
	struct ifr_operations all = decode(core, code);
	const int latency = longest_path(&all);
	ifr_operations_release(&all);
	return latency;
}

/* By the clock of a Zen 4: movd there and back 7 cycles, a conversion and back 12, pmovmskb and movd 7. */
static void test_crossings(void **state) {
	(void)state;
	assert_int_equal(latency_of("zen4", "660f6ec6") + latency_of("zen4", "660f7ec6"), 7);
	assert_int_equal(latency_of("zen4", "f20f2ac0") + latency_of("zen4", "f20f2cc0"), 12);
	assert_int_equal(latency_of("zen4", "660fd7c0") + latency_of("zen4", "660f6ec0"), 7);
}

/* By the clock of a Zen 5: each of these and a move back to a vector, behind setcc where it writes flags. */
static void test_crossings_zen5(void **state) {
	static const struct {
		const char *code;
		int cycles;
	} both[] = {
		{"660f7ec0", 9},      /* movd eax, xmm0 */
		{"660fd7c0", 9},      /* pmovmskb eax, xmm0 */
		{"660fc5c001", 11},   /* pextrw eax, xmm0, 1 */
		{"660f3a63c13a", 14}, /* pcmpistri xmm0, xmm1, 58 */
		{"660f3a63063a", 16}, /* pcmpistri xmm0, [rsi], 58, two of which are its load's */
		{"660f3817c0", 11},   /* ptest xmm0, xmm0 */
		{"660f2fc1", 11},     /* comisd xmm0, xmm1 */
	};
	(void)state;
	const int to_vector = latency_of("zen5", "660f6ec0");
	for (size_t i = 0; i < sizeof both / sizeof *both; i++)
		assert_int_equal(latency_of("zen5", both[i].code) + to_vector, both[i].cycles);
	assert_int_equal(latency_of("zen5", "f2480f2ac0") + latency_of("zen5", "f2480f2cc0"),
	                 13);                                                                   /* cvtsi2sd and back */
	assert_int_equal(latency_of("zen5", "660fc4c001") + latency_of("zen5", "660f7ec0"), 9); /* pinsrw and movd */
}

/* An integer put into a vector: only the last operation waits for the vector. */
static void test_merging(void **state) {
	static const char *const cores[] = {"skylake", "zen4", "zen5"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct ifr_operations all = decode(cores[i], "f2480f2ac1"); /* cvtsi2sd xmm0, rcx */
		assert_int_equal(all.operations_count, 2);
		assert_int_equal(all.operations[0].sources[0], IFR_REGISTER_GENERAL + 1);
		assert_int_equal(all.operations[0].sources[1], IFR_REGISTER_NONE);
		ifr_operations_release(&all);
	}
}

/* By the clock of a Zen 5, in chains through the first register of an address and through the second: cycles of a load
 * beyond the first cache's four, and of lea. */
static void test_addressing_zen5(void **state) {
	static const struct {
		const char *code;
		int base, index;
	} addresses[] = {
		{"488b06", 0, 0},           /* mov rax, [rsi] */
		{"488b040e", 0, 0},         /* mov rax, [rsi + rcx] */
		{"488b440e08", 0, 1},       /* mov rax, [rsi + rcx + 8] */
		{"488b04ce", 0, 1},         /* mov rax, [rsi + rcx * 8] */
		{"488b04cd08000000", 1, 1}, /* mov rax, [rcx * 8 + 8] */
		{"4863048e", 1, 2},         /* movsxd rax, [rsi + rcx * 4] */
		{"f30f7e04ce", 2, 3},       /* movq xmm0, [rsi + rcx * 8] */
		{"488d440e08", 2, 1},       /* lea rax, [rsi + rcx + 8] */
		{"488d04ce", 1, 1},         /* lea rax, [rsi + rcx * 8] */
	};
	(void)state;
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		struct ifr_operations all = decode("zen5", addresses[i].code);
		const struct ifr_operation *operation = &all.operations[0];
		const bool late_first = operation->sources[1] == IFR_REGISTER_GENERAL + 6; /* rsi */
		const int first = operation->latency + (late_first ? operation->late : 0);
		const int second = operation->latency + (late_first ? 0 : operation->late);
		assert_int_equal(first, addresses[i].base);
		assert_int_equal(second, addresses[i].index);
		ifr_operations_release(&all);
	}
}

/* By the clock of a Zen 4, in chains: cycles of a load beyond the first cache's four. */
static void test_addressing(void **state) {
	static const struct {
		const char *code;
		int more;
	} loads[] = {
		{"488b06", 0},     /* mov rax, [rsi] */
		{"488b4608", 0},   /* mov rax, [rsi + 8] */
		{"488b040e", 0},   /* mov rax, [rsi + rcx] */
		{"488b440e08", 1}, /* mov rax, [rsi + rcx + 8] */
		{"488b044e", 1},   /* mov rax, [rsi + rcx * 2] */
		{"488b04ce", 1},   /* mov rax, [rsi + rcx * 8] */
		{"0fb606", 0},     /* movzx eax, byte [rsi] */
		{"0fbe06", 1},     /* movsx eax, byte [rsi] */
		{"486306", 1},     /* movsxd rax, dword [rsi] */
		{"4863048e", 2},   /* movsxd rax, dword [rsi + rcx * 4] */
	};
	(void)state;
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
		assert_int_equal(latency_of("zen4", loads[i].code), loads[i].more);
}

/* By the clock of a Zen 4: chains through a store and a load of 32 or 64 bits take no time at rename, those of 8 and 16
 * bits and of extended values 6 to 7 cycles. On Zen 5 a chain of 8 bits takes none. */
static void test_named_loads(void **state) {
	static const struct {
		const char *core, *code;
		bool named;
	} loads[] = {
		{"zen4", "488b06", true},    /* mov rax, [rsi] */
		{"zen4", "8b06", true},      /* mov eax, [rsi] */
		{"zen4", "66830601", false}, /* add word [rsi], 1 */
		{"zen4", "800601", false},   /* add byte [rsi], 1 */
		{"zen4", "0fb606", false},   /* movzx eax, byte [rsi] */
		{"zen4", "486306", false},   /* movsxd rax, dword [rsi] */
		{"zen4", "480306", false},   /* add rax, [rsi] */
		{"zen4", "483b06", false},   /* cmp rax, [rsi] */
		{"zen4", "48830601", true},  /* add qword [rsi], 1 */
		{"zen4", "58", true},        /* pop rax */
		{"zen5", "800601", true},    /* add byte [rsi], 1 */
	};
	(void)state;
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
		struct ifr_operations all = decode(loads[i].core, loads[i].code);
		assert_int_equal(all.operations[0].kind, IFR_OPERATION_LOAD);
		assert_int_equal(all.operations[0].name != IFR_REGISTER_NONE, loads[i].named);
		ifr_operations_release(&all);
	}
}

/* Ports of an instruction's operations, in their order. */
static void check_ports(const char *core, const char *code, unsigned count, const uint16_t *ports) {
	struct ifr_operations all = decode(core, code);
	assert_int_equal(all.operations_count, count);
	bool taken[16] = {false};
	for (unsigned i = 0; i < count; i++) {
		unsigned j = 0;
		while (j < count && (taken[j] || all.operations[j].ports != ports[i]))
			j++;
		if (j == count)
			fail_msg("%s, %s: no operation on ports %x", core, code, ports[i]);
		taken[j] = true;
	}
	ifr_operations_release(&all);
}

#define PORTS(core, code, ...) \
	check_ports(core, code, sizeof((uint16_t[]){__VA_ARGS__}) / 2, (const uint16_t[]){__VA_ARGS__})

/* Ref: as above, U and I. Golden Cove's p0156B of uops.info is ports 0, 1, 5, 6 and 10. */
static void test_ports(void **state) {
	(void)state;
	PORTS("goldencove", "f7e1", 0x463, 0x41, 0x2);                           /* mul ecx, U */
	PORTS("goldencove", "48d3d0", 0x463, 0x463, 0x41, 0x41, 0x41, 0x2, 0x2); /* rcl rax, cl, U */
	PORTS("haswell", "4d87c8", 0x63, 0x63, 0x63);                            /* xchg r8, r9, I */
	PORTS("skylake-avx512", "c442a9f7c1", 0x41);                             /* shlx, I */
	PORTS("skylake", "c5f158c2", 0x3);                                       /* vaddps, I */
	PORTS("sandybridge", "41810600000001", 0xc, 0x23, 0xc, 0x10);            /* add [m], i, I */
	PORTS("haswell", "4d0106", 0xc, 0x63, 0x8c, 0x10);                       /* add [m], r, I */
}

/* Ref: uops.info, DIV_R64 and DIV_R32: a division each 10 and 6 cycles on Alder Lake-P and Rocket Lake. */
static void test_dividers(void **state) {
	static const char *const cores[] = {"icelake", "goldencove"};
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct ifr_operations all = decode(cores[i / 2], i % 2 ? "f7f1" : "48f7f1");
		const struct ifr_operation *last = &all.operations[all.operations_count - 1];
		assert_int_equal(last->unit, IFR_UNIT_INTEGER_DIVIDER);
		assert_int_equal(last->occupancy, i % 2 ? 6 : 10);
		ifr_operations_release(&all);
	}
}

static bool is_mnemonic(const char *name) {
	for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (!strcmp(ZydisMnemonicGetString((ZydisMnemonic)i), name))
			return true;
	return false;
}

/* Each line of measured.txt is read: a core, a mnemonic, a form, and a cell whose first operation leaves latency for the
 * last. */
static void test_measured_lines(void **state) {
	unsigned lines = 0;
	(void)state;
	for (const char *line = ifr_measured_text; *line; line = strchr(line, '\n') + 1) {
		char core[16], mnemonic[24], form[8], groups[64];
		unsigned latency, first = 0;
		if (*line == '#' || *line == '\n')
			continue;
		lines++;
		if (sscanf(line, "%15s %23s %7s %u%63[ 0-9a-f*/!:]", core, mnemonic, form, &latency, groups) < 4 ||
		    !ifr_core_find(core) || !is_mnemonic(mnemonic) ||
		    (strcmp(form, "*") != 0 && form[strspn(form, "bwdqxyzmkfsia012345678B-")]))
			fail_msg("%.*s", (int)strcspn(line, "\n"), line);
		const char *of_first = memchr(line, ':', strcspn(line, "\n"));
		if (of_first && (sscanf(of_first + 1, "%u", &first) != 1 || first >= latency))
			fail_msg("no latency is left: %.*s", (int)strcspn(line, "\n"), line);
	}
	assert_true(lines > 100);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),         cmocka_unit_test(test_ports),
		cmocka_unit_test(test_dividers),        cmocka_unit_test(test_crossings),
		cmocka_unit_test(test_addressing),      cmocka_unit_test(test_named_loads),
		cmocka_unit_test(test_crossings_zen5),  cmocka_unit_test(test_merging),
		cmocka_unit_test(test_addressing_zen5), cmocka_unit_test(test_measured_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
