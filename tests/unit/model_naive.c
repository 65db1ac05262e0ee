/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_naive.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* --- a cache: for each set a list, the most recent key first --- */

struct memory {
	unsigned sets, ways, shift;
	bool tree;
	unsigned hash_bit;
	bool hash_high;
	uint64_t *keys; /* LRU: by use; tree PLRU: by way */
	unsigned *filled;
	bool *upper; /* tree PLRU, by set and node, level by level: true if the victim is in the upper half */
};

static struct memory memory_new(struct ifr_cache_shape shape) {
	const size_t size = (size_t)shape.sets * shape.ways;
	return (struct memory){
		.sets = shape.sets,
		.ways = shape.ways,
		.shift = shape.index_shift,
		.tree = shape.policy == IFR_POLICY_PLRU,
		.hash_bit = shape.hash_bit,
		.hash_high = shape.hash_high,
		.keys = ifr_alloc((size + 1) * sizeof(uint64_t)),
		.filled = ifr_alloc((shape.sets + 1) * sizeof(unsigned)),
		.upper = ifr_alloc(size + 1),
	};
}

static void memory_free(struct memory *memory) {
	free(memory->keys);
	free(memory->filled);
	free(memory->upper);
}

static bool touch_list(uint64_t *keys, unsigned *filled, unsigned ways, uint64_t key) {
	unsigned at = 0;
	while (at < *filled && keys[at] != key)
		at++;
	const bool hit = at < *filled;
	if (!hit && *filled < ways)
		++*filled;
	if (!hit)
		at = *filled - 1;
	for (; at > 0; at--)
		keys[at] = keys[at - 1];
	keys[0] = key;
	return hit;
}

/* Halves the ways from first on until one is left, and turns the nodes on the way away from it: the wanted way, or
 * (-1) the one where the nodes point. Returns the way. */
static unsigned descend(bool *upper, unsigned first, unsigned ways, int wanted) {
	/* The nodes of a level are consecutive, in the order of the ways below them: node 0, 1 2, 3 4 5 6, … */
	unsigned node = 0;
	while (ways > 1) {
		const unsigned half = ways / 2;
		const bool up = wanted < 0 ? upper[node] : (unsigned)wanted >= first + half;
		upper[node] = !up;
		node = 2 * node + (up ? 2 : 1);
		first += up ? half : 0;
		ways = half;
	}
	return first;
}

static bool touch_tree(uint64_t *keys, bool *upper, unsigned *filled, unsigned ways, uint64_t key) {
	for (unsigned way = 0; way < *filled; way++)
		if (keys[way] == key) {
			descend(upper, 0, ways, (int)way);
			return true;
		}
	const unsigned way = *filled < ways ? descend(upper, 0, ways, (int)(*filled)++) : descend(upper, 0, ways, -1);
	keys[way] = key;
	return false;
}

static bool bit_of(uint64_t key, unsigned bit) {
	return key >> bit & 1;
}

/* Whether two keys cannot be told apart by the way predictor of Zen, whose first bit is bit 12 of an address. */
static bool are_alike(uint64_t a, uint64_t b, unsigned first) {
	static const unsigned bits[][2] = {{12, 27}, {13, 26}, {14, 25}, {15, 20},
	                                   {16, 21}, {17, 22}, {18, 23}, {19, 24}};
	bool alike = true;
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
		const unsigned low = bits[i][0] - 12 + first, high = bits[i][1] - 12 + first;
		alike &= (bit_of(a, low) != bit_of(a, high)) == (bit_of(b, low) != bit_of(b, high));
	}
	return alike;
}

/* Gives the place of a key that is like this one to it. Returns false if it is there already, or none is. */
static bool take_place(const struct memory *memory, uint64_t *keys, unsigned filled, uint64_t key) {
	const unsigned first = memory->hash_bit;
	for (unsigned i = 0; i < filled; i++)
		if (keys[i] == key)
			return false;
	for (unsigned i = 0; i < filled; i++)
		if (are_alike(keys[i], key, first) && !(memory->hash_high && (keys[i] ^ key) >> first >> 16)) {
			keys[i] = key;
			return true;
		}
	return false;
}

/* A structure that the machine has not never misses. */
static bool touch(struct memory *memory, uint64_t key) {
	if (!memory->sets)
		return true;
	const size_t set = (key >> memory->shift) % memory->sets;
	uint64_t *keys = memory->keys + set * memory->ways;
	const bool taken = memory->hash_bit && take_place(memory, keys, memory->filled[set], key);
	if (memory->tree)
		return touch_tree(keys, memory->upper + set * memory->ways, &memory->filled[set], memory->ways, key) &&
		       !taken;
	return touch_list(keys, &memory->filled[set], memory->ways, key) && !taken;
}

/* --- directions --- */

#define OUTCOMES 64

/* A predictor of one table of counters, reimplemented. For other predictors counters is NULL, and their own verbs
 * are called. */
struct direction {
	const struct ifr_predictor *kind;
	const unsigned *values;
	uint8_t *counters;
	bool outcomes[OUTCOMES]; /* the last first */
	void *state;
};

static struct direction direction_new(const struct ifr_machine *machine) {
	struct direction d = {.kind = machine->direction, .values = machine->direction_values};
	const char *name = d.kind->name;
	const bool global = !strcmp(name, "gas") || !strcmp(name, "gag") || !strcmp(name, "gshare");
	if (global || !strcmp(name, "bimodal")) {
		d.counters = ifr_alloc(d.values[0]);
		memset(d.counters, global ? (int)d.values[2] : 1, d.values[0]);
	} else {
		d.state = d.kind->create(d.values);
	}
	return d;
}

static size_t direction_index(const struct direction *d, uint64_t pc) {
	const bool bimodal = !strcmp(d->kind->name, "bimodal");
	size_t history = 0, bits = 1;
	for (unsigned i = 0; !bimodal && i < d->values[1]; i++, bits *= 2)
		history += d->outcomes[i] * bits;
	/* The history is the upper part of the index. */
	history *= d->values[0] / bits;
	if (!strcmp(d->kind->name, "gshare"))
		return (history ^ pc) % d->values[0];
	return history + pc % (d->values[0] / bits);
}

/* Returns true if the branch was mispredicted. */
static bool direction_conditional(struct direction *d, const struct ifr_branch_instance *branch) {
	if (!d->counters) {
		const bool said = d->kind->predict(d->state, branch);
		d->kind->train(d->state, branch);
		return said != branch->taken;
	}
	uint8_t *counter = &d->counters[direction_index(d, branch->pc)];
	const bool said = *counter > 1;
	if (branch->taken && *counter < 3)
		++*counter;
	if (!branch->taken && *counter > 0)
		--*counter;
	memmove(d->outcomes + 1, d->outcomes, sizeof d->outcomes - sizeof *d->outcomes);
	d->outcomes[0] = branch->taken;
	return said != branch->taken;
}

/* --- a whole lane --- */

#define STACK 1024

struct naive {
	const struct ifr_machine *machine;
	struct memory l1i, l1d, l2, l3, itlb, dtlb, stlb, btbs[3];
	struct direction direction;
	void *indirect;
	uint64_t stack[STACK];
	unsigned depth;
	uint32_t last; /* execution whose branch waits for its successor */
	size_t line_bytes;
	struct {
		uint64_t address;
		unsigned bytes;
	} * stores; /* all, the last one last */
	size_t store_count;
	uint64_t *waiting; /* lines that were prefetched, and not referenced since */
	size_t waiting_count;
	uint64_t v[IFR_EVENT_COUNT];
};

struct naive *naive_new(const struct ifr_machine *machine) {
	struct naive *n = ifr_alloc(sizeof *n);
	n->machine = machine;
	n->l1i = memory_new(ifr_machine_cache_shape(machine, IFR_L1I_BYTES));
	n->l1d = memory_new(ifr_machine_cache_shape(machine, IFR_L1D_BYTES));
	n->l2 = memory_new(ifr_machine_cache_shape(machine, IFR_L2_BYTES));
	n->l3 = memory_new(ifr_machine_cache_shape(machine, IFR_L3_BYTES));
	n->itlb = memory_new(ifr_machine_tlb_shape(machine, IFR_ITLB_ENTRIES));
	n->dtlb = memory_new(ifr_machine_tlb_shape(machine, IFR_DTLB_ENTRIES));
	n->stlb = memory_new(ifr_machine_tlb_shape(machine, IFR_STLB_ENTRIES));
	for (unsigned i = 0; i < 3; i++)
		n->btbs[i] = memory_new(ifr_machine_btb_shape(machine, IFR_BTB1_ENTRIES + 3 * i));
	n->direction = direction_new(machine);
	n->indirect = machine->indirect->create(machine->indirect_values);
	n->last = IFR_EXECUTION_BREAK;
	n->line_bytes = machine->values[IFR_L1I_BYTES + 2] ? machine->values[IFR_L1I_BYTES + 2] : 64;
	return n;
}

void naive_free(struct naive *n) {
	struct memory *all[] = {&n->l1i,  &n->l1d,  &n->l2,      &n->l3,      &n->itlb,
	                        &n->dtlb, &n->stlb, &n->btbs[0], &n->btbs[1], &n->btbs[2]};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		memory_free(all[i]);
	free(n->stores);
	free(n->waiting);
	free(n->direction.counters);
	if (n->direction.state)
		n->direction.kind->destroy(n->direction.state);
	n->machine->indirect->destroy(n->indirect);
	free(n);
}

static void line_behind(struct naive *n, uint64_t line) {
	const bool third = n->l3.sets, second_hit = touch(&n->l2, line);
	n->v[IFR_EVENT_L2_REFERENCES]++;
	n->v[IFR_EVENT_L2_MISSES] += !second_hit;
	n->v[IFR_EVENT_LLC_REFERENCES] += third ? !second_hit : 1;
	n->v[IFR_EVENT_LLC_MISSES] += !second_hit && (!third || !touch(&n->l3, line));
}

static void page_behind(struct naive *n, uint64_t page) {
	n->v[IFR_EVENT_STLB_MISSES] += !n->stlb.sets || !touch(&n->stlb, page);
}

static void fetch_line(struct naive *n, uint64_t line) {
	n->v[IFR_EVENT_L1I_LOADS]++;
	if (touch(&n->l1i, line))
		return;
	n->v[IFR_EVENT_L1I_MISSES]++;
	line_behind(n, line);
}

static void fetch_page(struct naive *n, uint64_t page) {
	n->v[IFR_EVENT_ITLB_LOADS]++;
	if (touch(&n->itlb, page))
		return;
	n->v[IFR_EVENT_ITLB_MISSES]++;
	page_behind(n, page);
}

/* Byte by byte: whether two accesses have a byte in common, of addresses of which some bits count. */
static bool share_bytes(uint64_t a, unsigned a_bytes, uint64_t b, unsigned b_bytes, uint64_t bits) {
	for (unsigned i = 0; i < a_bytes; i++)
		if (((a + i - b) & bits) < b_bytes)
			return true;
	return false;
}

/* The youngest of the last stores that a load meets modulo 4096 is looked for from the last one back. */
static void meet_stores(struct naive *n, const struct ifr_access *access, uint64_t address) {
	const size_t entries = n->machine->values[IFR_STORE_BUFFER_ENTRIES];
	if (access->store) {
		if (!(n->store_count & (n->store_count + 1)))
			n->stores = ifr_realloc(n->stores, 2 * (n->store_count + 1), sizeof *n->stores);
		n->stores[n->store_count].address = address;
		n->stores[n->store_count++].bytes = access->bytes;
		return;
	}
	for (size_t back = 1; back <= entries && back <= n->store_count; back++) {
		const uint64_t store = n->stores[n->store_count - back].address;
		const unsigned bytes = n->stores[n->store_count - back].bytes;
		if (!share_bytes(address, access->bytes, store, bytes, 4095))
			continue;
		n->v[IFR_EVENT_ADDRESS_ALIAS] += !share_bytes(address, access->bytes, store, bytes, UINT64_MAX);
		return;
	}
}

/* A prefetch, which brings its line and page as a load does, and the fate of the line: lines that wait for their first
 * reference stand in a list. */
static void make_prefetch(struct naive *n, uint64_t address) {
	n->v[IFR_EVENT_PREFETCHES]++;
	if (address < 4096)
		return;
	if (touch(&n->l1d, address / n->line_bytes)) {
		n->v[IFR_EVENT_PREFETCHES_PRESENT]++;
	} else {
		n->waiting = ifr_realloc(n->waiting, n->waiting_count + 1, sizeof *n->waiting);
		n->waiting[n->waiting_count++] = address / n->line_bytes;
		n->v[IFR_EVENT_PREFETCHES_UNUSED]++;
		line_behind(n, address / n->line_bytes);
	}
	if (!touch(&n->dtlb, address / n->machine->values[IFR_CORE_PAGE_BYTES]))
		page_behind(n, address / n->machine->values[IFR_CORE_PAGE_BYTES]);
}

/* The first reference of a prefetched line. */
static void meet_prefetched(struct naive *n, uint64_t line, bool hit) {
	bool waits = false;
	for (size_t i = n->waiting_count; i-- > 0;)
		if (n->waiting[i] == line) {
			n->waiting[i] = n->waiting[--n->waiting_count];
			waits = true;
		}
	if (!waits || !hit)
		return;
	n->v[IFR_EVENT_PREFETCHES_USED]++;
	n->v[IFR_EVENT_PREFETCHES_UNUSED]--;
}

static void make_access(struct naive *n, const struct ifr_access *access, uint64_t address) {
	if (access->prefetch) {
		make_prefetch(n, address);
		return;
	}
	meet_stores(n, access, address);
	const size_t page = n->machine->values[IFR_CORE_PAGE_BYTES];
	const unsigned store = access->store;
	for (uint64_t a = address; a < address + access->bytes; a++) {
		n->v[access->store ? IFR_EVENT_SPLIT_STORES : IFR_EVENT_SPLIT_LOADS] +=
			a > address && a % n->line_bytes == 0;
		n->v[access->store ? IFR_EVENT_PAGE_SPLIT_STORES : IFR_EVENT_PAGE_SPLIT_LOADS] +=
			a > address && a % page == 0;
		if (a == address || a % n->line_bytes == 0) {
			n->v[store ? IFR_EVENT_L1D_STORES : IFR_EVENT_L1D_LOADS]++;
			const bool hit = touch(&n->l1d, a / n->line_bytes);
			meet_prefetched(n, a / n->line_bytes, hit);
			if (!hit) {
				n->v[store ? IFR_EVENT_L1D_STORE_MISSES : IFR_EVENT_L1D_LOAD_MISSES]++;
				line_behind(n, a / n->line_bytes);
			}
		}
		if (a == address || a % page == 0) {
			n->v[store ? IFR_EVENT_DTLB_STORES : IFR_EVENT_DTLB_LOADS]++;
			if (!touch(&n->dtlb, a / page)) {
				n->v[store ? IFR_EVENT_DTLB_STORE_MISSES : IFR_EVENT_DTLB_LOAD_MISSES]++;
				page_behind(n, a / page);
			}
		}
	}
}

/* Fetches a block byte by byte; before each byte come the accesses of the instructions that end there or earlier.
 * Returns the number of accesses. */
static size_t run_block(struct naive *n, const struct ifr_chunk *chunk, const struct ifr_lane *lane, uint32_t id,
                        const uint64_t *addresses) {
	const struct ifr_block *block = &chunk->blocks[id];
	const struct ifr_geometry *place = &lane->blocks[id];
	const size_t page = n->machine->values[IFR_CORE_PAGE_BYTES];
	size_t made = 0;
	for (unsigned at = 0; at < place->bytes; at++) {
		for (; made < block->accesses && lane->access_ends[block->first_access + made] <= at; made++)
			make_access(n, &chunk->accesses[block->first_access + made], addresses[made]);
		const uint64_t address = place->address + at;
		for (unsigned window = 16; window <= 64; window *= 2)
			n->v[window == 16   ? IFR_EVENT_WINDOWS_16
			     : window == 32 ? IFR_EVENT_WINDOWS_32
			                    : IFR_EVENT_WINDOWS_64] += !at || address % window == 0;
		if (!at || address % page == 0)
			fetch_page(n, address / page);
		if (!at || address % n->line_bytes == 0)
			fetch_line(n, address / n->line_bytes);
	}
	for (; made < block->accesses; made++)
		make_access(n, &chunk->accesses[block->first_access + made], addresses[made]);
	return made;
}

static void count_branch(struct naive *n, uint8_t kind) {
	n->v[IFR_EVENT_BRANCHES] += kind != IFR_BRANCH_NONE;
	n->v[IFR_EVENT_CONDITIONAL_BRANCHES] += kind == IFR_BRANCH_CONDITIONAL;
	n->v[IFR_EVENT_INDIRECT_BRANCHES] += kind == IFR_BRANCH_INDIRECT_JUMP || kind == IFR_BRANCH_INDIRECT_CALL;
	n->v[IFR_EVENT_RETURNS] += kind == IFR_BRANCH_RETURN;
}

static void use_stack(struct naive *n, const struct ifr_branch_instance *branch, uint64_t behind) {
	const unsigned size = n->machine->values[IFR_RETURN_STACK_ENTRIES];
	if (!size)
		return;
	if (branch->kind == IFR_BRANCH_CALL || branch->kind == IFR_BRANCH_INDIRECT_CALL) {
		if (n->depth == size)
			memmove(n->stack, n->stack + 1, --n->depth * sizeof *n->stack);
		n->stack[n->depth++] = behind;
	}
	if (branch->kind == IFR_BRANCH_RETURN) {
		n->v[IFR_EVENT_RETURN_MISSES] += !n->depth || n->stack[n->depth - 1] != branch->target;
		n->depth -= n->depth > 0;
	}
}

static void use_btb(struct naive *n, uint64_t pc) {
	for (unsigned i = 0; i < 3 && n->btbs[i].sets; i++)
		if (touch(&n->btbs[i], pc))
			return;
	n->v[IFR_EVENT_BTB_MISSES] += n->btbs[0].sets > 0;
}

static void use_predictors(struct naive *n, const struct ifr_branch_instance *branch) {
	const bool conditional = branch->kind == IFR_BRANCH_CONDITIONAL;
	const bool indirect = ifr_branch_is_indirect(branch->kind);
	const struct ifr_target_predictor *targets = n->machine->indirect;
	if (conditional)
		n->v[IFR_EVENT_CONDITIONAL_MISSES] += direction_conditional(&n->direction, branch);
	if (n->direction.state && (conditional || n->direction.kind->stream == IFR_STREAM_ALL))
		n->direction.kind->track(n->direction.state, branch);
	if (indirect) {
		n->v[IFR_EVENT_INDIRECT_MISSES] += targets->predict(n->indirect, branch) != branch->target;
		targets->train(n->indirect, branch);
	}
	if (targets->stream == IFR_STREAM_TAKEN ? branch->taken : indirect)
		targets->track(n->indirect, branch);
}

static void run_branch(struct naive *n, const struct ifr_chunk *chunk, const struct ifr_lane *lane, uint32_t step,
                       uint32_t next) {
	const uint8_t kind = chunk->blocks[step >> 1].branch;
	const struct ifr_geometry *place = &lane->blocks[step >> 1];
	const uint64_t behind = place->address + place->bytes;
	if (kind == IFR_BRANCH_NONE)
		return;
	const struct ifr_branch_instance branch = {
		.pc = n->machine->values[IFR_CORE_BRANCH_BYTE] ? behind - 1 : behind - place->branch_bytes,
		.target = lane->blocks[next].address,
		.kind = kind,
		.taken = kind != IFR_BRANCH_CONDITIONAL || step & 1,
		.backward = place->backward,
	};
	use_predictors(n, &branch);
	use_stack(n, &branch, behind);
	if (branch.taken)
		use_btb(n, branch.pc);
}

void naive_replay(struct naive *n, const struct ifr_chunk *chunk, const struct ifr_lane *lane,
                  const uint64_t *addresses) {
	for (size_t i = 0; i < chunk->executions_count; i++) {
		const uint32_t step = chunk->executions[i];
		if (step != IFR_EXECUTION_BREAK) {
			if (n->last != IFR_EXECUTION_BREAK)
				run_branch(n, chunk, lane, n->last, step >> 1);
			addresses += run_block(n, chunk, lane, step >> 1, addresses);
			n->v[IFR_EVENT_INSTRUCTIONS] += lane->blocks[step >> 1].instructions;
			count_branch(n, chunk->blocks[step >> 1].branch);
		}
		n->last = step;
	}
}

struct ifr_counts naive_counters(const struct naive *n) {
	const unsigned *values = n->machine->values;
	struct ifr_counts counters;
	uint64_t *v = counters.value;
	memcpy(v, n->v, sizeof n->v);
	v[IFR_EVENT_BRANCH_MISSES] =
		v[IFR_EVENT_CONDITIONAL_MISSES] + v[IFR_EVENT_INDIRECT_MISSES] + v[IFR_EVENT_RETURN_MISSES];
	const struct {
		enum ifr_event event;
		enum ifr_setting penalty;
	} terms[] = {{IFR_EVENT_CONDITIONAL_MISSES, IFR_PENALTY_CONDITIONAL},
	             {IFR_EVENT_INDIRECT_MISSES, IFR_PENALTY_INDIRECT},
	             {IFR_EVENT_RETURN_MISSES, IFR_PENALTY_RETURN},
	             {IFR_EVENT_BTB_MISSES, IFR_PENALTY_BTB},
	             {IFR_EVENT_L1I_MISSES, IFR_PENALTY_L1I},
	             {IFR_EVENT_L1D_LOAD_MISSES, IFR_PENALTY_L1D},
	             {IFR_EVENT_LLC_MISSES, IFR_PENALTY_LLC},
	             {IFR_EVENT_ITLB_MISSES, IFR_PENALTY_ITLB},
	             {IFR_EVENT_DTLB_LOAD_MISSES, IFR_PENALTY_DTLB},
	             {IFR_EVENT_DTLB_STORE_MISSES, IFR_PENALTY_DTLB},
	             {IFR_EVENT_STLB_MISSES, IFR_PENALTY_STLB}};
	v[IFR_EVENT_CYCLES] = v[IFR_EVENT_INSTRUCTIONS] / values[IFR_CORE_WIDTH];
	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
		v[IFR_EVENT_CYCLES] += v[terms[i].event] * values[terms[i].penalty];
	if (n->l3.sets)
		v[IFR_EVENT_CYCLES] += v[IFR_EVENT_L2_MISSES] * values[IFR_PENALTY_L2];
	v[IFR_EVENT_CYCLES_ADDITIVE] = v[IFR_EVENT_CYCLES];
	return counters;
}
