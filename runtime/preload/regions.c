/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that the markers of interfero.h call. */
#include "runtime/interfero.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "runtime/os.h"
#include "runtime/preload/preload.h"
#include "runtime/side.h"
#include "runtime/threads.h"

static uint64_t cycles_now(void) {
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static int find_row(const char *name, uint32_t count) {
	for (uint32_t i = 0; i < count; i++)
		if (!strncmp(report->region[i].name, name, IFR_REGION_NAME - 1))
			return (int)i;
	return -1;
}

/* Finds or adds the row of a name; -1 when all rows are in use. */
static int find_or_add_row(const char *name) {
	int row = find_row(name, atomic_load_explicit(&report->regions, memory_order_acquire));
	if (row >= 0)
		return row;
	pthread_mutex_lock(&naming);
	uint32_t count = report->regions;
	row = find_row(name, count);
	if (row < 0 && count < IFR_REGIONS) {
		strncpy(report->region[count].name, name, IFR_REGION_NAME - 1);
		atomic_store_explicit(&report->regions, count + 1, memory_order_release);
		row = (int)count;
	}
	pthread_mutex_unlock(&naming);
	return row;
}

/* Only the process that the launcher started has its page and the descriptors of events. */
static bool read_events(uint64_t value[IFR_REGION_EVENTS]) {
	uint64_t reading[3]; /* value, time enabled, time running */
	for (unsigned i = 0; i < heap_options.events && report_is_read(); i++) {
		if (!os_read_event(IFR_EVENT_FD + (int)i, reading, sizeof reading) || reading[1] != reading[2])
			return false;
		value[i] = reading[0];
	}
	return true;
}

EXPORTED void ifr_region_begin(const char *name) {
	struct thread *thread = &this_thread;
	unsigned depth = thread->region_depth++;
	if (depth >= REGION_DEPTH)
		return;
	thread->region[depth].region = find_or_add_row(name);
	thread->region[depth].events_lost = !read_events(thread->region[depth].events);
	thread->region[depth].time_ns = (uint64_t)ifr_clock_ns();
	thread->region[depth].cycles = cycles_now();
}

EXPORTED void ifr_region_end(void) {
	uint64_t cycles = cycles_now(), time_ns = (uint64_t)ifr_clock_ns();
	struct thread *thread = &this_thread;
	if (!thread->region_depth || --thread->region_depth >= REGION_DEPTH)
		return;
	unsigned depth = thread->region_depth;
	if (thread->region[depth].region < 0)
		return;
	struct ifr_region_sum *sum = &report->region[thread->region[depth].region];
	uint64_t events[IFR_REGION_EVENTS] = {0};
	if (!read_events(events) || thread->region[depth].events_lost)
		atomic_fetch_add_explicit(&sum->events_lost, 1, memory_order_relaxed);
	for (unsigned i = 0; i < heap_options.events; i++)
		atomic_fetch_add_explicit(&sum->events[i], events[i] - thread->region[depth].events[i],
		                          memory_order_relaxed);
	atomic_fetch_add_explicit(&sum->entries, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&sum->cycles, cycles - thread->region[depth].cycles, memory_order_relaxed);
	atomic_fetch_add_explicit(&sum->time_ns, time_ns - thread->region[depth].time_ns, memory_order_relaxed);
}

EXPORTED unsigned long ifr_region_repeats(void) {
	return heap_options.repeats ? heap_options.repeats : 1;
}
