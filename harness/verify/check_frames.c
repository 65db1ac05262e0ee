/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/verify/checks.h"

#include <inttypes.h>
#include <string.h>

/* The header of .eh_frame_hdr as linkers write it. Another header in the program is not checked here; the
 * comparison with the bytes that the plan makes covers it. */
enum { VERSION = 1, POINTER = 0x1b, COUNT = 0x03, TABLE = 0x3b, HEADER_BYTES = 12, ENTRY_BYTES = 8 };

struct table {
	const uint8_t *bytes;
	uint64_t address;
	uint32_t count;
};

static uint32_t read_word(const uint8_t *bytes) {
	uint32_t word;
	memcpy(&word, bytes, sizeof word);
	return word;
}

/* The address that a signed 32-bit distance from address leads to. */
static uint64_t resolve_distance(uint64_t address, const uint8_t *bytes) {
	return address + (uint64_t)(int64_t)(int32_t)read_word(bytes);
}

/* False if there is no search table, or a malformed one, which is a finding. */
static bool open_table(const struct verify_image *image, struct table *table, struct ifr_buffer *finding) {
	static const uint8_t usual[] = {VERSION, POINTER, COUNT, TABLE};
	const struct image_section *section = image_section_named(image, ".eh_frame_hdr");
	const struct image_section *frames = image_section_named(image, ".eh_frame");
	if (!section || !section->data)
		return false;
	*table = (struct table){section->data->d_buf, section->header.sh_addr, 0};
	uint64_t length = section->data->d_size;
	if (length < HEADER_BYTES || memcmp(table->bytes, usual, sizeof usual)) {
		ifr_buffer_puts(finding, ".eh_frame_hdr does not begin as a linker writes it");
		return false;
	}
	table->count = read_word(table->bytes + 8);
	if (!frames || resolve_distance(table->address + 4, table->bytes + 4) != frames->header.sh_addr)
		ifr_buffer_puts(finding, ".eh_frame_hdr does not lead to .eh_frame");
	else if (table->count > (length - HEADER_BYTES) / ENTRY_BYTES)
		ifr_buffer_printf(finding, ".eh_frame_hdr is too short for its %" PRIu32 " entries", table->count);
	return !finding->length;
}

/* Whether .eh_frame holds, at address `at`, a frame for code from begin on. */
static bool has_frame(const struct verify_image *image, uint64_t begin, uint64_t at) {
	size_t low = 0, high = image->frame_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct image_frame *frame = &image->frames[middle];
		if (frame->begin < begin || (frame->begin == begin && frame->at < at))
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->frame_count && image->frames[low].begin == begin && image->frames[low].at == at;
}

static void check_table(const struct verify_image *image, struct ifr_buffer *finding) {
	struct table table;
	uint64_t last = 0;
	if (!open_table(image, &table, finding))
		return;
	if (table.count != image->frame_count)
		ifr_buffer_printf(finding, ".eh_frame_hdr has %" PRIu32 " entries for %zu frames", table.count,
		                  image->frame_count);
	for (uint32_t i = 0; i < table.count && !finding->length; i++) {
		const uint8_t *entry = table.bytes + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
		uint64_t begin = resolve_distance(table.address, entry), at = resolve_distance(table.address, entry + 4);
		if (i && begin <= last)
			ifr_buffer_printf(finding, ".eh_frame_hdr is not sorted at its entry %" PRIu32, i);
		else if (!has_frame(image, begin, at))
			ifr_buffer_printf(
				finding, "entry %" PRIu32 " of .eh_frame_hdr (0x%" PRIx64 ") is no frame of .eh_frame", i, begin);
		last = begin;
	}
}

/* Checks that the frame of each function covers it as in the base. */
static void check_coverage(const struct verify_image *base, const struct verify_image *variant,
                           struct ifr_buffer *finding) {
	for (size_t i = 0; i < base->placed_count && !finding->length; i++) {
		const struct image_symbol *was = base->placed[i];
		const struct image_symbol *is = &variant->symbols.items[was - base->symbols.items];
		const struct image_frame *wanted = image_frame_at(base, was->value);
		if (!image_symbol_is_function(was) || !wanted)
			continue;
		const struct image_frame *got = image_frame_at(variant, is->value);
		if (!got)
			ifr_buffer_printf(finding, "%.80s at 0x%" PRIx64 " has no frame", is->name, is->value);
		else if (is->value - got->begin != was->value - wanted->begin || got->bytes != wanted->bytes)
			ifr_buffer_printf(finding, "the frame of %.80s covers 0x%" PRIx64 " to 0x%" PRIx64, is->name,
			                  got->begin, got->begin + got->bytes);
	}
}

void check_frames(const struct verify_image *base, const struct verify_image *variant,
                  struct ifr_buffer *finding) {
	struct ifr_buffer own = {0};
	check_table(base, &own);
	/* A variant need not keep rules that the program's own table breaks. */
	if (!own.length)
		check_table(variant, finding);
	ifr_buffer_release(&own);
	if (!finding->length && base->frame_count != variant->frame_count)
		ifr_buffer_printf(finding, ".eh_frame has %zu frames instead of %zu", variant->frame_count,
		                  base->frame_count);
	if (!finding->length)
		check_coverage(base, variant, finding);
}
