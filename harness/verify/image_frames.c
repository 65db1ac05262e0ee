/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading .eh_frame. Ref: Linux Standard Base Core 5.0, sections 10.6.1 and 10.5 (DWARF exception header
 * encoding). */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "harness/verify/image.h"

static unsigned width_of(uint8_t encoding) {
	switch (encoding & 0x0f) {
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	default:
		return 8;
	}
}

/* The encoding of addresses in the frames of a CIE. */
static uint8_t encoding_of(const Dwarf_CIE *cie) {
	const uint8_t *at = cie->augmentation_data, *end = at + cie->augmentation_data_size;
	if (*cie->augmentation != 'z')
		return DW_EH_PE_absptr;
	for (const char *letter = cie->augmentation + 1; *letter && at < end; letter++) {
		if (*letter == 'R')
			return *at;
		if (*letter == 'P')
			at += 1 + width_of(*at);
		else if (*letter == 'L')
			at++;
	}
	return DW_EH_PE_absptr;
}

static uint64_t read_wide(const uint8_t *at, unsigned width, bool is_signed) {
	uint64_t value = 0;
	memcpy(&value, at, width);
	unsigned unused_bits = 64 - 8 * width;
	return is_signed && unused_bits ? (uint64_t)((int64_t)(value << unused_bits) >> unused_bits) : value;
}

static bool read_frame(const struct verify_image *image, const struct image_section *section,
                       const Dwarf_CFI_Entry *entry, struct image_frame *frame) {
	Dwarf_CFI_Entry cie;
	Dwarf_Off next;
	const unsigned char *ident = image->header.e_ident;
	const uint8_t *bytes = section->data->d_buf, *start = entry->fde.start;
	if (dwarf_next_cfi(ident, section->data, true, entry->fde.CIE_pointer, &next, &cie) || !dwarf_cfi_cie_p(&cie))
		return false;
	uint8_t encoding = encoding_of(&cie.cie);
	unsigned width = width_of(encoding);
	if (entry->fde.end - start < 2 * (ptrdiff_t)width)
		return false;
	uint64_t offset = (uint64_t)(start - bytes);
	frame->begin = read_wide(start, width, encoding & DW_EH_PE_signed);
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		frame->begin += section->header.sh_addr + offset;
	frame->bytes = read_wide(start + width, width, false);
	/* After a length and a distance of 4 bytes each: x86-64 compilers never write the 64-bit format here. */
	frame->at = section->header.sh_addr + offset - 8;
	return true;
}

static int by_begin(const void *left, const void *right) {
	const struct image_frame *a = left, *b = right;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

bool image_read_frames(struct verify_image *image, const struct image_section *section) {
	if (!section || !section->data)
		return true;
	/* A frame has at least 16 bytes. */
	size_t room = section->data->d_size / 16 + 1;
	image->frames = ifr_alloc(room * sizeof *image->frames);
	Dwarf_Off offset = 0, next = 0;
	Dwarf_CFI_Entry entry;
	int status;
	while (!(status = dwarf_next_cfi(image->header.e_ident, section->data, true, offset, &next, &entry))) {
		if (!dwarf_cfi_cie_p(&entry) &&
		    (image->frame_count == room ||
		     !read_frame(image, section, &entry, &image->frames[image->frame_count++])))
			return false;
		if (next <= offset)
			break;
		offset = next;
	}
	qsort(image->frames, image->frame_count, sizeof *image->frames, by_begin);
	return status >= 0;
}
