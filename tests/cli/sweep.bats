#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps: each value of a parameter is a layout.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O2 "$programs/where.c" -o where
	build_subject
}

setup() {
	use_own_folder
	cp ../where ../subject .
}

teardown_file() {
	drop_own_kits
}

# The third word of a line of where is the address of argv.
address_in() { # NAME
	printf '%d\n' "$(grep "variants/$1\$" log | head -n 1 | cut -d' ' -f3)"
}

@test "each value is a layout: the stack begins that much lower, beside the shipped layout" {
	interfero bench -q --counters clock --sweep stack:bytes=0:512:64 -r 1 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT count(*), min(layout), max(layout) FROM variant")" = "10|0|9" ]
	local i first
	first=$(address_in v00001)
	for i in 2 5 9; do
		[ $((first - $(address_in v0000$i))) -eq $((64 * (i - 1))) ]
	done
	[ "$(address_in v00000)" -eq "$first" ]
	interfero report e.exp >text
	grep -q 'What does stack:bytes do' text
	not grep -q 'random layout' text
	# The plan of the report gives the value.
	grep -qE '^ +stack seed=[0-9]+ max=4096 main=0 bytes=[0-9]+$' text
	[ "$(interfero report --json e.exp | python3 -c 'import json, sys
print([l["values"]["stack:bytes"] for l in json.load(sys.stdin)["analysis"]["sweep"]["layouts"]])')" = \
		"[0, 64, 128, 192, 256, 320, 384, 448, 512]" ]
	# Another sweep, or none, is another experiment.
	refuse 2 "another experiment" -- interfero bench -q --counters clock --sweep stack:bytes=0:512:32 -r 1 -o e.exp -- ./where "$here/log"
	refuse 2 "another experiment" -- interfero bench -q --counters clock -a stack -n 9 -r 1 -o e.exp -- ./where "$here/log"
}

# The second look of three runs chose some values, whose files the planned runs of the second call no longer need.
@test "a sweep goes on with more runs after its second look, and looks again" {
	interfero bench -q --counters clock --sweep stack:bytes=0:1008:16 -r 3 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT max(repetition) > 2 FROM run")" = 1 ]
	interfero bench -q --counters clock --sweep stack:bytes=0:1008:16 -r 4 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT value FROM fact WHERE name = 'complete'")" = yes ]
	[ "$(sql e.exp "SELECT count(DISTINCT variant) FROM run WHERE repetition = 3")" = 65 ]
}

@test "a budget that is too short for another run keeps what is measured, and leaves no variants" {
	sweep() { interfero bench -q --counters clock --sweep stack:bytes=0:64:16 -o e.exp "$@" -- ./where "$here/log"; }
	sweep -r 1
	interfero bench --counters clock --sweep stack:bytes=0:64:16 -o e.exp -r 2 --budget 1ms -- ./where "$here/log" >text 2>said
	grep -q 'no time for another run; give a longer --budget' said || say "$(cat said)"
	[ ! -e e.exp.variants ]
	[ "$(sql e.exp "SELECT count(*) FROM run WHERE repetition = 1")" -eq 0 ]
	# A layout of the process alone is the program's file under another name, until a repetition copies it.
	sweep -r 2 --budget 1ms --keep
	[ e.exp.variants/v00001 -ef e.exp.variants/v00000 ]
	sweep -r 2 --fresh --keep
	not [ e.exp.variants/v00001 -ef e.exp.variants/v00000 ]
}

@test "the same command makes the variants that still have runs, and no others" {
	sweep() { interfero bench -q --counters clock --sweep stack:bytes=0:64:16 -r 2 -o e.exp "$@" -- ./where "$here/log"; }
	sweep
	sql e.exp "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE variant = 4)"
	sql e.exp "DELETE FROM run WHERE variant = 4"
	sweep --budget 1h --keep
	[ "$(cd e.exp.variants && echo v0000?)" = "v00000 v00004" ]
	[ "$(sql e.exp "SELECT count(DISTINCT repetition) FROM run WHERE variant = 4")" -eq 2 ]
}

@test "a sweep of the text's start, a grid, and a parameter" {
	local i
	interfero variants -q --sweep base:bytes=0:64:32 -o base ./subject
	for i in 2 3; do
		[ $((0x$(nm base/v0000$i | sed -n 's/ [tT] main$//p') - 0x$(nm base/v00001 | sed -n 's/ [tT] main$//p'))) -eq $((32 * (i - 1))) ]
	done
	interfero variants -q --sweep base:bytes=0:32:32 --sweep padding:bytes=0:32:16 -o grid ./subject
	[ "$(ls grid/*.plan | wc -l)" -eq 6 ]
	grep -q 'base .* bytes=32' grid/v00006.plan
	grep -q 'padding .* bytes=32' grid/v00006.plan
	interfero variants -q --sweep padding:max=0:32:16 -o max ./subject
	grep -q 'padding seed=[0-9]* max=16' max/v00002.plan
}

@test "what a sweep refuses" {
	refuse 2 "leave out -n" -- interfero bench --sweep stack:bytes=0:64:16 -n 4 -- ./where
	refuse 2 "--interim" -- interfero bench --sweep stack:bytes=0:64:16 --interim 3 -- ./where
	refuse 2 "FROM:TO:STEP" -- interfero bench --sweep stack:bytes -- ./where
	refuse 2 "interfero run" "--sweep stack:bytes=0:64:16" -- interfero variants --sweep stack:bytes=0:64:16 -o out ./where
	refuse 2 "there is no layout 6" -- interfero run --sweep stack:bytes=0:64:16 -n 6 -- ./where
}

@test "run takes one value of a sweep" {
	interfero run --sweep stack:bytes=0:64:16 -n 1 -- ./where "$here/log" >/dev/null
	interfero run --sweep stack:bytes=0:64:16 -n 5 -- ./where "$here/log" >/dev/null
	local at
	mapfile -t at < <(cut -d' ' -f3 log)
	[ $((at[0] - at[1])) -eq 64 ]
}

@test "a sweep without a kit is packed, and measured again elsewhere" {
	gcc -O1 "$programs/where.c" -o plain # another build-id than the kit's
	interfero bench -q --counters clock --sweep stack:bytes=0:64:32 -r 1 -o e.exp -- ./plain "$here/log"
	interfero pack e.exp -o e.bundle
	rm plain log
	interfero bench -q --again e.bundle -o n.exp
	[ "$(sql n.exp "SELECT value FROM fact WHERE name = 'sweep'")" = stack:bytes=0:64:32 ]
	[ "$(sql n.exp "SELECT count(*) FROM variant WHERE plan LIKE '%bytes=64%'")" -eq 1 ]
}
