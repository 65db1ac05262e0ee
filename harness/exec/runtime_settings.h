/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preloaded runtime, seen from the launcher: what it is asked, and whether it did it. */
#ifndef IFR_HARNESS_RUNTIME_H
#define IFR_HARNESS_RUNTIME_H

#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"
#include "runtime/runtime.h"

/* Makes the settings for a plan whose stack axis asks for main_bytes above main's frame. Under one mask of axes
 * (1u << enum ifr_axis) all settings have one length, so that they do not move the stack. A plan without the
 * runtime's axes gets settings that ask for nothing, or for the regions alone. NULL if none of the axes is the
 * runtime's and no regions are measured. The caller frees. */
char *ifr_runtime_settings(const struct ifr_plan *plan, unsigned axes, uint64_t main_bytes, bool regions);
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

#endif
