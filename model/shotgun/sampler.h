/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes samples from a run whose core is replayed, as a profiler in hardware would: from the outcomes of each
 * instruction, without the graph.
 *
 * A period of instructions gives detailed samples from its end (SAMPLER_STRETCH); every other period gives a
 * signature sample there instead (IFR_SHOTGUN_LENGTH), so that no detailed sample is of an instruction that a
 * signature has. The first IFR_CORE_HEAD instructions, in which programs start, have short periods: much of their code
 * is executed once, and costs as much as long stretches of what follows. */
#ifndef IFR_MODEL_SHOTGUN_SAMPLER_H
#define IFR_MODEL_SHOTGUN_SAMPLER_H

#include "model/core/parameters.h"
#include "model/replay/steps.h"
#include "model/shotgun/samples.h"
#include "model/trace/trace.h"

enum { SAMPLER_STRETCH = 2 * IFR_SHOTGUN_LENGTH };
/* Of so many instructions that could be sampled in detail, one is. */
enum { SAMPLER_EVERY = 4 };

struct ifr_sampler;
/* Both are borrowed. core: the machine's. full: all of the run is replayed (else: ifr_core_sample_runs). */
struct ifr_sampler *ifr_sampler_new(const struct ifr_trace *trace, const struct ifr_core *core, bool full,
                                    struct ifr_shotgun_samples *samples);
/* As in struct ifr_step_observer. */
void ifr_sampler_step(void *sampler, const struct ifr_observed_step *step);
/* Ends the samples. */
void ifr_sampler_free(struct ifr_sampler *sampler);

#endif
