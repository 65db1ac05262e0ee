/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of a probe: the processor's code is the model's. The bytes are decoded by Zydis, block by block, in the
 * order of a period: lengths, branches, targets and accesses are as the blocks say; and executed, the code ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "harness/probe/clocked.h"
#include "harness/probe/kernels.h"

/* The byte at an address of code; fails where there is none. */
static uint8_t byte_at(const struct probe_kernel *kernel, uint64_t address) {
	for (size_t i = 0; i < kernel->pieces_count; i++) {
		const struct probe_piece *piece = &kernel->pieces[i];
		if (address >= piece->address && address < piece->address + piece->bytes)
			return (uint8_t)kernel->bytes.data[piece->at + (address - piece->address)];
	}
	return 0xcc;
}

struct instruction {
	ZydisDecodedInstruction about;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static unsigned decode(const struct probe_kernel *kernel, uint64_t address, struct instruction *instruction) {
	ZydisDecoder decoder;
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = byte_at(kernel, address + i);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(
			ZydisDecoderDecodeFull(&decoder, bytes, sizeof bytes, &instruction->about, instruction->operands)))
		fail_msg("no instruction at %llx", (unsigned long long)address);
	return instruction->about.length;
}

static uint8_t branch_of(const struct instruction *instruction) {
	const ZydisDecodedInstruction *about = &instruction->about;
	if (about->meta.category == ZYDIS_CATEGORY_UNCOND_BR &&
	    instruction->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return IFR_BRANCH_INDIRECT_JUMP;
	switch (about->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return IFR_BRANCH_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return IFR_BRANCH_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return IFR_BRANCH_CALL;
	case ZYDIS_CATEGORY_RET:
		return IFR_BRANCH_RETURN;
	default:
		return IFR_BRANCH_NONE;
	}
}

/* Explicit accesses, which the model's block has, too; calls and returns have one of the stack. */
static unsigned accesses_of(const struct instruction *instruction) {
	unsigned count = 0;
	if (instruction->about.mnemonic == ZYDIS_MNEMONIC_NOP)
		return 0;
	for (unsigned i = 0; i < instruction->about.operand_count; i++)
		count += instruction->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY;
	return count;
}

/* Decodes a block. Returns the address where its branch goes; 0 of a return. */
static uint64_t check_block(const struct probe_kernel *kernel, uint32_t number, bool taken) {
	const struct ifr_geometry *geometry = &kernel->geometry[number];
	const struct ifr_block *block = &kernel->blocks[number];
	uint64_t at = geometry->address;
	unsigned instructions = 0, accesses = 0, length = 0;
	struct instruction instruction;
	while (at < geometry->address + geometry->bytes) {
		length = decode(kernel, at, &instruction);
		at += length;
		accesses += accesses_of(&instruction);
		instructions++;
		assert_int_equal(branch_of(&instruction),
		                 at < geometry->address + geometry->bytes ? IFR_BRANCH_NONE : block->branch);
	}
	assert_int_equal(at, geometry->address + geometry->bytes);
	assert_int_equal(instructions, geometry->instructions);
	assert_int_equal(length, geometry->branch_bytes);
	assert_int_equal(accesses, block->accesses);
	if (block->branch == IFR_BRANCH_RETURN || block->branch == IFR_BRANCH_INDIRECT_JUMP)
		return 0;
	const uint64_t target = at + (uint64_t)instruction.operands[0].imm.value.s;
	if (block->branch == IFR_BRANCH_CONDITIONAL)
		assert_int_equal(geometry->backward, target <= at - length);
	return taken ? target : at;
}

/* Walks a period, around its end. */
static void check(struct probe_kernel *kernel) {
	for (size_t i = 0; i < kernel->executions_count; i++) {
		const uint32_t execution = kernel->executions[i];
		const uint32_t next = kernel->executions[(i + 1) % kernel->executions_count] >> 1;
		const uint64_t target = check_block(kernel, execution >> 1, execution & 1);
		/* A loop's prologue is no part of its first block. */
		if (target && kernel->geometry[next].address != target)
			fail_msg("execution %zu goes to %llx, not to the next block at %llx", i, (unsigned long long)target,
			         (unsigned long long)kernel->geometry[next].address);
	}
	probe_kernel_release(kernel);
}

static struct probe_kernel *start(struct probe_kernel *kernel) {
	probe_kernel_init(kernel, 3);
	return kernel;
}

static void test_branch_chains(void **state) {
	(void)state;
	struct probe_kernel kernel;
	for (uint64_t distance = 2; distance <= 4096; distance *= 2)
		for (size_t count = 2; count <= 66; count += 8) {
			probe_branch_chain(start(&kernel), &(struct probe_places){count, 1, distance, distance});
			/* Last bytes lie at the distance, but for the loop's branch where that is too short. */
			for (size_t i = 1; i < count; i++) {
				const struct ifr_geometry *at = &kernel.geometry[i];
				const uint64_t apart = at->address + at->bytes - at[-1].address - at[-1].bytes;
				assert_int_equal(apart, i + 1 == count && distance < 6 ? 6 : distance);
			}
			check(&kernel);
		}
	probe_branch_chain(start(&kernel), &(struct probe_places){64, 16, 16, 1 << 14});
	check(&kernel);
	for (size_t zeroed = 1; zeroed <= 1024; zeroed *= 4) {
		probe_branch_chain_behind(start(&kernel), &(struct probe_places){20, 1, 16, 16}, zeroed);
		assert_int_equal(kernel.geometry[0].instructions, 3 + zeroed);
		check(&kernel);
	}
}

static void test_patterns(void **state) {
	(void)state;
	static const uint8_t outcomes[] = {1, 0, 0, 1, 1, 0};
	const struct probe_item items[] = {
		{.outcomes = outcomes}, {PROBE_ITEM_JUMP, NULL}, {0}, {.outcomes = outcomes}};
	struct probe_kernel kernel;
	for (unsigned spacing = 9; spacing <= 40; spacing++) {
		probe_pattern_loop(start(&kernel), items, 4, sizeof outcomes, spacing, spacing);
		assert_int_equal(kernel.addresses_count, 3 * sizeof outcomes);
		check(&kernel);
	}
	for (unsigned pace = 0; pace < 9; pace++) {
		probe_paced_pattern(start(&kernel), items, sizeof outcomes, 64, pace);
		assert_int_equal(kernel.geometry[1].instructions, 5 + 2 * pace);
		check(&kernel);
	}
}

/* A stream passes all lines in their order. */
static void test_stream(void **state) {
	(void)state;
	enum { LINES = 64, LINE = 64 };
	struct probe_kernel kernel;
	probe_stream(start(&kernel), LINES, 0);
	assert_int_equal(kernel.elements, LINES);
	assert_int_equal(kernel.end - kernel.start, LINES * LINE);
	for (size_t i = 0; i < LINES; i++)
		assert_int_equal(kernel.addresses[i], kernel.start + i * LINE);
	check(&kernel);
}

static void test_other_kernels(void **state) {
	(void)state;
	struct probe_kernel kernel;
	for (size_t depth = 1; depth <= 40; depth += 13) {
		probe_call_nest(start(&kernel), depth);
		check(&kernel);
	}
	probe_chase(start(&kernel), &(struct probe_places){100, 1, 64, 64}, 1);
	check(&kernel);
	probe_chase_self(start(&kernel), 60);
	check(&kernel);
	probe_unit_chain(start(&kernel));
	check(&kernel);
	probe_store_load(start(&kernel), 7, 4096);
	check(&kernel);
	for (unsigned bytes = 1; bytes <= 8; bytes++) {
		probe_nops(start(&kernel), 20, bytes);
		check(&kernel);
	}
}

/* Pairs of branches whose first bytes lie in two granules and whose last bytes lie in one; jumps at any addresses. */
static void test_chosen_places(void **state) {
	(void)state;
	enum { WAYS = 4, GRANULE = 16, SPAN = 2048 };
	const uint64_t list[] = {PROBE_CODE + 3 * PROBE_APART + 70000, PROBE_CODE + 3 * PROBE_APART + 90008,
	                         PROBE_CODE + 3 * PROBE_APART + 70016};
	struct probe_kernel kernel;
	probe_branch_pairs(start(&kernel), &(struct probe_places){2 * WAYS, 1, GRANULE, SPAN});
	for (size_t i = 1; i < 2 * WAYS; i++) {
		const struct ifr_geometry *at = &kernel.geometry[i];
		assert_int_equal((at->address + at->bytes - 1) / GRANULE % (SPAN / GRANULE),
		                 (kernel.geometry[0].address + kernel.geometry[0].bytes - 1) / GRANULE % (SPAN / GRANULE));
		assert_int_equal((at->address / GRANULE - at[-1].address / GRANULE) % 2, 1);
	}
	check(&kernel);
	probe_branch_pairs(start(&kernel), &(struct probe_places){4 * WAYS, 2, GRANULE, SPAN});
	check(&kernel);
	probe_jump_list(start(&kernel), list, 3);
	check(&kernel);
}

/* Instructions with accesses of their own, and indirect jumps: each goes to the block that the period has next. */
static void test_steps_and_indirect_jumps(void **state) {
	(void)state;
	static const struct probe_run runs[] = {
		{{{0x48, 0x8b, 0x06}, 3, 8, false, true, 0, 0}, 1},
		{{{0x48, 0x89, 0x91, 0, 4, 0, 0}, 7, 8, true, false, 1024, 0}, 3},
		{{{0x48, 0x8b, 0x86, 0, 0, 0, 0}, 7, 8, false, true, 1024, 512}, 4},
		{{{0x48, 0x8b, 0xb6, PROBE_NEXT, 0, 0, 0}, 7, 8, false, true, PROBE_NEXT, 0}, 1}};
	static const uint8_t which[] = {0, 3, 1, 2, 2};
	struct probe_kernel kernel;
	struct instruction instruction;
	probe_steps(start(&kernel), runs, 4, 5);
	assert_int_equal(kernel.addresses_count, 5 * 9);
	/* The last of the strided loads has its offset in its code and among the addresses. */
	decode(&kernel, kernel.geometry[0].address + 3 + 3 * 7 + 3 * 7, &instruction);
	assert_int_equal(instruction.operands[1].mem.disp.value, 1024 + 3 * 512);
	assert_int_equal(kernel.addresses[7], kernel.data + 1024 + 3 * 512);
	check(&kernel);
	probe_indirect_loop(start(&kernel), &(struct probe_indirect){4, 3, {which, which}, sizeof which, false});
	for (size_t round = 0, at = 0; round < sizeof which; round++, at += 8)
		for (size_t i = 0; i < 2; i++) {
			const uint64_t target = kernel.geometry[kernel.executions[at + (i ? 6 : 1)] >> 1].address;
			size_t word = 0;
			while (kernel.words[word].address != kernel.addresses[2 * round + i])
				word++;
			assert_true(i || kernel.words[word].value == target);
		}
	check(&kernel);
	static const uint8_t bits[] = {0, 1, 1, 0, 1};
	probe_indirect_loop(start(&kernel), &(struct probe_indirect){2, 3, {bits, bits}, sizeof bits, true});
	for (size_t round = 0; round < sizeof bits; round++)
		assert_int_equal(kernel.executions[7 * round] & 1, bits[round]);
	check(&kernel);
	probe_long_nops(start(&kernel), 4096, 5);
	assert_int_equal(kernel.geometry[0].bytes, 4096);
	check(&kernel);
}

/* Far code is in another 2^37 bytes; from there a loop comes back. */
static void test_there_and_back(void **state) {
	(void)state;
	for (unsigned far = 0; far < 2; far++) {
		struct probe_kernel kernel;
		probe_there_and_back(start(&kernel), far);
		assert_int_equal(kernel.blocks_count, 3);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(kernel.words[i].address, kernel.addresses[i]);
			assert_int_equal(kernel.words[i].value, kernel.geometry[i + 1].address);
			assert_int_equal(kernel.geometry[i].address >> 37 != kernel.geometry[i + 1].address >> 37, far);
		}
		assert_int_equal(kernel.far < kernel.far_end, far);
		check(&kernel);
	}
}

/* A branch between multiplications is taken where the last product is negative, or never. */
static void test_late_branch(void **state) {
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct probe_late late = {.products = 5, .random = i % 2, .jumps = i / 2};
		const size_t blocks = late.jumps ? 3 : 2;
		struct probe_kernel kernel;
		probe_late_branch(start(&kernel), &late, 1);
		assert_int_equal(kernel.executions_count, kernel.rounds * blocks);
		uint64_t product = kernel.words[0].value;
		for (size_t round = 0; round < kernel.rounds; round++) {
			assert_int_equal(kernel.executions[round * blocks] & 1, late.random ? product >> 63 : 0);
			for (unsigned j = 0; j < late.products; j++)
				product *= kernel.words[1].value;
		}
		check(&kernel);
	}
}

/* An indirect jump of a random loop goes by the bit to one of two places of its item, or always to the first. */
static void test_random_targets(void **state) {
	(void)state;
	static const enum probe_random_kind kinds[] = {PROBE_RANDOM_TARGET, PROBE_RANDOM_JUMP,
	                                               PROBE_RANDOM_SAME_TARGET};
	enum { SPACING = 64, ITEMS = 3, JUMP = 4, APART = 8 };
	struct probe_kernel kernel;
	probe_random_loop(start(&kernel), kinds, ITEMS, SPACING, 0);
	const uint64_t first = kernel.geometry[0].address;
	for (size_t i = 0; i < ITEMS; i += 2) {
		struct instruction instruction;
		uint64_t at = first + i * SPACING, targets[2] = {0, 0};
		do
			at += decode(&kernel, at, &instruction);
		while (instruction.about.mnemonic != ZYDIS_MNEMONIC_JMP);
		assert_int_equal(instruction.about.length, JUMP);
		assert_int_equal(instruction.operands[0].mem.base, ZYDIS_REGISTER_RSI);
		assert_int_equal(instruction.operands[0].mem.index, ZYDIS_REGISTER_RDX);
		assert_int_equal(instruction.operands[0].mem.scale, 8);
		const uint64_t table = kernel.start + (uint64_t)instruction.operands[0].mem.disp.value;
		for (size_t word = 0; word < kernel.words_count; word++)
			for (unsigned t = 0; t < 2; t++)
				if (kernel.words[word].address == table + 8 * t)
					targets[t] = kernel.words[word].value;
		assert_int_equal(targets[0], at);
		assert_int_equal(targets[1], i ? at : at + APART);
		/* Both go on to the next item. */
		for (at = targets[1]; at < first + (i + 1) * SPACING;) {
			at += decode(&kernel, at, &instruction);
			assert_int_equal(instruction.about.mnemonic, ZYDIS_MNEMONIC_NOP);
		}
		assert_int_equal(at, first + (i + 1) * SPACING);
	}
	probe_kernel_release(&kernel);
}

/* Each conditional branch of a block is taken in one round of the period, and never another of the block then. */
static void test_seldom(void **state) {
	(void)state;
	struct probe_kernel kernel;
	size_t taken = 0;
	probe_seldom(start(&kernel), 4, 3, true);
	assert_int_equal(kernel.executions_count, kernel.rounds * (4 * 4 + 1));
	for (size_t i = 0; i < kernel.executions_count; i++) {
		const bool jump = kernel.blocks[kernel.executions[i] >> 1].branch == IFR_BRANCH_JUMP;
		const bool loop = i % (4 * 4 + 1) == 4 * 4;
		taken += !jump && !loop && kernel.executions[i] & 1;
	}
	assert_int_equal(taken, 4 * 3);
	check(&kernel);
}

/* Windows of all kinds: their instructions, and where their jumps end. */
static void test_windows(void **state) {
	(void)state;
	static const struct probe_windows all[] = {{4, 64, 64, 20, 0, 0, 0, 0, 0},  {4, 64, 64, 50, 0, 0, 0, 0, 3},
	                                           {4, 64, 64, 0, 0, 5, 0, 0, 1},   {3, 128, 57, 49, 0, 0, 0, 20, 0},
	                                           {3, 64, 64, 9, 2, 0, 0, 0, 0},   {3, 64, 64, 0, 0, 0, 9, 0, 0},
	                                           {3, 64, 64, 0, 0, 0, 64, 32, 0}, {1, 54, 54, 4, 3, 0, 0, 7, 0}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct probe_kernel kernel;
		unsigned instructions = 0;
		probe_windows(start(&kernel), &all[i]);
		for (size_t block = 0; block < kernel.blocks_count; block++)
			instructions += kernel.geometry[block].instructions;
		const size_t segments = all[i].count * (all[i].segments ? all[i].segments : 1),
					 jumps = all[i].segments || all[i].distance > all[i].bytes ? 1 : 0;
		if (all[i].ops)
			assert_int_equal(instructions, segments * (all[i].ops + jumps) + 2);
		if (all[i].jump_end)
			assert_int_equal((kernel.geometry[0].address + kernel.geometry[0].bytes - all[i].offset) % 64,
			                 all[i].jump_end % 64);
		check(&kernel);
	}
}

/* A chase passes every pointer once and comes back. */
static void test_chase_is_a_ring(void **state) {
	(void)state;
	struct probe_kernel kernel;
	probe_chase(start(&kernel), &(struct probe_places){77, 1, 64, 64}, 5);
	uint64_t at = kernel.start;
	for (size_t i = 0; i < 77; i++) {
		size_t word = 0;
		while (kernel.words[word].address != at)
			word++;
		at = kernel.words[word].value;
		assert_true(i == 76 || at != kernel.start);
	}
	assert_int_equal(at, kernel.start);
	probe_kernel_release(&kernel);
}

static const enum probe_random_kind all_random_kinds[] = {PROBE_RANDOM_NEVER, PROBE_RANDOM_BIT,
                                                          PROBE_RANDOM_ALWAYS, PROBE_RANDOM_JUMP};
enum { RANDOM_KINDS = sizeof all_random_kinds / sizeof *all_random_kinds };

/* Branches end where they should, each tests what its kind says, and goes on with the next one. */
static void test_random_loop(void **state) {
	(void)state;
	static const unsigned constants[] = {0, 1, 0};
	static const ZydisMnemonic mnemonics[] = {ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JNB,
	                                          ZYDIS_MNEMONIC_JMP};
	enum { SPACING = 13, SHORT = 2 };
	struct probe_kernel kernel;
	probe_random_loop(start(&kernel), all_random_kinds, RANDOM_KINDS, SPACING, 0);
	uint64_t at = kernel.geometry[0].address;
	for (size_t i = 0; i < RANDOM_KINDS; i++) {
		struct instruction before = {0}, instruction = {0};
		const uint64_t end = at + SPACING;
		while (at < end) {
			before = instruction;
			at += decode(&kernel, at, &instruction);
		}
		assert_int_equal(at, end);
		assert_int_equal(instruction.about.mnemonic, mnemonics[i]);
		assert_int_equal(instruction.about.length, SHORT);
		assert_int_equal(instruction.operands[0].imm.value.u, 0);
		if (all_random_kinds[i] != PROBE_RANDOM_JUMP) {
			assert_int_equal(before.about.mnemonic, ZYDIS_MNEMONIC_TEST);
			assert_int_equal(before.operands[0].reg.value, ZYDIS_REGISTER_DL);
			assert_int_equal(before.operands[1].imm.value.u, constants[i]);
		}
	}
	probe_kernel_release(&kernel);
}

/* 27 instructions in each 64 bytes, none across their end. */
static void test_zeroed(void **state) {
	(void)state;
	enum { WINDOWS = 3, WINDOW = 64, COUNT = 27 };
	struct probe_kernel kernel;
	probe_zeroed(start(&kernel), WINDOWS, COUNT);
	uint64_t at = kernel.entry;
	assert_int_equal(at % WINDOW, 0);
	for (unsigned window = 1; window <= WINDOWS; window++) {
		for (unsigned i = 0; i < COUNT; i++) {
			struct instruction instruction;
			at += decode(&kernel, at, &instruction);
			assert_int_equal(instruction.about.mnemonic, ZYDIS_MNEMONIC_XOR);
			assert_int_equal(instruction.operands[0].reg.value, ZYDIS_REGISTER_EAX);
		}
		assert_int_equal(at, kernel.entry + window * WINDOW);
	}
	assert_int_equal(kernel.elements, WINDOWS * COUNT);
	probe_kernel_release(&kernel);
}

/* The processor runs all kernels to their end; how fast does not matter. */
static void test_kernels_run(void **state) {
	(void)state;
	static const uint8_t outcomes[] = {1, 0, 0, 1};
	struct probe_batch batch;
	struct ifr_error err = {0};
	probe_batch_init(&batch, false, INT64_C(5000000000));
	for (uint64_t distance = 4; distance <= 4096; distance *= 8)
		probe_branch_chain(probe_batch_add(&batch), &(struct probe_places){40, 1, distance, distance});
	probe_pattern_loop(probe_batch_add(&batch),
	                   (struct probe_item[]){{.outcomes = outcomes}, {PROBE_ITEM_JUMP, NULL}}, 2, sizeof outcomes,
	                   16, 0);
	probe_call_nest(probe_batch_add(&batch), 30);
	probe_chase(probe_batch_add(&batch), &(struct probe_places){100, 1, 4160, 4160}, 2);
	probe_store_load(probe_batch_add(&batch), 3, 4096);
	probe_nops(probe_batch_add(&batch), 100, 8);
	probe_random_loop(probe_batch_add(&batch), all_random_kinds, RANDOM_KINDS, 13, 0);
	probe_random_loop(probe_batch_add(&batch),
	                  (enum probe_random_kind[]){PROBE_RANDOM_TARGET, PROBE_RANDOM_JUMP, PROBE_RANDOM_SAME_TARGET},
	                  3, 64, 0);
	probe_random_loop(probe_batch_add(&batch), all_random_kinds, RANDOM_KINDS, 32, 2);
	probe_paced_pattern(probe_batch_add(&batch), &(struct probe_item){.outcomes = outcomes}, sizeof outcomes, 16,
	                    3);
	probe_late_branch(probe_batch_add(&batch), &(struct probe_late){5, true, true}, 1);
	probe_there_and_back(probe_batch_add(&batch), true);
	probe_stream(probe_batch_add(&batch), 256, 0);
	probe_branch_chain_behind(probe_batch_add(&batch), &(struct probe_places){40, 1, 16, 16}, 5000);
	probe_zeroed(probe_batch_add(&batch), 10, 27);
	probe_indirect_loop(probe_batch_add(&batch),
	                    &(struct probe_indirect){2, 3, {outcomes, outcomes}, sizeof outcomes, true});
	if (probe_batch_run(&batch, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < batch.repetitions * batch.count; i++)
		assert_true(batch.ticks[i] > 0);
	probe_batch_release(&batch);
}

/* Code that dies, code that never ends, and too little time for a median end the batch and nothing else. */
static void test_bad_kernels(void **state) {
	(void)state;
	/* Of the second's ten seconds of grace these leave 0.2. */
	static const uint8_t illegal[] = {0x0f, 0x0b}, forever[] = {0xeb, 0xfe}, fine[] = {0xc3, 0xc3};
	const struct {
		const uint8_t *bytes;
		int64_t budget_ns;
	} cases[] = {{illegal, INT64_C(1000000000)}, {forever, -INT64_C(9800000000)}, {fine, -1}};
	for (size_t i = 0; i < 3; i++) {
		struct probe_batch batch;
		struct ifr_error err = {0};
		probe_batch_init(&batch, false, cases[i].budget_ns);
		struct probe_kernel *kernel = probe_batch_add(&batch);
		kernel->entry = kernel->code;
		kernel->rounds = kernel->elements = 1;
		probe_put(kernel, kernel->code, cases[i].bytes, 2);
		assert_int_equal(probe_batch_run(&batch, &err), -IFR_E_ENVIRONMENT);
		probe_batch_release(&batch);
	}
}

/* Bytes are the instructions that the experiment names. */
static void check_names(const struct probe_dependent *dependent) {
	for (; dependent->key; dependent++) {
		struct probe_kernel kernel;
		struct instruction instruction;
		const char *name = dependent->experiment;
		unsigned at = 0;
		probe_repeat(start(&kernel),
		             &(struct probe_sequence){dependent->bytes, dependent->length, dependent->instructions}, 3);
		for (unsigned i = 0; i < dependent->instructions; i++) {
			at += decode(&kernel, kernel.geometry[0].address + at, &instruction);
			const char *mnemonic = ZydisMnemonicGetString(instruction.about.mnemonic);
			if (strncmp(name, mnemonic, strlen(mnemonic)) || name[strlen(mnemonic)] != ' ')
				fail_msg("%s: \"%s\" is %s", dependent->key, name, mnemonic);
			name = strchr(name, ';') ? strchr(name, ';') + 2 : name;
		}
		assert_int_equal(at, dependent->length);
		assert_int_equal(kernel.geometry[0].bytes, 3 * dependent->length + 9);
		assert_int_equal(kernel.geometry[0].instructions, 3 * dependent->instructions + 2);
		probe_kernel_release(&kernel);
	}
}

static void test_dependents_are_as_named(void **state) {
	(void)state;
	check_names(probe_dependents);
	check_names(probe_independents);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dependents_are_as_named),

		cmocka_unit_test(test_branch_chains),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_other_kernels),
		cmocka_unit_test(test_chosen_places),
		cmocka_unit_test(test_steps_and_indirect_jumps),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_seldom),
		cmocka_unit_test(test_chase_is_a_ring),
		cmocka_unit_test(test_random_loop),
		cmocka_unit_test(test_random_targets),
		cmocka_unit_test(test_late_branch),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_kernels_run),
		cmocka_unit_test(test_bad_kernels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
