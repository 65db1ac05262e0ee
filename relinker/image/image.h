/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The in-memory engine. A prepared image holds the linked program and the list of all its fields that depend on an
 * address; a variant is a copy of the image with its units in another order and these fields patched.
 *
 * An image serves one size of each output section (relinker/units.h) and one page count of the leading sections:
 * only the insides of the output sections change from variant to variant. (Where the units' alignments make .text
 * a few bytes longer, the executable sections behind it follow.) The bytes equal those that ld_engine links for
 * the same placement: preparing ends with a link in another order, and an image that does not reproduce it is
 * refused. */
#ifndef IFR_RELINKER_IMAGE_H
#define IFR_RELINKER_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement/placement.h"
#include "relinker/units.h"

struct image;

struct image_info {
	struct layout_sizes sizes;
	size_t image_bytes; /* of the program */
	size_t units;       /* in the output sections that it lays out */
	size_t movable;     /* units that no pin keeps in place */
	size_t sites;       /* patch sites */
};

/* Links the program for these sizes by the base link's script and prepares its image. Errors: IFR_E_ENVIRONMENT
 * with the reason why the program cannot be laid out in memory. */
int image_prepare(const struct ld_engine *engine, const struct units *units, const char *script,
                  const struct layout_sizes *sizes, struct image **image, struct ifr_error *err);
void image_close(struct image *image);
void image_describe(const struct image *image, struct image_info *info);

/* Appends a line "UNIT: reason" for each pin. */
void image_print_pins(const struct image *image, const struct units *units, struct ifr_buffer *text);

/* The most bytes by which a variant's interpreter path may be longer than the program's. */
uint64_t image_longest_path(const struct image *image);

/* Returns a mark for every unit, 1 for units that must stay where they ship; NULL if all may move. The caller
 * frees. */
uint8_t *image_pinned_units(const struct image *image);

/* Makes a variant in the buffer and replaces its contents. build_id is hexadecimal and as long as the original's.
 * Several threads may call this at once, each with its own buffer. Errors: IFR_E_ENVIRONMENT if the placement
 * needs another size or moves a pinned unit; ld_engine can link it. */
int image_apply(const struct image *image, const struct placement *placement, const char *build_id,
                struct ifr_buffer *variant, struct ifr_error *err);

/* Saves and loads an image's file, which carries a version and a SHA-256 of its contents. Loading checks every
 * field, and that the image was made of these units. */
int image_save(const struct image *image, const char *path, struct ifr_error *err);
int image_load(const char *path, const struct units *units, struct image **image, struct ifr_error *err);

#endif
