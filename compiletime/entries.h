/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruments the function entries of a template (#ifr-entry in compiletime/template.h): counters at every entry, or
 * an exit at one. All other marks stay open, so that the instrumented unit has variants, too.
 *
 * A counting instruction changes the flags, which no calling convention passes into a function, but no register and
 * no stack. It is not atomic: a count is exact only if one thread at a time enters the function.
 *
 * Ref: Z. Wang and D. A. Jimenez, "Program Interferometry", IISWC 2011, section 5.7. */
#ifndef IFR_COMPILETIME_ENTRIES_H
#define IFR_COMPILETIME_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The section of the counters, one struct for each function: its entries so far, and its number. */
#define IFR_ENTRIES_SECTION "ifr_entries"
struct ifr_entry_counter {
	uint64_t count, number;
};

/* Appends the template with one counting instruction at each entry. Functions are numbered from first_number in the
 * order of the text; their assembler names are appended to names. Errors: IFR_E_USAGE if the text is no template,
 * or one that ifr_entries_add_exit made. */
int ifr_entries_add_counters(const char *text, size_t length, uint64_t first_number, struct ifr_buffer *out,
                             struct ifr_strings *names, struct ifr_error *err);

/* Appends the template with a countdown at the index-th entry (from 0): the program calls exit(0) when the function
 * is entered for the count-th time (from 1). Errors: IFR_E_USAGE if the text is no template, or has no such
 * entry. */
int ifr_entries_add_exit(const char *text, size_t length, size_t index, uint64_t count, struct ifr_buffer *out,
                         struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
