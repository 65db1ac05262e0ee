/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small steps on SQLite, shared by the files of this folder. */
#ifndef IFR_HARNESS_DATABASE_H
#define IFR_HARNESS_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum { EXPERIMENT_APPLICATION_ID = 0x49465250, EXPERIMENT_SCHEMA = 2 };

/* Opens and checks a file. create: opens it for writing, and makes the schema in an empty or new one. A file of
 * schema 1 is brought to today's schema: in place when it is opened for writing, else in a copy in memory. The
 * caller closes. */
int database_open(const char *path, bool create, sqlite3 **database, struct ifr_error *err);

int database_fail(sqlite3 *database, struct ifr_error *err);
int database_run(sqlite3 *database, const char *sql, struct ifr_error *err);
/* Prepares a statement and binds its values: one letter a value in types, 's' const char * (NULL allowed), 'i'
 * int64_t, 'd' double. */
int database_prepare(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...);
/* The same, stepped to its end. */
int database_do(sqlite3 *database, struct ifr_error *err, const char *sql, const char *types, ...);
/* The same with a statement that is kept: prepared where *statement is NULL, and bound anew. The caller finalises
 * it before the database is closed. */
int database_do_kept(sqlite3 *database, sqlite3_stmt **statement, struct ifr_error *err, const char *sql,
                     const char *types, ...);
/* A column's text, never NULL. */
const char *database_text(sqlite3_stmt *statement, int column);

#endif
