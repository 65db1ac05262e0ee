/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of ASLR and of performance events. */
#include "harness/doctor/doctor.h"

#include "harness/counters/counters.h"
#include "harness/exec/exec.h"

static void check_aslr(struct ifr_checkup *checkup) {
	struct ifr_error err = {0};
	if (!ifr_aslr_check(-1, &err))
		ifr_checkup_add(checkup, "ASLR", IFR_CHECK_OK, "",
		                "can be switched off; addresses repeat from run to run");
	else
		ifr_checkup_add(checkup, "ASLR", IFR_CHECK_WARN,
		                "until then measure with --keep-aslr; if the probe is missing, install interfero again",
		                "%s", err.message);
}

static void check_events(struct ifr_checkup *checkup) {
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	ifr_checkup_add(checkup, "hardware events",
	                diagnosis.state == IFR_PERF_HARDWARE ? IFR_CHECK_OK : IFR_CHECK_WARN, diagnosis.remedy, "%s",
	                diagnosis.sentence);
	ifr_checkup_add(checkup, "software events", diagnosis.software ? IFR_CHECK_OK : IFR_CHECK_WARN,
	                diagnosis.remedy,
	                diagnosis.software ? "page-faults, task-clock and their like can be counted"
	                                   : "none; clock has page-faults and context-switches of its own");
}

void ifr_checkup_counters(struct ifr_checkup *checkup) {
	check_aslr(checkup);
	check_events(checkup);
}
