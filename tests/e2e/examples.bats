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

# The tables take a minute; tests/cli/alias.bats has the same known answers of smaller runs.
@test "the case studies give the thesis' shapes" {
	need_full_depth
	within 300 make -s -C "$examples/studies" "O=$place/studies" CC=gcc >"$place/tables" 2>"$place/log"
	grep -q '16 wide every 4096' "$place/tables"
	grep -q 'loads of inc .* in main' "$place/tables"
	[ "$(awk '$1 == 0 && NF > 1 {print ($2 > 100000)}' "$place/tables")" = 1 ]
	[ "$(awk '$1 == 48 && NF > 1 {print ($2 < 6000)}' "$place/tables")" = 1 ]
}
