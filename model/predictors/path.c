/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel's direction predictor as reverse-engineered: a base by address, and tagged tables indexed by ever longer
 * parts of the path history (path_history.h). The longest table that has the branch is the provider; a
 * misprediction allocates an entry in a longer table.
 * Ref: Yavarzadeh et al. 2023, "Half&Half" (tables, ways, sets, lengths, address bits); Seznec and Michaud 2006
 * for counters, usefulness and allocation, as Intel's are not published. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

#include "model/predictors/path_history.h"

#define TABLES 4
#define TAG_BITS 12

struct entry {
	uint16_t tag;   /* plus one; 0: empty */
	int8_t counter; /* -4 to 3, 0 and more is taken */
	uint8_t useful; /* 0 to 3 */
};

struct path {
	struct ifr_path history;
	unsigned tables, ways;
	uint32_t sets_mask, pc_mask, base_mask;
	uint8_t *base;
	struct entry *entries[TABLES];
	unsigned lengths[TABLES];
	struct ifr_path_fold index_folds[TABLES], tag_folds[2][TABLES];
	/* --- state of the last prediction: sets, tags, and entries that have the branch (NULL: none) --- */
	struct entry *sets[TABLES], *hits[TABLES];
	uint16_t tags[TABLES];
	int provider; /* -1: the base */
	bool taken, alternate;
};

enum { BASE, SETS, WAYS, PC_BITS, LENGTHS };

static const struct ifr_parameter parameters[] = {
	{"base", 4096, 2, 1u << 20, "2-bit counters by address, a power of two"},
	{"sets", 512, 1u << 8, 1u << 16, "sets of each table, a power of two (Half&Half: 512)"},
	{"ways", 4, 1, 16, "ways of each table (Half&Half: 4)"},
	{"pc_bits", 12, 1, 32, "address bits that come into index and tag (Skylake 12, Golden Cove 16)"},
	{"length1", 22, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "bits of path history of the first table"},
	{"length2", 58, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "of the second"},
	{"length3", 186, IFR_PATH_SHORTEST, IFR_PATH_LONGEST, "of the third"},
	{"length4", 0, 0, IFR_PATH_LONGEST, "of the fourth; 0: there are three tables"},
	{0},
};

static const char *refuse_path(const unsigned *values) {
	if (!ifr_is_power(values[BASE]) || !ifr_is_power(values[SETS]))
		return "base and sets must be powers of two";
	if (values[LENGTHS + 3] && values[LENGTHS + 3] < IFR_PATH_SHORTEST)
		return "length4 is 0 or at least 16";
	return NULL;
}

static void *create_path(const unsigned *values) {
	struct path *p = ifr_alloc(sizeof *p);
	p->tables = values[LENGTHS + 3] ? 4 : 3;
	p->ways = values[WAYS];
	p->sets_mask = values[SETS] - 1;
	p->base_mask = values[BASE] - 1;
	p->pc_mask = (uint32_t)((1ull << values[PC_BITS]) - 1);
	p->base = ifr_counters2_new(values[BASE], 1);
	for (unsigned i = 0; i < p->tables; i++) {
		const unsigned length = p->lengths[i] = values[LENGTHS + i];
		p->entries[i] = ifr_alloc((size_t)values[SETS] * values[WAYS] * sizeof *p->entries[i]);
		p->index_folds[i] = ifr_path_fold_new(length, ifr_log2_of(values[SETS]));
		p->tag_folds[0][i] = ifr_path_fold_new(length, TAG_BITS);
		p->tag_folds[1][i] = ifr_path_fold_new(length, TAG_BITS - 1);
	}
	return p;
}

static void destroy_path(void *state) {
	struct path *p = state;
	free(p->base);
	for (unsigned i = 0; i < p->tables; i++)
		free(p->entries[i]);
	free(p);
}

/* Compares all ways without jumping, as no processor could predict which way has the branch. */
static struct entry *find_hit(struct path *p, unsigned table) {
	struct entry *set = p->sets[table], *hit = NULL;
	const uint16_t tag = p->tags[table];
	for (unsigned way = 0; way < p->ways; way++)
		hit = set[way].tag == tag ? &set[way] : hit;
	return hit;
}

static void look_up(struct path *p, uint32_t pc) {
	for (unsigned i = 0; i < p->tables; i++) {
		const uint32_t set = (pc ^ pc >> 9 ^ p->index_folds[i].value) & p->sets_mask;
		const uint32_t tag = pc ^ pc >> TAG_BITS ^ p->tag_folds[0][i].value ^ p->tag_folds[1][i].value << 1;
		p->sets[i] = &p->entries[i][(size_t)set * p->ways];
		p->tags[i] = (uint16_t)((tag & ((1u << TAG_BITS) - 1)) + 1);
		p->hits[i] = find_hit(p, i);
	}
}

static bool predict_path(void *state, const struct ifr_branch_instance *branch) {
	struct path *p = state;
	const uint32_t pc = (uint32_t)branch->pc & p->pc_mask;
	look_up(p, pc);
	p->taken = p->alternate = p->base[pc & p->base_mask] >> 1;
	p->provider = -1;
	for (unsigned i = 0; i < p->tables; i++)
		if (p->hits[i]) {
			p->provider = (int)i;
			p->alternate = p->taken;
			p->taken = p->hits[i]->counter >= 0;
		}
	return p->taken;
}

/* Allocates in the first longer table that has a way that is not useful; if there is none, lowers the usefulness
 * of all ways. */
static void allocate_entry(struct path *p, bool taken) {
	for (unsigned i = (unsigned)(p->provider + 1); i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			if (!p->sets[i][way].useful) {
				p->sets[i][way] = (struct entry){p->tags[i], taken ? 0 : -1, 0};
				return;
			}
	for (unsigned i = (unsigned)(p->provider + 1); i < p->tables; i++)
		for (unsigned way = 0; way < p->ways; way++)
			p->sets[i][way].useful--;
}

static void train_path(void *state, const struct ifr_branch_instance *branch) {
	struct path *p = state;
	if (p->taken != branch->taken)
		allocate_entry(p, branch->taken);
	if (p->provider < 0) {
		uint8_t *base = &p->base[branch->pc & p->pc_mask & p->base_mask];
		*base = ifr_counter2(*base, branch->taken);
		return;
	}
	struct entry *entry = p->hits[p->provider];
	entry->counter = (int8_t)ifr_counter_signed(entry->counter, branch->taken, -4, 3);
	if (p->taken != p->alternate)
		entry->useful = (uint8_t)ifr_counter_signed(entry->useful, p->taken == branch->taken, 0, 3);
}

static void track_path(void *state, const struct ifr_branch_instance *branch) {
	struct path *p = state;
	if (!branch->taken)
		return;
	const uint32_t footprint = ifr_path_footprint(branch->pc, branch->target);
	for (unsigned i = 0; i < p->tables; i++) {
		const uint32_t leaving = ifr_path_leaving(&p->history, p->lengths[i]);
		ifr_path_fold_push(&p->index_folds[i], leaving, footprint);
		ifr_path_fold_push(&p->tag_folds[0][i], leaving, footprint);
		ifr_path_fold_push(&p->tag_folds[1][i], leaving, footprint);
	}
	ifr_path_push(&p->history, footprint);
}

static uint64_t run_path(void *state, const struct ifr_branches *branches,
                         const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_ALL, predict_path, train_path, track_path);
}

const struct ifr_predictor ifr_predictor_path = {
	.name = "path",
	.about = "Intel's path history of taken branches (Yavarzadeh et al. 2023)",
	.parameters = parameters,
	.stream = IFR_STREAM_ALL,
	.create = create_path,
	.destroy = destroy_path,
	.predict = predict_path,
	.train = train_path,
	.track = track_path,
	.run = run_path,
	.refuse = refuse_path,
};
