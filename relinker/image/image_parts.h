/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an image is made of. All offsets are into the program's file unless they say otherwise. */
#ifndef IFR_RELINKER_IMAGE_PARTS_H
#define IFR_RELINKER_IMAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "relinker/image/image.h"

/* An atom is what moves in one piece: an input section of a output. Atom 0 stands for all that never moves; then
 * come the outputs' atoms, each output's in the order of its addresses. Behind those of .text there are the output
 * sections that follow it in its segment, .text's end and the segment's end. */
struct atom {
	uint32_t offset; /* from the start of its output, in the image */
	uint32_t bytes;
	uint32_t align; /* a power of two, at least 1 */
	uint32_t group; /* its object's local symbols, an index into the symbol groups, or IMAGE_NONE */
	uint32_t frame; /* its first entry of the frame table; the next atom's is where its entries end */
};

/* The atoms of one unit follow one another. */
struct atom_run {
	uint32_t first, count;
};

/* What a site holds, and so what is added to it: the way of its target, for *_PC less the way of its own atom. */
enum site_kind { PATCH_PC32, PATCH_PC64, PATCH_ABS32, PATCH_ABS64, PATCH_KINDS };

struct patch_site {
	uint32_t at;     /* moves with its atom */
	uint32_t atom;   /* that holds the site, 0 outside of the outputs */
	uint32_t target; /* the atom that the value points into, or 0 */
};

/* A site or symbol that could not be understood: its two units may not move. */
struct pin {
	uint32_t atom, target;
	uint32_t reason; /* enum pin_reason */
};

enum pin_reason { PIN_BYTES, PIN_NARROW, PIN_KIND, PIN_SYMBOL, PIN_REASONS };

/* An entry of .eh_frame_hdr's table. */
struct frame {
	uint32_t atom;
	int32_t start; /* from the start of .eh_frame_hdr, as is fde */
	int32_t fde;
	uint32_t bytes; /* that it covers */
};

/* A string of .strtab that is not the end of another one. */
struct root {
	uint32_t offset; /* in .strtab */
	uint32_t bytes;  /* with its NUL */
};

/* A symbol of .symtab; its name is behind the first tail bytes of a root. */
struct image_symbol {
	uint32_t root; /* IMAGE_NONE: no name */
	uint32_t tail;
	uint32_t atom;
};

/* The local symbols of one object, in the order of the image's .symtab. */
struct symbol_group {
	uint32_t first, count;
};

enum { IMAGE_NONE = UINT32_MAX };

/* The inside of an output section, laid out anew in each variant. */
struct image_output {
	uint64_t at;    /* of the section in the file */
	uint64_t limit; /* from its start: what moves must end here; 0 where the output stays as it is */
	uint32_t first, units_end, end; /* its atoms: from the first those of units, then those of empty sections */
	uint32_t in_file;               /* 0: it has no bytes there (.bss) */
};

struct image_numbers {
	struct layout_sizes sizes; /* for which it was made */
	uint64_t units;            /* a digest of the units' names, sizes and base addresses */
	struct image_output outputs[OUTPUTS];
	uint32_t text_end, segment_end; /* the atoms of the two ends; before them those of sections behind .text */
	uint32_t leading, leading_end; /* the atoms of .interp and the sections behind it, their offsets in the file */
	uint64_t leading_limit; /* offset in the file at which they must end; behind their atoms, two: of the path's
	                              length and of where they end */
	uint64_t longest_path;  /* the most bytes by which the path may be longer than the program's */
	uint32_t frame_table, first_frame,
		last_frame; /* the table; frames of moving atoms from first to before last */
	uint32_t frame_count;
	uint32_t symtab, symbol_count, strtab, strtab_bytes;
	uint32_t relocations, relocation_count; /* of .rela.dyn, in the linker's order; 0 where none moves */
	uint32_t build_id, build_id_bytes;
};

/* A visit of the linker on its way through the output: a symbol group, or with this bit set a output, whose atoms'
 * groups come in their order. */
enum { VISIT_REGION = 0x80000000 };

struct image {
	struct image_numbers numbers;
	uint8_t *bytes;
	struct atom *atoms;
	struct atom_run *units;
	struct patch_site *sites[PATCH_KINDS];
	struct frame *frames;
	struct image_symbol *symbols;
	struct symbol_group *groups;
	struct root *roots;
	struct pin *pins;
	uint32_t *visits;
	size_t length, atom_count, unit_count, site_count[PATCH_KINDS], frame_count, symbol_count, group_count,
		root_count, pin_count, visit_count;
};

/* Where the atoms go under a placement: their ways from where the image has them, in bytes, modulo 2^64. */
struct atom_ways {
	uint64_t *way;               /* for each atom */
	uint32_t *order;             /* of the outputs' atoms as they come to lie, output by output */
	uint32_t start[OUTPUTS + 1]; /* of each output's in it */
};

/* Places the atoms. With variant not NULL it also lays out the outputs there: copies and fills, up to the limits.
 * Errors: IFR_E_ENVIRONMENT if what moves does not end before a limit. */
int image_lay_out(const struct image *image, const struct placement *placement, uint8_t *variant,
                  struct atom_ways *ways, struct ifr_error *err);

/* The same for the sections from .interp on, whose bytes move last of all. */
int image_place_front(const struct image *image, const struct placement *placement, struct atom_ways *ways,
                      struct ifr_error *err);
uint64_t image_find_longest_path(const struct image *image);
void image_move_front(const struct image *image, const struct atom_ways *ways, uint8_t *variant);

/* The output of an atom that is none of a section behind .text. */
const struct image_output *image_output_of(const struct image *image, uint32_t atom);

/* Writes count bytes of the fill that ld.bfd puts between code sections on x86-64. */
void image_fill(uint8_t *to, uint64_t count);

/* Symbol and frame tables in the order of a placement, and dynamic relocations in that of their addresses. */
void image_write_symbols(const struct image *image, const struct atom_ways *ways, uint8_t *variant);
void image_write_frames(const struct image *image, const struct atom_ways *ways, uint8_t *variant);
void image_sort_relocations(const struct image *image, uint8_t *variant);

uint64_t image_digest_units(const struct units *units);

#endif
