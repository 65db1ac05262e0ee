/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruction by instruction: where the code of the shipped program lies in a layout whose units were made anew,
 * with nops and alignments of their own. Two objects of one template hold the same instructions but for nops, and
 * the same labels (IFR_LABELS_SECTION); linking moves sections whole. */
#ifndef IFR_HARNESS_CODE_POINTS_H
#define IFR_HARNESS_CODE_POINTS_H

#include "harness/build/build.h"
#include "model/model.h"

/* Code points of all units made anew, sorted; the caller frees. moves: of the layout, from ifr_relinker_layout_moves.
 * Errors: IFR_E_ENVIRONMENT where two objects are not alike, or hold code that is in no function. */
int ifr_instruction_map_find(const struct ifr_builder *builder, const struct ifr_variant_layout *layout,
                             const struct ifr_relinker_move *moves, size_t move_count,
                             struct ifr_instruction_move **points, size_t *count, struct ifr_error *err);

#endif
