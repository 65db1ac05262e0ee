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
	# The twins of the design: one of each two layouts.
	[ "$(sql "$1" "SELECT count(*) FROM run WHERE twin")" -eq $((($2 + 1) / 2)) ]
}

bench=(interfero bench --counters clock --seed 7)

@test "a campaign over four nodes is the same campaign as here, with each run's node" {
	cp ../subject "./a \$(touch bad) 'name'"
	"${bench[@]}" -q --on slurm:pieces=3,partition=all,cores=1 -n 9 -r 4 -o e.exp -- "./a \$(touch bad) 'name'" 'x;y "$z"' >report
	[ ! -e bad ]
	whole e.exp 9 4
	[ ! -e e.exp.pieces ]
	[ "$(sql e.exp 'SELECT count(DISTINCT host) FROM run JOIN node n ON n.id = node')" -ge 3 ]
	[ "$(sql e.exp "SELECT count(*) FROM node WHERE facts LIKE '%doctor: {%'")" -ge 3 ]
	# The layouts are those of a campaign of one machine: plans and bytes.
	"${bench[@]}" -q -n 9 -r 2 -o here.exp -- "./a \$(touch bad) 'name'" 'x;y "$z"' >/dev/null
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

some_are_gathered() {
	[ "$(find slow.exp.pieces -name '*.done' 2>/dev/null | wc -l)" -ge "$1" ]
}

@test "a node dies, the controller restarts, and the submitting process is killed" {
	slow
	local submitter
	"${bench[@]}" -q --on slurm:pieces=4 -n 15 -r 5 -o slow.exp -- ./slow >/dev/null 2>&1 3>&- &
	submitter=$!
	await 60 some_are_gathered 2 || say "$(tail slow.exp.pieces/log*)"
	kill -9 $submitter
	wait $submitter || true
	kill_node n2
	kill_daemon slurmctld
	# Nobody is there: what runs, runs on, and the rest waits.
	sleep 1
	"${bench[@]}" --on slurm:pieces=4 -n 15 -r 5 -o slow.exp -- ./slow >report 2>errors 3>&- &
	submitter=$!
	sleep 2
	start_controller
	has_ended() {
		hurry
		! kill -0 $submitter 2>/dev/null
	}
	await 90 has_ended || say "$(squeue -r) $(sinfo -N)"
	wait $submitter || say "$(cat errors) $(squeue) $(sinfo -N)"
	whole slow.exp 15 5
	[ ! -e slow.exp.pieces ]
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
	grep -q -e '--constraint=big .*--array=0-7 ' plan
	grep -q -e '--constraint=small .*--array=8-15 ' plan
	[ -z "$(squeue -h)" ]
	[ "$(find . -name '*.exp*' | wc -l)" -eq 0 ]
}
