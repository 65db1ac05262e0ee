/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of .rela.dyn, whose entries' addresses move with the data. ld.bfd sorts it (-z combreloc):
 *
 *     1. relative relocations, by address;
 *     2. the others, by class, then by the lowest address of their symbol's relocations, then by address.
 *
 * Ref: GNU ld 2.40, section 2.1, "-z combreloc": "combines multiple dynamic relocation sections and sorts to
 * improve dynamic symbol lookup caching". */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

struct entry {
	Elf64_Rela rela;
	uint32_t class;
	uint64_t first; /* lowest address of its symbol's relocations */
};

enum { CLASS_RELATIVE, CLASS_NORMAL, CLASS_COPY, CLASS_IFUNC, CLASS_PLT };

static uint32_t class_of(const Elf64_Rela *rela) {
	switch (ELF64_R_TYPE(rela->r_info)) {
	case R_X86_64_RELATIVE:
		return CLASS_RELATIVE;
	case R_X86_64_COPY:
		return CLASS_COPY;
	case R_X86_64_IRELATIVE:
		return CLASS_IFUNC;
	case R_X86_64_JUMP_SLOT:
		return CLASS_PLT;
	default:
		return CLASS_NORMAL;
	}
}

static int compare(uint64_t a, uint64_t b) {
	return (a > b) - (a < b);
}

static int by_symbol(const void *a, const void *b) {
	const struct entry *x = a, *y = b;
	int order = compare(x->class != CLASS_RELATIVE, y->class != CLASS_RELATIVE);
	if (!order)
		order = compare(ELF64_R_SYM(x->rela.r_info), ELF64_R_SYM(y->rela.r_info));
	return order ? order : compare(x->rela.r_offset, y->rela.r_offset);
}

static int by_class(const void *a, const void *b) {
	const struct entry *x = a, *y = b;
	int order = compare(x->class, y->class);
	if (!order)
		order = compare(x->first, y->first);
	return order ? order : compare(x->rela.r_offset, y->rela.r_offset);
}

void image_sort_relocations(const struct image *image, uint8_t *variant) {
	size_t count = image->numbers.relocation_count, relative = 0;
	uint8_t *table = variant + image->numbers.relocations;
	if (!count)
		return;
	struct entry *entries = ifr_alloc(count * sizeof *entries);
	for (size_t i = 0; i < count; i++) {
		memcpy(&entries[i].rela, table + i * sizeof(Elf64_Rela), sizeof(Elf64_Rela));
		entries[i].class = class_of(&entries[i].rela);
		relative += entries[i].class == CLASS_RELATIVE;
	}
	qsort(entries, count, sizeof *entries, by_symbol);
	for (size_t i = relative; i < count; i++) {
		bool same = i > relative && ELF64_R_SYM(entries[i].rela.r_info) == ELF64_R_SYM(entries[i - 1].rela.r_info);
		entries[i].first = same ? entries[i - 1].first : entries[i].rela.r_offset;
	}
	qsort(entries + relative, count - relative, sizeof *entries, by_class);
	for (size_t i = 0; i < count; i++)
		memcpy(table + i * sizeof(Elf64_Rela), &entries[i].rela, sizeof(Elf64_Rela));
	free(entries);
}
