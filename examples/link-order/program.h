/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the program, each in an object file of its own. */
#ifndef IFR_EXAMPLES_PROGRAM_H
#define IFR_EXAMPLES_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { TEXT_BYTES = 96 };
enum kind { KIND_LETTER, KIND_DIGIT, KIND_SPACE, KIND_OTHER, KIND_COUNT };

/* Fills text[0 … TEXT_BYTES-1] with repetitions of one short line. */
void text_fill(char *text);

/* Adds the number of bytes of each kind in the text to counts. */
void tally(const char *text, size_t bytes, uint32_t *counts);

/* Orders the kinds by falling count, equal counts by number. */
void rank(const uint32_t *counts, enum kind *order);

/* A checksum of the counts in that order. */
uint32_t fold(const uint32_t *counts, const enum kind *order);

/* Prints a line a kind, in that order. */
void show(const uint32_t *counts, const enum kind *order);

#endif
