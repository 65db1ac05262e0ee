/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment file: whole runs, each once, whatever happens to the writer; and files that are none. SQLite
 * itself looks into the file where this program's own reader must not be the judge. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/random.h"
#include "harness/store/experiment.h"

static char *folder, *file;

static int set_up(void **state) {
	(void)state;
	int result = ifr_temporary_dir(&folder, NULL);
	file = result ? NULL : ifr_format("%s/e.ifr", folder);
	return result;
}

static int tear_down(void **state) {
	(void)state;
	int result = ifr_tree_remove(folder, NULL);
	free(file);
	free(folder);
	return result;
}

static struct ifr_experiment *reopen(void) {
	struct ifr_experiment *experiment;
	struct ifr_error err = {0};
	if (ifr_experiment_open(file, &experiment, &err))
		fail_msg("%s", err.message);
	return experiment;
}

/* A number that SQL gives; the file is opened by SQLite alone. */
static int64_t ask(const char *sql) {
	sqlite3 *database;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return number;
}

static void run_sql(const char *path, const char *sql) {
	sqlite3 *database;
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static void save_frame(struct ifr_experiment *experiment, unsigned variants) {
	assert_int_equal(ifr_experiment_save_counter(experiment, 0, "duration_time", "ns", "clock", NULL), 0);
	assert_int_equal(ifr_experiment_save_counter(experiment, 1, "page-faults", "", "clock", NULL), 0);
	assert_int_equal(ifr_experiment_save_counter(experiment, 2, "cycles", "cycles", "perf", NULL), 0);
	for (unsigned i = 0; i < variants; i++) {
		char *name = ifr_format("v%05u", i), *digest = ifr_format("digest %u", i);
		const struct ifr_experiment_variant variant = {.id = i,
		                                               .layout = i,
		                                               .name = name,
		                                               .plan = i ? "interfero-plan 1\n" : "",
		                                               .build_id = "abc",
		                                               .sha256 = digest,
		                                               .facts = "moved\n"};
		assert_int_equal(ifr_experiment_save_variant(experiment, &variant, NULL), 0);
		free(digest);
		free(name);
	}
}

static int add(struct ifr_experiment *experiment, unsigned variant, unsigned round, double first,
               struct ifr_error *err) {
	const double values[] = {first, NAN, first / 3};
	const struct ifr_experiment_run run = {
		.variant = variant, .repetition = round, .started_ns = 1000 + round, .values = values, .value_count = 3};
	return ifr_experiment_add_run(experiment, &run, err);
}

static void test_create_and_reopen(void **state) {
	(void)state;
	struct ifr_experiment *experiment = reopen();
	assert_null(ifr_experiment_get(experiment, "seed"));
	assert_int_equal(ifr_experiment_set(experiment, "seed", "1", NULL), 0);
	assert_int_equal(ifr_experiment_set(experiment, "seed", "it's; 2", NULL), 0);
	assert_int_equal(ifr_experiment_warn(experiment, "once", NULL), 0);
	assert_int_equal(ifr_experiment_warn(experiment, "once", NULL), 0);
	save_frame(experiment, 2);
	ifr_experiment_close(experiment);
	experiment = reopen();
	char *seed = ifr_experiment_get(experiment, "seed"), *digest = ifr_experiment_variant_digest(experiment, 1);
	assert_string_equal(seed, "it's; 2");
	assert_string_equal(digest, "digest 1");
	assert_null(ifr_experiment_variant_digest(experiment, 2));
	assert_false(ifr_experiment_variant_refused(experiment, 1));
	assert_int_equal(ifr_experiment_refuse_variant(experiment, 1, "crashed", NULL), 0);
	assert_int_equal(ifr_experiment_refuse_variant(experiment, 1, "later", NULL), 0);
	assert_true(ifr_experiment_variant_refused(experiment, 1));
	free(digest);
	free(seed);
	ifr_experiment_close(experiment);
	ifr_experiment_close(NULL);
	/* The numbers that experiment.h promises: "IFRP" in ASCII, schema 4. */
	assert_int_equal(ask("PRAGMA application_id"), 0x49465250);
	assert_int_equal(ask("PRAGMA user_version"), 4);
	assert_int_equal(ask("SELECT count(*) FROM warning"), 1);
	assert_int_equal(ask("SELECT count(*) FROM variant WHERE refused='crashed'"), 1);
}

static void test_a_run_is_recorded_once(void **state) {
	(void)state;
	struct ifr_experiment *experiment = reopen();
	struct ifr_error err = {0};
	save_frame(experiment, 2);
	assert_false(ifr_experiment_has_run(experiment, 1, 4, 0));
	assert_int_equal(add(experiment, 1, 4, 3.0, NULL), 0);
	assert_true(ifr_experiment_has_run(experiment, 1, 4, 0));
	assert_false(ifr_experiment_has_run(experiment, 1, 4, 1));
	assert_false(ifr_experiment_has_run(experiment, 0, 4, 0));
	assert_int_equal(add(experiment, 1, 4, 99.0, NULL), 0);
	/* A variant that is not there, or a counter: nothing of the run stays. */
	assert_int_equal(add(experiment, 7, 0, 1.0, &err), -IFR_E_ENVIRONMENT);
	const double values[] = {1, 2, 3, 4};
	const struct ifr_experiment_run too_many = {.repetition = 9, .values = values, .value_count = 4};
	assert_int_equal(ifr_experiment_add_run(experiment, &too_many, &err), -IFR_E_ENVIRONMENT);
	assert_false(ifr_experiment_has_run(experiment, 0, 9, 0));
	assert_int_equal(add(experiment, 0, 9, 6.0, NULL), 0);
	ifr_experiment_close(experiment);
	assert_int_equal(ask("SELECT count(*) FROM run"), 2);
	/* Two values a run: NaN is not stored, in any form. */
	assert_int_equal(ask("SELECT count(*) FROM sample"), 4);
	assert_int_equal(ask("SELECT count(*) FROM sample WHERE counter=1"), 0);
	assert_int_equal(ask("SELECT value FROM sample JOIN run ON run.id=run WHERE repetition=4 AND counter=0"), 3);
}

static void test_load_gives_what_was_saved(void **state) {
	(void)state;
	struct ifr_experiment *experiment = reopen();
	struct ifr_dataset dataset;
	ifr_experiment_set(experiment, "program", "p", NULL);
	ifr_experiment_warn(experiment, "beware", NULL);
	save_frame(experiment, 3);
	ifr_experiment_refuse_variant(experiment, 2, "crashed", NULL);
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(add(experiment, 2 - i % 3, i / 3, 0.1 + i, NULL), 0);
	const struct ifr_experiment_run refused = {
		.variant = 1, .repetition = 10, .pass = 1, .started_ns = -5, .exit_status = 139, .refused = "multiplexed"};
	assert_int_equal(ifr_experiment_add_run(experiment, &refused, NULL), 0);
	ifr_experiment_close(experiment);
	assert_int_equal(ifr_experiment_load(file, &dataset, NULL), 0);
	assert_string_equal(ifr_dataset_fact(&dataset, "program"), "p");
	assert_string_equal(dataset.warnings.items[0], "beware");
	assert_int_equal(dataset.counter_count, 3);
	assert_int_equal(ifr_dataset_counter(&dataset, "cycles"), 2);
	assert_string_equal(dataset.counters[2].source, "perf");
	assert_int_equal(dataset.variant_count, 3);
	assert_string_equal(dataset.variants[0].plan, "");
	assert_string_equal(dataset.variants[1].plan, "interfero-plan 1\n");
	assert_null(dataset.variants[1].refused);
	assert_string_equal(dataset.variants[2].refused, "crashed");
	assert_int_equal(dataset.run_count, 31);
	for (unsigned i = 0; i < 30; i++) {
		const struct ifr_dataset_run *run = &dataset.runs[i];
		assert_int_equal(run->variant, 2 - i % 3);
		assert_int_equal(run->repetition, i / 3);
		assert_int_equal(run->started_ns, 1000 + i / 3);
		assert_true(run->value[0] == 0.1 + i && run->value[2] == (0.1 + i) / 3);
		assert_true(isnan(run->value[1]));
		assert_null(run->refused);
	}
	const struct ifr_dataset_run *last = &dataset.runs[30];
	assert_string_equal(last->refused, "multiplexed");
	assert_int_equal(last->exit_status, 139);
	assert_int_equal(last->pass, 1);
	assert_true(isnan(last->value[0]) && isnan(last->value[2]));
	ifr_dataset_release(&dataset);
}

/* The schema of version 1, as its files have it. */
static const char schema_1[] =
	"CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE warning(text TEXT PRIMARY KEY);"
	"CREATE TABLE counter(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, unit TEXT NOT NULL, source TEXT NOT "
	"NULL);"
	"CREATE TABLE variant(id INTEGER PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, build_id TEXT NOT NULL,"
	" sha256 TEXT NOT NULL, facts TEXT NOT NULL, refused TEXT);"
	"CREATE TABLE run(id INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variant(id), round INTEGER NOT "
	"NULL, pass INTEGER NOT NULL, started_ns INTEGER NOT NULL, exit_status INTEGER NOT NULL, refused TEXT,"
	" UNIQUE(variant, round, pass));"
	"CREATE TABLE sample(run INTEGER NOT NULL REFERENCES run(id), counter INTEGER NOT NULL REFERENCES counter(id),"
	" value REAL NOT NULL, PRIMARY KEY(run, counter)) WITHOUT ROWID;"
	"PRAGMA application_id=1229345360; PRAGMA user_version=1;"
	"INSERT INTO fact VALUES('programs','2'),('axes','functions,objects'),('parameters','functions:cross=0 "
	"objects:only=a,objects');"
	"INSERT INTO counter VALUES(0,'duration_time','ns','clock'),(1,'branch-misses','','model');"
	"INSERT INTO variant VALUES(0,'v00000','','','a','',NULL),(1,'w00000','','','b','',NULL),"
	"(2,'v00001','interfero-plan 1\nobjects seed=3\n','','c','',NULL),(3,'w00001','p','','d','','crashed');"
	/* Measured in pass 0, modelled in the pass after. */
	"INSERT INTO run VALUES(1,2,0,0,5,0,NULL),(2,2,1,0,6,0,NULL),(3,2,0,1,0,0,NULL);"
	"INSERT INTO sample VALUES(1,0,10.5),(2,0,11.5),(3,1,77);";

static void check_upgraded(void) {
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	if (ifr_experiment_load(file, &dataset, &err))
		fail_msg("%s", err.message);
	assert_int_equal(dataset.variant_count, 4);
	assert_string_equal(ifr_dataset_fact(&dataset, "axes"), "functions,link-order");
	assert_string_equal(ifr_dataset_fact(&dataset, "parameters"), "functions:cross=0 link-order:only=a,objects");
	assert_string_equal(dataset.variants[2].plan, "interfero-plan 1\nlink-order seed=3\n");
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(dataset.variants[i].program, i % 2);
		assert_int_equal(dataset.variants[i].layout, i / 2);
	}
	assert_string_equal(dataset.variants[3].refused, "crashed");
	assert_int_equal(dataset.run_count, 3);
	assert_true(dataset.runs[1].value[0] == 11.5 && dataset.runs[1].repetition == 1 && !dataset.runs[1].simulated);
	assert_true(dataset.runs[2].value[1] == 77 && isnan(dataset.runs[2].value[0]) && dataset.runs[2].simulated);
	assert_int_equal(dataset.runs[2].variant, 2);
	ifr_dataset_release(&dataset);
}

/* A reader leaves a file of schema 1 as it is; a writer brings it to schema 4. Both see the same experiment. */
static void test_a_file_of_schema_1(void **state) {
	(void)state;
	run_sql(file, schema_1);
	check_upgraded();
	assert_int_equal(ask("PRAGMA user_version"), 1);
	assert_int_equal(ask("SELECT count(*) FROM run"), 3);
	struct ifr_experiment *experiment = reopen();
	assert_true(ifr_experiment_is_simulated(experiment, 2));
	assert_false(ifr_experiment_is_simulated(experiment, 0));
	assert_true(ifr_experiment_has_run(experiment, 2, 1, 0));
	assert_false(ifr_experiment_has_run(experiment, 2, 0, 1));
	ifr_experiment_close(experiment);
	assert_int_equal(ask("PRAGMA user_version"), 4);
	assert_int_equal(ask("SELECT count(*) FROM run"), 2);
	assert_int_equal(ask("SELECT value FROM simulated WHERE variant=2 AND counter=1"), 77);
	check_upgraded();
}

/* The additions of schema 2 to schema 1, with runs and samples under ids that leave gaps. */
static const char schema_2[] =
	"DROP TABLE run; DELETE FROM sample;"
	"ALTER TABLE variant ADD COLUMN program INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE variant ADD COLUMN layout INTEGER NOT NULL DEFAULT 0;"
	"UPDATE variant SET program = id % 2, layout = id / 2;"
	"CREATE UNIQUE INDEX cell ON variant(program, layout);"
	"CREATE TABLE run(id INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variant(id),"
	" repetition INTEGER NOT NULL, pass INTEGER NOT NULL, started_ns INTEGER NOT NULL,"
	" exit_status INTEGER NOT NULL, refused TEXT, UNIQUE(variant, repetition, pass));"
	"CREATE TABLE simulated(variant INTEGER NOT NULL REFERENCES variant(id), counter INTEGER NOT NULL REFERENCES"
	" counter(id), value REAL NOT NULL, PRIMARY KEY(variant, counter)) WITHOUT ROWID;"
	"INSERT INTO run VALUES(3,2,0,0,5,0,NULL),(9,2,1,0,6,7,'multiplexed'),(10,0,0,0,8,0,NULL);"
	"INSERT INTO sample VALUES(3,0,10.5),(10,0,12.5);"
	"PRAGMA user_version=2;";

static void check_one_copy(void) {
	struct ifr_dataset dataset;
	assert_int_equal(ifr_experiment_load(file, &dataset, NULL), 0);
	assert_int_equal(dataset.run_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(dataset.runs[i].copy == 0 && !dataset.runs[i].twin);
	assert_true(dataset.runs[0].value[0] == 10.5 && dataset.runs[2].value[0] == 12.5);
	assert_string_equal(dataset.runs[1].refused, "multiplexed");
	assert_int_equal(dataset.runs[1].exit_status, 7);
	ifr_dataset_release(&dataset);
}

/* In schema 2 every variant has one copy. A reader leaves the file as it is; behind a writer samples still belong to
 * their runs, by foreign keys, too. */
static void test_a_file_of_schema_2(void **state) {
	(void)state;
	run_sql(file, schema_1);
	run_sql(file, schema_2);
	check_one_copy();
	assert_int_equal(ask("PRAGMA user_version"), 2);
	struct ifr_experiment *experiment = reopen();
	assert_int_equal(ifr_experiment_last_copy(experiment, 2), 0);
	assert_int_equal(ifr_experiment_last_copy(experiment, 1), -1);
	const double value = 3;
	const struct ifr_experiment_run run = {.variant = 2, .repetition = 2, .values = &value, .value_count = 1};
	assert_int_equal(ifr_experiment_add_run(experiment, &run, NULL), 0);
	ifr_experiment_close(experiment);
	assert_int_equal(ask("PRAGMA user_version"), 4);
	assert_int_equal(ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(ask("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%run\\__%' ESCAPE '\\'"), 0);
	assert_int_equal(ask("SELECT value FROM sample WHERE run=10"), 12);
	run_sql(file, "DELETE FROM sample WHERE run > 10; DELETE FROM run WHERE id > 10");
	check_one_copy();
}

/* A repetition holds a run and its twin, each once; both are read back with their copy. */
static void test_copies_and_twins(void **state) {
	(void)state;
	struct ifr_experiment *experiment = reopen();
	struct ifr_dataset dataset;
	const double values[] = {1, 2, 3};
	save_frame(experiment, 2);
	for (unsigned twin = 0; twin < 2; twin++)
		for (int again = 0; again < 2; again++) {
			const struct ifr_experiment_run run = {
				.variant = 1, .repetition = 4, .values = values, .value_count = 3, .copy = 6, .twin = twin};
			assert_int_equal(ifr_experiment_add_run(experiment, &run, NULL), 0);
		}
	assert_int_equal(ifr_experiment_run_copy(experiment, 1, 4, 0, true), 6);
	assert_int_equal(ifr_experiment_run_copy(experiment, 1, 4, 1, true), -1);
	assert_int_equal(ifr_experiment_run_copy(experiment, 0, 4, 0, false), -1);
	assert_int_equal(ifr_experiment_last_copy(experiment, 1), 6);
	ifr_experiment_close(experiment);
	assert_int_equal(ifr_experiment_load(file, &dataset, NULL), 0);
	assert_int_equal(dataset.run_count, 2);
	assert_true(dataset.runs[0].copy == 6 && !dataset.runs[0].twin);
	assert_true(dataset.runs[1].copy == 6 && dataset.runs[1].twin && dataset.runs[1].value[2] == 3);
	ifr_dataset_release(&dataset);
}

static void test_simulated_values(void **state) {
	(void)state;
	struct ifr_experiment *experiment = reopen();
	struct ifr_dataset dataset;
	save_frame(experiment, 3);
	const double values[] = {NAN, 5, 6.25};
	assert_int_equal(add(experiment, 1, 0, 3.0, NULL), 0);
	assert_int_equal(ifr_experiment_add_simulated(experiment, 2, values, 3, NULL), 0);
	assert_int_equal(ifr_experiment_add_simulated(experiment, 9, values, 3, NULL), -IFR_E_ENVIRONMENT);
	assert_true(ifr_experiment_is_simulated(experiment, 2) && !ifr_experiment_is_simulated(experiment, 1));
	ifr_experiment_close(experiment);
	assert_int_equal(ask("SELECT count(*) FROM simulated"), 2);
	assert_int_equal(ask("SELECT count(*) FROM run"), 1);
	assert_int_equal(ifr_experiment_load(file, &dataset, NULL), 0);
	assert_int_equal(dataset.run_count, 2);
	assert_true(dataset.runs[1].simulated && dataset.runs[1].variant == 2);
	assert_true(isnan(dataset.runs[1].value[0]) && dataset.runs[1].value[1] == 5 &&
	            dataset.runs[1].value[2] == 6.25);
	ifr_dataset_release(&dataset);
}

static void refused(const char *path, const char *says) {
	struct ifr_experiment *experiment = NULL;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	assert_int_equal(ifr_experiment_open(path, &experiment, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, says));
	assert_non_null(strstr(err.message, path));
	assert_int_equal(ifr_experiment_load(path, &dataset, &err), -IFR_E_ENVIRONMENT);
	assert_null(dataset.runs);
}

static void test_files_that_are_none(void **state) {
	(void)state;
	char *text = ifr_format("%s/text", folder), *foreign = ifr_format("%s/foreign", folder);
	char *long_text = malloc(5000);
	memset(long_text, 'x', 5000);
	assert_int_equal(ifr_file_write(text, long_text, 5000, 0644, NULL), 0);
	refused(text, "file is not a database");
	run_sql(foreign, "CREATE TABLE mine(x); INSERT INTO mine VALUES(42)");
	refused(foreign, "is not an experiment of interfero");
	struct ifr_buffer before = {0}, after = {0};
	assert_int_equal(ifr_file_read(foreign, 0, &before, NULL), 0);
	refused(foreign, "is not an experiment");
	assert_int_equal(ifr_file_read(foreign, 0, &after, NULL), 0);
	assert_int_equal(before.length, after.length);
	assert_memory_equal(before.data, after.data, before.length);
	ifr_experiment_close(reopen());
	run_sql(file, "PRAGMA user_version=5");
	refused(file, "schema 5");
	refused(folder, "is not a file");
	ifr_buffer_release(&before);
	ifr_buffer_release(&after);
	free(long_text);
	free(foreign);
	free(text);
}

/* An empty file is a new experiment for the writer and none for the reader; a missing one is a mistake of the
 * user. */
static void test_empty_and_missing(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	assert_int_equal(ifr_experiment_load(file, &dataset, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "there is no experiment"));
	assert_false(ifr_file_exists(file));
	assert_int_equal(ifr_file_write(file, "", 0, 0644, NULL), 0);
	assert_int_equal(ifr_experiment_load(file, &dataset, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "not an experiment"));
	ifr_experiment_close(reopen());
	assert_int_equal(ifr_experiment_load(file, &dataset, &err), 0);
	assert_int_equal(dataset.run_count, 0);
	ifr_dataset_release(&dataset);
}

static void fill_file(void) {
	struct ifr_experiment *experiment = reopen();
	save_frame(experiment, 5);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(add(experiment, i % 5, i / 5, i, NULL), 0);
	ifr_experiment_close(experiment);
	assert_int_equal(ask("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
}

/* Reads and writes a file that may be damaged: either there is an error with a message, or it can be used. */
static bool survives(const char *path) {
	struct ifr_experiment *experiment = NULL;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	int loaded = ifr_experiment_load(path, &dataset, &err);
	assert_true(!loaded || (err.code && *err.message));
	for (size_t i = 0; i < dataset.run_count; i++)
		assert_true(dataset.runs[i].variant < dataset.variant_count);
	ifr_dataset_release(&dataset);
	err = (struct ifr_error){0};
	int opened = ifr_experiment_open(path, &experiment, &err);
	assert_true(!opened || (err.code == IFR_E_ENVIRONMENT && *err.message));
	if (!opened) {
		int added = add(experiment, 0, 1000, 1, &err);
		assert_true(!added || *err.message);
		ifr_experiment_close(experiment);
	}
	return !loaded && !opened;
}

static void write_damaged(const char *path, const char *data, size_t length) {
	static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < 4; i++) {
		char *other = ifr_format("%s%s", path, tails[i]);
		unlink(other);
		free(other);
	}
	assert_int_equal(ifr_file_write(path, data, length, 0644, NULL), 0);
}

static void test_damaged_files(void **state) {
	(void)state;
	struct ifr_buffer whole = {0};
	char *path = ifr_format("%s/damaged", folder);
	fill_file();
	/* The last pages hold simulated values and origins: with one in each, a cut there loses something. */
	run_sql(
		file,
		"INSERT INTO simulated VALUES(0,0,1); INSERT INTO origin VALUES(0,'e',0); PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(ifr_file_read(file, 0, &whole, NULL), 0);
	for (size_t cut = 100; cut < whole.length; cut += whole.length / 40) {
		write_damaged(path, whole.data, cut);
		assert_false(survives(path));
	}
	for (unsigned i = 0; i < 150; i++) {
		char *copy = malloc(whole.length);
		memcpy(copy, whole.data, whole.length);
		for (unsigned j = 0; j <= i % 4; j++) {
			uint64_t bits = ifr_random_keyed(i, "flip", (const char[]){(char)('a' + j), 0});
			copy[ifr_random_below(bits, whole.length)] ^= (char)(1 << (bits & 7));
		}
		write_damaged(path, copy, whole.length);
		survives(path);
		free(copy);
	}
	/* The undamaged copy is fine: the errors above are not for another reason. */
	write_damaged(path, whole.data, whole.length);
	assert_true(survives(path));
	ifr_buffer_release(&whole);
	free(path);
}

/* As a user who may read the file and no more; the name holds what SQLite's URIs give a meaning. */
static int read_only(const char *path) {
	struct ifr_experiment *experiment;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 2;
	if (ifr_experiment_load(path, &dataset, &err) || dataset.run_count != 40)
		return 3;
	ifr_dataset_release(&dataset);
	return ifr_experiment_open(path, &experiment, &err) == -IFR_E_ENVIRONMENT && *err.message ? 0 : 4;
}

static void test_read_only_file(void **state) {
	(void)state;
	char *path = ifr_format("%s/r%%41?#x.ifr", folder);
	fill_file();
	assert_int_equal(ifr_file_copy(file, path, 0444, NULL), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(read_only(path));
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(status, 0);
	free(path);
}

/* Writes runs until it is killed; the pipe tells the parent how many were recorded for sure. */
static void write_until_killed(unsigned round, int pipe_end) {
	struct ifr_experiment *experiment;
	if (ifr_experiment_open(file, &experiment, NULL))
		_exit(2);
	for (unsigned i = 0; i < 100000; i++) {
		const double values[] = {i, 2, 3};
		const struct ifr_experiment_run run = {
			.variant = i % 5, .repetition = round * 1000 + i / 5, .values = values, .value_count = 3};
		if (ifr_experiment_add_run(experiment, &run, NULL))
			_exit(3);
		if (write(pipe_end, "x", 1) != 1)
			_exit(4);
	}
	_exit(5);
}

/* The byte that the parent waits for is random, and so is the moment within the next transactions. */
static void test_killed_while_writing(void **state) {
	(void)state;
	enum { KILLS = 12 };
	struct ifr_experiment *experiment = reopen();
	int64_t sure = 0;
	save_frame(experiment, 5);
	ifr_experiment_close(experiment);
	for (unsigned i = 0; i < KILLS; i++) {
		int ends[2], status;
		char byte;
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		assert_true(child >= 0);
		if (!child)
			write_until_killed(i, ends[1]);
		close(ends[1]);
		uint64_t bits = ifr_random_keyed(i, "kill", "after");
		for (uint64_t left = 1 + ifr_random_below(bits, 20); left && read(ends[0], &byte, 1) == 1; left--)
			sure++;
		usleep((unsigned)(bits % 1500));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		while (read(ends[0], &byte, 1) == 1)
			sure++;
		close(ends[0]);
		ifr_experiment_close(reopen());
		assert_int_equal(ask("SELECT count(*) FROM run WHERE (SELECT count(*) FROM sample WHERE run=run.id)<>3"),
		                 0);
	}
	/* Each run that was reported as recorded is there; at most one more a kill, of which the report was cut off. */
	int64_t runs = ask("SELECT count(*) FROM run");
	assert_in_range(runs, sure, sure + KILLS);
	assert_int_equal(ask("SELECT count(*) FROM (SELECT DISTINCT variant,repetition,pass FROM run)"), runs);
	assert_int_equal(ask("SELECT count(*) FROM sample"), 3 * runs);
	assert_int_equal(ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'"), 0);
	struct ifr_dataset dataset;
	assert_int_equal(ifr_experiment_load(file, &dataset, NULL), 0);
	assert_int_equal(dataset.run_count, runs);
	ifr_dataset_release(&dataset);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_create_and_reopen),
		IN_FOLDER(test_a_run_is_recorded_once),
		IN_FOLDER(test_load_gives_what_was_saved),
		IN_FOLDER(test_a_file_of_schema_1),
		IN_FOLDER(test_a_file_of_schema_2),
		IN_FOLDER(test_copies_and_twins),
		IN_FOLDER(test_simulated_values),
		IN_FOLDER(test_files_that_are_none),
		IN_FOLDER(test_empty_and_missing),
		IN_FOLDER(test_damaged_files),
		IN_FOLDER(test_read_only_file),
		IN_FOLDER(test_killed_while_writing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
