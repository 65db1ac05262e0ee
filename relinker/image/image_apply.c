/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a variant from an image.
 *
 * Problem: a campaign needs hundreds of layouts of one program, and a link for each is slow.
 *
 * Idea: relocations are a list of the fields that depend on addresses. The image holds a program that is linked
 * already, and each patch site says which atom holds a field and which atom the field points into. A layout gives
 * each atom a displacement d from its address in the image, so a field needs no symbol and no addend, only
 *
 *     absolute field          += d(target)
 *     pc-relative field       += d(target) - d(atom that holds the field)
 *
 * in the width of the field, modulo 2^32 or 2^64. File offsets move as addresses do, because atoms stay inside
 * their segments. Steps: copy the rest of the file, copy atoms to their new offsets (image_layout.c), patch
 * fields, write the tables whose order depends on the layout again (image_eh_frame_hdr.c, image_symtab.c,
 * image_relocations.c), write the build-id, move the leading sections (image_leading_sections.c).
 *
 * Invariant: the variant equals ld.bfd's link of the same placement, byte for byte. It holds because (1) a field
 * that is no patch site depends on no address that moves: preparing compares each field with the value that its
 * relocation and the map imply, and pins the two units where they disagree (prepare_patch_sites.c); (2) atoms stay
 * inside their output sections, whose sizes are fixed, so a 32-bit field overflows only in a program that spans
 * nearly 2 GiB; (3) preparing ends with a link in another order that the image must reproduce (prepare_check.c).
 *
 * Gain: 0.1 to 0.4 ms a layout for lua, gawk and sqlite3, where it was a whole link. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

static uint32_t load32(const uint8_t *at) {
	uint32_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static uint64_t load64(const uint8_t *at) {
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static void patch32(const struct image *image, const uint64_t *displacement, uint8_t *variant,
                    enum patch_kind kind, uint64_t own) {
	const struct patch_site *sites = image->sites[kind];
	for (size_t i = 0; i < image->site_count[kind]; i++) {
		uint8_t *at = variant + sites[i].at + displacement[sites[i].atom];
		uint32_t value =
			load32(at) + (uint32_t)(displacement[sites[i].target] - (displacement[sites[i].atom] & own));
		memcpy(at, &value, sizeof value);
	}
}

static void patch64(const struct image *image, const uint64_t *displacement, uint8_t *variant,
                    enum patch_kind kind, uint64_t own) {
	const struct patch_site *sites = image->sites[kind];
	for (size_t i = 0; i < image->site_count[kind]; i++) {
		uint8_t *at = variant + sites[i].at + displacement[sites[i].atom];
		uint64_t value = load64(at) + displacement[sites[i].target] - (displacement[sites[i].atom] & own);
		memcpy(at, &value, sizeof value);
	}
}

static int check_pins(const struct image *image, const uint64_t *displacement, struct ifr_error *err) {
	for (size_t i = 0; i < image->pin_count; i++)
		if (displacement[image->pins[i].atom] || displacement[image->pins[i].target])
			return ifr_fail(err, IFR_E_ENVIRONMENT, "this layout moves a pinned unit");
	return 0;
}

static int hex_digit(char c) {
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int write_build_id(const struct image *image, const char *hex, uint8_t *variant, struct ifr_error *err) {
	uint32_t bytes = image->numbers.build_id_bytes;
	if (strlen(hex) != 2 * (size_t)bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id is not as long as the program's");
	for (uint32_t i = 0; i < bytes; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id is not in hexadecimal digits");
		variant[image->numbers.build_id + i] = (uint8_t)(high * 16 + low);
	}
	return 0;
}

static bool is_of_output(const struct image *image, size_t index, const struct image_output *output) {
	if (index >= image->unit_count)
		return false;
	const struct atom_run *unit = &image->units[index];
	return unit->first >= output->first && unit->first < output->units_end;
}

static int check_fit(const struct image *image, const struct placement *placement, struct ifr_error *err) {
	const struct layout_sizes *asked = &placement->sizes, *made = &image->numbers.sizes;
	bool fits =
		!memcmp(asked->output_bytes, made->output_bytes, sizeof made->output_bytes) &&
		(asked->interp_bytes == made->interp_bytes ||
	     (asked->interp_bytes > made->interp_bytes && image->numbers.leading < image->numbers.leading_end));
	size_t count = 0;
	for (int r = 0; r < OUTPUTS; r++) {
		const struct placed_output *placed = &placement->outputs[r];
		fits &= !placed->order == !image->numbers.outputs[r].limit;
		count += placed->count;
		for (size_t i = 0; fits && placed->order && i < placed->count; i++)
			fits = is_of_output(image, placed->order[i].unit, &image->numbers.outputs[r]);
	}
	return fits && count <= image->unit_count
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "the image was prepared for other sizes");
}

/* Copies the bytes outside of the output sections that are laid out. */
static void copy_around(const struct image *image, uint8_t *bytes) {
	uint64_t done = 0;
	for (int r = 0; r < OUTPUTS; r++) {
		const struct image_output *output = &image->numbers.outputs[r];
		if (!output->limit || !output->in_file)
			continue;
		memcpy(bytes + done, image->bytes + done, output->at - done);
		done = output->at + output->limit;
	}
	memcpy(bytes + done, image->bytes + done, image->length - done);
}

static void apply_patches(const struct image *image, const struct atom_layout *layout, uint8_t *bytes) {
	patch32(image, layout->displacement, bytes, PATCH_PC32, UINT64_MAX);
	patch64(image, layout->displacement, bytes, PATCH_PC64, UINT64_MAX);
	patch32(image, layout->displacement, bytes, PATCH_ABS32, 0);
	patch64(image, layout->displacement, bytes, PATCH_ABS64, 0);
	image_write_eh_frame_hdr(image, layout, bytes);
	image_write_symtab(image, layout, bytes);
	image_sort_relocations(image, bytes);
}

int image_apply(const struct image *image, const struct placement *placement, const char *build_id,
                struct ifr_buffer *variant, struct ifr_error *err) {
	int result = check_fit(image, placement, err);
	if (result)
		return result;
	if (variant->capacity <= image->length)
		variant->data = ifr_realloc(variant->data, variant->capacity = image->length + 1, 1);
	variant->length = image->length;
	variant->data[image->length] = '\0';
	uint8_t *bytes = (uint8_t *)variant->data;
	struct atom_layout layout = {
		.displacement = ifr_alloc(image->atom_count * sizeof *layout.displacement),
		.order = ifr_alloc(image->atom_count * sizeof *layout.order),
	};
	copy_around(image, bytes);
	result = image_lay_out(image, placement, bytes, &layout, err);
	if (!result)
		result = check_pins(image, layout.displacement, err);
	if (!result) {
		apply_patches(image, &layout, bytes);
		result = write_build_id(image, build_id, bytes, err);
		image_move_leading_sections(image, &layout, bytes);
	}
	free(layout.displacement);
	free(layout.order);
	return result;
}
