/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open ELF file with its debug information. Private to this room. */
#ifndef IFR_HARNESS_CODE_SOURCE_H
#define IFR_HARNESS_CODE_SOURCE_H

#include <elfutils/libdwfl.h>

struct ifr_source {
	Dwfl *dwfl;
	Dwfl_Module *module;
};

#endif
