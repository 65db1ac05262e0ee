/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/audit_model.h"

#include <stdlib.h>

#include "common/clock.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/exec/exec.h"

struct audit_model_replay {
	char *file;
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
};

static bool is_wanted(const struct ifr_audit_row *row) {
	return row->found && !row->model_experiment && !row->no_model.code && !ifr_audit_row_has_model(row);
}

/* The widest range first: where time ends, it is the narrowest that has no names. */
static struct ifr_audit_row *choose_next(struct ifr_audit_row *rows, size_t count, size_t *left) {
	struct ifr_audit_row *next = NULL;
	*left = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(&rows[i]))
			continue;
		++*left;
		if (!next || rows[i].range_pct > next->range_pct)
			next = &rows[i];
	}
	return next;
}

static int read_replay(struct audit_model_replay *replay, struct ifr_error *err) {
	const int result = ifr_experiment_load(replay->file, &replay->dataset, err);
	return result ? result : ifr_analysis_make(&replay->dataset, NULL, &replay->analysis, err);
}

static void replay_row(const struct ifr_audit *audit, int64_t budget_ns, struct ifr_audit_row *row,
                       struct audit_model_replay *replay) {
	if (audit->announce)
		ifr_command_note("%s: replaying its layouts for events (--machine %s)", row->trigger,
		                 audit->model_machine);
	int result = ifr_audit_model(audit, row, budget_ns, &replay->file, &row->no_model);
	if (audit->announce)
		progress_clear();
	if (!result)
		result = read_replay(replay, &row->no_model);
	if (result)
		return;
	row->model_experiment = replay->file;
	row->model_machine = audit->model_machine;
	ifr_audit_row_add_model(row, replay->analysis);
}

void audit_model_make(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, int64_t deadline_ns,
                      struct audit_model *model) {
	enum { PART = 5 };
	const int64_t now_ns = ifr_clock_ns(),
				  until_ns = deadline_ns == INT64_MAX ? INT64_MAX : now_ns + (deadline_ns - now_ns) / PART;
	struct ifr_audit_row *row;
	size_t left;
	*model = (struct audit_model){.replays = ifr_alloc((count + 1) * sizeof *model->replays)};
	while (ifr_audit_wants_model(audit) && (row = choose_next(rows, count, &left))) {
		const int64_t left_ns = until_ns == INT64_MAX ? 0 : until_ns - ifr_clock_ns();
		if (ifr_launch_interrupted())
			ifr_fail(&row->no_model, IFR_E_USAGE, "the audit was interrupted before");
		else if (left_ns < 0)
			ifr_fail(&row->no_model, IFR_E_USAGE, "the budget ended before; the same command goes on");
		else
			replay_row(audit, left_ns / (int64_t)left, row, &model->replays[model->count++]);
	}
}

void audit_model_release(struct audit_model *model) {
	for (size_t i = 0; i < model->count; i++) {
		ifr_analysis_free(model->replays[i].analysis);
		ifr_dataset_release(&model->replays[i].dataset);
		free(model->replays[i].file);
	}
	free(model->replays);
	*model = (struct audit_model){0};
}
