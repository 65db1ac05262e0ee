/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes text from outside harmless in each format that prints it; for one line of a terminal, common/plain_text.h does.
 * Bytes that are not UTF-8 and control characters become '?', in HTML and JSON apart from line ends and tabs. */
#ifndef IFR_HARNESS_ESCAPE_H
#define IFR_HARNESS_ESCAPE_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/plain_text.h"
#include "common/strings.h"

/* For HTML text and double-quoted attributes. */
void ifr_escape_html(struct ifr_buffer *out, const char *text);
/* For a JSON library: valid UTF-8, not quoted; the caller frees. */
char *ifr_escape_utf8(const char *text);
/* A single-quoted string for gnuplot. */
void ifr_quote_gnuplot(struct ifr_buffer *out, const char *text);
/* A word for gnuplot's data and for file names: letters, digits and "._-+" remain, the rest become '_'. */
void ifr_escape_word(struct ifr_buffer *out, const char *text);
/* A word for a shell, quoted where it has to be: '…', or $'…' for what a terminal does not show as it is (control
 * characters, bytes that are not UTF-8), so that a printed command can be pasted. */
void ifr_quote_shell(struct ifr_buffer *out, const char *text);
/* All words of a command, up to NULL. */
void ifr_quote_command(struct ifr_buffer *out, char *const *argv);
/* Splits a command into the words that a shell would pass on: quotes ('…', "…", $'…') and backslashes, but neither
 * variables nor patterns. False where a quote stays open. */
bool ifr_unquote_shell(const char *command, struct ifr_strings *words);

/* How many columns text takes, one a character. */
size_t ifr_text_width(const char *text, size_t bytes);

#endif
