/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from outside, such as the names of files, made harmless for one line of a terminal. */
#ifndef IFR_COMMON_PLAIN_TEXT_H
#define IFR_COMMON_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

/* The bytes of the character at text, 0 if it is not UTF-8; *code is its number. */
size_t ifr_utf8_read(const char *text, uint32_t *code);
/* Whether a character is a control, or a mark that turns the direction of the text behind it. */
bool ifr_utf8_is_control(uint32_t code);

/* Appends a text for messages and reports, in one line: line ends and tabs as \n and \t, bytes of other control
 * characters, and bytes that are not UTF-8, as \x1b and so on. */
void ifr_escape_plain(struct ifr_buffer *out, const char *text);

#endif
