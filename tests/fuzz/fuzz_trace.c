/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary bytes as a trace: refused with a message that names the file, or opened as far as valid, read to the
 * end and replayed. Most mutations change a payload and correct its checksum. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/file.h"
#include "common/random.h"
#include "model/model.h"
#include "model/trace/frames.h"
#include "tests/fuzz/target.h"

enum { RAW_MOST = 1 << 20, STEPS_MOST = 1 << 16 };

static const char *trace_path(void) {
	static char *path;
	static char *folder;
	if (!path) {
		assert(!ifr_temporary_dir(&folder, NULL));
		path = ifr_format("%s/trace", folder);
	}
	return path;
}

/* Returns false if replaying would take too long: a few bytes can state a million executions of one block. */
static bool read_runs(struct ifr_trace *trace) {
	const struct ifr_trace_block *blocks;
	size_t count = ifr_trace_blocks(trace, &blocks), steps = 0;
	struct ifr_trace_chunk piece;
	do {
		size_t places = 0;
		ifr_trace_read_chunk(trace, 1000, &piece);
		for (size_t i = 0; i < piece.executions_count; i++) {
			assert(piece.executions[i] == IFR_EXECUTION_BREAK || piece.executions[i] >> 1 < count);
			places += piece.executions[i] == IFR_EXECUTION_BREAK ? 0 : blocks[piece.executions[i] >> 1].accesses;
		}
		assert(places == piece.accesses_count);
		steps += piece.executions_count;
	} while (piece.executions_count && steps < STEPS_MOST);
	return steps < STEPS_MOST;
}

/* All code is there, and decodes or does not. */
static void split_blocks(const struct ifr_trace *trace) {
	static uint8_t lengths[UINT16_MAX];
	const struct ifr_trace_block *blocks;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	for (size_t i = 0; i < count; i++)
		assert(ifr_trace_split_block(trace, i, lengths) <= blocks[i].bytes);
}

static void replay(struct ifr_trace *trace) {
	static struct ifr_machine *machine;
	struct ifr_layout_request none = {0}, shifted = {.end_bytes = 4096, .stack_bytes = 100, .load_pages = 1};
	struct ifr_count_settings settings = {.engine = IFR_ENGINE_SCALAR};
	struct ifr_counts counts[2];
	struct ifr_error err = {0};
	if (!machine)
		assert(!ifr_machine_open(&machine, "p6", NULL));
	settings.machine = machine;
	struct ifr_address_map *maps[] = {ifr_address_map_new(trace, &none), ifr_address_map_new(trace, &shifted)};
	int result = ifr_count_events(trace, maps, 2, &settings, counts, NULL, &err);
	assert(!result || (*err.message && !strchr(err.message, '\n')));
	for (int i = 0; i < 2; i++)
		ifr_address_map_free(maps[i]);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_trace *trace;
	struct ifr_error err = {0};
	assert(!ifr_file_write(trace_path(), data, size, 0644, NULL));
	int result = ifr_trace_open(trace_path(), &trace, &err);
	if (result) {
		assert(result == -IFR_E_USAGE && strstr(err.message, trace_path()) && !strchr(err.message, '\n'));
		return 0;
	}
	split_blocks(trace);
	if (read_runs(trace))
		replay(trace);
	ifr_trace_keep_prefetches(trace);
	read_runs(trace);
	ifr_trace_free(trace);
	return 0;
}

/* Changes a byte, a word, or the length of a payload. */
static void change(uint64_t bits, struct ifr_buffer *raw) {
	size_t at = raw->length ? ifr_random_below(ifr_siphash(bits, 0, "at", 2), raw->length) : 0;
	uint64_t word = ifr_siphash(bits, 1, "word", 4);
	if (!raw->length || !(bits & 7)) {
		ifr_buffer_append(raw, &word, 8);
	} else if ((bits & 7) == 1) {
		raw->length = at;
	} else if ((bits & 7) < 5 || raw->length - at < 8) {
		raw->data[at] = bits & 8 ? (char)word : (char)(raw->data[at] ^ 1 << (word & 7));
	} else {
		static const uint64_t odd[] = {0, UINT64_MAX, INT64_MAX, UINT32_MAX, 1, UINT64_C(1) << 44};
		word = bits & 8 ? odd[word % 6] : word;
		memcpy(raw->data + at, &word, bits & 16 ? 8 : 4);
	}
}

static void append_frame(struct ifr_buffer *to, struct trace_frame head, const char *stored, uint64_t bits) {
	struct ifr_buffer raw = {0};
	char *room = ifr_alloc(RAW_MOST + 1);
	size_t length = ZSTD_decompress(room, RAW_MOST, stored, head.stored_bytes);
	ifr_buffer_append(&raw, room, ZSTD_isError(length) ? 0 : length);
	change(bits, &raw);
	if (!(bits >> 8 & 15))
		head.type = (uint32_t)(bits >> 16 & 7);
	if (!(bits >> 12 & 15))
		head.executions = (uint32_t)(bits >> 16 & 0xfff);
	if (!(bits >> 20 & 15))
		head.sequence_bytes = bits >> 24 & 0xff;
	if (!(bits >> 32 & 15))
		head.token_bytes = bits >> 36 & 0xff;
	if (!(bits >> 44 & 15))
		head.offset_bytes = bits >> 48 & 0xff;
	size_t bound = ZSTD_compressBound(raw.length);
	char *packed = ifr_alloc(bound + 1);
	head.raw_bytes = raw.length;
	head.stored_bytes = ZSTD_compress(packed, bound, ifr_buffer_text(&raw), raw.length, 1);
	head.checksum = frame_checksum(&head, packed);
	ifr_buffer_append(to, &head, sizeof head);
	ifr_buffer_append(to, packed, head.stored_bytes);
	free(packed);
	free(room);
	ifr_buffer_release(&raw);
}

void ifr_fuzz_mutate(uint64_t bits, struct ifr_buffer *input) {
	struct ifr_buffer made = {0};
	struct trace_frame head;
	size_t at = sizeof(struct trace_head), number = 0;
	if (input->length < at)
		return;
	ifr_buffer_append(&made, input->data, at);
	while (input->length - at >= sizeof head) {
		memcpy(&head, input->data + at, sizeof head);
		if (head.stored_bytes > input->length - at - sizeof head)
			break;
		size_t whole = sizeof head + head.stored_bytes;
		uint64_t draw = ifr_siphash(bits, number++, "frame", 5);
		if (draw & 1)
			append_frame(&made, head, input->data + at + sizeof head, draw >> 8);
		else
			ifr_buffer_append(&made, input->data + at, whole);
		at += whole;
	}
	ifr_buffer_append(&made, input->data + at, input->length - at);
	ifr_buffer_release(input);
	*input = made;
}
