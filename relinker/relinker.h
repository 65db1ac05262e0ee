/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relinker: makes variants of a captured link (kit/kit.h) in other layouts.
 *
 * Symbols are resolved as in the original link: inputs keep their order on the command line, so constructor order,
 * which weak definition wins, which archive member is pulled and the order of __start_/__stop_ arrays never
 * change. What moves are units, after resolution: the input sections that the linker placed in .text, and of data
 * plain ones in .rodata, .data and .bss: never merged constants, common symbols, copies of other libraries'
 * variables, start files.
 *
 * A plan becomes a layout, which says where each unit goes and knows nothing of how the file is made; an engine
 * makes the file from it. There are two, and they make the same bytes: one copies and patches an image of the
 * linked program that was prepared once (relinker/image/image.h), the other links again with ld.bfd
 * (relinker/ld/ld_engine.h). The second takes over what the first refuses, and the facts of a variant say so.
 *
 * Units are known by "OBJECT:SECTION": the object's name without folders ("lapi.o", "liblua.a(lapi.o)"; the source
 * file for the compiler's temporary objects) and its input section, with "#2", "#3", … behind a name that comes
 * again. All seeds are keyed by these names. */
#ifndef IFR_RELINKER_RELINKER_H
#define IFR_RELINKER_RELINKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/plan.h"
#include "kit/kit.h"

struct ifr_relinker;

/* What there is to move in a program. */
struct ifr_relinker_info {
	size_t units;      /* in .text */
	size_t movable;    /* of them, those that axes may move */
	size_t data_units; /* in .rodata, .data and .bss */
	size_t data_movable;
	bool reproduces;    /* linking the kit again unchanged gave the bytes that ship */
	const char *reason; /* why not, "" if it did */
};

/* Where every unit goes under a plan. */
struct ifr_relinker_layout;

/* Links the kit once as it was and reads the units. The kit must outlive the relinker. Errors: IFR_E_ENVIRONMENT
 * if ld.bfd is missing or cannot repeat the link. */
int ifr_relinker_open(const struct ifr_kit *kit, struct ifr_relinker **relinker, struct ifr_error *err);
void ifr_relinker_close(struct ifr_relinker *relinker);
void ifr_relinker_describe(const struct ifr_relinker *relinker, struct ifr_relinker_info *info);

/* A unit of the base layout; name and pin belong to the relinker. */
struct ifr_relinker_unit {
	const char *name;
	const char *file, *member,
		*section; /* the object, or the archive and its member (NULL outside); its section */
	uint64_t address, bytes;
	unsigned align;  /* 0 where it is not known */
	const char *pin; /* why axes do not move it, or NULL */
};

/* The units, by section and address. */
size_t ifr_relinker_unit_count(const struct ifr_relinker *relinker);
void ifr_relinker_unit(const struct ifr_relinker *relinker, size_t index, struct ifr_relinker_unit *unit);

/* Why units are not movable, a line for each reason with its number of units and the first of them; what making
 * images found out so far (ifr_relinker_place) is among them. data: also units of data. */
void ifr_relinker_print_pins(const struct ifr_relinker *relinker, bool data, struct ifr_buffer *text);

/* What a variant is. */
struct ifr_variant {
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1]; /* "" where the original has none */
	struct ifr_buffer facts;                       /* what each axis did, a line each */
};

/* Places the units by a plan; axes of other owners are left to them. Prepares the image, once for each family of
 * layouts: it tells which units must stay. The layout is the caller's, and the relinker must outlive it. This and
 * all below may be called by several threads at once. Errors: IFR_E_USAGE if a place of the plan is impossible. */
int ifr_relinker_place(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                       struct ifr_relinker_layout **layout, struct ifr_error *err);
void ifr_relinker_layout_close(struct ifr_relinker_layout *layout);

/* Writes a layout as places of a plan, which names every unit of the sections that the layout places (of the base
 * layout: of .text): their order, or their addresses. The plan is the caller's to release. Errors:
 * IFR_E_ENVIRONMENT if addresses are asked for and alignments are not known. */
int ifr_relinker_layout_to_plan(const struct ifr_relinker_layout *layout, bool addresses, struct ifr_plan *plan,
                                struct ifr_error *err);

/* A piece of the shipped program, and where it lies in a layout: addresses as its file gives them. */
struct ifr_relinker_move {
	uint64_t from, bytes, to;
	bool code; /* in .text */
};

/* All pieces of the program that `shipped` is of, sorted by from, not overlapping, also those that stay; the
 * caller frees them. The layout is of the same relinker, or of one whose kit has the same units, some of another
 * size: where these lie inside, the moves do not say. end_bytes: by which the program ends later, two's
 * complement. Errors: as ifr_relinker_write; IFR_E_ENVIRONMENT where alignments are not known. */
int ifr_relinker_layout_moves(const struct ifr_relinker *shipped, const struct ifr_relinker_layout *layout,
                              struct ifr_relinker_move **moves, size_t *count, uint64_t *end_bytes,
                              struct ifr_error *err);

/* Makes the variant of a layout in memory, in place of what the buffer held: no file is touched. Errors:
 * IFR_E_ENVIRONMENT with the reason if only ld.bfd can make it. */
int ifr_relinker_apply(const struct ifr_relinker_layout *layout, struct ifr_buffer *bytes, struct ifr_error *err);

/* Makes the variant of a layout at path (mode 0755), whole or not at all, by whichever engine can. facts must be
 * initialised, and is released by the caller. */
int ifr_relinker_write(const struct ifr_relinker_layout *layout, const char *path, struct ifr_variant *variant,
                       struct ifr_error *err);

/* Makes the variant of a layout by both engines and compares. Errors: IFR_E_BUG if they differ, what
 * ifr_relinker_apply says if there is only one. */
int ifr_relinker_verify(const struct ifr_relinker_layout *layout, struct ifr_error *err);

/* Places and writes. A plan without relinker axes gives the base layout. */
int ifr_relinker_make(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err);

#endif
