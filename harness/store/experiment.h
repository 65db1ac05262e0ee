/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment file: one SQLite database with host, tool version, kit, plans and every raw sample. Everything
 * that is reported can be computed from it again. Each run is one transaction: after a kill at any moment the file
 * holds whole runs, each once.
 *
 * docs/interfero-experiment.md, which is installed as interfero-experiment(5), has the tables and their columns. Files of
 * schemas 1 to 3 are read, and brought to schema 4 when they are written. */
#ifndef IFR_HARNESS_EXPERIMENT_H
#define IFR_HARNESS_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "harness/store/dataset.h"

/* The fact that holds the executed instructions by class; of a second program with " 2" behind it. */
#define IFR_FACT_CLASSES "instructions by class"
/* How far layouts of two programs give their common functions equal addresses: "all", "no", or "yes" (by rooms alone, of
 * experiments from before). */
#define IFR_FACT_MATCHED "matched layouts"
/* The fact "kit" of an experiment of given files. */
#define IFR_KIT_OF_GIVEN_FILES "none, the files were given"
/* How the model computed cycles: a name of ifr_core_use_names. */
#define IFR_FACT_CORE "core"
/* Behind the name of a modelled event, as in "cycles error": the largest standard error that samples leave in it, of a
 * layout, relative to it; of a second program with " 2" behind it. */
#define IFR_FACT_ERROR " error"
/* Of an audit: the sweep of larger steps that came before this one. */
#define IFR_FACT_COARSER_SWEEP "coarser sweep"

struct ifr_experiment;

/* Opens an experiment for writing, and creates it where the file is missing or empty. Errors: IFR_E_ENVIRONMENT for a
 * file that is damaged, no experiment, of an unknown schema, or not writable. */
int ifr_experiment_open(const char *path, struct ifr_experiment **experiment, struct ifr_error *err);
void ifr_experiment_close(struct ifr_experiment *experiment);
/* Reads a whole experiment, also while another process writes it. The caller releases the dataset. */
int ifr_experiment_load(const char *path, struct ifr_dataset *dataset, struct ifr_error *err);

/* Writes a copy of an experiment, also while another process writes it; to must not exist. */
int ifr_experiment_copy(const char *path, const char *to, struct ifr_error *err);

/* Facts. set replaces a fact of the same name. get returns a copy for the caller to free, or NULL. */
int ifr_experiment_set(struct ifr_experiment *experiment, const char *name, const char *value,
                       struct ifr_error *err);
char *ifr_experiment_get(struct ifr_experiment *experiment, const char *name);
int ifr_experiment_warn(struct ifr_experiment *experiment, const char *text, struct ifr_error *err);

int ifr_experiment_save_counter(struct ifr_experiment *experiment, unsigned id, const char *name, const char *unit,
                                const char *source, struct ifr_error *err);

struct ifr_experiment_variant {
	unsigned id, program, layout;
	const char *name, *plan, *build_id, *sha256, *facts;
};
int ifr_experiment_save_variant(struct ifr_experiment *experiment, const struct ifr_experiment_variant *variant,
                                struct ifr_error *err);
/* The digest of a variant's file, for the caller to free; NULL for an unknown variant. */
char *ifr_experiment_variant_digest(struct ifr_experiment *experiment, unsigned id);
int ifr_experiment_refuse_variant(struct ifr_experiment *experiment, unsigned id, const char *why,
                                  struct ifr_error *err);
bool ifr_experiment_variant_refused(struct ifr_experiment *experiment, unsigned id);

struct ifr_experiment_run {
	unsigned variant, repetition, pass; /* variant: its id */
	int64_t started_ns;
	int exit_status;
	const char *refused;  /* NULL if the values count */
	const double *values; /* one a counter, NaN for none */
	unsigned value_count;
	unsigned copy; /* of the variant's file */
	bool twin;     /* the second run of its repetition, on the same copy */
};
bool ifr_experiment_has_run(struct ifr_experiment *experiment, unsigned variant, unsigned repetition,
                            unsigned pass);
/* The copy of the variant's file that a run used, or -1 for a run that the file does not hold. */
int64_t ifr_experiment_run_copy(struct ifr_experiment *experiment, unsigned variant, unsigned repetition,
                                unsigned pass, bool twin);
/* The last copy of the variant's file that any run used, or -1. */
int64_t ifr_experiment_last_copy(struct ifr_experiment *experiment, unsigned variant);
/* A transaction of many runs: the file holds all that are added between begin and commit, or none. */
int ifr_experiment_begin(struct ifr_experiment *experiment, struct ifr_error *err);
int ifr_experiment_commit(struct ifr_experiment *experiment, struct ifr_error *err);
/* Adds a run with its samples in one transaction. A run that the file already holds stays as it is. */
int ifr_experiment_add_run(struct ifr_experiment *experiment, const struct ifr_experiment_run *run,
                           struct ifr_error *err);

/* Adds the model's values of a variant, one a counter, NaN for none: in one transaction, or in that of begin. */
int ifr_experiment_add_simulated(struct ifr_experiment *experiment, unsigned variant, const double *values,
                                 unsigned value_count, struct ifr_error *err);
bool ifr_experiment_is_simulated(struct ifr_experiment *experiment, unsigned variant);

/* Replaces the stored units by those of a dataset that was loaded from this experiment, in one transaction. The file gets
 * tables for them where it has none; they are no part of the schema's version, and files without them are read. */
int ifr_experiment_save_units(struct ifr_experiment *experiment, const struct ifr_dataset *dataset,
                              struct ifr_error *err);

#endif
