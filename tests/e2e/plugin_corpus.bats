#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The compiler's axes are harmless, on programs as Debian ships their sources (tests/corpus.bash): bodies without nops are
# the plain compiler's. tests/e2e/plugin_axes.bats runs the programs.

load ../helpers
load ../corpus

setup_file() {
	use_own_kits
	use_corpus
}

setup() {
	use_own_folder
	need_corpus
}

teardown_file() {
	drop_own_kits
}

# bodies PROGRAM PLAN-LINE...: compares its objects under a plan with the plain ones; leaves the counts in "counts".
bodies() {
	local program=$1 object
	shift
	printf '%s\n' "interfero-plan 1" "$@" >plan
	rm -rf ours
	INTERFERO_PLAN=$PWD/plan compile "$program" ours interfero-
	for object in ours/*.o; do
		"$INTERFERO_BUILD/tests/bodies" "$place/plain/$program/${object##*/}" "$object" >>counts || echo "$program: $object" >>differing
	done
}

differing() { awk '{ functions += $1; differ += $3 } END { print functions + 0, differ + 0 }' <(grep -v '^#' counts); }

@test "bodies without nops are the plain compiler's, at rates of 10 and of 100 percent" {
	# cli/plugin.bats compares the bodies of small programs.
	need_full_depth
	[ -x "$INTERFERO_BUILD/tests/bodies" ] || skip "build/tests/bodies is not built"
	: >counts
	for program in $programs_all; do
		LEVEL=-O2
		INTERFERO_CAPTURE=0 compile "$program" "$place/plain/$program" interfero-
		for plan in few many; do
			case $plan in
			few) bodies "$program" "nops seed=1 rate=10" "unit-order seed=2" "align seed=3" ;;
			many) bodies "$program" "nops seed=4 rate=100 max=9" "unit-order seed=5" "align seed=6 functions=256 loops=64" ;;
			esac
		done
		unset LEVEL
	done
	[ ! -e differing ] || say "$(cat differing) $(grep '^#' counts | head -n 5)"
	read -r functions differ < <(differing)
	echo "# $functions bodies compared, $differ differ" >&3
	[ "$functions" -ge 3000 ]
	[ "$differ" -eq 0 ]
}

@test "frames change some bodies, which are counted" {
	[ -x "$INTERFERO_BUILD/tests/bodies" ] || skip "build/tests/bodies is not built"
	: >counts
	for program in $(at_depth bzip2 "lua bzip2 zlib jsoncpp minpack"); do
		[ -d "$place/plain/$program" ] || INTERFERO_CAPTURE=0 compile "$program" "$place/plain/$program" interfero-
		bodies "$program" "frames seed=1 max=256"
	done
	read -r functions differ < <(differing)
	echo "# frames: $differ of $functions bodies changed" >&3
	[ "$differ" -gt 0 ]
	[ "$differ" -lt $((functions / 2)) ]
}
