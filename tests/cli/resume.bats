#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A bench that is killed, interrupted, out of time or not alone: nothing is lost, nothing is measured twice. What these
# tests wait for is the number of recorded runs, never a time.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
}

setup() {
	use_own_folder
	ln -s ../subject subject
	bench=
}

teardown() {
	[ -z "$bench" ] || kill -9 "$bench" 2>/dev/null || true
}

teardown_file() {
	drop_own_kits
}

# start: a bench of a program that takes 0.1 s, in the background; its process is $bench.
start() {
	interfero bench --counters clock -q -n 5 -r 5 -o it.exp -- ./subject sleep 100 >out 2>errors 3>&- &
	bench=$!
}

# The bench has ended: its exit status is in $status.
ended() {
	is_over() { [ ! -e "/proc/$bench" ] || grep -q '^State:.*zombie' "/proc/$bench/status"; }
	await 30 is_over
	status=0
	wait $bench || status=$?
	bench=
}

finish() {
	run -0 --separate-stderr within 120 interfero bench --counters clock -q -n 5 -r 5 -o it.exp -- ./subject sleep 100
}

runs() {
	if [ -s it.exp ]; then sql it.exp 'SELECT count(*) FROM run' 2>/dev/null || echo 0; else echo 0; fi
}

has_runs() {
	[ "$(runs)" -ge "$1" ]
}

# Every (layout, round, pass) is there exactly once, with all its samples.
is_whole() {
	[ "$(sql it.exp 'PRAGMA integrity_check')" = ok ]
	[ "$(sql it.exp 'SELECT count(*) FROM run WHERE NOT twin')" = "$(sql it.exp 'SELECT 30 * (max(pass) + 1) FROM run')" ]
	[ "$(sql it.exp 'SELECT count(*) FROM (SELECT DISTINCT variant, repetition, pass, twin FROM run)')" = "$(runs)" ]
	# A twin runs on its sibling's copy, or not at all.
	twins='SELECT t.copy FROM run t JOIN run r USING (variant, repetition, pass, copy) WHERE t.twin AND NOT r.twin'
	[ "$(sql it.exp "SELECT count(*) FROM ($twins) AS pair")" = "$(sql it.exp 'SELECT sum(twin) FROM run')" ]
	[ "$(sql it.exp 'SELECT count(DISTINCT variant), count(DISTINCT repetition) FROM run')" = "6|5" ]
	# All runs of a pass have as many samples.
	samples='SELECT pass, count(counter) AS n FROM run LEFT JOIN sample ON run = id GROUP BY id'
	[ -z "$(sql it.exp "SELECT pass FROM ($samples) GROUP BY pass HAVING min(n) <> max(n) OR min(n) = 0")" ]
	[ "$(sql it.exp "SELECT value FROM fact WHERE name='complete'")" = yes ]
}

@test "killed at any moment, it goes on where it stopped" {
	# Right after the start, while the first runs are recorded, and in the middle of a run.
	start
	sleep 0.05
	kill -9 $bench
	wait $bench || true
	for enough in 1 7 16; do
		before=$(runs)
		start
		await 60 has_runs $enough
		sleep "0.0$enough"
		kill -9 $bench
		wait $bench || true
		[ "$(runs)" -ge "$enough" ]
		[ "$(runs)" -ge "$before" ]
		[ "$(runs)" -lt 30 ]
		sql it.exp 'SELECT * FROM run ORDER BY id' >seen$enough
	done
	finish
	is_whole
	# What was recorded before a kill is still what is there.
	sql it.exp 'SELECT * FROM run ORDER BY id' >all
	for enough in 1 7 16; do
		cmp seen$enough <(head -n "$(wc -l <seen$enough)" all)
	done
	interfero report it.exp --quiet
}

@test "a killed or interrupted bench leaves no program running" {
	is_running() { readlink /proc/[0-9]*/exe 2>/dev/null | grep -q "^$here/it.exp.variants/"; }
	is_gone() { ! is_running; }
	for signal in KILL INT; do
		# A program that would go on for a minute.
		interfero bench --counters clock -q -n 1 -r 1 -o it.exp -- ./subject sleep 60000 >out 2>errors 3>&- &
		bench=$!
		await 30 is_running
		kill -$signal $bench
		ended
		await 10 is_gone
	done
	[ "$status" -eq 130 ]
	[ "$(wc -l <errors)" -eq 1 ]
	grep -q '^interfero: interrupted' errors
}

@test "interrupted: exit status 130, a message, a report, and it goes on" {
	start
	await 60 has_runs 5
	kill -INT $bench
	ended
	[ "$status" -eq 130 ]
	grep -q '^interfero: interrupted.*it.exp' errors
	[ "$(wc -l <errors)" -eq 1 ]
	[ "$(sql it.exp "SELECT value FROM fact WHERE name='complete'")" = "no: interrupted" ]
	before=$(runs)
	[ "$before" -ge 5 ]
	[ "$before" -lt 30 ]
	finish
	is_whole
}

@test "a terminated bench ends as an interrupted one does" {
	start
	await 60 has_runs 1
	kill -TERM $bench
	ended
	[ "$status" -eq 130 ]
	finish
	is_whole
}

@test "--budget ends in time with what there is" {
	SECONDS=0
	run -0 --separate-stderr within 120 interfero bench --counters clock -n 20 -r 100 --budget 10s -o it.exp -- ./subject sleep 100
	# All 2100 runs would take 210 s at least.
	[ "$SECONDS" -le 100 ]
	[ "$(sql it.exp "SELECT value FROM fact WHERE name='complete'")" = "no: the time budget was used up" ]
	# Every layout that was begun counts, and far fewer runs than the 2100 planned.
	[ "$(runs)" -ge 5 ]
	[ "$(runs)" -lt 200 ]
	before=$(runs)
	run -0 --separate-stderr within 120 interfero bench --counters clock -q -n 20 -r 100 --budget 10s -o it.exp -- ./subject sleep 100
	[ "$(runs)" -gt "$before" ]
}

@test "the report of an experiment that is not complete says so" {
	# Ten seconds: on a busy machine the first runs take one or two.
	run -0 --separate-stderr within 120 interfero bench --counters clock -n 20 -r 100 --budget 10s -o it.exp -- ./subject sleep 100
	[[ $(tr -s ' \n' '  ' <<<"$output") == *"time budget was used up"* ]]
}

@test "a budget that is too short for one run leaves nothing" {
	refuse 2 budget 'one run takes' 'is enough' -- interfero bench --counters clock -n 2 -r 2 --budget 50ms -o it.exp -- ./subject sleep 100
	[ ! -e it.exp ]
	[ ! -e it.exp.variants ]
}

@test "a second bench on the same file at the same time is refused" {
	start
	await 60 has_runs 1
	refuse 4 it.exp "another interfero" -- interfero bench --counters clock -q -n 5 -r 5 -o it.exp -- ./subject sleep 100
	kill -0 $bench
	kill -9 $bench
	wait $bench || true
	bench=
	finish
	is_whole
}

@test "another command, seed, kit or list of axes on the same file is refused, and the file stays as it was" {
	within 60 interfero bench --counters clock -q -n 2 -r 1 -o it.exp -- ./subject
	cp it.exp saved
	interfero-gcc -O1 "$programs/subject.c" -o other
	refuse 2 it.exp command ./subject -- interfero bench --counters clock -n 2 -r 1 -o it.exp -- ./subject more
	refuse 2 it.exp seed -- interfero bench --counters clock -n 2 -r 1 --seed 5 -o it.exp -- ./subject
	refuse 2 it.exp axes -- interfero bench --counters clock -n 2 -r 1 --axes base -o it.exp -- ./subject
	refuse 2 it.exp parameters -- interfero bench --counters clock -n 2 -r 1 --set padding:max=8 -o it.exp -- ./subject
	refuse 2 it.exp -- interfero bench --counters clock -n 2 -r 1 -o it.exp -- ./other
	[ "$(sql it.exp 'SELECT * FROM fact')" = "$(sql saved 'SELECT * FROM fact')" ]
	cmp it.exp saved
	[ ! -e it.exp.variants ]
}

@test "variants that are interrupted are whole, and nothing else is left" {
	TMPDIR=$PWD interfero variants -q -n 2000 -o v ./subject 2>said &
	bench=$!
	for _ in $(seq 300); do
		[ -e v/v00003.plan ] && break
		sleep 0.1
	done
	kill -INT $bench
	status=0
	wait $bench || status=$?
	bench=
	[ "$status" -eq 130 ]
	grep -q interrupted said
	[ -z "$(ls v | grep -vE '^v[0-9]{5}(\.plan)?$')" ]
	[ -z "$(ls -d interfero-* 2>/dev/null)" ]
	for variant in $(ls v | grep -v plan | head -n 3); do
		readelf -n "v/$variant" | grep -q 'Build ID'
	done
}

# stages FOLDER: how many experiments and recordings of a search are there.
stages() {
	find "$1" -maxdepth 1 \( -name '*.exp' -o -name '*.trace' \) 2>/dev/null | wc -l
}

@test "a search killed at any moment goes on with what it measured, and finds the same" {
	cat >cost.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#define FUNCTION(n) __attribute__((noipa)) static void f##n(void) { __asm__ volatile(".rept " #n "\n nopl (%rax)\n .endr"); }
		FUNCTION(12)
		FUNCTION(14)
		FUNCTION(16)
		static int at(void (*f)(void)) { return (int)((uintptr_t)f % 64); }
		int main(void) {
			for (int i = 0; i < 2000; i++) f12();
			for (int i = 0; i < 2000; i++) f14();
			for (int i = 0; i < 2000; i++) f16();
			printf("cost: %d\n", 100 + at(f12) + at(f14) + at(f16));
		}
	END
	interfero-gcc -O2 cost.c -o cost
	search=(interfero optimize -n 8 -r 2 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 20 --each 4 --contexts 4
		--ignore-output --json)
	within 60 "${search[@]}" -o whole -- ./cost >whole.json || [ $? = 1 ]
	[ "$(stages whole)" -ge 4 ]
	touch seen
	# While it records, and in the midst of each stage.
	for enough in $(at_depth "0 1 3" "0 1 2 3 3 4 4"); do
		has_stages() { [ "$(stages killed)" -ge "$enough" ]; }
		"${search[@]}" -o killed -- ./cost >out 2>errors 3>&- &
		bench=$!
		await 60 has_stages
		kill -9 $bench
		wait $bench || true
		bench=
		# What was recorded before a kill is still what is there.
		if [ -s killed/random.exp ]; then
			sql killed/random.exp 'SELECT id, started_ns FROM run ORDER BY id' >now 2>/dev/null || : >now
			cmp seen <(head -n "$(wc -l <seen)" now)
			mv now seen
		fi
	done
	within 60 "${search[@]}" -o killed -- ./cost >killed.json || [ $? = 1 ]
	cmp seen <(sql killed/random.exp 'SELECT id, started_ns FROM run ORDER BY id' | head -n "$(wc -l <seen)")
	# All but the duration of runs follows from what they print.
	cmp <(jq 'del(.. | .run_ns?) | walk(if type == "string" then sub("^(whole|killed)/"; "") else . end)' whole.json) \
		<(jq 'del(.. | .run_ns?) | walk(if type == "string" then sub("^(whole|killed)/"; "") else . end)' killed.json)
}
