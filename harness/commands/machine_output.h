/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine descriptions for a terminal, in lines of 80 columns on standard output. Errors: IFR_E_ENVIRONMENT where it
 * cannot be written. */
#ifndef IFR_HARNESS_MACHINE_OUTPUT_H
#define IFR_HARNESS_MACHINE_OUTPUT_H

#include "harness/simulate/simulate.h"

/* Every value of a description, with its standing and source. */
int machine_output_describe(const struct ifr_machine *machine, struct ifr_error *err);
/* The machines that are shipped, and the keys of descriptions. */
int machine_output_list(struct ifr_error *err);

#endif
