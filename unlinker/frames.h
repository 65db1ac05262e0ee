/* SPDX-License-Identifier: GPL-3.0-or-later */
/* .eh_frame: its entries, and the section without the linker's own (of .plt), which the new link makes again.
 *
 * Linkers join and drop entries, and not all of them keep the relocations at their places (lld does not). The
 * pointers of an entry are distances to places that can be computed; relocations are needed only for the names of
 * imported symbols. */
#ifndef IFR_UNLINKER_FRAMES_H
#define IFR_UNLINKER_FRAMES_H

#include "common/buffer.h"
#include "unlinker/references.h"

struct frame_pointer {
	uint32_t at; /* an offset in the section */
	uint8_t encoding;
};

/* A description of code, or a CIE, the part that descriptions share. */
struct frame {
	uint32_t at, bytes; /* with its length field */
	uint32_t cie;       /* of a description: the offset of its CIE */
	bool is_cie;
	bool kept;             /* the code that it describes is kept */
	uint64_t start, range; /* of a description */
	struct frame_pointer pointers[2];
	unsigned pointer_count;
};

struct frames {
	const struct part *part; /* NULL without the section */
	struct frame *items;
	size_t count;
};

/* Reads the section. Errors: IFR_E_USAGE for a section that cannot be read. */
int frames_read(const struct program *program, struct frames *frames, struct ifr_error *err);
void frames_release(struct frames *frames);
/* Adds the references of all entries that are kept. Errors: IFR_E_USAGE for one that cannot be shown. */
int frames_add_references(const struct program *program, const struct split_units *units,
                          const struct frames *frames, struct references *references, struct ifr_error *err);
/* Copies the entries that are kept. moved: for each byte of the section its offset in the copy, UINT32_MAX for those left
 * out; the caller frees it. */
void frames_copy(const struct frames *frames, struct ifr_buffer *copy, uint32_t **moved);

#endif
