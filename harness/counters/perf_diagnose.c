/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The diagnosis of the perf source: from facts about perf_event_open to a state, a sentence and a remedy.
 *
 *     EACCES               the kernel's own permission check
 *     EPERM                the filter of a container engine
 *     ENOSYS               such a filter, or a kernel without the system call
 *     ENOENT, EOPNOTSUPP   no performance-monitoring unit
 *
 * Ref: perf_event_open(2), "Errors"; kernel documentation, "Perf events and tool security". */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/counters/source.h"

enum { USER_MODE_FORBIDDEN = 3 }; /* perf_event_paranoid of some distributions */

static void set_diagnosis(struct ifr_perf_diagnosis *diagnosis, enum ifr_perf_state state, const char *remedy,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

static void set_diagnosis(struct ifr_perf_diagnosis *diagnosis, enum ifr_perf_state state, const char *remedy,
                          const char *format, ...) {
	va_list args;
	va_start(args, format);
	diagnosis->state = state;
	vsnprintf(diagnosis->sentence, sizeof diagnosis->sentence, format, args);
	snprintf(diagnosis->remedy, sizeof diagnosis->remedy, "%s", remedy);
	va_end(args);
}

/* The name of the error, such as "ENOENT": its text, "No such file or directory", would mislead. */
static const char *error_name(const struct ifr_perf_facts *facts) {
	const char *name = strerrorname_np(facts->hardware_errno);
	return name ? name : "an unknown error";
}

static void explain_filtered(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis) {
	const char *answer = error_name(facts);
	if (facts->container)
		set_diagnosis(
			diagnosis, IFR_PERF_CONTAINER,
			"start the container with --cap-add PERFMON and a seccomp profile that allows perf_event_open",
			"this container does not let perf_event_open through (%s)", answer);
	else if (facts->seccomp == 2)
		set_diagnosis(diagnosis, IFR_PERF_SECCOMP,
		              "run outside the sandbox, or let its filter pass perf_event_open",
		              "a seccomp filter stops perf_event_open (%s)", answer);
	else
		set_diagnosis(diagnosis, IFR_PERF_SECCOMP, "ask the administrator for CAP_PERFMON, or run as root",
		              "a security module denies perf_event_open (%s)", answer);
}

static void explain_paranoid(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis) {
	set_diagnosis(diagnosis, IFR_PERF_PARANOID,
	              facts->container ? "as root, on the host: sysctl kernel.perf_event_paranoid=2"
	                               : "as root: sysctl kernel.perf_event_paranoid=2",
	              "perf_event_paranoid=%d forbids performance events to this user", facts->paranoid);
}

static void explain_missing(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis) {
	const char *answer = facts->silent ? "they open but stay at 0" : error_name(facts);
	if (facts->hardware_errno == EBUSY)
		set_diagnosis(diagnosis, IFR_PERF_NO_PMU, "end other profilers, and as root: sysctl kernel.nmi_watchdog=0",
		              "the processor's counters are all taken (%s)", answer);
	else if (facts->hypervisor)
		set_diagnosis(
			diagnosis, IFR_PERF_NO_PMU,
			"let the hypervisor pass a virtual PMU on, or measure on a physical machine; the clock works here, "
			"and events can be modelled: --counters clock,model",
			"this virtual machine shows no hardware counters (%s)", answer);
	else if (facts->pmu)
		set_diagnosis(diagnosis, IFR_PERF_NO_PMU, "end other profilers, or name other events",
		              "the processor's counters do not count cycles (%s)", answer);
	else
		set_diagnosis(diagnosis, IFR_PERF_NO_PMU,
		              "use a kernel that knows this processor, and look in dmesg for PMU",
		              "the kernel drives no performance-monitoring unit here (%s)", answer);
}

static bool is_filtered(const struct ifr_perf_facts *facts) {
	if (facts->hardware_errno == ENOSYS)
		return facts->paranoid != IFR_PARANOID_ABSENT; /* the kernel has the call, so a filter hides it */
	return facts->hardware_errno == EPERM
	           ? facts->seccomp == 2 || facts->paranoid < USER_MODE_FORBIDDEN
	           : facts->hardware_errno == EACCES && facts->paranoid < USER_MODE_FORBIDDEN;
}

void ifr_perf_explain(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis) {
	memset(diagnosis, 0, sizeof *diagnosis);
	diagnosis->software = !facts->software_errno;
	if (is_filtered(facts))
		explain_filtered(facts, diagnosis);
	else if (facts->hardware_errno == EACCES || facts->hardware_errno == EPERM)
		explain_paranoid(facts, diagnosis);
	else if (facts->hardware_errno == ENOSYS)
		set_diagnosis(diagnosis, IFR_PERF_NO_KERNEL, "use a kernel with CONFIG_PERF_EVENTS; the clock works here",
		              "this kernel has no performance events");
	else if (facts->hybrid)
		set_diagnosis(diagnosis, IFR_PERF_HYBRID,
		              "use --counters clock, or switch one kind of cores off in the firmware",
		              "two kinds of cores: a count on one kind means nothing on the other");
	else if (facts->hardware_errno || facts->silent)
		explain_missing(facts, diagnosis);
	else
		set_diagnosis(diagnosis, IFR_PERF_HARDWARE, "", "the processor's counters work in user mode");
}

void ifr_perf_diagnose(struct ifr_perf_diagnosis *diagnosis) {
	struct ifr_perf_facts facts;
	ifr_perf_facts_collect(&facts);
	ifr_perf_explain(&facts, diagnosis);
}
