/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_cycles_state.h"

static struct line *find_line(struct machine *m, uint64_t key, unsigned set) {
	const unsigned ways = m->v[IFR_OP_CACHE_WAYS];
	for (unsigned i = 0; i < ways; i++)
		if (m->lines[set * ways + i].used && m->lines[set * ways + i].key == key)
			return &m->lines[set * ways + i];
	return NULL;
}

static unsigned set_of(const struct machine *m, uint64_t window) {
	return (unsigned)(window % m->v[IFR_OP_CACHE_SETS]);
}

/* Notes a use. By the policy nru, all lines of a set are forgotten but the one that was the last to be used. */
static void use(struct machine *m, unsigned set, struct line *line) {
	const unsigned ways = m->v[IFR_OP_CACHE_WAYS];
	unsigned recent = 0;
	line->used = ++m->clock;
	line->recent = true;
	for (unsigned i = 0; i < ways; i++)
		recent += m->lines[set * ways + i].recent;
	for (unsigned i = 0; recent == ways && i < ways; i++)
		m->lines[set * ways + i].recent = &m->lines[set * ways + i] == line;
}

static bool look_up(struct machine *m, uint64_t key, uint64_t window) {
	struct line *line = m->v[IFR_OP_CACHE_SETS] ? find_line(m, key, set_of(m, window)) : NULL;
	if (line)
		use(m, set_of(m, window), line);
	return line;
}

static void insert(struct machine *m, uint64_t key, uint64_t window) {
	if (!m->v[IFR_OP_CACHE_SETS] || look_up(m, key, window))
		return;
	struct line *set = &m->lines[set_of(m, window) * m->v[IFR_OP_CACHE_WAYS]], *leaves = NULL, *old[64];
	unsigned count = 0;
	for (unsigned i = 0; i < m->v[IFR_OP_CACHE_WAYS]; i++) {
		if (!leaves || set[i].used < leaves->used)
			leaves = &set[i];
		if (!set[i].recent)
			old[count++] = &set[i];
	}
	if (m->v[IFR_OP_CACHE_POLICY]) {
		m->random = m->random * 6364136223846793005u + 1442695040888963407u;
		leaves = count ? old[(m->random >> 33) % count] : leaves;
	}
	leaves->key = key;
	use(m, set_of(m, window), leaves);
}

static void take_out(struct machine *m, uint64_t key, uint64_t window) {
	struct line *line = m->v[IFR_OP_CACHE_SETS] ? find_line(m, key, set_of(m, window)) : NULL;
	if (line)
		*line = (struct line){0};
}

/* The number of the window that an instruction belongs to. */
static uint64_t window_of(const struct machine *m, const struct fetched *f) {
	uint64_t byte = f->address;
	if (m->v[IFR_OP_CACHE_BYTE])
		for (unsigned i = 1; i < f->code->bytes; i++)
			byte++;
	return byte / (m->v[IFR_OP_CACHE_SETS] ? m->v[IFR_OP_CACHE_WINDOW] : 32);
}

static bool is_jump(const struct fetched *f) {
	return f->code->branch != IFR_BRANCH_NONE;
}

/* Whether a jump, from its first byte to the first byte behind it, touches a boundary. */
static bool touches_boundary(const struct machine *m, const struct fetched *f) {
	const unsigned boundary = m->v[IFR_OP_CACHE_JUMP_BOUNDARY];
	for (unsigned i = 1; boundary && i <= f->code->bytes; i++)
		if ((f->address + i) % boundary == 0)
			return is_jump(f);
	return false;
}

void cycles_expand(struct machine *m, const struct cycles_step *steps, size_t count) {
	size_t room = 0;
	for (size_t i = 0; i < count; i++)
		room += m->program->blocks[steps[i].block][0].count;
	m->fetched = ifr_alloc((room + 1) * sizeof *m->fetched);
	for (size_t i = 0; i < count; i++) {
		const unsigned jump = m->program->jump_offsets[steps[i].block];
		const bool fused = jump && ((steps[i].address + jump) % 64 || m->v[IFR_FETCH_FUSION]);
		const struct ifr_core_code *code = &m->program->blocks[steps[i].block][fused];
		for (unsigned k = 0; k < code->count; k++) {
			struct fetched *f = &m->fetched[m->fetched_count++];
			f->code = &m->program->instructions[code->first + k];
			f->step = &steps[i];
			f->address = steps[i].address + f->code->offset;
			f->first = !k;
		}
	}
}

/* The iteration of a loop that begins at instruction `from`: as many instructions, to the next arrival at the same
 * address by a backward jump. 0: none before `end`. */
static size_t iteration_at(const struct machine *m, size_t from, size_t end) {
	for (size_t i = from + 1; i < end; i++) {
		const struct fetched *f = &m->fetched[i], *before = &m->fetched[i - 1];
		if (f->first && f->step->outcome.taken && f->address < before->step->address + before->step->bytes)
			return f->address == m->fetched[from].address ? i - from : 0;
	}
	return 0;
}

static bool is_head(const struct machine *m, size_t i) {
	return i && m->fetched[i].first && m->fetched[i].step->outcome.taken &&
	       m->fetched[i].address < m->fetched[i - 1].step->address + m->fetched[i - 1].step->bytes;
}

/* Whether two stretches of instructions are the same. */
static bool same_path(const struct machine *m, size_t a, size_t b, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (m->fetched[a + i].address != m->fetched[b + i].address)
			return false;
	return true;
}

/* Whether the iteration that begins at `from` may be locked. */
static bool lockable(const struct machine *m, size_t from, size_t count) {
	unsigned slots = 0, windows = 0, branches = 1;
	uint64_t last = UINT64_MAX;
	for (size_t i = from; i < from + count; i++) {
		const struct fetched *f = &m->fetched[i];
		if (f->source != IFR_SOURCE_OP_CACHE || (f->first && f->step->call))
			return false;
		slots += f->code->decoded;
		if (f->first && f->step->outcome.taken && i > from) {
			branches++;
			last = UINT64_MAX;
		}
		for (unsigned k = 0; k < f->code->bytes; k++) {
			const uint64_t window = (f->address + k) / m->v[IFR_LOOP_BUFFER_WINDOW];
			windows += window != last;
			last = window;
		}
	}
	return slots <= m->v[IFR_LOOP_BUFFER_OPS] && windows <= m->v[IFR_LOOP_BUFFER_WINDOWS] &&
	       branches <= m->v[IFR_LOOP_BUFFER_BRANCHES];
}

struct walk {
	bool decoding;
	uint64_t window; /* of the stretch; UINT64_MAX: none */
	unsigned line, slots, branches;
	bool barred, none; /* none: no line began in the window, of lines that go on into the next one */
	size_t previous_head, previous_count; /* of the whole iteration before */
	size_t head;                          /* of the iteration under way */
	size_t locked_from, locked_count;     /* a locked loop; 0: none */
	size_t rounds, unroll;
};

static void leave_stretch(struct machine *m, struct walk *w) {
	const unsigned most = m->v[IFR_OP_CACHE_LINES];
	if (w->window == UINT64_MAX || !w->decoding || m->v[IFR_OP_CACHE_TAG])
		return;
	for (unsigned i = 0; i <= w->line && i < most; i++)
		if (w->line < most && !w->barred)
			insert(m, w->window * 16 + i, w->window);
		else
			take_out(m, w->window * 16 + i, w->window);
}

/* The stretch is barred from here on if a jump of this block in this window touches the boundary. */
static void find_barred(struct machine *m, struct walk *w, size_t i) {
	const struct fetched *f = &m->fetched[i];
	for (size_t k = i; k < m->fetched_count && m->fetched[k].step == f->step; k++)
		if (window_of(m, &m->fetched[k]) == w->window)
			w->barred |= touches_boundary(m, &m->fetched[k]);
}

static void fetch_ordinary(struct machine *m, struct walk *w, size_t i) {
	struct fetched *f = &m->fetched[i];
	const unsigned *v = m->v;
	const bool arrives = !i || (f->first && f->step->outcome.taken), was_decoding = w->decoding;
	const uint64_t window = window_of(m, f);
	const unsigned wide =
		IFR_INSTRUCTION_WIDE_IMMEDIATE | (v[IFR_OP_CACHE_CONSTANTS] < 2 ? IFR_INSTRUCTION_TWO_CONSTANTS : 0);
	const unsigned slots = f->code->decoded + (f->code->flags & wide ? 1 : 0);
	const bool alone = f->code->flags & IFR_INSTRUCTION_MICROCODED, enters = arrives || window != w->window;
	/* A line may go on into the next window. */
	const bool goes_on = v[IFR_OP_CACHE_EXTENT] && v[IFR_OP_CACHE_TAG] && !arrives && w->window != UINT64_MAX;
	const bool fresh = enters && !goes_on;
	bool line = fresh;
	if (enters && !fresh) {
		w->window = window;
		w->none = true;
	}
	if (fresh) {
		w->none = false;
		leave_stretch(m, w);
		w->window = window;
		w->line = w->slots = w->branches = 0;
		w->barred = false;
	}
	if (v[IFR_OP_CACHE_SETS])
		find_barred(m, w, i);
	const bool no_room = !fresh && is_jump(f) && w->branches == v[IFR_OP_CACHE_BRANCHES];
	if (!fresh && (w->slots + slots > v[IFR_OP_CACHE_OPS] || alone || no_room)) {
		line = true;
		w->line = w->none ? 0 : w->line + 1;
		w->none = false;
		w->slots = w->branches = 0;
	}
	if (line) {
		const uint64_t key = v[IFR_OP_CACHE_TAG] ? f->address : window * 16 + w->line;
		const bool possible = v[IFR_OP_CACHE_SETS] && w->line < v[IFR_OP_CACHE_LINES];
		if (arrives || !w->decoding)
			w->decoding = !possible || !look_up(m, key, window);
		if (w->decoding && possible && v[IFR_OP_CACHE_TAG] && !w->barred)
			insert(m, key, window);
	}
	w->slots += alone ? v[IFR_OP_CACHE_OPS] : slots;
	w->branches += is_jump(f);
	f->source = w->decoding ? IFR_SOURCE_DECODERS : IFR_SOURCE_OP_CACHE;
	f->window = enters;
	f->wait = w->decoding && !was_decoding ? (int)v[IFR_OP_CACHE_SWITCH] : 0;
	const bool ends = v[IFR_OP_CACHE_ENDS] ? no_room : fresh || (line && v[IFR_OP_CACHE_TAG]);
	f->begins = arrives || (w->decoding && !was_decoding) || (ends && !w->decoding);
}

/* At a loop's head: the iteration that just ended may lock the loop. */
static void meet_head(struct machine *m, struct walk *w, size_t i) {
	const size_t count =
		w->head && m->fetched[w->head].address == m->fetched[i].address ? iteration_at(m, w->head, i + 1) : 0;
	if (count && count == w->previous_count && same_path(m, w->head, w->previous_head, count) &&
	    lockable(m, w->head, count)) {
		unsigned slots = 0;
		for (size_t k = 0; k < count; k++)
			slots += m->fetched[w->head + k].code->decoded;
		w->locked_from = w->head;
		w->locked_count = count;
		w->rounds = 0;
		w->unroll = (m->v[IFR_LOOP_BUFFER_UNROLL] + slots - 1) / slots;
	}
	/* An iteration counts as the one before only if all of it may be locked. */
	bool sound = count;
	for (size_t k = 0; k < count; k++)
		sound &= m->fetched[w->head + k].source == IFR_SOURCE_OP_CACHE &&
		         !(m->fetched[w->head + k].first && m->fetched[w->head + k].step->call);
	w->previous_head = w->head;
	w->previous_count = sound ? count : 0;
	w->head = i;
}

/* Takes instructions of a locked loop while they are the loop's, by blocks. Returns how many. */
static size_t fetch_locked(struct machine *m, struct walk *w, size_t i) {
	size_t at = 0, k = i;
	leave_stretch(m, w);
	w->window = UINT64_MAX;
	w->decoding = false;
	while (k < m->fetched_count && m->fetched[k].address == m->fetched[w->locked_from + at].address) {
		m->fetched[k].source = IFR_SOURCE_LOOP_BUFFER;
		m->fetched[k].begins = !at && w->rounds++ % w->unroll == 0;
		k++;
		at = at + 1 < w->locked_count ? at + 1 : 0;
	}
	w->locked_count = w->previous_count = w->head = 0;
	return k - i;
}

void cycles_run_front(struct machine *m) {
	struct walk w = {.decoding = true, .window = UINT64_MAX};
	for (size_t i = 0; i < m->fetched_count;) {
		if (m->v[IFR_LOOP_BUFFER_OPS] && is_head(m, i))
			meet_head(m, &w, i);
		if (w.locked_count) {
			i += fetch_locked(m, &w, i);
			if (i < m->fetched_count && m->v[IFR_LOOP_BUFFER_OPS] && is_head(m, i))
				w.head = i;
			if (i < m->fetched_count)
				fetch_ordinary(m, &w, i++);
		} else {
			fetch_ordinary(m, &w, i++);
		}
	}
	for (size_t i = 0; i < m->fetched_count; i++) {
		m->slots[m->fetched[i].source] += m->fetched[i].code->decoded;
		for (size_t k = i; k-- > 0 && m->fetched[k].step == m->fetched[i].step;)
			m->fetched[k].decoders_any |= m->fetched[i].source == IFR_SOURCE_DECODERS;
		m->fetched[i].decoders_any |= m->fetched[i].source == IFR_SOURCE_DECODERS;
	}
}
