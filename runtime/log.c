/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/log.h"

#include <string.h>

#include "runtime/os.h"
#include "runtime/side.h"
#include "runtime/threads.h"

bool log_on;

static int file = -1;
static struct ifr_log_head *head;

static struct ifr_log_block *block_at(uint64_t number) {
	return side_at(SIDE_LOG + number * IFR_LOG_BLOCK, IFR_LOG_BLOCK);
}

static void append_number(char *text, uint32_t number) {
	char digits[12], *digit = digits + sizeof digits - 1;
	*digit = '\0';
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	strcat(text, digit);
}

static int create_file(const char *path) {
	char own[600] = "";
	int fd = os_create(path);
	if (fd >= 0)
		return fd;
	strncat(own, path, sizeof own - 20);
	strcat(own, ".");
	append_number(own, os_process());
	return os_create(own);
}

bool log_open(const char *path) {
	struct ifr_log_block *first = block_at(0);
	int fd = first ? create_file(path) : -1;
	if (fd < 0)
		return false;
	file = os_move_away(fd);
	if (!os_map_file(first, IFR_LOG_BLOCK, file, 0))
		return false;
	head = (struct ifr_log_head *)first;
	head->magic = IFR_LOG_MAGIC;
	head->blocks = 1;
	head->sequence = 0;
	log_on = true;
	return true;
}

static struct ifr_log_block *next_block(struct thread *thread) {
	uint64_t number = atomic_fetch_add(&head->blocks, 1);
	struct ifr_log_block *block = block_at(number);
	if (!block || !os_map_file(block, IFR_LOG_BLOCK, file, number * IFR_LOG_BLOCK)) {
		/* A full disk ends the log, not the program. */
		log_on = false;
		report_refuse("log:", "no more room for it");
		return NULL;
	}
	block->thread = thread->heap ? thread->heap->id : UINT64_MAX;
	block->process = os_process();
	block->sequence = atomic_load_explicit(&head->sequence, memory_order_relaxed);
	block->used = 0;
	block->magic = IFR_LOG_MAGIC;
	thread->log_sequence = block->sequence;
	thread->log_address = 0;
	return block;
}

static unsigned char *put_varint(unsigned char *at, uint64_t value) {
	for (; value >= 128; value >>= 7)
		*at++ = (unsigned char)(value | 128);
	*at++ = (unsigned char)value;
	return at;
}

static unsigned char *put_difference(unsigned char *at, uint64_t to, uint64_t from) {
	uint64_t difference = to - from;
	return put_varint(at, difference >> 63 ? ~(difference << 1) : difference << 1);
}

/* Returns the thread's current block, with room for an event. */
static struct ifr_log_block *block_of(struct thread *thread) {
	struct ifr_log_block *block = (struct ifr_log_block *)thread->log;
	if (block && sizeof *block + block->used + IFR_LOG_EVENT_MOST <= IFR_LOG_BLOCK)
		return block;
	if (block)
		os_drop_file(block, IFR_LOG_BLOCK);
	thread->log = (unsigned char *)(block = next_block(thread));
	return block;
}

void log_event(enum ifr_log_call call, size_t size, const void *address, const void *old) {
	struct thread *thread = &this_thread;
	if (thread->in_log)
		return; /* called by a signal handler inside another event */
	thread->in_log = true;
	atomic_signal_fence(memory_order_seq_cst);
	struct ifr_log_block *block = block_of(thread);
	if (block) {
		uint64_t sequence = atomic_fetch_add_explicit(&head->sequence, 1, memory_order_relaxed) + 1;
		unsigned char *start = (unsigned char *)(block + 1) + block->used, *at = start;
		at = put_varint(at, (sequence - thread->log_sequence) << 3 | call);
		if (call != IFR_LOG_FREE)
			at = put_varint(at, size);
		at = put_difference(at, (uintptr_t)address, thread->log_address);
		if (call == IFR_LOG_REALLOC)
			at = put_difference(at, (uintptr_t)old, (uintptr_t)address);
		thread->log_sequence = sequence;
		thread->log_address = (uintptr_t)address;
		atomic_store_explicit(&block->used, block->used + (uint32_t)(at - start), memory_order_release);
	}
	atomic_signal_fence(memory_order_seq_cst);
	thread->in_log = false;
}

void log_after_fork(void) {
	this_thread.log = NULL;
}
