/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preparing an image: finding all bytes of a linked program that depend on addresses.
 *
 *     step                        file                          fills
 *     prepare_atoms               prepare_atoms.c               atoms, units' atoms, limits; with prepare_trailing_
 *                                                               and prepare_leading_sections.c
 *     prepare_symbols             prepare_symbols.c             the targets of symbols
 *     prepare_dynamics            prepare_dynamic.c             the program's dynamic relocations
 *     prepare_patch_sites         prepare_patch_sites.c         patch sites of the objects' relocations; with
 *                                                               prepare_relaxed_code.c
 *     prepare_linker_fields       prepare_linker_fields.c       patch sites of the linker's own fields
 *     prepare_frames              prepare_frames.c              .eh_frame and .eh_frame_hdr
 *     prepare_symtab              prepare_symtab.c              .symtab and .strtab
 *     prepare_check               prepare_check.c               a link in another order, compared
 *
 * Invariant: a program is refused, or two units are pinned, wherever a step meets bytes that it cannot explain.
 * The steps may therefore be incomplete, but not wrong. prepare_check compares a whole variant with the linker's. */
#ifndef IFR_RELINKER_PREPARE_H
#define IFR_RELINKER_PREPARE_H

#include "common/strings.h"
#include "relinker/read/elf_view.h"
#include "relinker/image/image_parts.h"
#include "relinker/read/link_map.h"
#include "relinker/read/names.h"
#include "relinker/read/objects.h"

/* The target of an object's symbol in the program. */
struct target {
	uint32_t atom; /* 0 if it never moves */
	bool known;    /* the address is certain */
	bool unsure;   /* in one of several atoms */
	bool edited;   /* in a merged section */
	bool dropped;  /* its section was dropped; atom is that of the kept copy */
	bool strong;   /* not a weak definition */
	uint64_t address;
};

/* A dynamic relocation of the program. */
struct dynamic {
	uint64_t address;
	uint64_t addend;
	uint32_t at; /* of its addend in the file */
	uint32_t type;
	bool claimed; /* an object's relocation gave its target */
};

/* The addresses of an output section; of .text with its trailing sections. */
struct range {
	const Elf64_Shdr *section; /* NULL if the section stays as it is */
	uint64_t start, end;
};

struct preparation {
	const struct units *units;
	struct image *image;
	struct link_map map;
	struct objects objects;
	struct elf_view program;
	struct range ranges[OUTPUTS];
	uint32_t *item_sections, *item_objects; /* for each item of the map */
	uint32_t *atom_objects, *atom_units;    /* for each atom; the number of units if it is of none */
	struct names at;          /* (symbol, address) → moving atom, PREPARE_AMBIGUOUS if several have it */
	struct names definitions; /* global symbol → targets */
	struct names globals;     /* global symbol → its address in the program, an index of addresses */
	struct names copies;      /* section of a COMDAT group → its atom */
	struct names slots;       /* ("", address in .got) → atom */
	struct target *targets;
	uint64_t *addresses;
	size_t target_count, address_count;
	struct ifr_strings wraps; /* NAME, "__wrap_NAME", … */
	struct ifr_strings spare; /* owns strings that the tables borrow */
	struct dynamic *dynamics; /* by address */
	size_t dynamic_count;
	size_t site_capacity[PATCH_KINDS];
};

enum { PREPARE_AMBIGUOUS = UINT32_MAX };

/* The files of a link. */
struct prepare_files {
	const char *name;                    /* of the program, for messages */
	const char *program, *map;           /* paths */
	const char *folder;                  /* in which the linker ran */
	const struct ifr_strings *arguments; /* of the linker */
};

/* Reads an image from the files of a link, by the steps above. The preparation has the units, and an image with
 * its sizes. Errors: IFR_E_ENVIRONMENT with the reason why the program cannot be laid out in memory. */
int prepare_read(struct preparation *preparation, const struct prepare_files *files, struct ifr_error *err);
/* Releases everything but the image, also after an error. */
void prepare_release(struct preparation *preparation);

/* Fills the atoms, the limits behind them, and the atoms of the input sections' places. */
int prepare_atoms(struct preparation *preparation, struct ifr_error *err);
/* Fills at, definitions, globals and copies. */
int prepare_symbols(struct preparation *preparation, struct ifr_error *err);
/* Fills dynamics, all unclaimed. */
int prepare_dynamics(struct preparation *preparation, struct ifr_error *err);
/* Adds the patch sites of all relocations of the objects. */
int prepare_patch_sites(struct preparation *preparation, struct ifr_error *err);
/* Adds patch sites for the words that hold addresses of leading sections: headers, segments, .dynamic. */
void prepare_leading_words(struct preparation *preparation);
/* Finds the leading section that holds an address; 0 for none. */
uint32_t prepare_leading_atom(const struct preparation *preparation, uint64_t address);
/* Adds patch sites for the unclaimed dynamic relocations, .got, .dynamic, .dynsym and the headers; finds the
 * build-id. */
int prepare_linker_fields(struct preparation *preparation, struct ifr_error *err);
/* Adds patch sites for .eh_frame and fills the table of .eh_frame_hdr. */
int prepare_frames(struct preparation *preparation, struct ifr_error *err);
/* Fills the tables of .symtab and .strtab. */
int prepare_symtab(struct preparation *preparation, struct ifr_error *err);

/* Links another order at path and compares it with the image's. Errors: IFR_E_ENVIRONMENT with the first section
 * that differs. */
int prepare_check(const struct preparation *preparation, const struct ld_engine *engine, const char *script,
                  const char *path, struct ifr_error *err);
/* The shipped order of the output sections that have a size; the caller releases the placement. */
struct placement prepare_placement(const struct layout_sizes *sizes, const struct units *units);
int prepare_read_program(const char *path, uint8_t **bytes, size_t *length, struct ifr_error *err);

/* Resolves symbol number index of an object. */
struct target prepare_resolve(const struct preparation *preparation, const struct object *object, uint32_t index);
/* Finds the atom of a symbol of the program by its name and address; 0 if it never moves, PREPARE_AMBIGUOUS if
 * several atoms have it. */
uint32_t prepare_atom_of_symbol(const struct preparation *preparation, const char *name, uint64_t address);
/* Finds the atom whose bytes hold an address; 0 for none. */
uint32_t prepare_atom_at(const struct preparation *preparation, uint64_t address);
/* Whether the byte at an address may move. */
bool prepare_moves(const struct preparation *preparation, uint64_t address);
/* The address of an atom of an output section in the image. */
uint64_t prepare_address(const struct preparation *preparation, uint32_t atom);
struct dynamic *prepare_dynamic_at(const struct preparation *preparation, uint64_t address);

/* Adds a patch site, unless its field can never change. */
void prepare_add_patch_site(struct preparation *preparation, enum patch_kind kind, uint64_t at, uint32_t atom,
                            uint32_t target);
void prepare_add_pin(struct preparation *preparation, uint32_t atom, uint32_t target, enum pin_reason reason);

uint32_t prepare_load32(const struct preparation *preparation, uint64_t at);
uint64_t prepare_load64(const struct preparation *preparation, uint64_t at);

#endif
