/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event of perf: encoded by libpfm4, opened, its reading checked. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/counters/source.h"

/* Whether an event happens inside the kernel only, never at a user-mode instruction. */
static bool is_kernel_only(const struct perf_event_attr *attr) {
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES || attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
	        attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static const char *unit_of(const struct perf_event_attr *attr) {
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK))
		return "ns";
	if (attr->type == PERF_TYPE_HARDWARE &&
	    (attr->config == PERF_COUNT_HW_CPU_CYCLES || attr->config == PERF_COUNT_HW_REF_CPU_CYCLES))
		return "cycles";
	return "";
}

int ifr_perf_event_encode(const char *name, struct ifr_perf_event *event, struct ifr_error *err) {
	memset(event, 0, sizeof *event);
	event->fd = event->pass = -1;
	if (strlen(name) >= sizeof event->name)
		return ifr_fail(err, IFR_E_USAGE, "perf: the event name '%.40s…' is longer than %zu characters", name,
		                sizeof event->name - 1);
	snprintf(event->name, sizeof event->name, "%s", name);
	int status = pfm_initialize();
	if (status != PFM_SUCCESS)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: libpfm4 does not start: %s", pfm_strerror(status));
	struct perf_event_attr *attr = &event->attr;
	attr->size = sizeof *attr;
	pfm_perf_encode_arg_t encoding = {.attr = attr, .size = sizeof encoding};
	status = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
	if (status != PFM_SUCCESS)
		return ifr_fail(err, IFR_E_USAGE,
		                "perf: no event '%s' on this processor (%s); libpfm4's showevtinfo lists what there is",
		                name, pfm_strerror(status));
	if (attr->exclude_user || !attr->exclude_kernel || attr->sample_period)
		return ifr_fail(err, IFR_E_USAGE, "perf: '%s': events are counted in user mode; leave the modifiers away",
		                name);
	event->hardware = attr->type != PERF_TYPE_SOFTWARE;
	event->unit = unit_of(attr);
	attr->exclude_kernel = !is_kernel_only(attr);
	attr->exclude_hv = 1;
	attr->inherit = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return 0;
}

int ifr_perf_event_start(const struct ifr_perf_event *event, pid_t process, int leader, bool at_exec) {
	struct perf_event_attr attr = event->attr;
	/* Members of a group follow their leader; the kernel allows only the leader to be pinned. */
	attr.pinned = attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0 && at_exec;
	return (int)syscall(SYS_perf_event_open, &attr, process, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int ifr_perf_reading_check(const char *name, const struct ifr_perf_reading *reading, ssize_t got,
                           struct ifr_error *err) {
	if (got < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "perf: cannot read '%s'", name);
	/* The kernel reports a pinned group without counters as end of file. */
	if (got == 0)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: '%s' lost its counter to another user of the processor's counters", name);
	if (got != (ssize_t)sizeof *reading)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: '%s' was read in part: %zd of %zu bytes", name, got,
		                sizeof *reading);
	if (!reading->enabled_ns)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: '%s' never counted: the program was not started, changed its user when it was, or "
		                "another user holds the counters",
		                name);
	if (reading->enabled_ns != reading->running_ns)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: '%s' counted only %.3f of %.3f ms: its counter was shared with another user", name,
		                (double)reading->running_ns / 1e6, (double)reading->enabled_ns / 1e6);
	return 0;
}
