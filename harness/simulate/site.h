/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kind of memory that a named access or block of code is in, for those who would move it. */
#ifndef IFR_HARNESS_SIMULATE_SITE_H
#define IFR_HARNESS_SIMULATE_SITE_H

#include <stdint.h>

struct ifr_site {
	enum ifr_site_kind { IFR_SITE_OTHER, IFR_SITE_PROGRAM, IFR_SITE_STACK, IFR_SITE_HEAP } kind;
	uint64_t address; /* of the program: in the recorded file; else 0 */
	uint64_t bytes;   /* of the heap object; 0: not known */
};

#endif
