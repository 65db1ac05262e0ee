/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/known_cache.h"

#include <cpuid.h>

enum kind { NO_MORE, DATA, CODE, UNIFIED };

/* The leaf that lists caches: AMD's where the processor has it; Intel's answer nothing there. */
static unsigned caches_leaf(void) {
	enum { AMD_FEATURES = 0x80000001, TOPOLOGY_EXTENSIONS = 1 << 22, AMD_CACHES = 0x8000001D, INTEL_CACHES = 4 };
	unsigned a, b, c, d;
	return __get_cpuid(AMD_FEATURES, &a, &b, &c, &d) && (c & TOPOLOGY_EXTENSIONS) ? AMD_CACHES : INTEL_CACHES;
}

static struct probe_known_cache find_cache(unsigned level, enum kind kind) {
	enum { CACHES_MOST = 16 };
	const unsigned leaf = caches_leaf();
	unsigned a, b, c, d;
	for (unsigned i = 0; i < CACHES_MOST; i++) {
		if (!__get_cpuid_count(leaf, i, &a, &b, &c, &d) || (a & 31) == NO_MORE)
			break;
		if ((a >> 5 & 7) != level || ((a & 31) != (unsigned)kind && (a & 31) != UNIFIED))
			continue;
		const unsigned ways = (b >> 22) + 1, parts = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
		return (struct probe_known_cache){(uint64_t)ways * parts * line * ((uint64_t)c + 1), ways};
	}
	return (struct probe_known_cache){0};
}

struct probe_known_cache probe_known_data_cache(unsigned level) {
	return find_cache(level, DATA);
}

struct probe_known_cache probe_known_code_cache(unsigned level) {
	return find_cache(level, CODE);
}
