/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes and ways of this processor's caches by CPUID. Ref: Intel SDM, CPUID leaf 4; AMD 24594, CPUID 8000_001Dh. */
#ifndef IFR_HARNESS_PROBE_KNOWN_CACHE_H
#define IFR_HARNESS_PROBE_KNOWN_CACHE_H

#include <stdint.h>

struct probe_known_cache { /* 0: CPUID does not say */
	uint64_t bytes;
	unsigned ways;
};

/* The cache of a level (1, 2, 3) that holds data, or code. */
struct probe_known_cache probe_known_data_cache(unsigned level);
struct probe_known_cache probe_known_code_cache(unsigned level);

#endif
