/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/icost_across.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/commands/trace_notes.h"

/* Makes the plans to compare: those of --plan, behind the shipped layout if there is but one; or -n random ones. */
static int make_plans(const struct icost_options *options, struct ifr_plan **plans, size_t *count,
                      struct ifr_error *err) {
	const size_t files = options->plans.count, shipped = files == 1;
	int result = 0;
	*count = files ? 2 : options->layouts.variants;
	*plans = ifr_alloc(*count * sizeof **plans);
	for (size_t i = 0; i < *count; i++)
		ifr_plan_init(&(*plans)[i]);
	for (size_t i = 0; i < files && !result; i++) {
		struct ifr_plan *plan = &(*plans)[i + shipped];
		result = ifr_plan_read(options->plans.items[i], plan, err);
		if (!*plan->name)
			snprintf(plan->name, sizeof plan->name, "%.60s", ifr_path_base(options->plans.items[i]));
	}
	const struct ifr_layout_generator generator = layout_options_generator(&options->layouts);
	for (size_t i = 0; i < *count && !files; i++)
		ifr_layout_generator_plan(&generator, NULL, (unsigned)i + 1, &(*plans)[i]);
	return result;
}

static const char *name_plan(const struct ifr_plan *plan) {
	return *plan->name ? plan->name : "the shipped layout";
}

static int tell(const struct icost_options *options, const struct ifr_trace *trace,
                const struct ifr_across *across, const struct ifr_plan *plans, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	const bool two = options->plans.count;
	struct ifr_across_run run = {.run = icost_words(options, trace),
	                             .first = two ? name_plan(&plans[0]) : NULL,
	                             .second = two ? name_plan(&plans[1]) : NULL};
	run.run.instructions = across->instructions;
	if (options->json)
		ifr_across_json(across, &run, &text);
	else
		ifr_across_text(across, &run, &text);
	const int result = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	icost_words_release(&run.run);
	return result;
}

int icost_across(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                 struct ifr_error *err) {
	struct ifr_plan *plans = NULL;
	struct ifr_across across = {0};
	size_t count = 0;
	int result = make_plans(options, &plans, &count, err);
	const struct ifr_across_request request = {.trace = trace,
	                                           .plans = plans,
	                                           .count = count,
	                                           .two_layouts = options->plans.count,
	                                           .machine = machine,
	                                           .core = options->core,
	                                           .causes = options->causes,
	                                           .progress =
	                                               progress_wanted(options->quiet) ? progress_show_replay : NULL};
	if (!result)
		result = trace_notes_check_plans(trace, plans, count, err);
	if (!result)
		result = ifr_across_find(&request, &across, err);
	if (request.progress)
		progress_clear();
	if (!result && !across.instructions)
		result = ifr_fail(err, ifr_trace_damage(trace) ? IFR_E_PROGRAM : IFR_E_USAGE,
		                  "the trace has no instructions: record the program again");
	if (!result)
		result = tell(options, trace, &across, plans, err);
	ifr_across_release(&across);
	for (size_t i = 0; i < count; i++)
		ifr_plan_release(&plans[i]);
	free(plans);
	return result;
}
