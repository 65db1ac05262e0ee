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

static const uint32_t columns[] = {1u << IFR_CAUSE_DL1,
                                   1u << IFR_CAUSE_WIN,
                                   1u << IFR_CAUSE_BMISP,
                                   1u << IFR_CAUSE_SHALU,
                                   1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_WIN,
                                   1u << IFR_CAUSE_DL1 | 1u << IFR_CAUSE_BMISP,
                                   1u << IFR_CAUSE_WIN | 1u << IFR_CAUSE_BMISP,
                                   1u << IFR_CAUSE_WIN | 1u << IFR_CAUSE_SHALU};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* The change that shortens the run most; 0: none does. */
static size_t find_best(const struct ifr_what_if *what_if) {
	size_t best = 0;
	for (size_t i = 1; i < what_if->count; i++)
		if (ifr_icost_time(&what_if->rows[i].icost, 0) < ifr_icost_time(&what_if->rows[best].icost, 0))
			best = i;
	return best;
}

static void put_row(const struct ifr_what_if_row *row, double base, struct ifr_buffer *out) {
	const double cycles = ifr_icost_time(&row->icost, 0);
	ifr_buffer_printf(out, "%-24s %6.1f", *row->change ? row->change : "as described", 100 * cycles / base);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const double value = 100 * ifr_icost_interaction(&row->icost, columns[i]).cycles / cycles;
		ifr_buffer_printf(out, " %5.1f", fabs(value) < 0.05 ? 0 : value);
	}
	ifr_buffer_puts(out, "\n");
}

void ifr_what_if_text(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out) {
	const double base = ifr_icost_time(&what_if->rows[0].icost, 0);
	const size_t best = find_best(what_if);
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text, "%s on %s: %.0f cycles.", run->name, run->machine, base);
	if (best)
		ifr_buffer_printf(&text, " Of these changes, %s saves most: %.1f %%.", what_if->rows[best].change,
		                  100 - 100 * ifr_icost_time(&what_if->rows[best].icost, 0) / base);
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	ifr_buffer_printf(out, "\n%-24s %6s %5s %5s %5s %5s %5s %5s %5s %5s\n%62s %5s %5s %5s\n", "", "time", "dl1",
	                  "win", "bmisp", "shalu", "dl1+", "dl1+", "win+", "win+", "win", "bmisp", "bmisp", "shalu");
	for (size_t i = 0; i < what_if->count; i++)
		put_row(&what_if->rows[i], base, out);
	ifr_text_wrap(
		out,
		"time: per cent of the machine as described. The others: cost, or interaction cost, in per cent of the "
		"row's cycles. Below 0: serial, so that one of both is worth less once the other is better.",
		"\n", "");
	ifr_buffer_release(&text);
}

void ifr_what_if_json(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *rows = json_array();
	for (size_t i = 0; i < what_if->count; i++) {
		const struct ifr_what_if_row *from = &what_if->rows[i];
		json_t *row = json_object();
		ifr_json_set(row, "change", ifr_json_text(from->change));
		ifr_json_set(row, "cycles", ifr_json_number(ifr_icost_time(&from->icost, 0)));
		for (unsigned k = 0; k < COLUMNS; k++) {
			struct ifr_buffer name = {0};
			ifr_causes_print(columns[k], &name);
			ifr_json_set(row, ifr_buffer_text(&name),
			             ifr_json_number(ifr_icost_interaction(&from->icost, columns[k]).cycles));
			ifr_buffer_release(&name);
		}
		json_array_append_new(rows, row);
	}
	ifr_json_set(root, "program", ifr_json_text(run->name));
	ifr_json_set(root, "machine", ifr_json_text(run->machine));
	ifr_json_set(root, "damage", ifr_json_text(run->damage));
	ifr_json_set(root, "instructions", ifr_json_count(what_if->instructions));
	ifr_json_set(root, "machines", rows);
	ifr_json_print(root, out);
}
