/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts for the diagnosis of the perf source, collected on this machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/counters/source.h"

#define PMUS "/sys/bus/event_source/devices/"
enum { STATUS_LIMIT_BYTES = 1 << 16, WORK_STEPS = 100000 };

/* Counts an event over a little user-mode work of this thread. Returns errno's value, 0 if the event opened;
 * silent tells that it counted nothing. */
static int try_event(unsigned type, unsigned long long config, bool *silent) {
	struct ifr_perf_event event = {
		.attr = {.type = type,
	             .size = sizeof event.attr,
	             .config = config,
	             .exclude_kernel = 1,
	             .exclude_hv = 1,
	             .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING}};
	int fd = ifr_perf_event_start(&event, 0, -1, false);
	if (fd < 0)
		return errno;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (volatile unsigned step = 0; step < WORK_STEPS; step++)
		;
	struct ifr_perf_reading reading;
	ssize_t got = read(fd, &reading, sizeof reading);
	close(fd);
	*silent = got == (ssize_t)sizeof reading && !reading.value;
	return got == 0 ? EBUSY : 0;
}

static int seccomp_mode(void) {
	static const char field[] = "\nSeccomp:";
	struct ifr_buffer status = {0};
	int mode = 0;
	if (!ifr_file_read("/proc/self/status", STATUS_LIMIT_BYTES, &status, NULL)) {
		const char *line = strstr(ifr_buffer_text(&status), field);
		if (line)
			mode = atoi(line + sizeof field - 1);
	}
	ifr_buffer_release(&status);
	return mode;
}

void ifr_perf_facts_collect(struct ifr_perf_facts *facts) {
	bool ignored;
	memset(facts, 0, sizeof *facts);
	facts->hardware_errno = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &facts->silent);
	facts->software_errno = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &ignored);
	facts->paranoid = (int)ifr_machine_number("/proc/sys/kernel/perf_event_paranoid", IFR_PARANOID_ABSENT);
	facts->seccomp = seccomp_mode();
	facts->container = ifr_machine_container();
	facts->hypervisor = ifr_machine_hypervisor(NULL);
	facts->hybrid = ifr_file_exists(PMUS "cpu_core") && ifr_file_exists(PMUS "cpu_atom");
	facts->pmu = facts->hybrid || ifr_file_exists(PMUS "cpu") || ifr_file_exists(PMUS "cpu_core");
}
