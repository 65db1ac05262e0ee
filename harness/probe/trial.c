/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/trial.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/probe/clocked.h"
#include "harness/probe/modelled.h"

/* --- points ------------------------------------------------------------------------------------------------------ */

struct values {                             /* of a parameter */
	uint64_t value[PROBE_TRIAL_POINTS + 1]; /* one more than a trial has points is too many */
	size_t count;
};

static size_t count_parameters(const struct probe_experiment *experiment) {
	size_t count = 0;
	while (count < PROBE_PARAMETERS_MOST && experiment->parameters[count].name)
		count++;
	return count;
}

static int refuse_value(const struct probe_parameter *parameter, const char *text, struct ifr_error *err) {
	return ifr_fail(
		err, IFR_E_USAGE, "%s is a number from %llu to %llu, or some: 4,8 or 4..7 or 4..64*2; \"%.60s\" is not",
		parameter->name, (unsigned long long)parameter->least, (unsigned long long)parameter->most, text);
}

/* Reads a whole number within the parameter's range. */
static bool read_number(const struct probe_parameter *parameter, const char **text, uint64_t *number) {
	char *end;
	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return !errno && *number >= parameter->least && *number <= parameter->most;
}

/* Reads A, A..B or A..B*FACTOR. Returns false if it is none. */
static bool read_range(const struct probe_parameter *parameter, const char **text, struct values *values) {
	static const struct probe_parameter factors = {"", 2, 1 << 20, 2, ""};
	uint64_t first, last, factor = 1;
	if (!read_number(parameter, text, &first))
		return false;
	last = first;
	if (!strncmp(*text, "..", 2)) {
		*text += 2;
		if (!read_number(parameter, text, &last) || last < first)
			return false;
		if (**text == '*') {
			++*text;
			if (!first || !read_number(&factors, text, &factor))
				return false;
		}
	}
	while (first <= last && values->count <= PROBE_TRIAL_POINTS) {
		values->value[values->count++] = first;
		first = factor > 1 ? first * factor : first + 1;
	}
	return true;
}

static int read_values(const struct probe_parameter *parameter, const char *text, struct values *values,
                       struct ifr_error *err) {
	const char *at = text;
	values->count = 0;
	for (;;) {
		if (!read_range(parameter, &at, values))
			return refuse_value(parameter, text, err);
		if (!*at)
			return 0;
		if (*at++ != ',')
			return refuse_value(parameter, text, err);
	}
}

static int read_setting(const struct probe_experiment *experiment, const char *setting, struct values *all,
                        struct ifr_error *err) {
	const size_t length = strcspn(setting, "=");
	for (size_t i = 0; i < count_parameters(experiment); i++) {
		const struct probe_parameter *parameter = &experiment->parameters[i];
		if (strlen(parameter->name) == length && !strncmp(parameter->name, setting, length) && setting[length])
			return read_values(parameter, setting + length + 1, &all[i], err);
	}
	return ifr_fail(err, IFR_E_USAGE,
	                "\"%.60s\" sets no parameter of the experiment %s: --experiment help lists them", setting,
	                experiment->name);
}

/* All combinations, the last parameter's values changing first. */
static int lay_points(struct ifr_probe_trial *trial, const struct values *all, size_t parameters,
                      struct ifr_error *err) {
	size_t total = 1;
	for (size_t i = 0; i < parameters && total <= PROBE_TRIAL_POINTS; i++)
		total *= all[i].count;
	if (total > PROBE_TRIAL_POINTS)
		return ifr_fail(err, IFR_E_USAGE, "an experiment has at most %d points: fewer values of its parameters",
		                PROBE_TRIAL_POINTS);
	for (trial->count = 0; trial->count < total; trial->count++) {
		size_t rest = trial->count;
		for (size_t i = parameters; i; i--) {
			trial->points[trial->count].values[i - 1] = all[i - 1].value[rest % all[i - 1].count];
			rest /= all[i - 1].count;
		}
	}
	return 0;
}

static int read_points(struct ifr_probe_trial *trial, const struct ifr_probe_trial_options *options,
                       struct ifr_error *err) {
	const size_t parameters = count_parameters(trial->experiment);
	struct values *all = ifr_alloc(PROBE_PARAMETERS_MOST * sizeof *all);
	int rc = 0;
	for (size_t i = 0; i < parameters; i++) {
		all[i].value[0] = trial->experiment->parameters[i].initial;
		all[i].count = 1;
	}
	for (size_t i = 0; i < options->settings_count && !rc; i++)
		rc = read_setting(trial->experiment, options->settings[i], all, err);
	if (!rc)
		rc = lay_points(trial, all, parameters, err);
	free(all);
	return rc;
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

static int build(const struct ifr_probe_trial *trial, size_t point, struct probe_kernel *kernel,
                 struct ifr_error *err) {
	const char *why = trial->experiment->build(kernel, trial->points[point].values, trial->seed);
	return why ? ifr_fail(err, IFR_E_USAGE, "the experiment %s cannot be made of these values: %s",
	                      trial->experiment->name, why)
	           : 0;
}

static int run_described_point(struct ifr_probe_trial *trial, size_t i, struct probe_modelled *model,
                               struct ifr_error *err) {
	struct probe_trial_point *point = &trial->points[i];
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	int rc = build(trial, i, &kernel, err);
	if (!rc) {
		probe_modelled_count_warm(model, &kernel, point->events);
		double cycles = point->events[IFR_EVENT_CYCLES]; /* the sum over misses, without a core */
		if (ifr_machine_has_core(model->machine))
			rc = probe_modelled_cycles(model->machine, &kernel, &cycles, err);
		point->cycles = (struct probe_estimate){cycles, cycles, cycles, !rc};
	}
	probe_kernel_release(&kernel);
	return rc;
}

static int run_described(struct ifr_probe_trial *trial, const char *spec, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	int rc = ifr_machine_open(&machine, spec, err);
	if (rc)
		return rc;
	struct probe_modelled model = {.machine = machine};
	trial->machine = ifr_strdup(spec);
	for (size_t i = 0; i < trial->count && !rc; i++)
		rc = run_described_point(trial, i, &model, err);
	if (!rc && model.err.code) {
		rc = -model.err.code;
		if (err)
			*err = model.err;
	}
	ifr_machine_free(machine);
	return rc;
}

static void keep_samples(struct probe_trial_point *point, const struct probe_batch *batch, size_t kernel) {
	point->samples = ifr_realloc(NULL, batch->repetitions, sizeof *point->samples);
	point->samples_count = batch->repetitions;
	for (size_t i = 0; i < batch->repetitions; i++) {
		const double *ticks = batch->ticks + i * batch->count;
		point->samples[i] = ticks[kernel + PROBE_REFERENCES - 1] / ticks[0];
	}
	point->cycles = probe_batch_cycles(batch, kernel, 0);
}

static int run_clocked(struct ifr_probe_trial *trial, int64_t budget_ns, struct ifr_error *err) {
	struct probe_batch batch;
	int rc = 0;
	trial->machine = probe_read_brand();
	probe_batch_init(&batch, false, budget_ns);
	for (size_t i = 0; i < trial->count && !rc; i++)
		rc = build(trial, i, probe_batch_add(&batch), err);
	if (!rc)
		rc = probe_batch_run(&batch, err);
	for (size_t i = 0; i < trial->count && !rc; i++)
		keep_samples(&trial->points[i], &batch, i + 1);
	probe_batch_release(&batch);
	return rc;
}

static const struct probe_experiment *find_experiment(const char *name) {
	const struct probe_experiment *experiment = probe_experiments;
	while (experiment->name && strcmp(experiment->name, name))
		experiment++;
	return experiment->name ? experiment : NULL;
}

int ifr_probe_trial_run(const struct ifr_probe_trial_options *options, struct ifr_probe_trial **out,
                        struct ifr_error *err) {
	const struct probe_experiment *experiment = find_experiment(options->experiment);
	if (!experiment)
		return ifr_fail(err, IFR_E_USAGE, "there is no experiment \"%.60s\": --experiment help lists them",
		                options->experiment);
	struct ifr_probe_trial *trial = ifr_alloc(sizeof *trial);
	*trial = (struct ifr_probe_trial){
		.experiment = experiment, .seed = options->seed, .is_described = options->machine != NULL};
	int rc = read_points(trial, options, err);
	if (!rc)
		rc = options->machine ? run_described(trial, options->machine, err)
		                      : run_clocked(trial, options->budget_ns, err);
	if (rc)
		ifr_probe_trial_free(trial);
	else
		*out = trial;
	return rc;
}

void ifr_probe_trial_free(struct ifr_probe_trial *trial) {
	for (size_t i = 0; trial && i < trial->count; i++)
		free(trial->points[i].samples);
	if (trial)
		free(trial->machine);
	free(trial);
}
