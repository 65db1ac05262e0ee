/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rates all|sampled|full|predictor TRACE LAYOUTS PASSES MACHINE ENGINE [MACHINE ENGINE...]: speed of a replay under so
 * many layouts at once, in one thread, in millions of instructions and of conditional branches a second, of all layouts
 * together.
 *   all        reads the trace and counts everything that the machine has
 *   sampled    all, and the machine's core over samples
 *   full       all, and the core over everything
 *   predictor  runs the predictor of directions alone
 * Neither includes placing the layouts, which is done once. ENGINE is scalar, avx2 or avx512.
 *
 * Others use the processor as well, if only its other hyperthread. So the trace is replayed PASSES times, the
 * machines in turn, and each chunk is timed. The first figure adds up the fastest time of each chunk: the work is
 * the same every time, so a longer time was disturbed. The figure in brackets is of the median pass, as measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/buffer.h"
#include "harness/design/layout_generator.h"
#include "harness/simulate/plan_layouts.h"
#include "model/model.h"
#include "model/replay/stages.h"
#include "tests/bench/captured.h"

enum { MOST_PASSES = 100, MOST_SUBJECTS = 16, PIECE_STEPS = 16384 };

struct subject {
	const char *name;
	struct ifr_machine *machine;
	enum ifr_engine engine;
	const char *ran;
	double *fastest; /* seconds, by chunk */
	double passes[MOST_PASSES];
	struct ifr_counts *counters;
};

/* The work of all machines. */
struct work {
	struct ifr_trace *trace;
	struct ifr_address_map **maps;
	size_t layouts;
	enum ifr_core_use core;
	/* for the predictor alone */
	struct ifr_block *blocks;
	struct ifr_lane *lanes;
	struct ifr_branch_layout *branch_layouts;
	uint32_t *executions;
	size_t blocks_count, executions_count;
};

static void die(const struct ifr_error *err) {
	fprintf(stderr, "rates: %s\n", err->message);
	exit(err->code);
}

/* Seconds of processor time of this thread. */
static double seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of each chunk of a pass; the current chunk began at piece_began. */
static double *pieces, piece_began;
static size_t pieces_count, pieces_room;

static void end_piece(void) {
	if (pieces_count == pieces_room) {
		pieces_room = 2 * pieces_room + 1024;
		pieces = ifr_realloc(pieces, pieces_room, sizeof *pieces);
	}
	pieces[pieces_count++] = seconds() - piece_began;
}

/* ifr_count_events asks before each chunk whether to go on; the first piece is the work done once. */
static bool next_piece(void *data, size_t executions) {
	(void)data, (void)executions;
	end_piece();
	piece_began = seconds();
	return true;
}

static void replay_all(const struct work *work, struct subject *subject) {
	const struct ifr_count_settings settings = {
		.machine = subject->machine, .engine = subject->engine, .core = work->core, .go_on = next_piece};
	struct ifr_error err = {0};
	if (ifr_count_events(work->trace, work->maps, work->layouts, &settings, subject->counters, &subject->ran,
	                     &err))
		die(&err);
	end_piece();
	pieces[0] = 0;
}

static void replay_predictor(const struct work *work, struct subject *subject) {
	static const struct ifr_stage *const stages[] = {[IFR_ENGINE_SCALAR] = &ifr_stage_direction,
	                                                 [IFR_ENGINE_AVX2] = &ifr_avx2_stage_direction,
	                                                 [IFR_ENGINE_AVX512] = &ifr_avx512_stage_direction};
	const struct ifr_stage *stage = stages[subject->engine];
	struct ifr_pass pass = {.machine = subject->machine,
	                        .line_shift = 6,
	                        .page_shift = 12,
	                        .lanes_count = work->layouts,
	                        .lanes = work->lanes,
	                        .branch_layouts = work->branch_layouts};
	struct ifr_error err = {0};
	uint32_t pending = IFR_EXECUTION_BREAK;
	void *state = stage->create(&pass);
	pass.wanted[subject->machine->direction->stream] = true;
	for (size_t i = 0; i < work->executions_count; i += PIECE_STEPS) {
		const size_t rest = work->executions_count - i;
		const struct ifr_chunk chunk = {.blocks = work->blocks,
		                                .blocks_count = work->blocks_count,
		                                .executions = work->executions + i,
		                                .executions_count = rest < PIECE_STEPS ? rest : PIECE_STEPS};
		pass.chunk = &chunk;
		if (ifr_survey_chunk(&pass, &pending, &err))
			die(&err);
		for (size_t lane = 0; lane < work->layouts; lane++)
			work->branch_layouts[lane].kinds = pass.kinds;
		piece_began = seconds();
		stage->run(state, &pass);
		end_piece();
	}
	memset(subject->counters, 0, work->layouts * sizeof *subject->counters);
	for (size_t lane = 0; lane < work->layouts; lane++)
		ifr_survey_count(&pass, lane, &subject->counters[lane]);
	subject->ran = stage->name;
	stage->destroy(state, &pass);
	ifr_survey_release(&pass);
}

static void run_pass(const struct work *work, struct subject *subject, size_t pass) {
	pieces_count = 0;
	(work->executions ? replay_predictor : replay_all)(work, subject);
	if (!pass)
		subject->fastest = ifr_alloc((pieces_count + 1) * sizeof *subject->fastest);
	subject->passes[pass] = 0;
	for (size_t i = 0; i < pieces_count; i++) {
		subject->passes[pass] += pieces[i];
		if (!pass || pieces[i] < subject->fastest[i])
			subject->fastest[i] = pieces[i];
	}
}

static void print_rates(const struct work *work, struct subject *subject, size_t passes) {
	double instructions = 0, branches = 0, fastest = 0;
	for (size_t i = 0; i < work->layouts; i++) {
		instructions += (double)subject->counters[i].value[IFR_EVENT_INSTRUCTIONS];
		branches += (double)subject->counters[i].value[IFR_EVENT_CONDITIONAL_BRANCHES];
	}
	for (size_t i = 0; i < pieces_count; i++)
		fastest += subject->fastest[i];
	const double usual = median(subject->passes, passes);
	printf("    %2zu %s %-7s %5.0f (%4.0f) M instructions/s %5.0f (%4.0f) M branches/s  %s\n", work->layouts,
	       work->layouts > 1 ? "layouts," : "layout, ", subject->ran, instructions / fastest / 1e6,
	       instructions / usual / 1e6, branches / fastest / 1e6, branches / usual / 1e6, subject->name);
}

/* Maps of the layout that ships, and of random ones. */
static void make_maps(struct work *work) {
	struct ifr_layout_generator generator = {
		.seed = 1, .axes = 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING | 1u << IFR_AXIS_BASE};
	char *program = ifr_trace_fact(work->trace, "program");
	struct ifr_builder *builder = NULL;
	struct ifr_error err = {0};
	struct ifr_kit kit;
	ifr_plan_init(&generator.parameters);
	ifr_kit_init(&kit);
	work->maps = ifr_alloc(work->layouts * sizeof(struct ifr_address_map *));
	if (ifr_kit_of_program(program, &kit, &err) || ifr_builder_open(&kit, &builder, &err))
		die(&err);
	for (size_t i = 0; i < work->layouts; i++) {
		struct ifr_plan plan;
		ifr_plan_init(&plan);
		if (i)
			ifr_layout_generator_plan(&generator, NULL, (unsigned)i, &plan);
		if (ifr_layout_of_plan(work->trace, builder, &plan, &work->maps[i], &err))
			die(&err);
		ifr_plan_release(&plan);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	free(program);
}

static void take_steps(struct work *work) {
	const struct ifr_trace_block *blocks;
	struct ifr_trace_chunk piece;
	work->blocks_count = ifr_trace_blocks(work->trace, &blocks);
	work->blocks = ifr_alloc((work->blocks_count + 1) * sizeof *work->blocks);
	for (size_t i = 0; i < work->blocks_count; i++)
		work->blocks[i].branch = blocks[i].branch;
	do {
		ifr_trace_read_chunk(work->trace, 1 << 20, &piece);
		work->executions = ifr_realloc(work->executions, work->executions_count + piece.executions_count + 1,
		                               sizeof *work->executions);
		memcpy(work->executions + work->executions_count, piece.executions,
		       piece.executions_count * sizeof *piece.executions);
		work->executions_count += piece.executions_count;
	} while (piece.executions_count);
}

static void place_lanes(struct work *work) {
	const struct ifr_trace_access *accesses;
	const size_t accesses_count = ifr_trace_accesses(work->trace, &accesses);
	struct ifr_error err = {0};
	work->lanes = ifr_alloc(work->layouts * sizeof *work->lanes);
	work->branch_layouts = ifr_alloc(work->layouts * sizeof *work->branch_layouts);
	for (size_t i = 0; i < work->layouts; i++) {
		struct ifr_geometry *geometry = ifr_alloc((work->blocks_count + 1) * sizeof *geometry);
		uint16_t *ends = ifr_alloc((accesses_count + 1) * sizeof *ends);
		if (ifr_address_map_blocks(work->maps[i], work->trace, IFR_ENTRY_JUMP, geometry, ends, &err))
			die(&err);
		uint64_t *pcs = ifr_alloc((work->blocks_count + 1) * sizeof *pcs);
		for (size_t k = 0; k < work->blocks_count; k++)
			pcs[k] = geometry[k].address + geometry[k].bytes - geometry[k].branch_bytes;
		work->lanes[i] = (struct ifr_lane){.blocks = geometry, .access_ends = ends};
		work->branch_layouts[i] = (struct ifr_branch_layout){.blocks = geometry, .pcs = pcs};
	}
}

static struct subject subject_of(const char *name, const char *engine, size_t layouts) {
	struct subject subject = {.name = name, .counters = ifr_alloc(layouts * sizeof *subject.counters)};
	struct ifr_error err = {0};
	unsigned number = IFR_ENGINE_SCALAR;
	while (ifr_engine_names[number] && strcmp(ifr_engine_names[number], engine))
		number++;
	if (!ifr_engine_names[number])
		ifr_fail(&err, IFR_E_USAGE, "there is no engine \"%s\"", engine);
	if (err.code || ifr_machine_open(&subject.machine, name, &err))
		die(&err);
	subject.engine = (enum ifr_engine)number;
	return subject;
}

int main(int argc, char **argv) {
	struct ifr_error err = {0};
	struct subject subjects[MOST_SUBJECTS];
	struct work work = {.layouts = argc > 4 ? strtoul(argv[3], NULL, 10) : 0};
	const size_t passes = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	size_t count = 0;
	if (argc < 7 || argc % 2 == 0 || !work.layouts || !passes || passes > MOST_PASSES ||
	    argc > 5 + 2 * MOST_SUBJECTS) {
		fprintf(
			stderr,
			"usage: rates all|sampled|full|predictor TRACE LAYOUTS PASSES MACHINE ENGINE [MACHINE ENGINE...]\n");
		return IFR_E_USAGE;
	}
	if (ifr_trace_open(argv[2], &work.trace, &err))
		die(&err);
	make_maps(&work);
	if (!strcmp(argv[1], "full") || !strcmp(argv[1], "sampled"))
		work.core = argv[1][0] == 'f' ? IFR_CORE_FULL : IFR_CORE_SAMPLED;
	if (!strcmp(argv[1], "predictor")) {
		take_steps(&work);
		place_lanes(&work);
	}
	for (int i = 5; i < argc; i += 2) {
		subjects[count] = subject_of(argv[i], argv[i + 1], work.layouts);
		count += ifr_engine_runs(subjects[count].engine); /* not every processor runs every engine */
	}
	for (size_t pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < count; i++)
			run_pass(&work, &subjects[i], pass);
	for (size_t i = 0; i < count; i++)
		print_rates(&work, &subjects[i], passes);
	return 0;
}
