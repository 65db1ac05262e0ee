#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero blame, on a program that needs more where one function lies badly.

load ../helpers

setup_file() {
	use_own_kits
	interfero-gcc -g -O1 -falign-functions=16 "$programs/placed.c" -o placed
	build_sql
	within 120 interfero bench -q -n 24 -r 3 --counters clock --axes functions,padding -o placed.exp -- ./placed
}

setup() {
	use_own_folder
	ln -s ../placed placed
}

teardown_file() {
	drop_own_kits
}

@test "the function is found, with its best and its worst place and the remedy" {
	interfero blame "$place/placed.exp" -m page-faults >text
	tr -s ' \n' ' ' <text >joined
	grep -q "placed.c:.text.sensitive (placed.c:$(grep -n 'sensitive(' "$programs/placed.c" | head -n 1 | cut -d : -f 1)): its offset in a 64-byte line explains" joined
	sed 's/.*placed.c:.text.sensitive ([^)]*): its offset in a 64-byte line//' joined >found
	grep -q '^[^-]*Worst 48 to 63 bytes into it' found
	grep -q '^[^-]* against the best, 0 to 15 bytes into it. Remedy: __attribute__((aligned(64)))' found
	# The most significant finding comes first.
	[ "$(grep -c '^  - ' text)" -ge 1 ]
	grep -m 1 '^  - ' text | grep -q 'text.sensitive'
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' text
}

@test "the remedy's lines can be pasted: the plan puts the function there" {
	interfero blame "$place/placed.exp" -m page-faults >text
	# Of the first finding.
	awk '/^  - / { findings++ } findings == 1 && /^        (interfero-plan|order|at) / { sub(/^ +/, ""); print }' text >p.plan
	grep -q '^at 0x[0-9a-f]* placed.c:.text.sensitive$' p.plan
	interfero variants -q -o v --plan p.plan ./placed
	address=$(nm v/p | awk '$3 == "sensitive" { print $1 }')
	[ "$((0x$address))" -eq "$(awk '/^at/ { print $2 }' p.plan | xargs printf '%d')" ]
	[ "$((0x$address % 64))" -lt 16 ]
	[ "$(v/p)" = "$(./placed)" ]
	grep -A1 'in the source, at placed.c:' text | grep -q '^ *__attribute__((aligned(64)))$'
}

@test "the units that run are tested apart, as in the report" {
	cp "$place/placed.exp" .
	sql placed.exp "UPDATE unit SET samples = name LIKE '%sensitive' OR name LIKE '%fourth'"
	interfero blame placed.exp -m page-faults | tr -s ' \n' ' ' >joined
	grep -q 'The 2 that the profile has samples of are tested apart' joined
	interfero report placed.exp -m page-faults | tr -s ' \n' ' ' | grep -q 'False discovery rate 5 % over 2 units'
}

@test "--confirm moves it alone and measures afresh" {
	within 120 interfero blame "$place/placed.exp" --confirm -m page-faults -r 2 --counters clock -o c.exp -- ./placed >text
	tr -s ' \n' ' ' <text | grep -q 'Confirmed: moved alone in [0-9]* layouts'
	[ "$(sql c.exp "SELECT value FROM fact WHERE name='programs'")" = 2 ]
}

@test "two that meet in a cache set are moved apart and together, alone" {
	interfero-gcc -g -O1 "$programs/met.c" -o met
	within 120 interfero bench -q -n 60 -r 2 --counters clock --axes functions,padding -x padding:max=1024 -o met.exp -- ./met
	within 120 interfero blame met.exp --confirm -m page-faults -r 2 --counters clock -o c.exp -- ./met >text
	tr -s ' \n' ' ' <text >joined
	grep -q 'met.c:.text.fifth ([^)]*): set conflicts with met.c:.text.second explain' joined
	grep -q 'met.c:.text.fifth Confirmed: moved alone in [0-9]* layouts and measured afresh, sharing cache sets with met.c:.text.second costs +' joined
}

@test "bad command lines" {
	refuse 2 'which experiment' -- interfero blame
	refuse 2 'runs the program' -- interfero blame "$place/placed.exp" --confirm
	refuse 2 'no experiment' -- interfero blame nowhere.exp
	printf 'variant,run,x\na,0,1\nb,0,2\n' >t.csv
	interfero import --csv t.csv -o t.exp
	refuse 2 'names no kit' -- interfero blame t.exp
	within 60 interfero bench -q -n 3 -r 1 --counters clock -o small.exp -- ./placed
	refuse 2 '8 random layouts' -- interfero blame small.exp
}
