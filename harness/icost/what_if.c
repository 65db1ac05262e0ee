/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/what_if.h"

#include <math.h>
#include <stdlib.h>

#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1 };

static const uint32_t causes =
	1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_WIN | 1u << IFR_CAUSE_BMISP | 1u << IFR_CAUSE_SHALU;

/* A loop's length, or a window's size. */
static const struct {
	const char *change;
	enum ifr_setting setting;
	unsigned value;
} changes[] = {
	{"pipeline.load_latency=4", IFR_PIPELINE_LOAD_LATENCY, 4},
	{"pipeline.load_latency=8", IFR_PIPELINE_LOAD_LATENCY, 8},
	{"pipeline.wakeup=2", IFR_PIPELINE_WAKEUP, 2},
	{"penalty.conditional=15", IFR_PENALTY_CONDITIONAL, 15},
	{"pipeline.window=64", IFR_PIPELINE_WINDOW, 64},
	{"pipeline.window=128", IFR_PIPELINE_WINDOW, 128},
	{"pipeline.window=256", IFR_PIPELINE_WINDOW, 256},
};

static int add_row(const struct ifr_icost_subject *subject, const char *machine, const char *change,
                   struct ifr_what_if *what_if, struct ifr_error *err) {
	struct ifr_what_if_row *row = &what_if->rows[what_if->count++];
	struct ifr_icost_subject changed = *subject;
	struct ifr_machine *opened = NULL;
	char *spec = ifr_format("%s%s%s", machine, *change ? "," : "", change);
	*row = (struct ifr_what_if_row){.change = change};
	ifr_icost_init(&row->icost, causes, false);
	int result = ifr_machine_open(&opened, spec, err);
	changed.machine = opened;
	if (!result)
		result = ifr_icost_replay(&changed, NULL, &row->icost, &what_if->instructions, err);
	ifr_machine_free(opened);
	free(spec);
	return result;
}

int ifr_what_if_find(const struct ifr_icost_subject *subject, const char *machine, struct ifr_what_if *what_if,
                     struct ifr_error *err) {
	*what_if = (struct ifr_what_if){0};
	int result = add_row(subject, machine, "", what_if, err);
	for (size_t i = 0; i < sizeof changes / sizeof *changes && !result; i++)
		if (subject->machine->values[changes[i].setting] != changes[i].value)
			result = add_row(subject, machine, changes[i].change, what_if, err);
	return result;
}

void ifr_what_if_release(struct ifr_what_if *what_if) {
	for (size_t i = 0; i < what_if->count; i++)
		ifr_icost_release(&what_if->rows[i].icost);
	*what_if = (struct ifr_what_if){0};
}

/* --- output --------------------------------------------------------------------------------------------------- */

#define PAIR(one, other) (1u << IFR_CAUSE_##one | 1u << IFR_CAUSE_##other)
static const uint32_t singles[] = {1u << IFR_CAUSE_DL1, 1u << IFR_CAUSE_WIN, 1u << IFR_CAUSE_BMISP,
                                   1u << IFR_CAUSE_SHALU};
static const uint32_t pairs[] = {PAIR(DL1, WIN),   PAIR(DL1, BMISP), PAIR(DL1, SHALU),
                                 PAIR(WIN, BMISP), PAIR(WIN, SHALU), PAIR(BMISP, SHALU)};
enum { SINGLES = sizeof singles / sizeof *singles, PAIRS = sizeof pairs / sizeof *pairs };

/* The change that shortens the run most; 0: none does. */
static size_t find_best(const struct ifr_what_if *what_if) {
	size_t best = 0;
	for (size_t i = 1; i < what_if->count; i++)
		if (ifr_icost_time(&what_if->rows[i].icost, 0) < ifr_icost_time(&what_if->rows[best].icost, 0))
			best = i;
	return best;
}

/* A row of a table; *error: the largest of its figures' standard errors, in per cent. */
static void put_figures(const struct ifr_what_if_row *row, const uint32_t *sets, unsigned count, double *error,
                        struct ifr_buffer *out) {
	const double cycles = ifr_icost_time(&row->icost, 0);
	for (unsigned i = 0; i < count; i++) {
		const struct ifr_icost_value found = ifr_icost_interaction(&row->icost, sets[i]);
		const double value = 100 * found.cycles / cycles;
		ifr_buffer_printf(out, " %6.1f", fabs(value) < 0.05 ? 0 : value);
		*error = fmax(*error, 100 * found.error / cycles);
	}
	ifr_buffer_puts(out, "\n");
}

static const char *name_row(const struct ifr_what_if_row *row) {
	return *row->change ? row->change : "as described";
}

static void put_costs(const struct ifr_what_if *what_if, double *error, struct ifr_buffer *out) {
	const struct ifr_icost *base = &what_if->rows[0].icost;
	const double all = ifr_icost_time(base, 0);
	ifr_buffer_printf(out, "\n%-24s %6s %6s %6s %6s %6s\n", "cost", "time", "dl1", "win", "bmisp", "shalu");
	for (size_t i = 0; i < what_if->count; i++) {
		const struct ifr_what_if_row *row = &what_if->rows[i];
		ifr_buffer_printf(out, "%-24s %6.1f", name_row(row), 100 * ifr_icost_time(&row->icost, 0) / all);
		*error = fmax(*error, 100 * ifr_icost_saving(base, &row->icost).error / all);
		put_figures(row, singles, SINGLES, error, out);
	}
}

static void put_interactions(const struct ifr_what_if *what_if, double *error, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "\n%-24s %6s %6s %6s %6s %6s %6s\n", "", "dl1+", "dl1+", "dl1+", "win+", "win+",
	                  "bmisp+");
	ifr_buffer_printf(out, "%-24s %6s %6s %6s %6s %6s %6s\n", "interaction cost", "win", "bmisp", "shalu", "bmisp",
	                  "shalu", "shalu");
	for (size_t i = 0; i < what_if->count; i++) {
		ifr_buffer_printf(out, "%-24s", name_row(&what_if->rows[i]));
		put_figures(&what_if->rows[i], pairs, PAIRS, error, out);
	}
}

static void tell_best(const struct ifr_what_if *what_if, struct ifr_buffer *text) {
	const struct ifr_icost *base = &what_if->rows[0].icost;
	const struct ifr_what_if_row *best = &what_if->rows[find_best(what_if)];
	const double all = ifr_icost_time(base, 0) / 100;
	const struct ifr_icost_value saving = ifr_icost_saving(base, &best->icost);
	if (!*best->change)
		ifr_buffer_puts(text, " None of these changes saves cycles.");
	else if (saving.cycles <= 2 * saving.error)
		ifr_buffer_printf(
			text,
			" None of these changes saves more than its error: %s saves most, %.1f %% +- %.1f. --core "
			"full is exact.",
			best->change, saving.cycles / all, 2 * saving.error / all);
	else if (saving.error > 0)
		ifr_buffer_printf(text, " Of these changes, %s saves most: %.1f %% +- %.1f.", best->change,
		                  saving.cycles / all, 2 * saving.error / all);
	else
		ifr_buffer_printf(text, " Of these changes, %s saves most: %.1f %%.", best->change, saving.cycles / all);
}

void ifr_what_if_text(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	double error = 0;
	ifr_buffer_printf(&text, "%s on %s: %.0f cycles.", run->name, run->machine,
	                  ifr_icost_time(&what_if->rows[0].icost, 0));
	tell_best(what_if, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	put_costs(what_if, &error, out);
	put_interactions(what_if, &error, out);
	ifr_buffer_clear(&text);
	ifr_buffer_puts(
		&text,
		"time: per cent of the machine as described; costs: per cent of the row's cycles. Interaction cost: "
		"cycles saved with both beyond what each saves alone; below 0, one of both is worth less once the "
		"other is better.");
	if (error > 0)
		ifr_buffer_printf(&text, " From samples of the run: each is +- %.1f at most (twice the standard error).",
		                  2 * error);
	ifr_text_wrap(out, ifr_buffer_text(&text), "\n", "");
	ifr_buffer_release(&text);
}

static void add_figures(json_t *row, const struct ifr_icost *icost, const uint32_t *sets, unsigned count) {
	for (unsigned i = 0; i < count; i++) {
		struct ifr_buffer name = {0};
		ifr_causes_print(sets[i], &name);
		ifr_json_set(row, ifr_buffer_text(&name), ifr_json_number(ifr_icost_interaction(icost, sets[i]).cycles));
		ifr_buffer_release(&name);
	}
}

void ifr_what_if_json(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *rows = json_array();
	for (size_t i = 0; i < what_if->count; i++) {
		const struct ifr_what_if_row *from = &what_if->rows[i];
		json_t *row = json_object();
		ifr_json_set(row, "change", ifr_json_text(from->change));
		ifr_json_set(row, "cycles", ifr_json_number(ifr_icost_time(&from->icost, 0)));
		const struct ifr_icost_value saving = ifr_icost_saving(&what_if->rows[0].icost, &from->icost);
		ifr_json_set(row, "saving", ifr_json_number(saving.cycles));
		ifr_json_set(row, "saving_standard_error", ifr_json_number(saving.error));
		add_figures(row, &from->icost, singles, SINGLES);
		add_figures(row, &from->icost, pairs, PAIRS);
		json_array_append_new(rows, row);
	}
	ifr_json_set(root, "program", ifr_json_text(run->name));
	ifr_json_set(root, "machine", ifr_json_text(run->machine));
	ifr_json_set(root, "damage", ifr_json_text(run->damage));
	ifr_json_set(root, "instructions", ifr_json_count(what_if->instructions));
	ifr_json_set(root, "machines", rows);
	ifr_json_print(root, out);
}
