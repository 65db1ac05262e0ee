/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary bytes as an allocation log, and as one block of an otherwise valid log: events in the order of their
 * sequence, or an error that names the file. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "runtime/runtime.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void parse(const void *data, size_t size) {
	struct ifr_error err = {0};
	struct ifr_log_event *events;
	size_t count;
	int result = ifr_log_parse(data, size, "a log", &events, &count, &err);
	if (result) {
		assert(result == -IFR_E_USAGE && strstr(err.message, "a log") && !strchr(err.message, '\n'));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		assert(events[i].call <= IFR_LOG_FREE);
		assert(!i || events[i - 1].sequence <= events[i].sequence);
	}
	free(events);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	unsigned char *whole = ifr_alloc(2 * IFR_LOG_BLOCK);
	struct ifr_log_head head = {.magic = IFR_LOG_MAGIC, .blocks = 2};
	struct ifr_log_block block = {.magic = IFR_LOG_MAGIC, .process = 1};
	parse(data, size);
	size_t kept = size < IFR_LOG_BLOCK - sizeof block ? size : IFR_LOG_BLOCK - sizeof block;
	block.used = (uint32_t)kept;
	memcpy(whole, &head, sizeof head);
	memcpy(whole + IFR_LOG_BLOCK, &block, sizeof block);
	if (kept)
		memcpy(whole + IFR_LOG_BLOCK + sizeof block, data, kept);
	parse(whole, 2 * IFR_LOG_BLOCK);
	free(whole);
	return 0;
}
