/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/model/replaying.h"

#include <stdlib.h>
#include <string.h>

#include "harness/launch/launch.h"
#include "harness/model/layouts.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

static bool needs_kit(const struct ifr_plan *plans, size_t count) {
	bool needs = false;
	for (size_t i = 0; i < count; i++)
		needs |= ifr_plan_axes(&plans[i]) & ifr_axes_of(IFR_OWNER_RELINKER) || plans[i].place_count;
	return needs;
}

/* The kit of the program as it was recorded. */
static int load_kit(const struct ifr_trace *trace, struct ifr_kit *kit, struct ifr_error *err) {
	char *program = ifr_trace_fact(trace, "program"), *build_id = ifr_trace_fact(trace, "build_id");
	char now[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "";
	int result = 0;
	if (!program)
		result = ifr_fail(err, IFR_E_USAGE, "the trace does not name its program: it cannot be laid out anew");
	if (!result)
		result = ifr_build_id_read(program, now, err);
	if (!result && build_id && strcmp(now, build_id) != 0)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s was built again since it was recorded: record it again, or put the old one back",
		                  program);
	if (!result)
		result = ifr_kit_of_program(program, kit, err);
	free(program);
	free(build_id);
	return result;
}

static int replay_lot(struct ifr_replaying *replaying, const struct ifr_relinker *relinker,
                      const struct ifr_plan *plans, size_t count, struct ifr_counts *counters,
                      struct ifr_error *err) {
	struct ifr_address_map *maps[IFR_REPLAY_LANES] = {0};
	struct ifr_count_settings settings = {
		.machine = replaying->machine, .engine = replaying->engine, .stopped = ifr_launch_interrupted};
	int result = 0;
	for (size_t i = 0; i < count && !result; i++)
		result = ifr_layout_of_plan(replaying->trace, relinker, &plans[i], &maps[i], err);
	if (!result)
		result = ifr_count(replaying->trace, maps, count, &settings, counters, &replaying->engine_name, err);
	for (size_t i = 0; i < count; i++)
		ifr_address_map_free(maps[i]);
	return result;
}

int ifr_replay_plans(struct ifr_replaying *replaying, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_relinker *relinker = NULL;
	int result = 0;
	ifr_kit_init(&kit);
	if (needs_kit(plans, count)) {
		result = load_kit(replaying->trace, &kit, err);
		if (!result)
			result = ifr_relinker_open(&kit, &relinker, err);
	}
	for (size_t done = 0; done < count && !result; done += IFR_REPLAY_LANES) {
		size_t lot = count - done < IFR_REPLAY_LANES ? count - done : IFR_REPLAY_LANES;
		result = replay_lot(replaying, relinker, plans + done, lot, counters + done, err);
	}
	ifr_relinker_close(relinker);
	ifr_kit_release(&kit);
	return result;
}
