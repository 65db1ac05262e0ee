/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "harness/icost/line_costs.h"
#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1, WIDTH = 80, NAME_AT = 33 };

/* --- text ----------------------------------------------------------------------------------------------------- */

static double percent(const struct ifr_line_costs *costs, double cycles) {
	const double value = 100 * cycles / costs->cycles;
	return fabs(value) < 0.05 ? 0 : value;
}

static const struct ifr_line_cost *find_worst(const struct ifr_line_costs *costs) {
	const struct ifr_line_cost *worst = NULL;
	for (size_t i = 0; i < costs->count; i++)
		if (!worst || costs->items[i].cost.cycles > worst->cost.cycles)
			worst = &costs->items[i];
	return worst;
}

static char *name_line(const struct ifr_line_costs *costs, const struct ifr_line_cost *item) {
	const struct ifr_code_line *line = &costs->lines.items[item->line];
	struct ifr_buffer plain = {0};
	char *name = ifr_format(*line->line ? "%s (%s)" : "%s%s", line->function, line->line);
	ifr_escape_plain(&plain, name);
	free(name);
	return ifr_buffer_detach(&plain);
}

/* The command that tells how a line overlaps with the machine's causes, to be pasted. */
static void put_command(const struct ifr_code_line *line, const struct ifr_icost_run *run,
                        struct ifr_buffer *out) {
	char *cause =
		ifr_format("%s%s", *line->line ? "line:" : "function:", *line->line ? line->line : line->function);
	ifr_buffer_printf(out, "\n  %s --cause ", run->command);
	ifr_quote_shell(out, cause);
	ifr_buffer_printf(out, "%s\n", run->input);
	free(cause);
}

static void tell_worst(const struct ifr_line_costs *costs, const struct ifr_icost_run *run,
                       struct ifr_buffer *out) {
	const struct ifr_line_cost *worst = find_worst(costs);
	struct ifr_buffer text = {0};
	char *name = name_line(costs, worst);
	ifr_buffer_printf(
		&text, "Most is lost in %s: if its instructions took no time, the run would take %.1f %% fewer cycles. ",
		name, percent(costs, worst->cost.cycles));
	if (worst->criticality >= 0.5)
		ifr_buffer_puts(&text,
		                "To do: shorten it. Its results are waited for: each cycle saved there saves one. Which "
		                "causes it has:");
	else
		ifr_buffer_puts(
			&text, "To do: look at its misses and mispredictions. Its results have slack: a cycle saved in its "
				   "operations saves less than half. Which causes it has:");
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	put_command(&costs->lines.items[worst->line], run, out);
	ifr_buffer_release(&text);
	free(name);
}

static bool has_line_numbers(const struct ifr_line_costs *costs) {
	for (size_t i = 0; i < costs->count; i++)
		if (*costs->lines.items[costs->items[i].line].line)
			return true;
	return false;
}

void ifr_line_costs_text(const struct ifr_line_costs *costs, const struct ifr_icost_run *run,
                         struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	double error = 0;
	ifr_buffer_printf(&text, "%s on %s: %.0f cycles, %.2f an instruction.", run->name, run->machine, costs->cycles,
	                  costs->cycles / (double)costs->instructions);
	if (run->damage)
		ifr_buffer_printf(&text, " The trace is cut (%s): this is its part before that.", run->damage);
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	ifr_buffer_puts(out, "\n");
	tell_worst(costs, run, out);
	ifr_buffer_printf(out, "\n%8s %7s %14s  %s\n", "retires", "cost", "critical", "line");
	for (size_t i = 0; i < costs->count; i++) {
		const struct ifr_line_cost *item = &costs->items[i];
		char *name = name_line(costs, item);
		error = fmax(error, item->cost.error);
		ifr_buffer_printf(out, "%8.1f %7.1f %14.0f  %.*s\n", percent(costs, item->retires),
		                  percent(costs, item->cost.cycles), fmax(0, 100 * item->criticality), WIDTH - NAME_AT,
		                  name);
		free(name);
	}
	ifr_buffer_clear(&text);
	if (!has_line_numbers(costs))
		ifr_buffer_puts(&text, "These are functions, as the program has no line numbers: build it with -g. ");
	ifr_buffer_puts(
		&text, "retires: per cent of the cycles for which retirement waits for the line. cost: per cent that go "
			   "if it takes no time. critical: per cent of its executions that delay the run if their result "
			   "comes a cycle later; the others have slack.");
	if (error > 0)
		ifr_buffer_printf(&text, " From samples: each cost is +- %.1f at most (twice the standard error).",
		                  200 * error / costs->cycles);
	ifr_text_wrap(out, ifr_buffer_text(&text), "\n", "");
	ifr_buffer_release(&text);
}

/* --- JSON ----------------------------------------------------------------------------------------------------- */

void ifr_line_costs_json(const struct ifr_line_costs *costs, const struct ifr_icost_run *run,
                         struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *lines = json_array();
	for (size_t i = 0; i < costs->count; i++) {
		const struct ifr_line_cost *item = &costs->items[i];
		json_t *row = json_object();
		ifr_json_set(row, "function", ifr_json_text(costs->lines.items[item->line].function));
		ifr_json_set(row, "line", ifr_json_text(costs->lines.items[item->line].line));
		ifr_json_set(row, "executed", ifr_json_count(item->executed));
		ifr_json_set(row, "retires", ifr_json_number(item->retires));
		ifr_json_set(row, "cost", ifr_json_number(item->cost.cycles));
		ifr_json_set(row, "cost_standard_error", ifr_json_number(item->cost.error));
		ifr_json_set(row, "a_cycle_later", ifr_json_number(item->later.cycles));
		ifr_json_set(row, "criticality", ifr_json_number(item->criticality));
		json_array_append_new(lines, row);
	}
	ifr_json_set(root, "program", ifr_json_text(run->name));
	ifr_json_set(root, "machine", ifr_json_text(run->machine));
	ifr_json_set(root, "damage", ifr_json_text(run->damage));
	ifr_json_set(root, "instructions", ifr_json_count(costs->instructions));
	ifr_json_set(root, "cycles", ifr_json_number(costs->cycles));
	ifr_json_set(root, "lines", lines);
	ifr_json_print(root, out);
}
