/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file that the new link reads. */
#ifndef IFR_UNLINKER_OBJECT_H
#define IFR_UNLINKER_OBJECT_H

#include "common/buffer.h"
#include "unlinker/references.h"

/* Writes the object file of all parts, units and references into bytes. Errors: IFR_E_USAGE for a reference to a symbol
 * that lies nowhere. */
struct frames;
int object_make(const struct program *program, const struct split_units *units, const struct frames *frames,
                struct references *references, struct ifr_buffer *bytes, struct ifr_error *err);

#endif
