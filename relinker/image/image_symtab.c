/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol table of a variant and its strings, .symtab and .strtab.
 *
 * Problem: ld.bfd writes local symbols object by object as it meets the objects' sections, and writes strings as
 * the symbols name them. One moved unit changes both tables.
 *
 * Idea: the symbols are the objects' groups in the order of their first atoms; the strings follow from the symbols.
 * Entries are indexes into the image's own tables, copied and patched.
 *
 * Invariant: in the image's own order each table equals the linker's; preparing refuses the program otherwise
 * (prepare_symtab.c). */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

/* Orders the groups of local symbols as ld.bfd's walk meets their objects. */
static void order_groups(const struct image *image, const struct atom_layout *layout, uint32_t *order) {
	uint32_t next = 0;
	uint8_t *seen = ifr_alloc(image->group_count + 1);
	for (size_t v = 0; v < image->visit_count; v++) {
		uint32_t visit = image->visits[v];
		if (!(visit & VISIT_REGION)) {
			if (!seen[visit])
				order[next++] = visit;
			seen[visit] = 1;
			continue;
		}
		uint32_t output = visit & ~(uint32_t)VISIT_REGION;
		for (uint32_t i = layout->start[output]; i < layout->start[output + 1]; i++) {
			uint32_t group = image->atoms[layout->order[i]].group;
			if (group >= image->group_count || seen[group])
				continue;
			seen[group] = 1;
			order[next++] = group;
		}
	}
	for (uint32_t i = 0; i < image->group_count; i++)
		if (!seen[i])
			order[next++] = i;
	free(seen);
}

/* Writes the roots in the order in which the symbols first name them whole; place receives their new offsets. */
static void write_strings(const struct image *image, const uint32_t *symbols, uint32_t *place, uint8_t *variant) {
	uint32_t end = 1;
	const uint8_t *old = image->bytes + image->numbers.strtab;
	uint8_t *strings = variant + image->numbers.strtab;
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct image_symbol *symbol = &image->symbols[symbols[i]];
		if (symbol->root == IMAGE_NONE || symbol->tail || place[symbol->root])
			continue;
		const struct root *root = &image->roots[symbol->root];
		memcpy(strings + end, old + root->offset, root->bytes);
		place[symbol->root] = end;
		end += root->bytes;
	}
}

static void write_symbols(const struct image *image, const uint32_t *symbols, const uint32_t *place,
                          const struct atom_layout *layout, uint8_t *variant) {
	const uint8_t *old = image->bytes + image->numbers.symtab;
	uint8_t *to = variant + image->numbers.symtab;
	for (size_t i = 0; i < image->symbol_count; i++, to += sizeof(Elf64_Sym)) {
		const struct image_symbol *known = &image->symbols[symbols[i]];
		Elf64_Sym symbol;
		memcpy(&symbol, old + symbols[i] * sizeof symbol, sizeof symbol);
		symbol.st_name = known->root == IMAGE_NONE ? 0 : place[known->root] + known->tail;
		symbol.st_value += layout->displacement[known->atom];
		memcpy(to, &symbol, sizeof symbol);
	}
}

void image_write_symtab(const struct image *image, const struct atom_layout *layout, uint8_t *variant) {
	if (!image->symbol_count)
		return;
	uint32_t *groups = ifr_alloc((image->group_count + 1) * sizeof *groups);
	uint32_t *symbols = ifr_alloc(image->symbol_count * sizeof *symbols);
	uint32_t *place = ifr_alloc((image->root_count + 1) * sizeof *place);
	size_t count = 0;
	order_groups(image, layout, groups);
	uint32_t first = image->group_count ? image->groups[0].first : 0;
	while (count < first)
		symbols[count] = (uint32_t)count, count++;
	for (size_t i = 0; i < image->group_count; i++)
		for (uint32_t k = 0; k < image->groups[groups[i]].count; k++)
			symbols[count++] = image->groups[groups[i]].first + k;
	while (count < image->symbol_count)
		symbols[count] = (uint32_t)count, count++;
	write_strings(image, symbols, place, variant);
	write_symbols(image, symbols, place, layout, variant);
	free(groups);
	free(symbols);
	free(place);
}
