/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/layout_options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/output/output.h"

enum { KEY_SWEEP = 2048 };

int option_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *number,
                  struct ifr_error *err) {
	char *end;
	errno = 0;
	*number = strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return ifr_fail(err, IFR_E_USAGE, "%s needs a whole number, not \"%.60s\"", option, text);
	if (*number < least || *number > most)
		return ifr_fail(err, IFR_E_USAGE, "%s needs a number from %" PRIu64 " to %" PRIu64 ", not %.60s", option,
		                least, most, text);
	return 0;
}

int option_duration(const char *option, const char *text, int64_t *nanoseconds, struct ifr_error *err) {
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double value = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units && isdigit((unsigned char)*text); i++)
		if (!strcmp(end, units[i].unit) && isfinite(value) && value > 0 && value * units[i].factor < 9e18) {
			*nanoseconds = (int64_t)(value * units[i].factor);
			return 0;
		}
	return ifr_fail(err, IFR_E_USAGE, "%s needs a time like 90s, 5m or 1h, not \"%.60s\"", option, text);
}

int option_size(const char *option, const char *text, uint64_t *bytes, struct ifr_error *err) {
	static const char units[] = " kMGT";
	char *end;
	const double value = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : units;
	if (isdigit((unsigned char)*text) && unit && *end != ' ' && (!*end || !end[1] || !strcmp(end + 1, "B"))) {
		const double size = value * pow(1000, (double)(unit - units));
		if (size >= 1 && size < 9e18) {
			*bytes = (uint64_t)size;
			return 0;
		}
	}
	return ifr_fail(err, IFR_E_USAGE, "%s needs a size like 200k, 20M or 1G, not \"%.60s\"", option, text);
}

int option_percentage(const char *option, const char *text, bool zero, double *share, struct ifr_error *err) {
	char *end;
	const double pct = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")) || !(pct > 0 || (zero && pct == 0)) || pct >= 1000)
		return ifr_fail(err, IFR_E_USAGE, "%s needs a percentage such as 1%%, not \"%.60s\"", option, text);
	*share = pct / 100;
	return 0;
}

int option_file(const char *option, const char *path, struct ifr_error *err) {
	return *path ? 0 : ifr_fail(err, IFR_E_USAGE, "%s needs a name, not \"\"", option);
}

int option_output(const char *option, const char *path, bool folder, struct ifr_error *err) {
	if (option_file(option, path, err))
		return -IFR_E_USAGE;
	struct stat there;
	char *above = ifr_path_dir(path);
	int result = 0;
	if (!stat(path, &there)) {
		if (S_ISDIR(there.st_mode) != folder)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s: %s is %s folder: choose another name", option, path,
			                  folder ? "no" : "a");
		else if (access(path, W_OK))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot write %s", option, path);
	} else if (access(*above ? above : ".", W_OK | X_OK)) {
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot write %s", option, path);
	}
	free(above);
	return result;
}

void option_refuse(struct argp_state *state, const struct ifr_error *err) {
	argp_failure(state, err->code == IFR_E_ENVIRONMENT ? IFR_E_ENVIRONMENT : IFR_E_USAGE, 0, "%s", err->message);
}

/* "padding:max=128" or "align:functions=64,loops=32". */
static int set_parameters(struct layout_options *options, const char *text, struct ifr_error *err) {
	char name[32];
	const char *colon = strchr(text, ':');
	if (!colon || (size_t)(colon - text) >= sizeof name)
		return ifr_fail(err, IFR_E_USAGE, "--set needs AXIS:NAME=VALUE, not \"%.60s\"", text);
	memcpy(name, text, (size_t)(colon - text));
	name[colon - text] = '\0';
	int axis = ifr_axis_find(name, err);
	return axis < 0 ? axis : ifr_plan_set(&options->parameters, (enum ifr_axis)axis, colon + 1, err);
}

unsigned layout_axes_apart(void) {
	return 1u << IFR_AXIS_NAMES | 1u << IFR_AXIS_ALLOCATOR | 1u << IFR_AXIS_HUGE_PAGES;
}

static int set_axes(struct layout_options *options, const char *text, struct ifr_error *err) {
	options->all = !strcmp(text, "all");
	options->axes_given = true;
	if (options->all) {
		/* With kept copies, the place of a file would count as layout effect. */
		options->axes =
			ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_LAUNCHER) & ~(1u << IFR_AXIS_COPIES | layout_axes_apart());
		return 0;
	}
	return ifr_axes_parse(text, &options->axes, err);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct layout_options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number = 0;
	int result = 0;
	switch (key) {
	case 'n':
		result = option_number("-n", argument, 1, IFR_LAYOUTS_MAX, &number, &err);
		options->variants = (unsigned)number;
		options->number_given = true;
		break;
	case 's':
		result = option_number("--seed", argument, 0, UINT64_MAX, &options->seed, &err);
		options->seed_given = true;
		break;
	case 'a':
		result = set_axes(options, argument, &err);
		break;
	case 'x':
		result = set_parameters(options, argument, &err);
		options->parameters_given = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (result)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{"number", 'n', "N", 0, "The number of layouts, 1 to 9999999", 1},
	{"seed", 's', "SEED", 0, "The seed that repeats these layouts, 0 to 2^64-1 (1)", 1},
	{"axes", 'a', "LIST", 0,
     "The axes to vary, or \"all\" (functions,padding,base; of a program without a kit: those of its process)", 1},
	{"set", 'x', "AXIS:NAME=VALUE", 0, "Set a parameter of an axis, such as padding:max=128", 1},
	{0},
};
/* Wraps a line with its indent, below the right margin of argp, which would continue it in the first column. */
enum { HELP_COLUMNS = 78 };
static void add_line(struct ifr_buffer *list, const char *first, const char *rest, char *words) {
	ifr_text_wrap_to(list, words, first, rest, HELP_COLUMNS);
	free(words);
}

static void describe_axis(const struct ifr_axis_info *axis, struct ifr_buffer *list) {
	char *name = ifr_format("  %-10s ", axis->name);
	add_line(list, name, "             ", ifr_strdup(axis->summary));
	free(name);
	for (int j = 0; j < IFR_AXIS_VALUES && axis->value[j].name; j++)
		add_line(list, "             ", "               ",
		         ifr_format("%s (no default): %s", axis->value[j].name, axis->value[j].meaning));
	for (int j = 0; j < IFR_AXIS_PARAMETERS && axis->parameter[j].name; j++)
		add_line(list, "             ", "               ",
		         ifr_format("%s=%" PRId64 ": %s", axis->parameter[j].name, axis->parameter[j].initial,
		                    axis->parameter[j].meaning));
}

/* The list of axes after the options; argp frees it. */
static char *describe_axes(int key, const char *text, void *input) {
	const struct layout_options *options = input;
	if (key == 'n' && options && options->usual == 1)
		return ifr_strdup("The layout's number, 1 to 9999999 (1)");
	if (key == 'n' && options)
		return options->usual ? ifr_format("%s (%u)", text, options->usual) : ifr_format("%s (0: none)", text);
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	struct ifr_buffer list = {0};
	ifr_buffer_puts(&list, "Axes, with their parameters and defaults:\n");
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		describe_axis(&ifr_axes[i], &list);
	ifr_buffer_puts(
		&list,
		"stack, heap, blocks, load, allocator, huge-pages and copies need no special build: any program has them. "
		"unit-order, nops and align need a program built with \"INTERFERO_TEMPLATES=1 make CC=interfero-gcc\". "
		"frames, globals, alias-check, split-loops and duplicate-joins compile every variant again and need "
		"INTERFERO_SOURCES=1 instead. \"--axes all\" leaves these eight out, and copies; also names, allocator and "
		"huge-pages, which change more than places. only=PATTERNS and except=PATTERNS limit an axis to functions by "
		"name, as in --set nops:only=main.");
	return ifr_buffer_detach(&list);
}

const struct argp layout_argp = {table, parse_option, NULL, NULL, NULL, describe_axes, NULL};

/* A sweep alone varies its axes alone, and has as many layouts as values. */
static int apply_sweeps(struct layout_options *options, struct ifr_error *err) {
	const unsigned layouts = ifr_sweeps_layouts(&options->sweeps), axes = ifr_sweeps_axes(&options->sweeps);
	if (!layouts)
		return 0;
	if (options->number_given && options->layout_is_number && options->variants > layouts)
		return ifr_fail(err, IFR_E_USAGE, "the sweep has %u layouts: there is no layout %u", layouts,
		                options->variants);
	if (options->number_given && !options->layout_is_number)
		return ifr_fail(err, IFR_E_USAGE, "a sweep has as many layouts as values, %u here: leave out -n", layouts);
	options->axes = (options->axes_given ? options->axes : 0) | axes;
	options->axes_given = true;
	options->variants = options->layout_is_number ? options->variants : layouts;
	return 0;
}

static error_t parse_sweep(int key, char *argument, struct argp_state *state) {
	struct layout_options *options = state->input;
	struct ifr_error err = {0};
	int result = 0;
	switch (key) {
	case KEY_SWEEP:
		result = ifr_sweeps_add(&options->sweeps, argument, &err);
		break;
	case ARGP_KEY_END:
		result = apply_sweeps(options, &err);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (result)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option sweep_table[] = {
	{"sweep", KEY_SWEEP, "VALUES", 0,
     "Take these values of an axis, AXIS:NAME=FROM:TO:STEP such as stack:bytes=0:4096:16, or AXIS:NAME=N,N,..., "
     "one a layout, instead of "
     "random layouts. Two sweeps span a grid. Other axes (--axes) vary at random",
     1},
	{0},
};
const struct argp sweep_argp = {sweep_table, parse_sweep, NULL, NULL, NULL, NULL, NULL};

struct ifr_layout_generator layout_options_generator(const struct layout_options *options) {
	return (struct ifr_layout_generator){.seed = options->seed,
	                                     .axes = options->axes,
	                                     .parameters = options->parameters,
	                                     .sweeps = options->sweeps};
}

void layout_options_init(struct layout_options *options, unsigned variants) {
	memset(options, 0, sizeof *options);
	options->variants = variants;
	options->usual = variants;
	options->seed = 1;
	options->axes = 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING | 1u << IFR_AXIS_BASE;
	ifr_plan_init(&options->parameters);
}
