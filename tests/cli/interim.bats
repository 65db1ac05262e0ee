#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero bench that looks at layouts while they grow: the page faults of placed depend on the layout, the simulated
# instructions of subject on nothing (its page faults may differ by one with where the kernel finds the file's pages).

load ../helpers

setup_file() {
	use_own_kits
	interfero-gcc -O1 -falign-functions=16 "$programs/placed.c" -o placed
	build_sql
	build_subject
}

setup() {
	use_own_folder
	ln -s ../placed ../subject .
}

teardown_file() {
	drop_own_kits
}

layouts_of() {
	sql "$1" 'SELECT count(*) FROM variant WHERE id > 0'
}

@test "ended where the difference is clear, and the experiment says so" {
	run -0 --separate-stderr within 120 interfero bench -n 24 --interim 3 -r 2 --counters clock --axes functions,padding -m page-faults -o p.exp -- ./placed
	[[ $stderr == *'Interim analysis 1 of 3, 8 layouts: the difference between layouts is significant'* ]]
	[ "$(layouts_of p.exp)" = 8 ]
	interfero report p.exp -m page-faults | tr -s ' \n' ' ' | grep -q 'Interim analysis 1 of 3'
}

@test "ended where it will hardly become clear" {
	run -0 --separate-stderr within 120 interfero bench -q -n 16 --interim 2 -r 2 --counters clock,model --axes functions -m model:instructions -o s.exp -- ./subject
	[[ $stderr == *'will hardly become significant with all 16'* ]]
	[ "$(layouts_of s.exp)" = 8 ]
}

@test "ended where the interval is as narrow as asked, or said to be wider" {
	run -0 --separate-stderr within 120 interfero bench -q -n 40 --until 0.1% --interim 10 -r 2 --counters clock,model --axes functions -m model:instructions -o n.exp -- ./subject
	[[ $stderr == *'Ended with 20 of 40 layouts'*'as narrow as asked'*'rarer than one in 6'* ]]
	# An interval of fewer than 20 layouts does not hold.
	[ "$(layouts_of n.exp)" = 20 ]
	run -0 --separate-stderr within 120 interfero bench -q -n 8 --until 0.1% --interim 2 -r 2 --counters clock --axes functions,padding -m page-faults -o w.exp -- ./placed
	[[ $stderr == *'wider than asked'* ]]
	[ "$(layouts_of w.exp)" = 8 ]
}

@test "bad command lines" {
	refuse 2 'such as 1%' -- interfero bench --until nothing -- ./placed
	refuse 2 'interim' -- interfero bench --interim 0 -- ./placed
}
