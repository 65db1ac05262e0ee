/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shotgun profiler on streams of samples made by hand: which fragments it puts together, and which it drops.
 *
 *   A  400580  load; test and jump to A             B  400589  indirect jump to C or D
 *   C  4005c0  add; jump to A                       D  400600  add; add; jump to A */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machines/machine.h"
#include "model/shotgun/perf_samples.h"
#include "model/shotgun/times.h"
#include "tests/unit/model_core_check.h"

enum { A, B, C, D, BLOCKS, LENGTH = 2000, FIRST_SAMPLED = 100, SAMPLED = 200 };
static const uint64_t at[BLOCKS] = {CODE, CODE + 9, CODE + 0x40, CODE + 0x80};
static const unsigned instructions[BLOCKS] = {2, 1, 2, 3};

/* An execution of the true run. */
struct execution {
	unsigned block;
	bool taken, mispredicted, missed; /* missed: its load, the second cache */
};

struct fixture {
	struct kernel kernel;
	struct ifr_trace_block blocks[BLOCKS];
	struct ifr_trace_access access;
	struct ifr_machine *machine;
	struct ifr_core core;
	struct ifr_shotgun_code code;
	struct execution run[LENGTH];
	struct ifr_shotgun_samples samples;
	struct ifr_shotgun_fragments fragments;
};

/* Four times A, then B, and C or D in turns. Every third load of A misses; jumps of A that fall through are mispredicted
 * before D. */
static void make_run(struct fixture *f) {
	for (unsigned i = 0; i < LENGTH; i++) {
		const unsigned turn = i / 6 % 2, in = i % 6;
		f->run[i] = (struct execution){.block = in < 4    ? A
		                                        : in == 4 ? B
		                                        : turn    ? D
		                                                  : C,
		                               .taken = in != 3,
		                               .mispredicted = in == 3 && turn,
		                               .missed = in < 4 && i % 3 == 0};
	}
}

static void make_code(struct fixture *f) {
	struct kernel *k = &f->kernel;
	struct ifr_error err = {0};
	kernel_init(k);
	kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	kernel_test_jump(k, 3, 2, RAX);
	kernel_end(k);
	kernel_block(k);
	kernel_jump(k, 2, RAX);
	kernel_end(k);
	for (unsigned block = C; block <= D; block++) {
		kernel_block(k);
		for (unsigned i = C; i <= block; i++)
			kernel_alu(k, 3, RCX, RCX, ALU, 1);
		kernel_jump(k, 2, RAX);
		kernel_end(k);
	}
	static const uint8_t branches[BLOCKS] = {IFR_BRANCH_CONDITIONAL, IFR_BRANCH_INDIRECT_JUMP, IFR_BRANCH_JUMP,
	                                         IFR_BRANCH_JUMP};
	for (unsigned i = 0; i < BLOCKS; i++)
		f->blocks[i] = (struct ifr_trace_block){.normalised = at[i],
		                                        .target = i == B ? 0 : CODE,
		                                        .bytes = k->block_bytes[i],
		                                        .instructions = (uint16_t)(instructions[i] + (i == A)),
		                                        .branch = branches[i],
		                                        .accesses = i == A};
	f->access = (struct ifr_trace_access){.end = 4, .bytes = 8, .kind = IFR_ACCESS_LOAD};
	assert_int_equal(ifr_machine_open(&f->machine, "skylake", &err), 0);
	ifr_core_init(&f->core, f->machine);
	f->code = (struct ifr_shotgun_code){.core = &f->core,
	                                    .program = &k->program,
	                                    .blocks = f->blocks,
	                                    .blocks_count = BLOCKS,
	                                    .accesses = &f->access,
	                                    .accesses_count = 1};
}

/* --- samples of the run ------------------------------------------------------------------------------------------- */

/* An instruction of the run: of which execution, and which of its block. */
struct place {
	unsigned execution, index;
};

static unsigned list_places(const struct fixture *f, struct place *places) {
	unsigned count = 0;
	for (unsigned i = 0; i < LENGTH; i++)
		for (unsigned k = 0; k < instructions[f->run[i].block]; k++)
			places[count++] = (struct place){i, k};
	return count;
}

static uint64_t address_of(const struct fixture *f, const struct place *place) {
	static const unsigned offsets[] = {0, 3, 6};
	const unsigned block = f->run[place->execution].block;
	return at[block] + (block == A ? 4 * place->index : offsets[place->index]);
}

/* The bits of table VI, and the parity of the address. */
static uint8_t bits_of(const struct fixture *f, const struct place *place) {
	const struct execution *e = &f->run[place->execution];
	const bool load = e->block == A && !place->index, branch = place->index + 1 == instructions[e->block];
	const bool does = load ? !e->missed : branch && e->taken,
			   suffers = load ? e->missed : branch && e->mispredicted;
	unsigned parity = 0;
	for (uint64_t left = address_of(f, place); left; left >>= 1)
		parity ^= left & 1;
	return (uint8_t)(does | suffers << 1 | parity << 2);
}

static void add_sample(struct fixture *f, const struct place *places, unsigned i) {
	const struct execution *e = &f->run[places[i].execution];
	struct ifr_shotgun_detail detail = {.at = address_of(f, &places[i]), .next = address_of(f, &places[i + 1])};
	for (unsigned n = 0; n < IFR_SHOTGUN_BITS; n++) {
		const uint8_t bits = bits_of(f, &places[i + n - IFR_SHOTGUN_AROUND]);
		detail.does |= (uint32_t)(bits & 1) << n;
		detail.suffers |= (uint32_t)(bits >> 1 & 1) << n;
		detail.parity |= (uint32_t)(bits >> 2 & 1) << n;
	}
	if (e->block == A && !places[i].index)
		detail.access[detail.accesses++] =
			(struct ifr_shotgun_access){.in_page = 0x40, .level = e->missed ? IFR_CORE_LEVEL(3, 0) : 0};
	else if (e->mispredicted)
		detail.flags = IFR_SHOTGUN_MISPREDICTED;
	ifr_shotgun_add_detail(&f->samples, &detail);
}

/* skip: an address whose instruction is never sampled; 0: none. */
static void sample_run(struct fixture *f, uint64_t skip) {
	static struct place places[4 * LENGTH];
	const unsigned count = list_places(f, places);
	ifr_shotgun_samples_release(&f->samples);
	f->samples.instructions = 1000000;
	for (unsigned i = 0; i < BLOCKS; i++)
		ifr_shotgun_add_place(&f->samples, at[i], at[i]);
	ifr_shotgun_begin_signature(&f->samples, CODE, false);
	for (unsigned i = 0; i < count; i++)
		ifr_shotgun_add_bits(&f->samples, bits_of(f, &places[i]));
	for (unsigned i = FIRST_SAMPLED; i < FIRST_SAMPLED + SAMPLED; i++)
		if (address_of(f, &places[i]) != skip)
			add_sample(f, places, i);
}

static void assemble(struct fixture *f) {
	ifr_shotgun_fragments_release(&f->fragments);
	ifr_shotgun_assemble(&f->code, &f->samples, &f->fragments);
	assert_int_equal(f->fragments.signatures, 1);
}

/* --- fragments ---------------------------------------------------------------------------------------------------- */

static void assert_run(const struct fixture *f) {
	assert_int_equal(f->fragments.count, 1);
	assert_true(f->fragments.steps_count > LENGTH - 2);
	for (size_t i = 0; i < f->fragments.steps_count; i++) {
		const struct ifr_shotgun_step *step = &f->fragments.steps[i];
		const struct execution *e = &f->run[i];
		assert_int_equal(step->block, e->block);
		assert_int_equal(step->address, at[e->block]);
		if (i) {
			assert_int_equal(step->taken, e[-1].taken);
			assert_int_equal(step->mispredicted, e[-1].mispredicted);
		}
		if (e->block == A)
			assert_int_equal(f->fragments.levels[step->first_access], e->missed ? IFR_CORE_LEVEL(3, 0) : 0);
	}
}

/* The samples tell two ways of B apart, misses and mispredictions: by the instructions around alone. */
static void test_whole(void **state) {
	struct fixture *f = *state;
	sample_run(f, 0);
	assemble(f);
	assert_run(f);
	assert_int_equal(f->fragments.missing, 0);
	/* All contexts of this run are among the samples. */
	assert_int_equal(f->fragments.exact, f->fragments.instructions);
}

/* Without samples of A's load, bits tell what it suffers; its data are in memory, as the second cache has them not. */
static void test_defaults(void **state) {
	struct fixture *f = *state;
	sample_run(f, CODE);
	assemble(f);
	assert_run(f);
	assert_true(f->fragments.missing > LENGTH / 2 && f->fragments.missing < LENGTH * 3 / 4);
	/* So it is of the jump of A. */
	sample_run(f, CODE + 4);
	assemble(f);
	assert_run(f);
}

/* The place in a page of A's load: another one for each of the eight loads in which the run repeats. */
static uint16_t place_in_turn(unsigned execution) {
	return (uint16_t)(8 * (execution % 12));
}

/* Rewrites the samples of A's access, now a store: so many accesses before is one of an instruction that matters, as it
 * has the same address. */
static void link_accesses(struct fixture *f, uint16_t before, int16_t offset, uint64_t of) {
	static struct place places[4 * LENGTH];
	list_places(f, places);
	f->access.kind = IFR_ACCESS_STORE;
	for (size_t i = 0; i < f->samples.details_count; i++) {
		struct ifr_shotgun_detail *detail = &f->samples.details[i];
		if (detail->at != CODE)
			continue;
		detail->access[0].in_page = place_in_turn(places[FIRST_SAMPLED + i].execution);
		detail->access[0].before = before;
		detail->access[0].offset = offset;
		detail->access[0].of = of;
	}
}

/* Loads whose address is that of the load `distance` before. */
static size_t count_linked(const struct fixture *f, size_t distance) {
	size_t linked = 0;
	for (size_t i = distance; i < f->fragments.accesses_count; i++)
		linked += f->fragments.addresses[i] == f->fragments.addresses[i - distance];
	return linked;
}

/* Each access needs the eighth before it. A sample from a path with another number of accesses between says so by the
 * place in the page. */
static void test_links(void **state) {
	static const uint16_t before[] = {8, 5, 300};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		sample_run(f, 0);
		link_accesses(f, before[i], 0, CODE);
		assemble(f);
		assert_run(f);
		assert_int_equal(count_linked(f, 8), f->fragments.accesses_count - 8);
	}
}

/* No access has the place in the page that the samples tell: the instruction tells which one matters, and without it each
 * has a page of its own. */
static void test_links_of_instructions(void **state) {
	static const uint16_t before[] = {8, 5, 300};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		sample_run(f, 0);
		link_accesses(f, before[i], 2, CODE);
		assemble(f);
		assert_run(f);
		/* Behind those, addresses of accesses that are linked themselves have other places. */
		for (size_t k = before[i]; k < 2u * before[i]; k++)
			assert_int_equal(f->fragments.addresses[k], f->fragments.addresses[k - before[i]] + 2);
	}
	sample_run(f, 0);
	link_accesses(f, 8, 2, CODE + 4);
	assemble(f);
	for (size_t k = 8; k < f->fragments.accesses_count; k++)
		assert_int_not_equal(f->fragments.addresses[k] >> 12, f->fragments.addresses[k - 8] >> 12);
}

/* The eighth access before and the sixteenth have the place in the page, a page before: the one matters that is closer to
 * the number in the sample, neither always the youngest nor always the oldest. */
static void test_closest_link(void **state) {
	static const struct { uint16_t before, closest; } cases[] = {{11, 8}, {13, 16}, {19, 16}, {21, 24}};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const unsigned closest = cases[i].closest;
		sample_run(f, 0);
		link_accesses(f, cases[i].before, 4096, 0);
		assemble(f);
		assert_run(f);
		for (size_t k = closest; k < f->fragments.accesses_count; k++)
			assert_int_equal(f->fragments.addresses[k], f->fragments.addresses[k - closest] + 4096);
	}
}

/* An access that neither stores nor misses matters to none, whatever its place. */
static void test_links_to_hits(void **state) {
	struct fixture *f = *state;
	sample_run(f, 0);
	link_accesses(f, 5, 0, 0);
	f->access.kind = IFR_ACCESS_LOAD;
	for (unsigned i = 0; i < f->samples.details_count; i++)
		f->samples.details[i].access[0].level = 0;
	assemble(f);
	assert_int_equal(f->fragments.count, 1);
	assert_int_equal(count_linked(f, 8), 0);
}

/* The samples of B's jump are all alike, so that the bits around it do not tell where it went: those behind it do, as C
 * and D have other code. */
static void test_targets(void **state) {
	static const uint32_t own = 1u << IFR_SHOTGUN_AROUND;
	struct fixture *f = *state;
	sample_run(f, 0);
	for (size_t i = 0; i < f->samples.details_count; i++) {
		struct ifr_shotgun_detail *detail = &f->samples.details[i];
		if (detail->at != at[B])
			continue;
		detail->does &= own;
		detail->suffers &= own;
		detail->parity &= own;
	}
	assemble(f);
	assert_run(f);
}

static void assert_dropped(const struct fixture *f, uint64_t impossible, uint64_t unknown, uint64_t lost) {
	assert_int_equal(f->fragments.count, 0);
	assert_int_equal(f->fragments.steps_count, 0);
	assert_int_equal(f->fragments.impossible, impossible);
	assert_int_equal(f->fragments.unknown, unknown);
	assert_int_equal(f->fragments.lost, lost);
}

static void test_dropped(void **state) {
	struct fixture *f = *state;
	/* Where B goes is not known. */
	sample_run(f, at[B]);
	assemble(f);
	assert_dropped(f, 0, 0, 1);
	/* The code of D is not known. */
	sample_run(f, 0);
	f->samples.places_count--;
	assemble(f);
	assert_dropped(f, 0, 1, 0);
	/* C's add neither branches nor loads: A four times, then B. */
	sample_run(f, 0);
	f->samples.bits[9] |= IFR_SHOTGUN_DOES;
	assemble(f);
	assert_dropped(f, 1, 0, 0);
	/* A load that is neither in the second cache nor misses. */
	sample_run(f, 0);
	f->samples.bits[2] &= (uint8_t) ~(IFR_SHOTGUN_DOES | IFR_SHOTGUN_SUFFERS);
	assemble(f);
	assert_dropped(f, 1, 0, 0);
	/* An address of another parity. */
	sample_run(f, 0);
	f->samples.bits[500] ^= IFR_SHOTGUN_PARITY;
	assemble(f);
	assert_dropped(f, 1, 0, 0);
}

/* Behind the warm-up, what is before a wrong bit stays: up to the last target that a sample told, B's. */
static void test_shortened(void **state) {
	enum { WRONG = 2500 };
	static struct place places[4 * LENGTH];
	struct fixture *f = *state;
	sample_run(f, 0);
	list_places(f, places);
	f->samples.bits[WRONG] ^= IFR_SHOTGUN_PARITY;
	assemble(f);
	assert_int_equal(f->fragments.count, 1);
	assert_int_equal(f->fragments.shortened, 1);
	assert_int_equal(f->fragments.impossible, 0);
	const struct ifr_shotgun_fragment *fragment = &f->fragments.items[0];
	const uint32_t last = fragment->end - 1;
	assert_int_equal(f->fragments.steps_count, fragment->end);
	assert_int_equal(f->run[last].block, B);
	assert_true(last < places[WRONG].execution && places[WRONG].execution - last <= 12);
	for (uint32_t i = 0; i <= last; i++)
		assert_int_equal(f->fragments.steps[i].block, f->run[i].block);
}

/* No sample tells where B goes: the bits behind it fit one block's code alone, as A is executed 22 times then. */
static void test_searched_targets(void **state) {
	struct fixture *f = *state;
	for (unsigned i = 0; i < LENGTH; i++) {
		const unsigned in = i % 24, block = in < 22 ? A : in == 22 ? B : i / 24 % 2 ? D : C;
		f->run[i] = (struct execution){.block = block, .taken = in != 21, .missed = in < 22 && i % 3 == 0};
	}
	sample_run(f, at[B]);
	assemble(f);
	assert_int_equal(f->fragments.count, 1);
	for (size_t i = 0; i < f->fragments.steps_count; i++)
		assert_int_equal(f->fragments.steps[i].block, f->run[i].block);
}

/* A signature of one block has no instruction behind its warm-up, half of it. */
static void test_short(void **state) {
	struct fixture *f = *state;
	sample_run(f, 0);
	f->samples.signatures[0].count = 2;
	assemble(f);
	assert_dropped(f, 0, 0, 0);
	assert_int_equal(f->fragments.cut, 1);
}

/* --- their cycles ------------------------------------------------------------------------------------------------- */

/* Cycles of the run's first executions, by the graph on the run itself. */
static double true_cycles(struct fixture *f, size_t count, uint32_t set) {
	f->kernel.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct cycles_step *step =
			kernel_run(&f->kernel, f->run[i].block, at[f->run[i].block], i && f->run[i - 1].taken);
		step->outcome.mispredicted = i && f->run[i - 1].mispredicted;
		f->kernel.addresses[i][0] = DATA + 64 * i;
		f->kernel.levels[i][0] = f->run[i].missed ? IFR_CORE_LEVEL(3, 0) : 0;
	}
	return (double)kernel_idealised(&f->kernel, f->machine, set);
}

static void test_times(void **state) {
	static const uint32_t sets[] = {0, 1u << IFR_CAUSE_BMISP, 1u << IFR_CAUSE_DMISS,
	                                1u << IFR_CAUSE_BMISP | 1u << IFR_CAUSE_DMISS, 1u << IFR_CAUSE_SHALU};
	enum { SETS = sizeof sets / sizeof *sets };
	struct fixture *f = *state;
	struct ifr_ideal_times times;
	sample_run(f, 0);
	assemble(f);
	const struct ifr_shotgun_fragment *fragment = &f->fragments.items[0];
	ifr_shotgun_times(&f->code, &f->fragments, f->machine, sets, SETS, f->samples.instructions, &times);
	assert_int_equal(times.fragments, 1);
	for (unsigned i = 0; i < SETS; i++) {
		const double cycles = true_cycles(f, fragment->end, sets[i]) - true_cycles(f, fragment->measured, sets[i]);
		assert_float_equal(times.fragment_cycles[i], cycles, 0.01 * cycles);
		assert_float_equal(times.cycles[i], times.fragment_cycles[i] * 1e6 / fragment->instructions,
		                   1e-6 * times.cycles[i]);
	}
	/* They are apart from one another. */
	assert_true(times.cycles[1] < 0.99 * times.cycles[0] && times.cycles[2] < 0.9 * times.cycles[0]);
	ifr_ideal_times_release(&times);
}

/* A chain through memory: load, add, store, and a jump back. */
static void make_chain(struct kernel *k, struct ifr_trace_block *block) {
	kernel_init(k);
	kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_store(k, 4, RDX, RAX, 8);
	kernel_jump(k, 2, RCX);
	kernel_end(k);
	*block = (struct ifr_trace_block){.normalised = CODE,
	                                  .target = CODE,
	                                  .bytes = k->block_bytes[0],
	                                  .instructions = 4,
	                                  .branch = IFR_BRANCH_JUMP,
	                                  .accesses = 2};
}

/* Two fragments of the chain, each with its own variable, as no sample knows the variable of another fragment. The window
 * has room for more than the warm-up, so that a fragment that began beside the end of the one before would cost less. */
static void test_apart(void **state) {
	enum { ROUNDS = 500, WARMED = 250 };
	static const uint32_t sets[] = {0, 1u << IFR_CAUSE_WIN};
	struct ifr_trace_block block;
	struct ifr_shotgun_step steps[2 * ROUNDS];
	uint64_t addresses[4 * ROUNDS];
	uint8_t levels[4 * ROUNDS] = {0};
	struct kernel kernel;
	struct ifr_machine *machine;
	struct ifr_ideal_times times;
	struct ifr_error err = {0};
	(void)state;
	make_chain(&kernel, &block);
	assert_int_equal(ifr_machine_open(&machine, "skylake", &err), 0);
	for (unsigned i = 0; i < 2 * ROUNDS; i++) {
		steps[i] = (struct ifr_shotgun_step){.address = CODE, .first_access = 2 * i, .taken = i % ROUNDS != 0};
		addresses[2 * i] = addresses[2 * i + 1] = DATA + 4160 * (i / ROUNDS);
	}
	struct ifr_shotgun_fragment items[] = {{0, WARMED, ROUNDS, 4 * (ROUNDS - WARMED), false},
	                                       {ROUNDS, ROUNDS + WARMED, 2 * ROUNDS, 4 * (ROUNDS - WARMED), false}};
	const struct ifr_shotgun_fragments fragments = {.steps = steps,
	                                                .items = items,
	                                                .addresses = addresses,
	                                                .levels = levels,
	                                                .accesses = kernel.accesses,
	                                                .steps_count = 2 * ROUNDS,
	                                                .count = 2};
	const struct ifr_shotgun_code code = {
		.program = &kernel.program, .blocks = &block, .blocks_count = 1, .accesses_count = 2};
	ifr_shotgun_times(&code, &fragments, machine, sets, 2, 1000, &times);
	for (unsigned set = 0; set < 2; set++) {
		int64_t cycles[2];
		for (unsigned half = 0; half < 2; half++) {
			kernel.count = 0;
			for (unsigned i = 0; i < (half ? ROUNDS : WARMED); i++) {
				kernel_run(&kernel, 0, CODE, i > 0);
				kernel.addresses[i][0] = kernel.addresses[i][1] = DATA;
			}
			cycles[half] = kernel_idealised(&kernel, machine, sets[set]);
		}
		const double chain = (double)(cycles[1] - cycles[0]);
		/* A load from the store before takes four cycles at least. */
		assert_true(chain >= 4 * (ROUNDS - WARMED));
		for (unsigned i = 0; i < 2; i++)
			assert_float_equal(times.fragment_cycles[2 * set + i], chain, 0.01 * chain);
	}
	ifr_ideal_times_release(&times);
	/* Likewise, but one is of a run's head, which stands for a quarter of the run. */
	items[0].head = true;
	ifr_shotgun_times(&code, &fragments, machine, sets, 1, 4 * (uint64_t)IFR_CORE_HEAD, &times);
	const double *weighted = times.fragment_cycles, measured = 4 * (ROUNDS - WARMED);
	assert_int_equal(times.fragment_instructions[0], measured / 2);
	assert_int_equal(times.fragment_instructions[1], measured * 3 / 2);
	assert_float_equal(weighted[1], 3 * weighted[0], 0.01 * weighted[1]);
	assert_true(fabs(times.cycles[0] - 2 * IFR_CORE_HEAD / measured * (weighted[0] + weighted[1])) < 1);
	ifr_ideal_times_release(&times);
	ifr_machine_free(machine);
	kernel_release(&kernel);
}

/* --- a processor's samples ---------------------------------------------------------------------------------------- */

static const struct ifr_perf_file perf_files[] = {{"/prog", 0x400000}};
#define PERF_MAPPING                                                                               \
	"prog 7 PERF_RECORD_MMAP2 7/7: [0x400000(0x1000) @ 0 08:01 12 0]: r-xp /prog\n"                \
	"prog 7 PERF_RECORD_MMAP2 7/7: [0x7f0000000000(0x1000) @ 0x1000 <1f2e>]: r-xp /lib/other.so\n" \
	"prog 7 PERF_RECORD_COMM exec: prog:7/7\n"

/* The stack of the last 32 taken branches before an execution, the youngest first, as perf prints it. */
static void print_branches(const struct fixture *f, unsigned execution, struct ifr_buffer *text) {
	static const unsigned jump[BLOCKS] = {7, 0, 3, 6};
	unsigned printed = 0;
	for (unsigned i = execution; i-- > 0 && printed < 32;)
		if (f->run[i].taken) {
			ifr_buffer_printf(text, " 0x%lx/0x%lx/%c/-/-/0", at[f->run[i].block] + jump[f->run[i].block],
			                  at[f->run[i + 1].block], f->run[i].mispredicted ? 'M' : 'P');
			printed++;
		}
}

/* A sample of each load of A, by turns of another form: levels by number or by bits, with and without the period. */
static void print_perf_samples(const struct fixture *f, struct ifr_buffer *text) {
	ifr_buffer_puts(text, PERF_MAPPING);
	for (unsigned i = 100; i < LENGTH; i += 7) {
		if (f->run[i].block != A)
			continue;
		ifr_buffer_printf(text, "     1000003 cpu/mem-loads,ldlat=3/P:     7ffe12345040  %s ",
		                  f->run[i].missed
		                      ? "1a68100002 |OP LOAD|LVL RAM hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"
		                      : "68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A");
		ifr_buffer_printf(text, " %lx", CODE);
		print_branches(f, i, text);
		ifr_buffer_puts(text, "\n");
	}
	ifr_buffer_puts(text, "  500000 instructions:upp:  ffffffff81000000\n\n# the end\n");
}

static int parse_perf(struct fixture *f, const char *text, struct ifr_error *err) {
	ifr_shotgun_samples_release(&f->samples);
	*err = (struct ifr_error){0};
	return ifr_perf_samples_parse(text, "perf", &f->code, perf_files, 1, &f->samples, err);
}

/* The stacks lead along the run: fragments have its blocks, and its mispredictions but for those of branches that are not
 * taken. Half of the loads miss, as the run's. */
static void test_perf(void **state) {
	struct fixture *f = *state;
	struct ifr_buffer text = {0};
	struct ifr_error err;
	print_perf_samples(f, &text);
	assert_true(ifr_perf_samples_recognise(ifr_buffer_text(&text)));
	assert_int_equal(parse_perf(f, ifr_buffer_text(&text), &err), 0);
	assert_int_equal(f->samples.instructions, 500000);
	assert_int_equal(f->samples.places_count, BLOCKS);
	ifr_shotgun_assemble(&f->code, &f->samples, &f->fragments);
	assert_true(f->fragments.signatures > 100);
	assert_int_equal(f->fragments.count, f->fragments.signatures);
	size_t loads = 0, missed = 0, turns[BLOCKS] = {0}, mispredicted = 0;
	for (size_t i = 0; i < f->fragments.steps_count; i++) {
		const struct ifr_shotgun_step *step = &f->fragments.steps[i];
		turns[step->block]++;
		mispredicted += step->mispredicted;
		if (step->block == A) {
			loads++;
			missed += f->fragments.levels[step->first_access] == IFR_CORE_LEVEL(3, 0);
		}
	}
	assert_true(loads > 3 * turns[B] && loads < 5 * turns[B]);
	assert_true(turns[C] > turns[B] / 3 && turns[D] > turns[B] / 3);
	assert_true(missed > 0.45 * (double)loads && missed < 0.55 * (double)loads);
	assert_int_equal(mispredicted, 0);
	/* Written as our own text and read again, they are the same. */
	struct ifr_buffer ours = {0}, again = {0};
	struct ifr_shotgun_samples read;
	ifr_shotgun_samples_print(&f->samples, &ours);
	assert_false(ifr_perf_samples_recognise(ifr_buffer_text(&ours)));
	assert_int_equal(ifr_shotgun_samples_parse(ifr_buffer_text(&ours), "ours", &read, &err), 0);
	ifr_shotgun_samples_print(&read, &again);
	assert_string_equal(ifr_buffer_text(&ours), ifr_buffer_text(&again));
	ifr_shotgun_samples_release(&read);
	ifr_buffer_release(&ours);
	ifr_buffer_release(&again);
	ifr_buffer_release(&text);
}

/* Of a stack: A four times, B, D, A. The older half has been mispredicted. */
#define PERF_STACK                                                                                             \
	" 0x400606/0x400580/P/-/-/0 0x400589/0x400600/M/-/-/9 0x400587/0x400580/P/-/-/0 0x400587/0x400580/M/-/-/0" \
	" 0x400587/0x400580/P/-/-/0 0x4005c3/0x400580/P/-/-/0 0x400589/0x4005c0/P/-/-/0 0x400587/0x400580/P/-/-/0" \
	" 0x400587/0x400580/P/-/-/0 0x400587/0x400580/P/-/-/0 0x400606/0x400580/P/-/-/0 0x400589/0x400600/M/-/-/9\n"

static void test_perf_bits(void **state) {
	/* D; A and its jump three times, then through to B; C; and so on to D's end. Bit 4: no branch. */
	static const uint8_t bits[] = {8, 8, 1, 8, 1, 8, 1, 8, 1, 8, 0, 1, 8, 1, 8, 1, 8, 3, 8, 1, 8, 0, 3, 8, 8, 1};
	struct fixture *f = *state;
	struct ifr_error err;
	assert_int_equal(parse_perf(f, PERF_MAPPING " cycles:upp:  400580" PERF_STACK, &err), 0);
	assert_int_equal(f->samples.signatures_count, 1);
	assert_int_equal(f->samples.signatures[0].at, 0x400600);
	assert_int_equal(f->samples.bits_count, sizeof bits);
	for (size_t i = 0; i < sizeof bits; i++)
		assert_int_equal(f->samples.bits[i] & ~IFR_SHOTGUN_PARITY, bits[i]);
	/* A sample of each branch; the last one knows where it went. */
	assert_int_equal(f->samples.details_count, 13);
	assert_int_equal(f->samples.details[12].next, 0x400580);
	assert_int_equal(f->samples.details[11].at, 0x400589);
	assert_int_equal(f->samples.details[11].next, 0x400600);
	assert_int_equal(f->samples.details[11].flags, IFR_SHOTGUN_TAKEN | IFR_SHOTGUN_MISPREDICTED);
	/* No period: the run's instructions are the trace's. */
	assert_int_equal(f->samples.instructions, 0);
}

static void test_perf_levels(void **state) {
	/* L1, L2, LFB, L3, RAM by number; L1, L2, L3 and local memory by bits; pages by L2, the walker and the system. */
	static const struct {
		const char *source;
		uint8_t level;
	} cases[] = {
		{"268100142", IFR_CORE_LEVEL(0, 0)},  {"468100002", IFR_CORE_LEVEL(1, 0)},
		{"1868100002", IFR_CORE_LEVEL(1, 0)}, {"668100002", IFR_CORE_LEVEL(2, 0)},
		{"1a68100002", IFR_CORE_LEVEL(3, 0)}, {"68100142", IFR_CORE_LEVEL(0, 0)},
		{"68100442", IFR_CORE_LEVEL(1, 0)},   {"68100842", IFR_CORE_LEVEL(2, 0)},
		{"68101042", IFR_CORE_LEVEL(3, 0)},   {"88100142", IFR_CORE_LEVEL(0, 2)},
		{"48100142", IFR_CORE_LEVEL(0, 1)},   {"108100142", IFR_CORE_LEVEL(0, 2)},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_error err;
		char *text = ifr_format(PERF_MAPPING "mem:  7f40 %s |OP LOAD|LVL N/A  400580" PERF_STACK, cases[i].source);
		assert_int_equal(parse_perf(f, text, &err), 0);
		free(text);
		const struct ifr_shotgun_detail *detail = &f->samples.details[0];
		assert_int_equal(detail->at, CODE);
		assert_int_equal(detail->accesses, 1);
		assert_int_equal(detail->access[0].in_page, 0xf40);
		assert_int_equal(detail->access[0].level, cases[i].level);
		assert_int_equal(detail->suffers >> IFR_SHOTGUN_AROUND & 1, cases[i].level != 0);
	}
}

static void test_perf_bad(void **state) {
	static const char *const bad[] = {"hello\n",
	                                  "cycles:\n",
	                                  "12 cycles: xyz\n",
	                                  "cycles: 400580 0x1/0x2\n",
	                                  "mem: 7f40 |OP LOAD 400580\n",
	                                  "cycles: 400580 0x1/0x2/Z/-/-/0\n",
	                                  "p PERF_RECORD_MMAP2 7/7: [0x400000(0x1000)\n"};
	struct fixture *f = *state;
	struct ifr_error err;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *text = ifr_format(PERF_MAPPING "%s", bad[i]);
		assert_true(parse_perf(f, text, &err) != 0);
		assert_int_equal(err.code, IFR_E_USAGE);
		assert_non_null(strstr(err.message, "perf:4: no line of samples: print them with perf script"));
		free(text);
	}
	/* Samples elsewhere, and without stacks. */
	assert_true(parse_perf(f, PERF_MAPPING "cycles: 7f0000000010 0x7f0000000040/0x7f0000000000/P/-/-/0\n", &err) !=
	            0);
	assert_non_null(strstr(err.message, "perf record -b"));
	assert_true(parse_perf(f, PERF_MAPPING "cycles: 400580\n", &err) != 0);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void test_text(void **state) {
	static const char text[] = "instructions 7\nplace 400580 5580\nsignature 400580 1357\n"
							   "detail 400580 400584 1fffff 3 5 2 3 12 7 fff:7:3:-8:400577 0:0:0:0:0\n";
	static const char *const bad[] = {"detail 1 2 3\n",
	                                  "signature 400580 13g\n",
	                                  "signature 400580 \n",
	                                  "hello\n",
	                                  "instructions seven\n",
	                                  "place 400580\n",
	                                  "detail 1 2 200000 0 0 0 0 0 0\n",
	                                  "detail 1 2 0 0 0 0 0 0 0 1000:0:0:0:0\n",
	                                  "detail 1 2 0 0 0 0 0 0 0 0:0:0:0:0 x\n",
	                                  "detail 1 2 0 0 0 0 0 0 0 0:0:0:0\n"};
	struct ifr_shotgun_samples samples;
	struct ifr_buffer out = {0};
	struct ifr_error err = {0};
	(void)state;
	assert_int_equal(ifr_shotgun_samples_parse(text, "s", &samples, &err), 0);
	assert_int_equal(samples.details[0].access[0].offset, -8);
	assert_int_equal(samples.details[0].access[0].of, 0x400577);
	assert_int_equal(samples.bits[2], 5);
	ifr_shotgun_samples_print(&samples, &out);
	assert_string_equal(ifr_buffer_text(&out), text);
	ifr_shotgun_samples_release(&samples);
	ifr_buffer_release(&out);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_true(ifr_shotgun_samples_parse(bad[i], "s", &samples, &err) != 0);
		assert_int_equal(err.code, IFR_E_USAGE);
		assert_non_null(strstr(err.message, "s:1: "));
		ifr_shotgun_samples_release(&samples);
	}
}

static int begin(void **state) {
	struct fixture *f = ifr_alloc(sizeof *f);
	make_run(f);
	make_code(f);
	*state = f;
	return 0;
}

static int end(void **state) {
	struct fixture *f = *state;
	ifr_shotgun_samples_release(&f->samples);
	ifr_shotgun_fragments_release(&f->fragments);
	ifr_machine_free(f->machine);
	kernel_release(&f->kernel);
	free(f);
	return 0;
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole, begin, end),
		cmocka_unit_test_setup_teardown(test_defaults, begin, end),
		cmocka_unit_test_setup_teardown(test_targets, begin, end),
		cmocka_unit_test_setup_teardown(test_links, begin, end),
		cmocka_unit_test_setup_teardown(test_links_of_instructions, begin, end),
		cmocka_unit_test_setup_teardown(test_closest_link, begin, end),
		cmocka_unit_test_setup_teardown(test_links_to_hits, begin, end),
		cmocka_unit_test_setup_teardown(test_dropped, begin, end),
		cmocka_unit_test_setup_teardown(test_shortened, begin, end),
		cmocka_unit_test_setup_teardown(test_searched_targets, begin, end),
		cmocka_unit_test_setup_teardown(test_short, begin, end),
		cmocka_unit_test_setup_teardown(test_times, begin, end),
		cmocka_unit_test(test_apart),
		cmocka_unit_test_setup_teardown(test_perf, begin, end),
		cmocka_unit_test_setup_teardown(test_perf_bits, begin, end),
		cmocka_unit_test_setup_teardown(test_perf_levels, begin, end),
		cmocka_unit_test_setup_teardown(test_perf_bad, begin, end),
		cmocka_unit_test(test_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
