/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One relocation of an object at work: what the linker made of it becomes sites. */
#ifndef IFR_RELINKER_PREPARE_WORK_H
#define IFR_RELINKER_PREPARE_WORK_H

#include "relinker/prepare/prepare.h"

/* One relocation at work. */
struct work {
	struct preparation *preparation;
	const struct object *object;
	const uint8_t *input;  /* the section's bytes in the object */
	const uint8_t *output; /* in the image */
	uint64_t bytes;        /* of the section */
	uint64_t at;           /* of the section in the file */
	uint64_t address;      /* of the section */
	uint32_t atom;
	bool loaded;     /* into memory */
	bool skip;       /* the next relocation went away with this one */
	uint64_t offset; /* of the relocation in the section */
	uint64_t addend;
	struct target target;
};

/* Adds a site of the work's section, at an offset in it. */
void work_site(const struct work *work, enum site_kind kind, uint64_t offset, uint32_t target);
void work_pin(const struct work *work, enum pin_reason reason);
/* A field at an offset, 8 bytes wide or 4 with its sign. */
uint64_t work_load(const struct work *work, uint64_t offset, bool wide);
/* Whether an address lies in one of the output's sections whose names begin with a prefix; the list ends with
 * NULL. */
bool work_in_sections(const struct preparation *preparation, uint64_t address, const char *const *prefixes);

/* A field that is symbol + addend - place, at offset: the symbol itself, its entry of .plt, or what never moves.
 */
void work_relative(struct work *work, uint64_t offset, bool wide);
/* A field that is symbol + addend. */
void work_absolute(struct work *work, uint64_t offset, bool wide);

/* The way to a slot of .got, at an offset. */
void work_slot(struct work *work, uint64_t offset, bool wide);
/* A load from .got or a call through it, that the linker may have relaxed. */
void work_relaxable(struct work *work);
/* The start of a general or local dynamic access to a thread-local variable; before: bytes of it before the field.
 */
void work_dynamic_tls(struct work *work, uint64_t before);
/* An access by an offset from .got. */
void work_initial_tls(struct work *work);

#endif
