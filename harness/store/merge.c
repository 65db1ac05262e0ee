/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging experiments, part by part (merge_part.c), each checked first (merge_check.c). */
#include "harness/store/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/store/experiment.h"
#include "harness/store/merge_part.h"

struct merging {
	const char *file; /* as messages name it */
	char *const *parts;
	char **attached; /* of each part, the path that SQLite opens; NULL: not prepared */
	size_t count;
	sqlite3 *database;
	char *folder; /* for copies of parts that cannot be attached; NULL: none yet */
	int64_t copies;
	struct ifr_merge_result *result;
};

/* Bounds of memory: the cache in KiB, and sorting in files. */
static const char settings[] =
	"PRAGMA foreign_keys=OFF; PRAGMA cache_size=-131072; PRAGMA temp_store=FILE; PRAGMA synchronous=NORMAL";

static int open_target(struct merging *merging, const char *path, struct ifr_error *err) {
	int result = database_open(path, true, &merging->database, err);
	if (!result)
		result = database_run(merging->database, settings, err);
	return result;
}

/* A part of an older schema, or one that SQLite cannot open beside its log, is read from a copy. Finds the path to
 * attach. */
static int prepare_part(struct merging *merging, size_t index, struct ifr_error *err) {
	const char *part = merging->parts[index];
	sqlite3 *database;
	int result = database_open(part, false, &database, err);
	if (result)
		return result;
	/* An older one was brought to today's schema in memory, and has no name. */
	const char *name = sqlite3_db_filename(database, "main");
	const bool whole = name && *name && !sqlite3_db_readonly(database, "main");
	sqlite3_close(database);
	if (whole) {
		merging->attached[index] = ifr_strdup(part);
		return 0;
	}
	if (!merging->folder)
		result = ifr_temporary_dir(&merging->folder, err);
	if (!result)
		merging->attached[index] = ifr_format("%s/%zu", merging->folder, index);
	return result ? result : ifr_experiment_copy(part, merging->attached[index], err);
}

typedef int step(struct merging *merging, const char *part, struct ifr_error *err);

static int with_part(struct merging *merging, size_t index, step *what, struct ifr_error *err) {
	int result = database_do(merging->database, err, "ATTACH ? AS part", "s", merging->attached[index]);
	if (!result) {
		result = what(merging, merging->parts[index], err);
		sqlite3_exec(merging->database, "DETACH part", NULL, NULL, NULL);
	}
	return result;
}

static int check_part(struct merging *merging, const char *part, struct ifr_error *err) {
	return merge_check(merging->database, merging->file, part, err);
}

/* Earlier parts brought more to check against. */
static int add_piece(struct merging *merging, const char *part, struct ifr_error *err) {
	int result = check_part(merging, part, err);
	return result ? result : merge_add(merging->database, &merging->copies, merging->result, err);
}

/* A new file takes the facts of its first part, but for the identity, as the repetitions of all parts get numbers, and
 * for what is one node's. */
static int begin_whole(struct merging *merging, const char *part, struct ifr_error *err) {
	(void)part;
	return database_run(merging->database,
	                    "BEGIN; INSERT INTO main.fact SELECT name, value FROM part.fact WHERE name NOT IN"
	                    " ('doctor', 'calibration') ORDER BY rowid;"
	                    "INSERT INTO main.fact VALUES('merged', 'yes') ON CONFLICT(name) DO NOTHING;"
	                    "INSERT INTO main.fact VALUES('identity', 'merged') ON CONFLICT(name) DO UPDATE SET"
	                    " value='merged'; COMMIT",
	                    err);
}

/* Facts of the whole: several machines are named, and what was planned is what the parts planned together. */
static int add_facts(struct merging *merging, struct ifr_error *err) {
	return database_run(
		merging->database,
		"BEGIN; UPDATE main.fact SET value=(SELECT p.value FROM part.fact p WHERE p.name='complete') WHERE"
		" name='complete' AND value='yes' AND EXISTS(SELECT 1 FROM part.fact p WHERE p.name='complete');"
		"UPDATE main.fact SET value=(SELECT count(*) FROM main.origin) WHERE name='rounds planned';"
		"UPDATE main.fact SET value=(SELECT max(layout) FROM main.variant) WHERE name='variants planned';"
		"UPDATE main.fact SET value=(SELECT group_concat(v, '; ') FROM (SELECT DISTINCT host AS v FROM main.node"
		" ORDER BY 1)) WHERE name='host' AND EXISTS(SELECT 1 FROM main.node);"
		"UPDATE main.fact SET value=(SELECT group_concat(v, '; ') FROM (SELECT DISTINCT processor AS v FROM main.node"
		" ORDER BY 1)) WHERE name='processor' AND EXISTS(SELECT 1 FROM main.node);"
		"UPDATE main.fact SET value=(SELECT group_concat(v, '; ') FROM (SELECT DISTINCT kernel AS v FROM main.node"
		" ORDER BY 1)) WHERE name='kernel' AND EXISTS(SELECT 1 FROM main.node); COMMIT",
		err);
}

static int add_part(struct merging *merging, const char *part, struct ifr_error *err) {
	int result = add_piece(merging, part, err);
	return result ? result : add_facts(merging, err);
}

static int load_copies(struct merging *merging, struct ifr_error *err) {
	sqlite3_stmt *statement;
	int result =
		database_prepare(merging->database, &statement, err, "SELECT coalesce(max(copy)+1, 0) FROM run", "");
	if (result)
		return result;
	merging->copies = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return 0;
}

static bool is_merged(sqlite3 *database) {
	sqlite3_stmt *statement;
	if (database_prepare(database, &statement, NULL, "SELECT 1 FROM fact WHERE name='merged'", ""))
		return false;
	const bool merged = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_finalize(statement);
	return merged;
}

/* All parts are checked against the whole before any is added. Parts that disagree with each other alone are found when
 * the later one is added. */
static int merge_parts(struct merging *merging, struct ifr_error *err) {
	int result = load_copies(merging, err);
	for (size_t i = 0; i < merging->count && !result; i++)
		result = with_part(merging, i, check_part, err);
	for (size_t i = 0; i < merging->count && !result; i++)
		result = with_part(merging, i, add_part, err);
	return result;
}

static int begin_merging(struct merging *merging, char *const *parts, size_t count, struct ifr_error *err) {
	int result = 0;
	merging->parts = parts;
	merging->count = count;
	merging->attached = ifr_alloc(count * sizeof *merging->attached);
	for (size_t i = 0; i < count && !result; i++)
		result = prepare_part(merging, i, err);
	return result;
}

static void release_merging(struct merging *merging) {
	sqlite3_close(merging->database);
	if (merging->folder)
		ifr_tree_remove(merging->folder, NULL);
	for (size_t i = 0; i < merging->count; i++)
		free(merging->attached[i]);
	free(merging->attached);
	free(merging->folder);
}

static int merge_into_new(const char *file, struct merging *merging, struct ifr_error *err) {
	char *partial = ifr_format("%s.partial", file);
	unlink(partial);
	int result = open_target(merging, partial, err);
	if (!result)
		result = with_part(merging, 0, begin_whole, err);
	if (!result)
		result = merge_parts(merging, err);
	/* One file: the log is in it before it gets its name. */
	if (!result)
		result = database_run(merging->database, "PRAGMA journal_mode=DELETE", err);
	sqlite3_close(merging->database);
	merging->database = NULL;
	if (!result && rename(partial, file))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot rename %s to %s", partial, file);
	if (result)
		unlink(partial);
	free(partial);
	return result;
}

static int merge_into_old(const char *file, struct merging *merging, struct ifr_error *err) {
	int result = open_target(merging, file, err);
	if (!result && !is_merged(merging->database))
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s was measured, not merged: choose another -o, and name it as a part", file);
	return result ? result : merge_parts(merging, err);
}

int ifr_experiment_merge(const char *file, char *const *parts, size_t count, struct ifr_merge_result *result,
                         struct ifr_error *err) {
	struct merging merging = {.file = file, .result = result};
	*result = (struct ifr_merge_result){0};
	int failed = begin_merging(&merging, parts, count, err);
	if (!failed)
		failed = ifr_file_exists(file) ? merge_into_old(file, &merging, err) : merge_into_new(file, &merging, err);
	release_merging(&merging);
	return failed;
}

int ifr_experiment_merge_pieces(const char *file, char *const *pieces, size_t count,
                                struct ifr_merge_result *result, struct ifr_error *err) {
	struct merging merging = {.file = file, .result = result};
	*result = (struct ifr_merge_result){0};
	int failed = begin_merging(&merging, pieces, count, err);
	if (!failed)
		failed = open_target(&merging, file, err);
	if (!failed)
		failed = load_copies(&merging, err);
	for (size_t i = 0; i < count && !failed; i++)
		failed = with_part(&merging, i, add_piece, err);
	release_merging(&merging);
	return failed;
}
