/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers on SQLite for the files of this room. */
#ifndef IFR_HARNESS_DATABASE_H
#define IFR_HARNESS_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum { EXPERIMENT_APPLICATION_ID = 0x49465250, EXPERIMENT_SCHEMA = 4 };

/* Opens and checks a file. create: opens it for writing, and makes the schema in an empty or new one. A file of
 * an older schema is brought to today's: in place when it is opened for writing, else in a copy in memory. The
 * caller closes. */
int database_open(const char *path, bool create, sqlite3 **database, struct ifr_error *err);

/* Fails with SQLite's message for the last error, the file's name, and a remedy where one is known. */
int database_fail(sqlite3 *database, struct ifr_error *err);
/* Runs statements without values, and rolls a transaction back if one of them fails. */
int database_run(sqlite3 *database, const char *sql, struct ifr_error *err);
/* Prepares a statement and binds its values: one letter a value in types, 's' const char * (NULL allowed), 'i'
 * int64_t, 'd' double. */
int database_prepare(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...);
/* Prepares a statement, binds its values and runs it to its end. */
int database_do(sqlite3 *database, struct ifr_error *err, const char *sql, const char *types, ...);
/* Runs a statement that is kept for reuse: prepares it where *statement is NULL, binds the values and runs it to its
 * end. The caller finalises the statement before it closes the database. */
int database_do_kept(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...);
/* A column's text, never NULL. */
const char *database_text(sqlite3_stmt *statement, int column);

#endif
