#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The axes split-loops and duplicate-joins: what they change, what they leave, and figures 4 to 6 and table I of Milenković
# et al. 2004, Microbenchmarks for determining branch predictor organization.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	cp "$BATS_TEST_DIRNAME"/programs/branches/* .
}

teardown_file() {
	drop_own_kits
}

change() { # change AXIS WORDS COMMAND...: compiles with the axis
	local axis=$1 words=$2
	shift 2
	"$@" "-fplugin=$INTERFERO_PLUGIN" "-fplugin-arg-interfero-$axis=$words"
}

facts() { # facts FACT PROGRAM: the sum of a fact in its notes
	interfero explain "$2" | grep -o "$1 [0-9]*" | awk '{ sum += $NF } END { print sum + 0 }'
}

misses() { # misses MACHINE PROGRAM: modelled mispredictions of conditional branches
	interfero record -q --once -o misses.trace -- "./$2" >/dev/null
	interfero replay --json --core=none --machine "$1" misses.trace |
		jq '.layouts[0].counters["conditional-branch-misses"]'
}

same_at_every_level() { # same_at_every_level AXIS SOURCE LEAST FACT: at all levels the program prints what it did
	local axis=$1 source=$2 least=$3 fact=$4 options
	for options in -O0 -O2 -O3 "-O2 -g" -O1 -Os -Og "-O2 -flto" "-O3 -march=native" \
		"-O1 -fsanitize=address,undefined"; do
		[[ $options == -O[023] || $options == "-O2 -g" ]] || is_full_depth || continue
		$CC $options "$source" -o plain
		change "$axis" 'only=*' $CC $options -fchecking "$source" -o changed 2>said
		not grep -E 'error:|internal compiler' said
		[ "$(./changed)" = "$(./plain)" ] || say "$options"
		[ "$(facts "$fact" changed)" -ge "$least" ] || say "$options: $(facts "$fact" changed) of $least"
	done
}

@test "loops in parts and copied joins do at every level what they did, in C, C++ and Fortran" {
	local program axis
	same_at_every_level split-loops loops.c 2 "successive parts"
	same_at_every_level duplicate-joins joins.c 3 "copies of joins"
	cp "$sources"/program.* .
	for program in "$CC -O2 program.c" "$CC -O0 program.c" "$CXX -O2 program.cc" "$FC -O2 program.f90"; do
		$program -o plain
		run ./plain
		for axis in split-loops duplicate-joins; do
			change $axis 'only=*' $program -fchecking -o changed 2>/dev/null
			[ "$(./changed; echo $?)" = "$(printf '%s\n%s' "$output" "$status")" ] || say "$axis, $program"
		done
	done
}

# Debug information changes no code, and a second compilation is the same file.
@test "copies depend on nothing but the code: equal objects twice, and with -g" {
	local axis
	for axis in split-loops duplicate-joins; do
		for source in loops joins; do
			change $axis 'only=*' $CC -O2 -c $source.c -o once.o 2>/dev/null
			change $axis 'only=*' $CC -O2 -c $source.c -o twice.o 2>/dev/null
			change $axis 'only=*' $CC -O2 -g -c $source.c -o debug.o 2>/dev/null
			cmp once.o twice.o
			[ "$(objdump -d once.o | tail -n +4)" = "$(objdump -d debug.o | tail -n +4)" ] || say "$axis $source"
			readelf --debug-dump=decodedline debug.o | grep -q "^$source.c "
		done
	done
}

@test "functions that no pattern names keep their bytes, and one that is named must be" {
	local name object apart="-ffunction-sections -fno-ipa-cp -fno-ipa-sra -fno-ipa-ra"
	$CC -O2 $apart -c loops.c -o plain.o
	change split-loops only=sums $CC -O2 $apart -c loops.c -o changed.o
	for name in nested ends calls both twice main; do
		for object in plain changed; do
			objdump -dr $object.o | awk -v of="<$name>:" 'of == $2 { on = 1 } !NF { on = 0 } on' >$object.text
		done
		[ -s plain.text ]
		cmp plain.text changed.text
	done
	one_error 'names no function; write -fplugin-arg-interfero-split-loops=only=FUNCTION' \
		change split-loops seed=1 $CC -c loops.c -o "$BATS_TEST_TMPDIR/bad.o"
	# A line counts from its function's.
	change split-loops only=nested,line=8 $CC -O0 -c loops.c -o line.o
	[ "$(facts "successive parts" line.o)" = 1 ]
}

@test "a loop or join that stays says why where the plan names its function" {
	cat >refused.c <<-'END'
		extern int f(int);
		int unknown(int n) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
		int fits(void) { int s = 0; for (int i = 0; i < 4; i++) s += f(i); return s; }
		int many(void) { int s = 0; for (int i = 0; i < 400; i++) s += f(i); return s; }
		int assembler(void) { int s = 0; for (int i = 0; i < 8; i++) { __asm__ volatile("nop"); s += f(i); } return s; }
		int join(int a, int b) { if (a) f(1); __asm__ volatile("nop"); if (b) return f(2); return 3; }
		int straight(int a) { return a; }
	END
	change split-loops 'only=*' $CC -O1 -c refused.c 2>loops
	change duplicate-joins 'only=*' $CC -O1 -c refused.c 2>joins
	grep -q '^refused.c:2:.*split-loops leaves this loop as it is: its number of trips is not known' loops
	grep -q '^refused.c:3:.*its trips fit the history' loops
	grep -q '^refused.c:4:.*more trips than 8 parts hold' loops
	grep -q '^refused.c:5:.*it holds assembler' loops
	grep -q '^refused.c:7:.*leaves this function as it is: GCC has left no such loop' loops
	grep -q '^refused.c:6:.*duplicate-joins leaves this join as it is: it holds assembler' joins
	grep -q '^refused.c:7:.*no such join in it ends in a branch' joins
	change split-loops only=many $CC -O1 -Werror -c refused.c 2>&1 | grep -q 'note:.*more trips'
}

# 10,000 times the inner loop: its last branch is mispredicted each time, behind 1111 as behind each other one; then 4
# and 4 trips end behind what no other trip ends behind (figure 5).
@test "eight trips are mispredicted once a loop by four bits of history, and not at all as four and four" {
	need jq
	local options before after
	for options in -O0 -O1 -O2 -O3; do
		$CC -static $options trips.c -o plain
		change split-loops only=repeat $CC -static $options trips.c -o split 2>/dev/null
		[ "$(facts "successive parts" split)" = 1 ]
		before=$(misses p6 plain)
		after=$(misses p6 split)
		echo "$options: $before $after"
		[ "$before" -ge 10000 ]
		[ "$after" -lt 1000 ]
		[ $((before - after)) -gt 9950 ]
	done
	# Sixteen bits of global history hold 8 trips, and not 20; of a loop with no other branch each trip is one bit.
	[ "$(misses netburst plain)" -lt 1500 ]
	$CC -static -O2 -DTRIPS=20 trips.c -o plain
	change split-loops only=repeat,history=16 $CC -static -O2 -DTRIPS=20 trips.c -o split 2>/dev/null
	before=$(misses netburst plain)
	after=$(misses netburst split)
	echo "netburst: $before $after"
	[ $((before - after)) -gt 9900 ]
}

# One bit of global history: with A, B or C taken at random, D is taken in one of four. Behind 1 it is as often taken as
# not, and two-bit counters are wrong in half of these; copies know A (table I).
@test "branch D of table I is mispredicted by one bit of history, and its copies are not" {
	need jq
	local options one=p6,predictor=gas,direction.history=1 two=p6,predictor=gas,direction.history=2 before after least
	for options in -O0 -O1 -O2 -O3; do
		$CC -static $options paths.c -o plain
		change duplicate-joins only=flow $CC -static $options paths.c -o copied
		[ "$(facts "copies of joins" copied)" = 1 ]
		before=$(misses $one plain)
		after=$(misses $one copied)
		# Two bits see A, too: what is left is of A, B and C.
		least=$(misses $two plain)
		echo "$options: $before $after $least"
		[ $((before - least)) -gt 2000 ]
		[ $((after - least)) -lt 200 ]
	done
}

# built PROGRAM SETTING: with a kit that its variable asks for.
built() {
	env "$2=1" interfero-gcc -g -O2 "$1.c" -o "$1"
	interfero record -q --once -o "$1.trace" -- "./$1"
}

# rebuilt PLAN PROGRAM: the variant of a plan, as v/changed.
rebuilt() {
	sed -i '1a name changed' "$1"
	interfero variants -q --plan "$1" -o v "./$2"
	interfero verify "./$2" v
}

# What place promises by the recording of the shipped program, the recording of the rebuilt one keeps.
@test "place proposes the loop and the join, and the rebuilt programs mispredict what it says" {
	need jq
	local one=p6,predictor=gas,direction.history=1 before promised after
	built trips INTERFERO_SOURCES
	within 60 interfero place -q --json --machine p6 --code trips.plan trips.trace >trips.json
	jq -e '.compiles and (.copies | length) == 1' trips.json
	jq -e '.copies[0] | .kind == "loop" and .function == "repeat" and .trips == 8 and .parts == 2 and
		.axis == "split-loops history=4 only=repeat" and .file == "trips.c" and .line == 12' trips.json
	before=$(jq '.copies[0].before' trips.json) promised=$(jq '.copies[0].after' trips.json)
	# The engines of replays count the same mispredictions.
	[ "$before" = "$(interfero replay --json --core=none --machine p6 trips.trace |
		jq '.layouts[0].counters["conditional-branch-misses"]')" ]
	rebuilt trips.plan trips
	after=$(misses p6 v/changed)
	echo "loop: $before $promised $after"
	[ $((before - promised)) -gt 9950 ]
	[ $((after - promised)) -lt 100 ] && [ $((promised - after)) -lt 100 ]
	built paths INTERFERO_SOURCES
	within 60 interfero place -q --json --machine "$one" --code paths.plan paths.trace >paths.json
	jq -e '.copies[0] | .kind == "join" and .function == "flow" and .axis == "duplicate-joins only=flow"' paths.json
	promised=$(jq '.copies[0].after' paths.json)
	rebuilt paths.plan paths
	after=$(misses "$one" v/changed)
	echo "join: $(jq '.copies[0].before' paths.json) $promised $after"
	[ $(($(jq '.copies[0].before' paths.json) - after)) -gt 2000 ]
	[ $((after - promised)) -lt 300 ] && [ $((promised - after)) -lt 300 ]
	# A predictor with history enough has nothing to gain.
	interfero place -q --json --machine p6,direction.history=8 trips.trace | jq -e '.copies == []'
	interfero place -q --json --machine p6,predictor=gas,direction.history=2 paths.trace | jq -e '.copies == []'
}

# Figure 6: a nop parts two branches whose distance is that of the BTB's entries.
@test "place parts two branches at one distance by a nop, as the plan's replay and the rebuilt program do" {
	need jq
	local machine=p6,btb1.ways=1,btb1.entries=512,btb1.index_bit=0 promised
	built distance INTERFERO_TEMPLATES
	within 60 interfero place -q --json --machine $machine --code nops.plan distance.trace >found.json
	jq -e '[.pairs[] | select(.structure == "BTB" and .executions > 4990)] | length == 1' found.json
	jq -e '(.nops | length) == 1 and (.nops[0] | .function == "pair" and .gain > 0 and
		.btb_misses[0] - .btb_misses[1] > 9900 and .bytes == 1)' found.json
	promised=$(jq '.nops[0].btb_misses[1]' found.json)
	btb_misses() {
		interfero replay --json --core=none --machine $machine "$@" | jq '.layouts[-1].counters["btb-misses"]'
	}
	[ "$(btb_misses --plan nops.plan distance.trace)" = "$promised" ]
	rebuilt nops.plan distance
	interfero record -q --once -o nops.trace -- v/changed
	[ "$(btb_misses nops.trace)" = "$promised" ]
	# Templates alone compile nothing again: copies are words for the compiler.
	built trips INTERFERO_TEMPLATES
	interfero place -q --machine p6 --code none.plan trips.trace >text
	tr -s ' \n' '  ' <text | grep -q 'a loop of 8 trips in 2 parts.*split-loops history=4 only=repeat'
	grep -q 'INTERFERO_SOURCES=1' text
	[ ! -e none.plan ]
	not grep -qE '.{81}' text
}

@test "cure measures a plan of copies by the clock on fresh runs" {
	need jq
	built trips INTERFERO_SOURCES
	within 60 interfero place -q --machine p6 --code code.plan trips.trace | grep 'cure --plan code.plan'
	within 60 interfero cure -q --json -c clock -n 2 -r 1 --axes stack --plan code.plan -- ./trips >json
	[[ $(jq -r .plan json) == *"split-loops"*"only=repeat"* ]]
	[ "$(jq '.ratio > 0' json)" = true ]
}
