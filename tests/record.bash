# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the tests of recordings share.

# record ARGS...: quietly; what the program prints is in out, warnings in notes.
record() {
	within 60 interfero record -q "$@" >out 2>notes
}

# counters MACHINE TRACE PLAN...: a line of JSON a layout.
counters() {
	local machine=$1 trace=$2
	shift 2
	interfero replay --json --machine "$machine" "$@" "$trace" | jq -c '.layouts[].counters'
}

# exact MACHINE AXES COUNT PROGRAM [ARGS...]: the recorded program, replayed under random plans, has every counter that the
# recorded variants have. PARAMETERS has options for variants.
exact() {
	local machine=$1 axes=$2 count=$3 plans=() plan
	shift 3
	rm -rf v
	# shellcheck disable=SC2086 # a list of words
	make_plans "$axes" v "$1" -n "$count" ${PARAMETERS:-}
	for plan in v/*.plan; do plans+=(--plan "$plan"); done
	record -o base.trace -- "$@"
	counters "$machine" base.trace "${plans[@]}" >replayed
	for plan in v/*.plan; do
		record -o variant.trace --plan "$plan" -- "$@"
		counters "$machine" variant.trace
	done >recorded
	[ "$(grep -c instructions replayed)" -eq "$count" ]
	cmp replayed recorded || say "$(diff <(tr , '\n' <replayed) <(tr , '\n' <recorded) | head -n 20)"
	[ "$(sort -u replayed | wc -l)" -gt 1 ] || say "no layout differs from another"
}
