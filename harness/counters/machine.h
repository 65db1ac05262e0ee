/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands between this process and the hardware, and small numbers that the kernel shows in files. */
#ifndef IFR_HARNESS_MACHINE_H
#define IFR_HARNESS_MACHINE_H

#include <stdbool.h>

enum { IFR_HYPERVISOR_NAME_BYTES = 13 };

/* Whether the processor says that a hypervisor runs it, with the hypervisor's own signature ("KVMKVMKVM", …); name
 * may be NULL. */
bool ifr_machine_hypervisor(char name[IFR_HYPERVISOR_NAME_BYTES]);
/* Whether this is a container, by the marks that docker, podman, lxc and systemd-nspawn leave. */
bool ifr_machine_container(void);
/* Whether the time-stamp counter runs at one rate in all power states. Ref: Intel SDM volume 3, "Invariant TSC".
 */
bool ifr_machine_tsc_invariant(void);
/* The first word of a file, NUL-terminated and cut to size bytes; false if the file cannot be read or is empty. */
bool ifr_machine_word(const char *path, char *word, unsigned size);
/* The number that a file begins with, or otherwise if there is none. */
long ifr_machine_number(const char *path, long otherwise);

#endif
