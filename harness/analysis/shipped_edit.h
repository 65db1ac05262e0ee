/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shipped files that were edited after their link. Variants come from the link and lack the edit, so that the shipped
 * file differs from them by more than addresses: another RPATH may lead it to other libraries. It is no layout. */
#ifndef IFR_HARNESS_SHIPPED_EDIT_H
#define IFR_HARNESS_SHIPPED_EDIT_H

#include <stdbool.h>

#include "harness/store/store.h"

/* Whether a program's shipped file was edited, as far as the counter is concerned: the model replays one recording in
 * all layouts, whose code is the same. */
bool ifr_shipped_is_edited(const struct ifr_dataset *dataset, unsigned program,
                           const struct ifr_dataset_counter *counter);
/* Whether the variant is a shipped file that was edited. */
bool ifr_variant_is_edited(const struct ifr_dataset *dataset, const struct ifr_dataset_variant *variant,
                           const struct ifr_dataset_counter *counter);

#endif
