/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preloaded runtime, seen from the launcher: what it is asked, and whether it did it. */
#ifndef IFR_HARNESS_RUNTIME_H
#define IFR_HARNESS_RUNTIME_H

#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"
#include "runtime/runtime.h"

/* The settings for a plan, of one length for all plans of a family with these axes (a bit mask), so that they do
 * not move the stack. NULL if none of the axes is the runtime's and no regions are to be measured. A plan without
 * them gets settings that ask for nothing, or for the regions alone. The caller frees. */
char *ifr_runtime_settings(const struct ifr_plan *plan, unsigned axes, bool regions);
/* The bytes above main's frame that a plan's `stack` axis asks for, a multiple of 16. */
uint64_t ifr_plan_main_bytes(const struct ifr_plan *plan);
/* Whether settings, which may be NULL, ask for anything. */
bool ifr_runtime_wanted(const char *settings);

/* A page for its report (runtime.h), as a descriptor of always the same number in a program. */
int ifr_runtime_page(int *fd, struct ifr_error *err);
/* Adds the preload and the settings, or as many bytes that mean nothing. repeats: of regions marked IFR_REPEAT;
 * events: those that regions are to count, 0 … 9. */
void ifr_runtime_environment(struct ifr_strings *environment, const char *settings, unsigned repeats,
                             unsigned events, int fd);
/* After the run: reads the page, and writes why the run does not count, if so. */
void ifr_runtime_check(int fd, const char *settings, struct ifr_runtime_report *report, char *refused,
                       size_t size);

/* libinterfero.so beside this program; the caller frees. */
char *ifr_runtime_library(void);

/* In the process that will become the program: has the kernel place mappings so many pages lower. Moves addresses
 * from bit 12 up of libraries, the loader, the kernel's own page and what mmap gives; neither the program itself
 * nor its stack. Threads' stacks become as large as the limit that does it (128 MiB and the pages). -1 with errno
 * if the hard limit of the stack forbids it. */
int ifr_load_shift(uint64_t pages);

#endif
