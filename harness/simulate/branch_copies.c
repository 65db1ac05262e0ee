/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: a copy of code changes what a predictor sees, and nobody has compiled it yet.
 *
 * Idea: the recorded branches, in their order, with the branch of a copy at another address. The predictor runs once over
 * the branches as they were, and once for each change.
 *
 *     split loop      trips of one loop, by number: those of each part but the last at an address of their own; the last
 *                     trip of such a part leaves it
 *     copied join     executions of one branch at another address, where the branch that they all passed last in their
 *                     function was not taken: the immediate dominator of the block, as far as the recording shows
 *
 * A branch comes into question as a loop if it jumps backward and leaves after the same number of trips, and as a join if
 * it does not, and the predictor mispredicts it. Frames are followed by calls and returns. */
#include "harness/simulate/branch_copies.h"

#include <stdlib.h>
#include <string.h>

#include "harness/exec/exec.h"
#include "harness/simulate/site_names.h"

enum { CHUNK = 16384, WINDOW = 16, FRAMES = 1024, LOOPS_MOST = 3, JOINS_MOST = 4, CHANGES_MOST = 16 };
enum { LEAST_MISSES = 64, LEAST_RUNS = 16, PAGE = 4096, ENTRIES = 512, NONE = -1 };
static const unsigned parts_tried[] = {2, 3, 4, 8};
enum { PARTS_TRIED = sizeof parts_tried / sizeof *parts_tried, PARTS_MOST = 8 };

/* A conditional branch of the trace. */
struct branch {
	uint64_t normalised, pc;
	bool backward, program;
	uint64_t executions, misses;
	uint64_t run, stays, runs,
		other_runs;     /* trips but the last: now, in the first loop; loops; those with others */
	int common[WINDOW]; /* branches that all executions passed since the last one, the latest first; NONE ends */
	bool seen;
};

/* The conditional branches that a frame executed last. */
struct frame {
	int branch[WINDOW];
	bool taken[WINDOW];
	unsigned next, count;
};

/* A changed program: one branch, and a predictor that sees it. */
struct change {
	struct ifr_branch_copy copy;
	int branch, dominator;
	uint64_t pcs[PARTS_MOST]; /* of copies */
	void *state;
	uint64_t run, misses;
};

struct work {
	struct ifr_trace *trace;
	const struct ifr_machine *machine;
	const struct ifr_trace_block *blocks;
	size_t block_count;
	struct ifr_geometry *geometry; /* by block */
	int *branch_of;                /* by block; NONE */
	uint64_t *pcs;                 /* by block */
	struct branch *branches;
	size_t branch_count;
	struct frame *frames;
	unsigned depth;
	struct change changes[CHANGES_MOST];
	size_t change_count;
	uint64_t misses;
	void *state;
	void (*visit)(struct work *work, const struct ifr_branch_instance *instance, int branch);
};

/* --- the branches ------------------------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b) {
	const struct branch *x = a, *y = b;
	return (x->normalised > y->normalised) - (x->normalised < y->normalised);
}

static uint64_t branch_address(const struct ifr_trace_block *block) {
	return block->normalised + block->bytes - block->branch_bytes;
}

static void list_branches(struct work *work) {
	const struct ifr_mapping *mappings;
	const size_t mapping_count = ifr_trace_mappings(work->trace, &mappings);
	const bool last = work->machine->values[IFR_CORE_BRANCH_BYTE] != 0;
	size_t kept = 0;
	work->branches = ifr_alloc((work->block_count + 1) * sizeof *work->branches);
	for (size_t i = 0; i < work->block_count; i++) {
		const struct ifr_geometry *geometry = &work->geometry[i];
		const size_t mapping = work->blocks[i].normalised >> IFR_MAPPING_SHIFT;
		work->pcs[i] = geometry->address + geometry->bytes - (last ? 1 : geometry->branch_bytes);
		if (work->blocks[i].branch == IFR_BRANCH_CONDITIONAL)
			work->branches[work->branch_count++] = (struct branch){
				.normalised = branch_address(&work->blocks[i]),
				.pc = work->pcs[i],
				.backward = geometry->backward,
				.program = mapping < mapping_count && mappings[mapping].kind == IFR_MAPPING_PROGRAM};
	}
	qsort(work->branches, work->branch_count, sizeof *work->branches, by_address);
	for (size_t i = 0; i < work->branch_count; i++)
		if (!kept || work->branches[kept - 1].normalised != work->branches[i].normalised)
			work->branches[kept++] = work->branches[i];
	work->branch_count = kept;
	for (size_t i = 0; i < work->block_count; i++) {
		const struct branch wanted = {.normalised = branch_address(&work->blocks[i])}, *found = NULL;
		if (work->blocks[i].branch == IFR_BRANCH_CONDITIONAL)
			found = bsearch(&wanted, work->branches, kept, sizeof wanted, by_address);
		work->branch_of[i] = found ? (int)(found - work->branches) : NONE;
	}
}

static int place_blocks(struct work *work, struct ifr_error *err) {
	const struct ifr_layout_request native = {0};
	struct ifr_address_map *map = ifr_address_map_new(work->trace, &native);
	const struct ifr_trace_access *accesses;
	uint16_t *ends = ifr_alloc((ifr_trace_accesses(work->trace, &accesses) + 1) * sizeof *ends);
	const int result = ifr_address_map_blocks(map, work->trace, IFR_ENTRY_JUMP, work->geometry, ends, err);
	free(ends);
	ifr_address_map_free(map);
	return result;
}

/* --- one walk over the trace ------------------------------------------------------------------------------------- */

static struct frame *top_frame(struct work *work) {
	return &work->frames[work->depth % FRAMES];
}

static void follow_frames(struct work *work, uint8_t kind) {
	if (kind == IFR_BRANCH_CALL || kind == IFR_BRANCH_INDIRECT_CALL) {
		work->depth++;
		top_frame(work)->count = 0;
	} else if (kind == IFR_BRANCH_RETURN && work->depth) {
		work->depth--;
	}
}

static void note_outcome(struct frame *frame, int branch, bool taken) {
	frame->branch[frame->next] = branch;
	frame->taken[frame->next] = taken;
	frame->next = (frame->next + 1) % WINDOW;
	frame->count += frame->count < WINDOW;
}

/* The index in the frame of its i-th last branch. */
static unsigned find_last(const struct frame *frame, unsigned i) {
	return (frame->next + WINDOW - 1 - i) % WINDOW;
}

/* A branch of the sequence with its successor. */
static void step(struct work *work, uint32_t execution, uint32_t next) {
	const uint32_t block = execution >> 1;
	const uint8_t kind = work->blocks[block].branch;
	const int branch = work->branch_of[block];
	const struct ifr_branch_instance instance = {.pc = work->pcs[block],
	                                             .target = work->geometry[next >> 1].address,
	                                             .kind = kind,
	                                             .taken = execution & 1,
	                                             .backward = work->geometry[block].backward};
	if (kind == IFR_BRANCH_NONE)
		return;
	work->visit(work, &instance, branch);
	if (branch >= 0)
		note_outcome(top_frame(work), branch, instance.taken);
	follow_frames(work, kind);
}

static int walk(struct work *work, struct ifr_error *err) {
	struct ifr_trace_chunk chunk;
	uint32_t before = IFR_EXECUTION_BREAK;
	ifr_trace_rewind(work->trace);
	work->depth = 0;
	memset(work->frames, 0, FRAMES * sizeof *work->frames);
	for (ifr_trace_read_sequence(work->trace, CHUNK, &chunk); chunk.executions_count;
	     ifr_trace_read_sequence(work->trace, CHUNK, &chunk)) {
		if (ifr_launch_interrupted())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a trace");
		for (size_t i = 0; i < chunk.executions_count; i++) {
			const uint32_t now = chunk.executions[i];
			if (before != IFR_EXECUTION_BREAK && now != IFR_EXECUTION_BREAK)
				step(work, before, now);
			before = now;
		}
	}
	ifr_trace_rewind(work->trace);
	return 0;
}

/* Whether the predictor mispredicts a branch; trains it. */
static bool predict(const struct ifr_machine *machine, void *state, const struct ifr_branch_instance *instance) {
	const struct ifr_predictor *direction = machine->direction;
	bool missed = false;
	if (instance->kind == IFR_BRANCH_CONDITIONAL) {
		missed = direction->predict(state, instance) != instance->taken;
		direction->train(state, instance);
	} else if (direction->stream == IFR_STREAM_CONDITIONAL) {
		return false;
	}
	direction->track(state, instance);
	return missed;
}

/* --- the first walk: what could be copied ------------------------------------------------------------------------- */

static void count_run(struct branch *branch, bool taken) {
	if (taken) {
		branch->run++;
		return;
	}
	if (!branch->runs++)
		branch->stays = branch->run;
	branch->other_runs += branch->run != branch->stays;
	branch->run = 0;
}

/* Keeps the branches that this execution, too, passed since the last one. */
static void keep_common(struct branch *branch, int number, const struct frame *frame) {
	int passed[WINDOW];
	unsigned count = 0, kept = 0;
	for (unsigned i = 0; i < frame->count && frame->branch[find_last(frame, i)] != number; i++)
		passed[count++] = frame->branch[find_last(frame, i)];
	if (!branch->seen) {
		memcpy(branch->common, passed, count * sizeof *passed);
		kept = count;
	}
	for (unsigned i = 0; branch->seen && i < WINDOW && branch->common[i] != NONE; i++) {
		bool again = false;
		for (unsigned p = 0; p < count; p++)
			again |= passed[p] == branch->common[i];
		if (again)
			branch->common[kept++] = branch->common[i];
	}
	if (kept < WINDOW)
		branch->common[kept] = NONE;
	branch->seen = true;
}

static void survey(struct work *work, const struct ifr_branch_instance *instance, int number) {
	const bool missed = predict(work->machine, work->state, instance);
	if (number < 0)
		return;
	struct branch *branch = &work->branches[number];
	branch->executions++;
	branch->misses += missed;
	work->misses += missed;
	if (branch->backward)
		count_run(branch, instance->taken);
	else if (branch->program)
		keep_common(branch, number, top_frame(work));
}

/* --- the changes that are tried ----------------------------------------------------------------------------------- */

/* An address near a branch's whose low bits no other executed branch has. */
static uint64_t find_free_pc(const struct work *work, uint64_t pc, unsigned copy) {
	static const unsigned spans[] = {ENTRIES, PAGE};
	for (unsigned s = 0; s < 2; s++)
		for (uint64_t d = 1; d < spans[s]; d++) {
			bool used = false;
			for (size_t i = 0; i < work->branch_count && !used; i++)
				used = work->branches[i].executions && (work->branches[i].pc - pc - d) % spans[s] == 0;
			if (!used && !copy--)
				return pc + d;
		}
	return pc + PAGE / 2 + copy;
}

static struct change *add_change(struct work *work, int number, enum ifr_copy_kind kind, unsigned copies) {
	const struct branch *branch = &work->branches[number];
	struct change *change = &work->changes[work->change_count++];
	*change = (struct change){.copy = {.kind = kind,
	                                   .normalised = branch->normalised,
	                                   .executions = branch->executions,
	                                   .misses = branch->misses},
	                          .branch = number,
	                          .state = work->machine->direction->create(work->machine->direction_values)};
	for (unsigned i = 0; i < copies; i++)
		change->pcs[i] = find_free_pc(work, branch->pc, i);
	return change;
}

/* The parameter of split-loops that gives so many parts: the machine's own history, if it does. */
static unsigned choose_history(const struct ifr_machine *machine, uint64_t trips, unsigned parts) {
	const struct ifr_parameter *parameters = machine->direction->parameters;
	const unsigned least = (unsigned)((trips + parts - 1) / parts) - 1,
				   most = (unsigned)((trips + parts - 2) / (parts - 1)) - 2;
	for (size_t i = 0; parameters[i].name; i++)
		if (!strcmp(parameters[i].name, "history") && machine->direction_values[i] >= least &&
		    machine->direction_values[i] <= most)
			return machine->direction_values[i];
	return least ? least : 1;
}

static void try_loop(struct work *work, int number) {
	const struct branch *branch = &work->branches[number];
	for (size_t i = 0; i < PARTS_TRIED && work->change_count < CHANGES_MOST; i++) {
		const unsigned parts = parts_tried[i];
		const uint64_t trips = branch->stays + 1;
		if (trips < 2 * parts || trips > 64 * parts)
			continue;
		struct change *change = add_change(work, number, IFR_COPY_LOOP, parts - 1);
		change->copy.trips = trips;
		change->copy.parts = parts;
		change->copy.history = choose_history(work->machine, trips, parts);
	}
}

static bool is_loop(const struct branch *branch) {
	return branch->backward && branch->program && branch->runs >= LEAST_RUNS && branch->stays &&
	       branch->other_runs * 50 <= branch->runs && branch->misses >= LEAST_MISSES &&
	       branch->misses * 4 >= branch->runs;
}

static bool is_join(const struct branch *branch) {
	return !branch->backward && branch->program && branch->misses >= LEAST_MISSES &&
	       branch->misses * 20 >= branch->executions && branch->common[0] != NONE;
}

/* The most mispredicted branch with fewer misses than `below`, or the next one of as many. */
static int find_next(const struct work *work, bool (*fits)(const struct branch *), int last) {
	int best = NONE;
	for (size_t i = 0; i < work->branch_count; i++) {
		const struct branch *branch = &work->branches[i], *before = last < 0 ? NULL : &work->branches[last];
		const bool later =
			!before || branch->misses < before->misses || (branch->misses == before->misses && (int)i > last);
		if (fits(branch) && later && (best < 0 || branch->misses > work->branches[best].misses))
			best = (int)i;
	}
	return best;
}

static void choose_changes(struct work *work) {
	int number = find_next(work, is_join, NONE);
	for (unsigned i = 0; i < JOINS_MOST && number >= 0; i++, number = find_next(work, is_join, number))
		add_change(work, number, IFR_COPY_JOIN, 1)->dominator = work->branches[number].common[0];
	number = find_next(work, is_loop, NONE);
	for (unsigned i = 0; i < LOOPS_MOST && number >= 0; i++, number = find_next(work, is_loop, number))
		try_loop(work, number);
}

/* --- the second walk: what each change saves ---------------------------------------------------------------------- */

/* The trips of a part: as many in each, or one more in the first ones. */
static uint64_t part_trips(uint64_t trips, unsigned parts, unsigned part) {
	return trips / parts + (part < trips % parts);
}

static void change_loop(struct change *change, struct ifr_branch_instance *instance) {
	uint64_t trip = change->run;
	change->run = instance->taken ? change->run + 1 : 0;
	for (unsigned part = 0; part + 1 < change->copy.parts; part++) {
		const uint64_t trips = part_trips(change->copy.trips, change->copy.parts, part);
		if (trip < trips) {
			instance->pc = change->pcs[part];
			instance->taken = instance->taken && trip + 1 < trips;
			return;
		}
		trip -= trips;
	}
}

static void change_join(const struct change *change, const struct frame *frame,
                        struct ifr_branch_instance *instance) {
	for (unsigned i = 0; i < frame->count; i++) {
		const unsigned at = find_last(frame, i);
		if (frame->branch[at] != change->dominator)
			continue;
		if (!frame->taken[at])
			instance->pc = change->pcs[0];
		return;
	}
}

static void try_changes(struct work *work, const struct ifr_branch_instance *instance, int number) {
	for (size_t i = 0; i < work->change_count; i++) {
		struct change *change = &work->changes[i];
		struct ifr_branch_instance changed = *instance;
		if (change->branch == number && change->copy.kind == IFR_COPY_LOOP)
			change_loop(change, &changed);
		else if (change->branch == number)
			change_join(change, top_frame(work), &changed);
		change->misses += predict(work->machine, change->state, &changed);
	}
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* Of the numbers of parts, the fewest that save nine tenths of what the best saves. */
static bool is_best(const struct work *work, const struct change *change) {
	const double saved = (double)work->misses - (double)change->misses;
	double most = saved;
	for (size_t i = 0; i < work->change_count; i++)
		if (work->changes[i].branch == change->branch && work->changes[i].copy.kind == change->copy.kind &&
		    (double)work->misses - (double)work->changes[i].misses > most)
			most = (double)work->misses - (double)work->changes[i].misses;
	if (saved < LEAST_MISSES || saved < 0.9 * most)
		return false;
	for (const struct change *fewer = work->changes; fewer < change; fewer++)
		if (fewer->branch == change->branch && (double)work->misses - (double)fewer->misses >= 0.9 * most)
			return false;
	return true;
}

static int by_saving(const void *a, const void *b) {
	const struct ifr_branch_copy *x = a, *y = b;
	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return (x->normalised > y->normalised) - (x->normalised < y->normalised);
}

static void collect(struct work *work, struct ifr_branch_copies *copies) {
	struct ifr_site_names *names = ifr_site_names_new(work->trace);
	copies->before = work->misses;
	copies->items = ifr_alloc((work->change_count + 1) * sizeof *copies->items);
	for (size_t i = 0; i < work->change_count; i++) {
		struct ifr_branch_copy *copy = &copies->items[copies->count];
		if (!is_best(work, &work->changes[i]))
			continue;
		*copy = work->changes[i].copy;
		copy->after = work->changes[i].misses;
		struct ifr_source *source = ifr_site_source(names, copy->normalised);
		copy->known =
			source && ifr_source_position_find(source, copy->normalised & IFR_OFFSET_MASK, &copy->position);
		copies->count++;
	}
	qsort(copies->items, copies->count, sizeof *copies->items, by_saving);
	ifr_site_names_free(names);
}

static void release(struct work *work) {
	for (size_t i = 0; i < work->change_count; i++)
		work->machine->direction->destroy(work->changes[i].state);
	if (work->state)
		work->machine->direction->destroy(work->state);
	free(work->geometry);
	free(work->branch_of);
	free(work->pcs);
	free(work->branches);
	free(work->frames);
}

int ifr_branch_copies_find(struct ifr_trace *trace, const struct ifr_machine *machine,
                           struct ifr_branch_copies *copies, struct ifr_error *err) {
	struct work work = {.trace = trace, .machine = machine, .visit = survey};
	*copies = (struct ifr_branch_copies){0};
	work.block_count = ifr_trace_blocks(trace, &work.blocks);
	work.geometry = ifr_alloc((work.block_count + 1) * sizeof *work.geometry);
	work.branch_of = ifr_alloc((work.block_count + 1) * sizeof *work.branch_of);
	work.pcs = ifr_alloc((work.block_count + 1) * sizeof *work.pcs);
	work.frames = ifr_alloc(FRAMES * sizeof *work.frames);
	work.state = machine->direction->create(machine->direction_values);
	int result = place_blocks(&work, err);
	if (!result) {
		list_branches(&work);
		result = walk(&work, err);
	}
	if (!result) {
		choose_changes(&work);
		work.visit = try_changes;
		if (work.change_count)
			result = walk(&work, err);
	}
	if (!result)
		collect(&work, copies);
	release(&work);
	return result;
}

void ifr_branch_copies_release(struct ifr_branch_copies *copies) {
	for (size_t i = 0; i < copies->count; i++)
		if (copies->items[i].known)
			ifr_source_position_release(&copies->items[i].position);
	free(copies->items);
	*copies = (struct ifr_branch_copies){0};
}
