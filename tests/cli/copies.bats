#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Each repetition runs a copy of its own of every layout's file: another inode at the same path, with the same bytes.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O2 "$programs/where.c" -o where
	interfero-gcc -O2 "$programs/subject.c" -o subject
}

setup() {
	use_own_folder
	cp ../where ../subject .
}

teardown_file() {
	drop_own_kits
}

measure() {
	interfero bench -q --no-profile --counters clock -n 5 -r 3 --seed 3 -o e.exp "$@" -- ./where "$here/log"
}

# Each run with its file: variant, repetition, copy, twin, inode. The log begins with two reference runs.
runs_with_files() {
	sql e.exp 'SELECT variant, repetition, copy, twin FROM run ORDER BY id' | paste -d'|' - <(tail -n +3 log | cut -d' ' -f6)
}

@test "a new inode for each repetition, and the same bytes" {
	measure --keep
	runs_with_files >runs
	# Six layouts, three repetitions, and a twin of every second layout.
	[ "$(wc -l <runs)" -eq 21 ]
	[ "$(awk -F'|' '$4 { print $2 }' runs | sort | uniq -c | xargs)" = "3 0" ]
	# A file serves one repetition and its twin.
	awk -F'|' '$3 != $2 || (($1 in copy) && (copy[$1] == $3) != (inode[$1] == $5)) { print; bad = 1 }
		{ copy[$1] = $3; inode[$1] = $5 } END { exit bad }' runs
	for variant in e.exp.variants/v0000?; do
		[ "$(sha256sum <"$variant" | cut -d' ' -f1)" = "$(sql e.exp "SELECT sha256 FROM variant WHERE name='${variant##*/}'")" ]
		[ "$(stat -c %a "$variant")" = 755 ]
	done
	[ "$(ls e.exp.variants | grep -vc plan)" -eq 6 ]
}

@test "--one-file: one inode for all repetitions, no twins, and no mixture of both" {
	measure --one-file
	runs_with_files >runs
	[ "$(wc -l <runs)" -eq 18 ]
	[ "$(cut -d'|' -f1,3,4,5 runs | sort -u | wc -l)" -eq 6 ]
	[ "$(cut -d'|' -f3,4 runs | sort -u)" = "0|0" ]
	refuse 2 e.exp copies -- interfero bench -q --counters clock -n 5 -r 4 --seed 3 -o e.exp -- ./where "$here/log"
	[ "$(interfero report --json e.exp | jq -r .facts.copies)" = "one for all repetitions" ]
}

# Of the second repetition, three layouts lack their runs, and one of the first lacks its twin.
@test "a resumed repetition has copies of its own, and no twin on another copy" {
	measure --keep
	lost=$(sql e.exp "SELECT variant FROM run WHERE twin LIMIT 1")
	sql e.exp "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE (repetition = 1 AND variant < 3) OR (twin AND variant = $lost))"
	sql e.exp "DELETE FROM run WHERE (repetition = 1 AND variant < 3) OR (twin AND variant = $lost)"
	measure --keep
	[ "$(sql e.exp 'SELECT group_concat(DISTINCT copy) FROM run WHERE repetition = 1 AND variant < 3')" = 3 ]
	[ "$(sql e.exp 'SELECT group_concat(DISTINCT copy) FROM run WHERE repetition = 1 AND variant > 2')" = 1 ]
	[ "$(sql e.exp 'SELECT count(*) FROM run')" = 20 ]
	[ "$(sql e.exp "SELECT value FROM fact WHERE name='complete'")" = yes ]
	# Nothing is left to do.
	measure
	[ "$(sql e.exp 'SELECT count(*) FROM run')" = 20 ]
}

# As a file of schema 2 was measured: its layouts have one file each, and it goes on as such.
@test "an experiment of schema 2 goes on with --one-file alone" {
	measure --one-file
	sql e.exp "DELETE FROM fact WHERE name = 'copies'"
	sql e.exp 'CREATE TABLE old(id INTEGER PRIMARY KEY, variant INTEGER NOT NULL, repetition INTEGER NOT NULL,
		pass INTEGER NOT NULL, started_ns INTEGER NOT NULL, exit_status INTEGER NOT NULL, refused TEXT,
		UNIQUE(variant, repetition, pass))'
	sql e.exp 'INSERT INTO old SELECT id, variant, repetition, pass, started_ns, exit_status, refused FROM run'
	sql e.exp 'DROP TABLE run'
	sql e.exp 'ALTER TABLE old RENAME TO run'
	sql e.exp 'DROP TABLE node'
	sql e.exp 'DROP TABLE origin'
	sql e.exp 'PRAGMA user_version=2'
	interfero report --json e.exp >before.json
	[ "$(jq '[.runs[].copy] | unique | length' before.json)" -eq 1 ]
	refuse 2 e.exp copies -- interfero bench -q --counters clock -n 5 -r 4 --seed 3 -o e.exp -- ./where "$here/log"
	interfero bench -q --counters clock -n 5 -r 4 --seed 3 --one-file -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp 'SELECT count(*), max(copy) FROM run')" = "24|0" ]
}

@test "both programs of a comparison have copies, and their layouts the same twins" {
	interfero-gcc -O1 "$programs/where.c" -o other
	run interfero compare -q --counters clock -n 4 -r 2 --seed 3 -o e.exp ./where ./other -- "$here/log"
	[ "$status" -le 1 ] || say "$output"
	[ "$(sql e.exp 'SELECT count(*) FROM run WHERE NOT twin AND copy = repetition')" -eq 20 ]
	twins() { sql e.exp "SELECT layout FROM run r JOIN variant v ON v.id = r.variant WHERE twin AND program = $1 ORDER BY layout"; }
	[ "$(twins 0 | wc -l)" -ge 2 ]
	[ "$(twins 0)" = "$(twins 1)" ]
}

@test "the model alone makes no copies" {
	interfero bench -q --counters model -n 3 -r 3 -a functions --keep -o e.exp -- ./subject
	[ "$(sql e.exp 'SELECT count(*) FROM run')" -eq 0 ]
	[ "$(ls e.exp.variants | wc -l)" -le 1 ]
}
