/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <Zydis/Zydis.h>

#include "model/trace/code.h"

size_t ifr_trace_split_block(const struct ifr_trace *trace, size_t block, uint8_t *lengths) {
	const struct ifr_trace_block *blocks;
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ifr_trace_blocks(trace, &blocks);
	const uint8_t *code = ifr_trace_code(trace, block);
	const size_t bytes = blocks[block].bytes;
	size_t count = 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < bytes; at += decoded.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, bytes - at, &decoded)))
			return 0;
		lengths[count++] = decoded.length;
	}
	return count;
}
