/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shotgun profiler: interaction costs from samples of a run, without its trace. The face of this room.
 *
 *     samples.h    signature samples and detailed samples
 *     sampler.h    takes them from the outcomes of a replay
 *     perf_samples.h  reads those of a processor, as perf prints them
 *     fragments.h  puts fragments together from them
 *     times.h      the cycles of fragments with causes idealised
 *
 * Ref: Fields, Bodík, Hill and Newburn 2004, "Interaction cost and shotgun profiling", section 5. */
#ifndef IFR_MODEL_SHOTGUN_H
#define IFR_MODEL_SHOTGUN_H

#include "model/shotgun/sampler.h"
#include "model/shotgun/samples.h"

struct ifr_machine;
struct ifr_ideal_times;

/* Of the fragments that were put together. Instructions: those of fragments, also of dropped ones. */
struct ifr_shotgun_coverage {
	uint64_t signatures, details;
	uint64_t fragments;
	uint64_t shortened;                      /* of them, those that end before their signature */
	uint64_t impossible, unknown, lost, cut; /* dropped ones: model/shotgun/fragments.h */
	uint64_t instructions, exact, missing;
};

/* Reads samples of a file, by their form perf's (perf_samples.h) or ours (samples.h); the caller releases them. Errors:
 * IFR_E_USAGE with the malformed line, or if none of perf's leads through the trace's code; those of
 * ifr_core_program_make. */
int ifr_shotgun_read(const char *text, const char *name, const struct ifr_trace *trace,
                     const struct ifr_machine *machine, struct ifr_shotgun_samples *samples,
                     struct ifr_error *err);
/* Puts fragments together from samples of a trace's code, and stores their cycles by set; the caller releases
 * them. Errors: IFR_E_USAGE if no fragment is left; those of ifr_core_program_make. */
int ifr_shotgun_profile(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        const struct ifr_shotgun_samples *samples, const uint32_t *sets, size_t count,
                        struct ifr_ideal_times *times, struct ifr_shotgun_coverage *coverage,
                        struct ifr_error *err);

#endif
