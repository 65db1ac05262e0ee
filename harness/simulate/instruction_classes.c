/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks are static, so each is decoded once: its classes count as often as it was executed. */
#include "harness/simulate/instruction_classes.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* Behind Zydis's categories. */
enum { UNKNOWN = ZYDIS_CATEGORY_MAX_VALUE + 1, CLASSES };

/* Adds the classes of a block that was executed so often. */
static void add_block(const struct ifr_trace *trace, size_t block, uint64_t executions, uint64_t counts[CLASSES]) {
	const struct ifr_trace_block *blocks;
	uint64_t found[CLASSES] = {0};
	size_t at = 0, instructions = 0;
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ifr_trace_blocks(trace, &blocks);
	const uint8_t *code = ifr_trace_code(trace, block);
	const size_t bytes = blocks[block].bytes;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	while (at < bytes &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, bytes - at, &decoded))) {
		found[decoded.meta.category] += executions;
		at += decoded.length;
		instructions++;
	}
	if (at == bytes && instructions == blocks[block].instructions)
		for (int i = 0; i < UNKNOWN; i++)
			counts[i] += found[i];
	else
		counts[UNKNOWN] += executions * blocks[block].instructions;
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

void ifr_instruction_classes_count(const struct ifr_trace *trace, const struct ifr_executed_code *code,
                                   struct ifr_buffer *text) {
	uint64_t counts[CLASSES] = {0};
	for (size_t i = 0; i < code->count; i++)
		add_block(trace, code->blocks[i].block, code->blocks[i].executions, counts);
	print_classes(counts, text);
}
