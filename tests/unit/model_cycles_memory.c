/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_cycles_state.h"

/* Whether a store and a load share four aligned bytes of the page. */
static bool looks_alike(const struct simulated *store, const struct simulated *load) {
	for (uint64_t a = store->address / 4; a <= (store->address + store->bytes - 1) / 4; a++)
		for (uint64_t b = load->address / 4; b <= (load->address + load->bytes - 1) / 4; b++)
			if (a % 1024 == b % 1024)
				return true;
	return false;
}

static bool share_bytes(const struct simulated *a, const struct simulated *b) {
	return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* The youngest store of an earlier slot that has one of a load's bytes, if it can still be in the queue. */
static size_t true_store(const struct machine *m, const struct simulated *load) {
	for (size_t i = load->store; i-- > 0 && m->drained[i] > load->ready;) {
		const struct simulated *store = &m->ops[m->store_ops[i]];
		if (store->slot != load->slot && share_bytes(store, load))
			return i + 1;
	}
	return 0;
}

/* The youngest of the last stores with the load's name, if it is also the youngest with a byte of the load. */
void cycles_find_value(struct machine *m, struct simulated *load, const uint64_t *writes, int64_t stack) {
	const struct ifr_core_op *op = load->op;
	const int64_t displacement = op->displacement + (op->name == IFR_REGISTER_STACK_POINTER ? stack : 0);
	for (size_t i = m->stores; op->name && i-- > 0 && m->stores - i <= m->v[IFR_PIPELINE_RENAMED];) {
		const struct simulated *store = &m->ops[m->store_ops[i]];
		if (store->op->name != op->name || store->named != displacement ||
		    store->name_writes != (int64_t)writes[op->name])
			continue;
		size_t own = m->stores;
		while (own-- > 0)
			if (m->ops[m->store_ops[own]].slot != load->slot && share_bytes(&m->ops[m->store_ops[own]], load))
				break;
		load->value_of = own == i && store->op->name_bytes >= op->name_bytes ? i + 1 : 0;
		return;
	}
}

static void note_line(struct state *s, uint64_t line, int64_t done, bool prefetched) {
	const size_t at = s->line_count++ % 1024;
	s->line_done[at].line = line;
	s->line_done[at].done = done;
	s->line_done[at].prefetched = prefetched;
}

static int64_t cached_load(struct machine *m, struct state *s, const struct simulated *o, int64_t at) {
	const unsigned *v = m->v;
	const unsigned lines[] = {0, v[IFR_PENALTY_L1D], v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2],
	                          v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2] + v[IFR_PENALTY_LLC]};
	const unsigned pages[] = {0, v[IFR_PENALTY_DTLB], v[IFR_PENALTY_DTLB] + v[IFR_PENALTY_STLB]};
	const unsigned latency = v[IFR_PIPELINE_LOAD_LATENCY];
	at += pages[o->level / 4];
	int64_t done = at + latency;
	const uint64_t line = o->address / 64;
	if (o->level % 4) {
		int64_t *fill = &s->fills[s->fill_count++ % v[IFR_PIPELINE_FILLS]];
		done = *fill = most(at, *fill) + latency + lines[o->level % 4];
		note_line(s, line, done, false);
	} else {
		const int64_t alone = done;
		bool prefetched = false;
		for (size_t i = 0; i < s->line_count && i < 1024; i++)
			if (s->line_done[i].line == line && s->line_done[i].done > done) {
				done = s->line_done[i].done;
				prefetched = s->line_done[i].prefetched;
			}
		s->late += done > alone && prefetched;
	}
	return done;
}

void cycles_prefetch(struct machine *m, struct state *s, const struct simulated *o) {
	const unsigned *v = m->v;
	const unsigned lines[] = {0, v[IFR_PENALTY_L1D], v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2],
	                          v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2] + v[IFR_PENALTY_LLC]};
	const unsigned pages[] = {0, v[IFR_PENALTY_DTLB], v[IFR_PENALTY_DTLB] + v[IFR_PENALTY_STLB]};
	int64_t done = s->now + pages[o->level / 4];
	if (!(o->level % 4))
		return;
	if (!v[IFR_PREFETCH_FILL]) {
		int64_t *fill = &s->fills[s->fill_count++ % v[IFR_PIPELINE_FILLS]];
		done = *fill = most(done, *fill) + v[IFR_PIPELINE_LOAD_LATENCY] + lines[o->level % 4];
	} else {
		done += v[IFR_PIPELINE_LOAD_LATENCY] + lines[o->level % 4];
	}
	note_line(s, o->address / 64, done, true);
}

/* The data operation of a store follows its address operation. */
const struct simulated *cycles_data_of(const struct machine *m, size_t store) {
	size_t i = m->store_ops[store];
	while (m->ops[i].op->kind != IFR_OPERATION_STORE_DATA)
		i++;
	return &m->ops[i];
}

/* Everything younger than a load goes back to the queue. */
static void squash(struct machine *m, struct state *s, size_t load) {
	for (size_t i = m->slot_first[m->ops[load].slot + 1]; i < m->slot_first[s->renamed]; i++) {
		struct simulated *o = &m->ops[i];
		if (o->port >= 0 && o->executed >= s->now)
			s->waiting[o->port]--;
		o->renamed = o->executed = o->done = NEVER;
		o->value = 0;
		o->cached = o->issued = o->due = 0;
		o->settled = false;
		o->port = -1;
	}
	s->renamed = m->ops[load].slot + 1;
}

/* When a load has its bytes: from the queue, or from the caches. NEVER while that is not known. */
static int64_t own_bytes(struct machine *m, struct state *s, struct simulated *o, size_t own) {
	const unsigned *v = m->v;
	if (!own || m->drained[own - 1] <= o->executed) {
		if (!o->cached)
			o->cached = cached_load(m, s, o, o->executed);
		return o->cached;
	}
	const struct simulated *store = &m->ops[m->store_ops[own - 1]], *data = cycles_data_of(m, own - 1);
	const int64_t stored = data->port < 0 ? data->done : data->executed + data->op->latency;
	if (store->address <= o->address && o->address + o->bytes <= store->address + store->bytes)
		return data->done >= NEVER || store->done >= NEVER
		           ? NEVER
		           : most(o->executed, most(stored, store->done)) + v[IFR_PIPELINE_FORWARD];
	const int64_t drain = m->drained[own - 1];
	return drain >= NEVER ? NEVER
	                      : most(o->executed, drain) + v[IFR_PIPELINE_LOAD_LATENCY] + v[IFR_PIPELINE_BLOCKED];
}

/* When the next store that sends a load back lets it be issued again; 0: none is left. */
static int64_t sent_back(const struct machine *m, struct simulated *o) {
	for (; o->left && m->drained[o->left - 1] > o->issued; o->left--) {
		const struct simulated *store = &m->ops[m->store_ops[o->left - 1]];
		if (store->slot == o->slot)
			continue;
		if (share_bytes(store, o))
			return 0;
		if (store->done <= o->issued && looks_alike(store, o)) {
			o->left--;
			return o->issued + m->v[IFR_PIPELINE_ALIAS];
		}
	}
	return 0;
}

/* Issues a load again for each store elsewhere that looks like its own. Returns whether none is left. */
static bool issue_again(const struct machine *m, struct state *s, struct simulated *o) {
	if (o->settled || !m->v[IFR_PIPELINE_ALIAS])
		return true;
	if (!o->issued) {
		o->issued = o->executed;
		o->left = o->store;
		o->due = sent_back(m, o);
	}
	if (o->due && o->due <= s->now && (m->v[IFR_PIPELINE_UNITS] || cycles_port_free(m, s, o))) {
		if (!m->v[IFR_PIPELINE_UNITS]) {
			s->taken[o->port] = s->now;
			s->again[o->port] = s->now + 1;
			s->again_op[o->port] = (size_t)(o - m->ops);
		}
		o->issued = s->now;
		o->due = sent_back(m, o);
	}
	o->settled = !o->due;
	return o->settled;
}

static int64_t split_wait(const struct machine *m, const struct simulated *o) {
	const uint64_t last = o->address + o->bytes - 1;
	if (o->address / 64 == last / 64)
		return 0;
	return m->v[o->address / 4096 == last / 4096 ? IFR_PIPELINE_LINE_SPLIT : IFR_PIPELINE_PAGE_SPLIT];
}

/* The counter learns, and a load that went ahead of its own store throws away everything younger. */
static void disambiguate(struct machine *m, struct state *s, size_t index, size_t own, int64_t done) {
	const struct simulated *o = &m->ops[index], *store = own ? &m->ops[m->store_ops[own - 1]] : NULL;
	const unsigned counters = m->v[IFR_PIPELINE_COUNTERS];
	uint8_t *counter = &s->counters[counters ? o->in->address % counters : 0];
	*counter = store && store->done > o->ready ? 0 : (uint8_t)(*counter + (*counter < 15));
	if (!store || store->done <= o->executed)
		return;
	s->clears++;
	squash(m, s, index);
	s->floor = most(s->floor, done + (int64_t)m->v[IFR_PIPELINE_CLEAR]);
}

int64_t cycles_finish_load(struct machine *m, struct state *s, size_t index) {
	struct simulated *o = &m->ops[index];
	const size_t own = true_store(m, o);
	const bool settled = issue_again(m, s, o);
	const int64_t bytes = own_bytes(m, s, o, own);
	if (bytes >= NEVER || !settled)
		return NEVER;
	const struct simulated *store = own ? &m->ops[m->store_ops[own - 1]] : NULL;
	const bool back = o->issued > o->executed;
	const int64_t wait = back ? o->issued + m->v[IFR_PIPELINE_LOAD_LATENCY] : 0;
	s->aliases += back;
	s->blocked += store && m->drained[own - 1] > o->executed &&
	              (store->address > o->address || o->address + o->bytes > store->address + store->bytes);
	const int64_t done = most(bytes, wait);
	disambiguate(m, s, index, own, done);
	return done + o->op->latency + split_wait(m, o);
}

bool cycles_load_allowed(const struct machine *m, struct state *s, struct simulated *o) {
	/* Perfect: the store that has the bytes, wherever it is in the queue. */
	for (size_t i = o->store; i-- > 0 && !m->v[IFR_PIPELINE_COUNTERS] && m->drained[i] > s->now;) {
		const struct simulated *store = &m->ops[m->store_ops[i]];
		if (store->slot != o->slot && share_bytes(store, o))
			return store->done <= s->now;
	}
	for (size_t i = 0; i < o->store && !o->hasty && m->v[IFR_PIPELINE_COUNTERS]; i++)
		if (m->ops[m->store_ops[i]].done > s->now)
			return false;
	return true;
}

void cycles_drain_stores(struct machine *m, struct state *s) {
	const unsigned *v = m->v;
	const unsigned lines[] = {0, v[IFR_PENALTY_L1D], v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2],
	                          v[IFR_PENALTY_L1D] + v[IFR_PENALTY_L2] + v[IFR_PENALTY_LLC]};
	const unsigned pages[] = {0, v[IFR_PENALTY_DTLB], v[IFR_PENALTY_DTLB] + v[IFR_PENALTY_STLB]};
	for (; s->drained < m->stores; s->drained++) {
		const struct simulated *o = &m->ops[m->store_ops[s->drained]];
		int64_t at = m->retired[o->slot];
		if (at > s->now)
			return;
		at += 1 + pages[o->level / 4];
		if (o->level % 4) {
			int64_t *fill = &s->fills[s->fill_count++ % v[IFR_PIPELINE_FILLS]];
			at = *fill = most(at, *fill) + lines[o->level % 4];
		}
		const size_t together = v[IFR_PIPELINE_COMMIT];
		if (s->drained >= together)
			at = most(at, m->drained[s->drained - together] + !v[IFR_PIPELINE_UNITS]);
		s->last_drain = m->drained[s->drained] = most(s->last_drain, at);
	}
}
