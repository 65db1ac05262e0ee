/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/counters/machine.h"
#include "harness/counters/source.h"

/* These happen inside the kernel, never at a user-mode instruction. */
static bool only_in_kernel(const struct perf_event_attr *attr) {
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
	attr->exclude_kernel = !only_in_kernel(attr);
	attr->exclude_hv = 1;
	attr->inherit = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return 0;
}

int ifr_perf_event_start(const struct ifr_perf_event *event, pid_t process, int leader, bool at_exec) {
	struct perf_event_attr attr = event->attr;
	/* The others of a group follow their leader, and the kernel allows only the leader to be pinned. */
	attr.pinned = attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0 && at_exec;
	return (int)syscall(SYS_perf_event_open, &attr, process, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int denied(const struct ifr_perf_event *event, int error, struct ifr_error *err) {
	long paranoid = ifr_machine_number("/proc/sys/kernel/perf_event_paranoid", IFR_PARANOID_ABSENT);
	if (!event->attr.exclude_kernel && paranoid >= 2)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: '%s' happens in the kernel, which perf_event_paranoid=%ld hides from this user; as "
		                "root: sysctl kernel.perf_event_paranoid=1%s",
		                event->name, paranoid,
		                event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES
		                    ? ", or do without: clock counts context-switches too"
		                    : "");
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	if (diagnosis.remedy[0])
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: '%s' cannot be counted: %s; %s", event->name,
		                diagnosis.sentence, diagnosis.remedy);
	return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: the kernel denies '%s' to this user: %s", event->name,
	                strerror(error));
}

int ifr_perf_event_refused(const struct ifr_perf_event *event, int error, struct ifr_error *err) {
	switch (error) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		return denied(event, error, err);
	case EMFILE:
	case ENFILE:
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: no file descriptor left for '%s'; raise the limit with ulimit -n", event->name);
	case EBUSY:
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "perf: the counter for '%s' is taken; end other profilers, and as root: sysctl "
		                "kernel.nmi_watchdog=0",
		                event->name);
	case ESRCH:
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: the process to count '%s' in is gone", event->name);
	}
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	if (event->hardware && diagnosis.state != IFR_PERF_HARDWARE)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: '%s' cannot be counted: %s; %s", event->name,
		                diagnosis.sentence, diagnosis.remedy);
	return ifr_fail(err, IFR_E_ENVIRONMENT,
	                "perf: '%s' cannot be counted for a process on this machine (%s); leave it out", event->name,
	                strerror(error));
}

int ifr_perf_reading_check(const char *name, const struct ifr_perf_reading *reading, ssize_t got,
                           struct ifr_error *err) {
	if (got < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "perf: cannot read '%s'", name);
	/* End of file is how the kernel says that a pinned group found no place. */
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
