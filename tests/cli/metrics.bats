#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --metrics: the program's own figures as counters. The figures of programs/benchmarks.c are made up.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O1 "$programs/benchmarks.c" -o old
	interfero-gcc -O1 -DCOST=350 -DMORE "$programs/benchmarks.c" -o new
	interfero-gcc -O1 -DTAKES "$programs/benchmarks.c" -o takes
	within 60 interfero compare -q -c clock -n 4 -r 2 --metrics google-benchmark -o both.exp ./old ./new -- google && echo 0 >both.status ||
		echo $? >both.status
	within 60 interfero bench -c clock -n 4 -r 2 --metrics google-benchmark -o bench.exp -- ./takes google >bench.text
}

setup() {
	use_own_folder
	ln -s ../old old
	ln -s ../new new
	ln -s ../takes takes
}

teardown_file() {
	drop_own_kits
}

# flat: standard input in one line.
flat() {
	tr -s ' \n' '  '
}

@test "a benchmark is a row with its verdict; 100 against 350 ns is 3.5 times" {
	need jq
	[ "$(cat "$place/both.status")" = 1 ]
	interfero compare "$place/both.exp" >text || [ $? = 1 ]
	grep -q '^Verdict: of 3 benchmarks 1 is slower (sum: 3.50 times), 0 faster' text
	grep -qE '^  sum +change +3\.[45][0-9]+ ' text
	grep -q '^  ! more: not compared: only .*new has it' text
	grep -q 'for all 2 benchmarks together' text
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' text
	# 95 % for two benchmarks are 97.5 % for each.
	interfero compare "$place/both.exp" --json >json || [ $? = 1 ]
	jq -e '.comparisons | map(.benchmark) == ["sum", "copy", "more"]' json
	jq -e '.comparisons[0] | .verdict == "change" and .regression and .result.family == 2 and
		(.result.interval.confidence - 0.975 | fabs) < 1e-9 and (.result.ratio - 3.5 | fabs) < 0.01' json
	jq -e '.comparisons[1] | .regression | not' json
	interfero compare "$place/both.exp" --markdown >markdown || [ $? = 1 ]
	grep -q '^| sum | change, a regression |' markdown
	# One alone allows for no others.
	interfero compare "$place/both.exp" -m copy --json | jq -e '.comparisons[0].result.family == 1'
	# Also where the two reference runs happen to print the same.
	within 60 interfero bench -q -c clock -n 2 -r 1 --metrics go -o later.exp -- ./old go fixed later
	[ "$(sql later.exp 'SELECT count(refused), count(*) > 2 FROM run')" = "0|1" ]
	# Outputs that differ by their figures refuse no run.
	[ "$(sql "$place/both.exp" 'SELECT count(refused) FROM run')" = 0 ]
	[ "$(sql "$place/both.exp" "SELECT count(*) FROM counter WHERE source = 'program' AND unit = 'ns'")" = 3 ]
}

@test "bench: a table of benchmarks, iterations fixed for all runs by one argument" {
	grep -q "The program's benchmarks" "$place/bench.text"
	grep -qE '^    copy +(layout matters|no effect found|no layout effect) +50\.' "$place/bench.text"
	not grep -q 'chooses its iterations' "$place/bench.text"
	argument=$(sql "$place/bench.exp" "SELECT value FROM fact WHERE name = 'iterations argument'")
	[[ $argument == --benchmark_min_time=1[0-9][0-9][0-9]x ]]
	interfero report "$place/bench.exp" -m copy | grep -q 'Measured: time (copy, from program)'
	# The same command continues, with the same benchmarks and argument.
	cp "$place/bench.exp" .
	cd "$place"
	within 60 interfero bench -q -c clock -n 5 -r 2 --metrics google-benchmark -o "$here/bench.exp" -- ./takes google
	within 60 interfero bench -q --again "$here/bench.exp" -o "$here/again.exp"
	[ "$(sql "$here/again.exp" "SELECT count(*) FROM counter WHERE source = 'program'")" = 2 ]
	refuse 2 metrics -- interfero bench -q -c clock -n 5 -r 2 --metrics go -o "$here/bench.exp" -- ./takes google
	cd "$here"
	[ "$(sql bench.exp "SELECT count(*) FROM counter WHERE source = 'program'")" = 2 ]
	[ "$(sql bench.exp 'SELECT count(DISTINCT variant) FROM run WHERE refused IS NULL')" = 6 ]
}

@test "iterations that stay the program's choice are said, with the way to fix them" {
	interfero compare "$place/both.exp" >text || [ $? = 1 ]
	flat <text | grep -q 'does not take --benchmark_min_time=1[0-9]*x).*Iterations(N)'
	within 60 interfero bench -c clock -n 2 -r 1 --metrics nanobench -o n.exp -- ./old nanobench >text
	not grep -q 'chooses its iterations' text
	within 60 interfero bench -c clock -n 2 -r 1 --metrics google-benchmark -o f.exp -- ./old google fixed >text
	not grep -q 'chooses its iterations' text
}

@test "an adaptive program is recognised without --metrics, with the command to paste; a fixed one is not accused" {
	within 60 interfero bench -c clock -n 2 -r 1 -o a.exp -- ./old google >text 2>errors
	flat <text | grep -q 'chooses its iterations anew in every run (Google Benchmark)'
	grep -q '^    interfero bench --metrics google-benchmark -o a-figures.exp -- ./old google$' text
	# Said before the runs, too, which may take an hour.
	[ "$(grep -c '^interfero: the program chooses its iterations anew .* -- ./old google$' errors)" = 1 ]
	within 60 interfero compare -c clock -n 2 -r 1 -o c.exp ./old ./new -- google >text 2>errors || [ $? = 1 ]
	flat <text | grep -qF "interfero compare --metrics google-benchmark -o c-figures.exp"
	not grep -q -- --fresh text
	[ "$(grep -c '^interfero: the program chooses its iterations anew' errors)" = 1 ]
	# The model would find out after minutes.
	refuse 3 "Google Benchmark): this version does not take --benchmark_min_time=100x, but ->Iterations(N)" -- \
		interfero compare -q -c model -n 2 -o m.exp ./old ./new -- google
	refuse 3 "Google Benchmark): fix their number by the argument --benchmark_min_time=100x" -- \
		interfero bench -q -c model -n 2 -o m.exp -- "$place/takes" google
	# The command is taken as it stands, beside the experiment that is there.
	sed -n '/^        interfero compare/,/google$/p' text | sed 's/-- google$/-q -c clock -n 2 -r 1 &/' >pasted
	sh pasted || [ $? = 1 ]
	[ "$(sql c-figures.exp "SELECT count(*) > 0 FROM counter WHERE source = 'program'")" = 1 ]
	# The model has fixed work, as asked for.
	within 60 interfero compare -c model -n 2 -o f.exp ./old ./old -- google fixed >text || [ $? = 1 ]
	not grep -q 'figures of its own' text
	within 60 interfero bench -c clock -n 2 -r 1 -o w.exp -- ./old words >text
	flat <text | grep -q 'chooses its iterations anew in every run: .*regex:PATTERN'
	within 60 interfero bench -c clock -n 2 -r 1 -o x.exp -- ./old words fixed >text
	not grep -q 'iterations' text
	within 60 interfero bench -c clock -n 2 -r 1 -o g.exp -- ./old google fixed >text
	flat <text | grep -q 'prints figures of its own (Google Benchmark), which may tell more'
	not grep -q 'chooses its iterations' text
}

@test "the other formats" {
	for format in catch2:t/sum go:Benchmarksum-2 nanobench:sum; do
		within 60 interfero bench -q -c clock -n 2 -r 1 --metrics "${format%%:*}" -o "${format%%:*}.exp" -- ./old "${format%%:*}"
		[ "$(sql "${format%%:*}.exp" "SELECT name FROM counter WHERE source = 'program' ORDER BY id LIMIT 1")" = "${format#*:}" ]
	done
	within 60 interfero bench -q -c clock -n 2 -r 1 --metrics 'regex:^([a-z]+): ([0-9.]+) (ns)' -o r.exp -- ./old text
	[ "$(sql r.exp "SELECT count(*) FROM sample s JOIN counter c ON c.id = s.counter
		WHERE c.name = 'sum' AND c.unit = 'ns' AND s.value BETWEEN 100 AND 100.07")" = 3 ]
	within 60 interfero bench -q -c clock -n 2 -r 1 --metrics 'json:.benchmarks[].cpu_time' -o j.exp -- \
		./old google --benchmark_format=json
	[ "$(sql j.exp "SELECT group_concat(name) FROM counter WHERE source = 'program'")" = sum,copy ]
}

@test "nonsense is refused before anything is measured" {
	refuse 2 'none of google-benchmark' -- interfero bench --metrics nope -- ./old google
	refuse 2 'one to three groups' -- interfero bench --metrics regex:abc -- ./old google
	refuse 2 'no path' -- interfero bench --metrics json:.a[ -- ./old google
	refuse 2 'add clock' -- interfero bench -c model --metrics go -- ./old go
	refuse 2 '--metric' -- interfero bench --interim 3 --metrics go -- ./old go
	refuse 2 '--metric' -- interfero compare --interim 3 --metrics go ./old ./new -- go
	refuse 3 'gave no figures' 'test.bench' -- interfero bench -c clock --metrics go -- ./old google
	[ ! -e old.exp ]
}
