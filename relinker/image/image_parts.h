/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of an image. Offsets are into the program's file unless they say otherwise. */
#ifndef IFR_RELINKER_IMAGE_PARTS_H
#define IFR_RELINKER_IMAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "relinker/image/image.h"

/* An atom moves in one piece. Atoms are numbered:
 *
 *     0                        all that never moves
 *     .text                    its input sections by address; the trailing sections, which are the output sections
 *                              behind .text in its segment; the end of .text (text_end); the end of its segment
 *     .rodata, .data, .bss     their input sections by address
 *     leading sections         .interp and the output sections behind it in the file's first segment; the growth of
 *                              the interpreter path (leading_end); the growth of the segment (leading_end + 1) */
struct atom {
	uint32_t offset; /* in the image, from the start of its output section; of leading sections: in the file */
	uint32_t bytes;
	uint32_t align; /* a power of two, at least 1 */
	uint32_t group; /* index of its object's symbol group, or IMAGE_NONE */
	uint32_t frame; /* its first entry of the frame table; its entries end where the next atom's begin */
};

/* The atoms of one unit follow one another. */
struct atom_run {
	uint32_t first, count;
};

/* The field of a patch site. ABS grows by the displacement of the target, PC by that less the displacement of the
 * atom that holds the field. The number is the width in bits. */
enum patch_kind { PATCH_PC32, PATCH_PC64, PATCH_ABS32, PATCH_ABS64, PATCH_KINDS };

struct patch_site {
	uint32_t at;     /* offset in the image; moves with the atom */
	uint32_t atom;   /* holds the field; 0 outside of the output sections that are laid out */
	uint32_t target; /* the value points into it; 0 for what never moves */
};

/* A relocation or symbol that preparing could not explain: the units of both atoms must stay. */
struct pin {
	uint32_t atom, target;
	uint32_t reason; /* enum pin_reason */
};

enum pin_reason { PIN_BYTES, PIN_NARROW, PIN_KIND, PIN_SYMBOL, PIN_REASONS };

/* An entry of .eh_frame_hdr's binary search table. */
struct frame {
	uint32_t atom;
	int32_t start;  /* of the code, from the start of .eh_frame_hdr */
	int32_t fde;    /* the frame description entry, likewise */
	uint32_t bytes; /* of the code */
};

/* A string that .strtab stores whole; other names are tails of such strings (tail merging). */
struct root {
	uint32_t offset; /* in .strtab */
	uint32_t bytes;  /* with its NUL */
};

/* A symbol of .symtab. Its name is a root without the first `tail` bytes. */
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

/* An output section whose inside is laid out anew in each variant. */
struct image_output {
	uint64_t at;    /* of the section in the file */
	uint64_t limit; /* from its start: the moving bytes must end here; 0 for a section that stays as it is */
	uint32_t first, units_end,
		end;          /* its atoms: [first, units_end) of units, [units_end, end) of empty sections */
	uint32_t in_file; /* 0 for .bss, which has no bytes in the file */
};

struct image_numbers {
	struct layout_sizes sizes; /* that the image serves */
	uint64_t units;            /* a digest of the units' names, sizes and base addresses */
	struct image_output outputs[OUTPUTS];
	uint32_t text_end, segment_end;   /* atoms of the two ends; see struct atom */
	uint32_t leading, leading_end;    /* atoms of the leading sections: [leading, leading_end) */
	uint64_t leading_limit;           /* offset in the file at which the leading sections must end */
	uint64_t longest_path;            /* see image_longest_path */
	uint32_t frame_table;             /* offset of .eh_frame_hdr's table */
	uint32_t first_frame, last_frame; /* frames of .text's atoms: [first_frame, last_frame) */
	uint32_t frame_count;
	uint32_t symtab, symbol_count, strtab, strtab_bytes;
	uint32_t relocations, relocation_count; /* .rela.dyn, to be sorted again; 0 where no entry moves */
	uint32_t build_id, build_id_bytes;
};

/* ld.bfd writes an object's local symbols when it meets the first of the object's sections. A visit is a step of
 * its walk through the program: a symbol group, or with this bit an output section, whose atoms' groups follow in
 * the order of the layout. */
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

/* The atoms under a placement. */
struct atom_layout {
	uint64_t *displacement;      /* of each atom from its address in the image: bytes, modulo 2^64 */
	uint32_t *order;             /* the atoms of the output sections, section by section, by their new addresses */
	uint32_t start[OUTPUTS + 1]; /* where each output section's atoms begin in it */
};

/* Fills layout for a placement; with a variant (not NULL) also copies the atoms and fills the gaps there. Errors:
 * IFR_E_ENVIRONMENT if the atoms do not end before a limit. */
int image_lay_out(const struct image *image, const struct placement *placement, uint8_t *variant,
                  struct atom_layout *layout, struct ifr_error *err);

/* Fills the displacements of the leading sections; image_move_leading_sections moves their bytes, the last step of
 * a variant. */
int image_place_leading_sections(const struct image *image, const struct placement *placement,
                                 struct atom_layout *layout, struct ifr_error *err);
/* Computes numbers.longest_path. */
uint64_t image_find_longest_path(const struct image *image);
void image_move_leading_sections(const struct image *image, const struct atom_layout *layout, uint8_t *variant);

/* The output section that holds an atom; .text also for its trailing sections. */
const struct image_output *image_output_of(const struct image *image, uint32_t atom);

/* Writes count bytes of the fill that ld.bfd puts between code sections on x86-64. */
void image_fill(uint8_t *to, uint64_t count);

/* Write the tables whose order depends on a layout: .symtab with .strtab, .eh_frame_hdr, .rela.dyn. */
void image_write_symtab(const struct image *image, const struct atom_layout *layout, uint8_t *variant);
void image_write_eh_frame_hdr(const struct image *image, const struct atom_layout *layout, uint8_t *variant);
void image_sort_relocations(const struct image *image, uint8_t *variant);

/* A digest of the units' names, sizes and base addresses. */
uint64_t image_digest_units(const struct units *units);

#endif
