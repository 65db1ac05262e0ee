/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All groups of checks. */
#include "harness/doctor/doctor.h"

void ifr_checkup_run(struct ifr_checkup *checkup) {
	ifr_checkup_machine(checkup);
	ifr_checkup_counters(checkup);
	ifr_checkup_noise(checkup);
	ifr_checkup_tools(checkup);
}
