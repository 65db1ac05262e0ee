/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of preparing an image, in their order; each fills its part of it. */
#ifndef IFR_RELINKER_PREPARE_H
#define IFR_RELINKER_PREPARE_H

#include "common/strings.h"
#include "relinker/read/elf_view.h"
#include "relinker/image/image_parts.h"
#include "relinker/read/link_map.h"
#include "relinker/read/names.h"
#include "relinker/read/objects.h"

/* What a symbol of an object stands for in the output. */
struct target {
	uint32_t atom; /* 0: nothing that moves */
	bool known;    /* the address is certain */
	bool unsure;   /* it may lie in .text, in no atom that is known */
	bool edited;   /* in a merged section */
	bool dropped;  /* its section is not in the output; atom is then the copy that is */
	bool strong;   /* not a weak definition */
	uint64_t address;
};

/* A dynamic relocation of the output. */
struct dynamic {
	uint64_t address;
	uint64_t addend;
	uint32_t at; /* of its addend in the file */
	uint32_t type;
	bool claimed; /* its target is known from the objects */
};

/* Addresses of what moves in a output, with the sections behind .text. */
struct range {
	const Elf64_Shdr *section; /* NULL: nothing moves */
	uint64_t start, end;
};

struct preparation {
	const struct units *units;
	struct image *image;
	struct link_map map;
	struct objects objects;
	struct elf_view output;
	struct range ranges[OUTPUTS];
	uint32_t *item_sections, *item_objects; /* for each item of the map */
	uint32_t *atom_objects, *atom_units;    /* for each atom of a output; units' count where it is of none */
	struct names at;          /* (symbol, address) in what moves → atom, PREPARE_TWICE if of several */
	struct names definitions; /* global symbol → targets */
	struct names globals;     /* global symbol → its address in the output, an index of addresses */
	struct names copies;      /* section of a COMDAT group → its atom */
	struct names slots;       /* ("", address in .got) → atom */
	struct target *targets;
	uint64_t *addresses;
	size_t target_count, address_count;
	struct ifr_strings wraps; /* NAME, "__wrap_NAME", … */
	struct ifr_strings spare; /* strings that the tables borrow */
	struct dynamic *dynamics; /* by address */
	size_t dynamic_count;
	size_t site_capacity[PATCH_KINDS];
};

enum { PREPARE_TWICE = UINT32_MAX };

/* What a link left behind. */
struct prepare_files {
	const char *name;                    /* of the program, for messages */
	const char *program, *map;           /* as the linker wrote them */
	const char *folder;                  /* in which it ran */
	const struct ifr_strings *arguments; /* that it was given */
};

/* Reads an image from the files of a link, by the steps below in their order; the preparation has its units, and
 * an image with the sizes it is for. Errors: IFR_E_ENVIRONMENT with the reason why the program cannot be moved in
 * memory. */
int prepare_read(struct preparation *preparation, const struct prepare_files *files, struct ifr_error *err);
/* Everything but the image, also after an error. */
void prepare_release(struct preparation *preparation);

/* Atoms, the room behind them, and the atoms of all sections' places. */
int prepare_atoms(struct preparation *preparation, struct ifr_error *err);
/* The tables of symbols. */
int prepare_symbols(struct preparation *preparation, struct ifr_error *err);
/* Dynamic relocations of the output, unclaimed. */
int prepare_dynamics(struct preparation *preparation, struct ifr_error *err);
/* The sites of all relocations of the objects. */
int prepare_sites(struct preparation *preparation, struct ifr_error *err);
/* The words that say where the sections from .interp on are, and which of these holds an address (0 for none). */
void prepare_front_words(struct preparation *preparation);
uint32_t prepare_front_atom(const struct preparation *preparation, uint64_t address);
/* What the linker made itself: the rest of the dynamic relocations, .got, .dynamic, .dynsym, headers, build-id. */
int prepare_linker_made(struct preparation *preparation, struct ifr_error *err);
/* .eh_frame and .eh_frame_hdr. */
int prepare_frames(struct preparation *preparation, struct ifr_error *err);
/* .symtab and .strtab. */
int prepare_symtab(struct preparation *preparation, struct ifr_error *err);

/* Links another order and compares. Errors: IFR_E_ENVIRONMENT with the first section that differs. */
int prepare_check(const struct preparation *preparation, const struct ld_engine *engine, const char *script,
                  const char *path, struct ifr_error *err);
/* The order as it is, of the outputs that have a size; the caller releases it. */
struct placement prepare_placement(const struct layout_sizes *sizes, const struct units *units);
int prepare_read_program(const char *path, uint8_t **bytes, size_t *length, struct ifr_error *err);

/* What symbol number index of an object stands for. */
struct target prepare_resolve(const struct preparation *preparation, const struct object *object, uint32_t index);
/* The atom of a symbol of the output by its name and address; 0 outside of what moves, PREPARE_TWICE if unknown.
 */
uint32_t prepare_atom_of_symbol(const struct preparation *preparation, const char *name, uint64_t address);
/* The atom whose bytes hold an address, 0 for none. */
uint32_t prepare_atom_at(const struct preparation *preparation, uint64_t address);
/* Whether something at an address may move. */
bool prepare_moves(const struct preparation *preparation, uint64_t address);
/* Where the image has an atom of a unit. */
uint64_t prepare_address(const struct preparation *preparation, uint32_t atom);
struct dynamic *prepare_dynamic_at(const struct preparation *preparation, uint64_t address);

/* Adds a site unless nothing can change there. */
void prepare_add_site(struct preparation *preparation, enum site_kind kind, uint64_t at, uint32_t atom,
                      uint32_t target);
void prepare_add_pin(struct preparation *preparation, uint32_t atom, uint32_t target, enum pin_reason reason);

uint32_t prepare_load32(const struct preparation *preparation, uint64_t at);
uint64_t prepare_load64(const struct preparation *preparation, uint64_t at);

#endif
