/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text of samples, perf's or ours, is refused with one line that names its line, or read as samples that print and
 * parse again as the same. Whatever was read, fragments of known code alone are put together. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/shotgun/perf_samples.h"
#include "model/machines/machine.h"
#include "tests/fuzz/target.h"
#include "tests/unit/model_kernel.h"

enum { BLOCKS = 3, CODE = 0x400580 };
static const uint64_t at[BLOCKS] = {CODE, CODE + 9, CODE + 0x40};
static struct ifr_trace_block blocks[BLOCKS];
static struct ifr_trace_access access;
static struct kernel kernel;
static struct ifr_core core;
static struct ifr_shotgun_code code;

/* A: load; test and jump to A. B: indirect jump. C: add; jump to A. */
static void make_code(void) {
	static const uint8_t branches[BLOCKS] = {IFR_BRANCH_CONDITIONAL, IFR_BRANCH_INDIRECT_JUMP, IFR_BRANCH_JUMP};
	static struct ifr_machine *machine;
	assert(!ifr_machine_open(&machine, "skylake", NULL));
	ifr_core_init(&core, machine);
	kernel_init(&kernel);
	kernel_block(&kernel);
	kernel_load(&kernel, 4, RAX, RDX, 8);
	kernel_test_jump(&kernel, 3, 2, RAX);
	kernel_end(&kernel);
	kernel_block(&kernel);
	kernel_jump(&kernel, 2, RAX);
	kernel_end(&kernel);
	kernel_block(&kernel);
	kernel_alu(&kernel, 3, RCX, RCX, ALU, 1);
	kernel_jump(&kernel, 2, RAX);
	kernel_end(&kernel);
	for (unsigned i = 0; i < BLOCKS; i++)
		blocks[i] = (struct ifr_trace_block){.normalised = at[i],
		                                     .target = i == 1 ? 0 : CODE,
		                                     .bytes = kernel.block_bytes[i],
		                                     .instructions = (uint16_t)(i == 0 ? 3 : i),
		                                     .branch = branches[i],
		                                     .accesses = i == 0};
	access = (struct ifr_trace_access){.end = 4, .bytes = 8, .kind = IFR_ACCESS_LOAD};
	code = (struct ifr_shotgun_code){.core = &core,
	                                 .program = &kernel.program,
	                                 .blocks = blocks,
	                                 .blocks_count = BLOCKS,
	                                 .accesses = &access,
	                                 .accesses_count = 1};
}

static void check_samples(const struct ifr_shotgun_samples *samples) {
	struct ifr_shotgun_samples again;
	struct ifr_shotgun_fragments fragments;
	struct ifr_buffer text = {0}, second = {0};
	ifr_shotgun_samples_print(samples, &text);
	assert(!ifr_shotgun_samples_parse(ifr_buffer_text(&text), "again", &again, NULL));
	ifr_shotgun_samples_print(&again, &second);
	assert(!strcmp(ifr_buffer_text(&text), ifr_buffer_text(&second)));
	ifr_shotgun_assemble(&code, samples, &fragments);
	assert(fragments.count <= fragments.signatures);
	for (size_t i = 0; i < fragments.steps_count; i++)
		assert(fragments.steps[i].block < BLOCKS);
	ifr_shotgun_fragments_release(&fragments);
	ifr_shotgun_samples_release(&again);
	ifr_buffer_release(&text);
	ifr_buffer_release(&second);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	static const struct ifr_perf_file file = {"/prog", 0x400000};
	struct ifr_shotgun_samples samples;
	struct ifr_error err = {0};
	if (!code.core)
		make_code();
	char *text = ifr_format("%.*s", (int)size, (const char *)data);
	const bool perf = ifr_perf_samples_recognise(text);
	const int result = perf ? ifr_perf_samples_parse(text, "fuzz", &code, &file, 1, &samples, &err)
	                        : ifr_shotgun_samples_parse(text, "fuzz", &samples, &err);
	if (result)
		assert(err.code == IFR_E_USAGE && !strncmp(err.message, "fuzz:", 5) && !strchr(err.message, '\n'));
	else
		check_samples(&samples);
	ifr_shotgun_samples_release(&samples);
	free(text);
	return 0;
}
