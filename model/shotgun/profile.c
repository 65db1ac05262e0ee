/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "model/shotgun/shotgun.h"
#include "model/shotgun/times.h"

static struct ifr_shotgun_coverage cover(const struct ifr_shotgun_samples *samples,
                                         const struct ifr_shotgun_fragments *fragments) {
	return (struct ifr_shotgun_coverage){.signatures = fragments->signatures,
	                                     .details = samples->details_count,
	                                     .fragments = fragments->count,
	                                     .impossible = fragments->impossible,
	                                     .unknown = fragments->unknown,
	                                     .lost = fragments->lost,
	                                     .cut = fragments->cut,
	                                     .instructions = fragments->instructions,
	                                     .exact = fragments->exact,
	                                     .missing = fragments->missing};
}

int ifr_shotgun_profile(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        const struct ifr_shotgun_samples *samples, const uint32_t *sets, size_t count,
                        struct ifr_ideal_times *times, struct ifr_shotgun_coverage *coverage,
                        struct ifr_error *err) {
	struct ifr_core_program program = {0};
	struct ifr_shotgun_fragments fragments = {0};
	struct ifr_shotgun_code code = {.program = &program};
	struct ifr_core core;
	char table[32];
	int result = ifr_core_program_make(&program, ifr_core_table(machine, table), trace, err);
	if (!result) {
		ifr_core_init(&core, machine);
		code.core = &core;
		code.blocks_count = ifr_trace_blocks(trace, &code.blocks);
		code.accesses_count = ifr_trace_accesses(trace, &code.accesses);
		ifr_shotgun_assemble(&code, samples, &fragments);
		*coverage = cover(samples, &fragments);
		if (!fragments.count)
			result =
				ifr_fail(err, IFR_E_USAGE,
			             "of %" PRIu64 " signature samples no fragment could be put together: take a longer run, "
			             "or the graph of all of it (leave --profile out)",
			             fragments.signatures);
		else
			ifr_shotgun_times(&code, &fragments, machine, sets, count, samples->instructions, times);
	}
	ifr_shotgun_fragments_release(&fragments);
	ifr_core_program_release(&program);
	return result;
}
