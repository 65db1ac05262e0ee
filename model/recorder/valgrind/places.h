/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in the program's files. Valgrind reads the debug information of every file that is mapped, which takes most of
 * the time of a short recording; here it reads none, and a place is an address in a file. */
#ifndef IFR_MODEL_VALGRIND_PLACES_H
#define IFR_MODEL_VALGRIND_PLACES_H

#include "pub_tool_basics.h"

/* Stands in the place of Valgrind's function, by the linker's --wrap, and reads nothing. */
ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool of_valgrind, Int descriptor);

/* Prints an address as one of its file's own addresses, which addr2line takes. */
void place_print_unknown_instruction(Addr address);

#endif
