#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The axis alias-check: loops in two versions, chosen by a check of addresses modulo 4096.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	cp "$BATS_TEST_DIRNAME"/programs/alias-check/* .
}

teardown_file() {
	drop_own_kits
}

check() { # check WORDS COMMAND...: compiles with the axis
	local words=$1
	shift
	"$@" "-fplugin=$INTERFERO_PLUGIN" "-fplugin-arg-interfero-alias-check=$words"
}

checks() { # checks PROGRAM: the number of loops in two versions
	interfero explain "$1" | grep -o 'two versions [0-9]*' | grep -o '[0-9]*$'
}

# aliases PROGRAM ARGS...: loads that alias on the described Ivy Bridge, in the shipped layout.
aliases() {
	interfero record -q --once -o aliases.trace -- "$@" >/dev/null
	interfero replay --json --core=none --machine ivybridge aliases.trace |
		jq '.layouts[0].counters["ld_blocks_partial.address_alias"]'
}

@test "arrays apart, aliasing and overlapping at every distance: both versions do what the plain loop does" {
	local options words plain
	for options in -O1 -O2 -O3 "-O3 -fno-tree-vectorize" "-O3 -mavx2 -g" "-O2 -fno-strict-aliasing -fwrapv" -Os; do
		[[ $options == "-O3 -fno"* || $options == -O1 ]] || is_full_depth || continue
		$CC $options overlap.c -o plain
		plain=$(./plain)
		[ "$(wc -l <<<"$plain")" = 7 ]
		for words in unroll=8 unroll=2 unroll=13; do
			check $words $CC $options -fchecking overlap.c -o checked
			[ "$(./checked)" = "$plain" ] || say "$options, $words"
			# smooth (but for -O1), scale, backwards, by_threes, bytes, ahead. At -Os GCC doubles no code.
			if [ "$options" = -Os ]; then
				[ "$(checks checked)" -eq 0 ]
			else
				[ "$(checks checked)" -ge 5 ]
			fi
		done
	done
	for options in -O0 -Og "-O1 -fsanitize=address,undefined"; do
		check unroll=8 $CC $options overlap.c -o checked
		[ "$(./checked)" = "$plain" ] || say "$options"
	done
}

@test "every loop of programs in C, C++ and Fortran: GCC finds its own structures sound, and they print what they did" {
	local program words=unroll=3
	cp "$sources"/program.* .
	for program in "$CC -O3 program.c" "$CC -O0 program.c" "$CC -O2 -flto program.c" "$CXX -O3 program.cc" "$FC -O3 program.f90"; do
		$program -o plain
		run ./plain
		check $words $program -fchecking -o checked
		[ "$(./checked; echo $?)" = "$(printf '%s\n%s' "$output" "$status")" ] || say "$program"
	done
}

@test "a loop that cannot have two versions stays, and the reason is said where the plan names its function" {
	check only='*',except=done $CC -O1 -fno-tree-loop-distribute-patterns -c refused.c 2>said
	cat said
	is_said() { # FUNCTION LINES REASON: the lines behind the function's name
		local line
		line=$(grep -n "^[a-z].* $1(" refused.c | cut -d: -f1)
		grep -E "^refused.c:($line|$((line + 1))|$((line + 2))|$((line + 3))):.*: $2" said || say "$1: $2"
	}
	is_said calls "it calls a function"
	is_said is_volatile "it accesses volatile memory"
	is_said assembler "it holds assembler"
	is_said chain "an iteration loads what another one stores"
	is_said ends_early "it branches"
	is_said unknown_end "its number of iterations is not known"
	is_said steps "a load and a store that may overlap advance by different steps"
	is_said indirect "GCC cannot"
	is_said few "it has too few iterations"
	is_said only_loads "it stores nothing"
	is_said no_loop "GCC has left no loop in it"
	not grep -q ' done' said
	[ "$(grep -c warning: said)" = 11 ]
	$CC -O1 -fno-tree-loop-distribute-patterns -c refused.c -o plain.o
	[ "$(objdump -d plain.o | tail -n +4)" = "$(objdump -d refused.o | tail -n +4)" ]
	# Nothing is said of functions that no pattern names, and a warning does not end the build.
	[ -z "$(check unroll=4 $CC -O1 -c refused.c 2>&1)" ]
	check only=chain $CC -O1 -Werror -c refused.c 2>said
	grep -q 'note:.*an iteration loads' said
	check only=chain $CC -Og -c refused.c 2>&1 | grep -q 'warning:.*these options let GCC look for no loops'
}

# A caller knows which registers a function leaves alone (-fipa-ra), and may use these.
@test "functions that the plan does not name have the same bytes" {
	local name
	for options in -O0 "-O2 -fno-ipa-ra" "-O3 -fno-ipa-ra"; do
		$CC $options -ffunction-sections -c overlap.c -o plain.o
		check only=scale $CC $options -ffunction-sections -c overlap.c -o checked.o 2>/dev/null
		for name in smooth backwards by_threes bytes ahead behind hash main; do
			for object in plain checked; do
				objdump -dr $object.o | awk -v of="<$name>:" 'of == $2 { on = 1 } !NF { on = 0 } on' >$object.text
			done
			[ -s plain.text ]
			cmp plain.text checked.text
		done
		[ "$options" = -O0 ] || not cmp -s plain.o checked.o
	done
	$CC -DOFFSET=64 -O0 -c locals.c -o plain.o
	check only=scale $CC -DOFFSET=64 -O0 -c locals.c -o checked.o
	objcopy -R .note.interfero checked.o
	objcopy -R .note.interfero plain.o
	cmp plain.o checked.o
}

# The thesis' pair of arrays, table 4.3: from/to at equal low bits.
@test "two arrays that alias do so less than a fifth as often, and as often as before where they are apart" {
	local pair=$BATS_TEST_DIRNAME/../../examples/studies/heap-pair/heap-pair.c options plain checked apart
	for options in "-O3 -fno-tree-vectorize" -O3; do
		$CC -std=c11 -D_GNU_SOURCE $options "$pair" -o pair
		check only=smooth $CC -std=c11 -D_GNU_SOURCE $options "$pair" -o checked
		plain=$(aliases ./pair 40000 0 1)
		checked=$(aliases ./checked 40000 0 1)
		apart=$(aliases ./checked 40000 48 1)
		echo "$options: $plain $checked $apart"
		[ "$plain" -gt 40000 ]
		[ $((5 * checked)) -lt "$plain" ]
		[ "$apart" -lt 4000 ]
	done
}

# Listing 4.2: in every round, inc is loaded behind a store to j, and g behind one to i.
@test "unoptimised code: locals that alias static variables come into registers, at every offset" {
	local frame offset
	$CC -O0 -DOFFSET=64 locals.c -o plain
	frame=$(./plain | cut -d ' ' -f 1)
	for offset in $(((frame - 8) & 4095)) $(((frame - 16) & 4095)) $(((frame + 2040) & 4095)); do
		check only=kernel $CC -O0 -DOFFSET=$offset locals.c -o checked
		[ "$(checks checked)" = 1 ]
		[ "$(./checked)" = "$frame 4096 4096 4096" ]
		[ "$(aliases ./checked)" -lt 4096 ]
	done
	$CC -O0 -DOFFSET=$(((frame - 8) & 4095)) locals.c -o plain
	[ "$(aliases ./plain)" -gt 12288 ]
}

@test "a plan gives a kit's program two versions of a loop, cure measures them, and only that unit is compiled" {
	cp "$BATS_TEST_DIRNAME"/../../examples/studies/heap-pair/heap-pair.c .
	sed -i 's,\.\./clock.h,clock.h,' heap-pair.c
	cp "$BATS_TEST_DIRNAME"/../../examples/studies/clock.h .
	INTERFERO_SOURCES=1 interfero-gcc -std=c11 -D_GNU_SOURCE -O3 -c heap-pair.c
	INTERFERO_SOURCES=1 interfero-gcc -O2 -c -x c - -o other.o <<<'int other(int x) { return x; }'
	interfero-gcc heap-pair.o other.o -Wl,-u,other -o pair-of-arrays
	printf 'interfero-plan 1\nname checked\nalias-check only=smooth\n' >checked.plan
	interfero variants --plan checked.plan -o v ./pair-of-arrays >facts
	grep -q 'compiled again: 1 units.* [1-9] loops in two versions' facts
	[ "$(checks v/checked)" -ge 1 ]
	# As the compiler itself makes it under the plan.
	INTERFERO_PLAN=checked.plan interfero-gcc -std=c11 -D_GNU_SOURCE -O3 -c heap-pair.c -o compiled.o
	interfero-gcc compiled.o other.o -Wl,-u,other -o compiled
	[ "$(objdump -d -j .text v/checked | tail -n +4)" = "$(objdump -d -j .text compiled | tail -n +4)" ]
	interfero verify ./pair-of-arrays v -- {} 1000 0 1
	within 60 interfero cure -q --json -c clock -n 2 -r 1 --axes stack --line 'alias-check only=smooth' \
		-- ./pair-of-arrays 1000 0 1 >json
	[[ $(jq -r .plan json) == *"alias-check seed="*"only=smooth"* ]]
	[ "$(jq '.ratio > 0' json)" = true ]
	# A named function without such a loop: the first reason is among the facts.
	sed 's/smooth/main/; s/checked/main/' checked.plan >main.plan
	interfero variants --plan main.plan -o v ./pair-of-arrays | grep 'alias-check: heap-pair.c:[0-9]*.*as it is: it calls'
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 overlap.c -o template
	refuse 2 alias-check INTERFERO_SOURCES=1 -- interfero variants -q --plan checked.plan -o v ./template
}
