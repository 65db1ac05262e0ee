/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine that works in memory: a prepared image of the linked program, from which a variant is made by copying
 * units to their new places and patching whatever depends on an address.
 *
 * An image is made for one size of each output (relinker/units.h) and one length of the interpreter path; then
 * only the outputs' insides move from variant to variant. (Where the units' alignments make .text a few bytes
 * longer, executable sections behind it follow.) What it makes is what ld_engine links for the same placement,
 * byte for byte: preparing ends with a link of another order, and an image that does not reproduce it is refused.
 */
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
	size_t units;       /* in the outputs that it moves */
	size_t movable;     /* of them, those that may come to lie anywhere */
	size_t sites;       /* that are patched */
};

/* Links the program for these sizes and reads all that is needed to move its units; script is the base link's.
 * Errors: IFR_E_ENVIRONMENT with the reason why the program cannot be moved in memory. */
int image_prepare(const struct ld_engine *engine, const struct units *units, const char *script,
                  const struct layout_sizes *sizes, struct image **image, struct ifr_error *err);
void image_close(struct image *image);
void image_describe(const struct image *image, struct image_info *info);

/* The reasons why the image pins units, a line each: "UNIT: reason". */
void image_print_pins(const struct image *image, const struct units *units, struct ifr_buffer *text);

/* The most bytes by which the interpreter path may be longer than the program's in this image. */
uint64_t image_longest_path(const struct image *image);

/* Marks the units that must stay where they ship, count of all units; NULL if there are none. The caller frees. */
uint8_t *image_held(const struct image *image);

/* Makes a variant in memory, in place of what the buffer held. build_id in hexadecimal, as long as the original's.
 * May be called by several threads at once, each with its own buffer. Errors: IFR_E_ENVIRONMENT if the placement
 * asks for what this image cannot do (another size, a pinned unit elsewhere): ld_engine can. */
int image_apply(const struct image *image, const struct placement *placement, const char *build_id,
                struct ifr_buffer *variant, struct ifr_error *err);

/* An image's own file: versioned, with a SHA-256 over all of it. Loading checks every field, and that the image
 * was made of these units. */
int image_save(const struct image *image, const char *path, struct ifr_error *err);
int image_load(const char *path, const struct units *units, struct image **image, struct ifr_error *err);

#endif
