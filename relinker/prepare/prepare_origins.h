/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames that the objects describe. */
#ifndef IFR_RELINKER_PREPARE_ORIGINS_H
#define IFR_RELINKER_PREPARE_ORIGINS_H

#include "relinker/prepare/prepare.h"

/* A frame's first address. */
struct origin {
	uint32_t atom;
	uint64_t address;
};

struct origins {
	struct origin *items;
	size_t count, capacity;
};

/* Adds the frames of what moves in the order of the output's .eh_frame. items is the caller's. */
void origins_collect(const struct preparation *preparation, struct origins *origins);

#endif
