/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The argument of --machine. */
#ifndef IFR_HARNESS_MACHINE_OPTION_H
#define IFR_HARNESS_MACHINE_OPTION_H

#include "common/error.h"

/* Stores the machine: "native" becomes the name of the nearest description, which a note says. Names stay valid until the
 * command ends, as argv's words do, however many options name machines. Errors: IFR_E_USAGE if none is near; *machine
 * stays. */
int machine_option(const char *argument, const char **machine, struct ifr_error *err);

#endif
