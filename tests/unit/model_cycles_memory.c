/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_cycles_state.h"

/* The youngest store before a load that shares four aligned bytes of the page with it, among the last 255. */
static size_t matching_store(const struct machine *m, const struct simulated *load) {
	for (size_t i = load->store; i-- > 0;) {
		const struct simulated *store = &m->ops[m->store_ops[i]];
		for (uint64_t a = store->address / 4; a <= (store->address + store->bytes - 1) / 4; a++)
			for (uint64_t b = load->address / 4; b <= (load->address + load->bytes - 1) / 4; b++)
				if (a % 1024 == b % 1024)
					return i + 1;
	}
	return 0;
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
		s->line_done[s->line_count % 1024].line = line;
		s->line_done[s->line_count++ % 1024].done = done;
	} else {
		for (size_t i = 0; i < s->line_count && i < 1024; i++)
			if (s->line_done[i].line == line)
				done = most(done, s->line_done[i].done);
	}
	return done;
}

/* The data operation of a store follows its address operation. */
static const struct simulated *data_of(const struct machine *m, size_t store) {
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
		o->port = -1;
	}
	s->renamed = m->ops[load].slot + 1;
}

int64_t cycles_finish_load(struct machine *m, struct state *s, size_t index) {
	struct simulated *o = &m->ops[index];
	const unsigned *v = m->v;
	const size_t match = matching_store(m, o);
	int64_t done = NEVER;
	if (match) {
		const struct simulated *store = &m->ops[m->store_ops[match - 1]];
		const int64_t commit = m->retired[store->slot], drain = m->drained[match - 1];
		const uint64_t end = o->address + o->bytes, store_end = store->address + store->bytes;
		const bool covers = store->address <= o->address && end <= store_end;
		const bool same = store->address < end && o->address < store_end;
		const bool queued = drain > o->executed;
		if (queued && same && covers) {
			const struct simulated *data = data_of(m, match - 1);
			if (data->done >= NEVER || store->done >= NEVER)
				return NEVER;
			done = most(o->executed, most(data->done, store->done)) + v[IFR_PIPELINE_FORWARD];
		} else if (queued && same) {
			if (drain >= NEVER)
				return NEVER;
			s->blocked++;
			done = most(o->executed, drain) + v[IFR_PIPELINE_LOAD_LATENCY] + v[IFR_PIPELINE_BLOCKED];
		} else if (queued && v[IFR_PIPELINE_ALIAS] && store->done <= o->executed && o->executed < commit) {
			if (commit >= NEVER)
				return NEVER;
			s->aliases++;
			done = commit + v[IFR_PIPELINE_LOAD_LATENCY] + v[IFR_PIPELINE_ALIAS];
		}
		uint8_t *counter = &s->counters[o->in->address % v[IFR_PIPELINE_COUNTERS]];
		if (same && store->done > o->executed) {
			s->clears++;
			squash(m, s, index);
		}
		*counter = same && store->done > o->ready ? 0 : (uint8_t)(*counter + (*counter < 15));
		if (done < NEVER && same && store->done > o->executed)
			s->floor = most(s->floor, done + (int64_t)v[IFR_PIPELINE_CLEAR]);
	} else {
		uint8_t *counter = &s->counters[o->in->address % v[IFR_PIPELINE_COUNTERS]];
		*counter = (uint8_t)(*counter + (*counter < 15));
	}
	if (done >= NEVER)
		done = cached_load(m, s, o, o->executed);
	done += o->op->latency;
	if (o->address / 64 != (o->address + o->bytes - 1) / 64)
		done += o->address / 4096 != (o->address + o->bytes - 1) / 4096 ? v[IFR_PIPELINE_PAGE_SPLIT]
		                                                                : v[IFR_PIPELINE_LINE_SPLIT];
	return done;
}

bool cycles_load_allowed(const struct machine *m, struct state *s, struct simulated *o) {
	for (size_t i = 0; i < o->store && !o->hasty; i++)
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
		s->last_drain = m->drained[s->drained] = most(s->last_drain + 1, at);
	}
}
