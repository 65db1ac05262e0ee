/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the software prefetches of a block. Private to recorder.c. */
#ifndef IFR_MODEL_PREFETCHES_H
#define IFR_MODEL_PREFETCHES_H

#include <stddef.h>

#include "model/recorder/qemu/derive.h"
#include "model/recorder/qemu/qemu_plugin.h"

/* Registers the callbacks that record a block's prefetches, behind those of the block. append: adds a word to the
 * executions of a processor. */
void prefetches_register(struct qemu_plugin_tb *block, const struct decoded_block *decoded,
                         void (*append)(unsigned cpu_index, uint64_t word));

#endif
