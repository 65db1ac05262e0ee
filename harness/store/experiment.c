/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing an experiment. */
#include "harness/store/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/store/experiment_file.h"

int ifr_experiment_open(const char *path, struct ifr_experiment **experiment, struct ifr_error *err) {
	sqlite3 *database;
	int result = database_open(path, true, &database, err);
	if (result)
		return result;
	*experiment = ifr_alloc(sizeof **experiment);
	(*experiment)->database = database;
	return 0;
}

void ifr_experiment_close(struct ifr_experiment *experiment) {
	if (!experiment)
		return;
	sqlite3_finalize(experiment->add_run);
	sqlite3_finalize(experiment->add_sample);
	sqlite3_close(experiment->database);
	free(experiment);
}

/* The text in the first column of the first row, for the caller to free; NULL without a row or where it is NULL.
 */
static char *ask_text(struct ifr_experiment *experiment, const char *sql, const char *types, const char *name,
                      int64_t number) {
	sqlite3_stmt *statement;
	int failed = *types == 's' ? database_prepare(experiment->database, &statement, NULL, sql, types, name)
	                           : database_prepare(experiment->database, &statement, NULL, sql, types, number);
	if (failed)
		return NULL;
	char *text = NULL;
	if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		text = ifr_strdup(database_text(statement, 0));
	sqlite3_finalize(statement);
	return text;
}

int ifr_experiment_set(struct ifr_experiment *experiment, const char *name, const char *value,
                       struct ifr_error *err) {
	return database_do(experiment->database, err,
	                   "INSERT INTO fact VALUES(?1,?2) ON CONFLICT(name) DO UPDATE SET value=?2", "ss", name,
	                   value);
}

char *ifr_experiment_get(struct ifr_experiment *experiment, const char *name) {
	return ask_text(experiment, "SELECT value FROM fact WHERE name=?", "s", name, 0);
}

int ifr_experiment_warn(struct ifr_experiment *experiment, const char *text, struct ifr_error *err) {
	return database_do(experiment->database, err, "INSERT OR IGNORE INTO warning VALUES(?)", "s", text);
}

int ifr_experiment_save_counter(struct ifr_experiment *experiment, unsigned id, const char *name, const char *unit,
                                const char *source, struct ifr_error *err) {
	return database_do(experiment->database, err, "INSERT OR IGNORE INTO counter VALUES(?,?,?,?)", "isss",
	                   (int64_t)id, name, unit, source);
}

int ifr_experiment_save_variant(struct ifr_experiment *experiment, const struct ifr_experiment_variant *variant,
                                struct ifr_error *err) {
	return database_do(
		experiment->database, err,
		"INSERT INTO variant(id,program,layout,name,plan,build_id,sha256,facts) VALUES(?,?,?,?,?,?,?,?)"
		" ON CONFLICT(id) DO NOTHING",
		"iiisssss", (int64_t)variant->id, (int64_t)variant->program, (int64_t)variant->layout, variant->name,
		variant->plan, variant->build_id, variant->sha256, variant->facts);
}

char *ifr_experiment_variant_digest(struct ifr_experiment *experiment, unsigned id) {
	return ask_text(experiment, "SELECT sha256 FROM variant WHERE id=?", "i", NULL, (int64_t)id);
}

int ifr_experiment_refuse_variant(struct ifr_experiment *experiment, unsigned id, const char *why,
                                  struct ifr_error *err) {
	return database_do(experiment->database, err, "UPDATE variant SET refused=? WHERE id=? AND refused IS NULL",
	                   "si", why, (int64_t)id);
}

bool ifr_experiment_variant_refused(struct ifr_experiment *experiment, unsigned id) {
	char *why = ask_text(experiment, "SELECT refused FROM variant WHERE id=?", "i", NULL, (int64_t)id);
	bool refused = why;
	free(why);
	return refused;
}

/* The number in a prepared query's first row, -1 without a row or where it is NULL. Finalises the statement. */
static int64_t take_number(sqlite3_stmt *statement) {
	bool there = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
	int64_t number = there ? sqlite3_column_int64(statement, 0) : -1;
	sqlite3_finalize(statement);
	return number;
}

int64_t ifr_experiment_run_copy(struct ifr_experiment *experiment, unsigned variant, unsigned repetition,
                                unsigned pass, bool twin) {
	sqlite3_stmt *statement;
	if (database_prepare(experiment->database, &statement, NULL,
	                     "SELECT copy FROM run WHERE variant=? AND repetition=? AND pass=? AND twin=?", "iiii",
	                     (int64_t)variant, (int64_t)repetition, (int64_t)pass, (int64_t)twin))
		return -1;
	return take_number(statement);
}

bool ifr_experiment_has_run(struct ifr_experiment *experiment, unsigned variant, unsigned repetition,
                            unsigned pass) {
	return ifr_experiment_run_copy(experiment, variant, repetition, pass, false) >= 0;
}

int64_t ifr_experiment_last_copy(struct ifr_experiment *experiment, unsigned variant) {
	sqlite3_stmt *statement;
	if (database_prepare(experiment->database, &statement, NULL, "SELECT max(copy) FROM run WHERE variant=?", "i",
	                     (int64_t)variant))
		return -1;
	return take_number(statement);
}

static int add_samples(struct ifr_experiment *experiment, const struct ifr_experiment_run *run,
                       struct ifr_error *err) {
	int64_t id = sqlite3_last_insert_rowid(experiment->database);
	int result = 0;
	for (unsigned i = 0; i < run->value_count && !result; i++)
		if (!isnan(run->values[i]))
			result = database_do_kept(experiment->database, &experiment->add_sample, err,
			                          "INSERT INTO sample VALUES(?,?,?)", "iid", id, (int64_t)i, run->values[i]);
	return result;
}

int ifr_experiment_begin(struct ifr_experiment *experiment, struct ifr_error *err) {
	return database_run(experiment->database, "BEGIN IMMEDIATE", err);
}

int ifr_experiment_commit(struct ifr_experiment *experiment, struct ifr_error *err) {
	return database_run(experiment->database, "COMMIT", err);
}

int ifr_experiment_add_run(struct ifr_experiment *experiment, const struct ifr_experiment_run *run,
                           struct ifr_error *err) {
	sqlite3 *database = experiment->database;
	bool alone = sqlite3_get_autocommit(database);
	int result = alone ? ifr_experiment_begin(experiment, err) : 0;
	if (result)
		return result;
	result = database_do_kept(
		database, &experiment->add_run, err,
		"INSERT OR IGNORE INTO run(variant,repetition,pass,started_ns,exit_status,refused,copy,twin)"
		" VALUES(?,?,?,?,?,?,?,?)",
		"iiiiisii", (int64_t)run->variant, (int64_t)run->repetition, (int64_t)run->pass, run->started_ns,
		(int64_t)run->exit_status, run->refused, (int64_t)run->copy, (int64_t)run->twin);
	if (!result && sqlite3_changes(database) && run->values)
		result = add_samples(experiment, run, err);
	if (!result && alone)
		result = ifr_experiment_commit(experiment, err);
	if (result && alone && !sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return result;
}

bool ifr_experiment_is_simulated(struct ifr_experiment *experiment, unsigned variant) {
	sqlite3_stmt *statement;
	if (database_prepare(experiment->database, &statement, NULL, "SELECT 1 FROM simulated WHERE variant=?", "i",
	                     (int64_t)variant))
		return false;
	bool there = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_finalize(statement);
	return there;
}

int ifr_experiment_add_simulated(struct ifr_experiment *experiment, unsigned variant, const double *values,
                                 unsigned value_count, struct ifr_error *err) {
	sqlite3 *database = experiment->database;
	bool alone = sqlite3_get_autocommit(database);
	int result = alone ? ifr_experiment_begin(experiment, err) : 0;
	for (unsigned i = 0; i < value_count && !result; i++)
		if (!isnan(values[i]))
			result = database_do(database, err, "INSERT OR IGNORE INTO simulated VALUES(?,?,?)", "iid",
			                     (int64_t)variant, (int64_t)i, values[i]);
	if (!result && alone)
		result = ifr_experiment_commit(experiment, err);
	if (result && alone && !sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return result;
}
