/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of an experiment and their addresses in each variant. */
#include "harness/store/experiment_file.h"

static const char tables[] =
	"DROP TABLE IF EXISTS place; DROP TABLE IF EXISTS unit;" /* earlier ones have fewer columns */
	"CREATE TABLE unit(id INTEGER PRIMARY KEY, program INTEGER NOT NULL, name TEXT NOT NULL,"
	" source TEXT, bytes INTEGER NOT NULL, samples INTEGER NOT NULL, instructions INTEGER NOT NULL);"
	"CREATE TABLE place(variant INTEGER NOT NULL, unit INTEGER NOT NULL, address INTEGER NOT NULL,"
	" PRIMARY KEY(variant, unit)) WITHOUT ROWID;";

static int save_unit(sqlite3 *database, size_t id, const struct ifr_dataset_unit *unit, size_t variants,
                     sqlite3_stmt **add_place, struct ifr_error *err) {
	int result = database_do(database, err, "INSERT INTO unit VALUES(?,?,?,?,?,?,?)", "iissiii", (int64_t)id,
	                         (int64_t)unit->program, unit->name, unit->source, (int64_t)unit->bytes,
	                         (int64_t)unit->samples, (int64_t)unit->instructions);
	for (size_t i = 0; i < variants && !result; i++)
		if (unit->at[i])
			result = database_do_kept(database, add_place, err, "INSERT INTO place VALUES(?,?,?)", "iii",
			                          (int64_t)i, (int64_t)id, (int64_t)unit->at[i]);
	return result;
}

int ifr_experiment_save_units(struct ifr_experiment *experiment, const struct ifr_dataset *dataset,
                              struct ifr_error *err) {
	sqlite3 *database = experiment->database;
	sqlite3_stmt *add_place = NULL;
	int result = ifr_experiment_begin(experiment, err);
	if (!result)
		result = database_run(database, tables, err);
	for (size_t i = 0; i < dataset->unit_count && !result; i++)
		result = save_unit(database, i, &dataset->units[i], dataset->variant_count, &add_place, err);
	sqlite3_finalize(add_place);
	if (!result)
		result = ifr_experiment_commit(experiment, err);
	if (result && !sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return result;
}
