#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated programs (tests/corpus/generate.c), each under a plan of its own with all of the compiler's
# axes: the checksum is the plain build's.

load ../helpers
load ../plugin

setup_file() {
	use_plugin
}

setup() {
	use_plugin_folder
	[ -x "$INTERFERO_BUILD/tests/generate" ] || skip "build/tests/generate is not built"
}

# attempt SEED: a line for each program that does not do what it did.
attempt() {
	local n=$1 level
	level=$((n % 5))
	[ $level -ne 4 ] || level=s
	"$INTERFERO_BUILD/tests/generate" "$n" >"$n.c"
	printf '%s\n' "interfero-plan 1" "unit-order seed=$n" "nops seed=$n rate=$((n * 7 % 101)) max=$((n % 9 + 1)) heat=$((n % 3))" \
		"align seed=$n functions=$((16 << n % 5)) loops=$((n % 65)) except=f$((n % 6))" "frames seed=$n max=$((n * 16 % 5000))" \
		"globals seed=$n align=$((n % 200))" >"$n.plan"
	local sections=-fno-function-sections
	[ $((n % 2)) -eq 0 ] || sections=-ffunction-sections
	$CC -w -O$level $sections "$n.c" -o "$n.plain" &&
		$CC -w -O$level $sections "-fplugin=$INTERFERO_PLUGIN" "-fplugin-arg-interfero-plan=$n.plan" "$n.c" -o "$n.ours" || echo "$n: not compiled"
	cmp -s <(timeout 100 "./$n.plain") <(timeout 100 "./$n.ours") || echo "$n: another checksum, or none"
	[ -n "$(timeout 100 "./$n.plain")" ] || echo "$n: no checksum"
	# The plan took effect.
	cmp -s "$n.plain" "$n.ours" && echo "$n: nothing changed"
	rm -f "$n".*
}
export -f attempt

@test "generated programs compute what they computed" {
	cd "$o"
	up_to 12 400 | xargs -P 2 -I% bash -c 'attempt %' >failures 2>&1
	[ ! -s failures ] || say "$(head -n 20 failures)"
}
