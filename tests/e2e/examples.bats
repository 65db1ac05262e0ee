#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of examples/, built as a user would.

load ../helpers

setup_file() {
	use_own_kits
	export examples="$BATS_TEST_DIRNAME/../../examples"
	make -s -C "$examples" CC=interfero-gcc "O=$place/built" >"$place/log" 2>&1 || {
		cat "$place/log" >&2
		return 1
	}
}

teardown_file() {
	drop_own_kits
}

@test "every example gives the results of hand arithmetic" {
	within 120 make -s -C "$examples" check CC=interfero-gcc "O=$place/built"
}

@test "eight layouts of every example do what the example does" {
	for name in link-order stack-alias aligned-buffers dispatch; do
		program="$place/built/$name/$name"
		interfero variants -q -n 8 --axes all -o "$place/v-$name" "$program"
		"$program" 4 >"$place/shipped"
		for variant in "$place/v-$name"/v0000?; do
			"$variant" 4 >"$place/got"
			cmp "$place/shipped" "$place/got"
		done
	done
}

@test "dispatch is measured, and its report names the layout that ships" {
	cd "$place"
	within 120 interfero bench --counters clock -n 4 -r 3 -o d.exp -- built/dispatch/dispatch 20 >report 2>errors
	[ ! -s errors ]
	grep -q 'Where does the shipped layout stand' report
	grep -q 'v00004' report
}

# run_study NAME: its tables in $place/NAME.table, from the model alone, whose figures are the same every time.
run_study() {
	INTERFERO_STUDY=model within 300 make -s -C "$examples/studies" "O=$place/studies" CC=gcc QUICK=1 "$1" \
		>"$place/$1.table" 2>"$place/$1.log" || {
		cat "$place/$1.table" "$place/$1.log" >&2
		return 1
	}
	[ "$(awk 'length > 80' "$place/$1.table")" = "" ]
}

# The thesis, table 4.8: 7636374873 and 3665668196 cycles of 305419854 iterations are 25.00 and 12.00.
@test "a loop of 379 bytes takes 25.00 or 12.00 cycles, as the link order makes 13 or 12 windows of it" {
	run_study loop-stream
	[ "$(awk '$1 == "main.o" && $5 == 13 {print $6, $7}' "$place/loop-stream.table")" = "25.00 0.00" ]
	[ "$(awk '$1 == "main.o" && $5 == 12 {print $6, $7}' "$place/loop-stream.table")" = "12.00 27.00" ]
	grep -q 'ivybridge in the model: seen, a factor of 2.08 (the thesis: 2.08)' "$place/loop-stream.table"
}

# These take a minute; tests/cli/alias.bats has the same known answers of smaller runs.
@test "the other case studies give the thesis' shapes" {
	need_full_depth
	run_study micro-kernel
	grep -q '16 wide every 4096' "$place/micro-kernel.table"
	grep -q 'loads of inc .* in main' "$place/micro-kernel.table"
	run_study heap-pair
	# Without padding all loads that can alias do so; at 16 floats none of the scalar code does. The thesis: 2.16 times.
	[ "$(awk '$1 == 0 {print ($2 > 2); exit}' "$place/heap-pair.table")" = 1 ]
	[ "$(awk '/scalar code:/ {any = 1} any && $1 == 16 {print $2, $3; exit}' "$place/heap-pair.table")" = "0.000 0.000" ]
	awk '/the thesis: 2.16/ { exit !($9 > 2 && $9 < 2.4) }' "$place/heap-pair.table"
	[ "$(grep -c 'ivybridge in the model: seen' "$place/heap-pair.table")" = 3 ]
	run_study allocators
	[ "$(awk '$1 == "glibc" && $3 ~ /^0x/ {print $2 $5}' "$place/allocators.table" | paste -sd ' ')" = \
		"3840no 4660no 65535yes 16702650yes" ]
	[ "$(awk '$1 == "mmap-all" && $3 ~ /^0x/ {print $5}' "$place/allocators.table" | sort -u)" = yes ]
	[ "$(awk '$1 == "glibc" && $5 == "-" {print $3}' "$place/allocators.table")" = 0.000 ]
	[ "$(awk '$1 == "mmap-all" && $5 == "-" {print ($2 > 1)}' "$place/allocators.table")" = 1 ]
}

# Debian's sources and libraries are fetched: without a network there is nothing to study.
@test "FFTW's codelet of 16 is slower at some stack positions, and at none where the user aligns the stack" {
	need_full_depth
	run_study fftw || {
		grep -q 'cannot be fetched' "$place/fftw.log" && skip "$(tail -n 1 "$place/fftw.log")"
		false
	}
	awk '$1 == "default" && NF > 6 {exit !($5 > 1.05 * $3 && $7 > 20)}' "$place/fftw.table"
	awk '$1 == "user" && NF > 6 {exit !($2 == $5 && $7 == 0)}' "$place/fftw.table"
}

@test "dgemv of ATLAS or OpenBLAS waits for aliases where all three arrays begin alike" {
	need_full_depth
	run_study gemv || {
		grep -q 'cannot be fetched' "$place/gemv.log" && skip "$(tail -n 1 "$place/gemv.log")"
		false
	}
	[ "$(grep -c 'a against c, ivybridge: seen' "$place/gemv.table")" -ge 1 ]
}
