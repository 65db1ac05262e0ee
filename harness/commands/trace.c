/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero trace: prints and verifies recordings. */
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

enum { CHUNK_EXECUTIONS = 65536 };

struct options {
	const char *verb, *trace;
	uint64_t executions;
	bool code;
};

enum { KEY_CODE = 256 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'n':
		if (option_number("-n", argument, 0, INT64_MAX, &options->executions, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_CODE:
		options->code = true;
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
	{"number", 'n', "N", 0, "dump: print the first N block executions (all)", 0},
	{"executions", 'n', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"steps", 'n', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"code", KEY_CODE, NULL, 0, "dump: print the code of each block, too, an instruction a group", 0},
	{0},
};
const struct argp ifr_trace_argp = {
	table,
	parse_option,
	"info TRACE\n"
	"dump TRACE\n"
	"verify TRACE",
	"Print a recording's totals and mappings (info), print its block executions and data accesses (dump), or "
	"read all of it and check it (verify).\v"
	"A normalised address is a mapping and an offset, such as program1:0x1139 or stack:-8. The mapping is of the "
	"program, a library, the stack, the heap, or other memory. Offsets in the program and in libraries are the "
	"addresses in their files; stack offsets count from the first stack pointer. After \"record --objects\", an "
	"address in a heap object names that object: object7:8 is byte 8 of the object that request 7 allocated, "
	"both counted from 0.\n"
	"\n"
	"A block ends at a branch (conditional, jump, call, return, indirect jump, indirect call), a system call or a "
	"repeated string instruction; or where an instruction faulted (fault), something else ran (interruption), or a "
	"straight run became too long (limit). Replays ignore the program's prefetches. The trace holds each block's "
	"code as it ran.\n"
	"\n"
	"Exit status: 0 whole, 2 usage, 3 cut or damaged (the whole part is shown), 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

/* Prints the heap object of a normalised address: the last one that begins, less its margin, at or before it. */
static void print_object(const struct ifr_trace *trace, uint64_t normalised) {
	const struct ifr_trace_request *requests;
	size_t low = 0, high = ifr_trace_requests(trace, &requests);
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (requests[middle].normalised - IFR_OBJECT_MARGIN <= normalised)
			low = middle;
		else
			high = middle;
	}
	printf("object%zu:%" PRId64, low, high ? (int64_t)(normalised - requests[low].normalised) : 0);
}

static void print_address(const struct ifr_trace *trace, const struct ifr_mapping *mappings, uint64_t normalised) {
	uint64_t number = normalised >> IFR_MAPPING_SHIFT, offset = normalised & IFR_OFFSET_MASK;
	const struct ifr_mapping *mapping = &mappings[number];
	if (number < IFR_MAPPING_FIRST)
		printf("other:0x%" PRIx64, normalised);
	else if (mapping->kind == IFR_MAPPING_STACK)
		printf("stack:%" PRId64, (int64_t)(offset - IFR_STACK_ORIGIN));
	else if (mapping->kind == IFR_MAPPING_OBJECTS)
		print_object(trace, normalised);
	else
		printf("%s%" PRIu64 ":0x%" PRIx64, ifr_mapping_kind_names[mapping->kind], number, offset);
}

static void print_requests(const struct ifr_trace *trace) {
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

static void print_code_bytes(const struct ifr_trace_block *blocks, size_t block_count,
                             const struct ifr_trace_access *accesses, size_t access_count) {
	uint64_t bytes = 0, prefetches = 0;
	for (size_t i = 0; i < block_count; i++)
		bytes += blocks[i].bytes;
	for (size_t i = 0; i < access_count; i++)
		prefetches += accesses[i].kind == IFR_ACCESS_PREFETCH;
	printf("static prefetches %" PRIu64 "\ncode bytes %" PRIu64 "\n", prefetches, bytes);
}

static void print_info(const struct ifr_trace *trace) {
	struct ifr_trace_totals totals;
	const struct ifr_mapping *mappings;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	size_t count = ifr_trace_mappings(trace, &mappings);
	ifr_trace_totals(trace, &totals);
	fputs(ifr_trace_text(trace), stdout);
	printf("instructions %" PRIu64 "\nexecutions %" PRIu64 "\naccesses %" PRIu64 "\nrecorded accesses %" PRIu64
	       "\n",
	       totals.instructions, totals.executions, totals.accesses, totals.recorded);
	const size_t count_blocks = ifr_trace_blocks(trace, &blocks),
				 count_accesses = ifr_trace_accesses(trace, &accesses);
	printf("blocks %zu\nstatic accesses %zu\n", count_blocks, count_accesses);
	print_code_bytes(blocks, count_blocks, accesses, count_accesses);
	print_requests(trace);
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		printf("mapping %zu %s %" PRIu64 " bytes%s%s\n", i, ifr_mapping_kind_names[mappings[i].kind],
		       mappings[i].bytes, *mappings[i].path ? " " : "", mappings[i].path);
}

static const char *end_name(const struct ifr_trace_block *block) {
	static const char *const branches[] = {
		[IFR_BRANCH_CONDITIONAL] = "conditional",     [IFR_BRANCH_JUMP] = "jump",
		[IFR_BRANCH_INDIRECT_JUMP] = "indirect jump", [IFR_BRANCH_CALL] = "call",
		[IFR_BRANCH_INDIRECT_CALL] = "indirect call", [IFR_BRANCH_RETURN] = "return"};
	static const char *const ends[IFR_BLOCK_ENDS] = {[IFR_END_SYSTEM_CALL] = "system call",
	                                                 [IFR_END_REPEAT] = "repeat",
	                                                 [IFR_END_FAULT] = "fault",
	                                                 [IFR_END_LIMIT] = "limit",
	                                                 [IFR_END_INTERRUPTION] = "interruption"};
	return block->end == IFR_END_BRANCH ? branches[block->branch] : ends[block->end];
}

/* Prints the code of a block; bytes of instructions that the decoder does not know are one group. */
static void dump_code(const struct ifr_trace *trace, size_t block) {
	static uint8_t lengths[UINT16_MAX];
	const struct ifr_trace_block *blocks;
	const uint8_t *code = ifr_trace_code(trace, block);
	ifr_trace_blocks(trace, &blocks);
	const size_t count = ifr_trace_split_block(trace, block, lengths);
	printf("  code ");
	for (size_t at = 0, insn = 0, end = count ? lengths[0] : SIZE_MAX; at < blocks[block].bytes; at++) {
		if (at == end)
			end += lengths[++insn];
		printf("%02x%s", code[at], at + 1 == end && at + 1 < blocks[block].bytes ? " " : "");
	}
	puts("");
}

static void dump_execution(const struct ifr_trace *trace, uint32_t execution, const uint64_t *addresses,
                           bool code) {
	static const char *const kinds[IFR_ACCESS_KINDS] = {"load", "store", "prefetch"};
	const struct ifr_mapping *mappings;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	ifr_trace_mappings(trace, &mappings);
	ifr_trace_blocks(trace, &blocks);
	ifr_trace_accesses(trace, &accesses);
	if (execution == IFR_EXECUTION_BREAK) {
		puts("break");
		return;
	}
	const struct ifr_trace_block *block = &blocks[execution >> 1];
	printf("block ");
	print_address(trace, mappings, block->normalised);
	printf(" +%u, %u instructions, %s%s\n", block->bytes, block->instructions, end_name(block),
	       execution & 1 ? ", taken" : "");
	if (code && block->bytes)
		dump_code(trace, execution >> 1);
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &accesses[block->first_access + i];
		printf("  %s %u ", kinds[access->kind], access->bytes);
		print_address(trace, mappings, addresses[i]);
		puts("");
	}
}

static void read_executions(struct ifr_trace *trace, const struct options *options,
                            struct ifr_trace_totals *seen) {
	bool dumps = !strcmp(options->verb, "dump");
	uint64_t left = dumps && options->executions ? options->executions : UINT64_MAX;
	const struct ifr_trace_block *blocks;
	struct ifr_trace_chunk chunk;
	ifr_trace_blocks(trace, &blocks);

	while (left && !ifr_launch_interrupted()) {
		ifr_trace_read_chunk(trace, left < CHUNK_EXECUTIONS ? left : CHUNK_EXECUTIONS, &chunk);
		if (!chunk.executions_count)
			return;
		const uint64_t *addresses = chunk.normalised;
		for (size_t i = 0; i < chunk.executions_count; i++) {
			const struct ifr_trace_block *block =
				chunk.executions[i] == IFR_EXECUTION_BREAK ? NULL : &blocks[chunk.executions[i] >> 1];
			if (dumps)
				dump_execution(trace, chunk.executions[i], addresses, options->code);
			addresses += block ? block->accesses : 0;
			seen->instructions += block ? block->instructions : 0;
		}
		seen->executions += chunk.executions_count;
		seen->accesses += chunk.accesses_count;
		left -= chunk.executions_count;
	}
}

/* Checks that a block's code is as many instructions as ran, the last of the length of its branch, and that each access
 * belongs to one of them. */
static bool check_code(const struct ifr_trace *trace, size_t block) {
	static uint8_t lengths[UINT16_MAX], ends[UINT16_MAX + 1];
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	ifr_trace_blocks(trace, &blocks);
	ifr_trace_accesses(trace, &accesses);
	const struct ifr_trace_block *this = &blocks[block];
	const size_t count = ifr_trace_split_block(trace, block, lengths);
	bool right = count == this->instructions && (!count || lengths[count - 1] == this->branch_bytes);
	memset(ends, 0, this->bytes + 1U);
	ends[0] = !count;
	for (size_t i = 0, at = 0; i < count; i++)
		ends[at += lengths[i]] = true;
	for (unsigned i = 0; i < this->accesses && right; i++)
		right = ends[accesses[this->first_access + i].end];
	return right;
}

static int verify_code(const struct ifr_trace *trace, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	for (size_t i = 0; i < count; i++)
		if (!check_code(trace, i))
			return ifr_fail(err, IFR_E_PROGRAM,
			                "the code of block %zu (mapping %" PRIu64 ", offset 0x%" PRIx64
			                ") does not decode to its %u instructions",
			                i, blocks[i].normalised >> IFR_MAPPING_SHIFT, blocks[i].normalised & IFR_OFFSET_MASK,
			                blocks[i].instructions);
	return 0;
}

static int verify_trace(struct ifr_trace *trace, const struct ifr_trace_totals *seen, struct ifr_error *err) {
	struct ifr_trace_totals totals;
	ifr_trace_totals(trace, &totals);
	printf("%" PRIu64 " instructions, %" PRIu64 " block executions, %" PRIu64 " accesses\n", seen->instructions,
	       seen->executions, seen->accesses);
	if (!ifr_trace_damage(trace) &&
	    (totals.executions != seen->executions || totals.instructions != seen->instructions ||
	     totals.accesses != seen->accesses))
		return ifr_fail(err, IFR_E_PROGRAM, "the trace's content differs from its totals");
	return verify_code(trace, err);
}

static int read_trace(const struct options *options, struct ifr_error *err) {
	struct ifr_trace *trace = NULL;
	struct ifr_trace_totals seen = {0};
	int result = ifr_trace_open(options->trace, &trace, err);
	if (result)
		return result;
	ifr_trace_keep_prefetches(trace);
	if (!strcmp(options->verb, "info"))
		print_info(trace);
	else
		read_executions(trace, options, &seen);
	if (!result && !strcmp(options->verb, "verify"))
		result = verify_trace(trace, &seen, err);
	if (!result && fflush(stdout))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	if (!result && ifr_trace_damage(trace))
		result = ifr_fail(err, IFR_E_PROGRAM, "%s: %s; only the part before the damage was read", options->trace,
		                  ifr_trace_damage(trace));
	ifr_trace_free(trace);
	return result;
}

int ifr_command_trace(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_trace_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int result = read_trace(&options, &err);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(&err) : 0;
}
