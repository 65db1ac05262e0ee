/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/audit_cures.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "harness/commands/audit_mechanism.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"

/* --- proposals -------------------------------------------------------------------------------------------------- */

static void allocate(struct audit_cures *cures) {
	const size_t room = cures->candidates.count + 1;
	cures->items = ifr_alloc(room * sizeof *cures->items);
	cures->results = ifr_alloc(room * sizeof *cures->results);
	cures->why_not = ifr_alloc(room * sizeof *cures->why_not);
	cures->files = ifr_alloc(room * sizeof *cures->files);
	cures->plans = ifr_alloc(room * sizeof *cures->plans);
}

static void fill_items(struct audit_cures *cures) {
	for (size_t i = 0; i < cures->candidates.count; i++) {
		const struct ifr_cure_candidate *candidate = &cures->candidates.items[i];
		struct ifr_buffer plan = {0};
		ifr_plan_print(&candidate->plan, &plan);
		cures->plans[i] = ifr_buffer_detach(&plan);
		cures->items[i] = (struct ifr_audit_cure){
			.trigger = candidate->row->trigger,
			.reason = candidate->reason,
			.event = candidate->event,
			.why_not = cures->why_not[i].message,
			.cure = {.plan = cures->plans[i], .makes_file = ifr_cure_makes_file(&candidate->plan)}};
	}
}

void audit_cures_propose(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, size_t most,
                         struct audit_cures *cures) {
	const struct ifr_kit *kit = audit->campaign.programs->kit;
	struct ifr_cure_program program = {.has_loader = audit->has_loader};
	bool found = false;
	*cures = (struct audit_cures){0};
	for (size_t i = 0; i < count; i++)
		found |= rows[i].found;
	if (found && most && kit && ifr_builder_open(kit, &program.builder, NULL))
		program.builder = NULL;
	for (size_t i = 0; i < count; i++) {
		struct ifr_mechanism mechanism;
		if (!rows[i].found)
			continue;
		ifr_mechanism_find(&audit->campaign, &rows[i], &mechanism);
		rows[i].mechanism = audit_mechanism_describe(&mechanism);
		rows[i].names = audit_mechanism_print_json(&mechanism);
		if (most)
			ifr_cure_candidates_add(&program, &rows[i], &mechanism, &cures->candidates);
		ifr_mechanism_release(&mechanism);
	}
	ifr_builder_close(program.builder);
	ifr_cure_candidates_choose(&cures->candidates, most);
	allocate(cures);
	fill_items(cures);
}

/* --- measurement ------------------------------------------------------------------------------------------------ */

/* The time of a run, as the screen of a cure's trigger had it. */
static int64_t find_run_ns(const struct ifr_audit *audit, const struct ifr_audit_outcome *outcomes,
                           const struct ifr_cure_candidate *candidate) {
	const unsigned runs = audit->campaign.repetitions;
	return outcomes[ifr_trigger_find(candidate->row->trigger)].layout_ns /
	       (runs < IFR_AUDIT_SCREEN_RUNS ? 1 : IFR_AUDIT_SCREEN_RUNS);
}

/* An equal part of the time that is left, but enough for two runs of each context: one cure that is judged is more than
 * three that are not. */
static int64_t divide_time(const struct ifr_audit *audit, const struct ifr_audit_outcome *outcomes,
                           int64_t left_ns, size_t which, const struct audit_cures *cures) {
	const struct ifr_cure_candidate *candidate = &cures->candidates.items[which];
	const int64_t part_ns = left_ns / (int64_t)(cures->candidates.count - which);
	/* Making the files and reading the results take time, too. */
	const int64_t least_ns =
		ifr_audit_cure_least_ns(audit, candidate, find_run_ns(audit, outcomes, candidate)) * 3 / 2;
	return part_ns >= least_ns ? part_ns : least_ns < left_ns ? least_ns : left_ns;
}

static int measure(const struct ifr_audit *audit, const struct ifr_audit_outcome *outcomes, int64_t budget_ns,
                   size_t which, struct audit_cures *cures) {
	const struct ifr_cure_candidate *candidate = &cures->candidates.items[which];
	struct ifr_error *why_not = &cures->why_not[which];
	bool whole = false;
	int result = ifr_audit_cure(audit, candidate, budget_ns, find_run_ns(audit, outcomes, candidate),
	                            &cures->files[which], &whole, why_not);
	if (!result && !whole)
		result = ifr_fail(why_not, IFR_E_USAGE,
		                  "time ended before all contexts had their runs; the same command goes on");
	cures->items[which].cure.experiment = cures->files[which];
	return result;
}

static void read_result(const char *metric, size_t which, struct audit_cures *cures) {
	struct ifr_audit_cure *item = &cures->items[which];
	struct ifr_cure_result *result = &cures->results[which];
	if (ifr_cure_read(cures->files[which], metric, cures->candidates.count, result, &cures->why_not[which])) {
		ifr_cure_result_release(result);
		return;
	}
	item->cure.result = result;
	item->cure.command = ifr_dataset_fact(&result->dataset, "command");
}

void audit_cures_measure(const struct ifr_audit *audit, const struct ifr_audit_outcome *outcomes,
                         int64_t deadline_ns, struct audit_cures *cures) {
	const size_t count = cures->candidates.count;
	for (size_t i = 0; i < count; i++) {
		const int64_t left_ns = deadline_ns == INT64_MAX ? 0 : deadline_ns - ifr_clock_ns();
		int result = 0;
		if (ifr_launch_interrupted())
			result = ifr_fail(&cures->why_not[i], IFR_E_USAGE, "the audit was interrupted before");
		else if (deadline_ns != INT64_MAX && left_ns <= 0)
			result =
				ifr_fail(&cures->why_not[i], IFR_E_USAGE,
			             "the budget ended before; the same command, or --cures with a longer --budget, goes on");
		if (result)
			continue;
		if (audit->announce)
			ifr_command_note("cure %zu of %zu, of %s", i + 1, count, cures->items[i].trigger);
		result = measure(audit, outcomes, divide_time(audit, outcomes, left_ns, i, cures), i, cures);
		if (audit->announce)
			progress_clear();
		if (!result)
			read_result(audit->campaign.metric, i, cures);
	}
}

void audit_cures_release(struct audit_cures *cures) {
	for (size_t i = 0; i < cures->candidates.count; i++) {
		if (cures->items[i].cure.result)
			ifr_cure_result_release(&cures->results[i]);
		free(cures->files[i]);
		free(cures->plans[i]);
	}
	free(cures->items);
	free(cures->results);
	free(cures->why_not);
	free(cures->files);
	free(cures->plans);
	ifr_cure_candidates_release(&cures->candidates);
}
