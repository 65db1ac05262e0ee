/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/valgrind/places.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { ELF_TYPE = 16, ELF_TYPE_FIXED = 2 };

ULong __wrap_vgPlain_di_notify_mmap(Addr start, Bool of_valgrind, Int descriptor) {
	(void)start, (void)of_valgrind, (void)descriptor;
	return 0;
}

/* The lowest address of the file's mappings around a segment. */
static Addr lowest_address(const NSegment *segment) {
	const NSegment *below = VG_(am_find_nsegment)(segment->start - 1);
	while (below && below->kind == SkFileC && below->dev == segment->dev && below->ino == segment->ino) {
		segment = below;
		below = VG_(am_find_nsegment)(segment->start - 1);
	}
	return segment->start;
}

void place_print_unknown_instruction(Addr address) {
	const NSegment *segment = VG_(am_find_nsegment)(address);
	const HChar *path = segment && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
	if (!path)
		return;
	const Addr base = lowest_address(segment);
	const Bool fixed = ((const UChar *)base)[ELF_TYPE] == ELF_TYPE_FIXED;
	VG_(umsg)("unknown instruction of file %s, at 0x%lx\n", path, fixed ? address : address - base);
}
