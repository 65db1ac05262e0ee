/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section .note.interfero: a record of the plugin's changes to a unit of compilation.
 *
 * The section is not allocated (no flags, type SHT_NOTE); a linker joins the sections of all units. Each note is an
 * ELF note in little-endian order: three 32-bit words (name size 10, descriptor size, type 1), the name "interfero"
 * with its NUL, the descriptor. Name and descriptor are each padded to 4 bytes. The descriptor is lines of text,
 * each ended by '\n', in this order:
 *
 *     interfero-note 2
 *     plugin 0.1.0
 *     compiler 12.2.0
 *     unit lapi.c
 *     template 5cbf…
 *     unit-order seed=7
 *     nops seed=7 rate=10 max=1 heat=0
 *     align seed=7 functions=64 loops=32 heat=0
 *     function lua_gettop order=3 align=64 loops=1 nops=2 bytes=2
 *     variable lua_ident align=32
 *     did ordered=1 nops=2 functions=1 loops=1 frames=0 variables=1
 *
 *     interfero-note   the version of this format
 *     plugin           the plugin's version
 *     compiler         the compiler's version
 *     unit             the source's name without its folder, each character but letters, digits and "._+-" turned
 *                      into '_'; ltrans0, ltrans1 and so on for the parts of an LTO link
 *     template         SHA-256 of the unit's template (compiletime/template.h); only where one was kept
 *     AXIS             an axis that was on, as in a plan; one a line
 *     function         a function or variable that an axis changed, by its assembler name, in the order of the
 *     variable         assembly, with its facts that are not 0
 *     did              sums: functions ordered, sites with nops, functions and loops aligned, frames widened,
 *                      variables ordered or aligned; where there are any, loops in two versions (checks), prefetches,
 *                      loops in parts (split) and copies of joins
 *
 * The facts:
 *
 *     order=N          position in the order of the unit's functions or variables, from 1
 *     align=N          alignment in bytes, where it was raised
 *     loops=N          loops whose alignment was raised
 *     nops=N bytes=N   sites that got nops, and bytes of nops at all of them
 *     frame=N          bytes added to the stack frame
 *     checks=N         loops in two versions, behind a check of addresses
 *     prefetches=N     advised loads with a prefetch
 *     split=N          loops in successive parts
 *     copies=N         copies of joins
 *
 * The seed tells which sites and which loops (compiletime/decide.h). */
#ifndef IFR_COMPILETIME_NOTE_H
#define IFR_COMPILETIME_NOTE_H

#include <stdbool.h>
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

enum { IFR_NOTE_VERSION = 2, IFR_NOTE_TYPE = 1, IFR_NOTE_UNIT_MAX = 256, IFR_NOTE_WORD_MAX = 32 };
enum { IFR_TEMPLATE_KEY_MAX = 65 };

enum ifr_note_fact {
	IFR_FACT_ORDER,
	IFR_FACT_ALIGN,
	IFR_FACT_LOOPS,
	IFR_FACT_NOPS,
	IFR_FACT_BYTES,
	IFR_FACT_FRAME,
	IFR_FACT_CHECKS,
	IFR_FACT_PREFETCHES,
	IFR_FACT_SPLIT,
	IFR_FACT_COPIES,
	IFR_NOTE_FACTS
};
extern const char *const ifr_note_facts[IFR_NOTE_FACTS]; /* "order", … */

/* The facts of one function or variable. */
struct ifr_note_entry {
	char *name; /* assembler name */
	bool variable;
	uint64_t fact[IFR_NOTE_FACTS];
};

/* The sums over a unit. */
struct ifr_note_counts {
	uint64_t ordered, nops, functions, loops, frames, variables, checks, prefetches, split, copies;
};

struct ifr_note {
	char plugin[IFR_NOTE_WORD_MAX];   /* the plugin's version */
	char compiler[IFR_NOTE_WORD_MAX]; /* the compiler's version */
	char unit[IFR_NOTE_UNIT_MAX];
	char template_key[IFR_TEMPLATE_KEY_MAX]; /* "" without a template */
	struct ifr_plan plan;                    /* the plugin's axes */
	struct ifr_note_entry *entries;
	size_t entry_count, entry_capacity;
	struct ifr_note_counts did;
};

/* A zeroed note with an initialised plan is empty; release leaves it so. */
void ifr_note_init(struct ifr_note *note);
void ifr_note_release(struct ifr_note *note);

/* Copies the last component of a path into note->unit, in the characters of the format; a long name is cut. */
void ifr_note_set_unit(struct ifr_note *note, const char *path);

/* Adds an amount to a fact of a function or variable, and to the sums. All facts of one entity come in a row. */
void ifr_note_add_fact(struct ifr_note *note, bool variable, const char *name, enum ifr_note_fact fact,
                       uint64_t amount);

/* Appends the descriptor's text. */
void ifr_note_print(const struct ifr_note *note, struct ifr_buffer *descriptor);
/* Appends assembly that puts the whole note into its section. */
void ifr_note_print_assembly(const struct ifr_note *note, struct ifr_buffer *assembly);

/* Reads the next note from a section's bytes and moves *offset (bytes, 0 at first) behind it; skips notes of other
 * owners. Returns 1 with a note, which the caller releases, or 0 at the end. Errors: IFR_E_USAGE for a note of
 * another form; *offset then stays. */
int ifr_note_next(const void *section, size_t length, size_t *offset, struct ifr_note *note,
                  struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
