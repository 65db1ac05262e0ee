/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adding one part to an experiment.
 *
 * Problem: parts number their variants, counters, nodes, repetitions and runs on their own, and may overlap.
 *
 * Idea: temporary tables map the small numbers (a row for each variant, counter, node and repetition of the part), and
 * one INSERT … SELECT each moves runs and samples. New runs get ids beyond all others, in the part's order: the unique
 * key (variant, repetition, pass, twin) drops runs that are there, and a sample is new where its run's new id exists.
 *
 * Invariant: a run enters under the number that its origin (experiment, repetition) has in this file; an origin has one
 * number for ever, and a number one origin. So a run is added once, in whatever order parts come. */
#include "harness/store/merge_part.h"

/* Facts of both files. An experiment from before identities has one of its facts: no two of one machine begin in one
 * second and folder. */
#define FACT(wanted) "coalesce((SELECT value FROM part.fact WHERE name='" wanted "'), '')"
#define IDENTITY(schema)                                                                           \
	"coalesce((SELECT value FROM " schema ".fact WHERE name='identity'),"                          \
	" (SELECT group_concat(value, char(10)) FROM (SELECT value FROM " schema ".fact WHERE name IN" \
	" ('started','host','folder','program','seed','boot') ORDER BY name)), 'unknown')"
static const char facts[] =
	"DROP TABLE IF EXISTS temp.variants; DROP TABLE IF EXISTS temp.counters; DROP TABLE IF EXISTS temp.nodes;"
	"DROP TABLE IF EXISTS temp.repetitions; DROP TABLE IF EXISTS temp.wanted; DROP TABLE IF EXISTS temp.machine;"
	"DROP TABLE IF EXISTS temp.identity;"
	"CREATE TEMP TABLE machine(host,processor,kernel);"
	"INSERT INTO machine VALUES(" FACT("host") "," FACT("processor") "," FACT(
		"kernel") ");"
				  "CREATE TEMP TABLE identity(part,main);"
				  "INSERT INTO identity VALUES(" IDENTITY("part") "," IDENTITY("main") ");";

/* Variants and counters keep their ids where these are free. */
static const char variants[] =
	"INSERT OR IGNORE INTO main.variant(id,name,plan,build_id,sha256,facts,refused,program,layout)"
	" SELECT CASE WHEN EXISTS(SELECT 1 FROM main.variant WHERE id=p.id) THEN NULL ELSE id END,"
	" name,plan,build_id,sha256,facts,refused,program,layout FROM part.variant p WHERE NOT EXISTS"
	" (SELECT 1 FROM main.variant m WHERE m.program=p.program AND m.layout=p.layout) ORDER BY id;"
	"CREATE TEMP TABLE variants AS SELECT p.id AS old, m.id AS new FROM part.variant p JOIN main.variant m"
	" USING(program, layout);"
	"CREATE UNIQUE INDEX temp.old_variant ON variants(old, new);"
	"UPDATE main.variant SET refused=(SELECT p.refused FROM part.variant p WHERE p.program=main.variant.program"
	" AND p.layout=main.variant.layout) WHERE refused IS NULL AND EXISTS(SELECT 1 FROM part.variant p WHERE"
	" p.program=main.variant.program AND p.layout=main.variant.layout AND p.refused IS NOT NULL);"
	"INSERT INTO main.counter(id,name,unit,source) SELECT (SELECT coalesce(max(id)+1, 0) FROM main.counter) +"
	" row_number() OVER (ORDER BY id)-1, name,unit,source FROM part.counter p WHERE NOT EXISTS"
	" (SELECT 1 FROM main.counter m WHERE m.name=p.name) ORDER BY id;"
	"CREATE TEMP TABLE counters AS SELECT p.id AS old, m.id AS new FROM part.counter p JOIN main.counter m"
	" USING(name);"
	"CREATE UNIQUE INDEX temp.old_counter ON counters(old, new);";

/* Node 0 is the machine of the facts. */
static const char nodes[] =
	"INSERT OR IGNORE INTO main.node(host,processor,kernel,facts) SELECT host, processor, kernel,"
	" (SELECT coalesce(group_concat(name || ': ' || value, char(10)), '') FROM part.fact WHERE name IN"
	" ('pinned to','boot','tool version','doctor','calibration')) FROM machine"
	" WHERE EXISTS(SELECT 1 FROM part.run WHERE node=0);"
	"INSERT OR IGNORE INTO main.node(host,processor,kernel,facts)"
	" SELECT host,processor,kernel,facts FROM part.node ORDER BY id;"
	"CREATE TEMP TABLE nodes AS SELECT p.id AS old, m.id AS new FROM part.node p JOIN main.node m"
	" USING(host, processor, kernel) UNION ALL SELECT 0, id FROM main.node JOIN machine"
	" USING(host, processor, kernel);"
	"CREATE UNIQUE INDEX temp.old_node ON nodes(old, new);";

/* A part may come before the one that brings the calibration of their node. */
#define CALIBRATED(facts) "instr(char(10) || " facts ", char(10) || 'calibration: ')"
#define SAME_NODE "p.host=main.node.host AND p.processor=main.node.processor AND p.kernel=main.node.kernel"
static const char calibrations[] =
	"UPDATE main.node SET facts=facts || char(10) || 'calibration: ' || (SELECT value FROM part.fact WHERE"
	" name='calibration') WHERE NOT " CALIBRATED(
		"facts") " AND EXISTS(SELECT 1 FROM machine p WHERE " SAME_NODE ")"
				 " AND EXISTS(SELECT 1 FROM part.fact WHERE name='calibration');"
				 "UPDATE main.node SET facts=(SELECT p.facts FROM part.node p WHERE " SAME_NODE
				 ") WHERE NOT " CALIBRATED("facts") " AND EXISTS(SELECT 1 FROM part.node p WHERE " SAME_NODE
													" AND " CALIBRATED("p.facts") ");";

/* The number of each of the part's repetitions. Those of the file's own identity keep theirs: a merge alone has others,
 * and no identity of its own. */
static const char repetitions[] =
	"CREATE TEMP TABLE wanted AS SELECT n AS old, coalesce(o.experiment, (SELECT part FROM identity)) AS experiment,"
	" coalesce(o.repetition, n) AS repetition FROM (SELECT DISTINCT repetition AS n FROM part.run)"
	" LEFT JOIN part.origin o ON o.number=n;"
	"INSERT OR IGNORE INTO main.origin SELECT repetition, experiment, repetition FROM wanted"
	" WHERE experiment=(SELECT main FROM identity) ORDER BY repetition;"
	"INSERT INTO main.origin SELECT (SELECT coalesce(max(number), -1) FROM main.origin)"
	" + row_number() OVER (ORDER BY experiment, repetition), experiment, repetition FROM wanted w"
	" WHERE NOT EXISTS (SELECT 1 FROM main.origin o WHERE o.experiment=w.experiment AND"
	" o.repetition=w.repetition);"
	"CREATE TEMP TABLE repetitions AS SELECT w.old, o.number AS new FROM wanted w JOIN main.origin o"
	" USING(experiment, repetition);"
	"CREATE UNIQUE INDEX temp.old_repetition ON repetitions(old, new);";

static const char units[] =
	"CREATE TABLE main.unit(id INTEGER PRIMARY KEY, program INTEGER NOT NULL, name TEXT NOT NULL,"
	" source TEXT, bytes INTEGER NOT NULL, samples INTEGER NOT NULL, instructions INTEGER NOT NULL);"
	"CREATE TABLE main.place(variant INTEGER NOT NULL, unit INTEGER NOT NULL, address INTEGER NOT NULL,"
	" PRIMARY KEY(variant, unit)) WITHOUT ROWID;"
	"INSERT INTO main.unit SELECT id, program, name, source, bytes, samples, instructions FROM part.unit;";
static const char places[] =
	"INSERT OR IGNORE INTO main.place SELECT v.new, u.id, p.address FROM part.place p JOIN temp.variants v ON"
	" v.old=p.variant JOIN part.unit w ON w.id=p.unit JOIN main.unit u ON u.program=w.program AND u.name=w.name;";

static const char add_runs[] =
	"INSERT OR IGNORE INTO main.run(id,variant,repetition,pass,started_ns,exit_status,refused,copy,twin,node)"
	" SELECT r.id+?1, v.new, n.new, r.pass, r.started_ns, r.exit_status, r.refused, r.copy+?2, r.twin, d.new"
	" FROM part.run r JOIN temp.variants v ON v.old=r.variant JOIN temp.repetitions n ON n.old=r.repetition"
	" JOIN temp.nodes d ON d.old=r.node ORDER BY r.id";
static const char add_samples[] =
	"INSERT OR IGNORE INTO main.sample SELECT s.run+?1, c.new, s.value FROM part.sample s CROSS JOIN main.run r ON"
	" r.id=s.run+?1 CROSS JOIN temp.counters c ON c.old=s.counter ORDER BY s.run, s.counter";
static const char rest[] =
	"INSERT OR IGNORE INTO main.simulated SELECT v.new, c.new, s.value FROM part.simulated s JOIN temp.variants v ON"
	" v.old=s.variant JOIN temp.counters c ON c.old=s.counter;"
	"INSERT OR IGNORE INTO main.warning SELECT text FROM part.warning;";
static const char count_others[] =
	"SELECT count(*) FROM part.run r JOIN temp.variants v ON v.old=r.variant JOIN temp.repetitions n ON"
	" n.old=r.repetition JOIN main.run m ON m.variant=v.new AND m.repetition=n.new AND m.pass=r.pass AND m.twin=r.twin"
	" WHERE m.started_ns<>r.started_ns";

static bool has_units(sqlite3 *database, const char *schema) {
	return sqlite3_table_column_metadata(database, schema, "unit", "instructions", NULL, NULL, NULL, NULL, NULL) ==
	       SQLITE_OK;
}

static int add_units(sqlite3 *database, struct ifr_error *err) {
	int result = 0;
	if (!has_units(database, "part"))
		return 0;
	if (!has_units(database, "main"))
		result = database_run(database, units, err);
	return result ? result : database_run(database, places, err);
}

static int ask(sqlite3 *database, const char *sql, int64_t *number, struct ifr_error *err) {
	sqlite3_stmt *statement;
	int result = database_prepare(database, &statement, err, sql, "");
	if (result)
		return result;
	if (sqlite3_step(statement) == SQLITE_ROW)
		*number = sqlite3_column_int64(statement, 0);
	else
		result = database_fail(database, err);
	sqlite3_finalize(statement);
	return result;
}

static int add_measured(sqlite3 *database, int64_t *copies, struct ifr_merge_result *added,
                        struct ifr_error *err) {
	int64_t last = 0, runs = 0, most = -1, other = 0;
	int result = ask(database, "SELECT coalesce(max(id), 0) FROM main.run", &last, err);
	if (!result)
		result = ask(database, "SELECT count(*) FROM part.run", &runs, err);
	if (!result)
		result = ask(database, "SELECT coalesce(max(copy), -1) FROM part.run", &most, err);
	if (!result)
		result = database_do(database, err, add_runs, "ii", last, *copies);
	const int64_t new_runs = result ? 0 : sqlite3_changes64(database);
	if (!result && new_runs)
		result = database_do(database, err, add_samples, "i", last);
	if (!result && new_runs)
		added->samples += (uint64_t)sqlite3_changes64(database);
	if (!result && new_runs < runs)
		result = ask(database, count_others, &other, err);
	added->runs += (uint64_t)new_runs;
	added->held += (uint64_t)(runs - new_runs);
	added->other += (uint64_t)other;
	/* The files of a part are none of those of other parts. */
	*copies += new_runs ? most + 1 : 0;
	return result;
}

static const char *const maps[] = {facts, variants, nodes, calibrations, repetitions};

int merge_add(sqlite3 *database, int64_t *copies, struct ifr_merge_result *added, struct ifr_error *err) {
	int result = database_run(database, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; i < sizeof maps / sizeof *maps && !result; i++)
		result = database_run(database, maps[i], err);
	if (!result)
		result = add_measured(database, copies, added, err);
	if (!result)
		result = database_run(database, rest, err);
	if (!result)
		result = add_units(database, err);
	if (!result)
		result = database_run(database, "COMMIT", err);
	if (result && !sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	added->parts += !result;
	return result;
}
