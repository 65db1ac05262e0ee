/* SPDX-License-Identifier: GPL-3.0-or-later */
/* .eh_frame: the ranges of code that it describes, and the section without the linker's own descriptions (of .plt),
 * which have no relocations and which the new link makes again. */
#ifndef IFR_UNLINKER_FRAMES_H
#define IFR_UNLINKER_FRAMES_H

#include "common/buffer.h"
#include "unlinker/program.h"

/* Calls visit for each description with a relocation. Errors: IFR_E_USAGE for a section that cannot be read. */
int frames_visit(const struct program *program, void (*visit)(uint64_t start, uint64_t bytes, void *data),
                 void *data, struct ifr_error *err);

/* Copies the section without descriptions that have no relocation. moved: for each byte of the section its offset in the
 * copy, UINT32_MAX for those left out; the caller frees it. */
int frames_copy(const struct program *program, const struct part *frames, struct ifr_buffer *copy, uint32_t **moved,
                struct ifr_error *err);

#endif
