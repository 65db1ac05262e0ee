/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of a recording by function and source line. */
#ifndef IFR_HARNESS_CODE_LINES_H
#define IFR_HARNESS_CODE_LINES_H

#include "model/model.h"

struct ifr_code_line {
	char *function; /* "inflate_fast", "memcpy in libc.so.6"; an address in hexadecimal where nothing is known */
	char *line;     /* "inffast.c:81"; "" where it is not known */
};

struct ifr_code_lines {
	struct ifr_code_line *items;
	size_t count;
	struct ifr_core_site *sites; /* the instructions, as the core's program numbers them */
	uint32_t *of, *of_branch;    /* by instruction: its line; that of its branch */
	size_t instructions;
};

/* Finds the lines of all instructions of a trace; the caller releases them, after an error, too. Errors: those of
 * ifr_core_sites_find. */
int ifr_code_lines_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        struct ifr_code_lines *lines, struct ifr_error *err);
void ifr_code_lines_release(struct ifr_code_lines *lines);

#endif
