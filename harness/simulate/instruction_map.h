/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction map: the address of every instruction of rebuilt units, in the shipped program and in a layout.
 *
 * Problem   rebuilt units have other nops and alignments, so that their instructions move by different distances.
 * Idea      pair the instructions of the shipped and the rebuilt object file in order, and their labels in order.
 * Why       both object files come from one template: they have the same instructions apart from nops, and the
 *           same labels (IFR_LABELS_SECTION). Linking moves sections as a whole.
 */
#ifndef IFR_HARNESS_INSTRUCTION_MAP_H
#define IFR_HARNESS_INSTRUCTION_MAP_H

#include "harness/build/build.h"
#include "model/model.h"

/* Maps the instructions of the layout's rebuilt units, sorted by shipped address; the caller frees. moves are
 * those of the layout, from ifr_relinker_layout_moves. Errors: IFR_E_ENVIRONMENT if two object files cannot be
 * paired, or have code outside functions. */
int ifr_instruction_map_find(const struct ifr_builder *builder, const struct ifr_variant_layout *layout,
                             const struct ifr_relinker_move *moves, size_t move_count,
                             struct ifr_instruction_move **instructions, size_t *count, struct ifr_error *err);

#endif
