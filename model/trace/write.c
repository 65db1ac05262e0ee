/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace: collects block executions and codes the accesses; the thread of frame_writer.c codes the
 * executions, compresses and writes. */
#include <stdlib.h>
#include <string.h>

#include "model/trace/append.h"
#include "model/trace/coding.h"
#include "model/trace/frames.h"
#include "model/trace/limit.h"
#include "model/trace/misses.h"
#include "model/trace/writer.h"

const char *const ifr_mapping_kind_names[IFR_MAPPING_KINDS] = {"other", "program", "library", "stack",
                                                               "heap",  "mapping", "objects"};

enum {
	SEQUENCE_EXECUTIONS = 1 << 19,
	SEQUENCE_MISSES = 1 << 19,
	LONGEST_BLOCK = UINT16_MAX,
	SLAB_CODERS = 1 << 14
};

struct block_use {
	uint32_t recorded, instructions, accesses;
	struct address_coder *coders; /* one for each stored access */
};

struct ifr_trace_writer {
	struct frame_writer *frames;
	struct ifr_mapping *mappings;
	uint32_t mapping_count;
	bool *mapping_changed;
	bool begun;
	uint64_t moments;                  /* events since the start: mappings, unmappings, requests */
	struct ifr_buffer requests, sites; /* not yet written */
	uint64_t site;                     /* of the next requests */
	uint32_t request_count;
	uint32_t objects; /* mapping of the objects, and the end of its used part */
	uint64_t objects_end;
	struct ifr_buffer blocks; /* not yet written */
	struct block_use *uses;
	uint32_t block_count, block_room;
	uint32_t access_count;
	struct address_coder **slabs; /* of coders, which stay where they are */
	size_t slab_count, slab_left; /* unused coders of the last slab */
	struct raw_sequence sequence; /* memory of the current frame */
	struct trace_tail tail;
	struct miss_parts misses_end; /* mispredicted accesses of the current frame */
	const uint8_t *tokens_limit;
	struct miss_coder miss_coder;
	struct ifr_trace_totals totals;
};

/* Begins a frame, in the memory of an earlier one. */
static void begin_sequence(struct ifr_trace_writer *writer) {
	struct raw_sequence *sequence = &writer->sequence;
	if (!sequence->executions) {
		/* Behind the limit, there is room for a block's accesses. */
		const size_t room = SEQUENCE_MISSES + LONGEST_BLOCK;
		sequence->executions = ifr_realloc(NULL, SEQUENCE_EXECUTIONS, sizeof *sequence->executions);
		sequence->parts[RAW_TOKENS] = ifr_realloc(NULL, room, 1);
		sequence->parts[RAW_OFFSETS] = ifr_realloc(NULL, room, 1);
		sequence->parts[RAW_REST] = ifr_realloc(NULL, room, 2 * VARINT_BYTES_MAX);
	}
	writer->misses_end =
		(struct miss_parts){sequence->parts[RAW_TOKENS], sequence->parts[RAW_OFFSETS], sequence->parts[RAW_REST]};
	writer->tokens_limit = sequence->parts[RAW_TOKENS] + SEQUENCE_MISSES;
	writer->tail.executions = sequence->executions;
	writer->tail.limit = sequence->executions + SEQUENCE_EXECUTIONS;
	writer->tail.hits = 0;
}

int ifr_trace_create(const char *path, const char *text, struct ifr_trace_writer **out, struct ifr_error *err) {
	struct ifr_trace_writer *writer = ifr_alloc(sizeof *writer);
	int result = frame_writer_open(path, &writer->frames, err);
	if (result) {
		free(writer);
		return result;
	}
	frame_write(writer->frames, TRACE_TEXT, text, strlen(text));
	begin_sequence(writer);
	*out = writer;
	return 0;
}

void ifr_trace_limit(struct ifr_trace_writer *writer, uint64_t bytes) {
	frame_writer_limit(writer->frames, bytes);
}

uint64_t ifr_trace_bytes(const struct ifr_trace_writer *writer) {
	return frame_writer_bytes(writer->frames);
}

bool ifr_trace_failed(const struct ifr_trace_writer *writer) {
	return frame_writer_failed(writer->frames);
}

static bool is_first_of_room(uint32_t count) {
	return !(count & (count - 1)) || !count;
}

uint32_t ifr_trace_add_mapping(struct ifr_trace_writer *writer, const struct ifr_mapping *mapping) {
	if (writer->mapping_count + IFR_MAPPING_FIRST == IFR_MAPPING_LIMIT)
		return 0;
	uint32_t number = writer->mapping_count++;
	if (is_first_of_room(number)) {
		size_t room = number ? 2 * (size_t)number : 1;
		writer->mappings = ifr_realloc(writer->mappings, room, sizeof *writer->mappings);
		writer->mapping_changed = ifr_realloc(writer->mapping_changed, room, sizeof *writer->mapping_changed);
	}
	writer->mappings[number] = *mapping;
	writer->mappings[number].path = ifr_strdup(mapping->path ? mapping->path : "");
	writer->mappings[number].opened = writer->begun ? ++writer->moments : 0;
	writer->mappings[number].closed = UINT64_MAX;
	writer->mapping_changed[number] = true;
	return number + IFR_MAPPING_FIRST;
}

void ifr_trace_start_program(struct ifr_trace_writer *writer) {
	writer->begun = true;
}

void ifr_trace_grow_mapping(struct ifr_trace_writer *writer, uint32_t number, uint64_t start, uint64_t bytes) {
	number -= IFR_MAPPING_FIRST;
	struct ifr_mapping *mapping = &writer->mappings[number];
	uint64_t end = mapping->start + mapping->bytes, to = start + bytes;
	mapping->start = start < mapping->start ? start : mapping->start;
	mapping->bytes = (to > end ? to : end) - mapping->start;
	writer->mapping_changed[number] = true;
}

void ifr_trace_close_mapping(struct ifr_trace_writer *writer, uint32_t number) {
	number -= IFR_MAPPING_FIRST;
	writer->mappings[number].closed = ++writer->moments;
	writer->mapping_changed[number] = true;
}

/* Normalised addresses that an object takes: whole cache lines and both margins. */
static uint64_t object_span(uint64_t bytes) {
	const uint64_t most = IFR_OFFSET_MASK - 4 * IFR_OBJECT_MARGIN;
	bytes = bytes < most ? bytes : most;
	return 2 * IFR_OBJECT_MARGIN + ((bytes + 63) & ~UINT64_C(63));
}

void ifr_trace_set_site(struct ifr_trace_writer *writer, uint64_t site) {
	writer->site = site;
}

uint32_t ifr_trace_add_request(struct ifr_trace_writer *writer, struct ifr_trace_request *request) {
	uint64_t room = object_span(request->bytes);
	if (!writer->objects || room > IFR_OFFSET_MASK - writer->objects_end) {
		writer->objects = ifr_trace_add_mapping(writer, &(struct ifr_mapping){.kind = IFR_MAPPING_OBJECTS});
		writer->objects_end = 0;
	}
	request->normalised =
		((uint64_t)writer->objects << IFR_MAPPING_SHIFT) + writer->objects_end + IFR_OBJECT_MARGIN;
	request->moment = ++writer->moments;
	writer->objects_end += room;
	ifr_trace_grow_mapping(writer, writer->objects, 0, writer->objects_end);
	ifr_buffer_append(&writer->requests, request, sizeof *request);
	ifr_buffer_append(&writer->sites, &writer->site, sizeof writer->site);
	return writer->request_count++;
}

static struct address_coder *add_coders(struct ifr_trace_writer *writer, uint32_t count) {
	if (count > writer->slab_left) {
		const size_t room = count > SLAB_CODERS ? count : SLAB_CODERS;
		writer->slabs = ifr_realloc(writer->slabs, writer->slab_count + 1, sizeof *writer->slabs);
		writer->slabs[writer->slab_count++] = ifr_alloc(room * sizeof **writer->slabs);
		writer->slab_left = room;
	}
	struct address_coder *slab = writer->slabs ? writer->slabs[writer->slab_count - 1] : NULL;
	writer->slab_left -= count;
	if (!slab)
		return NULL;
	address_coders_init(slab + writer->slab_left, count, &writer->tail.addresses);
	return slab + writer->slab_left;
}

uint32_t ifr_trace_add_block(struct ifr_trace_writer *writer, const struct ifr_trace_block *block,
                             const struct ifr_trace_access *accesses, const void *code) {
	static const char zeros[8];
	uint32_t id = writer->block_count++;
	if (id >= writer->block_room) {
		writer->block_room = 2 * id + 1024;
		writer->uses = ifr_realloc(writer->uses, writer->block_room, sizeof *writer->uses);
	}
	struct ifr_trace_block copy = *block;
	copy.first_access = writer->access_count;
	ifr_buffer_append(&writer->blocks, &copy, sizeof copy);
	ifr_buffer_append(&writer->blocks, accesses, block->accesses * sizeof *accesses);
	ifr_buffer_append(&writer->blocks, code, block->bytes);
	ifr_buffer_append(&writer->blocks, zeros, -(size_t)block->bytes & 7);
	struct block_use *use = &writer->uses[id];
	*use = (struct block_use){.instructions = block->instructions, .accesses = block->accesses};
	for (unsigned i = 0; i < block->accesses; i++)
		use->recorded += accesses[i].anchor == IFR_ACCESS_RECORDED;
	use->coders = add_coders(writer, use->recorded);
	writer->access_count += block->accesses;
	return id;
}

/* --- the block sequence -------------------------------------------------------------------------------------- */

static void write_mappings(struct ifr_trace_writer *writer) {
	static const char zeros[8];
	struct ifr_buffer text = {0};
	for (uint32_t i = 0; i < writer->mapping_count; i++) {
		const struct ifr_mapping *mapping = &writer->mappings[i];
		if (!writer->mapping_changed[i])
			continue;
		writer->mapping_changed[i] = false;
		size_t length = strlen(mapping->path);
		struct trace_mapping head = {.number = i + IFR_MAPPING_FIRST,
		                             .kind = mapping->kind,
		                             .path_bytes = (uint32_t)length,
		                             .fixed = mapping->fixed,
		                             .allocator = mapping->allocator,
		                             .start = mapping->start,
		                             .bytes = mapping->bytes,
		                             .opened = mapping->opened,
		                             .closed = mapping->closed};
		ifr_buffer_append(&text, &head, sizeof head);
		ifr_buffer_append(&text, mapping->path, length);
		ifr_buffer_append(&text, zeros, -length & 7);
	}
	if (text.length)
		frame_write(writer->frames, TRACE_MAPPINGS, text.data, text.length);
	ifr_buffer_release(&text);
}

static void flush_sequence(struct ifr_trace_writer *writer) {
	const struct miss_parts *end = &writer->misses_end;
	struct raw_sequence *sequence = &writer->sequence;
	sequence->execution_count = (size_t)(writer->tail.executions - sequence->executions);
	sequence->part_bytes[RAW_TOKENS] = (size_t)(end->tokens - sequence->parts[RAW_TOKENS]);
	sequence->part_bytes[RAW_OFFSETS] = (size_t)(end->offsets - sequence->parts[RAW_OFFSETS]);
	sequence->part_bytes[RAW_REST] = (size_t)(end->rest - sequence->parts[RAW_REST]);
	writer->totals.executions += sequence->execution_count;
	frame_write_sequence(writer->frames, sequence);
	begin_sequence(writer);
}

static void flush_frames(struct ifr_trace_writer *writer) {
	write_mappings(writer);
	if (writer->requests.length) {
		frame_write(writer->frames, TRACE_REQUESTS, writer->requests.data, writer->requests.length);
		frame_write(writer->frames, TRACE_SITES, writer->sites.data, writer->sites.length);
	}
	ifr_buffer_clear(&writer->requests);
	ifr_buffer_clear(&writer->sites);
	if (writer->blocks.length)
		frame_write(writer->frames, TRACE_BLOCKS, writer->blocks.data, writer->blocks.length);
	ifr_buffer_clear(&writer->blocks);
	if (writer->tail.executions != writer->sequence.executions)
		flush_sequence(writer);
}

struct trace_tail *trace_tail(struct ifr_trace_writer *writer) {
	return &writer->tail;
}

void trace_end_frame(struct ifr_trace_writer *writer) {
	flush_frames(writer);
}

struct address_coder *trace_coders(struct ifr_trace_writer *writer, uint32_t block) {
	return writer->uses[block].coders;
}

void trace_count(struct ifr_trace_writer *writer, uint64_t instructions, uint64_t accesses, uint64_t recorded) {
	writer->totals.instructions += instructions;
	writer->totals.accesses += accesses;
	writer->totals.recorded += recorded;
}

static inline void add_execution(struct ifr_trace_writer *writer, uint32_t value) {
	*writer->tail.executions++ = value;
	if (writer->tail.executions >= writer->tail.limit)
		flush_frames(writer);
}

void trace_add_miss(struct ifr_trace_writer *writer, struct address_coder *coder, uint64_t normalised,
                    uint64_t hits) {
	struct trace_tail *tail = &writer->tail;
	miss_put(&writer->miss_coder, &writer->misses_end, hits, (int64_t)(normalised - coder->last), normalised);
	address_correct(coder, &tail->addresses, normalised, IFR_MAPPING_SHIFT);
	if (writer->misses_end.tokens >= writer->tokens_limit)
		tail->limit = writer->sequence.executions; /* the frame ends with this execution */
}

void ifr_trace_add_execution(struct ifr_trace_writer *writer, uint32_t block, bool taken,
                             const uint64_t *normalised) {
	const struct block_use *use = &writer->uses[block];
	trace_add_accesses(writer, &writer->tail, use->coders, normalised, use->recorded);
	trace_count(writer, use->instructions, use->accesses, use->recorded);
	add_execution(writer, block << 1 | taken);
}

void ifr_trace_add_break(struct ifr_trace_writer *writer) {
	add_execution(writer, IFR_EXECUTION_BREAK);
}

void ifr_trace_add_text(struct ifr_trace_writer *writer, const char *line) {
	frame_write(writer->frames, TRACE_TEXT, line, strlen(line));
}

int ifr_trace_close(struct ifr_trace_writer *writer, bool discard, struct ifr_trace_totals *totals,
                    struct ifr_error *err) {
	flush_frames(writer);
	frame_write(writer->frames, TRACE_TOTALS, &writer->totals, sizeof writer->totals);
	int result = frame_writer_close(writer->frames, discard, err);
	*totals = writer->totals;
	for (uint32_t i = 0; i < writer->mapping_count; i++)
		free(writer->mappings[i].path);
	free(writer->mappings);
	free(writer->mapping_changed);
	free(writer->uses);
	for (size_t i = 0; i < writer->slab_count; i++)
		free(writer->slabs[i]);
	free(writer->slabs);
	free(writer->sequence.executions);
	for (unsigned i = 0; i < RAW_PARTS; i++)
		free(writer->sequence.parts[i]);
	ifr_buffer_release(&writer->blocks);
	ifr_buffer_release(&writer->requests);
	ifr_buffer_release(&writer->sites);
	free(writer);
	return result;
}
