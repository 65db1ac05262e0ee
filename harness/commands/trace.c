/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero trace: what is in a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/exec/exec.h"
#include "model/model.h"

enum { PIECE_STEPS = 65536 };

struct options {
	const char *verb, *trace;
	uint64_t steps;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'n':
		if (option_number("--steps", argument, 0, INT64_MAX, &options->steps, &err))
			option_refuse(state, &err);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			options->verb = argument;
		else if (state->arg_num == 1)
			options->trace = argument;
		else
			argp_error(state, "too many words: \"%s\"", argument);
		return 0;
	case ARGP_KEY_END:
		if (!options->verb ||
		    (strcmp(options->verb, "info") && strcmp(options->verb, "dump") && strcmp(options->verb, "verify")))
			argp_error(state, "info, dump or verify?");
		if (!options->trace)
			argp_error(state, "which trace?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"steps", 'n', "N", 0, "dump: the first N blocks that ran (all)", 0},
	{0},
};
const struct argp ifr_trace_argp = {
	table,
	parse,
	"info TRACE\ndump TRACE\nverify TRACE",
	"Look into a recording: what it holds and what it is of (info), block by block with the places that were "
	"touched "
	"(dump), or read all of it and check it (verify).\v"
	"A place is a region and an offset: program, library, stack, heap, mapping; the offsets of the program and of "
	"libraries are addresses as their files give them, those of the stack count from where the stack pointer "
	"began. With \"record --objects\" what lies in an object of the heap has that object's place: object7:8 is "
	"the ninth byte of what the eighth request took. "
	"Exit status: 0 whole, 3 cut or damaged (what is whole is shown), 2 usage, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

/* The object that a place belongs to: the last that begins before it, with its margin. */
static void print_object(const struct ifr_trace *trace, uint64_t place) {
	const struct ifr_trace_request *requests;
	size_t low = 0, high = ifr_trace_requests(trace, &requests);
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (requests[middle].normalised - IFR_OBJECT_MARGIN <= place)
			low = middle;
		else
			high = middle;
	}
	printf("object%zu:%" PRId64, low, high ? (int64_t)(place - requests[low].normalised) : 0);
}

static void print_place(const struct ifr_trace *trace, const struct ifr_mapping *regions, uint64_t place) {
	uint64_t number = place >> IFR_MAPPING_SHIFT, offset = place & IFR_OFFSET_MASK;
	const struct ifr_mapping *region = &regions[number];
	if (number < IFR_MAPPING_FIRST)
		printf("other:0x%" PRIx64, place);
	else if (region->kind == IFR_MAPPING_STACK)
		printf("stack:%" PRId64, (int64_t)(offset - IFR_STACK_ORIGIN));
	else if (region->kind == IFR_MAPPING_OBJECTS)
		print_object(trace, place);
	else
		printf("%s%" PRIu64 ":0x%" PRIx64, ifr_mapping_kind_names[region->kind], number, offset);
}

static void info_of_requests(const struct ifr_trace *trace) {
	const struct ifr_trace_request *requests;
	const size_t count = ifr_trace_requests(trace, &requests);
	uint64_t bytes = 0;
	size_t objects = 0;
	for (size_t i = 0; i < count; i++) {
		objects += requests[i].recorded_at != 0;
		bytes += requests[i].recorded_at ? requests[i].bytes : 0;
	}
	if (count)
		printf("requests %zu\nobjects %zu\nobject bytes %" PRIu64 "\n", count, objects, bytes);
}

static void info(const struct ifr_trace *trace) {
	struct ifr_trace_totals totals;
	const struct ifr_mapping *regions;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	size_t count = ifr_trace_mappings(trace, &regions);
	ifr_trace_totals(trace, &totals);
	fputs(ifr_trace_text(trace), stdout);
	printf("instructions %" PRIu64 "\nsteps %" PRIu64 "\naccesses %" PRIu64 "\nrecorded accesses %" PRIu64 "\n",
	       totals.instructions, totals.executions, totals.accesses, totals.recorded);
	printf("blocks %zu\nstatic accesses %zu\n", ifr_trace_blocks(trace, &blocks),
	       ifr_trace_accesses(trace, &accesses));
	info_of_requests(trace);
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		printf("region %zu %s %" PRIu64 " bytes%s%s\n", i, ifr_mapping_kind_names[regions[i].kind],
		       regions[i].bytes, *regions[i].path ? " " : "", regions[i].path);
}

static void dump_step(const struct ifr_trace *trace, uint32_t step, const uint64_t *places) {
	const struct ifr_mapping *regions;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	ifr_trace_mappings(trace, &regions);
	ifr_trace_blocks(trace, &blocks);
	ifr_trace_accesses(trace, &accesses);
	if (step == IFR_EXECUTION_BREAK) {
		puts("break");
		return;
	}
	const struct ifr_trace_block *block = &blocks[step >> 1];
	printf("block ");
	print_place(trace, regions, block->normalised);
	printf(" +%u, %u instructions%s\n", block->bytes, block->instructions, step & 1 ? ", taken" : "");
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &accesses[block->first_access + i];
		printf("  %s %u ", access->store ? "store" : "load", access->bytes);
		print_place(trace, regions, places[i]);
		puts("");
	}
}

static void read_all(struct ifr_trace *trace, const struct options *options, struct ifr_trace_totals *seen) {
	bool dumps = !strcmp(options->verb, "dump");
	uint64_t left = dumps && options->steps ? options->steps : UINT64_MAX;
	const struct ifr_trace_block *blocks;
	struct ifr_trace_chunk piece;
	ifr_trace_blocks(trace, &blocks);

	while (left && !ifr_launch_interrupted()) {
		ifr_trace_read_chunk(trace, left < PIECE_STEPS ? left : PIECE_STEPS, &piece);
		if (!piece.executions_count)
			return;
		const uint64_t *places = piece.normalised;
		for (size_t i = 0; i < piece.executions_count; i++) {
			const struct ifr_trace_block *block =
				piece.executions[i] == IFR_EXECUTION_BREAK ? NULL : &blocks[piece.executions[i] >> 1];
			if (dumps)
				dump_step(trace, piece.executions[i], places);
			places += block ? block->accesses : 0;
			seen->instructions += block ? block->instructions : 0;
		}
		seen->executions += piece.executions_count;
		seen->accesses += piece.accesses_count;
		left -= piece.executions_count;
	}
}

static int verify(struct ifr_trace *trace, const struct ifr_trace_totals *seen, struct ifr_error *err) {
	struct ifr_trace_totals totals;
	ifr_trace_totals(trace, &totals);
	printf("%" PRIu64 " instructions, %" PRIu64 " steps, %" PRIu64 " accesses\n", seen->instructions,
	       seen->executions, seen->accesses);
	if (!ifr_trace_damage(trace) &&
	    (totals.executions != seen->executions || totals.instructions != seen->instructions ||
	     totals.accesses != seen->accesses))
		return ifr_fail(err, IFR_E_PROGRAM, "the trace holds something else than its totals say");
	return 0;
}

static int run(const struct options *options, struct ifr_error *err) {
	struct ifr_trace *trace = NULL;
	struct ifr_trace_totals seen = {0};
	int result = ifr_trace_open(options->trace, &trace, err);
	if (result)
		return result;
	if (!strcmp(options->verb, "info"))
		info(trace);
	else
		read_all(trace, options, &seen);
	if (!result && !strcmp(options->verb, "verify"))
		result = verify(trace, &seen, err);
	if (!result && fflush(stdout))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	if (!result && ifr_trace_damage(trace))
		result = ifr_fail(err, IFR_E_PROGRAM, "%s: %s; what was whole was read", options->trace,
		                  ifr_trace_damage(trace));
	ifr_trace_free(trace);
	return result;
}

int ifr_command_trace(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_trace_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int result = run(&options, &err);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(&err) : 0;
}
