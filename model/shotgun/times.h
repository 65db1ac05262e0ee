/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cycles of fragments, with sets of causes idealised: the core's front end and graph run over them one after
 * another, each from where the one before left them, over its first SAMPLE_WARMED instructions without counting. */
#ifndef IFR_MODEL_SHOTGUN_TIMES_H
#define IFR_MODEL_SHOTGUN_TIMES_H

#include "model/machines/machine.h"
#include "model/replay/idealised.h"
#include "model/shotgun/fragments.h"

/* Stores the cycles of each set, on all processors; the caller releases them. instructions: of the run that the
 * fragments stand for. Fragments of its head stand for IFR_CORE_HEAD of them, the others for the rest (strata: Cochran
 * 1977, "Sampling techniques", 5.1). */
void ifr_shotgun_times(const struct ifr_shotgun_code *code, const struct ifr_shotgun_fragments *fragments,
                       const struct ifr_machine *machine, const uint32_t *sets, size_t count,
                       uint64_t instructions, struct ifr_ideal_times *times);

#endif
