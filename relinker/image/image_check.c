/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/image/image_check.h"

#include <elf.h>
#include <stdbool.h>

static bool inside(uint64_t at, uint64_t bytes, uint64_t length) {
	return at <= length && bytes <= length - at;
}

/* Numbers that stand for tables of other sizes, and the order of the atoms' kinds. */
static bool numbers_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	return image->length <= UINT32_MAX / 2 && inside(n->text_offset, n->limit, image->length) &&
	       n->movable_end >= 1 && n->movable_end <= n->tail && n->tail <= n->text_end &&
	       n->text_end < UINT32_MAX - 2 && n->end == n->text_end + 1 && image->atom_count == (size_t)n->end + 1 &&
	       inside(n->build_id, n->build_id_bytes, image->length);
}

static bool atoms_fit(const struct image *image) {
	if (image->atoms[0].offset || image->atoms[0].bytes)
		return false;
	for (size_t i = 0; i < image->atom_count; i++) {
		const struct atom *atom = &image->atoms[i];
		if (!atom->align || atom->align & (atom->align - 1) ||
		    !inside(atom->offset, atom->bytes, image->numbers.limit))
			return false;
	}
	/* Units have the atoms up to movable_end, each its own. */
	uint64_t next = 1;
	for (size_t i = 0; i < image->unit_count; i++) {
		if (image->units[i].first != next)
			return false;
		next += image->units[i].count;
	}
	return next == image->numbers.movable_end;
}

static bool sites_fit(const struct image *image) {
	for (int kind = 0; kind < SITE_KINDS; kind++) {
		unsigned width = kind == SITE_PC32 || kind == SITE_ABS32 ? 4 : 8;
		for (size_t i = 0; i < image->site_count[kind]; i++) {
			const struct site *site = &image->sites[kind][i];
			if (site->atom >= image->atom_count || site->target >= image->atom_count)
				return false;
			const struct atom *atom = &image->atoms[site->atom];
			uint64_t start = image->numbers.text_offset + atom->offset;
			if (site->atom ? site->at < start || !inside(site->at - start, width, atom->bytes)
			               : !inside(site->at, width, image->length))
				return false;
		}
	}
	return true;
}

static bool frames_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	if (!image->frame_count)
		return true;
	uint32_t next = n->first_frame;
	for (uint32_t i = 1; i <= n->tail; i++) {
		if (image->atoms[i].frame < next || (i == 1 && image->atoms[i].frame != next))
			return false;
		next = image->atoms[i].frame;
	}
	for (size_t i = 0; i < image->frame_count; i++)
		if (image->frames[i].atom >= image->atom_count)
			return false;
	return next == n->last_frame && n->last_frame <= image->frame_count &&
	       inside(n->frame_table, 8 * (uint64_t)image->frame_count, image->length);
}

static bool names_fit(const struct image *image) {
	uint64_t bytes = 1;
	for (size_t i = 0; i < image->root_count; i++) {
		if (!inside(image->roots[i].offset, image->roots[i].bytes, image->numbers.strtab_bytes))
			return false;
		bytes += image->roots[i].bytes;
	}
	return !image->root_count || (bytes <= image->numbers.strtab_bytes &&
	                              inside(image->numbers.strtab, image->numbers.strtab_bytes, image->length));
}

static bool symbols_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	if (!image->symbol_count)
		return true;
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct image_symbol *symbol = &image->symbols[i];
		if (symbol->atom >= image->atom_count || (symbol->root != IMAGE_NONE && symbol->root >= image->root_count))
			return false;
	}
	uint64_t next = image->group_count ? image->groups[0].first : 0;
	for (size_t i = 0; i < image->group_count; i++) {
		if (image->groups[i].first != next)
			return false;
		next += image->groups[i].count;
	}
	return next <= image->symbol_count && (uint64_t)n->early_groups + n->moving_groups <= image->group_count &&
	       inside(n->symtab, image->symbol_count * sizeof(Elf64_Sym), image->length) && names_fit(image);
}

static bool pins_fit(const struct image *image) {
	for (size_t i = 0; i < image->pin_count; i++)
		if (image->pins[i].atom >= image->atom_count || image->pins[i].target >= image->atom_count ||
		    image->pins[i].reason >= PIN_REASONS)
			return false;
	return true;
}

const char *image_fault(const struct image *image) {
	return !numbers_fit(image)   ? "its numbers do not fit"
	       : !atoms_fit(image)   ? "its atoms do not fit"
	       : !sites_fit(image)   ? "its sites do not fit"
	       : !frames_fit(image)  ? "its frames do not fit"
	       : !symbols_fit(image) ? "its symbols do not fit"
	       : !pins_fit(image)    ? "its pins do not fit"
	                             : NULL;
}
