/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section .note.interfero: what the plugin did to a unit of compilation.
 *
 * The section is not allocated (no flags, type SHT_NOTE); a linker joins those of all units. Each note is an ELF
 * note in little-endian order: three 32-bit words (name size 10, descriptor size, type 1), the name "interfero"
 * with its NUL, the descriptor; name and descriptor are each padded to 4 bytes. The descriptor is lines of text,
 * each ended by '\n', in this order:
 *
 *     interfero-note 1
 *     plugin 0.1.0
 *     compiler 12.2.0
 *     unit lapi.c
 *     unit-order seed=7
 *     nops seed=7 rate=10 max=1
 *     align seed=7 functions=64 loops=32
 *     did ordered=41 nops=977 functions=41 loops=23
 *
 * First the format's version; the plugin's and the compiler's versions; the source's name without its folder, with
 * what is not a letter, a digit or one of "._+-" turned to '_' (ltrans0, ltrans1 and so on for the parts of an LTO
 * link); then the axes that were on, as in a plan; last the counts: functions that were given a place in the
 * order, places that got nops, functions and loops whose alignment was raised. */
#ifndef IFR_PLUGIN_NOTE_H
#define IFR_PLUGIN_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IFR_NOTE_SECTION ".note.interfero"
#define IFR_NOTE_OWNER "interfero"

enum { IFR_NOTE_VERSION = 1, IFR_NOTE_TYPE = 1, IFR_NOTE_UNIT_MAX = 256, IFR_NOTE_WORD_MAX = 32 };

/* How often each axis took effect in the unit. */
struct ifr_note_counts {
	uint64_t ordered;   /* functions given a place in the order */
	uint64_t nops;      /* places that got nops */
	uint64_t functions; /* functions whose alignment was raised */
	uint64_t loops;     /* loops whose alignment was raised */
};

struct ifr_note {
	char plugin[IFR_NOTE_WORD_MAX];   /* the plugin's version */
	char compiler[IFR_NOTE_WORD_MAX]; /* the compiler's version */
	char unit[IFR_NOTE_UNIT_MAX];
	struct ifr_plan plan; /* the plugin's axes */
	struct ifr_note_counts did;
};

/* Copies the last component of a path into note->unit, spelled as the format wants it; a long one is cut. */
void ifr_note_set_unit(struct ifr_note *note, const char *path);

/* Appends the descriptor's text. */
void ifr_note_print(const struct ifr_note *note, struct ifr_buffer *descriptor);

/* Reads the next note of a section's bytes and moves *offset (0 to begin with, in bytes) past it; notes of other
 * owners are passed over. Returns 1 if a note was read, 0 at the end. Errors: IFR_E_USAGE for anything that is not
 * of the form above, *offset then stays. */
int ifr_note_next(const void *section, size_t length, size_t *offset, struct ifr_note *note,
                  struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
