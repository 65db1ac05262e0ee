/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of installed programs: the cores know them all but a few, and each decoded instruction is well-formed. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "common/file.h"
#include "model/core/operation.h"
#include "tests/unit/depth.h"

enum { OTHER_KINDS = 4, STRIDE = 24 }; /* in other versions of these programs; of windows, in `make check` */

static const char *const programs[] = {"/usr/bin/gawk", "/usr/bin/perl", "/lib/x86_64-linux-gnu/libc.so.6",
                                       "/usr/lib64/libc.so.6"};

/* Kinds of instructions that a core does not know. */
struct unknowns {
	unsigned counts[ZYDIS_MNEMONIC_MAX_VALUE + 1];
	size_t instructions, unknown, undecoded;
};

static void check_instruction(const struct ifr_operations *operations,
                              const struct ifr_operations_of *instruction) {
	const struct ifr_operation *first = &operations->operations[instruction->first];
	/* Only what takes the slot of a move before it takes none. */
	const bool joins = instruction > operations->instructions && first->kind == IFR_OPERATION_COMPUTE &&
	                   first[-1].flags & IFR_OPERATION_ELIMINATED && first->flags & IFR_OPERATION_ISSUED_WITH_LAST;
	assert_int_equal(instruction->count >= 1 && instruction->decoded >= 1, !joins);
	assert_true(instruction->decoded <= instruction->issued && instruction->issued <= instruction->count);
	assert_true(first[instruction->count - 1].flags & IFR_OPERATION_END);
	for (unsigned i = 0; i < instruction->count; i++) {
		assert_true(first[i].kind <= IFR_OPERATION_NOP && first[i].occupancy >= 1);
		const bool computes = first[i].kind == IFR_OPERATION_COMPUTE || first[i].kind == IFR_OPERATION_LOAD;
		assert_true(!computes || first[i].ports || first[i].flags & IFR_OPERATION_ELIMINATED);
		for (unsigned j = 0; j < 4; j++)
			assert_true(first[i].sources[j] < IFR_REGISTERS);
	}
}

/* Decodes a section from its begin to its end; a byte that begins no instruction is skipped. */
static void decode_section(const struct ifr_decoder *decoder, const uint8_t *code, size_t bytes,
                           struct unknowns *unknowns) {
	struct ifr_operations operations = {0};
	const size_t stride = at_depth(STRIDE, 1) * 32768;
	for (size_t at = 0; at < bytes;) {
		if (at % stride >= 32768) {
			at += stride - at % stride;
			continue;
		}
		operations.operations_count = operations.instructions_count = 0;
		const size_t window = bytes - at < 32768 ? bytes - at : 32768;
		ifr_decoder_decode(decoder, code + at, window, SIZE_MAX, &operations);
		size_t done = 0;
		for (size_t i = 0; i < operations.instructions_count; i++) {
			const struct ifr_operations_of *instruction = &operations.instructions[i];
			check_instruction(&operations, instruction);
			if (instruction->flags & IFR_INSTRUCTION_NOT_DECODED) {
				if (window - done >= 15 || at + window == bytes) {
					unknowns->undecoded++;
					done++;
				}
				break;
			}
			unknowns->instructions++;
			if (instruction->flags & IFR_INSTRUCTION_UNKNOWN) {
				ZydisDisassembledInstruction text;
				ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, 0, code + at + done, 15, &text);
				unknowns->counts[text.info.mnemonic]++;
				unknowns->unknown++;
			}
			done += instruction->length;
		}
		at += done;
	}
	ifr_operations_release(&operations);
}

static void decode_file(const struct ifr_decoder *decoder, const char *path, struct unknowns *unknowns) {
	struct ifr_buffer bytes = {0};
	assert_int_equal(ifr_file_read(path, SIZE_MAX / 2, &bytes, NULL), 0);
	const Elf64_Ehdr *header = (const void *)bytes.data;
	const Elf64_Shdr *sections = (const void *)(bytes.data + header->e_shoff);
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_PROGBITS && sections[i].sh_flags & SHF_EXECINSTR)
			decode_section(decoder, (const uint8_t *)bytes.data + sections[i].sh_offset, sections[i].sh_size,
			               unknowns);
	ifr_buffer_release(&bytes);
}

/* Kinds that LLVM has no figures for. */
static bool is_named(const char *mnemonic) {
	static const char *const named[] = {"rdpkru", "wrpkru", "xtest"};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (!strcmp(mnemonic, named[i]))
			return true;
	return false;
}

/* libc has code for AVX-512, which half the cores lack: its vector instructions are unknown there. */
static bool lacks_avx512(const char *core) {
	static const char *const cores[] = {"fields2004", "r10000",  "sandybridge", "ivybridge",
	                                    "haswell",    "skylake", "zen2",        "zen3"};
	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
		if (!strcmp(core, cores[i]))
			return true;
	return false;
}

static void check_unknowns(const char *core, const struct unknowns *unknowns) {
	unsigned kinds = 0;
	for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
		const char *mnemonic = ZydisMnemonicGetString(i);
		if (!unknowns->counts[i] || is_named(mnemonic) || (*mnemonic == 'v' && lacks_avx512(core)))
			continue;
		print_message("%s: %s is unknown, %u times\n", core, mnemonic, unknowns->counts[i]);
		kinds++;
	}
	assert_true(kinds <= OTHER_KINDS);
	assert_true(unknowns->instructions && unknowns->unknown * 100 < unknowns->instructions);
}

static void test_coverage(void **state) {
	struct ifr_buffer names = {0};
	(void)state;
	ifr_decoder_print_names(&names);
	char *rest = names.data;
	for (const char *name; (name = strsep(&rest, " "));) {
		static struct unknowns unknowns;
		struct ifr_decoder *decoder;
		unknowns = (struct unknowns){0};
		assert_int_equal(ifr_decoder_new(name, &decoder, NULL), 0);
		clock_t begin = clock();
		for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
			if (!access(programs[i], R_OK))
				decode_file(decoder, programs[i], &unknowns);
		const double microseconds = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC;
		print_message("%s: %zu instructions, %zu unknown, %zu bytes undecoded, %.3f us each\n", name,
		              unknowns.instructions, unknowns.unknown, unknowns.undecoded,
		              microseconds / (double)unknowns.instructions);
		check_unknowns(name, &unknowns);
		ifr_decoder_free(decoder);
	}
	ifr_buffer_release(&names);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
