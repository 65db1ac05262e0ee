/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading an experiment into memory. */
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/store/database.h"
#include "harness/store/experiment.h"

static char *copy_or_null(sqlite3_stmt *row, int column) {
	return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : ifr_strdup(database_text(row, column));
}

static void take_fact(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	ifr_dataset_add_fact(dataset, database_text(row, 0), database_text(row, 1));
}

static void take_warning(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	ifr_strings_add(&dataset->warnings, database_text(row, 0));
}

static void copy_field(char *field, size_t size, const char *text) {
	strncpy(field, text, size - 1);
	field[size - 1] = '\0';
}

static void take_counter(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	copy_field(counter->name, sizeof counter->name, database_text(row, 0));
	copy_field(counter->unit, sizeof counter->unit, database_text(row, 1));
	copy_field(counter->source, sizeof counter->source, database_text(row, 2));
}

static void take_variant(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
	variant->program = (unsigned)sqlite3_column_int64(row, 0);
	variant->layout = (unsigned)sqlite3_column_int64(row, 1);
	copy_field(variant->name, sizeof variant->name, database_text(row, 2));
	variant->plan = ifr_strdup(database_text(row, 3));
	variant->build_id = ifr_strdup(database_text(row, 4));
	variant->facts = ifr_strdup(database_text(row, 5));
	variant->refused = copy_or_null(row, 6);
	variant->sha256 = ifr_strdup(database_text(row, 7));
}

static void take_node(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	struct ifr_dataset_node *node = ifr_dataset_add_node(dataset);
	node->host = ifr_strdup(database_text(row, 0));
	node->processor = ifr_strdup(database_text(row, 1));
	node->facts = ifr_strdup(database_text(row, 2));
}

/* Rows of runs joined with their samples: the runs' columns come again with every sample. */
static void take_run(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	static const int first_sample_column = 8;
	size_t variant = (size_t)sqlite3_column_int64(row, 0);
	unsigned repetition = (unsigned)sqlite3_column_int64(row, 1), pass = (unsigned)sqlite3_column_int64(row, 2);
	bool twin = sqlite3_column_int64(row, 7);
	struct ifr_dataset_run *run = dataset->run_count ? &dataset->runs[dataset->run_count - 1] : NULL;
	if (variant >= dataset->variant_count)
		return;
	if (!run || run->variant != variant || run->repetition != repetition || run->pass != pass ||
	    run->twin != twin) {
		run = ifr_dataset_add_run(dataset);
		run->variant = (unsigned)variant;
		run->repetition = repetition;
		run->pass = pass;
		run->started_ns = sqlite3_column_int64(row, 3);
		run->exit_status = sqlite3_column_int(row, 4);
		run->refused = copy_or_null(row, 5);
		run->copy = (unsigned)sqlite3_column_int64(row, 6);
		run->twin = twin;
		const size_t node = (size_t)sqlite3_column_int64(row, first_sample_column + 2);
		run->node = node <= dataset->node_count ? (unsigned)node : 0;
	}
	if (sqlite3_column_type(row, first_sample_column) == SQLITE_NULL)
		return;
	size_t counter = (size_t)sqlite3_column_int64(row, first_sample_column);
	if (counter < dataset->counter_count)
		run->value[counter] = sqlite3_column_double(row, first_sample_column + 1);
}

/* The model's values of a variant stand in the dataset like a run of it, which nothing executed. */
static void take_simulated(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	size_t variant = (size_t)sqlite3_column_int64(row, 0), counter = (size_t)sqlite3_column_int64(row, 1);
	struct ifr_dataset_run *run = dataset->run_count ? &dataset->runs[dataset->run_count - 1] : NULL;
	if (variant >= dataset->variant_count || counter >= dataset->counter_count)
		return;
	if (!run || !run->simulated || run->variant != variant) {
		run = ifr_dataset_add_run(dataset);
		run->simulated = true;
		run->variant = (unsigned)variant;
	}
	run->value[counter] = sqlite3_column_double(row, 2);
}

static void take_unit(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	struct ifr_dataset_unit *unit = ifr_dataset_add_unit(dataset);
	unit->program = (unsigned)sqlite3_column_int64(row, 0);
	unit->name = ifr_strdup(database_text(row, 1));
	unit->source = copy_or_null(row, 2);
	unit->bytes = (uint64_t)sqlite3_column_int64(row, 3);
	unit->samples = (uint64_t)sqlite3_column_int64(row, 4);
	unit->instructions = (uint64_t)sqlite3_column_int64(row, 5);
}

static void take_place(struct ifr_dataset *dataset, sqlite3_stmt *row) {
	size_t variant = (size_t)sqlite3_column_int64(row, 0), unit = (size_t)sqlite3_column_int64(row, 1);
	if (variant < dataset->variant_count && unit < dataset->unit_count)
		dataset->units[unit].at[variant] = (uint64_t)sqlite3_column_int64(row, 2);
}

/* Ids are stored dense from 0; the row numbers make sure of it in a file that somebody edited. */
static const struct table {
	const char *sql;
	void (*take)(struct ifr_dataset *dataset, sqlite3_stmt *row);
} tables[] = {
	{"SELECT name,value FROM fact ORDER BY rowid", take_fact},
	{"SELECT text FROM warning ORDER BY rowid", take_warning},
	{"SELECT name,unit,source FROM counter ORDER BY id", take_counter},
	{"SELECT program,layout,name,plan,build_id,facts,refused,sha256 FROM variant ORDER BY id", take_variant},
	{"SELECT host,processor,facts FROM node ORDER BY id", take_node},
	{"WITH v AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM variant),"
     " c AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM counter),"
     " d AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM node)"
     " SELECT v.place,r.repetition,r.pass,r.started_ns,r.exit_status,r.refused,r.copy,r.twin,c.place,s.value,"
     " coalesce(d.place, 0) FROM run r"
     " JOIN v ON v.id=r.variant LEFT JOIN d ON d.id=r.node LEFT JOIN sample s ON s.run=r.id LEFT JOIN c ON c.id=s.counter"
     " ORDER BY r.id, s.counter",
     take_run},
	{"WITH v AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM variant),"
     " c AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM counter)"
     " SELECT v.place,c.place,s.value FROM simulated s JOIN v ON v.id=s.variant JOIN c ON c.id=s.counter"
     " ORDER BY s.variant, s.counter",
     take_simulated},
};

/* Tables that a file may lack, and a column that came later. */
static const struct table units = {"SELECT program,name,source,bytes,samples,instructions FROM unit ORDER BY id",
                                   take_unit};
static const struct table units_before = {"SELECT program,name,source,bytes,samples,0 FROM unit ORDER BY id",
                                          take_unit};
static const struct table places = {
	"WITH v AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM variant),"
	" u AS (SELECT id, row_number() OVER (ORDER BY id)-1 AS place FROM unit)"
	" SELECT v.place,u.place,p.address FROM place p JOIN v ON v.id=p.variant JOIN u ON u.id=p.unit",
	take_place};

static bool has_column(sqlite3 *database, const char *table, const char *column) {
	return sqlite3_table_column_metadata(database, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int take_tables(sqlite3 *database, const struct table *from, size_t count, struct ifr_dataset *dataset,
                       struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < count && !result; i++) {
		sqlite3_stmt *statement;
		if ((result = database_prepare(database, &statement, err, from[i].sql, "")))
			break;
		int status;
		while ((status = sqlite3_step(statement)) == SQLITE_ROW)
			from[i].take(dataset, statement);
		if (status != SQLITE_DONE)
			result = database_fail(database, err);
		sqlite3_finalize(statement);
	}
	return result;
}

int ifr_experiment_load(const char *path, struct ifr_dataset *dataset, struct ifr_error *err) {
	sqlite3 *database;
	ifr_dataset_init(dataset);
	int result = database_open(path, false, &database, err);
	if (result)
		return result;
	result = take_tables(database, tables, sizeof tables / sizeof *tables, dataset, err);
	if (!result && has_column(database, "unit", "samples") && has_column(database, "place", "address")) {
		result = take_tables(database, has_column(database, "unit", "instructions") ? &units : &units_before, 1,
		                     dataset, err);
		if (!result)
			result = take_tables(database, &places, 1, dataset, err);
	}
	sqlite3_close(database);
	dataset->file = ifr_strdup(path);
	if (result)
		ifr_dataset_release(dataset);
	return result;
}

int ifr_experiment_copy(const char *path, const char *to, struct ifr_error *err) {
	sqlite3 *database;
	int result = database_open(path, false, &database, err);
	if (result)
		return result;
	result = database_do(database, err, "VACUUM INTO ?", "s", to);
	sqlite3_close(database);
	return result;
}
