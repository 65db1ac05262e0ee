/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What relinkers and layouts are made of. */
#ifndef IFR_RELINKER_RELINKER_PARTS_H
#define IFR_RELINKER_RELINKER_PARTS_H

#include "relinker/image/image_store.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement/placement.h"
#include "relinker/relinker.h"
#include "relinker/sections.h"
#include "relinker/units.h"

struct ifr_relinker {
	const struct ifr_kit *kit;
	struct ld_engine engine;
	struct ifr_buffer script; /* of the base link */
	struct units units;
	struct sections sections; /* of the base layout */
	struct ifr_buffer base;   /* the program in it */
	struct image_store *images;
	struct ifr_error unread; /* why the objects could not be read, if so */
	bool reproduces;
	char *reason;
};

struct ifr_relinker_layout {
	const struct ifr_relinker *relinker;
	struct ifr_plan plan;
	bool shipped; /* no axis is on, and no place is given */
	struct placement placement;
	const struct image *image; /* NULL: only ld.bfd can make it, for the reason in refused */
	struct ifr_error refused;
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1];
};

/* Has ld.bfd make the layout's file at path, and reads it, in place of what the buffer held. */
int layout_link(const struct ifr_relinker_layout *layout, const char *path, struct ifr_buffer *bytes,
                struct ifr_error *err);

/* What each axis did, a line each. */
void layout_print_facts(const struct ifr_relinker_layout *layout, const struct ifr_buffer *bytes,
                        struct ifr_buffer *facts);

#endif
