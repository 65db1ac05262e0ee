/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/store/import.h"

#include "common/buffer.h"
#include "common/file.h"
#include "harness/store/experiment.h"
#include "harness/store/import_parts.h"

int ifr_import_parse(enum ifr_import_format format, const struct ifr_import_text *texts, size_t count,
                     struct ifr_dataset *dataset, struct ifr_error *err) {
	if (!count || (count > 1 && format != IFR_IMPORT_PERF))
		return ifr_fail(err, IFR_E_USAGE, "this format is imported from one file, not from %zu", count);
	int result = format == IFR_IMPORT_CSV         ? import_csv(texts, dataset, err)
	             : format == IFR_IMPORT_HYPERFINE ? import_hyperfine(texts, dataset, err)
	             : format == IFR_IMPORT_GOOGLE    ? import_google(texts, dataset, err)
	                                              : import_perf(texts, count, dataset, err);
	if (!result && !dataset->run_count)
		result = ifr_fail(err, IFR_E_USAGE, "%s holds no run", texts->origin);
	if (result)
		return result;
	ifr_dataset_add_fact(dataset, "tool version", INTERFERO_VERSION);
	ifr_dataset_add_fact(dataset, "program", texts->origin);
	ifr_dataset_add_fact(dataset, "complete", "yes");
	/* Rows of a table may be layouts; what other tools compare is not. */
	if (format != IFR_IMPORT_CSV)
		ifr_dataset_add_fact(dataset, "imported", "alternatives");
	ifr_strings_add(
		&dataset->warnings,
		"These runs were taken by another tool and imported: whether they were interleaved, pinned and "
		"without address randomisation is not known.");
	return 0;
}

static int save_tables(const struct ifr_dataset *dataset, struct ifr_experiment *experiment,
                       struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < dataset->fact_count && !result; i++)
		result = ifr_experiment_set(experiment, dataset->facts[i].name, dataset->facts[i].value, err);
	for (size_t i = 0; i < dataset->warnings.count && !result; i++)
		result = ifr_experiment_warn(experiment, dataset->warnings.items[i], err);
	for (size_t i = 0; i < dataset->counter_count && !result; i++) {
		const struct ifr_dataset_counter *c = &dataset->counters[i];
		result = ifr_experiment_save_counter(experiment, (unsigned)i, c->name, c->unit, c->source, err);
	}
	for (size_t i = 0; i < dataset->variant_count && !result; i++) {
		const struct ifr_dataset_variant *v = &dataset->variants[i];
		result = ifr_experiment_save_variant(
			experiment,
			&(struct ifr_experiment_variant){v->layout, 0, v->layout, v->name, v->plan, v->build_id, "", v->facts},
			err);
	}
	return result;
}

int ifr_import_save(const struct ifr_dataset *dataset, const char *path, struct ifr_error *err) {
	struct ifr_experiment *experiment = NULL;
	if (ifr_file_exists(path))
		return ifr_fail(err, IFR_E_USAGE, "%s is there already: choose another -o", path);
	int result = ifr_experiment_open(path, &experiment, err);
	if (!result)
		result = save_tables(dataset, experiment, err);
	/* All or nothing: after an error the file goes. */
	if (!result)
		result = ifr_experiment_begin(experiment, err);
	for (size_t i = 0; i < dataset->run_count && !result; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const struct ifr_experiment_run saved = {.variant = dataset->variants[run->variant].layout,
		                                         .repetition = run->repetition,
		                                         .pass = run->pass,
		                                         .started_ns = run->started_ns,
		                                         .exit_status = run->exit_status,
		                                         .refused = run->refused,
		                                         .values = run->value,
		                                         .value_count = (unsigned)dataset->counter_count};
		result = ifr_experiment_add_run(experiment, &saved, err);
	}
	if (!result)
		result = ifr_experiment_commit(experiment, err);
	ifr_experiment_close(experiment);
	if (result && experiment)
		ifr_tree_remove(path, NULL);
	return result;
}
