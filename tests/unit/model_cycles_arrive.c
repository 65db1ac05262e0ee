/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_cycles_state.h"

#include <stdlib.h>
#include <string.h>

/* Whether a taken branch, which arrived last, is not yet the last that its cycle has room for. */
static bool follow(const struct machine *m, struct state *s) {
	s->followed = s->followed_in == s->last_arrival ? s->followed + 1 : 1;
	s->followed_in = s->last_arrival;
	return s->followed != m->v[IFR_FETCH_TAKEN];
}

/* Where jumps went behind the last two groups, for fetch.targets. */
static bool went_before(const struct state *s, uint64_t target) {
	for (size_t i = s->jumps_count; i-- > 0;)
		if (!memcmp(s->jumps[i].groups, s->groups, sizeof s->groups))
			return s->jumps[i].target == target;
	return false;
}

static void note_jump(struct state *s, uint64_t target) {
	if (s->jumps_count == sizeof s->jumps / sizeof *s->jumps)
		abort();
	memcpy(s->jumps[s->jumps_count].groups, s->groups, sizeof s->groups);
	s->jumps[s->jumps_count++].target = target;
}

static void begin_group(const struct machine *m, struct state *s, uint64_t address) {
	s->places = m->v[IFR_FETCH_BRANCHES];
	s->groups[0] = s->groups[1];
	s->groups[1] = address;
}

/* Finds the branch before a block. Of a group that begins within a window, the window is found once more. */
static void find_branch(const struct machine *m, struct state *s, const struct fetched *f, bool goes_on) {
	const uint64_t behind = f[-1].address + f[-1].code->bytes, page = m->v[IFR_CORE_PAGE_BYTES];
	if (!s->places) {
		begin_group(m, s, behind);
		s->next_prediction += m->v[IFR_FETCH_PREDICTION];
	}
	if (f->step->outcome.taken && (behind - 1) / page != f->address / page)
		goes_on = false;
	s->places = goes_on ? s->places - 1 : 0;
}

/* Finds the next window, which fetch goes on into, or which a direct jump without a bubble joins to the one before. */
static int64_t find_window(const struct machine *m, struct state *s, uint64_t address, bool goes_on, bool joined,
                           int64_t bubble) {
	/* As many windows as may be ahead are between this one and the last that must have arrived. */
	const unsigned ahead = m->v[IFR_FETCH_AHEAD], prediction = m->v[IFR_FETCH_PREDICTION];
	const int64_t room = s->windows < ahead ? 0 : s->window_arrived[s->windows - ahead];
	if (goes_on || !s->places)
		begin_group(m, s, address);
	const bool blocks = m->v[IFR_FETCH_PAIRS] == IFR_PAIRS_BLOCKS;
	if (goes_on && s->second && !blocks)
		s->next_prediction += prediction;
	const int64_t together = s->next_prediction - prediction;
	const bool more = m->v[IFR_FETCH_PAIRS] && !s->second && room <= together;
	/* The first of two blocks takes its second window with it. */
	s->wide = more && blocks && goes_on && !s->wide;
	s->second = more && joined;
	const int64_t found = s->second || s->wide ? together : most(s->next_prediction + bubble, room);
	s->next_prediction = found + prediction;
	return found;
}

/* A block of code ends behind a branch that is not taken. Where no window begins, its second one, or the first one of the
 * next two, is the rest of the window. Returns when that is found. */
static int64_t divide_block(const struct machine *m, struct state *s, bool window) {
	const unsigned prediction = m->v[IFR_FETCH_PREDICTION];
	const bool first = !s->second;
	s->wide = false;
	s->second = window || first;
	if (window)
		return 0;
	s->next_prediction += first ? 0 : prediction;
	return s->next_prediction - prediction;
}

/* When a line of the op cache arrives that may do so in a cycle: with the line before, if that has a place left. */
static int64_t line_arrival(const struct machine *m, struct state *s, int64_t at, bool fallen_into) {
	const unsigned further = m->v[IFR_FETCH_PREDICTION] ? m->v[IFR_OP_CACHE_FURTHER] : 0,
				   reads = m->v[IFR_OP_CACHE_READS];
	/* Behind slots that are left of a line before, the first line of a window may arrive. */
	const bool busy = s->used && at == s->last_arrival && s->lines_in == at;
	unsigned lines = busy ? s->lines : 0;
	if (busy && (fallen_into || lines == reads)) {
		at++;
		lines = 0;
	}
	s->lines = lines + 1;
	/* The third line of a window, the fifth and so on wait for those before. */
	if (further && s->of_window >= reads && s->of_window % reads == 0)
		at = most(at, s->pair_at + further);
	if (s->of_window++ % reads == 0)
		s->pair_at = at;
	s->lines_in = at;
	return at;
}

/* When the next instruction may arrive, at the earliest; NEVER while a mispredicted branch has not executed. */
static int64_t next_arrival(const struct machine *m, struct state *s, const struct fetched *f) {
	const struct ifr_core_outcome *outcome = &f->step->outcome;
	const unsigned prediction = m->v[IFR_FETCH_PREDICTION],
				   code = f->first && f->decoders_any ? outcome->fetch_wait + outcome->page_wait : 0;
	const bool window = prediction && f->window;
	const unsigned jump = s->arrived ? f[-1].code->branch : IFR_BRANCH_NONE;
	const bool direct = jump == IFR_BRANCH_CONDITIONAL || jump == IFR_BRANCH_JUMP;
	int64_t at = s->last_arrival, bubble = 0;
	bool goes_on = true, joined = false;
	const bool indirect =
		f->first && outcome->taken && (jump == IFR_BRANCH_INDIRECT_JUMP || jump == IFR_BRANCH_INDIRECT_CALL);
	const bool far = indirect && (f[-1].address + f[-1].code->bytes) >> 37 != f->address >> 37;
	s->same_cycle = false;
	if (f->first && outcome->mispredicted) {
		const size_t branch = m->ops[f->first_op].branch_before;
		const int64_t done = branch ? m->ops[branch - 1].done : 0;
		if (done >= NEVER)
			return NEVER;
		const unsigned own = m->v[IFR_FETCH_REDIRECT], whole = m->v[IFR_PENALTY_CONDITIONAL],
					   redirect = own         ? own
		                          : whole < 4 ? 1
		                                      : whole - 3;
		at = most(at, done + redirect - 1);
		if (outcome->known && m->v[IFR_FETCH_BRANCHES])
			find_branch(m, s, f, false);
		s->next_prediction = at;
		s->second = s->wide = false;
		/* The rest of the last window is found again. */
		if (!window) {
			begin_group(m, s, f->address);
			s->next_prediction += prediction;
		}
		goes_on = false;
	} else if (f->first && outcome->known && m->v[IFR_FETCH_BRANCHES]) {
		find_branch(m, s, f, direct);
	}
	if (f->first && outcome->divides && !outcome->mispredicted && m->v[IFR_FETCH_PAIRS] == IFR_PAIRS_BLOCKS)
		at = most(at, divide_block(m, s, window));
	const bool again = indirect && went_before(s, f->address);
	if (indirect)
		note_jump(s, f->address);
	if (f->first && !outcome->mispredicted && outcome->taken && f->source != IFR_SOURCE_LOOP_BUFFER) {
		bubble =
			outcome->btb == IFR_CORE_BTB_NONE ? m->v[IFR_PENALTY_BTB] : m->v[IFR_FETCH_BUBBLE1 + outcome->btb];
		if (jump == IFR_BRANCH_INDIRECT_JUMP)
			bubble += m->v[IFR_FETCH_INDIRECT];
		else if (jump != IFR_BRANCH_NONE && !direct)
			bubble += m->v[IFR_FETCH_CALLS];
		bubble += indirect && !again ? m->v[IFR_FETCH_TARGETS] : 0;
		bubble += indirect && outcome->several ? m->v[IFR_FETCH_SEVERAL] : 0;
		bubble += far ? m->v[IFR_FETCH_FAR] : 0;
		goes_on = false;
		joined = direct && !bubble;
		const bool decoded = f->source == IFR_SOURCE_DECODERS || f[-1].source == IFR_SOURCE_DECODERS;
		s->same_cycle = !bubble && !(decoded && m->v[IFR_OP_CACHE_SETS]) && follow(m, s);
		at += s->same_cycle ? 0 : 1;
	}
	if (window) {
		const unsigned last = m->v[IFR_OP_CACHE_BYTE] ? f->code->bytes - 1u : 0;
		/* An instruction that a branch leads to may begin in one window and belong to the next. */
		if (!goes_on &&
		    f->address / m->v[IFR_OP_CACHE_WINDOW] != (f->address + last) / m->v[IFR_OP_CACHE_WINDOW]) {
			at = most(at, find_window(m, s, f->address, false, joined, bubble));
			s->window_arrived[s->windows++] = at;
			if (m->v[IFR_OP_CACHE_READS] > 1) {
				at++;
				s->same_cycle = false;
			}
			bubble = 0;
			joined = false;
			goes_on = true;
		}
		at = most(at, find_window(m, s, f->address, goes_on, joined, bubble) + code);
	} else {
		at += bubble + code;
	}
	if (window) {
		if (m->v[IFR_OP_CACHE_FURTHER] && s->of_window > m->v[IFR_OP_CACHE_READS])
			s->lines = m->v[IFR_OP_CACHE_READS];
		s->of_window = 0;
		s->entered = true;
	}
	if (f->begins && f->source == IFR_SOURCE_OP_CACHE && m->v[IFR_OP_CACHE_READS] > 1) {
		at = line_arrival(m, s, at, s->entered && !s->same_cycle);
		s->entered = false;
	} else if (f->begins && at == s->last_arrival && s->used && !s->same_cycle)
		at++;
	at += f->wait;
	if (window)
		s->window_arrived[s->windows++] = at;
	return at;
}

static int64_t predecoded_at(const struct machine *m, struct state *s, const struct fetched *f, int64_t at,
                             bool begins) {
	const uint64_t bytes = (f->address + f->code->bytes - 1) / m->v[IFR_FETCH_BYTES];
	if (begins) {
		s->bytes_since = at;
		s->bytes_count = 0;
	} else if (bytes != s->bytes || s->bytes_count == m->v[IFR_FETCH_PREDECODE]) {
		s->bytes_since++;
		s->bytes_count = 0;
	}
	s->bytes = bytes;
	s->bytes_count++;
	if (f->code->flags & IFR_INSTRUCTION_LENGTH_CHANGING)
		s->bytes_since += m->v[IFR_FETCH_LENGTH_CHANGE];
	return s->bytes_since;
}

void cycles_arrive(struct machine *m, struct state *s) {
	static size_t pending; /* instruction whose time is fixed, + 1 */
	static int64_t fixed;
	if (!s->now)
		pending = 0;
	while (s->arrived < m->fetched_count) {
		const struct fetched *f = &m->fetched[s->arrived];
		const size_t op = s->arrived_ops;
		const bool starts = op == f->first_op;
		if (starts && pending != s->arrived + 1) {
			int64_t at = next_arrival(m, s, f);
			if (at >= NEVER)
				return;
			if (f->source == IFR_SOURCE_DECODERS) {
				if (f->begins && (!s->same_cycle || at > s->last_arrival))
					s->decoded = 0;
				const int64_t ready = predecoded_at(m, s, f, at, f->begins);
				if (s->decoded == m->v[IFR_FETCH_DECODERS] ||
				    (f->code->decoded > 1 && s->decoded && !m->v[IFR_PIPELINE_UNITS])) {
					at = (at > s->last_arrival ? at : s->last_arrival) + 1;
					s->decoded = 0;
				}
				if (ready > at) {
					at = ready;
					s->decoded = 0;
				}
				s->decoded++;
			}
			fixed = at;
			pending = s->arrived + 1;
		}
		if (fixed > s->now)
			return;
		/* The operation's slot. */
		if (m->ops[op].op->flags & IFR_CORE_OP_DECODED) {
			const unsigned width = f->source == IFR_SOURCE_DECODERS   ? 100000
			                       : f->source == IFR_SOURCE_OP_CACHE ? m->v[IFR_OP_CACHE_WIDTH]
			                                                          : m->v[IFR_PIPELINE_ISSUE];
			const unsigned used = s->last_arrival == s->now ? s->used : 0;
			if (used == width)
				return;
			if (s->arrived_slots >= m->v[IFR_FETCH_QUEUE] &&
			    s->left[s->arrived_slots - m->v[IFR_FETCH_QUEUE]] > s->now)
				return;
			s->used = used + 1;
			s->last_arrival = s->now;
			s->left[s->arrived_slots++] = NEVER;
		}
		s->arrival[op] = s->now;
		s->arrival_slot[op] = s->arrived_slots - 1;
		s->arrived_ops++;
		if (s->arrived_ops == f->first_op + f->code->ops)
			s->arrived++;
	}
}
