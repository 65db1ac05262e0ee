# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the tests of the command line share. tests/run sets INTERFERO_BUILD and PATH.

bats_require_minimum_version 1.5.0

programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/cli/programs" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/depth.bash"

# For setup_file: kits of its own for the file, and nothing from outside.
use_own_kits() {
	[ -x "$INTERFERO_BUILD/bin/interfero-gcc" ] || {
		echo "INTERFERO_BUILD does not name a build" >&2
		return 1
	}
	unset INTERFERO_PLAN INTERFERO_LAYOUT INTERFERO_LAYOUT_STRICT INTERFERO_CAPTURE INTERFERO_GCC INTERFERO_GXX INTERFERO_GFORTRAN INTERFERO_CLANG INTERFERO_CLANGXX \
		INTERFERO_LD
	unset INTERFERO_COMPILING INTERFERO_LINKING
	# Short, as reports name files.
	place=$(mktemp -d "${TMPDIR:-/tmp}/ifr-XXXXXX")
	export place INTERFERO_KITS="$place/kits"
	cd "$place" || return 1
}

# make_debian: $debian is the folder that tests/debian makes. A reason in $place/reason skips every test.
make_debian() {
	local status=0
	debian=$(within 800 "$(dirname "${BASH_SOURCE[0]}")/debian" "$INTERFERO_BUILD" 2>reason) || status=$?
	[ "$status" -eq 1 ] && return 0
	[ "$status" -eq 0 ] || say "$(cat reason)"
	: >reason
	export debian
}

# For setup_file, behind use_own_kits: make_debian, and the file's kits are those of its programs.
use_debian() {
	make_debian
	[ -n "$(cat reason)" ] || cp -a "$debian/kits" "$INTERFERO_KITS"
}

# For setup, behind use_own_folder.
need_debian() {
	[ -z "$(cat "$place/reason")" ] || skip "$(cat "$place/reason")"
}

# For setup: a folder of its own for the test.
use_own_folder() {
	here="$place/$BATS_TEST_NUMBER"
	mkdir -p "$here"
	cd "$here" || return 1
}

drop_own_kits() {
	[ -z "$place" ] || rm -rf "$place"
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# need_qemu_recorder: for tests that compare the recorders. Debian 13's qemu-user has no plugins.
need_qemu_recorder() {
	need qemu-x86_64
	qemu-x86_64 -h | grep -q QEMU_PLUGIN || skip "needs a qemu-x86_64 with plugins"
}

# make_plans AXES FOLDER PROGRAM [OPTIONS...]: variants with their plans; for axes of the process alone, only the plans.
make_plans() {
	local axes=$1 folder=$2 program=$3 other=
	shift 3
	[[ ,$axes, == *,@(functions|link-order|padding|base|data|interp|unit-order|nops|align|all),* ]] || other=base,
	interfero variants -q -a "$other$axes" "$@" -o "$folder" "$program"
	[ -z "$other" ] || sed -i '/^base /d' "$folder"/*.plan
}

not() { # bats overlooks a failing "! command"
	if "$@"; then return 1; fi
}

# within SECONDS COMMAND...: ended by force when it takes five times as long: other files run beside this one. It guards, it
# does not measure.
within() {
	local seconds=$1
	shift
	timeout -k 5 $((5 * seconds)) "$@"
}

# parts_add_up FILE: in this JSON of icost --across, shares, interactions, layouts, functions and lines each add up to the
# difference, and the lines' shares of a cause to that of the cause.
parts_add_up() {
	local sum
	for sum in '[.causes[].share, .rest]' '[.interactions[].icost, .causes[].cost, .rest]' '[.layouts[] | .cycles * .weight]' \
		'[.lines[].cycles]' '[.lines | group_by(.function)[] | [.[].cycles] | add]'; do
		jq -e ".difference - ($sum | add // 0) | fabs < 1e-3" "$1" || say "$sum of $1"
	done
	jq -e '. as $all | .causes | all(.causes[0] as $cause | .share - ([$all.lines[].shares[$cause]] | add // 0) | fabs < 1e-3)' "$1"
}

# refuse STATUS WORD... -- COMMAND...: the command ends with the status and one line on standard error that begins with
# "interfero" and holds every word; nothing on standard output.
refuse() {
	local wanted=$1 words=()
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	run -"$wanted" --separate-stderr within 60 "$@"
	[ -z "$output" ] || say "standard output: $output"
	explain "${words[@]}"
}

# explain WORD...: $stderr is one line that begins with "interfero" and holds every word. Behind argp's own errors stands
# where there is help.
explain() {
	local word
	[[ $stderr != *$'\nTry '* ]] || stderr=${stderr%%$'\n'Try*}
	[[ $stderr != *$'\n'* ]] || say "more than one line: $stderr"
	[[ $stderr == interfero* ]] || say "it does not begin with interfero: $stderr"
	for word; do
		[[ $stderr == *"$word"* ]] || say "no \"$word\" in: $stderr"
	done
}

# Fails with a reason.
say() {
	echo "$*" >&2
	return 1
}

# The functions of a program in .text, in the order of their addresses.
functions_of() {
	nm -n --defined-only "$1" | awk '$2 ~ /^[tTwW]$/ { print $3 }'
}

build_id_of() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

# The names and addresses of the sections that hold data.
data_of() {
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
		awk '$1 ~ /^\.(rodata|eh_frame|data|data\.rel\.ro|bss|got|init_array|fini_array|dynamic)$/ { print $1, $3 }'
}

# numbers COUNT: words and numbers from Park and Miller's generator (1988: x = 16807 x mod 2^31-1), about 10 bytes each.
numbers() {
	awk -v count="$1" 'BEGIN {
		split("layout branch cache block of the to and", word, " ")
		x = 20260101
		for (i = 0; i < count; i++) {
			x = x * 16807 % 2147483647
			printf "%s %d%s", word[x % 8 + 1], int(x / 8) % 10000, i % 9 ? " " : "\n"
		}
	}'
}

# equals_linked PROGRAM...: for each of the oracle's plans, whatever the depth, what the engine makes in memory is what ld.bfd
# links for the same placement, byte for byte.
equals_linked() {
	local program plans
	[ -x "$INTERFERO_BUILD/tests/engine" ] || skip "build/tests/engine is not built"
	for program; do
		run within 120 env INTERFERO_TEST_DEPTH=full "$INTERFERO_BUILD/tests/engine" check "$program"
		plans=$(sed -n 's/^1\.\.//p' <<<"$output")
		[ "$status" -eq 0 ] && [ "$plans" -ge 8 ] && [ "$(grep -c '^ok' <<<"$output")" -eq "$plans" ] || say "$output"
	done
}

# distinct COUNT: standard input has that many lines, all different.
distinct() {
	local lines
	lines=$(cat)
	[ "$(grep -c . <<<"$lines")" -eq "$1" ] || say "not $1 lines: $lines"
	[ "$(sort -u <<<"$lines" | grep -c .)" -eq "$1" ] || say "not all different: $lines"
}

# build_order [WRAPPER FLAGS...]: the objects of the order program, as order_*.o in this folder.
build_order() {
	local part
	for part in one two three; do
		interfero-gcc "$@" -c -DPART=$part "$programs/order_part.c" -o order_$part.o
	done
	interfero-gcc "$@" -c "$programs/order_note.c" -o order_note.o
	interfero-gcc "$@" -c "$programs/order_main.c" -o order_main.o
	for part in first second; do
		interfero-gcc "$@" -c -DMEMBER=$part "$programs/order_member.c" -o order_$part.o
		rm -f lib$part.a
		ar rcs lib$part.a order_$part.o
	done
}

# shellcheck disable=SC2034 # used by the tests
order_inputs="order_main.o order_note.o order_one.o order_two.o order_three.o libfirst.a libsecond.a"

# subject: the program of programs/subject.c in this folder, its functions in the order of the source.
build_subject() {
	interfero-gcc -O0 "$programs/subject.c" -o subject
}

# build_sql: sql FILE STATEMENT, in $place.
build_sql() {
	${CC:-gcc} -O1 "$programs/sql.c" -o "$place/sql" -lsqlite3
}

sql() {
	"$place/sql" "$@"
}

# await SECONDS COMMAND...: until the command succeeds, five times as long at most.
await() {
	local tries=$(($1 * 100))
	shift
	while [ $tries -gt 0 ]; do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.05
		tries=$((tries - 1))
	done
	say "waited in vain: $*"
}
