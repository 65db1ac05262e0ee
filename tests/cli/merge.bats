#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero merge: every sample once, each under its machine; parts that do not belong together are refused.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O1 "$programs/subject.c" -o subject
	for part in a b; do
		interfero bench -q --counters clock -n 3 -r 2 --seed 7 -o $part.exp -- ./subject >/dev/null
	done
	sql b.exp "UPDATE fact SET value='elsewhere' WHERE name='host'"
	interfero bench -q --counters clock -n 3 -r 2 --seed 8 -o seed.exp -- ./subject >/dev/null
}

setup() {
	use_own_folder
	cp ../[ab].exp ../seed.exp .
}

teardown_file() {
	drop_own_kits
}

# All samples with their identities: the time at which their run began, their layout and counter; one a line, in order.
samples() {
	sql "$1" "SELECT r.started_ns, v.layout, c.name, s.value FROM sample s JOIN run r ON r.id = s.run
		JOIN variant v ON v.id = r.variant JOIN counter c ON c.id = s.counter ORDER BY 1, 2, 3"
}

# merged FILE PART...: the file holds the samples of the parts, each once.
merged() {
	local file=$1
	shift
	diff <(for part; do samples "$part"; done | sort) <(samples "$file" | sort) >&2
}

@test "every sample of two machines is there once, however often and in whatever order parts come" {
	interfero merge -q -o all.exp a.exp b.exp
	merged all.exp a.exp b.exp
	[ "$(sql all.exp "SELECT group_concat(host, ' ') FROM (SELECT host FROM run JOIN node n ON n.id = node
		GROUP BY host HAVING count(*) = (SELECT count(*) FROM run) / 2)" | wc -w)" -eq 2 ]
	interfero merge -q -o all.exp b.exp a.exp b.exp
	merged all.exp a.exp b.exp
	# What was merged merges, too, and still knows its runs.
	interfero merge -q -o again.exp b.exp all.exp a.exp
	merged again.exp a.exp b.exp
	# No copy of a file is in two parts, and no repetition.
	[ "$(sql again.exp 'SELECT count(*) FROM (SELECT copy FROM run GROUP BY copy HAVING count(DISTINCT node) > 1)')" -eq 0 ]
	[ "$(sql again.exp 'SELECT count(DISTINCT repetition), count(DISTINCT copy) FROM run')" = "4|4" ]
	interfero report again.exp >report
	grep -q layout report
}

@test "an experiment that went on adds what it has more" {
	interfero merge -q -o all.exp a.exp b.exp
	cp a.exp longer.exp
	(cd .. && interfero bench -q --counters clock -n 3 -r 4 --seed 7 -o 2/longer.exp -- ./subject >/dev/null)
	interfero merge -q -o all.exp longer.exp
	merged all.exp longer.exp b.exp
	# Two continuations have other values in one place: the first stays, and the user is told.
	sql longer.exp "UPDATE run SET started_ns = started_ns + 1 WHERE repetition = 3"
	run -0 --separate-stderr interfero merge -o all.exp longer.exp
	[[ $stderr == *"4 of these began at another time"* ]] || say "$stderr"
}

# odd STATEMENT WORD...: a part that a statement made odd is refused, and nothing is written.
odd() {
	cp b.exp odd.exp
	sql odd.exp "$1"
	shift
	refuse 2 odd.exp "$@" -- interfero merge -o new.exp a.exp odd.exp
	[ ! -e new.exp ] && [ ! -e new.exp.partial ]
	interfero merge -q -o old.exp a.exp
	refuse 2 odd.exp "$@" -- interfero merge -o old.exp b.exp odd.exp
	merged old.exp a.exp
	rm old.exp
}

@test "parts that do not belong together are refused with the reason" {
	refuse 2 seed.exp '"8"' '"7"' -- interfero merge -o new.exp a.exp seed.exp
	odd "UPDATE variant SET sha256='f00' WHERE layout=0" program "built again"
	odd "UPDATE variant SET sha256='f00' WHERE layout=2" "file of layout 2"
	odd "UPDATE variant SET plan=replace(plan, 'seed=', 'seed=9') WHERE layout=3" "layout 3"
	odd "UPDATE counter SET unit='ms' WHERE name='cpu_time'" cpu_time "ms of clock" "ns of clock"
	odd "UPDATE fact SET value=value || ' more' WHERE name='command'" arguments more
	odd "UPDATE fact SET value='one for all repetitions' WHERE name='copies'" copies
	refuse 2 a.exp "another -o" -- interfero merge -o a.exp b.exp
	refuse 2 "no experiment" -- interfero merge -o new.exp a.exp missing.exp
	interfero merge -q -o all.exp a.exp b.exp
	refuse 2 "cannot be continued" -- interfero bench -n 3 -o all.exp -- ../subject
}

@test "a part of schema 3 merges, and stays as it is" {
	sql b.exp 'ALTER TABLE run DROP COLUMN node'
	sql b.exp 'DROP TABLE node'
	sql b.exp 'DROP TABLE origin'
	sql b.exp "DELETE FROM fact WHERE name='identity'"
	sql b.exp 'PRAGMA user_version=3'
	interfero merge -q -o all.exp b.exp a.exp b.exp
	merged all.exp a.exp b.exp
	[ "$(sql b.exp 'PRAGMA user_version')" = 3 ]
	chmod 444 a.exp
	interfero merge -q -o other.exp a.exp b.exp
	merged other.exp a.exp b.exp
}

@test "a faster kind of machine makes no layout faster" {
	sql a.exp "UPDATE sample SET value = (SELECT 1000000.0 + 100000 * variant + 1000 * repetition FROM run WHERE id = sample.run)"
	cp a.exp fast.exp
	sql fast.exp "UPDATE fact SET value='another' WHERE name IN ('identity', 'host', 'processor')"
	sql fast.exp "UPDATE sample SET value = value / 2"
	# Some layouts have fewer runs there: medians of all runs would follow the numbers.
	sql fast.exp "DELETE FROM sample WHERE run IN (SELECT id FROM run WHERE variant IN (1, 2) AND repetition = 1)"
	sql fast.exp "DELETE FROM run WHERE variant IN (1, 2) AND repetition = 1"
	interfero merge -q -o all.exp a.exp fast.exp
	interfero report all.exp >report
	grep -q "What do the machines have in common" report
	tr -s ' \n' ' ' <report >words
	# Half of the other's: 1 / sqrt 2 and sqrt 2 about the mean of both. All layouts are half of themselves.
	grep -q "another: 1 node, level 0.707 " words || say "$(cat words)"
	grep -q "A kind's own: 0[.0]* % more" words || say "$(cat words)"
	interfero report a.exp >before
	not grep -q "machines have in common" before
}

# calibrated PART HOST SD: the part ran on that host, whose calibration has that noise.
calibrated() {
	sql "$1" "UPDATE fact SET value='$2' WHERE name IN ('host', 'identity')"
	sql "$1" "INSERT INTO fact VALUES('calibration', '{
 \"within_sd\": $3,
 \"called_other_runs\": 0.05
}')"
}

@test "each node keeps its own calibration, whichever part brought it, and a noisy one is named" {
	for host in one two three; do
		cp a.exp $host.exp
		# Another part of the same node, which came before its calibration.
		cp b.exp early.$host
		sql early.$host "UPDATE fact SET value='$host' WHERE name='host'"
		sql early.$host "UPDATE fact SET value='early $host' WHERE name='identity'"
	done
	calibrated one.exp one 0.0125
	calibrated two.exp two 0.0125
	calibrated three.exp three 0.05
	for order in "one.exp two.exp three.exp early.one early.two early.three" "early.three three.exp early.one two.exp early.two one.exp"; do
		rm -f all.exp
		# shellcheck disable=SC2086 # a list of words
		interfero merge -q -o all.exp $order
		[ "$(sql all.exp "SELECT group_concat(n) FROM (SELECT host || ' ' || ((length(facts) - length(replace(facts, 'calibration: ', ''))) / 13) AS n
			FROM node ORDER BY host)")" = "one 1,three 1,two 1" ]
		interfero report --json all.exp >json
		[ "$(jq -c '.analysis.machines | [.noisy_nodes, (.nodes | sort_by(.host)[] | .host, (1e6 * .calibrated_run_sd | round))]' json)" = '[1,"one",12500,"three",50000,"two",12500]' ] ||
			say "$(jq .analysis.machines json)"
		interfero report all.exp | tr -s ' \n' ' ' >words
		grep -q "1 of 3 nodes has more than three times the usual noise of 1.2* %, first three" words || say "$(cat words)"
	done
	# Merged files keep them, and no fact of one node is the whole's.
	interfero merge -q -o again.exp early.two all.exp
	[ "$(sql again.exp "SELECT count(*) FROM node WHERE facts LIKE '%calibration: {%'")" -eq 3 ]
	[ "$(sql all.exp "SELECT count(*) FROM fact WHERE name='calibration'")" -eq 0 ]
}

@test "a node's noise is that of its runs of one layout" {
	# Layout k takes k + 1 ms; the runs of a layout differ by +1 % and -1 % here, by +3 % and -3 % elsewhere.
	for part in a b; do
		sql $part.exp "DELETE FROM run WHERE twin"
		sql $part.exp "DELETE FROM sample WHERE run NOT IN (SELECT id FROM run)"
		sql $part.exp "UPDATE sample SET value = (SELECT 1e6 * (variant + 1) * (1 + (CASE '$part' WHEN 'a' THEN 0.01 ELSE 0.03 END)
			* (2 * repetition - 1)) FROM run WHERE id = sample.run)"
	done
	interfero merge -q -o all.exp a.exp b.exp
	interfero report --json all.exp >json
	# By hand: log((1 + d) / (1 - d)) / sqrt 2 in each of four layouts.
	jq -e '.analysis.machines.nodes | map(.df_runs) == [4, 4] and (map(.run_sd) | (.[0] - 0.0424391 | fabs) < 1e-6 and (.[1] - 0.0141426 | fabs) < 1e-6)' json ||
		say "$(jq .analysis.machines json)"
}

# on_kinds CHANGE OTHER: two parts of a comparison, of two kinds of processors, on which new takes CHANGE and OTHER of old's
# time; layout k adds 0.001 k^2 mod 7 to the ratio, and 0.002 (k mod 3) on the other kind.
on_kinds() {
	local part change
	for part in one two; do
		cp ../pair.exp $part.exp
		change=$1 && shift
		sql $part.exp "UPDATE sample SET value = (SELECT 1e6 * (1 + 0.01 * layout) * (1 + 0.0001 * repetition) *
			CASE program WHEN 0 THEN 1 ELSE $change + 0.001 * (layout * layout % 7)
			+ CASE '$part' WHEN 'two' THEN 0.002 * (layout % 3) ELSE 0 END END
			FROM run r JOIN variant v ON v.id = r.variant WHERE r.id = sample.run)"
	done
	sql two.exp "UPDATE fact SET value='another' WHERE name IN ('identity', 'host', 'processor')"
	sql two.exp "UPDATE sample SET value = value / 3"
	rm -f both.exp
	interfero merge -q -o both.exp one.exp two.exp
}

@test "a comparison on two kinds of processors has a verdict for each, and says whether they agree" {
	(cd .. && [ -e pair.exp ] || { cp subject other && interfero compare -q --counters clock -n 8 -r 3 --seed 7 -o pair.exp ./subject ./other >/dev/null; })
	on_kinds 1.1 0.9
	interfero compare --fail-above 5% --json both.exp >json || [ $? -eq 1 ]
	interfero compare both.exp >report || [ $? -eq 1 ]
	tr -s ' \n' ' ' <report >words
	grep -q "not the same on all 2 processors" words || say "$(cat words)"
	[ "$(jq -r '.comparisons | map(.verdict) | join(" ")' json)" = "change change" ]
	[ "$(jq -r '.comparisons | map(.regression) | join(" ")' json)" = "true false" ]
	[ "$(jq -r '.comparisons[1].name' json)" = another ]
	on_kinds 1.05 1.05
	interfero compare both.exp >report || [ $? -eq 1 ]
	# By arithmetic: F of ratio ~ kind + (1|layout) over the eight logarithms of the pairs' ratios on each kind.
	interfero compare --json both.exp >json || [ $? -eq 1 ]
	jq -e '.comparisons[0].processors | (.f - '"$(by_hand)"' | fabs) < 1e-6 and .layouts == 8' json || say "$(by_hand) $(cat json)"
	# Nodes of one kind: the level of each is no change, and no noise.
	sql both.exp "UPDATE node SET processor = (SELECT value FROM fact WHERE name = 'processor')"
	interfero compare --json both.exp >json || [ $? -eq 1 ]
	[ "$(jq '.comparisons | length' json)" -eq 1 ]
	jq -e '.comparisons[0].result.interval | (.low > 1.045) and (.high < 1.06)' json || say "$(cat json)"
	# Nothing goes on with a merged file, so no report says so; each row names its machine.
	interfero bench -q --counters clock -n 3 -r 2 --seed 9 -o x.exp -- ../subject >/dev/null
	cp x.exp y.exp && sql y.exp "UPDATE fact SET value='elsewhere' WHERE name IN ('host', 'identity')"
	interfero merge -q -o z.exp x.exp y.exp
	interfero report z.exp >report && not grep -q -e '-o z.exp' report
	[ "$(interfero report --csv z.exp | grep -c ,elsewhere,)" -gt 5 ]
}

# by_hand: F of the kinds in "a comparison on two kinds".
by_hand() {
	awk 'BEGIN {
		n = 8
		for (i = 1; i <= n; i++) {
			r = 1.05 + 0.001 * (i * i % 7)
			d[i] = log(r + 0.002 * (i % 3)) - log(r)
			sum += d[i]
		}
		for (i = 1; i <= n; i++) squares += (d[i] - sum / n) ^ 2
		t = sum / n / sqrt(squares / (n - 1) / n) # paired: F = t^2
		printf "%.9f", t * t
	}'
}

@test "ten million samples take little memory" {
	need_full_depth # minutes of disk; the same statements run above
	for part in $(seq 10); do
		cp a.exp big.$part
		sql big.$part "DELETE FROM sample; DELETE FROM run; UPDATE fact SET value='big' WHERE name='identity'"
		sql big.$part "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 1249) INSERT INTO variant
			(id,name,plan,build_id,sha256,facts,program,layout) SELECT i, 'v' || i, i, '', '', '', 0, i FROM n"
		sql big.$part "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO run
			(variant,repetition,pass,started_ns,exit_status,copy) SELECT v.id, i + 100 * $part, 0, i, 0, i FROM n, variant v"
		sql big.$part "INSERT INTO sample SELECT r.id, c.id, r.repetition * 1000.0 + c.id FROM run r, counter c"
	done
	# As much again as SQLite's cache of 128 MiB, and the program.
	(ulimit -v 400000 && interfero merge -q -o all.exp big.*)
	[ "$(sql all.exp 'SELECT count(*), count(DISTINCT repetition) FROM run')" = "1250000|1000" ]
	[ "$(sql all.exp 'SELECT count(*) FROM sample')" -eq $((1250000 * $(sql a.exp 'SELECT count(*) FROM counter'))) ]
	[ "$(sql all.exp 'SELECT count(*) FROM sample s JOIN run r ON r.id = s.run
		JOIN origin o ON o.number = r.repetition WHERE s.value <> o.repetition * 1000.0 + s.counter')" -eq 0 ]
}
