/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/replay_pace.h"

#include <math.h>

/* The rest is foreseen from the first share or a quarter of the time on, and up to the second share: behind it a replay
 * goes on to its deadline. */
static const double telling_share = 0.02, trusting_share = 0.5, telling_ns = 5e9;

/* The additional cost of an execution of the head, in executions behind it. */
enum { HEAD_MORE = 3 };

static uint64_t least(uint64_t a, uint64_t b) {
	return a < b ? a : b;
}

uint64_t replay_work_planned(const struct replay_work *work) {
	return work->lanes * (work->executions + HEAD_MORE * least(work->head, work->executions));
}

uint64_t replay_work_advance(struct replay_work *work, uint64_t executions) {
	const uint64_t before = work->replayed;
	work->replayed += executions;
	return work->lanes *
	       (executions + HEAD_MORE * (least(work->replayed, work->head) - least(before, work->head)));
}

void replay_pace_init(struct replay_pace *pace, int64_t now_ns, int64_t deadline_ns, uint64_t planned) {
	*pace = (struct replay_pace){.begun_ns = now_ns, .deadline_ns = deadline_ns, .planned = planned};
}

double replay_pace_share(const struct replay_pace *pace) {
	return pace->planned ? fmin((double)pace->done / (double)pace->planned, 1) : 0;
}

int64_t replay_pace_foresee(const struct replay_pace *pace, int64_t now_ns) {
	const double share = replay_pace_share(pace), spent_ns = (double)(now_ns - pace->begun_ns);
	return share > 0 && (share >= telling_share || spent_ns >= telling_ns) ? (int64_t)(spent_ns / share) : 0;
}

bool replay_pace_advance(struct replay_pace *pace, uint64_t work, int64_t now_ns) {
	pace->done += work;
	if (!pace->deadline_ns || pace->expected_ns)
		return !pace->expected_ns;
	const double share = replay_pace_share(pace), spent_ns = (double)(now_ns - pace->begun_ns);
	const double whole_ns = share > 0 ? spent_ns / share : spent_ns;
	const bool telling =
		share >= telling_share || (share > 0 && 4 * spent_ns >= (double)(pace->deadline_ns - pace->begun_ns));
	const bool foreseen = telling && share < trusting_share;
	if (now_ns <= pace->deadline_ns &&
	    (!foreseen || (double)pace->begun_ns + whole_ns <= (double)pace->deadline_ns))
		return true;
	pace->expected_ns = whole_ns > 1 ? (int64_t)whole_ns : 1;
	return false;
}
