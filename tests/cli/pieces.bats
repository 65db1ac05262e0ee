#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Pieces of a campaign without a Slurm: a stand-in runs an array's script here, piece after piece, each as a node. What a
# node is sent, what it runs, and what it says of itself. slurm.bats has a Slurm.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O1 "$programs/subject.c" -o subject
	mkdir bin
	# Keeps the words of each submission, and calls the script as slurmd does; BETWEEN runs behind each piece.
	cat >bin/sbatch <<'STOP'
#!/usr/bin/env bash
printf '%s\0' "$@" >>"$INTERFERO_CACHE.words"
words=("$@")
for ((at = 0; at < $#; at++)); do
	case ${words[at]} in
	--array=*) list=${words[at]#*=} ;;
	--chdir=*) folder=${words[at]#*=} ;;
	--*) ;;
	*) break ;;
	esac
done
cd "$folder" || exit
for range in ${list//,/ }; do
	for i in $(seq "${range%-*}" "${range#*-}"); do
		SLURMD_NODENAME=n1 SLURM_ARRAY_TASK_ID=$i sh "${words[@]:at}"
		[ -z "${BETWEEN:-}" ] || bash -c "$BETWEEN"
	done
done
STOP
	printf '#!/bin/sh\n' | tee bin/squeue >bin/scancel
	chmod +x bin/*
}

setup() {
	use_own_folder
	PATH=$place/bin:$PATH
	export INTERFERO_CACHE="$here/cache"
}

teardown_file() {
	drop_own_kits
}

bench=(interfero bench -q --counters clock --seed 7)

@test "a node gets the bundle, is checked and is calibrated once for all its pieces" {
	# From the second piece on there is neither a bundle to fetch, nor anything that could be a second calibration.
	export BETWEEN='mv ./*.bundle "$INTERFERO_CACHE.sent"; ls --full-time "$INTERFERO_CACHE"/calibration-* "$INTERFERO_CACHE"/doctor-* >>"$INTERFERO_CACHE.kept"'
	"${bench[@]}" --on slurm:pieces=3 -n 4 -r 1 -o e.exp -- ../subject >/dev/null
	[ "$(wc -l <cache.kept)" -eq 9 ] # a calibration, its lock, and the doctor's report
	[ "$(sort -u cache.kept | wc -l)" -eq 3 ]
	cmp cache.sent cache/*.bundle
	# It came home, and its runs are none of the campaign's: five variants once, and two or three twins.
	[ "$(sql e.exp "SELECT group_concat(host) FROM node WHERE facts LIKE '%calibration: {%called_other_runs%' AND facts LIKE '%doctor: {%'")" = n1 ]
	[ "$(sql e.exp 'SELECT count(*), count(DISTINCT variant) FROM run WHERE NOT twin')" = "5|5" ]
	is_full_depth || return 0
	# Another program is another calibration.
	cp ../subject other && echo >>other
	unset BETWEEN
	"${bench[@]}" --on slurm:pieces=1 -n 1 -r 1 -a stack -o f.exp -- ./other >/dev/null
	[ "$(find cache -name 'calibration-*' ! -name '*.lock' | wc -l)" -eq 2 ]
}

@test "names and words reach a node as data, never as text of a shell" {
	local name=$'a \'b\' "c" $(touch bad) `touch bad`;\\ *--wrap=x # \xc3\xa9 \xff' words first=0
	mkdir "$name"$'\n'
	cd "$name"$'\n'
	cp ../../subject "$name"
	"${bench[@]}" --on slurm:pieces=1 -n 1 -r 1 -o "$name.exp" --keep -- "./$name" "$name" $'$(touch bad)\n;touch bad' >/dev/null
	[ -z "$(find "$here" -name bad)" ]
	[ "$(sql "$name.exp" 'SELECT count(*) FROM run WHERE NOT twin AND refused IS NULL')" -eq 2 ]
	# The script is one for all campaigns. Of the words of sbatch, the last four are the names.
	(cd .. && "${bench[@]}" --on slurm:pieces=1 -n 1 -r 1 -o e.exp --keep -- ../subject >/dev/null)
	cmp "$name.exp.pieces/piece.sh" ../e.exp.pieces/piece.sh
	not grep -q -i subject ../e.exp.pieces/piece.sh
	mapfile -d '' -t words <../cache.words
	printf '%s\0' "$PWD/$name.exp.pieces/piece.sh" "$(realpath "$(command -v interfero)")" "$PWD/$name.exp.pieces" 0 >wanted
	while [[ ${words[first]} == --* ]]; do first=$((first + 1)); done
	printf '%s\0' "${words[@]:first:4}" | cmp - wanted
	# What no node would unpack is not sent.
	cp "$name" $'two\nlines'
	refuse 2 "no bundle takes" rename -- "${bench[@]}" --on slurm:pieces=1 -n 1 -r 1 -o e.exp -- $'./two\nlines'
}

@test "a node runs nothing that the experiment did not hash" {
	"${bench[@]}" --on slurm:pieces=1 -n 2 -r 2 -o e.exp --keep -- ../subject >/dev/null
	local pieces=e.exp.pieces object
	# What another put into the node's copy is replaced by the folder's.
	printf x >>"$(echo cache/*.bundle)"
	rm $pieces/1.done
	interfero piece $pieces 1
	[ -e $pieces/1.result ]
	# An object of the kit in the node's store is no longer what its name says.
	object=$(find cache/kits/objects -type f -size +1k | head -n 1)
	chmod u+w "$object" && printf x | dd of="$object" bs=1 seek=1000 conv=notrunc status=none
	rm $pieces/1.result
	refuse 4 damaged -- interfero piece $pieces 1
	grep -q damaged $pieces/1.failed
	rm -rf cache/kits
	interfero piece $pieces 1
	# The bundle itself was exchanged, with its name, or with its digest in the description.
	rm $pieces/1.result
	for bundle in $pieces/*.bundle cache/*.bundle; do printf x >>"$bundle"; done
	refuse 4 digest -- interfero piece $pieces 1
	[ ! -e $pieces/1.result ]
}

@test "a program that runs for too long is measured without a calibration" {
	need_full_depth # seconds for one line of a piece
	"${bench[@]}" -n 1 -r 1 -o e.exp -- ../subject >/dev/null
	# The reference says an hour: no calibration is tried.
	cp e.exp long.exp
	sql long.exp "UPDATE fact SET value='3600000000000' WHERE name='reference time_ns'"
	interfero pack -q -o long.bundle long.exp
	digest=$(sha256sum <long.bundle | cut -c 1-64)
	mkdir long.pieces
	mv long.bundle "long.pieces/$digest.bundle"
	printf 'interfero-pieces 1\n%s\n1\n' "$digest" >long.pieces/campaign
	interfero piece long.pieces 0
	[ "$(sql long.pieces/0.result "SELECT count(*) FROM run WHERE NOT twin AND refused IS NULL")" -eq 2 ]
	sql long.pieces/0.result "SELECT value FROM fact WHERE name='calibration'" | jq -e '.unknown_because == "its runs take too long"'
}

@test "--dry-run of a replay tells core hours, from a part of it" {
	interfero record -q -o s.trace -- ../subject >/dev/null
	interfero replay -n 999 --on slurm --dry-run s.trace >plan
	grep -q "^16 pieces: 1000 layouts" plan
	hours=$(sed -n 's/^About \([0-9.e-]*\) core hours.*/\1/p' plan)
	awk -v hours="$hours" 'BEGIN { exit !(hours > 0 && hours < 1) }' # a program of a millisecond
	[ ! -e cache ] && [ -z "$(find . -name '*.pieces')" ]
}
