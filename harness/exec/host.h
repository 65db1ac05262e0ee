/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_HARNESS_HOST_H
#define IFR_HARNESS_HOST_H

/* What machine this is, for the experiment's facts; the caller frees each. */
char *ifr_host_name(void);
char *ifr_host_processor(void); /* the model, and how many */
char *ifr_host_kernel(void);

#endif
