/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a trace: reads and checks all frames but the sequence, which read_sequence.c reads. */
#include <stdlib.h>
#include <string.h>

#include "model/trace/code.h"
#include "model/trace/frames.h"
#include "model/trace/reader.h"

static bool read_mappings(struct ifr_trace *trace, size_t length) {
	for (size_t at = 0; at < length;) {
		struct trace_mapping from;
		if (length - at < sizeof from)
			return false;
		memcpy(&from, trace->raw + at, sizeof from);
		at += sizeof from;
		if (from.number > trace->mapping_count || from.number < IFR_MAPPING_FIRST ||
		    from.number >= IFR_MAPPING_LIMIT || from.kind >= IFR_MAPPING_KINDS || from.path_bytes > length - at ||
		    ((from.path_bytes + 7UL) & ~7UL) > length - at || from.start > IFR_OFFSET_MASK ||
		    from.bytes > IFR_OFFSET_MASK - from.start)
			return false;
		if (from.number == trace->mapping_count) {
			trace->mappings = ifr_realloc(trace->mappings, trace->mapping_count + 1, sizeof *trace->mappings);
			trace->mappings[trace->mapping_count++] = (struct ifr_mapping){0};
		}
		struct ifr_mapping *mapping = &trace->mappings[from.number];
		free(mapping->path);
		*mapping = (struct ifr_mapping){
			.kind = from.kind,
			.path = memcpy(ifr_alloc(from.path_bytes + 1UL), trace->raw + at, from.path_bytes),
			.start = from.start,
			.bytes = from.bytes,
			.opened = from.opened,
			.closed = from.closed,
			.fixed = from.fixed,
			.allocator = from.allocator};
		at += (from.path_bytes + 7UL) & ~7UL;
	}
	return true;
}

/* Checks an access: it may derive only from an earlier one of its block, and never from a prefetch. */
static bool check_access(const struct ifr_trace_block *block, const struct ifr_trace_access *accesses,
                         unsigned index) {
	const struct ifr_trace_access *access = &accesses[index];
	const bool power = access->bytes && access->bytes <= 64 && !(access->bytes & (access->bytes - 1));
	if (!power || access->kind >= IFR_ACCESS_KINDS || access->end > block->bytes ||
	    access->anchor < IFR_ACCESS_ABSOLUTE || access->anchor >= (int32_t)index)
		return false;
	if (access->kind == IFR_ACCESS_PREFETCH)
		return access->anchor == IFR_ACCESS_RECORDED;
	return access->anchor < 0 || accesses[access->anchor].kind != IFR_ACCESS_PREFETCH;
}

static bool check_block(const struct ifr_trace *trace, const struct ifr_trace_block *block) {
	return block->branch <= IFR_BRANCH_RETURN && block->branch_bytes <= 15 && block->end < IFR_BLOCK_ENDS &&
	       (block->end == IFR_END_BRANCH) == (block->branch != IFR_BRANCH_NONE) &&
	       block->first_access == trace->access_count &&
	       (block->normalised >> IFR_MAPPING_SHIFT) < IFR_MAPPING_LIMIT &&
	       (!block->bytes || block->branch_bytes <= block->bytes);
}

/* Appends a block with its accesses and its code, both at `from`. Returns false if an access makes no sense. */
static bool append_block(struct ifr_trace *trace, const struct ifr_trace_block *block, const uint8_t *from) {
	const size_t bytes = block->accesses * sizeof *trace->accesses, padded = (block->bytes + 7U) & ~7U;
	trace->accesses = trace_grow(trace->accesses, trace->access_count, block->accesses, sizeof *trace->accesses,
	                             &trace->access_room);
	if (bytes)
		memcpy(trace->accesses + trace->access_count, from, bytes);
	for (unsigned i = 0; i < block->accesses; i++)
		if (!check_access(block, trace->accesses + trace->access_count, i))
			return false;
	trace->code_at = trace_grow(trace->code_at, trace->block_count, 1, sizeof *trace->code_at, &trace->code_room);
	trace->code_at[trace->block_count] = trace->code.length;
	ifr_buffer_append(&trace->code, from + bytes, padded);
	trace->blocks = trace_grow(trace->blocks, trace->block_count, 1, sizeof *trace->blocks, &trace->block_room);
	trace->blocks[trace->block_count++] = *block;
	trace->access_count += block->accesses;
	return true;
}

static bool read_blocks(struct ifr_trace *trace, size_t length) {
	for (size_t at = 0; at < length;) {
		struct ifr_trace_block block;
		if (length - at < sizeof block)
			return false;
		memcpy(&block, trace->raw + at, sizeof block);
		at += sizeof block;
		const size_t bytes = block.accesses * sizeof(struct ifr_trace_access), padded = (block.bytes + 7U) & ~7U;
		if (bytes + padded > length - at || !check_block(trace, &block) ||
		    !append_block(trace, &block, trace->raw + at))
			return false;
		at += bytes + padded;
	}
	return true;
}

static bool read_payload(struct ifr_trace *trace, const struct trace_frame *head) {
	bool right = true;
	switch (head->type) {
	case TRACE_TEXT:
		ifr_buffer_append(&trace->text, trace->raw, head->raw_bytes);
		break;
	case TRACE_MAPPINGS:
		right = read_mappings(trace, head->raw_bytes);
		break;
	case TRACE_REQUESTS:
		right = trace_read_requests(trace, head->raw_bytes);
		break;
	case TRACE_SITES:
		right = trace_read_sites(trace, head->raw_bytes);
		break;
	case TRACE_BLOCKS:
		right = read_blocks(trace, head->raw_bytes);
		break;
	case TRACE_TOTALS:
		right = head->raw_bytes == sizeof trace->totals;
		trace->complete = right;
		if (right)
			memcpy(&trace->totals, trace->raw, sizeof trace->totals);
		break;
	default:
		break;
	}
	if (!right)
		trace_set_damage(trace, "a frame's contents make no sense");
	return right;
}

static int read_all(struct ifr_trace *trace, const char *path, struct ifr_error *err) {
	struct trace_head magic;
	struct trace_frame head;
	if (fread(&magic, sizeof magic, 1, trace->file) != 1 ||
	    memcmp(magic.magic, TRACE_MAGIC, sizeof magic.magic) != 0)
		return ifr_fail(err, IFR_E_USAGE, "%s is no trace: \"interfero record\" makes them", path);
	if (magic.version != IFR_TRACE_VERSION)
		return ifr_fail(err, IFR_E_USAGE, "%s is a trace of version %u, and this is for version %d: record again",
		                path, magic.version, IFR_TRACE_VERSION);
	while (trace_read_stored(trace, &head)) {
		if (head.type == TRACE_SEQUENCE) {
			trace->frames++;
			continue;
		}
		if (!trace_decompress(trace, &head) || !read_payload(trace, &head))
			break;
	}
	if (!trace->complete)
		trace_set_damage(trace, "the file ends early");
	return 0;
}

int ifr_trace_open(const char *path, struct ifr_trace **out, struct ifr_error *err) {
	struct ifr_trace *trace = ifr_alloc(sizeof *trace);
	int result = 0;
	trace->zstd = ZSTD_createDCtx();
	trace->mappings = ifr_alloc(IFR_MAPPING_FIRST * sizeof *trace->mappings);
	for (; trace->mapping_count < IFR_MAPPING_FIRST; trace->mapping_count++)
		trace->mappings[trace->mapping_count] = (struct ifr_mapping){
			.path = ifr_strdup(""), .bytes = IFR_OFFSET_MASK, .closed = UINT64_MAX, .fixed = true};
	trace->file = fopen(path, "rbe");
	if (!trace->file)
		result = ifr_fail_errno(err, IFR_E_USAGE, "cannot read the trace %s", *path ? path : "\"\"");
	if (!result)
		result = read_all(trace, path, err);
	if (result) {
		ifr_trace_free(trace);
		return result;
	}
	trace_prepare_sequence(trace, false);
	*out = trace;
	return 0;
}

int ifr_trace_reopen(const struct ifr_trace *trace, struct ifr_trace **again, struct ifr_error *err) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(trace->file));
	return ifr_trace_open(path, again, err);
}

void ifr_trace_free(struct ifr_trace *trace) {
	if (!trace)
		return;
	for (size_t i = 0; i < trace->mapping_count; i++)
		free(trace->mappings[i].path);
	if (trace->file)
		fclose(trace->file);
	ZSTD_freeDCtx(trace->zstd);
	ifr_buffer_release(&trace->text);
	free(trace->mappings);
	free(trace->requests);
	free(trace->sites);
	free(trace->ended);
	free(trace->blocks);
	free(trace->accesses);
	free(trace->code_at);
	ifr_buffer_release(&trace->code);
	free(trace->stored);
	free(trace->raw);
	trace_release_sequence(trace);
	free(trace);
}

/* --- accessors ----------------------------------------------------------------------------------------------- */

const char *ifr_trace_damage(const struct ifr_trace *trace) {
	return trace->damage[0] ? trace->damage : NULL;
}

const char *ifr_trace_text(const struct ifr_trace *trace) {
	return ifr_buffer_text(&trace->text);
}

char *ifr_trace_fact(const struct ifr_trace *trace, const char *key) {
	size_t length = strlen(key);
	for (const char *line = ifr_trace_text(trace); *line;) {
		size_t bytes = strcspn(line, "\n");
		if (bytes > length && !strncmp(line, key, length) && line[length] == ' ')
			return ifr_format("%.*s", (int)(bytes - length - 1), line + length + 1);
		line += bytes + (line[bytes] == '\n');
	}
	return NULL;
}

size_t ifr_trace_mappings(const struct ifr_trace *trace, const struct ifr_mapping **mappings) {
	*mappings = trace->mappings;
	return trace->mapping_count;
}

size_t ifr_trace_blocks(const struct ifr_trace *trace, const struct ifr_trace_block **blocks) {
	*blocks = trace->shown_blocks;
	return trace->block_count;
}

size_t ifr_trace_accesses(const struct ifr_trace *trace, const struct ifr_trace_access **accesses) {
	*accesses = trace->shown_accesses;
	return trace->shown_access_count;
}

const uint8_t *ifr_trace_code(const struct ifr_trace *trace, size_t block) {
	return (const uint8_t *)ifr_buffer_text(&trace->code) + trace->code_at[block];
}

void ifr_trace_totals(const struct ifr_trace *trace, struct ifr_trace_totals *totals) {
	*totals = trace->totals;
}
