/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an experiment may be merged into another: each question is a query whose first row is the difference. */
#include "harness/store/merge_part.h"

struct question {
	const char *sql;    /* at most one row: the entity, its value in the file, its value in the part */
	const char *remedy; /* behind the difference */
};

/* Facts that say what was measured. Places of files differ between machines, and so does argv[0]. */
#define CONDITIONS                                                                                            \
	"'kit','kit 2','seed','axes','parameters','programs','metrics','cure','sweep','copies','aslr','prepare'," \
	"'warmup runs','expected exit status','repeat marker','machine','core'"

static const struct question questions[] = {
	{"SELECT m.name, m.value, p.value FROM main.fact m JOIN part.fact p USING(name) WHERE name IN (" CONDITIONS
     ") AND m.value<>p.value LIMIT 1",
     "only experiments of one program, seed and options merge"},
	{"SELECT 'seed', 'none', 'none' WHERE NOT EXISTS(SELECT 1 FROM part.fact WHERE name='seed') OR"
     " (EXISTS(SELECT 1 FROM main.variant) AND NOT EXISTS(SELECT 1 FROM main.fact WHERE name='seed'))",
     "an imported experiment does not say which layouts it measured"},
	{"SELECT 'arguments', substr(m.value, instr(m.value || ' ', ' ')), substr(p.value, instr(p.value || ' ', ' '))"
     " FROM main.fact m JOIN part.fact p USING(name) WHERE name='command' AND substr(m.value, instr(m.value || ' ',"
     " ' ')) <> substr(p.value, instr(p.value || ' ', ' '))",
     "runs of other arguments are other measurements"},
	{"SELECT 'program', m.sha256, p.sha256 FROM main.variant m JOIN part.variant p USING(program, layout)"
     " WHERE layout=0 AND m.sha256<>p.sha256 AND m.sha256<>'' AND p.sha256<>'' LIMIT 1",
     "the program was built again, or is another one"},
	{"SELECT 'layout ' || layout, m.plan, p.plan FROM main.variant m JOIN part.variant p USING(program, layout)"
     " WHERE m.plan<>p.plan LIMIT 1",
     "another seed, or other axes, give other layouts"},
	{"SELECT 'file of layout ' || layout, m.sha256, p.sha256 FROM main.variant m JOIN part.variant p"
     " USING(program, layout) WHERE m.sha256<>p.sha256 AND m.sha256<>'' AND p.sha256<>'' LIMIT 1",
     "the same plan made other bytes: another linker, or another interfero"},
	{"SELECT 'counter ' || name, m.unit || ' of ' || m.source, p.unit || ' of ' || p.source FROM main.counter m"
     " JOIN part.counter p USING(name) WHERE m.unit<>p.unit OR m.source<>p.source LIMIT 1",
     "values of other units cannot stand beside each other"},
	{"SELECT 'modelled ' || c.name, m.value, s.value FROM part.simulated s JOIN part.counter d ON d.id=s.counter"
     " JOIN part.variant w ON w.id=s.variant JOIN main.counter c ON c.name=d.name JOIN main.variant v ON"
     " v.program=w.program AND v.layout=w.layout JOIN main.simulated m ON m.variant=v.id AND m.counter=c.id"
     " WHERE m.value<>s.value LIMIT 1",
     "the model gives the same values everywhere: another interfero made one of them"},
};

static int refuse(sqlite3_stmt *row, const char *file, const char *part, const char *remedy,
                  struct ifr_error *err) {
	enum { SHOWN = 60 };
	return ifr_fail(err, IFR_E_USAGE, "%s does not merge into %s: %s is \"%.*s\" there and \"%.*s\" here; %s",
	                part, file, database_text(row, 0), SHOWN, database_text(row, 2), SHOWN, database_text(row, 1),
	                remedy);
}

int merge_check(sqlite3 *database, const char *file, const char *part, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < sizeof questions / sizeof *questions && !result; i++) {
		sqlite3_stmt *statement;
		result = database_prepare(database, &statement, err, questions[i].sql, "");
		if (result)
			break;
		int status = sqlite3_step(statement);
		if (status == SQLITE_ROW)
			result = refuse(statement, file, part, questions[i].remedy, err);
		else if (status != SQLITE_DONE)
			result = database_fail(database, err);
		sqlite3_finalize(statement);
	}
	return result;
}
