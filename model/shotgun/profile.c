/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "model/shotgun/perf_samples.h"
#include "model/shotgun/shotgun.h"
#include "model/shotgun/times.h"

static struct ifr_shotgun_coverage cover(const struct ifr_shotgun_samples *samples,
                                         const struct ifr_shotgun_fragments *fragments) {
	return (struct ifr_shotgun_coverage){.signatures = fragments->signatures,
	                                     .details = samples->details_count,
	                                     .fragments = fragments->count,
	                                     .shortened = fragments->shortened,
	                                     .impossible = fragments->impossible,
	                                     .unknown = fragments->unknown,
	                                     .lost = fragments->lost,
	                                     .cut = fragments->cut,
	                                     .instructions = fragments->instructions,
	                                     .exact = fragments->exact,
	                                     .missing = fragments->missing};
}

/* The code of a trace, decoded for a machine's core. */
struct decoded_code {
	struct ifr_core_program program;
	struct ifr_core core;
	struct ifr_shotgun_code code;
};

static int decode(struct decoded_code *decoded, const struct ifr_trace *trace, const struct ifr_machine *machine,
                  struct ifr_error *err) {
	char table[32];
	const int result = ifr_core_program_make(&decoded->program, ifr_core_table(machine, table), trace, err);
	if (result)
		return result;
	ifr_core_init(&decoded->core, machine);
	decoded->code.core = &decoded->core;
	decoded->code.program = &decoded->program;
	decoded->code.blocks_count = ifr_trace_blocks(trace, &decoded->code.blocks);
	decoded->code.accesses_count = ifr_trace_accesses(trace, &decoded->code.accesses);
	return 0;
}

/* --- samples of a file -------------------------------------------------------------------------------------------- */

/* By how much addresses in an ELF file's code are beyond its offsets. 0 where it cannot be read: so linkers make most. */
static uint64_t address_beyond_offset(const char *path) {
	struct ifr_buffer file = {0};
	uint64_t beyond = 0;
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	if (!ifr_file_read(path, 0, &file, NULL) && file.length >= sizeof head) {
		memcpy(&head, file.data, sizeof head);
		for (unsigned i = 0; i < head.e_phnum; i++) {
			const uint64_t at = head.e_phoff + (uint64_t)i * sizeof segment;
			if (at > file.length || file.length - at < sizeof segment)
				break;
			memcpy(&segment, file.data + at, sizeof segment);
			if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
				beyond = segment.p_vaddr - segment.p_offset;
		}
	}
	ifr_buffer_release(&file);
	return beyond;
}

int ifr_shotgun_read(const char *text, const char *name, const struct ifr_trace *trace,
                     const struct ifr_machine *machine, struct ifr_shotgun_samples *samples,
                     struct ifr_error *err) {
	struct decoded_code decoded = {0};
	const struct ifr_mapping *mappings;
	struct ifr_trace_totals totals;
	if (!ifr_perf_samples_recognise(text))
		return ifr_shotgun_samples_parse(text, name, samples, err);
	const size_t count = ifr_trace_mappings(trace, &mappings);
	struct ifr_perf_file *files = ifr_alloc((count + 1) * sizeof *files);
	size_t files_count = 0;
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		if (mappings[i].kind == IFR_MAPPING_PROGRAM || mappings[i].kind == IFR_MAPPING_LIBRARY)
			files[files_count++] = (struct ifr_perf_file){
				mappings[i].path, ((uint64_t)i << IFR_MAPPING_SHIFT) + address_beyond_offset(mappings[i].path)};
	int result = decode(&decoded, trace, machine, err);
	if (!result)
		result = ifr_perf_samples_parse(text, name, &decoded.code, files, files_count, samples, err);
	ifr_trace_totals(trace, &totals);
	if (!result && !samples->instructions)
		samples->instructions = totals.instructions;
	ifr_core_program_release(&decoded.program);
	free(files);
	return result;
}

int ifr_shotgun_profile(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        const struct ifr_shotgun_samples *samples, const uint32_t *sets, size_t count,
                        struct ifr_ideal_times *times, struct ifr_shotgun_coverage *coverage,
                        struct ifr_error *err) {
	struct decoded_code decoded = {0};
	struct ifr_shotgun_fragments fragments = {0};
	int result = decode(&decoded, trace, machine, err);
	if (!result) {
		ifr_shotgun_assemble(&decoded.code, samples, &fragments);
		*coverage = cover(samples, &fragments);
		if (!fragments.count)
			result =
				ifr_fail(err, IFR_E_USAGE,
			             "of %" PRIu64 " signature samples no fragment could be put together: take a longer run, "
			             "or the graph of all of it (leave --profile out)",
			             fragments.signatures);
		else
			ifr_shotgun_times(&decoded.code, &fragments, machine, sets, count, samples->instructions, times);
	}
	ifr_shotgun_fragments_release(&fragments);
	ifr_core_program_release(&decoded.program);
	return result;
}
