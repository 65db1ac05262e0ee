/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error message for an event of perf that the kernel refuses. */
#include <errno.h>
#include <string.h>

#include "harness/counters/source.h"

static int explain_denial(const struct ifr_perf_event *event, int error, struct ifr_error *err) {
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
		return explain_denial(event, error, err);
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
