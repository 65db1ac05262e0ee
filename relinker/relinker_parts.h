/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The insides of relinkers and layouts. */
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
	struct ifr_error unread; /* why the objects are unreadable; code 0 if they are not */
	bool reproduces;
	char *reason;
};

struct ifr_relinker_layout {
	const struct ifr_relinker *relinker;
	struct ifr_plan plan;
	bool shipped; /* no axis is on, and no place is given */
	struct placement placement;
	const struct image *image; /* NULL if only ld.bfd can make the variant, for the reason in refused */
	struct ifr_error refused;
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1];
};

/* Links the layout with ld.bfd at path and reads the file; replaces the buffer's contents. */
int layout_link(const struct ifr_relinker_layout *layout, const char *path, struct ifr_buffer *bytes,
                struct ifr_error *err);

/* Appends a line for each axis that is on. */
void layout_print_facts(const struct ifr_relinker_layout *layout, const struct ifr_buffer *bytes,
                        struct ifr_buffer *facts);

#endif
