/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of functions in a template (#ifr-entry in compiletime/template.h): templates become templates in which
 * entries are counted. All other marks stay open, so that variants of the counting unit are made as ever.
 *
 * A counting instruction changes the flags, which no calling convention passes into a function, and nothing else:
 * no register, no stack. It is not atomic: a count is right as long as one thread enters the function.
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

/* The section of the counters: for each function two 64-bit words, its entries so far and its number. */
#define IFR_ENTRIES_SECTION "ifr_entries"
struct ifr_entry_counter {
	uint64_t count, number;
};

/* Appends the template with one counting instruction at each entry; the functions have the numbers first_number
 * and up in the order of the text, and their assembler names are appended to names. Errors: IFR_E_USAGE if the
 * text is no template, or one that ifr_entries_add_exit made. */
int ifr_entries_add_counters(const char *text, size_t length, uint64_t first_number, struct ifr_buffer *out,
                             struct ifr_strings *names, struct ifr_error *err);

/* Appends the template with two instructions at the index-th entry (from 0) alone, which end the program by
 * exit(0) when the function is entered for the count-th time (from 1). Errors: IFR_E_USAGE if the text is no
 * template, or has no such entry. */
int ifr_entries_add_exit(const char *text, size_t length, size_t index, uint64_t count, struct ifr_buffer *out,
                         struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
