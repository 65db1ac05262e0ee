/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "runtime/runtime.h"

/* The unread events of a block. */
struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t get_varint(struct cursor *cursor) {
	uint64_t value = 0;
	for (unsigned shift = 0; cursor->at < cursor->end && shift < 64; shift += 7) {
		unsigned char byte = *cursor->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	cursor->bad = true;
	return 0;
}

static uint64_t get_difference(struct cursor *cursor) {
	uint64_t value = get_varint(cursor);
	return value & 1 ? ~(value >> 1) : value >> 1;
}

static bool get_event(struct cursor *cursor, uint64_t *sequence, uint64_t *address, struct ifr_log_event *event) {
	uint64_t head = get_varint(cursor);
	*sequence += head >> 3;
	event->call = (enum ifr_log_call)(head & 7);
	event->sequence = *sequence;
	event->size = event->call == IFR_LOG_FREE ? 0 : get_varint(cursor);
	event->address = *address += get_difference(cursor);
	event->old = event->call == IFR_LOG_REALLOC ? *address + get_difference(cursor) : 0;
	return !cursor->bad && event->call <= IFR_LOG_FREE;
}

static bool read_block(const unsigned char *data, struct ifr_buffer *events) {
	struct ifr_log_block block;
	memcpy(&block, data, sizeof block);
	if (!block.magic)
		return true; /* reserved, and the process was killed before it wrote */
	if (block.magic != IFR_LOG_MAGIC || block.used > IFR_LOG_BLOCK - sizeof block)
		return false;
	struct cursor cursor = {data + sizeof block, data + sizeof block + block.used, false};
	uint64_t sequence = block.sequence, address = 0;
	while (cursor.at < cursor.end) {
		struct ifr_log_event event = {.thread = block.thread, .process = block.process};
		if (!get_event(&cursor, &sequence, &address, &event))
			return false;
		ifr_buffer_append(events, &event, sizeof event);
	}
	return true;
}

static int by_sequence(const void *a, const void *b) {
	const struct ifr_log_event *x = a, *y = b;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

int ifr_log_parse(const void *data, size_t length, const char *origin, struct ifr_log_event **events,
                  size_t *count, struct ifr_error *err) {
	struct ifr_log_head head;
	struct ifr_buffer found = {0};
	if (length < sizeof head || (memcpy(&head, data, sizeof head), head.magic != IFR_LOG_MAGIC))
		return ifr_fail(err, IFR_E_USAGE, "%s is not a log of allocations", origin);
	for (size_t at = IFR_LOG_BLOCK; at + IFR_LOG_BLOCK <= length; at += IFR_LOG_BLOCK)
		if (!read_block((const unsigned char *)data + at, &found)) {
			ifr_buffer_release(&found);
			return ifr_fail(err, IFR_E_USAGE, "%s is damaged in block %zu: record it again", origin,
			                at / IFR_LOG_BLOCK);
		}
	*count = found.length / sizeof **events;
	*events = (struct ifr_log_event *)ifr_buffer_detach(&found);
	qsort(*events, *count, sizeof **events, by_sequence);
	return 0;
}

int ifr_log_read(const char *path, struct ifr_log_event **events, size_t *count, struct ifr_error *err) {
	struct ifr_buffer data = {0};
	int result = ifr_file_read(path, 0, &data, err);
	if (!result)
		result = ifr_log_parse(ifr_buffer_text(&data), data.length, path, events, count, err);
	ifr_buffer_release(&data);
	return result;
}
