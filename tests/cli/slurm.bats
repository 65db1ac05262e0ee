#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Campaigns on a Slurm of the test's own, with four nodes on the loopback: whatever dies, no run is lost and none counts
# twice.

load ../helpers
load ../slurm

setup_file() {
	is_full_depth || return 0
	use_own_kits
	build_sql
	interfero-gcc -O1 "$programs/subject.c" -o subject
	cp subject other
	interfero record -q -o subject.trace -- ./subject >/dev/null
}

setup() {
	need_full_depth # a cluster starts and nodes time out; merge.bats tests what pieces become, at both depths
	need_slurm
	use_own_folder
	# $HOME of the runs, and the caches of the nodes.
	export INTERFERO_CACHE=
	start_slurm "$here/slurm" 4
}

teardown() {
	stop_slurm
	rm -rf /tmp/interfero-0-n[1-4]
}

teardown_file() {
	drop_own_kits
}

# whole FILE LAYOUTS RUNS: each layout and the shipped one have exactly that many runs, in as many repetitions, but for
# the twins; none is refused, all have their samples.
whole() {
	[ "$(sql "$1" "SELECT count(*), min(n), max(n), min(m) FROM (SELECT count(*) AS n, count(DISTINCT repetition) AS m
		FROM run WHERE NOT twin AND refused IS NULL GROUP BY variant)")" = "$(($2 + 1))|$3|$3|$3" ] ||
		say "runs: $(sql "$1" "SELECT variant, group_concat(repetition) FROM run GROUP BY variant")"
	[ "$(sql "$1" "SELECT count(*) FROM run r WHERE NOT EXISTS (SELECT 1 FROM sample WHERE run = r.id)")" -eq 0 ]
	[ "$(sql "$1" "SELECT count(*) FROM sample s WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = s.run)")" -eq 0 ]
	[ "$(sql "$1" "SELECT value FROM fact WHERE name='complete'")" = yes ]
	# The twins of the design, once each: one of each two layouts, in all programs.
	[ "$(sql "$1" "SELECT max(n) FROM (SELECT count(*) AS n FROM run JOIN variant v ON v.id = variant WHERE twin
		GROUP BY layout / 2, program)")" -eq 1 ]
}

bench=(interfero bench --counters clock --seed 7)

@test "a campaign over four nodes is the same campaign as here, with each run's node" {
	cp ../subject "./a \$(touch bad) 'name'"
	"${bench[@]}" -q --on slurm:pieces=3,partition=all,cores=1 -n 9 -r 4 -o e.exp -- "./a \$(touch bad) 'name'" $'x;y "$z"\n$(touch bad)' >report
	[ ! -e bad ]
	whole e.exp 9 4
	[ ! -e e.exp.pieces ]
	[ "$(sql e.exp 'SELECT count(DISTINCT host) FROM run JOIN node n ON n.id = node')" -ge 3 ]
	[ "$(sql e.exp "SELECT count(*) FROM node WHERE facts LIKE '%doctor: {%' AND facts LIKE '%calibration: {%within_sd%'")" -eq \
		"$(sql e.exp 'SELECT count(*) FROM node')" ]
	for node in $(sql e.exp 'SELECT host FROM node'); do
		[ "$(find "/tmp/interfero-0-$node" -name 'calibration-*' ! -name '*.lock' | wc -l)" -eq 1 ]
	done
	interfero report e.exp | tr -s ' \n' ' ' | grep -q "by its calibration, which calls the program different from itself"
	# The layouts are those of a campaign of one machine: plans and bytes.
	"${bench[@]}" -q -n 9 -r 2 -o here.exp -- "./a \$(touch bad) 'name'" $'x;y "$z"\n$(touch bad)' >/dev/null
	diff <(sql e.exp 'SELECT layout, plan, sha256 FROM variant ORDER BY layout') <(sql here.exp 'SELECT layout, plan, sha256 FROM variant ORDER BY layout')
	interfero merge -q -o all.exp e.exp here.exp
	# In each repetition the layouts are cut anew.
	[ "$(sql e.exp 'SELECT count(DISTINCT g) FROM (SELECT group_concat(variant) AS g FROM (SELECT * FROM run WHERE NOT twin ORDER BY variant) GROUP BY repetition, node)')" -ge 5 ]
}

# slow PROGRAM: each run takes some tenths of a second.
slow() {
	printf '#include <stdio.h>\n#include <unistd.h>\nint main(void) { usleep(150000); return puts("slept") < 0; }\n' >slow.c
	interfero-gcc -O1 slow.c -o slow
}

# some_are_gathered FOLDER COUNT
some_are_gathered() {
	# shellcheck disable=SC2086 # the folder may be a pattern
	[ "$(find $1 -name '*.done' 2>/dev/null | wc -l)" -ge "$2" ]
}

# disturb FOLDER COUNT COMMAND...: the command's submitter dies by -9 once COUNT pieces are gathered, and with it a node
# and the controller; the same command, begun before the controller comes back, ends well. Its output is in report.
disturb() {
	local folder=$1 count=$2 submitter
	shift 2
	"$@" >/dev/null 2>&1 3>&- &
	submitter=$!
	await 60 some_are_gathered "$folder" "$count" || say "$(tail "$folder"/log*)"
	kill -9 $submitter
	wait $submitter || true
	kill_node n2
	kill_daemon slurmctld
	# Nobody is there: what runs, runs on, and the rest waits.
	sleep 1
	"$@" >report 2>errors 3>&- &
	submitter=$!
	sleep 2
	start_controller
	has_ended() {
		hurry
		! kill -0 $submitter 2>/dev/null
	}
	await 300 has_ended || say "$(squeue -r) $(sinfo -N) $(sinfo -R)"
	wait $submitter || say "$(cat errors) $(squeue) $(sinfo -N) $(sinfo -R)"
}

@test "a node dies, the controller restarts, and the submitting process is killed" {
	slow
	disturb slow.exp.pieces 2 "${bench[@]}" --on slurm:pieces=4 -n 15 -r 5 -o slow.exp -- ./slow
	whole slow.exp 15 5
	[ ! -e slow.exp.pieces ]
}

@test "a comparison loses no run and counts none twice when all dies, and its pairs ran on one node" {
	slow
	cp slow slower
	disturb c.exp.pieces 2 interfero compare --counters clock --seed 7 --on slurm:pieces=4 -n 10 -r 3 -o c.exp ./slow ./slower
	whole c.exp 21 3
	[ ! -e c.exp.pieces ]
	grep -q "no change\|inconclusive" report || say "$(cat report)"
	[ "$(sql c.exp 'SELECT count(DISTINCT host) FROM run JOIN node n ON n.id = node')" -ge 2 ]
	[ "$(sql c.exp 'SELECT count(*) FROM (SELECT 1 FROM run r JOIN variant v ON v.id = r.variant WHERE NOT twin
		GROUP BY layout, repetition HAVING count(DISTINCT node) > 1)')" -eq 0 ]
}

@test "two kinds of nodes make all runs each, and nothing of both is pooled" {
	interfero compare -q --counters clock --seed 7 --on slurm:pieces=2,constraint=big,constraint=small -n 6 -r 2 -o k.exp \
		../subject ../other >/dev/null || [ $? -eq 1 ]
	local kind
	for kind in "'n1', 'n2'" "'n3', 'n4'"; do
		[ "$(sql k.exp "SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM run r JOIN node d ON d.id = r.node
			WHERE host IN ($kind) AND NOT twin AND refused IS NULL GROUP BY variant)")" = "14|2|2" ]
	done
	# The nodes are of one host: the features stand for processors, of which new is a tenth slower on one alone.
	sql k.exp "UPDATE node SET processor = CASE WHEN host IN ('n1', 'n2') THEN 'big' ELSE 'small' END"
	sql k.exp "UPDATE sample SET value = (SELECT 1e6 * (1 + 0.01 * layout) * (1 + 0.0001 * repetition + 0.0003 * (layout * layout % 7) * program)
		* CASE WHEN processor = 'small' THEN 3 - 0.001 * (layout % 3) ELSE 1 END * CASE WHEN processor = 'small' AND program = 1 THEN 1.1 ELSE 1 END
		FROM run r JOIN variant v ON v.id = r.variant JOIN node d ON d.id = r.node WHERE r.id = sample.run)"
	interfero compare --fail-above 5% --json k.exp >json || [ $? -eq 1 ]
	[ "$(jq -c '.comparisons | map([.name, .regression])' json)" = '[["big",false],["small",true]]' ] || say "$(cat json)"
	jq -e '.comparisons[0].processors | .layouts == 6 and .p < 0.001' json
	interfero compare k.exp | tr -s ' \n' ' ' | grep -q "not the same on all 2 processors"
}

@test "a replay of 1,000 layouts over four nodes has the bytes of one made here, whatever dies" {
	local replay=(interfero replay -n 999 --seed 3 --json --machine haswell,l1d.ways=4 ../subject.trace)
	"${replay[@]}" >here
	disturb ../subject.trace.*.pieces 3 "${replay[@]}" --on slurm:pieces=40
	cmp here report
	[ -z "$(find .. -maxdepth 1 -name '*.pieces')" ]
	replay=(interfero replay -n 6 --core=sampled --json ../subject.trace)
	"${replay[@]}" >here
	"${replay[@]}" --on slurm:pieces=3 >report
	cmp here report
}

@test "a study of the model prints the same wherever its replays ran" {
	need jq
	local make=(env QUICK=1 INTERFERO_STUDY=model timeout 300 make -s -C "$BATS_TEST_DIRNAME/../../examples/studies" heap-and-caches)
	mkdir one two
	"${make[@]}" O="$PWD/one" >one.txt
	INTERFERO_STUDY_ON=slurm:pieces=4 "${make[@]}" O="$PWD/two" >two.txt
	diff <(sed "s,$PWD/one,," one.txt) <(sed "s,$PWD/two,," two.txt)
	grep -q "r^2" one.txt
	# Nodes had something to do.
	[ "$(find /tmp/interfero-0-n[1-4] -name '*.bundle' | wc -l)" -ge 2 ]
}

@test "audits, searches and predictions hand their work over, too" {
	interfero audit -q --counters clock --triggers environment,functions --cures 0 -r 3 --on slurm:pieces=4 -o a -- ../subject
	local file
	for file in a/*.exp; do
		[ "$(sql $file "SELECT value FROM fact WHERE name='complete'")" = yes ]
		[ "$(sql $file 'SELECT count(*) FROM run WHERE node = 0')" -eq 0 ]
	done
	run interfero optimize -q --counters clock -n 8 -r 2 --candidates 20 --rounds 1 --each 3 --contexts 3 --for worst \
		--on slurm:pieces=3 -o o -- ../subject
	[ "$status" -le 1 ] || say "$output"
	for file in o/*.exp; do
		[ "$(sql $file "SELECT value FROM fact WHERE name='complete'")" = yes ]
		[ "$(sql $file 'SELECT count(*) FROM run WHERE node = 0')" -eq 0 ]
	done
	interfero bench -q --counters clock,model -n 12 -r 2 -o p.exp -- ../subject >/dev/null
	interfero predict p.exp >here
	interfero predict --on slurm:pieces=5 p.exp >report
	cmp here report
}

@test "a piece that ran twice counts once, a forged bundle runs nowhere, and Slurm's refusal is reported" {
	"${bench[@]}" -q --on slurm:pieces=1 --keep -n 3 -r 2 -o e.exp -- ../subject >/dev/null
	whole e.exp 3 2
	mv e.exp.pieces/1.done old.exp
	SLURMD_NODENAME=n9 interfero piece e.exp.pieces 1
	rm -rf /tmp/interfero-0-n9
	"${bench[@]}" -q --on slurm:pieces=1 --keep -n 3 -r 2 -o e.exp -- ../subject >/dev/null
	whole e.exp 3 2
	rm e.exp.pieces/1.done
	for bundle in e.exp.pieces/*.bundle; do printf x >>"$bundle"; done
	INTERFERO_CACHE="$here/cache" refuse 4 digest -- interfero piece e.exp.pieces 1
	grep -q digest e.exp.pieces/1.failed
	refuse 4 "did not take" partition -- "${bench[@]}" -q --on slurm:partition=none -n 3 -r 2 -o f.exp -- ../subject
	refuse 2 "--on slurm" colour -- "${bench[@]}" --on slurm:colour=red -o f.exp -- ../subject
}

@test "--dry-run submits nothing, and says what would be" {
	"${bench[@]}" --on slurm:pieces=2,constraint=big,constraint=small --dry-run -n 6 -r 4 -- ../subject >plan
	grep -q "^16 pieces: 6 layouts and the shipped one, 4 runs" plan
	[ "$(grep -c '^sbatch ' plan)" -eq 2 ]
	grep -q -e '--constraint=big .*--array=0-1,4-5,8-9,12-13 ' plan
	grep -q -e '--constraint=small .*--array=2-3,6-7,10-11,14-15 ' plan
	interfero compare --counters clock --on slurm:pieces=2 --dry-run -n 6 -r 4 ../subject ../other >plan
	grep -q "^8 pieces: 6 layouts and the shipped one, 4 runs" plan
	interfero replay --on slurm --dry-run -n 999 ../subject.trace >plan
	grep -q "^16 pieces: 1000 layouts" plan
	grep -q "^About [0-9.e-]* core hours, " plan
	[ -z "$(squeue -h)" ]
	[ "$(find . -name '*.exp*' | wc -l)" -eq 0 ]
}
