/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks are static, so each is decoded once: its classes count as often as it was executed. */
#include "harness/simulate/instruction_classes.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/exec/exec.h"
#include "kit/kit.h"

/* Behind Zydis's categories. */
enum { UNKNOWN = ZYDIS_CATEGORY_MAX_VALUE + 1, CLASSES };

/* The loaded segments of a mapped file. */
struct code_file {
	struct ifr_buffer bytes;
	GElf_Phdr *segments;
	size_t count;
};

static void open_code(struct code_file *file, const char *path) {
	struct ifr_elf_file elf;
	size_t headers = 0;
	if (!*path || !ifr_elf_open(&elf, path))
		return;
	if (elf_kind(elf.elf) == ELF_K_ELF && !elf_getphdrnum(elf.elf, &headers) &&
	    !ifr_file_read(path, 0, &file->bytes, NULL)) {
		file->segments = ifr_alloc((headers + 1) * sizeof *file->segments);
		for (size_t i = 0; i < headers; i++) {
			GElf_Phdr header;
			if (gelf_getphdr(elf.elf, (int)i, &header) && header.p_type == PT_LOAD)
				file->segments[file->count++] = header;
		}
	}
	ifr_elf_close(&elf);
}

static void close_code(struct code_file *file) {
	ifr_buffer_release(&file->bytes);
	free(file->segments);
}

/* Finds the bytes of a block in its file; NULL if they are not all there. */
static const uint8_t *find_bytes(const struct code_file *file, uint64_t address, size_t bytes) {
	for (size_t i = 0; i < file->count; i++) {
		const GElf_Phdr *segment = &file->segments[i];
		const uint64_t into = address - segment->p_vaddr, at = segment->p_offset + into;
		if (address < segment->p_vaddr || into > segment->p_filesz || segment->p_filesz - into < bytes)
			continue;
		return at <= file->bytes.length && file->bytes.length - at >= bytes
		           ? (const uint8_t *)file->bytes.data + at
		           : NULL;
	}
	return NULL;
}

/* Adds the classes of a block that was executed so often. */
static void add_block(const struct code_file *file, const struct ifr_trace_block *block, uint64_t executions,
                      uint64_t counts[CLASSES]) {
	const uint64_t address = block->normalised & ((UINT64_C(1) << IFR_MAPPING_SHIFT) - 1);
	const uint8_t *bytes = find_bytes(file, address, block->bytes);
	uint64_t found[CLASSES] = {0};
	size_t at = 0, instructions = 0;
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	while (bytes && at < block->bytes &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes + at, block->bytes - at, &decoded))) {
		found[decoded.meta.category] += executions;
		at += decoded.length;
		instructions++;
	}
	if (at == block->bytes && instructions == block->instructions)
		for (int i = 0; i < UNKNOWN; i++)
			counts[i] += found[i];
	else
		counts[UNKNOWN] += executions * block->instructions;
}

static int count_executions(struct ifr_trace *trace, uint64_t *executions, struct ifr_error *err) {
	enum { CHUNK = 16384 };
	struct ifr_trace_chunk chunk;
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK, &chunk)) {
		if (ifr_launch_interrupted())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a trace");
		for (size_t i = 0; i < chunk.executions_count; i++)
			if (chunk.executions[i] != IFR_EXECUTION_BREAK)
				executions[chunk.executions[i] >> 1]++;
	}
	ifr_trace_rewind(trace);
	return 0;
}

static int by_name(const void *a, const void *b) {
	return strcmp(ZydisCategoryGetString(*(const ZydisInstructionCategory *)a),
	              ZydisCategoryGetString(*(const ZydisInstructionCategory *)b));
}

static void print_classes(const uint64_t counts[CLASSES], struct ifr_buffer *text) {
	ZydisInstructionCategory classes[UNKNOWN];
	for (int i = 0; i < UNKNOWN; i++)
		classes[i] = (ZydisInstructionCategory)i;
	qsort(classes, UNKNOWN, sizeof *classes, by_name);
	const size_t begun = text->length;
	for (int i = 0; i < UNKNOWN; i++)
		if (counts[classes[i]])
			ifr_buffer_printf(text, "%s%s %" PRIu64, text->length > begun ? "; " : "",
			                  ZydisCategoryGetString(classes[i]), counts[classes[i]]);
	if (counts[UNKNOWN])
		ifr_buffer_printf(text, "%sunknown %" PRIu64, text->length > begun ? "; " : "", counts[UNKNOWN]);
}

int ifr_instruction_classes_count(struct ifr_trace *trace, struct ifr_buffer *text, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_blocks(trace, &blocks), mapping_count = ifr_trace_mappings(trace, &mappings);
	uint64_t *executions = ifr_alloc((count + 1) * sizeof *executions), counts[CLASSES] = {0};
	struct code_file *files = ifr_alloc((mapping_count + 1) * sizeof *files);
	int result = count_executions(trace, executions, err);
	for (size_t i = IFR_MAPPING_FIRST; i < mapping_count && !result; i++)
		if (mappings[i].kind == IFR_MAPPING_PROGRAM || mappings[i].kind == IFR_MAPPING_LIBRARY)
			open_code(&files[i], mappings[i].path);
	for (size_t i = 0; i < count && !result; i++) {
		const size_t mapping = blocks[i].normalised >> IFR_MAPPING_SHIFT;
		if (executions[i] && mapping < mapping_count)
			add_block(&files[mapping], &blocks[i], executions[i], counts);
	}
	if (!result)
		print_classes(counts, text);
	for (size_t i = 0; i < mapping_count; i++)
		close_code(&files[i]);
	free(files);
	free(executions);
	return result;
}
