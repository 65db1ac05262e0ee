/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_HARNESS_HOST_H
#define IFR_HARNESS_HOST_H

/* This machine's name, processor, kernel and boot, for the experiment's facts; the caller frees each. */
char *ifr_host_name(void);
char *ifr_host_processor(void); /* the processor's model, and the number of processors */
char *ifr_host_kernel(void);
char *ifr_host_boot(void); /* the kernel's random number of this boot, or "unknown" */

#endif
