/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/valgrind/process.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"

#include "model/recorder/valgrind/system_calls.h"
#include "model/recorder/valgrind/writer.h"

enum { SEGMENTS = 1024, AUX_END = 0, AUX_RANDOM = 25, RANDOM_BYTES = 16 };

/* --- mappings ------------------------------------------------------------------------------------------------ */

/* A stack grows down into the reservation below it. */
static Addr start_with_reservation(const NSegment *segment, Addr pointer) {
	if (pointer < segment->start || pointer > segment->end || !segment->start)
		return segment->start;
	const NSegment *below = VG_(am_find_nsegment)(segment->start - 1);
	return below && below->kind == SkResvn ? below->start : segment->start;
}

static void record_mappings(Addr stack_pointer) {
	static Addr starts[SEGMENTS];
	const Int count = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts, SEGMENTS);
	tl_assert2(count >= 0, "the program begins with more than %d mappings", SEGMENTS);
	for (Int i = 0; i < count; i++) {
		const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
		const HChar *path = segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
		const ULong numbers[4] = {start_with_reservation(segment, stack_pointer), segment->end + 1,
		                          (segment->hasR ? VKI_PROT_READ : 0U) | (segment->hasW ? VKI_PROT_WRITE : 0U) |
		                              (segment->hasX ? VKI_PROT_EXEC : 0U),
		                          (ULong)segment->offset};
		system_calls_write_path(RING_MAPPING, numbers, 4, path ? path : "");
	}
}

/* --- environment --------------------------------------------------------------------------------------------- */

static Bool has_prefix(const HChar *text, const HChar *prefix) {
	return VG_(strncmp)(text, prefix, VG_(strlen)(prefix)) == 0;
}

/* Removes Valgrind's own library from the list in LD_PRELOAD=. Returns NULL if nothing else is in it. */
static HChar *without_own_preload(HChar *variable) {
	static const HChar name[] = "LD_PRELOAD=";
	const UInt length = sizeof name - 1;
	HChar *value = variable + length, *rest = VG_(strchr)(value, ':');
	if (!VG_(strstr)(value, "/vgpreload_core-"))
		return variable;
	if (!rest || !rest[1])
		return NULL;
	VG_(memcpy)(rest + 1 - length, name, length);
	return rest + 1 - length;
}

static HChar *without_valgrind(HChar *variable) {
	if (has_prefix(variable, "VALGRIND_LIB=") || has_prefix(variable, "VALGRIND_LAUNCHER="))
		return NULL;
	return has_prefix(variable, "LD_PRELOAD=") ? without_own_preload(variable) : variable;
}

/* Moves the variables that stay, the end of the list and the auxiliary vector behind it down, so that no gap is left.
 * Stores the auxiliary vector; returns what is behind it. */
static ULong *clean_environment(ULong *from, ULong **auxiliary) {
	ULong *to = from;
	for (; *from; from++) {
		HChar *kept = without_valgrind((HChar *)*from);
		if (kept)
			*to++ = (ULong)(Addr)kept;
	}
	*to++ = *from++;
	*auxiliary = to;
	while (*from != AUX_END) {
		*to++ = *from++;
		*to++ = *from++;
	}
	to[0] = AUX_END;
	to[1] = 0;
	return to + 2;
}

/* Puts the random bytes behind the auxiliary vector, where the kernel has them: Valgrind has them behind the environment,
 * whose size would move them. Three variables that are gone have left the room. */
static void place_random(ULong *auxiliary, ULong *behind) {
	for (ULong *item = auxiliary; *item != AUX_END; item += 2)
		if (*item == AUX_RANDOM)
			item[1] = (ULong)(Addr)behind;
	system_calls_random((UChar *)behind, RANDOM_BYTES);
}

static void set_first_argument(ULong *arguments, ULong count, const HChar *name) {
	if (!count || !name || VG_(strlen)(name) > VG_(strlen)((const HChar *)arguments[0]))
		return;
	VG_(strcpy)((HChar *)arguments[0], name);
}

void process_start(ThreadId thread, const HChar *first_argument) {
	const Addr pointer = VG_(get_SP)(thread);
	ULong *words = (ULong *)pointer, count = *words++;
	record_mappings(pointer);
	set_first_argument(words, count, first_argument);
	ULong *auxiliary, *behind = clean_environment(words + count + 1, &auxiliary);
	place_random(auxiliary, behind);
}
