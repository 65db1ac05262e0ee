/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One relocation of an object, turned into patch sites or pins. */
#ifndef IFR_RELINKER_PREPARE_RELOCATION_H
#define IFR_RELINKER_PREPARE_RELOCATION_H

#include "relinker/prepare/prepare.h"

/* A relocation with its section in the object and in the program. */
struct relocation {
	struct preparation *preparation;
	const struct object *object;
	const uint8_t *input;  /* the section's bytes in the object */
	const uint8_t *output; /* in the program */
	uint64_t bytes;        /* of the section */
	uint64_t at;           /* of the section in the file */
	uint64_t address;      /* of the section */
	uint32_t atom;
	bool loaded;     /* the section is in memory at run time */
	bool skip;       /* the next relocation was relaxed away with this one */
	uint64_t offset; /* of the relocation in the section */
	uint64_t addend;
	struct target target;
};

/* Adds a patch site at an offset in the section. */
void relocation_add_patch_site(const struct relocation *relocation, enum patch_kind kind, uint64_t offset,
                               uint32_t target);
/* Pins the units of the section's atom and of the target's. */
void relocation_pin(const struct relocation *relocation, enum pin_reason reason);
/* Loads a field of 8 bytes, or of 4 with its sign. */
uint64_t relocation_load(const struct relocation *relocation, uint64_t offset, bool wide);
/* Whether an address lies in a section of the program whose name begins with one of the prefixes; NULL ends them. */
bool prepare_in_sections(const struct preparation *preparation, uint64_t address, const char *const *prefixes);
bool prepare_in_plt(const struct preparation *preparation, uint64_t address);

/* Each of these functions patches or pins one form of field, 4 or 8 bytes wide.
 *
 * relative: symbol + addend - address of the field. The symbol can be its entry of .plt, or never move. */
void relocation_patch_relative(struct relocation *relocation, uint64_t offset, bool wide);
/* absolute: symbol + addend. */
void relocation_patch_absolute(struct relocation *relocation, uint64_t offset, bool wide);

/* slot: the distance to a slot of .got. Records the slot's symbol, which the slot itself does not tell. */
void relocation_patch_slot(struct relocation *relocation, uint64_t offset, bool wide);
/* relaxable: a load from .got or a call through it that the linker may have relaxed. */
void relocation_patch_relaxable(struct relocation *relocation);
/* dynamic_tls: the start of a general or local dynamic access to a thread-local variable; `before` of its bytes
 * come before the field. */
void relocation_patch_dynamic_tls(struct relocation *relocation, uint64_t before);
/* initial_tls: an access by an offset from .got. */
void relocation_patch_initial_tls(struct relocation *relocation);

#endif
