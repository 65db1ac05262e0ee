/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format that --metrics names, and the figures of a run: the median of each benchmark's observations. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"
#include "harness/metrics/formats.h"

enum { FIGURES_MOST = 1000, FILE_MOST = 1 << 28 };

enum { GOOGLE, CRITERION, CATCH2, GO, LIBTEST, HYPERFINE, NANOBENCH, JSON, REGEX };

static const struct format formats[] = {
	[GOOGLE] =
		{"google-benchmark", "Google Benchmark", google_benchmark_parse, "--benchmark_format=json",
         "--benchmark_format= --benchmark_out=", "BENCHMARK_FORMAT=json", "--benchmark_min_time=%.0fx",
         "->Iterations(N) behind each BENCHMARK fixes them",
         "it takes --benchmark_format=json (or --benchmark_out=FILE --benchmark_out_format=json, and --metrics "
         "google-benchmark:FILE)"},
	[CRITERION] = {"criterion", "Criterion", NULL, "--bench", "--bench --test", NULL, NULL,
                   "Criterion has no setting that fixes them",
                   "it writes below CRITERION_HOME; --metrics "
                   "criterion:FOLDER reads another folder"},
	[CATCH2] = {"catch2", "Catch2", catch2_parse, "--reporter=xml", "-r --reporter", NULL, NULL,
                "Catch2 has no setting that fixes them; --benchmark-samples fixes the samples alone",
                "it takes --reporter xml, and benchmarks are run unless --skip-benchmarks is given"},
	[GO] = {"go", "Go", go_parse, NULL, "", NULL, "-test.benchtime=%.0fx", "-test.benchtime=Nx fixes them",
            "a test program takes -test.bench=., and go test takes -bench=."},
	[LIBTEST] = {"libtest", "libtest", libtest_parse, "--bench", "--bench --test", NULL, NULL,
                 "libtest has no setting that fixes them",
                 "cargo bench --no-run names the programs of Rust's #[bench] functions, which take --bench"},
	[HYPERFINE] = {"hyperfine", "hyperfine", hyperfine_parse, NULL, "", NULL, NULL,
                   "hyperfine --runs N fixes them", "it takes --export-json FILE, and --metrics hyperfine:FILE"},
	[NANOBENCH] = {"nanobench", "nanobench", nanobench_parse, NULL, "", NULL, NULL,
                   ".epochIterations(N) fixes them",
                   "it prints its table, or its template json, on standard output"},
	[JSON] = {"json", "JSON", NULL, NULL, "", NULL, NULL, "", "the path has to lead to numbers"},
	[REGEX] =
		{"regex", "a pattern", NULL, NULL, "", NULL, NULL, "",
         "no number stands where the pattern matches (its groups, by position: value; name, value; name, value, unit)"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct ifr_metrics {
	const struct format *format;
	char *file; /* read instead of the output; NULL: the output */
	char *own;  /* folder that nobody else uses, removed before each run; NULL: none */
	char *path; /* in JSON; NULL: all numbers */
	struct pattern *pattern;
};

void ifr_own_figures_release(struct ifr_own_figures *figures) {
	free(figures->items);
	*figures = (struct ifr_own_figures){0};
}

const struct ifr_own_figure *ifr_own_figures_find(const struct ifr_own_figures *figures, const char *name) {
	for (size_t i = 0; i < figures->count; i++)
		if (!strcmp(figures->items[i].name, name))
			return &figures->items[i];
	return NULL;
}

/* --- opening ---------------------------------------------------------------------------------------------------- */

static bool is_path(const char *text) {
	return *text == '.' && text[1] != '/' && text[1] != '.';
}

/* "PATH", "FILE" or "FILE:PATH". */
static int open_json(struct ifr_metrics *metrics, const char *rest, struct ifr_error *err) {
	const char *colon = strstr(rest, ":.");
	if (!rest || !*rest)
		return ifr_fail(err, IFR_E_USAGE, "--metrics json needs a path, such as json:.results[].mean, or a file");
	if (is_path(rest)) {
		metrics->path = ifr_strdup(rest);
	} else {
		metrics->file = colon ? ifr_format("%.*s", (int)(colon - rest), rest) : ifr_strdup(rest);
		metrics->path = colon ? ifr_strdup(colon + 1) : NULL;
	}
	return metrics->path ? json_path_check(metrics->path, err) : 0;
}

static int open_format(struct ifr_metrics *metrics, const char *rest, struct ifr_error *err) {
	if (metrics->format == &formats[REGEX])
		return pattern_open(rest ? rest : "", &metrics->pattern, err);
	if (metrics->format == &formats[JSON])
		return open_json(metrics, rest ? rest : "", err);
	if (rest && !*rest)
		return ifr_fail(err, IFR_E_USAGE, "--metrics %s: names no file", metrics->format->name);
	metrics->file = rest ? ifr_strdup(rest) : NULL;
	return 0;
}

int ifr_metrics_open(const char *specification, struct ifr_metrics **metrics, struct ifr_error *err) {
	const size_t length = strcspn(specification, ":");
	const char *rest = specification[length] ? specification + length + 1 : NULL;
	struct ifr_metrics *made = ifr_alloc(sizeof *made);
	for (size_t i = 0; i < FORMATS; i++)
		if (strlen(formats[i].name) == length && !strncmp(formats[i].name, specification, length))
			made->format = &formats[i];
	int result =
		made->format
			? open_format(made, rest, err)
			: ifr_fail(err, IFR_E_USAGE,
	                   "--metrics: \"%.60s\" is none of google-benchmark, criterion, catch2, go, libtest, "
	                   "hyperfine, nanobench, json:PATH and regex:PATTERN",
	                   specification);
	*metrics = result ? NULL : made;
	if (result)
		ifr_metrics_close(made);
	return result;
}

void ifr_metrics_close(struct ifr_metrics *metrics) {
	if (!metrics)
		return;
	pattern_close(metrics->pattern);
	free(metrics->file);
	free(metrics->path);
	free(metrics->own);
	free(metrics);
}

const char *ifr_metrics_title(const struct ifr_metrics *metrics) {
	return metrics->format->title;
}

bool ifr_metrics_are_printed(const struct ifr_metrics *metrics) {
	return !metrics->file && metrics->format != &formats[CRITERION];
}

/* --- before a run ------------------------------------------------------------------------------------------------ */

static bool is_given(const char *options, char *const *argv) {
	struct ifr_strings words = {0};
	bool given = false;
	ifr_strings_split(&words, options, " ");
	for (; *argv && !given; argv++)
		for (size_t i = 0; i < words.count; i++)
			given |= ifr_starts_with(*argv, words.items[i]);
	ifr_strings_release(&words);
	return given;
}

/* Sets a variable, "NAME=value", once; takes it over. */
static void set_variable(struct ifr_strings *environment, char *entry) {
	const size_t name = strcspn(entry, "=") + 1;
	for (size_t i = 0; i < environment->count; i++)
		if (!strncmp(environment->items[i], entry, name)) {
			free(environment->items[i]);
			environment->items[i] = entry;
			return;
		}
	ifr_strings_take(environment, entry);
}

void ifr_metrics_request(struct ifr_metrics *metrics, const char *folder, bool driven, char *const *argv,
                         struct ifr_strings *arguments, struct ifr_strings *environment) {
	const struct format *format = metrics->format;
	if (metrics->file && format != &formats[CRITERION])
		return;
	if (format->argument && !driven && !is_given(format->given, argv))
		ifr_strings_add(arguments, format->argument);
	/* Where gnuplot is installed, Criterion draws minutes in each run. */
	if (format == &formats[CRITERION] && !driven && !is_given("-n --noplot --test", argv))
		ifr_strings_add(arguments, "--noplot");
	if (format->variable && driven)
		set_variable(environment, ifr_strdup(format->variable));
	if (format == &formats[CRITERION] && !metrics->file) {
		free(metrics->own);
		metrics->own = ifr_strdup(folder);
		set_variable(environment, ifr_format("CRITERION_HOME=%s", folder));
	}
}

void metrics_age(const char *path) {
	const struct timespec zero[2] = {{0, UTIME_OMIT}, {0, 0}};
	utimensat(AT_FDCWD, path, zero, 0);
}

void ifr_metrics_prepare(const struct ifr_metrics *metrics) {
	if (metrics->own)
		ifr_tree_remove(metrics->own, NULL);
	if (metrics->file && metrics->format == &formats[CRITERION])
		criterion_age(metrics->file);
	else if (metrics->file)
		metrics_age(metrics->file);
}

/* --- after a run ------------------------------------------------------------------------------------------------- */

static int read_file(const struct ifr_metrics *metrics, struct ifr_buffer *text, struct ifr_error *err) {
	struct stat status;
	if (stat(metrics->file, &status) || !status.st_mtime)
		return ifr_fail(err, IFR_E_PROGRAM, "the program did not write %s, where --metrics reads its figures",
		                metrics->file);
	return ifr_file_read(metrics->file, FILE_MOST, text, err);
}

static void parse(const struct ifr_metrics *metrics, const char *text, struct ifr_observations *observations) {
	if (metrics->format == &formats[REGEX])
		pattern_parse(metrics->pattern, text, observations);
	else if (metrics->format == &formats[JSON])
		json_path_parse(metrics->path ? metrics->path : "", text, observations);
	else
		metrics->format->parse(text, observations);
}

static int observe(const struct ifr_metrics *metrics, const char *output, const char *errors,
                   struct ifr_observations *observations, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (metrics->format == &formats[CRITERION]) {
		criterion_read(metrics->own ? metrics->own : metrics->file, observations);
	} else if (metrics->file) {
		result = read_file(metrics, &text, err);
		if (!result)
			parse(metrics, ifr_buffer_text(&text), observations);
	} else {
		parse(metrics, output, observations);
		if (!observations->count)
			parse(metrics, errors, observations);
	}
	ifr_buffer_release(&text);
	return result;
}

static int by_value(const void *a, const void *b) {
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count) {
	if (!count)
		return NAN;
	qsort(values, count, sizeof *values, by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool is_of(const struct ifr_observation *observation, const char *name) {
	char own[IFR_FIGURE_NAME];
	ifr_figure_name(own, observation->benchmark);
	return !strcmp(own, name);
}

/* Makes the figure of the benchmark of observation `first`, from its own and those behind it. taken marks them. */
static void make_figure(const struct ifr_observations *observations, size_t first, bool *taken, double *values,
                        struct ifr_own_figure *figure) {
	size_t count = 0;
	*figure = (struct ifr_own_figure){.iterations = 0};
	ifr_figure_name(figure->name, observations->items[first].benchmark);
	for (size_t i = first; i < observations->count; i++) {
		const struct ifr_observation *one = &observations->items[i];
		if (taken[i] || !is_of(one, figure->name))
			continue;
		taken[i] = true;
		figure->iterations = fmax(figure->iterations, one->iterations);
		figure->failed |= one->failure != NULL;
		if (one->failure || one->main >= one->value_count || !isfinite(one->values[one->main].value))
			continue;
		memcpy(figure->unit, one->values[one->main].unit, sizeof figure->unit);
		values[count++] = one->values[one->main].value;
	}
	figure->value = median(values, count);
	figure->failed |= !count;
}

int ifr_metrics_read(const struct ifr_metrics *metrics, const char *output, const char *errors,
                     struct ifr_own_figures *figures, struct ifr_error *err) {
	struct ifr_observations observations = {0};
	*figures = (struct ifr_own_figures){0};
	int result = observe(metrics, output, errors, &observations, err);
	bool *taken = ifr_alloc(observations.count + 1);
	double *values = ifr_alloc((observations.count + 1) * sizeof *values);
	figures->items = ifr_alloc(FIGURES_MOST * sizeof *figures->items);
	for (size_t i = 0; i < observations.count && figures->count < FIGURES_MOST && !result; i++)
		if (!taken[i])
			make_figure(&observations, i, taken, values, &figures->items[figures->count++]);
	if (!result && !figures->count)
		result = ifr_fail(err, IFR_E_PROGRAM, "the program gave no figures that --metrics %s reads: %s",
		                  metrics->format->name, metrics->format->how);
	free(values);
	free(taken);
	ifr_observations_release(&observations);
	return result;
}

/* --- iterations -------------------------------------------------------------------------------------------------- */

char *ifr_metrics_fix_argument(const struct ifr_metrics *metrics, double iterations) {
	char text[80];
	if (!metrics->format->fix)
		return NULL;
		/* The formats of the table above, each with one %.0f. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, metrics->format->fix, iterations);
#pragma GCC diagnostic pop
	return ifr_strdup(text);
}

const char *ifr_metrics_fix_advice(const struct ifr_metrics *metrics) {
	return metrics->format->advice;
}
