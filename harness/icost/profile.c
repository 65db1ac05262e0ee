/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/profile.h"

#include "common/file.h"

enum { SAMPLES_MOST = 1 << 30 }; /* bytes of a file */

static int take_samples(const struct ifr_icost_subject *subject, struct ifr_shotgun_samples *samples,
                        struct ifr_error *err) {
	struct ifr_core core;
	struct ifr_counts counts;
	ifr_core_init(&core, subject->machine);
	struct ifr_sampler *sampler = ifr_sampler_new(subject->trace, &core, subject->core == IFR_CORE_FULL, samples);
	const struct ifr_step_observer observer = {ifr_sampler_step, sampler};
	struct ifr_plan_replay replaying = {.trace = subject->trace,
	                                    .machines = &subject->machine,
	                                    .machine_count = 1,
	                                    .engine = IFR_ENGINE_SCALAR,
	                                    .core = subject->core,
	                                    .steps = &observer,
	                                    .progress = subject->progress};
	const int result = ifr_replay_plans(&replaying, subject->plan, 1, &counts, err);
	ifr_sampler_free(sampler);
	return result;
}

static int read_samples(const struct ifr_icost_subject *subject, const char *path,
                        struct ifr_shotgun_samples *samples, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = ifr_file_read_named(path, SAMPLES_MOST, &text, err);
	if (!result)
		result = ifr_shotgun_read(ifr_buffer_text(&text), path, subject->trace, subject->machine, samples, err);
	ifr_buffer_release(&text);
	return result;
}

static int save_samples(const char *path, const struct ifr_shotgun_samples *samples, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	ifr_shotgun_samples_print(samples, &text);
	const int result = ifr_file_write(path, text.data, text.length, 0644, err);
	ifr_buffer_release(&text);
	return result;
}

int ifr_icost_profile(const struct ifr_icost_subject *subject, const struct ifr_icost_profile *profile,
                      struct ifr_icost *icost, uint64_t *instructions, struct ifr_shotgun_coverage *coverage,
                      struct ifr_error *err) {
	struct ifr_shotgun_samples samples = {0};
	int result = profile->samples ? read_samples(subject, profile->samples, &samples, err)
	                              : take_samples(subject, &samples, err);
	if (!result && profile->save)
		result = save_samples(profile->save, &samples, err);
	if (!result)
		result = ifr_shotgun_profile(subject->trace, subject->machine, &samples, icost->sets, icost->count,
		                             &icost->times, coverage, err);
	*instructions = samples.instructions;
	ifr_shotgun_samples_release(&samples);
	return result;
}
