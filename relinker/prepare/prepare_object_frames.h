/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unwind frames of the objects, before the linker merged them. */
#ifndef IFR_RELINKER_PREPARE_OBJECT_FRAMES_H
#define IFR_RELINKER_PREPARE_OBJECT_FRAMES_H

#include "relinker/prepare/prepare.h"

/* The code of a frame: its atom and its address in the program. */
struct object_frame {
	uint32_t atom;
	uint64_t address;
};

struct object_frames {
	struct object_frame *items;
	size_t count, capacity;
};

/* Collects the frames of moving code in the order of the program's .eh_frame. The caller frees items. */
void object_frames_collect(const struct preparation *preparation, struct object_frames *frames);

#endif
