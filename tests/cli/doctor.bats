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

@test "a qemu without plugins is told apart by the doctor and the recorder, with the remedy" {
	mkdir -p static
	cp "$(type -P true)" static/qemu-x86_64
	run env PATH="$PWD/static:$PATH" interfero doctor
	[[ $output == *"needs a qemu-x86_64 with plugins"* ]]
	refuse 4 "$PWD/static/qemu-x86_64" "Debian 12" -- \
		env PATH="$PWD/static:$PATH" interfero record -q -o x.trace -- "$(type -P true)"
	[ ! -e x.trace ]
}

@test "kits that cannot be written are found" {
	run -4 env INTERFERO_KITS=/proc/kits interfero doctor
	[[ $output == *kits* ]]
}

@test "JSON with a schema version" {
	need jq
	interfero doctor --json | jq -e '.schema_version == 1 and (.checks | length) > 8'
}
