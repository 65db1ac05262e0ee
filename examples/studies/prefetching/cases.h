/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefetches inserted by hand: by the summary profile, for all references of a load that misses often enough, or by
 * correlation, in copies of the function for the paths on which it misses. Ref: Mowry and Luk 1997, section 6. */

#include "../correlation-profiling/start.h"

#ifndef SUMMARY
#define SUMMARY 0
#endif
#ifndef CORRELATION
#define CORRELATION 0
#endif

static inline void prefetch_if(int wanted, const void *at) {
	if (wanted)
		__builtin_prefetch(at);
}
