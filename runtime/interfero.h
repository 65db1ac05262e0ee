/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks regions of a program, so that interfero can measure them by themselves:
 *
 *     #include <interfero.h>
 *
 *     IFR_BEGIN("sort");
 *     sort(values, count);
 *     IFR_END;
 *
 *     IFR_REPEAT("kernel")        // once; as often as `interfero bench --repeat-marker` asks, when it does
 *         kernel(in, out);
 *
 * No library is needed: without libinterfero.so in the process a marker is one test of a pointer that is null.
 * Regions may nest up to eight deep, belong to the thread that enters them, and must be left by the same function;
 * leave IFR_REPEAT by its end alone, not by break, return or goto.
 * IFR_REPEAT runs its statement K times and counts as one pass through the region. The statement's own cost is
 * (t(K=101) - t(K=1)) / 100, free of what surrounds it. Ref: Melhus 2013, section 5.2. */
#ifndef INTERFERO_H
#define INTERFERO_H

#ifdef __cplusplus
extern "C" {
#endif

extern void ifr_region_begin(const char *name) __attribute__((weak));
extern void ifr_region_end(void) __attribute__((weak));
/* How often a statement of IFR_REPEAT runs. */
extern unsigned long ifr_region_repeats(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define IFR_BEGIN(name)             \
	do {                            \
		if (ifr_region_begin)       \
			ifr_region_begin(name); \
	} while (0)

#define IFR_END               \
	do {                      \
		if (ifr_region_end)   \
			ifr_region_end(); \
	} while (0)

#define IFR_REPEAT(name)                                                                                         \
	for (unsigned long ifr_left =                                                                                \
	         ifr_region_begin ? (ifr_region_begin(name), ifr_region_repeats ? ifr_region_repeats() : 1ul) : 1ul; \
	     ifr_left > 0; --ifr_left == 0 && ifr_region_end ? ifr_region_end() : (void)0)

#endif
