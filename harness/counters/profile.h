/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a program spends its time: samples of the event cpu-clock, which every kernel has, also without counters of the
 * processor. */
#ifndef IFR_HARNESS_PROFILE_H
#define IFR_HARNESS_PROFILE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"

/* A sample in a mapped file: its offset there. path: as the kernel names it, "" outside of any file. */
struct ifr_profile_sample {
	const char *path;
	uint64_t offset;
};

struct ifr_profile;

/* Samples user mode every period_ns of processor time; with 0 it counts the threads that start, and samples nothing. The
 * caller closes. */
struct ifr_profile *ifr_profile_new(int64_t period_ns);
void ifr_profile_close(struct ifr_profile *profile);

/* Attaches the event to a child that has not called exec yet: to processor cpu with all processes that the child will
 * start, or with cpu -1 to the child's first thread alone. Errors: IFR_E_ENVIRONMENT where the kernel refuses it. */
int ifr_profile_arm(struct ifr_profile *profile, pid_t child, int cpu, struct ifr_error *err);
/* Takes the samples over once the child has ended, and detaches. Samples of several runs add up. */
void ifr_profile_collect(struct ifr_profile *profile);

/* The threads that the child, and processes that it started, have started: none is too short-lived to be counted. */
size_t ifr_profile_threads(const struct ifr_profile *profile);
size_t ifr_profile_count(const struct ifr_profile *profile);
/* The sample lives as long as the profile, until the next run is collected. */
void ifr_profile_get(const struct ifr_profile *profile, size_t index, struct ifr_profile_sample *sample);

#endif
