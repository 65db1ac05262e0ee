/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of kernels by a described core. The core decodes the bytes that a processor would execute. */
#include "harness/probe/modelled.h"

#include <stdlib.h>
#include <string.h>

/* Instructions, and at least so many periods, that warm and that are counted. */
enum {
	WARM_INSTRUCTIONS = 4000,
	WARM_PERIODS = 3,
	COUNTED_INSTRUCTIONS = 12000,
	COUNTED_PERIODS = 6,
	LEARNING = 16
};

/* Where code at an address lies: far code is behind the other. */
static size_t offset_of(const struct probe_kernel *kernel, uint64_t address) {
	return address < kernel->far ? address - kernel->code
	                             : address - kernel->far + kernel->code_end - kernel->code;
}

/* The code as it would lie in memory. The caller frees. */
static uint8_t *lay_code(const struct probe_kernel *kernel) {
	uint8_t *code = ifr_alloc(offset_of(kernel, kernel->far_end));
	for (size_t i = 0; i < kernel->pieces_count; i++) {
		const struct probe_piece *piece = &kernel->pieces[i];
		memcpy(code + offset_of(kernel, piece->address), kernel->bytes.data + piece->at, piece->bytes);
	}
	return code;
}

static void add_block(struct ifr_core_program *program, const struct ifr_decoder *decoder,
                      const struct probe_kernel *kernel, const uint8_t *code, size_t number,
                      struct ifr_operations *operations) {
	const struct ifr_block *block = &kernel->blocks[number];
	const struct ifr_geometry *at = &kernel->geometry[number];
	struct ifr_trace_access *accesses = ifr_alloc((block->accesses + 1u) * sizeof *accesses);
	for (size_t i = 0; i < block->accesses; i++) {
		const struct ifr_access *access = &kernel->accesses[block->first_access + i];
		accesses[i] = (struct ifr_trace_access){.end = kernel->access_ends[block->first_access + i],
		                                        .bytes = access->bytes,
		                                        .kind = access->store ? IFR_ACCESS_STORE : IFR_ACCESS_LOAD};
	}
	operations->operations_count = operations->instructions_count = 0;
	ifr_decoder_decode(decoder, code + offset_of(kernel, at->address), at->bytes, at->instructions, operations);
	ifr_core_program_add(program, operations, 0, at->instructions, accesses, block->accesses);
	free(accesses);
}

static int make_program(struct ifr_core_program *program, const struct ifr_machine *machine,
                        const struct probe_kernel *kernel, struct ifr_error *err) {
	char name[32];
	struct ifr_decoder *decoder;
	struct ifr_operations operations = {0};
	const int rc = ifr_decoder_new(ifr_core_table(machine, name), &decoder, err);
	if (rc)
		return rc;
	uint8_t *code = lay_code(kernel);
	for (size_t i = 0; i < kernel->blocks_count; i++)
		add_block(program, decoder, kernel, code, i, &operations);
	ifr_operations_release(&operations);
	ifr_decoder_free(decoder);
	free(code);
	return 0;
}

static size_t choose_periods(const struct probe_kernel *kernel, size_t instructions, size_t least) {
	size_t of_period = 0;
	for (size_t i = 0; i < kernel->executions_count; i++)
		of_period += kernel->geometry[kernel->executions[i] >> 1].instructions;
	const size_t periods = of_period ? instructions / of_period : 0;
	return periods > least ? periods : least;
}

/* A hard kernel's predictors learn first. */
static int count_events(const struct ifr_machine *machine, const struct probe_kernel *kernel,
                        const struct ifr_core_program *program, double events[IFR_EVENT_COUNT],
                        struct ifr_error *err) {
	const struct ifr_lane lane = {.blocks = kernel->geometry, .access_ends = kernel->access_ends};
	const size_t warm_periods = choose_periods(kernel, WARM_INSTRUCTIONS, WARM_PERIODS),
				 counted = choose_periods(kernel, COUNTED_INSTRUCTIONS, COUNTED_PERIODS);
	struct ifr_counts warm = {{0}}, all = {{0}};
	struct ifr_replay *run = NULL;
	int rc = ifr_replay_new(&run, machine, 1, IFR_ENGINE_SCALAR, err);
	if (rc)
		return rc;
	ifr_replay_set_core(run, program, 0);
	ifr_replay_set_lanes(run, &lane);
	rc = probe_replay_periods(run, kernel, kernel->is_hard ? LEARNING * warm_periods : warm_periods, err);
	ifr_replay_counters(run, &warm);
	if (!rc)
		rc = probe_replay_periods(run, kernel, counted, err);
	ifr_replay_counters(run, &all);
	ifr_replay_free(run);
	for (size_t i = 0; i < IFR_EVENT_COUNT; i++)
		events[i] = (double)(all.value[i] - warm.value[i]) / (double)(counted * kernel->elements);
	return rc;
}

int probe_modelled_core(const struct ifr_machine *machine, const struct probe_kernel *kernel,
                        double events[IFR_EVENT_COUNT], struct ifr_error *err) {
	struct ifr_machine predicted = *machine;
	struct ifr_core_program program = {0};
	/* Experiments on a core's rules have no branch that is hard. */
	if (!kernel->is_hard) {
		predicted.direction = ifr_predictor_find("perfect");
		predicted.indirect = ifr_target_predictor_find("perfect");
	}
	int rc = make_program(&program, machine, kernel, err);
	if (!rc)
		rc = count_events(&predicted, kernel, &program, events, err);
	ifr_core_program_release(&program);
	return rc;
}

int probe_modelled_cycles(const struct ifr_machine *machine, const struct probe_kernel *kernel, double *cycles,
                          struct ifr_error *err) {
	double events[IFR_EVENT_COUNT] = {0};
	const int rc = probe_modelled_core(machine, kernel, events, err);
	*cycles = events[IFR_EVENT_CYCLES];
	return rc;
}
