/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An object file that names external functions which no library has: the axis names. Ref: Melhus 2013, section 4.2.4. */
#ifndef IFR_RELINKER_NAMES_OBJECT_H
#define IFR_RELINKER_NAMES_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"

/* The section of the object, which never executes. No pattern of a usual linker script has it. */
#define NAMES_OBJECT_SECTION ".interfero_names"

/* Makes an object file with `symbols` weak undefined functions, IFR_NAMES_PREFIX and a number, each with a jump to it
 * through the procedure linkage table, or by_got through the global offset table. The first name is longer by `bytes`. A
 * link with it has as many more entries in .dynsym and in .rela.plt, .plt and .got.plt, or in .rela.dyn and .got; .dynstr
 * grows by the names. */
void names_object_make(uint64_t symbols, uint64_t bytes, bool by_got, struct ifr_buffer *object);

#endif
