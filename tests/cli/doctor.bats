#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later

load ../helpers

setup_file() {
	use_own_kits
}

teardown_file() {
	drop_own_kits
}

@test "the doctor's table fits 80 columns and names what interfero stands on" {
	within 60 interfero doctor >table
	not grep -qE '.{81}' table
	for check in ASLR 'ld.bfd' plugin gnuplot kits 'hardware events'; do
		grep -q "$check" table
	done
}

@test "without ld.bfd interfero cannot work, and the doctor says so" {
	mkdir -p empty
	run -4 env PATH="$PWD/empty" "$INTERFERO_BUILD/bin/interfero" doctor
	[[ $output == *ld.bfd* ]]
}

@test "the recorder is named; a qemu without plugins is told apart, with the remedy" {
	run interfero doctor
	[[ $(tr -s ' \n' ' ' <<<"$output") =~ "a tool of Valgrind, built in: "([0-9.e+]+)" million instructions a second" ]] || say "$output"
	# Some speed between a crawl and the processor's own.
	awk -v rate="${BASH_REMATCH[1]}" 'BEGIN { exit !(rate > 0.1 && rate < 100000) }'
	mkdir -p static
	cp "$(type -P true)" static/qemu-x86_64
	refuse 4 "$PWD/static/qemu-x86_64" "Debian 12" -- \
		env PATH="$PWD/static:$PATH" interfero record -q --recorder qemu -o x.trace -- "$(type -P true)"
	[ ! -e x.trace ]
	refuse 2 'auto, valgrind or qemu' -- env INTERFERO_RECORDER=x interfero record -q -o x.trace -- "$(type -P true)"
	refuse 2 'auto, valgrind or qemu' -- interfero record -q --recorder x -o x.trace -- "$(type -P true)"
}

@test "kits that cannot be written are found" {
	run -4 env INTERFERO_KITS=/proc/kits interfero doctor
	[[ $output == *kits* ]]
}

@test "JSON with a schema version" {
	need jq
	interfero doctor --json | jq -e '.schema_version == 1 and (.checks | length) > 8'
}
