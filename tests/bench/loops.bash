# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Loops in assembly, by the clock beside a machine's description, in the working directory.

loops_program=$(realpath "${BASH_SOURCE[0]%/*}/loops.c")

# build_loops COMPILER NAMES...: builds ./loops of the functions loop_NAME of loops.s.
build_loops() {
	local compiler=$1
	shift
	{
		printf 'void loop_%s(long rounds);\n' "$@"
		echo "#define LOOPS $(printf 'loop_%s, ' "$@")"
	} >loops.h
	echo '.section .note.GNU-stack, "", @progbits' >>loops.s
	"$compiler" -O2 -I. -o loops "$loops_program" loops.s
}

# compare_loops MACHINE NAMES...: builds these, and prints a table.
compare_loops() {
	local machine=$1
	shift
	build_loops interfero-gcc "$@"
	./loops >clock
	model_loops "$machine" $# >model
	printf '%s\n' "$@" | paste -d ' ' - clock model | awk '
		function abs(x) { return x < 0 ? -x : x }
		{
			near += abs($3 - $2) < 0.5
			printf "  %-10s %6.2f %6.2f%s", $1, $2, $3, NR % 2 ? "    " : "\n"
		}
		END {
			if (NR % 2) print ""
			printf "  %d of %d within half a cycle\n", near, NR
		}'
}

# model_loops MACHINE COUNT: cycles of a round of each loop.
model_loops() {
	local number
	for ((number = 0; number < $2; number++)); do
		model_round "$1" $number 1280
	done
}

# model_round MACHINE NUMBER ROUNDS: cycles of a round, by so many rounds and thrice as many.
model_round() {
	local less more
	less=$(model_loop "$1" "$2" "$3")
	more=$(model_loop "$1" "$2" $((3 * $3)))
	awk -v more="$more" -v less="$less" -v rounds="$3" 'BEGIN { printf "%.4f\n", (more - less) / 2 / rounds }'
}

# model_loop MACHINE NUMBER ROUNDS: cycles of so many rounds.
model_loop() {
	if ! {
		interfero record -q --once -o trace -- ./loops "$2" "$3" >output 2>errors &&
			interfero replay --core=full --json --machine "$1" trace >replayed 2>errors
	}; then
		cat errors >&2
		exit 1
	fi
	jq '.layouts[0].counters.cycles' replayed
}
