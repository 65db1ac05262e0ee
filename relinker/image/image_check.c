/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/image/image_check.h"

#include <elf.h>
#include <stdbool.h>

static bool lies_inside(uint64_t at, uint64_t bytes, uint64_t length) {
	return at <= length && bytes <= length - at;
}

/* Leading sections lie in their order below the limit; two more atoms follow theirs. */
static bool leading_sections_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	uint64_t at = 0;
	if (n->leading_end < n->leading || n->leading_end >= UINT32_MAX - 2 ||
	    image->atom_count != (size_t)n->leading_end + 2 || !lies_inside(0, n->leading_limit, image->length) ||
	    n->leading_limit > UINT32_MAX / 2)
		return false;
	for (uint32_t i = n->leading; i < n->leading_end; i++) {
		if (image->atoms[i].offset < at ||
		    !lies_inside(image->atoms[i].offset, image->atoms[i].bytes, n->leading_limit))
			return false;
		at = (uint64_t)image->atoms[i].offset + image->atoms[i].bytes;
	}
	return true;
}

/* Output sections lie in the file in their order, and the atoms of one follow those of the one before. */
static bool outputs_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	uint64_t at = 0, next = 1;
	for (int r = 0; r < OUTPUTS; r++) {
		const struct image_output *output = &n->outputs[r];
		if (!output->limit) {
			if (r == OUTPUT_TEXT || output->first || output->units_end || output->end)
				return false;
			continue;
		}
		if (output->first != next || output->units_end < next || output->end < output->units_end ||
		    output->limit > UINT32_MAX / 2)
			return false;
		next = output->end;
		if (r == OUTPUT_TEXT) {
			if (!output->in_file || n->text_end < next || n->text_end >= UINT32_MAX - 2 ||
			    n->segment_end != n->text_end + 1)
				return false;
			next = (uint64_t)n->segment_end + 1;
		}
		if (!output->in_file)
			continue;
		if (output->at < at || !lies_inside(output->at, output->limit, image->length))
			return false;
		at = output->at + output->limit;
	}
	return next == n->leading && leading_sections_fit(image);
}

static bool numbers_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	return image->length <= UINT32_MAX / 2 && outputs_fit(image) &&
	       lies_inside(n->build_id, n->build_id_bytes, image->length) &&
	       lies_inside(n->relocations, (uint64_t)n->relocation_count * sizeof(Elf64_Rela), image->length);
}

static bool atom_fits(const struct image *image, uint32_t index) {
	const struct atom *atom = &image->atoms[index];
	const struct image_output *output = image_output_of(image, index);
	return atom->align && !(atom->align & (atom->align - 1)) &&
	       (!index                           ? !atom->offset && !atom->bytes
	        : index < image->numbers.leading ? lies_inside(atom->offset, atom->bytes, output->limit)
	                                         : atom->offset <= UINT32_MAX / 2);
}

/* The units of an output section share its atoms up to units_end among them, each atom once. Units elsewhere have
 * no atoms. */
static bool units_fit(const struct image *image) {
	size_t with_atoms = 0;
	for (size_t i = 0; i < image->unit_count; i++)
		with_atoms += image->units[i].count > 0;
	for (int r = 0; r < OUTPUTS; r++) {
		const struct image_output *output = &image->numbers.outputs[r];
		uint64_t next = output->first;
		for (size_t i = 0; i < image->unit_count; i++) {
			const struct atom_run *unit = &image->units[i];
			if (!unit->count || unit->first < output->first || unit->first >= output->units_end)
				continue;
			if (unit->first != next)
				return false;
			next += unit->count;
			with_atoms--;
		}
		if (next != output->units_end)
			return false;
	}
	return !with_atoms;
}

static bool atoms_fit(const struct image *image) {
	for (uint32_t i = 0; i < image->atom_count; i++)
		if (!atom_fits(image, i))
			return false;
	return units_fit(image);
}

static bool site_fits(const struct image *image, const struct patch_site *site, unsigned width) {
	if (site->atom >= image->atom_count || site->target >= image->atom_count)
		return false;
	if (site->atom >= image->numbers.leading)
		return false;
	if (!site->atom)
		return lies_inside(site->at, width, image->length);
	const struct atom *atom = &image->atoms[site->atom];
	const struct image_output *output = image_output_of(image, site->atom);
	uint64_t start = output->at + atom->offset;
	return output->in_file && site->at >= start && lies_inside(site->at - start, width, atom->bytes);
}

static bool sites_fit(const struct image *image) {
	for (int kind = 0; kind < PATCH_KINDS; kind++)
		for (size_t i = 0; i < image->site_count[kind]; i++)
			if (!site_fits(image, &image->sites[kind][i], kind == PATCH_PC32 || kind == PATCH_ABS32 ? 4 : 8))
				return false;
	return true;
}

static bool frames_fit(const struct image *image) {
	const struct image_numbers *n = &image->numbers;
	if (!image->frame_count)
		return true;
	uint32_t next = n->first_frame;
	for (uint32_t i = 1; i <= n->outputs[OUTPUT_TEXT].end; i++) {
		if (image->atoms[i].frame < next || (i == 1 && image->atoms[i].frame != next))
			return false;
		next = image->atoms[i].frame;
	}
	for (size_t i = 0; i < image->frame_count; i++)
		if (image->frames[i].atom >= image->atom_count)
			return false;
	return next == n->last_frame && n->last_frame <= image->frame_count &&
	       lies_inside(n->frame_table, 8 * (uint64_t)image->frame_count, image->length);
}

static bool names_fit(const struct image *image) {
	uint64_t bytes = 1;
	for (size_t i = 0; i < image->root_count; i++) {
		if (!lies_inside(image->roots[i].offset, image->roots[i].bytes, image->numbers.strtab_bytes))
			return false;
		bytes += image->roots[i].bytes;
	}
	return !image->root_count || (bytes <= image->numbers.strtab_bytes &&
	                              lies_inside(image->numbers.strtab, image->numbers.strtab_bytes, image->length));
}

static bool visits_fit(const struct image *image) {
	for (size_t i = 0; i < image->visit_count; i++) {
		uint32_t visit = image->visits[i];
		if (visit & VISIT_REGION ? (visit & ~(uint32_t)VISIT_REGION) >= OUTPUTS : visit >= image->group_count)
			return false;
	}
	return true;
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
	return next <= image->symbol_count && visits_fit(image) &&
	       lies_inside(n->symtab, image->symbol_count * sizeof(Elf64_Sym), image->length) && names_fit(image);
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
