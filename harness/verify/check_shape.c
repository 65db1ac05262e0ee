/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/verify/checks.h"

#include <inttypes.h>
#include <string.h>

static bool power_of_two(uint64_t number) {
	return number && !(number & (number - 1));
}

static bool misaligned(uint64_t address, uint64_t offset, uint64_t alignment) {
	return power_of_two(alignment) && ((address - offset) & (alignment - 1));
}

static void compare_headers(const struct verify_image *base, const struct verify_image *variant,
                            struct ifr_buffer *finding) {
	const GElf_Ehdr *a = &base->header, *b = &variant->header;
	if (a->e_type != b->e_type || a->e_machine != b->e_machine || memcmp(a->e_ident, b->e_ident, EI_NIDENT))
		ifr_buffer_printf(finding, "it is an ELF file of type %u for machine %u, not of type %u for %u", b->e_type,
		                  b->e_machine, a->e_type, a->e_machine);
	else if (base->section_count != variant->section_count)
		ifr_buffer_printf(finding, "it has %zu sections instead of %zu", variant->section_count,
		                  base->section_count);
	else if (base->segment_count != variant->segment_count)
		ifr_buffer_printf(finding, "it has %zu program headers instead of %zu", variant->segment_count,
		                  base->segment_count);
}

static bool compare_section(const struct image_section *base, const struct image_section *variant, size_t number,
                            struct ifr_buffer *finding) {
	const GElf_Shdr *a = &base->header, *b = &variant->header;
	if (strcmp(base->name, variant->name))
		ifr_buffer_printf(finding, "section %zu is \"%.60s\" instead of %.60s", number, variant->name, base->name);
	else if (a->sh_type != b->sh_type || a->sh_flags != b->sh_flags)
		ifr_buffer_printf(finding, "section %.60s has another type or other flags", base->name);
	else if (b->sh_flags & SHF_ALLOC && misaligned(b->sh_addr, 0, b->sh_addralign))
		ifr_buffer_printf(finding, "section %.60s at 0x%" PRIx64 " is not aligned to %" PRIu64, base->name,
		                  b->sh_addr, b->sh_addralign);
	return !finding->length;
}

static bool compare_segment(const GElf_Phdr *a, const GElf_Phdr *b, size_t number, struct ifr_buffer *finding) {
	if (a->p_type != b->p_type || a->p_flags != b->p_flags)
		ifr_buffer_printf(finding, "program header %zu is of kind 0x%x with flags %u instead of 0x%x with %u",
		                  number, b->p_type, b->p_flags, a->p_type, a->p_flags);
	else if (b->p_type == PT_LOAD && misaligned(b->p_vaddr, b->p_offset, b->p_align))
		ifr_buffer_printf(finding, "program header %zu: address and file offset do not fit its alignment", number);
	return !finding->length;
}

void check_shape(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding) {
	compare_headers(base, variant, finding);
	if (finding->length)
		return;
	for (size_t i = 0; i < base->section_count; i++)
		if (!compare_section(&base->sections[i], &variant->sections[i], i, finding))
			return;
	for (size_t i = 0; i < base->segment_count; i++)
		if (!compare_segment(&base->segments[i], &variant->segments[i], i, finding))
			return;
}
