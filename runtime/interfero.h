/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markers of regions of a program, which interfero measures separately:
 *
 *       #include <interfero.h>
 *
 *       IFR_BEGIN("sort");
 *       sort(values, count);
 *       IFR_END;
 *
 *       IFR_REPEAT("kernel")        // once, or as often as `interfero bench --repeat-marker` requests
 *           kernel(in, out);
 *
 * No library is needed: without libinterfero.so in the process a marker tests a null pointer. Regions nest up to
 * eight deep, belong to the thread that enters them, and must be left by the same function. Leave IFR_REPEAT only
 * at its end, not by break, return or goto.
 *
 * IFR_REPEAT runs its statement K times and counts as one pass through the region. The statement's own cost is
 * (t(K=101) - t(K=1)) / 100, without the cost of its surroundings. Ref: Melhus 2013, section 5.2. */
#ifndef INTERFERO_H
#define INTERFERO_H

#ifdef __cplusplus
extern "C" {
#endif

extern void ifr_region_begin(const char *name) __attribute__((weak));
extern void ifr_region_end(void) __attribute__((weak));
/* Number of executions of an IFR_REPEAT statement. */
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
