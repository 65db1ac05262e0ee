/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/allocator.h"

#include <stdint.h>
#include <string.h>

#include "runtime/log.h"
#include "runtime/next.h"
#include "runtime/os.h"
#include "runtime/requests.h"
#include "runtime/side.h"
#include "runtime/slots.h"

struct requests requests;

static _Atomic bool begun;

static void apply_options(void) {
	requests.small = heap_options.heap != HEAP_GLIBC;
	requests.blocks = heap_options.blocks != BLOCKS_GLIBC;
	if (requests.small || requests.blocks)
		report_applied((arena.at_hint ? IFR_APPLIED_ADDRESS : 0) | (requests.small ? IFR_APPLIED_HEAP : 0) |
		               (requests.blocks ? IFR_APPLIED_BLOCKS : 0));
}

static void start_with(size_t most_bytes) {
	bool wanted = heap_options.heap != HEAP_GLIBC || heap_options.blocks != BLOCKS_GLIBC;
	next_find();
	side_init();
	report_open(heap_options.report);
	if (*heap_options.refused)
		report_refuse(heap_options.refused, "");
	if (wanted && !arena_init(most_bytes, heap_bytes)) {
		heap_options.heap = HEAP_GLIBC;
		heap_options.blocks = BLOCKS_GLIBC;
		report_refuse("heap and blocks:", "the system gives no address space to place them in");
	} else if (wanted) {
		slots_init();
		threads_init();
	}
	apply_options();
	if (*heap_options.log && log_open(heap_options.log))
		report_applied(IFR_APPLIED_LOG);
	else if (*heap_options.log)
		report_refuse("log:", heap_options.log);
	if (requests.small && !log_on && heap_options.granule_bytes == GRANULE_BYTES)
		requests.fast_end = SIZES_SMALL_MAX + 1;
	report_applied(IFR_APPLIED_RUNTIME);
	requests.started = true;
}

bool allocator_start(void) {
	/* The first request comes from the dynamic loader, when there is one thread. */
	if (atomic_exchange(&begun, true))
		return requests.started;
	options_init(&heap_options);
	/* A set-user-ID program ignores its user's environment. */
	if (!os_secure())
		options_read(&heap_options);
	start_with(SIZE_MAX);
	return true;
}

void allocator_start_with(const struct options *options, size_t most_bytes) {
	heap_options = *options;
	begun = true;
	start_with(most_bytes);
}

void allocator_stop(void) {
	arena_release();
	memset(&this_thread, 0, sizeof this_thread);
	memset(&requests, 0, sizeof requests);
	log_on = false;
	begun = false;
}
