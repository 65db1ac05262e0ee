/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLVM's scheduling models, for C. */
#ifndef IFR_SCRIPTS_SCHEDULE_H
#define IFR_SCRIPTS_SCHEDULE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFR_SCHEDULED_RESOURCES = 48 };

/* A unit or group of units, and the cycles that an instruction keeps one of them. */
struct ifr_resource {
	const char *name, *unit_names[32];
	unsigned units, cycles;
};

struct ifr_scheduled {
	int latency;
	unsigned uops, count;
	struct ifr_resource resources[IFR_SCHEDULED_RESOURCES];
};

struct ifr_schedule;

/* Opens the model of a processor by LLVM's name; NULL if there is none. */
struct ifr_schedule *ifr_schedule_open(const char *cpu);
/* Reads an instruction. Returns false if LLVM does not know it, or has no figures for it. */
bool ifr_schedule_read(const struct ifr_schedule *from, const unsigned char *bytes, unsigned length,
                       struct ifr_scheduled *to);

#ifdef __cplusplus
}
#endif
#endif
