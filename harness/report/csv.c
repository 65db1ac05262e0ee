/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment's samples as comma-separated values: a row for each variant, repetition and counter, and a column for
 * each value of each axis that varies. The values of an axis are its seed and parameters, from the variant's plan, and
 * its placed values, from the variant's facts: where the axis really put code, data or stack. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan.h"
#include "harness/report/report.h"

/* A placed value: its column, and the line of facts that holds it, as sscanf reads it up to %n. */
static const struct placed_value {
	enum ifr_axis axis;
	const char *name, *fact;
} placed_values[] = {
	{IFR_AXIS_FUNCTIONS, "moved", "functions: %" SCNu64 " of %n"},
	{IFR_AXIS_FUNCTIONS, "moved", "functions in object files: %" SCNu64 " of %n"},
	{IFR_AXIS_LINK_ORDER, "moved", "link-order: %" SCNu64 " of %n"},
	{IFR_AXIS_LINK_ORDER, "moved", "functions in object files: %" SCNu64 " of %n"},
	{IFR_AXIS_PADDING, "bytes", "padding: %" SCNu64 " bytes in all%n"},
	{IFR_AXIS_BASE, "bytes", "base: +%" SCNu64 " bytes%n"},
	{IFR_AXIS_DATA, "moved", "data: %" SCNu64 " of %n"},
	{IFR_AXIS_DATA, "bytes", "data: %*u of %*u units at another position, %" SCNu64 " bytes of padding%n"},
	{IFR_AXIS_INTERP, "bytes", "interp: path +%" SCNu64 " bytes%n"},
	{IFR_AXIS_NAMES, "count", "names: +%" SCNu64 " external %n"},
	{IFR_AXIS_NAMES, "bytes", "names: +%*u external functions, the first name +%" SCNu64 " bytes%n"},
	{IFR_AXIS_UNIT_ORDER, "functions", "templates: %*u of %*u units assembled, %" SCNu64 " functions ordered%n"},
	{IFR_AXIS_NOPS, "places",
     "templates: %*u of %*u units assembled, %*u functions ordered, %" SCNu64 " places%n"},
	{IFR_AXIS_ALIGN, "places",
     "templates: %*u of %*u units assembled, %*u functions ordered, %*u places with nops, %" SCNu64
     " functions%n"},
	{IFR_AXIS_FRAMES, "frames", "compiled again: %*u units, %" SCNu64 " frames wider%n"},
	{IFR_AXIS_GLOBALS, "variables",
     "compiled again: %*u units, %*u frames wider, %" SCNu64 " variables ordered%n"},
	{IFR_AXIS_ALIAS_CHECK, "loops",
     "compiled again: %*u units, %*u frames wider, %*u variables ordered, %" SCNu64 " loops%n"},
	{IFR_AXIS_SPLIT_LOOPS, "loops",
     "compiled again: %*u units, %*u frames wider, %*u variables ordered, %*u loops in two versions, %" SCNu64
     " loops%n"},
	{IFR_AXIS_DUPLICATE_JOINS, "copies",
     "compiled again: %*u units, %*u frames wider, %*u variables ordered, %*u loops in two versions, %*u loops in "
     "parts, %" SCNu64 " copies%n"},
	{IFR_AXIS_STACK, "bytes", "stack: %" SCNu64 " bytes of environment%n"},
	{IFR_AXIS_STACK, "main_bytes", "stack: %" SCNu64 " bytes above main's frame%n"},
	{IFR_AXIS_STACK, "path_bytes", "stack: path +%" SCNu64 " bytes%n"},
	{IFR_AXIS_STACK, "argument_bytes", "stack: argv[0] +%" SCNu64 " bytes%n"},
	{IFR_AXIS_STACK, "directory_bytes", "stack: directory +%" SCNu64 " bytes%n"},
	{IFR_AXIS_ALLOCATOR, "which", "allocator: %" SCNu64 ", %n"},
	{IFR_AXIS_HUGE_PAGES, "parts", "huge-pages: %" SCNu64 ", %n"},
	{IFR_AXIS_LOAD, "pages", "load: mappings %" SCNu64 " pages lower%n"},
};
enum { PLACED_VALUES = sizeof placed_values / sizeof *placed_values };

/* Whether an earlier line of the table has the same column. */
static bool is_repeated(size_t placed) {
	for (size_t i = 0; i < placed; i++)
		if (placed_values[i].axis == placed_values[placed].axis &&
		    !strcmp(placed_values[i].name, placed_values[placed].name))
			return true;
	return false;
}

/* Appends a field: quoted where it holds a comma, a quote or a line end. Ref: RFC 4180, section 2. */
static void add_text(struct ifr_buffer *out, const char *text) {
	if (!strpbrk(text, ",\"\r\n")) {
		ifr_buffer_puts(out, text);
		return;
	}
	ifr_buffer_puts(out, "\"");
	for (const char *c = text; *c; c++)
		ifr_buffer_append(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
	ifr_buffer_puts(out, "\"");
}

static void add_field(struct ifr_buffer *out, const char *text) {
	ifr_buffer_puts(out, ",");
	add_text(out, text);
}

/* Whether a placed value has the column of a parameter: the axis takes the value that was asked for, or draws one, and
 * the column holds the value that was placed. */
static bool is_placed(int axis, const char *parameter) {
	for (size_t i = 0; i < PLACED_VALUES; i++)
		if (placed_values[i].axis == (enum ifr_axis)axis && !strcmp(placed_values[i].name, parameter))
			return true;
	return false;
}

/* The columns behind value. */
struct columns {
	unsigned axes;              /* their seeds and parameters */
	bool placed[PLACED_VALUES]; /* values that a variant's facts have */
};

static void add_header(struct ifr_buffer *out, const struct columns *columns, bool machines) {
	ifr_buffer_puts(out, "program,file,layout,variant,repetition,pass,copy,twin,simulated,started_ns,exit_status,"
	                     "refused,counter,unit,source,value");
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		if (!(columns->axes & 1u << i))
			continue;
		ifr_buffer_printf(out, ",%s:seed", ifr_axes[i].name);
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++)
			if (!is_placed(i, ifr_axes[i].parameter[j].name))
				ifr_buffer_printf(out, ",%s:%s", ifr_axes[i].name, ifr_axes[i].parameter[j].name);
	}
	for (size_t i = 0; i < PLACED_VALUES; i++)
		if (columns->placed[i])
			ifr_buffer_printf(out, ",%s:%s", ifr_axes[placed_values[i].axis].name, placed_values[i].name);
	ifr_buffer_puts(out, machines ? ",host,processor\n" : "\n");
}

static bool read_placed(const char *line, const char *fact, uint64_t *value) {
	int read = 0;
	return sscanf(line, fact, value, &read) == 1 && read;
}

/* Finds the placed value of a column in a variant's facts; false where no line has it. */
static bool find_placed(size_t column, const char *facts, uint64_t *value) {
	for (const char *line = facts; *line; line += strcspn(line, "\n"), line += *line == '\n')
		for (size_t i = column; i < PLACED_VALUES; i++)
			if (placed_values[i].axis == placed_values[column].axis &&
			    !strcmp(placed_values[i].name, placed_values[column].name) &&
			    read_placed(line, placed_values[i].fact, value))
				return true;
	return false;
}

/* Appends the fields of a variant's axes. An axis that is off placed nothing: its seed and parameters are empty, its
 * placed values 0. */
static void add_axes(struct ifr_buffer *out, const struct ifr_dataset_variant *variant,
                     const struct columns *columns) {
	struct ifr_plan plan;
	bool known = !*variant->plan || !ifr_plan_parse(variant->plan, strlen(variant->plan), "", &plan, NULL);
	if (!*variant->plan)
		ifr_plan_init(&plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		const struct ifr_axis_setting *setting = &plan.axis[i];
		if (!(columns->axes & 1u << i))
			continue;
		ifr_buffer_puts(out, ",");
		if (setting->on)
			ifr_buffer_printf(out, "%" PRIu64, setting->seed);
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++) {
			if (is_placed(i, ifr_axes[i].parameter[j].name))
				continue;
			ifr_buffer_puts(out, ",");
			if (setting->on)
				ifr_buffer_printf(out, "%" PRId64, setting->value[j]);
		}
	}
	for (size_t i = 0; i < PLACED_VALUES; i++) {
		uint64_t value = 0;
		if (!columns->placed[i])
			continue;
		bool on = plan.axis[placed_values[i].axis].on;
		ifr_buffer_puts(out, ",");
		if (on ? find_placed(i, variant->facts, &value) : known)
			ifr_buffer_printf(out, "%" PRIu64, value);
	}
	ifr_plan_release(&plan);
}

static void find_columns(const struct ifr_dataset *dataset, struct columns *columns) {
	*columns = (struct columns){0};
	for (size_t i = 0; i < dataset->variant_count; i++) {
		const struct ifr_dataset_variant *variant = &dataset->variants[i];
		struct ifr_plan plan;
		uint64_t value;
		if (!*variant->plan || ifr_plan_parse(variant->plan, strlen(variant->plan), "", &plan, NULL))
			continue;
		columns->axes |= ifr_plan_axes(&plan);
		for (size_t j = 0; j < PLACED_VALUES; j++)
			if (plan.axis[placed_values[j].axis].on && !is_repeated(j) && find_placed(j, variant->facts, &value))
				columns->placed[j] = true;
		ifr_plan_release(&plan);
	}
}

static void add_variant(struct ifr_buffer *out, const struct ifr_dataset *dataset,
                        const struct ifr_dataset_variant *variant) {
	char *fact = variant->program ? ifr_format("program %u", variant->program + 1) : ifr_strdup("program");
	const char *file = ifr_dataset_fact(dataset, fact);
	ifr_buffer_printf(out, "%u", variant->program);
	add_field(out, file ? file : "");
	ifr_buffer_printf(out, ",%u", variant->layout);
	add_field(out, variant->name);
	free(fact);
}

static void add_run(struct ifr_buffer *out, const struct ifr_dataset_run *run,
                    const struct ifr_dataset_variant *variant) {
	if (!run || run->simulated)
		ifr_buffer_printf(out, ",,,,,%d,,", run != NULL);
	else
		ifr_buffer_printf(out, ",%u,%u,%u,%d,0,%" PRId64 ",%d", run->repetition, run->pass, run->copy, run->twin,
		                  run->started_ns, run->exit_status);
	add_field(out, run && run->refused ? run->refused : variant->refused ? variant->refused : "");
}

/* The machine of a run, in experiments of several. */
static void add_machine(struct ifr_buffer *out, const struct ifr_dataset *dataset,
                        const struct ifr_dataset_run *run) {
	const bool measured = run && !run->simulated;
	const char *here = ifr_dataset_fact(dataset, "host");
	add_field(out, !measured ? "" : run->node ? dataset->nodes[run->node - 1].host : here ? here : "");
	add_field(out, measured ? ifr_dataset_processor(dataset, run->node) : "");
}

/* Appends a row; counter NULL: the run or variant has no value. */
static void add_row(struct ifr_buffer *out, const struct ifr_dataset *dataset, size_t variant,
                    const struct ifr_dataset_run *run, const struct ifr_dataset_counter *counter,
                    const char *axes) {
	add_variant(out, dataset, &dataset->variants[variant]);
	add_run(out, run, &dataset->variants[variant]);
	add_field(out, counter ? counter->name : "");
	add_field(out, counter ? counter->unit : "");
	add_field(out, counter ? counter->source : "");
	ifr_buffer_puts(out, ",");
	if (counter)
		ifr_buffer_printf(out, "%.17g", run->value[counter - dataset->counters]);
	ifr_buffer_puts(out, axes);
	if (dataset->node_count)
		add_machine(out, dataset, run);
	ifr_buffer_puts(out, "\n");
}

static void add_rows(struct ifr_buffer *out, const struct ifr_dataset *dataset, const struct ifr_dataset_run *run,
                     const char *axes) {
	bool any = false;
	for (size_t i = 0; i < dataset->counter_count; i++) {
		if (isnan(run->value[i]))
			continue;
		add_row(out, dataset, run->variant, run, &dataset->counters[i], axes);
		any = true;
	}
	if (!any)
		add_row(out, dataset, run->variant, run, NULL, axes);
}

void ifr_report_csv(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	struct columns columns;
	char **fields = ifr_alloc((dataset->variant_count + 1) * sizeof *fields);
	bool *runs = ifr_alloc((dataset->variant_count + 1) * sizeof *runs);
	find_columns(dataset, &columns);
	for (size_t i = 0; i < dataset->variant_count; i++) {
		struct ifr_buffer text = {0};
		ifr_buffer_puts(&text, "");
		add_axes(&text, &dataset->variants[i], &columns);
		fields[i] = ifr_buffer_detach(&text);
	}
	add_header(out, &columns, dataset->node_count);
	for (size_t i = 0; i < dataset->run_count; i++) {
		add_rows(out, dataset, &dataset->runs[i], fields[dataset->runs[i].variant]);
		runs[dataset->runs[i].variant] = true;
	}
	/* A variant that was refused before its first run has a row, too: nothing is left out. */
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (!runs[i] && dataset->variants[i].refused)
			add_row(out, dataset, i, NULL, NULL, fields[i]);
	for (size_t i = 0; i < dataset->variant_count; i++)
		free(fields[i]);
	free(fields);
	free(runs);
}
