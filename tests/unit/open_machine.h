/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A described machine for a test, which fails where it cannot be opened. Include it behind <cmocka.h>. */
#ifndef IFR_TESTS_OPEN_MACHINE_H
#define IFR_TESTS_OPEN_MACHINE_H

#include "model/model.h"

/* The caller frees. */
static inline struct ifr_machine *open_machine(const char *spec) {
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	if (ifr_machine_open(&machine, spec, &err))
		fail_msg("%s: %s", spec, err.message);
	return machine;
}

#endif
