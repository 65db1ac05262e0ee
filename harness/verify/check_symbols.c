/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/verify/checks.h"

#include <inttypes.h>
#include <string.h>

static bool same_symbol(const struct image_symbol *a, const struct image_symbol *b) {
	return !strcmp(a->name, b->name) && a->type == b->type && a->binding == b->binding && a->size == b->size;
}

static void compare_tables(const char *table, const struct image_symbols *base,
                           const struct image_symbols *variant, struct ifr_buffer *finding) {
	if (base->count != variant->count) {
		ifr_buffer_printf(finding, "%s has %zu symbols instead of %zu", table, variant->count, base->count);
		return;
	}
	for (size_t i = 0; i < base->count; i++) {
		const struct image_symbol *a = &base->items[i], *b = &variant->items[i];
		if (same_symbol(a, b))
			continue;
		ifr_buffer_printf(finding,
		                  "%s has \"%.80s\" (type %u, %" PRIu64 " bytes, binding %u) where the program has "
		                  "\"%.80s\" (type %u, %" PRIu64 " bytes, binding %u)",
		                  table, b->name, b->type, b->size, b->binding, a->name, a->type, a->size, a->binding);
		return;
	}
}

void check_symbols(const struct verify_image *base, const struct verify_image *variant,
                   struct ifr_buffer *finding) {
	compare_tables(".symtab", &base->symbols, &variant->symbols, finding);
	if (!finding->length)
		compare_tables(".dynsym", &base->dynamic_symbols, &variant->dynamic_symbols, finding);
}

static bool lies_in_section(const struct verify_image *image, const struct image_symbol *symbol) {
	if (symbol->section >= image->section_count)
		return false;
	const GElf_Shdr *section = &image->sections[symbol->section].header;
	return symbol->value >= section->sh_addr && symbol->value - section->sh_addr <= section->sh_size &&
	       symbol->size <= section->sh_size - (symbol->value - section->sh_addr);
}

/* Whether two symbols of the variant overlap in the base by as much. */
static bool shared_in_base(const struct verify_image *base, const struct verify_image *variant,
                           const struct image_symbol *a, const struct image_symbol *b) {
	const struct image_symbol *was_a = &base->symbols.items[a - variant->symbols.items];
	const struct image_symbol *was_b = &base->symbols.items[b - variant->symbols.items];
	return was_b->value - was_a->value == b->value - a->value;
}

void check_functions(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding) {
	const struct image_symbol *last = NULL;
	for (size_t i = 0; i < variant->placed_count && !finding->length; i++) {
		const struct image_symbol *symbol = variant->placed[i];
		if (!image_symbol_is_function(symbol))
			continue;
		if (!lies_in_section(variant, symbol))
			ifr_buffer_printf(finding, "%.80s at 0x%" PRIx64 " does not lie in its section", symbol->name,
			                  symbol->value);
		else if (last && symbol->size && symbol->value - last->value < last->size &&
		         !shared_in_base(base, variant, last, symbol))
			ifr_buffer_printf(finding, "%.80s and %.80s overlap at 0x%" PRIx64, last->name, symbol->name,
			                  symbol->value);
		if (!last || symbol->value + symbol->size > last->value + last->size)
			last = symbol;
	}
}
