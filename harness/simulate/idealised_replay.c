/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each thread replays a share of the sets, with a reader of the trace of its own: caches and predictors are replayed in
 * every thread, which costs little beside the graphs. */
#include "harness/simulate/idealised_replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"

enum { SHARES_MOST = 16 };

struct share {
	struct ifr_trace *trace;
	size_t first, count; /* of its sets */
	struct ifr_ideal_times times;
	struct ifr_counts counts;
};

struct shares {
	const struct ifr_idealised_replay *replay;
	struct share share[SHARES_MOST];
};

static int replay_share(size_t index, size_t thread, void *data, struct ifr_error *err) {
	struct shares *shares = data;
	struct share *share = &shares->share[index];
	const struct ifr_idealised_replay *replay = shares->replay;
	struct ifr_plan_replay replaying = {.trace = share->trace,
	                                    .machines = &replay->machine,
	                                    .machine_count = 1,
	                                    .engine = IFR_ENGINE_SCALAR,
	                                    .core = replay->core,
	                                    .sets = replay->sets + share->first,
	                                    .sets_count = share->count,
	                                    .marks = replay->marks,
	                                    .times = &share->times,
	                                    .progress = thread ? NULL : replay->progress};
	return ifr_replay_plans(&replaying, replay->plan, 1, &share->counts, err);
}

/* Joins the shares, whose fragments are the same. */
static void join_times(const struct shares *shares, size_t count, struct ifr_ideal_times *times) {
	const struct ifr_ideal_times *like = &shares->share[0].times;
	const size_t sets = shares->replay->sets_count, fragments = like->fragments;
	*times = (struct ifr_ideal_times){.sets = sets, .fragments = fragments, .rest = like->rest};
	times->cycles = ifr_alloc((sets + 1) * sizeof *times->cycles);
	times->fragment_cycles = ifr_alloc((sets * fragments + 1) * sizeof *times->fragment_cycles);
	times->fragment_instructions = ifr_alloc((fragments + 1) * sizeof *times->fragment_instructions);
	memcpy(times->fragment_instructions, like->fragment_instructions, fragments * sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		const struct share *share = &shares->share[i];
		memcpy(times->cycles + share->first, share->times.cycles, share->count * sizeof(double));
		memcpy(times->fragment_cycles + share->first * fragments, share->times.fragment_cycles,
		       share->count * fragments * sizeof(double));
	}
}

/* Opens a reader for each thread. Returns their number: a thread that gets none is left out. */
static size_t open_shares(struct shares *shares) {
	const struct ifr_idealised_replay *replay = shares->replay;
	struct ifr_error ignored = {0};
	size_t count = ifr_parallel_processors();
	count = count < SHARES_MOST ? count : SHARES_MOST;
	count = count < replay->sets_count ? count : replay->sets_count;
	size_t opened = 1;
	shares->share[0].trace = replay->trace;
	while (opened < count && !ifr_trace_reopen(replay->trace, &shares->share[opened].trace, &ignored))
		opened++;
	for (size_t i = 0; i < opened; i++) {
		shares->share[i].first = replay->sets_count * i / opened;
		shares->share[i].count = replay->sets_count * (i + 1) / opened - shares->share[i].first;
	}
	return opened;
}

int ifr_replay_idealised(const struct ifr_idealised_replay *replay, struct ifr_ideal_times *times,
                         uint64_t *instructions, struct ifr_error *err) {
	struct shares shares = {.replay = replay};
	const size_t count = open_shares(&shares);
	const int result = ifr_parallel_each(count, count, replay_share, &shares, err);
	if (!result)
		join_times(&shares, count, times);
	*instructions = shares.share[0].counts.value[IFR_EVENT_INSTRUCTIONS];
	for (size_t i = 0; i < count; i++) {
		ifr_ideal_times_release(&shares.share[i].times);
		if (i)
			ifr_trace_free(shares.share[i].trace);
	}
	return result;
}
