/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations of functions and variables of Valgrind's core and of VEX that its headers for tools leave out, and that
 * libcoregrind and libvex define in all versions from 3.19 to 3.25. */
#ifndef IFR_MODEL_VALGRIND_CORE_H
#define IFR_MODEL_VALGRIND_CORE_H

#include "libvex.h"
#include "pub_tool_basics.h"

/* Maps a file, shared, at an address of Valgrind's choice. */
SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt protection, Int fd, Off64T offset);

/* Map and unmap memory of the program, without its knowledge. */
SysRes VG_(am_mmap_anon_fixed_client)(Addr start, SizeT length, UInt protection);
SysRes VG_(am_munmap_client)(Bool *need_discard, Addr start, SizeT length);

/* Makes a system call. */
SysRes VG_(do_syscall)(UWord number, RegWord a1, RegWord a2, RegWord a3, RegWord a4, RegWord a5, RegWord a6,
                       RegWord a7, RegWord a8);

/* Discards translated code, from outside of it. */
void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

/* VEX's settings, read at each translation. */
extern VexControl vex_control;

#endif
