/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relinker makes variants of a captured link (kit/kit.h) in other layouts.
 *
 * Symbols are resolved as in the original link. Inputs keep their order on the command line, so these never
 * change: constructor order, the weak definition that wins, the archive members that are pulled, the order of
 * __start_/__stop_ arrays. Units move after resolution:
 *
 *     unit      an input section of an object in .text, or a plain one in .rodata, .data or .bss
 *     no unit   merged constants, common symbols, copy-relocated variables of shared libraries
 *     pinned    the start files' units, and others for reasons that ifr_relinker_print_pins gives
 *
 * A plan becomes a layout, which says where each unit goes. An engine makes the file from the layout; both engines
 * make the same bytes:
 *
 *     image     copies and patches an image of the linked program that was prepared once (relinker/image/image.h)
 *     ld.bfd    links again (relinker/ld/ld_engine.h); used where the image refuses, and a variant's facts say so
 *
 * A unit's name is "OBJECT:SECTION": the object's name without folders ("lapi.o", "liblua.a(lapi.o)"; the source
 * file for the compiler's temporary objects) and its input section. "#2", "#3", … follow a name that occurs again.
 * All seeds are keyed by these names. */
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

/* The begin of the names of the functions that the axis names adds. */
#define IFR_NAMES_PREFIX "interfero_name_"

/* A summary of a program's units. */
struct ifr_relinker_info {
	size_t units;      /* in .text */
	size_t movable;    /* units of .text that axes may move */
	size_t data_units; /* in .rodata, .data and .bss */
	size_t data_movable;
	bool reproduces;    /* linking the kit again unchanged gave the bytes that ship */
	const char *reason; /* why it does not reproduce, else "" */
};

/* A layout: the address of every unit under a plan. */
struct ifr_relinker_layout;

/* Repeats the kit's link once and reads the units. The kit must outlive the relinker. Errors: IFR_E_ENVIRONMENT if
 * ld.bfd is missing or cannot repeat the link. */
int ifr_relinker_open(const struct ifr_kit *kit, struct ifr_relinker **relinker, struct ifr_error *err);
void ifr_relinker_close(struct ifr_relinker *relinker);
void ifr_relinker_describe(const struct ifr_relinker *relinker, struct ifr_relinker_info *info);

/* A unit of the base layout; name and pin belong to the relinker. */
struct ifr_relinker_unit {
	const char *name;
	const char *file;   /* the object or archive */
	const char *member; /* of the archive, else NULL */
	const char *section;
	uint64_t address, bytes;
	unsigned align;  /* 0 where unknown */
	const char *pin; /* why axes do not move the unit, or NULL */
};

/* The address at which .text begins in the shipped program. */
uint64_t ifr_relinker_code_start(const struct ifr_relinker *relinker);

/* The units, by section and address. */
size_t ifr_relinker_unit_count(const struct ifr_relinker *relinker);
void ifr_relinker_unit(const struct ifr_relinker *relinker, size_t index, struct ifr_relinker_unit *unit);

/* Appends why units are not movable: a line for each reason with the number of its units and the first few names,
 * then the pins that images found so far (ifr_relinker_place). data includes units of data. */
void ifr_relinker_print_pins(const struct ifr_relinker *relinker, bool data, struct ifr_buffer *text);

/* The description of a variant. */
struct ifr_variant {
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1]; /* "" where the original has none */
	struct ifr_buffer facts;                       /* a line for each axis and for the engine */
};

/* Places the units by a plan; axes of other owners are ignored. Prepares the image for the layout's sizes, once
 * for all seeds, because the image decides which units must stay. The layout is the caller's, and the relinker
 * must outlive it. Several threads may call this and all functions below at once. Errors: IFR_E_USAGE if a place
 * of the plan is impossible. */
int ifr_relinker_place(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                       struct ifr_relinker_layout **layout, struct ifr_error *err);
void ifr_relinker_layout_close(struct ifr_relinker_layout *layout);

/* Writes a layout as the places of a plan: every unit of the sections that the layout places (for the base layout:
 * .text), in their order or with their addresses. The caller releases the plan. Errors: IFR_E_ENVIRONMENT if
 * addresses are requested and alignments are unknown. */
int ifr_relinker_layout_to_plan(const struct ifr_relinker_layout *layout, bool addresses, struct ifr_plan *plan,
                                struct ifr_error *err);

/* Writes the address of each unit, by its index, in the layout; units that the layout does not place keep theirs.
 * addresses: [ifr_relinker_unit_count]. Errors: IFR_E_ENVIRONMENT if an alignment is unknown. */
int ifr_relinker_layout_addresses(const struct ifr_relinker_layout *layout, uint64_t *addresses,
                                  struct ifr_error *err);

/* A range of the shipped program and its address in a layout, both as in the ELF files. */
struct ifr_relinker_move {
	uint64_t from, bytes, to;
	bool code; /* in .text */
};

/* Lists the moves of the whole program of `shipped`, sorted by from, without overlaps; ranges that stay are
 * included. The caller frees them. The layout is of the same relinker, or of one whose kit has units of the same
 * names and perhaps other sizes; a move of such a unit gives its start, and offsets inside it do not hold.
 * end_bytes receives by how much later the program ends, in two's complement. Errors: those of ifr_relinker_write;
 * IFR_E_ENVIRONMENT if an alignment is unknown. */
int ifr_relinker_layout_moves(const struct ifr_relinker *shipped, const struct ifr_relinker_layout *layout,
                              struct ifr_relinker_move **moves, size_t *count, uint64_t *end_bytes,
                              struct ifr_error *err);

/* Makes the variant of a layout in memory and replaces the buffer's contents. Errors: IFR_E_ENVIRONMENT with the
 * reason if only ld.bfd can make the variant. */
int ifr_relinker_apply(const struct ifr_relinker_layout *layout, struct ifr_buffer *bytes, struct ifr_error *err);

/* Makes the variant of a layout at path (mode 0755), whole or not at all, by the first engine that can. The caller
 * initialises and releases variant->facts. */
int ifr_relinker_write(const struct ifr_relinker_layout *layout, const char *path, struct ifr_variant *variant,
                       struct ifr_error *err);

/* Makes the variant of a layout by both engines and compares the bytes. Errors: IFR_E_BUG if they differ; those of
 * ifr_relinker_apply if the image refuses. */
int ifr_relinker_verify(const struct ifr_relinker_layout *layout, struct ifr_error *err);

/* Places the units and writes the variant. A plan without relinker axes gives the base layout. */
int ifr_relinker_make(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err);

#endif
