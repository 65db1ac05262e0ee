/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences in lines of 80 columns. */
#ifndef IFR_HARNESS_WRAP_H
#define IFR_HARNESS_WRAP_H

#include "common/buffer.h"

/* Appends text, escaped as by ifr_escape_plain, in lines of at most 80 columns: the first begins with first, the
 * others with rest. Both take the same columns; first may be coloured and is not escaped, nor is rest. Breaks words
 * at spaces; a word longer than a line is broken where the line ends. */
void ifr_text_wrap(struct ifr_buffer *out, const char *text, const char *first, const char *rest);
/* The same, within another number of columns. */
void ifr_text_wrap_to(struct ifr_buffer *out, const char *text, const char *first, const char *rest,
                      size_t columns);

/* Appends text as a point of a list, "  - ", within 80 columns, and clears it. Empty text is none. */
void ifr_text_point(struct ifr_buffer *out, struct ifr_buffer *text);

/* Appends a shell's command in lines of at most 80 columns, which begin with indent and end in a backslash where the
 * command goes on. It breaks at spaces outside of quotes only, so that a longer word makes a longer line. Control
 * characters become '?'. */
void ifr_text_command(struct ifr_buffer *out, const char *command, const char *indent);

#endif
