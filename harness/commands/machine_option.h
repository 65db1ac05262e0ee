/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The argument of --machine. */
#ifndef IFR_HARNESS_MACHINE_OPTION_H
#define IFR_HARNESS_MACHINE_OPTION_H

#include "common/error.h"

/* Stores the machine, which is valid until the next call: "native" becomes the name of the nearest description, which a
 * note says. Errors: IFR_E_USAGE if none is near. */
int machine_option(const char *argument, const char **machine, struct ifr_error *err);

#endif
