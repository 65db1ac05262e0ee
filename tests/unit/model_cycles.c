/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_cycles_state.h"

#include <stdlib.h>
#include <string.h>

/* --- operations ------------------------------------------------------------------------------------------------ */

static void join(struct simulated *s) {
	const struct ifr_core_outcome *outcome = &s->in->step->outcome;
	s->address = s->op->pieces ? outcome->addresses[s->op->access] : 0;
	for (unsigned i = 0; i < s->op->pieces; i++) {
		const uint8_t level = outcome->levels ? outcome->levels[s->op->access + i] : 0;
		s->bytes += outcome->accesses[s->op->access + i].bytes;
		s->level = level > s->level ? level : s->level;
	}
}

static void list_ops(struct machine *m) {
	size_t producers[IFR_REGISTERS] = {0}, branch = 0, loads = 0, room = 0;
	uint64_t writes[IFR_REGISTERS] = {0};
	int64_t stack = 0;
	for (size_t i = 0; i < m->fetched_count; i++)
		room += m->fetched[i].code->ops;
	m->ops = ifr_alloc((room + 1) * sizeof *m->ops);
	m->slot_first = ifr_alloc((room + 2) * sizeof *m->slot_first);
	m->retired = ifr_alloc((room + 1) * sizeof *m->retired);
	m->decoded_slot = ifr_alloc((room + 1) * sizeof *m->decoded_slot);
	m->drained = ifr_alloc((room + 1) * sizeof *m->drained);
	m->store_ops = ifr_alloc((room + 1) * sizeof *m->store_ops);
	for (size_t i = 0; i < m->fetched_count; i++) {
		struct fetched *f = &m->fetched[i];
		f->first_op = m->ops_count;
		for (unsigned k = 0; k < f->code->ops; k++) {
			const size_t index = m->ops_count++;
			struct simulated *s = &m->ops[index];
			*s = (struct simulated){.op = &m->program->ops[f->code->first_op + k],
			                        .in = f,
			                        .branch_before = branch,
			                        .port = -1,
			                        .renamed = NEVER,
			                        .executed = NEVER,
			                        .done = NEVER};
			for (unsigned r = 0; r < 4; r++)
				s->sources[r] = s->op->sources[r] ? producers[s->op->sources[r]] : 0;
			for (unsigned r = 0; r < 3; r++)
				if (s->op->destinations[r])
					producers[s->op->destinations[r]] = index + 1;
			if (s->op->kind == IFR_OPERATION_BRANCH)
				branch = index + 1;
			if (s->op->flags & IFR_CORE_OP_ISSUED) {
				m->slot_first[m->slots_count] = index;
				m->retired[m->slots_count++] = NEVER;
			}
			s->slot = m->slots_count - 1;
			join(s);
			s->is_load = s->op->kind == IFR_OPERATION_LOAD && s->op->pieces;
			s->is_store = s->op->kind == IFR_OPERATION_STORE_ADDRESS && s->op->pieces;
			s->load = loads;
			s->store = m->stores;
			loads += s->op->kind == IFR_OPERATION_LOAD;
			if (s->is_load)
				cycles_find_value(m, s, writes, stack);
			s->named = s->op->displacement + (s->op->name == IFR_REGISTER_STACK_POINTER ? stack : 0);
			s->name_writes = (int64_t)writes[s->op->name];
			stack += s->op->stack;
			for (unsigned r = 0; r < 3; r++)
				writes[s->op->destinations[r]] +=
					!(s->op->stack && s->op->destinations[r] == IFR_REGISTER_STACK_POINTER);
			if (s->is_store) {
				m->store_ops[m->stores] = index;
				m->drained[m->stores++] = NEVER;
			}
		}
	}
	m->slot_first[m->slots_count] = m->ops_count;
}

/* --- cycles ---------------------------------------------------------------------------------------------------- */

static bool needs_port(const struct simulated *o) {
	return o->op->ports && !(o->op->flags & IFR_CORE_OP_ELIMINATED);
}

/* When all sources of an operation are there; NEVER if that is not known yet. */
static int64_t sources_at(struct machine *m, const struct simulated *o);

/* When what an operation writes can be read. */
static int64_t result_at(struct machine *m, struct simulated *o) {
	if (!o->value_of)
		return o->done;
	if (!o->value && o->renamed < NEVER) {
		const int64_t stored = sources_at(m, cycles_data_of(m, o->value_of - 1));
		o->value = stored < NEVER ? most(o->renamed, stored) : 0;
	}
	return o->value ? o->value : NEVER;
}

static int64_t sources_at(struct machine *m, const struct simulated *o) {
	int64_t at = 0;
	for (unsigned r = 0; r < 4; r++)
		if (o->sources[r])
			at = most(at, result_at(m, &m->ops[o->sources[r] - 1]) + (r == 1 ? o->op->late : 0));
	return at;
}

static unsigned in_scheduler(const struct machine *m, const struct state *s) {
	unsigned count = 0;
	for (size_t i = s->retired < m->slots_count ? m->slot_first[s->retired] : m->ops_count;
	     i < m->slot_first[s->renamed]; i++)
		count += needs_port(&m->ops[i]) && m->ops[i].executed >= s->now;
	return count;
}

static void rename_op(struct machine *m, struct state *s, struct simulated *o) {
	unsigned best = 99;
	o->renamed = s->now;
	if (!needs_port(o)) {
		const int64_t at = sources_at(m, o);
		o->executed = s->now;
		o->done = at >= NEVER ? NEVER : at > s->now ? at : s->now;
		return;
	}
	const uint16_t ports = o->in->step->outcome.leaves && o->op->taken_ports ? o->op->taken_ports : o->op->ports;
	for (unsigned p = 0; p < 16; p++)
		if (ports >> p & 1 && (best == 99 || s->waiting[p] <= s->waiting[best]))
			best = p;
	o->port = (int)best;
	s->waiting[best]++;
	o->hasty = m->v[IFR_PIPELINE_COUNTERS] && s->counters[o->in->address % m->v[IFR_PIPELINE_COUNTERS]] == 15;
}

/* Whether a slot finds room for what it needs. */
static bool has_room(const struct machine *m, const struct state *s, size_t slot) {
	const size_t from = m->slot_first[slot], to = m->slot_first[slot + 1];
	unsigned entries = 0, loads = 0, stores = 0;
	for (size_t i = from; i < to; i++) {
		entries += needs_port(&m->ops[i]);
		loads += m->ops[i].op->kind == IFR_OPERATION_LOAD;
		stores += m->ops[i].is_store;
	}
	const unsigned occupied = in_scheduler(m, s);
	if (occupied && occupied + entries > m->v[IFR_PIPELINE_SCHEDULER])
		return false;
	if (slot >= m->v[IFR_PIPELINE_WINDOW] && m->retired[slot - m->v[IFR_PIPELINE_WINDOW]] > s->now)
		return false;
	for (size_t i = 0; loads && i < from; i++)
		if (m->ops[i].op->kind == IFR_OPERATION_LOAD &&
		    m->ops[i].load + m->v[IFR_PIPELINE_LOADS] <= m->ops[from].load + loads - 1 &&
		    m->retired[m->ops[i].slot] > s->now)
			return false;
	for (size_t i = 0; stores && i < m->ops[from].store; i++)
		if (i + m->v[IFR_PIPELINE_STORES] <= m->ops[from].store + stores - 1 && m->drained[i] > s->now)
			return false;
	return true;
}

static void rename_slots(struct machine *m, struct state *s) {
	for (unsigned used = 0; used < m->v[IFR_PIPELINE_ISSUE] && s->renamed < m->slots_count; used++) {
		const size_t from = m->slot_first[s->renamed], to = m->slot_first[s->renamed + 1];
		if (from >= s->arrived_ops || s->arrival[from] + 1 > s->now || s->floor > s->now ||
		    !has_room(m, s, s->renamed))
			return;
		for (size_t i = from; i < to; i++)
			rename_op(m, s, &m->ops[i]);
		s->left[s->arrival_slot[from]] = s->now;
		s->renamed++;
	}
}

/* Whether an operation's port and unit are free. */
static bool finds_port(const struct machine *m, const struct state *s, const struct simulated *o) {
	if (m->v[IFR_PIPELINE_UNITS])
		return true;
	return cycles_port_free(m, s, o) && (!o->op->unit || s->unit_free[o->op->unit] <= s->now);
}

/* Cycles from the execution of an operation that is neither load nor store to its result. */
static int64_t result_cycles(const struct machine *m, const struct ifr_core_op *op) {
	const int64_t wakeup = m->v[IFR_PIPELINE_WAKEUP], longest = m->v[IFR_PIPELINE_LONGEST];
	int64_t cycles = op->latency ? op->latency : op->kind != IFR_OPERATION_COMPUTE;
	if (op->kind == IFR_OPERATION_STORE_ADDRESS || op->kind == IFR_OPERATION_STORE_DATA)
		return 1;
	const bool longer = cycles > 1;
	/* A branch wakes nothing. */
	if (cycles > 0 && op->kind != IFR_OPERATION_BRANCH)
		cycles = longer ? most(cycles, wakeup) : wakeup;
	if (cycles == 1 && !wakeup)
		cycles = 0;
	return longer && cycles > longest ? longest : cycles;
}

/* Executes an operation whose operands are there, if its port is free. */
static void try_execute(struct machine *m, struct state *s, struct simulated *o) {
	if (o->port < 0 || o->executed < NEVER || o->renamed + 1 > s->now || sources_at(m, o) > s->now ||
	    !finds_port(m, s, o))
		return;
	if (o->is_load && o->ready == 0)
		o->ready = s->now;
	if (o->is_load && !cycles_load_allowed(m, s, o))
		return;
	o->executed = s->taken[o->port] = s->now;
	if (o->op->unit)
		s->unit_free[o->op->unit] = s->now + o->op->occupancy;
	else
		s->held[o->port] = s->now + o->op->occupancy;
	if (o->is_load && o->address / 64 != (o->address + o->bytes - 1) / 64)
		s->split[o->port] = s->now + 1;
	if (o->op->kind == IFR_OPERATION_LOAD && !o->is_load)
		o->done = s->now + m->v[IFR_PIPELINE_LOAD_LATENCY] + o->op->latency;
	else if (!o->is_load)
		o->done = s->now + result_cycles(m, o->op);
	if (o->op->kind == IFR_OPERATION_PREFETCH && o->op->pieces)
		cycles_prefetch(m, s, o);
}

/* Results that become known: of loads, and of operations without a port. */
static void finish(struct machine *m, struct state *s, size_t i) {
	struct simulated *o = &m->ops[i];
	if (o->done < NEVER || o->executed > s->now)
		return;
	if (o->is_load)
		o->done = cycles_finish_load(m, s, i);
	else if (!needs_port(o) && sources_at(m, o) < NEVER)
		o->done = most(o->renamed, sources_at(m, o));
}

/* The oldest first: an operation of 0 cycles has its result in the cycle in which it executes. */
static void execute_ops(struct machine *m, struct state *s) {
	for (size_t i = s->retired < m->slots_count ? m->slot_first[s->retired] : m->ops_count;
	     i < m->slot_first[s->renamed]; i++) {
		try_execute(m, s, &m->ops[i]);
		finish(m, s, i);
	}
}

static void retire(struct machine *m, struct state *s) {
	for (unsigned used = 0; used < m->v[IFR_PIPELINE_RETIRE] && s->retired < s->renamed; used++) {
		for (size_t i = m->slot_first[s->retired]; i < m->slot_first[s->retired + 1]; i++)
			if (m->ops[i].done + 1 > s->now)
				return;
		m->retired[s->retired++] = s->now;
	}
}

static void leave_scheduler(struct machine *m, struct state *s, size_t from) {
	for (size_t i = from; i < m->slot_first[s->renamed]; i++)
		if (m->ops[i].port >= 0 && m->ops[i].executed == s->now)
			s->waiting[m->ops[i].port]--;
}

void cycles_simulate(const struct ifr_machine *machine, const struct ifr_core_program *program,
                     const struct cycles_step *steps, size_t count, struct cycles_result *result) {
	struct machine m = {.v = machine->values, .program = program};
	struct state *s = ifr_alloc(sizeof *s);
	m.lines = ifr_alloc((size_t)m.v[IFR_OP_CACHE_SETS] * m.v[IFR_OP_CACHE_WAYS] * sizeof *m.lines + 1);
	cycles_expand(&m, steps, count);
	cycles_run_front(&m);
	list_ops(&m);
	s->arrival = ifr_alloc((m.ops_count + 1) * sizeof *s->arrival);
	s->left = ifr_alloc((m.ops_count + 1) * sizeof *s->left);
	s->arrival_slot = ifr_alloc((m.ops_count + 1) * sizeof *s->arrival_slot);
	s->window_arrived = ifr_alloc((m.fetched_count + 1) * sizeof *s->window_arrived);
	memset(s->taken, 0xff, sizeof s->taken);
	s->next_prediction = m.v[IFR_FETCH_PREDICTION];
	s->counters = ifr_alloc(m.v[IFR_PIPELINE_COUNTERS] + 1);
	for (; s->retired < m.slots_count && s->now < 10000000; s->now++) {
		const size_t from = m.slot_first[s->retired];
		retire(&m, s);
		cycles_drain_stores(&m, s);
		execute_ops(&m, s);
		rename_slots(&m, s);
		leave_scheduler(&m, s, from);
		cycles_arrive(&m, s);
	}
	*result = (struct cycles_result){
		.cycle = s->now - 1, .aliases = s->aliases, .blocked = s->blocked, .clears = s->clears, .late = s->late};
	memcpy(result->slots, m.slots, sizeof m.slots);
	free(s->arrival);
	free(s->left);
	free(s->arrival_slot);
	free(s->window_arrived);
	free(s->counters);
	free(s);
	free(m.lines);
	free(m.fetched);
	free(m.ops);
	free(m.slot_first);
	free(m.retired);
	free(m.decoded_slot);
	free(m.drained);
	free(m.store_ops);
}
