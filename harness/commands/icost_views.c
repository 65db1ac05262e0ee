/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views of one layout: the lines that bound the run, and the run on other machines. */
#include "harness/commands/commands.h"
#include "harness/commands/icost_across.h"
#include "harness/commands/progress.h"

static int find_nothing(const struct ifr_trace *trace, struct ifr_error *err) {
	return ifr_fail(err, ifr_trace_damage(trace) ? IFR_E_PROGRAM : IFR_E_USAGE,
	                "the trace has no instructions: record the program again");
}

int icost_begin_subject(const struct icost_options *options, struct ifr_trace *trace,
                        const struct ifr_machine *machine, struct ifr_plan *plan,
                        struct ifr_icost_subject *subject, struct ifr_error *err) {
	ifr_plan_init(plan);
	*subject =
		(struct ifr_icost_subject){.trace = trace,
	                               .plan = plan,
	                               .machine = machine,
	                               .core = options->core,
	                               .progress = progress_wanted(options->quiet) ? progress_show_replay : NULL};
	return options->plans.count ? ifr_plan_read(options->plans.items[0], plan, err) : 0;
}

static int print(struct ifr_buffer *text, struct ifr_icost_run *run, int result, struct ifr_error *err) {
	if (!result)
		result = ifr_command_print(text, err);
	ifr_buffer_release(text);
	icost_words_release(run);
	return result;
}

int icost_lines(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                struct ifr_error *err) {
	struct ifr_icost_run run = icost_words(options, trace);
	struct ifr_line_costs costs = {0};
	struct ifr_icost_subject subject;
	struct ifr_buffer text = {0};
	struct ifr_plan plan;
	int result = icost_begin_subject(options, trace, machine, &plan, &subject, err);
	if (!result)
		result = ifr_line_costs_find(&subject, &costs, err);
	if (subject.progress)
		progress_clear();
	if (!result && !costs.count)
		result = find_nothing(trace, err);
	if (!result && options->json)
		ifr_line_costs_json(&costs, &run, &text);
	else if (!result)
		ifr_line_costs_text(&costs, &run, &text);
	ifr_line_costs_release(&costs);
	ifr_plan_release(&plan);
	return print(&text, &run, result, err);
}

int icost_what_if(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                  struct ifr_error *err) {
	struct ifr_icost_run run = icost_words(options, trace);
	struct ifr_what_if what_if = {0};
	struct ifr_icost_subject subject;
	struct ifr_buffer text = {0};
	struct ifr_plan plan;
	int result = icost_begin_subject(options, trace, machine, &plan, &subject, err);
	if (!result)
		result = ifr_what_if_find(&subject, options->machine, &what_if, err);
	if (subject.progress)
		progress_clear();
	if (!result && !what_if.instructions)
		result = find_nothing(trace, err);
	if (!result && options->json)
		ifr_what_if_json(&what_if, &run, &text);
	else if (!result)
		ifr_what_if_text(&what_if, &run, &text);
	ifr_what_if_release(&what_if);
	ifr_plan_release(&plan);
	return print(&text, &run, result, err);
}
