/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole report in order: title, the three lines, then everything that they rest on. */
#include <string.h>

#include "harness/report/prose.h"

static void say_title(struct ifr_prose *prose) {
	const char *program = ifr_dataset_program_name(prose->analysis->dataset, 0);
	ifr_buffer_printf(&prose->text, "Layouts of %s", program && *program ? program : "a program");
	ifr_prose_end(prose, IFR_PROSE_TITLE);
}

static void say_subject(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const char *command = ifr_dataset_fact(analysis->dataset, "command");
	if (command && *command) {
		ifr_buffer_printf(&prose->text, "Command: %s", command);
		ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	}
	if (analysis->exact)
		ifr_buffer_printf(&prose->text, "Modelled: %s, less is better; a layout has one value, %s.",
		                  analysis->metric->name,
		                  ifr_cycles_are_sampled(analysis->dataset, analysis->metric) ? "from samples of the run"
		                                                                              : "without noise");
	else
		ifr_buffer_printf(
			&prose->text,
			"Measured: %s (%s, from %s), less is better; the value of a layout is the median of its %sruns.",
			!strcmp(analysis->metric->name, "cpu_time") ? "processor time"
			: ifr_counter_is_time(analysis->metric)     ? "time"
														: "a count",
			analysis->metric->name, analysis->metric->source, analysis->disturbances.found ? "detrended " : "");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}

void ifr_prose_tell(const struct ifr_analysis *analysis, ifr_prose_emit *emit, void *context) {
	struct ifr_prose prose = {analysis, {0}, emit, context};
	if (ifr_prose_has_alternatives(analysis)) {
		ifr_prose_alternatives(&prose);
		ifr_buffer_release(&prose.text);
		return;
	}
	say_title(&prose);
	ifr_prose_lead(&prose);
	ifr_prose_adaptation(&prose);
	say_subject(&prose);
	ifr_prose_benchmarks(&prose);
	ifr_prose_sweep(&prose);
	ifr_prose_spread(&prose);
	ifr_prose_machines(&prose);
	ifr_prose_shipped(&prose);
	ifr_prose_extremes(&prose);
	ifr_prose_units(&prose);
	ifr_prose_counters(&prose);
	ifr_prose_basis(&prose);
	ifr_prose_say(&prose, IFR_PROSE_FOLDED, "All layouts");
	ifr_prose_say(&prose, IFR_PROSE_PLOT, "");
	ifr_prose_say(&prose, IFR_PROSE_FIGURE, "intervals");
	ifr_prose_say(&prose, IFR_PROSE_TABLE, "");
	ifr_buffer_release(&prose.text);
}
