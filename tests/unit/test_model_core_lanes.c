/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of many layouts at once counts what the scalar graph counts, to the cycle: random programs of real
 * instructions, in layouts that break fusion here and there, on all machines with a core. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/parameters.h"
#include "model/core/program.h"
#include "tests/unit/depth.h"
#include "tests/unit/model_random.h"

enum { LANES = 19, BLOCKS = 48, STEPS = 2000, CODE_MOST = 400, ACCESSES_MOST = 40 };

enum { PREFETCHED = 255 };

struct menu {
	const char *code;
	uint8_t bytes, load, store; /* load, store: bytes of an access; 0: none; PREFETCHED: the load is a prefetch */
};

static const struct menu bodies[] = {
	{"\x48\x01\xd8", 3, 0, 0},                              /* add rax, rbx */
	{"\x48\x0f\xaf\xd8", 4, 0, 0},                          /* imul rbx, rax */
	{"\x48\xf7\xf1", 3, 0, 0},                              /* div rcx */
	{"\x48\x8b\x07", 3, 8, 0},                              /* mov rax, [rdi] */
	{"\x48\x8b\x1f", 3, 8, 0},                              /* mov rbx, [rdi] */
	{"\x0f\xb6\x0f", 3, 1, 0},                              /* movzx ecx, byte [rdi] */
	{"\x48\x89\x07", 3, 0, 8},                              /* mov [rdi], rax */
	{"\x88\x1f", 2, 0, 1},                                  /* mov [rdi], bl */
	{"\x48\x01\x07", 3, 8, 8},                              /* add [rdi], rax */
	{"\x53", 1, 0, 8},                                      /* push rbx */
	{"\x5b", 1, 8, 0},                                      /* pop rbx */
	{"\x48\x8d\x44\x01\x08", 5, 0, 0},                      /* lea rax, [rcx+rax+8] */
	{"\x31\xc0", 2, 0, 0},                                  /* xor eax, eax */
	{"\x48\x89\xc3", 3, 0, 0},                              /* mov rbx, rax */
	{"\x48\x89\xc3\x48\x01\xcb", 6, 0, 0},                  /* mov rbx, rax; add rbx, rcx */
	{"\xf3\x0f\x58\xc1", 4, 0, 0},                          /* addss xmm0, xmm1 */
	{"\xf2\x0f\x5e\xc1", 4, 0, 0},                          /* divsd xmm0, xmm1 */
	{"\xc5\xfe\x6f\x07", 4, 32, 0},                         /* vmovdqu ymm0, [rdi] */
	{"\xc5\xfe\x7f\x07", 4, 0, 32},                         /* vmovdqu [rdi], ymm0 */
	{"\x66\x05\x34\x12", 4, 0, 0},                          /* add ax, 0x1234 */
	{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, 0, 0}, /* movabs rax, … */
	{"\x0f\x1f\x40\x00", 4, 0, 0},                          /* nop */
	{"\x0f\x18\x0f", 3, PREFETCHED, 0},                     /* prefetcht0 [rdi] */
	{"\x0f\x0d\x0f", 3, PREFETCHED, 0},                     /* prefetchw [rdi] */
	{"\xf0\x48\x01\x07", 4, 8, 8},                          /* lock add [rdi], rax */
	{"\x0f\xae\xe8", 3, 0, 0},                              /* lfence */
};

/* Ends of blocks: tests that may fuse with the jump behind them, and branches. */
static const struct {
	struct menu test;
	struct menu branch;
	uint8_t kind;
} ends[] = {
	{{"\x48\x39\xd8", 3, 0, 0}, {"\x75\x05", 2, 0, 0}, IFR_BRANCH_CONDITIONAL},                 /* cmp, jne */
	{{"\x48\x85\xc0", 3, 0, 0}, {"\x0f\x84\x00\x01\x00\x00", 6, 0, 0}, IFR_BRANCH_CONDITIONAL}, /* test, je */
	{{"\x48\x3b\x07", 3, 8, 0}, {"\x7c\x05", 2, 0, 0}, IFR_BRANCH_CONDITIONAL},   /* cmp memory, jl */
	{{"\x48\xff\xc9", 3, 0, 0}, {"\x75\x05", 2, 0, 0}, IFR_BRANCH_CONDITIONAL},   /* dec, jne */
	{{"\x48\x01\xd8", 3, 0, 0}, {"\xeb\x05", 2, 0, 0}, IFR_BRANCH_JUMP},          /* add, jmp */
	{{"\x90", 1, 0, 0}, {"\xe8\x00\x00\x01\x00", 5, 0, 8}, IFR_BRANCH_CALL},      /* nop, call */
	{{"\x90", 1, 0, 0}, {"\xc3", 1, 8, 0}, IFR_BRANCH_RETURN},                    /* nop, ret */
	{{"\x48\x01\xd8", 3, 0, 0}, {"\xff\xe0", 2, 0, 0}, IFR_BRANCH_INDIRECT_JUMP}, /* add, jmp register */
	{{"\x90", 1, 0, 0}, {"\xff\xd0", 2, 0, 8}, IFR_BRANCH_INDIRECT_CALL},         /* nop, call register */
	{{"\x90", 1, 0, 0}, {"\x90", 1, 0, 0}, IFR_BRANCH_NONE},                      /* nothing */
};

struct program {
	uint64_t seed;
	struct ifr_block blocks[BLOCKS];
	uint8_t code[BLOCKS][CODE_MOST];
	struct ifr_geometry shapes[BLOCKS];
	struct ifr_access accesses[BLOCKS * ACCESSES_MOST];
	struct ifr_trace_access traced[BLOCKS * ACCESSES_MOST];
	uint16_t ends[BLOCKS * ACCESSES_MOST];
	size_t accesses_count, data_count;
	uint32_t executions[STEPS];
	uint64_t addresses[2][STEPS * ACCESSES_MOST];
	struct ifr_geometry places[LANES][BLOCKS];
	struct ifr_lane lanes[LANES];
};

static void add_access(struct program *p, struct ifr_block *block, unsigned end, uint8_t bytes,
                       enum ifr_access_kind kind) {
	p->accesses[p->accesses_count] =
		(struct ifr_access){bytes, kind == IFR_ACCESS_STORE, kind == IFR_ACCESS_PREFETCH};
	p->traced[p->accesses_count] =
		(struct ifr_trace_access){.end = (uint16_t)end, .bytes = bytes, .kind = (uint8_t)kind};
	p->ends[p->accesses_count++] = (uint16_t)end;
	block->accesses++;
}

static void add_code(struct program *p, size_t number, const struct menu *from) {
	struct ifr_geometry *shape = &p->shapes[number];
	memcpy(p->code[number] + shape->bytes, from->code, from->bytes);
	shape->bytes = (uint16_t)(shape->bytes + from->bytes);
	shape->branch_bytes = from->bytes;
	shape->instructions++;
	if (from->load == PREFETCHED)
		add_access(p, &p->blocks[number], shape->bytes, 1, IFR_ACCESS_PREFETCH);
	else if (from->load)
		add_access(p, &p->blocks[number], shape->bytes, from->load, IFR_ACCESS_LOAD);
	if (from->store)
		add_access(p, &p->blocks[number], shape->bytes, from->store, IFR_ACCESS_STORE);
}

static void make_blocks(struct program *p) {
	for (size_t i = 0; i < BLOCKS; i++) {
		const size_t end = draw(&p->seed, sizeof ends / sizeof *ends), count = draw(&p->seed, 14);
		p->blocks[i] = (struct ifr_block){.first_access = (uint32_t)p->accesses_count, .branch = ends[end].kind};
		for (size_t k = 0; k < count; k++) {
			/* Locked and serialising instructions, which stand last, are rare. */
			const size_t most = sizeof bodies / sizeof *bodies - (draw(&p->seed, 4) ? 2 : 0);
			add_code(p, i, &bodies[draw(&p->seed, most)]);
		}
		add_code(p, i, &ends[end].test);
		add_code(p, i, &ends[end].branch);
	}
}

/* Loops of a few blocks, so that op cache and loop buffer have something to keep. */
static void make_steps(struct program *p) {
	size_t at = 0;
	for (size_t i = 0; i < STEPS; i++) {
		const bool conditional = p->blocks[at].branch == IFR_BRANCH_CONDITIONAL;
		const bool taken = p->blocks[at].branch != IFR_BRANCH_NONE && (!conditional || draw(&p->seed, 3));
		p->executions[i] = (uint32_t)(at << 1 | (taken || !conditional));
		for (size_t k = 0; k < p->blocks[at].accesses; k++, p->data_count++) {
			const uint64_t object = draw(&p->seed, 30), far = draw(&p->seed, 40) ? 0 : draw(&p->seed, 5000) << 12;
			p->addresses[0][p->data_count] = 0x7f0000000000 + object * 4096 + draw(&p->seed, 6) * 12 + far;
			p->addresses[1][p->data_count] = 0x600000000000 + object * 1088 + draw(&p->seed, 9) * 7 + far;
		}
		at = taken && draw(&p->seed, 8) ? at / 6 * 6 : (at + 1 + draw(&p->seed, 2)) % BLOCKS;
	}
}

/* Where some blocks are in some lanes, far from the others. */
#define LIBRARY UINT64_C(0x7f0000000000)
/* Addresses multiples of this apart, up to 7, have equal hashes (model/replay/block_entries.h): bits 20 and 32, and so
 * on. */
#define EQUAL_HASHES UINT64_C(0x100100000)

static void make_lanes(struct program *p) {
	for (size_t lane = 0; lane < LANES; lane++) {
		uint64_t address = 0x401000 + lane * 8192 + draw(&p->seed, 64);
		for (size_t i = 0; i < BLOCKS; i++) {
			p->places[lane][i] = p->shapes[i];
			p->places[lane][i].address = address + (lane % 5 && i % 3 == 1 ? LIBRARY : 0);
			address += p->shapes[i].bytes + (draw(&p->seed, 3) ? 0 : draw(&p->seed, 70));
		}
		for (size_t i = 0; i < BLOCKS && lane % 4 == 3; i++)
			p->places[lane][i].address = 0x401004 + i / 3 % 8 * EQUAL_HASHES;
		p->lanes[lane] = (struct ifr_lane){p->places[lane], p->ends, lane % 2, lane % 2};
	}
}

static struct program *program_new(uint64_t seed) {
	struct program *p = ifr_alloc(sizeof *p);
	p->seed = seed;
	make_blocks(p);
	make_steps(p);
	make_lanes(p);
	return p;
}

static void decode(const struct program *p, const struct ifr_machine *machine, struct ifr_core_program *to) {
	struct ifr_operations operations = {0};
	struct ifr_decoder *decoder;
	char table[32];
	assert_int_equal(ifr_decoder_new(ifr_core_table(machine, table), &decoder, NULL), 0);
	for (size_t i = 0; i < BLOCKS; i++) {
		const size_t count = p->shapes[i].instructions;
		operations.operations_count = operations.instructions_count = 0;
		assert_int_equal(ifr_decoder_decode(decoder, p->code[i], p->shapes[i].bytes, count, &operations), count);
		ifr_core_program_add(to, &operations, 0, count, p->traced + p->blocks[i].first_access,
		                     p->blocks[i].accesses);
	}
	ifr_operations_release(&operations);
	ifr_decoder_free(decoder);
}

static void replay(const struct program *p, const struct ifr_machine *machine,
                   const struct ifr_core_program *program, enum ifr_engine engine, size_t lanes,
                   struct ifr_counts *counts) {
	const uint64_t *addresses[] = {p->addresses[0], p->addresses[1]};
	const struct ifr_chunk chunk = {p->blocks,     p->accesses, BLOCKS,       p->accesses_count,
	                                p->executions, STEPS,       p->data_count};
	struct ifr_replay *replay;
	assert_int_equal(ifr_replay_new(&replay, machine, lanes, engine, NULL), 0);
	ifr_replay_set_core(replay, program, 0);
	ifr_replay_set_lanes(replay, p->lanes);
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, NULL), 0);
	ifr_replay_counters(replay, counts);
	ifr_replay_free(replay);
}

/* Compares the engines on a machine. Returns the number of cycles of the first lane. */
static uint64_t compare(const struct program *p, const char *spec) {
	struct ifr_counts scalar[LANES], vector[LANES];
	struct ifr_core_program program = {0};
	struct ifr_machine *machine;
	struct ifr_error err = {0};
	if (ifr_machine_open(&machine, spec, &err))
		fail_msg("%s", err.message);
	decode(p, machine, &program);
	replay(p, machine, &program, IFR_ENGINE_SCALAR, LANES, scalar);
	for (unsigned engine = IFR_ENGINE_AVX2; engine <= IFR_ENGINE_AVX512; engine++) {
		if (!ifr_engine_runs((enum ifr_engine)engine))
			continue;
		replay(p, machine, &program, (enum ifr_engine)engine, LANES, vector);
		for (size_t lane = 0; lane < LANES; lane++)
			for (unsigned e = 0; e < IFR_EVENT_COUNT; e++)
				if (scalar[lane].value[e] != vector[lane].value[e])
					fail_msg("%s, layout %zu, %s: %s is %llu, not %llu", spec, lane, ifr_engine_names[engine],
					         ifr_event_name(e), (unsigned long long)vector[lane].value[e],
					         (unsigned long long)scalar[lane].value[e]);
	}
	ifr_core_program_release(&program);
	ifr_machine_free(machine);
	return scalar[0].value[IFR_EVENT_CYCLES];
}

static void test_machines(void **state) {
	static const char *const specs[] = {
		"ivybridge", "haswell", "skylake", "skylake-server", "icelake-server", "goldencove", "zen2", "zen3",
		"zen4", "zen5", "fields2004", "zen5,fetch.calls=0",
		"zen5,op_cache.sets=2,op_cache.ways=5,fetch.several=3,fetch.ahead=2,fetch.bubble2=0,fetch.targets=1",
		"zen3,fetch.prediction=1,fetch.pairs=blocks,op_cache.reads=2",
		"zen4,fetch.targets=7,fetch.branches=3,fetch.pairs=jumps,fetch.indirect=1,fetch.far=5,"
		"fetch.redirect=9,fetch.block_tag=hashed",
		"skylake,fetch.block_tag=hashed", "zen5,fetch.prediction=2,fetch.ahead=2,fetch.bubble2=0,op_cache.sets=2",
		"haswell,fetch.calls=3,fetch.taken=2,loop_buffer.ops=1",
		/* Small structures, which fill; a calendar that must grow; misses of all levels. */
		"skylake,pipeline.window=16,pipeline.scheduler=6,pipeline.loads=5,pipeline.stores=4,pipeline.fills=2",
		"skylake,penalty.llc=1000,penalty.stlb=1000,pipeline.fills=1,l1d.bytes=2048,l1d.ways=2,dtlb.entries=8,"
		"dtlb.ways=4",
		"goldencove,op_cache.sets=1,op_cache.ways=1,fetch.queue=8,l1i.bytes=2048,l1i.ways=4",
		"zen4,pipeline.counters=16,pipeline.issue=1,pipeline.retire=1",
		"skylake,prefetch.fill=own,pipeline.fills=2,l1d.bytes=2048,l1d.ways=2",
		"haswell,pipeline.counters=0,pipeline.alias=0", "skylake,pipeline.wakeup=2", "zen3,pipeline.longest=2",
		"haswell,pipeline.units=unlimited",
		/* Counters that note what they mispredict; lines that no window may have. */
		"haswell,predictor=gshare-8k", "goldencove,op_cache.lines=1,fetch.fusion=within_line"};
	(void)state;
	for (uint64_t seed = 1; seed <= at_depth(1, 12); seed++) {
		struct program *p = program_new(seed);
		for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
			assert_true(compare(p, specs[i]) > STEPS);
		free(p);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_machines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
