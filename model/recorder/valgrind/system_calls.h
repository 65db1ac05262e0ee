/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorded program's system calls: records mappings, which say what an address means; answers clocks and random
 * numbers so that runs are repeatable; notes what a recording cannot follow; takes marks (common/recorder_marks.h). */
#ifndef IFR_MODEL_VALGRIND_SYSTEM_CALLS_H
#define IFR_MODEL_VALGRIND_SYSTEM_CALLS_H

#include "pub_tool_basics.h"

#include "model/record/ring.h"

void system_calls_before(ThreadId thread, UInt number, UWord *arguments, UInt count);
void system_calls_after(ThreadId thread, UInt number, UWord *arguments, UInt count, SysRes result);

/* Whether an instruction raises this signal. */
Bool system_calls_is_fault(Int signal);

/* Whether the program ends by a call of its own. */
Bool system_calls_exiting(void);

/* Runs in a forked child. */
void system_calls_child(ThreadId thread);

/* Sets the path that the program is told for /proc/self/exe, if the real one is equally long, so that a variant in
 * another folder behaves as the original does. The text must stay. */
void system_calls_own_path(const HChar *path);

/* Notes the begin and end markers of this region. The text must stay. */
void system_calls_watch(const HChar *region);

/* Fills in the next random bytes. */
void system_calls_random(UChar *bytes, SizeT length);

/* Writes numbers and a path as one record: a mapping that exists before the program among the definitions, a call's
 * among the executions. */
void system_calls_write_path(enum ring_record type, const ULong *numbers, SizeT count, const HChar *path);

#endif
