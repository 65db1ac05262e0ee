/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: an ELF program in memory, with the tables that the checks need. */
#ifndef IFR_HARNESS_VERIFY_IMAGE_H
#define IFR_HARNESS_VERIFY_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

struct image_section {
	const char *name;
	GElf_Shdr header;
	Elf_Data *data; /* NULL without contents */
};

struct image_symbol {
	const char *name, *file; /* file: of a local symbol; "" where none is named */
	uint64_t value, size;
	size_t index; /* in the symbol table */
	uint16_t section;
	uint8_t type, binding;
};

/* Symbols in the order of name, type, binding, size, file and index: if two images have the same symbols, equal indices
 * refer to the same symbol. The file parts functions of one name, of which a Rust program has many, where the order of
 * local symbols follows the layout, as from ld 2.44. */
struct image_symbols {
	struct image_symbol *items;
	size_t count;
};

/* A frame description. */
struct image_frame {
	uint64_t at;           /* address of the description */
	uint64_t begin, bytes; /* of the described code */
};

struct verify_image {
	struct ifr_buffer bytes;
	Elf *elf;
	GElf_Ehdr header;
	struct image_section *sections;
	size_t section_count;
	GElf_Phdr *segments;
	size_t segment_count;
	struct image_symbols symbols;         /* .symtab */
	struct image_symbols dynamic_symbols; /* .dynsym */
	const struct image_symbol **placed;   /* functions and objects of symbols, by address */
	size_t placed_count;
	struct image_frame *frames; /* of .eh_frame, by begin */
	size_t frame_count;
};

/* Reads an image from bytes, which it takes over. Returns false, with the reason in why, if they are not a whole
 * ELF file. The caller releases the image in either case. */
bool verify_image_open(struct verify_image *image, struct ifr_buffer *bytes, struct ifr_buffer *why);
void verify_image_release(struct verify_image *image);

/* The first section of that name, or NULL. */
const struct image_section *image_section_named(const struct verify_image *image, const char *name);
/* The allocated section that holds an address, or NULL. */
const struct image_section *image_section_at(const struct verify_image *image, uint64_t address);
/* Whether an address lies in a loadable segment, or at its end. */
bool image_loads(const struct verify_image *image, uint64_t address);
/* The function or object that holds an address, or NULL. */
const struct image_symbol *image_symbol_at(const struct verify_image *image, uint64_t address);
/* The frame that describes an address, or NULL. */
const struct image_frame *image_frame_at(const struct verify_image *image, uint64_t address);
/* Whether a symbol is one that the axis names adds, of which the program has none. */
bool image_adds_name(const char *name);
/* Removes the symbols that the axis names added. */
void image_drop_names(struct verify_image *image);
/* Whether a symbol is a function or an indirect function. */
bool image_symbol_is_function(const struct image_symbol *symbol);

/* Fills frames from .eh_frame, NULL if there is none; false if it cannot be read. Called by verify_image_open. */
bool image_read_frames(struct verify_image *image, const struct image_section *section);

#endif
