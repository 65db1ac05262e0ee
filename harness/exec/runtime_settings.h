/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preloaded runtime, seen from the launcher: its settings, and its report after a run. */
#ifndef IFR_HARNESS_RUNTIME_H
#define IFR_HARNESS_RUNTIME_H

#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"
#include "runtime/runtime.h"

/* Requests to the runtime beside the plan's heap and blocks. */
struct ifr_runtime_wishes {
	uint64_t main_bytes;     /* above main's frame */
	bool huge_text, regions; /* text in huge pages; time the regions that the program marks */
};

/* Makes the settings for a plan. Under one mask of axes (1u << enum ifr_axis) all settings have one length, so that they
 * do not move the stack. A plan without the runtime's axes gets settings that change nothing, or time the regions only;
 * one whose values of these axes are nothing has the runtime loaded all the same, as others have. NULL if no axis of the
 * mask is the runtime's and no regions are measured. The caller frees. */
char *ifr_runtime_settings(const struct ifr_plan *plan, unsigned axes, const struct ifr_runtime_wishes *wishes);
/* Whether settings (NULL allowed) change or measure anything. */
bool ifr_runtime_wanted(const char *settings);

/* Makes the page for the runtime's report (runtime.h), as a descriptor with the same number in every program. */
int ifr_runtime_page(int *fd, struct ifr_error *err);
/* Adds the preload and the settings to the environment, or as many neutral bytes. repeats: repetitions of regions
 * marked IFR_REPEAT; events: the number of events that regions count, 0 … 9. */
void ifr_runtime_environment(struct ifr_strings *environment, const char *settings, unsigned repeats,
                             unsigned events, int fd);
/* Reads the page after a run; refused gets the reason if the run does not count. */
void ifr_runtime_check(int fd, const char *settings, struct ifr_runtime_report *report, char *refused,
                       size_t size);

/* The path of libinterfero.so; the caller frees. */
char *ifr_runtime_library(void);

#endif
