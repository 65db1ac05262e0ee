/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for perf's hardware events where the machine has none (LD_PRELOAD): cycles become task-clock, all others page
 * faults, of which loops have none. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

static void replace(struct perf_event_attr *attr) {
	const int cycles = attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
	if (attr->type == PERF_TYPE_SOFTWARE)
		return;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = cycles ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_PAGE_FAULTS;
	attr->config1 = attr->config2 = 0;
}

long syscall(long number, ...) {
	long (*const next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long values[6];
	va_list list;
	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		values[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open)
		replace((struct perf_event_attr *)values[0]);
	return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
