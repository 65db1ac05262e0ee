/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own figures (--metrics): which benchmarks there are is known from the reference runs, and kept in the
 * experiment. Iterations are fixed for all runs where the framework has an argument for that, and a run with it shows
 * that it works. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/analysis.h"
#include "harness/campaign/figures.h"

/* One number of iterations serves all benchmarks, so that those of the first run must not lie farther apart. */
static const double spread_most = 10;

int campaign_open_metrics(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	for (char *const *word = plan->argv; *word; word++)
		ifr_strings_add(&state->argv, *word);
	if (!plan->metrics)
		return 0;
	int result = ifr_metrics_open(plan->metrics, &state->metrics, err);
	if (result)
		return result;
	if (!ifr_counters_passes(state->counters))
		return ifr_fail(
			err, IFR_E_USAGE,
			"--metrics reads figures of runs, and the model alone makes none: add clock to --counters");
	char *folder = ifr_format("%s/figures", state->folder);
	ifr_metrics_request(state->metrics, folder, plan->driven != NULL, plan->argv, &state->argv,
	                    &state->context.environment);
	free(folder);
	return 0;
}

/* --- the list of benchmarks, "NAME\tUNIT" lines ------------------------------------------------------------------ */

static int save_benchmarks(struct campaign_state *state, unsigned program, const struct ifr_own_figures *figures,
                           struct ifr_error *err) {
	struct ifr_buffer text = {0};
	char *name = ifr_program_fact_name("benchmarks", program);
	for (size_t i = 0; i < figures->count; i++)
		ifr_buffer_printf(&text, "%s\t%s\n", figures->items[i].name, figures->items[i].unit);
	int result = ifr_experiment_set(state->experiment, name, ifr_buffer_text(&text), err);
	ifr_buffer_release(&text);
	free(name);
	return result;
}

/* Takes the benchmarks of a program from the experiment. */
static void load_benchmarks(struct campaign_state *state, unsigned program) {
	char *name = ifr_program_fact_name("benchmarks", program), *text = ifr_experiment_get(state->experiment, name);
	struct ifr_own_figures *figures = &state->programs[program].benchmarks;
	struct ifr_strings lines = {0};
	ifr_strings_split(&lines, text ? text : "", "\n");
	ifr_own_figures_release(figures);
	figures->items = ifr_alloc((lines.count + 1) * sizeof *figures->items);
	for (size_t i = 0; i < lines.count; i++) {
		struct ifr_own_figure *figure = &figures->items[figures->count++];
		const size_t length = strcspn(lines.items[i], "\t");
		snprintf(figure->name, sizeof figure->name, "%.*s", (int)length, lines.items[i]);
		snprintf(figure->unit, sizeof figure->unit, "%s",
		         lines.items[i][length] ? lines.items[i] + length + 1 : "");
	}
	ifr_counters_add_figures(state->counters, figures);
	ifr_strings_release(&lines);
	free(text);
	free(name);
}

void campaign_adopt_figures(struct campaign_state *state) {
	if (!state->metrics)
		return;
	char *argument = ifr_experiment_get(state->experiment, "iterations argument");
	if (argument && *argument)
		ifr_strings_add(&state->argv, argument);
	free(argument);
	for (unsigned i = 0; i < state->plan.program_count; i++)
		load_benchmarks(state, i);
}

int campaign_take_benchmarks(struct campaign_state *state, unsigned program, const struct ifr_own_figures *figures,
                             struct ifr_error *err) {
	struct ifr_own_figures *known = &state->programs[program].benchmarks;
	int result = save_benchmarks(state, program, figures, err);
	ifr_own_figures_release(known);
	known->items = ifr_alloc((figures->count + 1) * sizeof *known->items);
	memcpy(known->items, figures->items, figures->count * sizeof *known->items);
	known->count = figures->count;
	ifr_counters_add_figures(state->counters, known);
	return result;
}

const char *campaign_find_missing_figure(const struct campaign_state *state, unsigned program,
                                         const struct ifr_own_figures *figures, char *why, size_t size) {
	const struct ifr_own_figures *expected = &state->programs[program].benchmarks;
	for (size_t i = 0; i < expected->count; i++) {
		const struct ifr_own_figure *figure = ifr_own_figures_find(figures, expected->items[i].name);
		if (!figure)
			snprintf(why, size, "gave no figure for %.100s, which it gives as it ships", expected->items[i].name);
		else if (figure->failed && !expected->items[i].failed)
			snprintf(why, size, "reported an error in %.100s", figure->name);
		else
			continue;
		return why;
	}
	return NULL;
}

/* --- iterations --------------------------------------------------------------------------------------------------- */

bool campaign_same_iterations(const struct ifr_own_figures *a, const struct ifr_own_figures *b) {
	for (size_t i = 0; i < a->count; i++) {
		const struct ifr_own_figure *other = ifr_own_figures_find(b, a->items[i].name);
		if (other && other->iterations != a->items[i].iterations)
			return false;
	}
	return true;
}

/* The iterations of the benchmark with the fewest, of all programs; 0 where one does not tell, or where they lie too far
 * apart. */
static double choose_iterations(const struct campaign_state *state) {
	double least = HUGE_VAL, most = 0;
	for (unsigned i = 0; i < state->plan.program_count; i++)
		for (size_t j = 0; j < state->programs[i].benchmarks.count; j++) {
			const struct ifr_own_figure *one = &state->programs[i].benchmarks.items[j];
			least = fmin(least, one->failed ? least : one->iterations);
			most = fmax(most, one->iterations);
		}
	return least >= 1 && most <= spread_most * least ? least : 0;
}

static bool are_all(const struct ifr_own_figures *figures, double iterations) {
	for (size_t i = 0; i < figures->count; i++)
		if (!figures->items[i].failed && figures->items[i].iterations != iterations)
			return false;
	return figures->count > 0;
}

/* Runs every program with the argument; *works if each benchmark of each then has these iterations. */
static int try_argument(struct campaign_state *state, double iterations, bool *works, struct ifr_error *err) {
	int result = 0;
	*works = true;
	for (unsigned i = 0; i < state->plan.program_count && !result && *works; i++) {
		struct ifr_outcome outcome;
		result = campaign_observe_run(state, i, false, &outcome, err);
		*works = !result && outcome.exit_status == state->plan.expected_exit && !outcome.interrupted &&
		         are_all(&outcome.figures, iterations);
		ifr_outcome_release(&outcome);
	}
	return result;
}

static int note(struct campaign_state *state, const char *fact, char *text, struct ifr_error *err) {
	int result = ifr_experiment_set(state->experiment, fact, text, err);
	free(text);
	return result;
}

/* Stores the reports' words about iterations that stay the program's own choice. */
static int note_chosen(struct campaign_state *state, const char *why_not, struct ifr_error *err) {
	return note(state, "own iterations",
	            ifr_format(IFR_WORK_ADAPTIVE "%s: its own figures, which are for one "
	                                         "iteration, compare, but time and events of whole runs do not. %s.",
	                       why_not, ifr_metrics_fix_advice(state->metrics)),
	            err);
}

int campaign_fix_iterations(struct campaign_state *state, bool chosen, struct ifr_error *err) {
	const double iterations = choose_iterations(state);
	bool works = false;
	int result = 0;
	if (!chosen)
		return 0;
	char *argument = ifr_metrics_fix_argument(state->metrics, iterations);
	if (!argument || state->plan.driven || !iterations) {
		const char *apart =
			argument && !state->plan.driven ? " (its benchmarks need too different numbers of them)" : "";
		free(argument);
		return note_chosen(state, apart, err);
	}
	ifr_strings_add(&state->argv, argument);
	result = try_argument(state, iterations, &works, err);
	if (!works)
		ifr_strings_drop_last(&state->argv);
	if (!result && works)
		result = note(state, "iterations argument", ifr_strdup(argument), err);
	else if (!result) {
		char *without =
			ifr_format(" (this version of %s does not take %s)", ifr_metrics_title(state->metrics), argument);
		result = note_chosen(state, without, err);
		free(without);
	}
	free(argument);
	return result;
}

/* --- programs without --metrics ------------------------------------------------------------------------------------ */

static void put_word(struct ifr_buffer *text, const char *word) {
	char *const words[] = {(char *)word, NULL};
	char *quoted = campaign_quote_command(words);
	ifr_buffer_printf(text, " %s", quoted);
	free(quoted);
}

/* "lua-figures.exp" of "lua.exp": another experiment beside it. The caller frees. */
static char *name_figures(const char *file) {
	const size_t length = strlen(file), end = strlen(".exp");
	const bool ends = length > end && !strcmp(file + length - end, ".exp");
	return ifr_format("%.*s-figures.exp", (int)(ends ? length - end : length), file);
}

/* The command that measures the program's own figures, beside what the experiment holds. */
static char *write_recipe(const struct campaign_state *state, const char *option) {
	const struct ifr_campaign *plan = &state->plan;
	struct ifr_buffer text = {0};
	const bool two = plan->program_count > 1;
	ifr_buffer_printf(&text, "interfero %s --metrics %s -o", two ? "compare" : "bench", option);
	char *file = name_figures(plan->file);
	put_word(&text, file);
	free(file);
	if (plan->driven) {
		ifr_buffer_puts(&text, " --program");
		put_word(&text, plan->driven);
	}
	for (unsigned i = 0; two && i < plan->program_count; i++)
		put_word(&text, plan->programs[i].path);
	if (!two || plan->driven || plan->argv[1])
		ifr_buffer_puts(&text, " --");
	for (char *const *word = plan->argv + (two && !plan->driven); *word; word++)
		put_word(&text, *word);
	return ifr_buffer_detach(&text);
}

static char *describe_adaptation(const struct ifr_adaptation *found) {
	if (!found->differs)
		return ifr_format(
			"The program prints figures of its own (%s), which may tell more than the time of whole runs:",
			found->framework);
	if (!found->framework)
		return ifr_strdup(
			IFR_WORK_ADAPTIVE
			": time and events of whole runs do not "
			"show how fast it is. Fix their number, or measure the program's own figures by --metrics "
			"regex:PATTERN or json:PATH.");
	return ifr_format(IFR_WORK_ADAPTIVE " (%s): time and events of whole runs do not "
	                                    "show how fast it is. Its own figures do:",
	                  found->framework);
}

/* Tells at once that the runs to come will not answer the question: they may take an hour. */
static void say_adaptation(const struct campaign_state *state, const char *description, const char *recipe) {
	char *text = ifr_format("%c%s%s%s", tolower((unsigned char)*description), description + 1, recipe ? " " : "",
	                        recipe ? recipe : "");
	campaign_say(state, text);
	free(text);
}

int campaign_note_adaptation(struct campaign_state *state, const struct ifr_outcome *first,
                             const struct ifr_outcome *second, struct ifr_error *err) {
	struct ifr_adaptation found;
	const bool known = state->chooses_iterations;
	ifr_adaptation_recognise(ifr_buffer_text(&first->output), ifr_buffer_text(&second->output), &found);
	state->chooses_iterations |= found.differs;
	if (found.differs && found.framework) {
		state->adaptive_framework = found.framework;
		state->adaptive_option = found.option;
	}
	if (state->metrics || (!found.differs && !found.framework))
		return 0;
	/* Work that is fixed is what the model wants. */
	if (!found.differs && ifr_counters_has_model(state->counters))
		return 0;
	char *description = describe_adaptation(&found);
	char *recipe = found.option ? write_recipe(state, found.option) : NULL;
	if (found.differs && !known)
		say_adaptation(state, description, recipe);
	int result = note(state, "own iterations", description, err);
	if (!result && recipe)
		result = note(state, "own figures", recipe, err);
	else
		free(recipe);
	return result;
}
