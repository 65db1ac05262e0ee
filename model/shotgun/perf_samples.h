/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a shotgun profiler from a processor that takes precise ones: the text that
 *
 *     perf script --show-mmap-events -F period,event,addr,data_src,ip,brstack
 *
 * prints of a recording with branch stacks (perf record -b, of PEBS or IBS events; -d for addresses and data sources).
 *
 *   PERF_RECORD_MMAP2    where the program's files lie: samples are told by file and offset, as the trace's code
 *   branch stack         a signature sample of the instructions that the code has between its branches; and of each
 *                        branch in it a detailed sample, with the bits of the branches around it
 *   address and source   a detailed sample of an access: its place in a page, and the caches and TLBs that missed
 *   period               of events called instructions: how many the run has
 *
 * A branch stack tells bits 1 and 2 of branches alone; those of other instructions are IFR_SHOTGUN_UNKNOWN, and such an
 * instruction takes any of its detailed samples. What no field tells (code that misses, where code is decoded, the BTB's
 * levels, the store that a load reads) is as if it cost nothing.
 * Ref: perf-script(1); linux/perf_event.h, union perf_mem_data_src and struct perf_branch_entry. */
#ifndef IFR_MODEL_SHOTGUN_PERF_SAMPLES_H
#define IFR_MODEL_SHOTGUN_PERF_SAMPLES_H

#include "model/shotgun/fragments.h"

/* A file of the trace. normalised: of its first byte, if all of it were mapped as its code is. */
struct ifr_perf_file {
	const char *path;
	uint64_t normalised;
};

/* Whether a text is perf's, and not of --save-samples. */
bool ifr_perf_samples_recognise(const char *text);
/* Reads the samples in code of these files; the caller releases them. Errors: IFR_E_USAGE with the malformed line, or if
 * no sample tells a path through the code. */
int ifr_perf_samples_parse(const char *text, const char *name, const struct ifr_shotgun_code *code,
                           const struct ifr_perf_file *files, size_t count, struct ifr_shotgun_samples *samples,
                           struct ifr_error *err);

#endif
