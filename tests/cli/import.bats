#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero import and interfero calibrate.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
}

setup() {
	use_own_folder
	ln -s ../subject subject
}

teardown_file() {
	drop_own_kits
}

# table FACTOR: six variants, three runs each, FACTOR times as slow.
table() {
	echo 'variant,run,cpu_time [ns]'
	for run in 0 1 2; do
		for variant in 1 2 3 4 5 6; do
			echo "v$variant,$run,$((($1 * (100000 + variant * 37 % 11 * 100 + run * 7 % 5 * 10)) / 100))"
		done
	done
}

@test "a table becomes an experiment, which is reported and compared" {
	table 100 >old.csv
	table 110 >new.csv
	interfero import --csv old.csv -o old.exp
	interfero import --csv new.csv -o new.exp
	[ "$(sql old.exp 'SELECT count(*) FROM run')" = 18 ]
	interfero report old.exp | grep -q 'imported'
	run interfero compare old.exp new.exp
	[ "$status" = 1 ]
	grep -q '^Verdict: change' <<<"$output"
	tr -s ' \n' ' ' <<<"$output" | grep -q '10 % slower'
	run interfero compare old.exp new.exp --fail-above 20%
	[ "$status" = 0 ]
}

@test "hyperfine, Google Benchmark, perf" {
	echo '{"results":[{"command":"a","times":[0.1,0.125]},{"command":"b","times":[0.375,0.4]}]}' >h.json
	interfero import --hyperfine h.json -o h.exp
	[ "$(sql h.exp 'SELECT sum(value) FROM sample')" = 1000000000.0 ]
	# Plain alternatives, in the report's words as well.
	interfero report h.exp >text
	grep -q '^Alternatives in h.json' text
	grep -q 'The alternatives differ: "1: a" is the fastest, "2: b"' text
	grep -qE '^  rank  alternative ' text
	not grep -qiE 'random layout|shipped|best layout|measure more layouts' text
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' text
	interfero report h.exp --html h.html
	grep -q '<title>Alternatives in h.json' h.html
	not grep -qi 'random layout\|shipped\|all layouts\|layout is the median' <(sed '1,/<body>/d' h.html)
	grep -q 'The value of an alternative is the median of its runs' h.html
	echo '{"benchmarks":[{"name":"a","real_time":1,"cpu_time":2,"time_unit":"ms"}]}' >g.json
	interfero import --google-benchmark g.json -o g.exp
	[ "$(sql g.exp 'SELECT sum(value) FROM sample')" = 3000000.0 ]
	printf '5,,cycles:u,9,100.00\n6,,cycles:u,9,100.00\n' >p1
	printf '7,,cycles:u,9,100.00\n8,,cycles:u,9,60.00\n' >p2
	interfero import --perf p1 p2 -o p.exp
	[ "$(sql p.exp 'SELECT count(*), count(refused) FROM run')" = "4|1" ]
}

@test "what cannot be imported is refused and leaves nothing" {
	refuse 2 "one format at a time" "experiment of its own" -- interfero import --hyperfine h.json --csv c.csv -o both.exp
	[ ! -e both.exp ]
	echo 'variant,run,x' >empty.csv
	refuse 2 'no run' -- interfero import --csv empty.csv -o e.exp
	[ ! -e e.exp ]
	table 100 >t.csv
	interfero import --csv t.csv -o t.exp
	refuse 2 'there already' -- interfero import --csv t.csv -o t.exp
	refuse 2 'which format' -- interfero import t.csv -o x.exp
	refuse 2 'where to' -- interfero import --csv t.csv
	refuse 2 'nowhere' -- interfero import --csv nowhere -o x.exp
}

@test "calibrate: rates, effects, runs that pay" {
	need jq
	run -0 within 60 interfero calibrate -n 6 -r 4 --counters clock -o c.exp -- ./subject
	grep -q 'halves of the runs of each layout' <<<"$output"
	grep -q 'halves of the layouts' <<<"$output"
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' <<<"$output"
	within 60 interfero calibrate -n 6 -r 4 --counters clock -o c.exp --json -- ./subject >c.json
	[ -z "$(within 60 interfero calibrate -q -n 6 -r 4 --counters clock -o c.exp -- ./subject)" ]
	jq -e '.schema_version == 1 and .called_other_runs <= 0.5 and (.effects | length) == 20' c.json
	# Three levels with measured costs: the numbers fill the budget.
	within 60 interfero calibrate -n 6 -r 4 --counters clock -o c.exp --json --budget 1h -- ./subject >hour.json
	jq -e '[.levels[].level] == ["run", "copy", "layout"] and ([.levels[].cost_s] | min) > 0' hour.json
	jq -e '.levels as [$r, $c, $l] | .budget_s == 3600 and
		($l.cost_s + $c.replications * ($c.cost_s + $r.replications * $r.cost_s)) as $unit |
		(3600 / $unit | floor) == $l.replications' hour.json
	grep -q 'Levels of replication' <<<"$output"
	# More layouts find less, and so do more runs.
	jq -e '.effects | map(select(.runs == 5).effect) | . == (sort | reverse)' c.json
	refuse 2 'which program' -- interfero calibrate
	refuse 2 'two runs' -- interfero calibrate -n 4 -r 1 --counters clock -o one.exp -- ./subject
}

# perlbench's line of the paper, CPI = 0.02799 MPKI + 0.51667 (section 1.4), at the MPKI given in thousandths.
perlbench() {
	echo 'variant,run,cycles [cycles],instructions,branch-misses'
	for mpki in "$@"; do
		echo "v$mpki,0,$((2799 * mpki + 51667000)),100000000,$((mpki * 100))"
	done
}

@test "lines of several programs stand in one table" {
	perlbench 6200 6300 6500 6800 7300 >perl.csv
	perlbench 1200 1300 1500 1800 1900 >other.csv
	interfero import --csv perl.csv -o perl.exp
	interfero import --csv other.csv -o other.exp
	interfero report --table1 perl.exp other.exp >table
	[ "$(grep -c '0.02799 *0.51667 *0.51667 *0.51667 *1.000' table)" = 2 ]
	grep -q 'against branch-misses per 1000 instructions' table
	run interfero report perl.exp other.exp
	[ "$status" = 2 ]
	run interfero report --table1=nothing perl.exp
	[ "$status" = 2 ]
	[[ $output == *nothing* ]]
}

@test "layouts of several programs lie side by side, in percent of their mean" {
	for number in 99 100 101 100; do echo "v$((++i)),0,$((number * 1000))"; done | sed '1i variant,run,cycles [cycles]' >a.csv
	for number in 40 60 50 50; do echo "v$((++j)),0,$((number * 1000))"; done | sed '1i variant,run,cycles [cycles]' >b.csv
	interfero import --csv a.csv -o a.exp
	interfero import --csv b.csv -o b.exp
	interfero report --spread --figures drawn a.exp b.exp >table
	# Means 100 and 50; deviations sqrt(2/3) % and sqrt(200/3) of 50.
	grep -q '^a.csv  *4  *0.82  *-1.00  *-0.25  *+0.25  *+1.00  *-$' table
	grep -q '^b.csv  *4  *16.33  *-20.00  *-5.00  *+5.00  *+20.00  *-$' table
	[ "$(grep -c "^.violin[12] <<" drawn/spread.gp)" -eq 2 ]
	[[ -s drawn/spread.svg && -s drawn/spread.pdf ]]
	refuse 2 'one at a time' -- interfero report --spread --table1 a.exp
	refuse 2 'leave out' -- interfero report --spread --json a.exp
}

@test "experiments of two machines are not compared" {
	table 100 >t.csv
	interfero import --csv t.csv -o old.exp
	interfero import --csv t.csv -o new.exp
	sql old.exp "INSERT INTO fact VALUES('host','one')"
	sql new.exp "INSERT INTO fact VALUES('host','two')"
	refuse 2 'different machines' -- interfero compare old.exp new.exp
	sql new.exp "UPDATE fact SET value = 'one' WHERE name = 'host'"
	interfero compare old.exp new.exp --html page.html
	tail -n 1 page.html | grep -q '</html>'
	not grep -qiE '<(script|link|iframe|object|embed|img|base)\b' page.html
}
