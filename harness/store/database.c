/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/store/database.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"

#define SIMULATED_TABLE                                                                                           \
	"CREATE TABLE simulated(variant INTEGER NOT NULL REFERENCES variant(id), counter INTEGER NOT NULL REFERENCES" \
	" counter(id), value REAL NOT NULL, PRIMARY KEY(variant, counter)) WITHOUT ROWID;"

/* Runs of this machine, which the facts describe, have node 0. Origins tell whose repetition a number was. */
#define NODE_COLUMN " node INTEGER NOT NULL DEFAULT 0"
#define NODE_TABLES                                                                                                \
	"CREATE TABLE node(id INTEGER PRIMARY KEY, host TEXT NOT NULL, processor TEXT NOT NULL, kernel TEXT NOT NULL," \
	" facts TEXT NOT NULL, UNIQUE(host, processor, kernel));"                                                      \
	"CREATE TABLE origin(number INTEGER PRIMARY KEY, experiment TEXT NOT NULL, repetition INTEGER NOT NULL,"       \
	" UNIQUE(experiment, repetition));"

#define RUN_COLUMNS                                                                                          \
	"(id INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variant(id), repetition INTEGER NOT NULL," \
	" pass INTEGER NOT NULL, started_ns INTEGER NOT NULL, exit_status INTEGER NOT NULL, refused TEXT,"       \
	" copy INTEGER NOT NULL DEFAULT 0, twin INTEGER NOT NULL DEFAULT 0," NODE_COLUMN ","                     \
	" UNIQUE(variant, repetition, pass, twin));"

static const char schema[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE warning(text TEXT PRIMARY KEY);"
	"CREATE TABLE counter(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, unit TEXT NOT NULL, source TEXT NOT "
	"NULL);"
	"CREATE TABLE variant(id INTEGER PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, build_id TEXT NOT NULL,"
	" sha256 TEXT NOT NULL, facts TEXT NOT NULL, refused TEXT, program INTEGER NOT NULL DEFAULT 0,"
	" layout INTEGER NOT NULL DEFAULT 0);"
	"CREATE UNIQUE INDEX cell ON variant(program, layout);"
	"CREATE TABLE run" RUN_COLUMNS
	"CREATE TABLE sample(run INTEGER NOT NULL REFERENCES run(id), counter INTEGER NOT NULL REFERENCES counter(id),"
	" value REAL NOT NULL, PRIMARY KEY(run, counter)) WITHOUT ROWID;" SIMULATED_TABLE NODE_TABLES
	"PRAGMA application_id=1229345360;"
	"PRAGMA user_version=4;"
	"COMMIT;";
_Static_assert(EXPERIMENT_APPLICATION_ID == 1229345360 && EXPERIMENT_SCHEMA == 4, "as in the schema");

/* Schema 1 has the ids of two programs' variants interleaved (id 2 i and 2 i + 1 for layout i), the model's values as
 * one run of each variant in a pass after the measured ones, and the axis link-order under its old name, objects. */
static const char upgrade_from_1[] =
	"BEGIN IMMEDIATE;"
	"ALTER TABLE variant ADD COLUMN program INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE variant ADD COLUMN layout INTEGER NOT NULL DEFAULT 0;"
	"UPDATE variant SET (program, layout) = (SELECT id % count, id / count FROM"
	" (SELECT coalesce((SELECT max(1, CAST(value AS INTEGER)) FROM fact WHERE name='programs'), 1) AS count));"
	"CREATE UNIQUE INDEX cell ON variant(program, layout);"
	"ALTER TABLE run RENAME COLUMN round TO repetition;" SIMULATED_TABLE
	"CREATE TEMP TABLE modelled AS SELECT DISTINCT s.run FROM sample s JOIN counter c ON c.id=s.counter"
	" WHERE c.source='model';"
	"INSERT INTO simulated SELECT r.variant, s.counter, s.value FROM modelled m JOIN run r ON r.id=m.run"
	" JOIN sample s ON s.run=r.id;"
	"DELETE FROM sample WHERE run IN (SELECT run FROM modelled);"
	"DELETE FROM run WHERE id IN (SELECT run FROM modelled);"
	"DROP TABLE modelled;"
	"UPDATE fact SET value = trim(replace(',' || value || ',', ',objects,', ',link-order,'), ',') WHERE name='axes';"
	"UPDATE fact SET value = substr(replace(' ' || value, ' objects:', ' link-order:'), 2) WHERE name='parameters';"
	"UPDATE variant SET plan = replace(plan, char(10) || 'objects ', char(10) || 'link-order ');"
	"PRAGMA user_version=2;"
	"COMMIT;";

/* In schema 2 every variant had one file, copy 0, and no run had a twin. SQLite cannot change a table's key: the runs
 * move to a new table under their ids, to which samples refer. The old table makes room first: renaming it would
 * rename those references, too. */
static const char upgrade_from_2[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE run_4" RUN_COLUMNS "INSERT INTO run_4(id,variant,repetition,pass,started_ns,exit_status,refused)"
	" SELECT id,variant,repetition,pass,started_ns,exit_status,refused FROM run;"
	"DROP TABLE run;"
	"ALTER TABLE run_4 RENAME TO run;"
	"INSERT OR IGNORE INTO fact SELECT 'copies', 'one for all repetitions' FROM fact WHERE name='started';" NODE_TABLES
	"PRAGMA user_version=4;"
	"COMMIT;";

/* In schema 3 all runs were of one machine. */
static const char upgrade_from_3[] =
	"BEGIN IMMEDIATE;"
	"ALTER TABLE run ADD COLUMN" NODE_COLUMN ";" NODE_TABLES "PRAGMA user_version=4;"
	"COMMIT;";

int database_fail(sqlite3 *database, struct ifr_error *err) {
	const char *path = sqlite3_db_filename(database, "main");
	int code = sqlite3_errcode(database);
	const char *remedy = code == SQLITE_CORRUPT || code == SQLITE_NOTADB
	                         ? "; restore it from a copy, or choose another -o"
	                     : code == SQLITE_BUSY ? "; another interfero is writing it"
	                     : code == SQLITE_FULL ? "; make room on the disk and run the same command again"
	                                           : "";
	return ifr_fail(err, IFR_E_ENVIRONMENT, "%s: %s%s", path && *path ? path : "the experiment",
	                sqlite3_errmsg(database), remedy);
}

int database_run(sqlite3 *database, const char *sql, struct ifr_error *err) {
	if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	int result = database_fail(database, err);
	if (!sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return result;
}

static int bind_all(sqlite3_stmt *statement, const char *types, va_list values) {
	int status = SQLITE_OK;
	for (int i = 1; *types && status == SQLITE_OK; i++, types++) {
		if (*types == 's')
			status = sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
		else if (*types == 'i')
			status = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
		else
			status = sqlite3_bind_double(statement, i, va_arg(values, double));
	}
	return status;
}

static int prepare_bound(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                         const char *types, va_list values) {
	*statement = NULL;
	if (sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK &&
	    bind_all(*statement, types, values) == SQLITE_OK)
		return 0;
	int result = database_fail(database, err);
	sqlite3_finalize(*statement);
	*statement = NULL;
	return result;
}

int database_prepare(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...) {
	va_list values;
	va_start(values, types);
	int result = prepare_bound(database, statement, err, sql, types, values);
	va_end(values);
	return result;
}

int database_do(sqlite3 *database, struct ifr_error *err, const char *sql, const char *types, ...) {
	sqlite3_stmt *statement;
	va_list values;
	va_start(values, types);
	int result = prepare_bound(database, &statement, err, sql, types, values);
	va_end(values);
	if (result)
		return result;
	int status;
	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		;
	if (status != SQLITE_DONE)
		result = database_fail(database, err);
	sqlite3_finalize(statement);
	return result;
}

int database_do_kept(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...) {
	if (!*statement && sqlite3_prepare_v2(database, sql, -1, statement, NULL) != SQLITE_OK)
		return database_fail(database, err);
	va_list values;
	va_start(values, types);
	int status = bind_all(*statement, types, values);
	va_end(values);
	if (status == SQLITE_OK)
		status = sqlite3_step(*statement);
	int result = status == SQLITE_DONE ? 0 : database_fail(database, err);
	sqlite3_reset(*statement);
	return result;
}

const char *database_text(sqlite3_stmt *statement, int column) {
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return text ? text : "";
}

/* The number in the first column of a query's first row, or -1. */
static int64_t ask_number(sqlite3 *database, const char *sql) {
	sqlite3_stmt *statement;
	int64_t number = -1;
	if (database_prepare(database, &statement, NULL, sql, ""))
		return -1;
	if (sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

static bool is_sound(sqlite3 *database) {
	sqlite3_stmt *statement;
	if (database_prepare(database, &statement, NULL, "PRAGMA quick_check(1)", ""))
		return false;
	bool good = sqlite3_step(statement) == SQLITE_ROW && !strcmp(database_text(statement, 0), "ok");
	sqlite3_finalize(statement);
	return good;
}

/* Checks that the file is a sound experiment of a known schema; each failure has its own message. An empty file gets
 * the schema where create allows. */
static int check_file(sqlite3 *database, const char *path, bool create, struct ifr_error *err) {
	int64_t tables = ask_number(database, "SELECT count(*) FROM sqlite_schema");
	if (tables < 0)
		return database_fail(database, err);
	int64_t application = ask_number(database, "PRAGMA application_id"),
			version = ask_number(database, "PRAGMA user_version");
	if (!tables && !application && create)
		return database_run(database, schema, err);
	if (application != EXPERIMENT_APPLICATION_ID)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not an experiment of interfero; choose another file", path);
	if (version < 1 || version > EXPERIMENT_SCHEMA)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "%s has schema %lld, this interfero knows 1 to %d: use the interfero that made it", path,
		                (long long)version, EXPERIMENT_SCHEMA);
	if (!is_sound(database))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is damaged; restore it from a copy, or choose another -o",
		                path);
	return 0;
}

/* Puts a copy in memory in the place of an open database. */
static int move_to_memory(sqlite3 **database, struct ifr_error *err) {
	sqlite3 *copy;
	int failed = sqlite3_open(":memory:", &copy);
	sqlite3_backup *backup = failed ? NULL : sqlite3_backup_init(copy, "main", *database, "main");
	if (backup)
		sqlite3_backup_step(backup, -1);
	if (!backup || sqlite3_backup_finish(backup) != SQLITE_OK) {
		int result =
			ifr_fail(err, IFR_E_ENVIRONMENT, "cannot copy the experiment to memory: %s", sqlite3_errmsg(copy));
		sqlite3_close(copy);
		return result;
	}
	sqlite3_close(*database);
	*database = copy;
	return 0;
}

/* Brings an older schema to today's. A reader leaves the file as it is. */
static int upgrade_schema(sqlite3 **database, int64_t version, bool in_place, struct ifr_error *err) {
	int result = in_place ? 0 : move_to_memory(database, err);
	if (!result && version < 2)
		result = database_run(*database, upgrade_from_1, err);
	return result ? result : database_run(*database, version < 3 ? upgrade_from_2 : upgrade_from_3, err);
}

/* A path as SQLite takes it when options follow; the caller frees. */
static char *immutable_uri(const char *path) {
	struct ifr_buffer uri = {0};
	ifr_buffer_puts(&uri, *path == '/' ? "file://" : "file:");
	for (; *path; path++)
		ifr_buffer_printf(&uri, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
	ifr_buffer_puts(&uri, "?immutable=1");
	return ifr_buffer_detach(&uri);
}

/* Whether SQLite can make the files of its log beside the experiment, and so open it as any other. */
static bool allows_log(const char *path) {
	char *folder = ifr_path_dir(path);
	bool allows = !access(path, W_OK) && !access(*folder ? folder : ".", W_OK);
	free(folder);
	return allows;
}

static bool has_log(const char *path) {
	struct stat status;
	char *log = ifr_format("%s-wal", path);
	bool has = !stat(log, &status) && status.st_size;
	free(log);
	return has;
}

/* Opens a file for a reader who may not write there: without the files of a log, it is taken as it stands. A log that
 * is there holds runs, and SQLite reads it if it can. */
static int open_unwritable(const char *path, sqlite3 **database) {
	char *uri = has_log(path) ? NULL : immutable_uri(path);
	int opened =
		sqlite3_open_v2(uri ? uri : path, database, SQLITE_OPEN_READONLY | (uri ? SQLITE_OPEN_URI : 0), NULL);
	free(uri);
	return opened;
}

int database_open(const char *path, bool create, sqlite3 **database, struct ifr_error *err) {
	struct stat status;
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not a file", path);
	if (!create && access(path, F_OK))
		return ifr_fail_errno(err, IFR_E_USAGE, "there is no experiment %s", *path ? path : "\"\"");
	int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
	int opened = create || allows_log(path) ? sqlite3_open_v2(path, database, flags, NULL)
	                                        : open_unwritable(path, database);
	if (opened != SQLITE_OK) {
		int result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot open %s: %s", path, sqlite3_errmsg(*database));
		sqlite3_close(*database);
		return result;
	}
	sqlite3_busy_timeout(*database, 2000);
	int result = check_file(*database, path, create, err);
	const int64_t version = result ? EXPERIMENT_SCHEMA : ask_number(*database, "PRAGMA user_version");
	if (version < EXPERIMENT_SCHEMA)
		result = upgrade_schema(database, version, create, err);
	if (!result && create)
		result = database_run(*database,
		                      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON", err);
	if (result)
		sqlite3_close(*database);
	return result;
}
