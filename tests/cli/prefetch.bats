#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Prefetches that a profile advises and the compiler places: interfero misses --advise, INTERFERO_PREFETCH.

load ../helpers
load ../record

lru=(--machine cachegrind --cache 32K:8:64)

setup_file() {
	use_own_kits
	unset INTERFERO_PREFETCH
}

setup() {
	use_own_folder
	cp "$programs"/prefetch/*.c "$BATS_TEST_DIRNAME"/../../examples/studies/correlation-profiling/*.[ch] .
}

teardown_file() {
	drop_own_kits
}

# line FILE MARK: the number of the marked line. from FILE MARK FUNCTION: counted from the line of a function.
line() {
	grep -n "/\* $2 \*/" "$1" | head -n 1 | cut -d : -f 1
}
from() {
	echo $(($(line "$1" "$2") - $(grep -n "^[a-z_].*\b$3(.*{" "$1" | head -n 1 | cut -d : -f 1)))
}

# advise FILE FUNCTION MARK WORDS...: adds a load to the file `advice`.
advise() {
	[ -e advice ] || echo "interfero-prefetch 1" >advice
	echo "load $2 file=$1 line=$(from "$1" "$3" "$2") ${*:4}" >>advice
}

# prefetches FILE [FUNCTION]: how many prefetch instructions there are in a program, or in a function of it.
prefetches() {
	if [ -n "${2-}" ]; then
		objdump -d "$1" | awk -v name="<$2>:" '$2 == name { on = 1 } /^$/ { on = 0 } on && /prefetcht0/ { n++ } END { print n + 0 }'
	else
		objdump -d "$1" | grep -c prefetcht0 || true
	fi
}

all_kinds() {
	advise kinds.c list LIST distance=4
	advise kinds.c gather GATHER number=2 distance=8
	advise kinds.c strided STRIDED context=self period=4 distance=8
	advise kinds.c visit VISIT context=self period=2
	advise kinds.c look LOOK distance=3
	advise kinds.c chains CHAINS distance=2
	advise kinds.c divided DIVIDED number=2 distance=8
	advise kinds.c walk WALK context=call "caller=walk_hot@$(from kinds.c HOT walk_hot)" always=0
	advise kinds.c compare COMPARE context=call "caller=calls@$(from kinds.c CALL calls)"
}

@test "lists, trees, tables, chains, strides and calls are prefetched; outputs are the same at every level" {
	all_kinds
	local level calls
	for level in $(at_depth "-O0 -O2 -Os" "-O0 -Og -O1 -O2 -O3 -Os -Ofast"); do
		gcc $level -g kinds.c -o plain
		INTERFERO_PREFETCH=advice interfero-gcc $level -g kinds.c -o kinds 2>said
		[ "$(./kinds)" = "$(./plain)" ] || say "$level"
		case $level in
		-O0) grep -q 'no prefetch for a load of gather: GCC looks for no loops' said ;;
		-O2)
			[ ! -s said ] || say "$(cat said)"
			for name in list gather strided visit look divided calls; do [ "$(prefetches kinds $name)" -ge 1 ] || say "$name"; done
			# Of chains that begin in a loop: the next node, and the beginning of a later chain.
			[ "$(prefetches kinds chains)" = 2 ]
			# A copy of the function, for the call that misses.
			[ "$(prefetches kinds walk)" = 0 ]
			[ "$(prefetches kinds walk.prefetched.0)" = 1 ]
			calls=$(objdump -d kinds | awk '/^[0-9a-f]+ <walk_/ { f = $2 } /call.*<walk/ && f { print f $NF; f = "" }' | sort)
			[ "$calls" = "<walk_cold>:<walk>
<walk_hot>:<walk.prefetched.0>" ] || say "$calls"
			# The calls that always hit are left alone.
			[ "$(prefetches kinds calls)" = 1 ]
			[ "$(prefetches kinds compare)" = 0 ]
			;;
		esac
	done
}

@test "nothing that may not be read is read: fields behind the page, elements behind the end, wild pointers" {
	advise edges.c list LIST
	advise edges.c gather GATHER number=2 distance=16
	advise edges.c visit VISIT context=self period=2
	advise edges.c chains CHAINS distance=2
	advise edges.c divided DIVIDED number=2 distance=8
	local level compiler compilers=(interfero-gcc)
	[ "$INTERFERO_TEST_DEPTH" = quick ] || compilers+=("$INTERFERO_BUILD"/bin/interfero-gcc-[0-9]*)
	for compiler in "${compilers[@]}"; do
		for level in $(at_depth "-O1 -O2" "-O0 -Og -O1 -O2 -O3 -Os"); do
			"$compiler" $level -g -finterfero-prefetch=advice edges.c -o edges
			[ "$(./edges)" = "2 8 4 4950 10 7 2450 0" ] || say "$compiler $level: $(./edges)"
			[[ "$level" = -O[0g] ]] || [ "$(prefetches edges)" -ge 5 ] || say "$compiler $level"
		done
	done
}

@test "a load is found again by the text of its line, and told where it is gone" {
	advise kinds.c list LIST
	local sum
	sum=$(interfero misses --help | head -n 1)
	[ -n "$sum" ]
	# Lines before the function change nothing, not even with the text unknown.
	{ printf '\n\n\n'; cat kinds.c; } >moved && mv moved kinds.c
	interfero-gcc -O2 -g -finterfero-prefetch=advice kinds.c -o kinds
	[ "$(prefetches kinds list)" = 1 ]
	# Another line in the function: it is no load of this kind any more.
	sed -i 's/^\tfor (; p; p = p->next)$/\tlong more = 0;\n\tmore++;\n&/' kinds.c
	interfero-gcc -O2 -g -finterfero-prefetch=advice kinds.c -o kinds 2>said
	grep -q 'no prefetch for a load of list: its line has no load any more' said
	[ "$(prefetches kinds list)" = 0 ]
}

@test "make compiles again when the advice changes; the note counts prefetches; another option wins" {
	advise kinds.c list LIST
	printf 'kinds: kinds.o\n\t$(CC) kinds.o -o kinds\nkinds.o: kinds.c\n\t$(CC) -O2 -g -MMD -c kinds.c\n-include kinds.d\n' >Makefile
	export INTERFERO_PREFETCH=$PWD/advice
	make -s CC=interfero-gcc
	[ "$(prefetches kinds list)" = 1 ]
	interfero explain ./kinds | grep -q 'advised loads with a prefetch: [1-9]'
	make -q CC=interfero-gcc
	sleep 0.01
	echo "interfero-prefetch 1" >advice
	touch -d '+1 second' advice
	make -s CC=interfero-gcc
	[ "$(prefetches kinds)" = 0 ]
	all_kinds
	interfero-gcc -O2 -g -finterfero-prefetch= kinds.c -o none
	[ "$(prefetches none)" = 0 ]
}

@test "advice of another form is refused with its line" {
	local text
	for text in "interfero-prefetch 2" "load f file=a.c" "interfero-prefetch 1
load f" "interfero-prefetch 1
load f file=a.c line=1 distance=0" "interfero-prefetch 1
load f file=a.c line=1 context=self" "interfero-prefetch 1
load f file=a.c line=1 colour=red"; do
		printf '%s\n' "$text" >advice
		not interfero-gcc -O2 -c -finterfero-prefetch=advice kinds.c -o bad.o 2>said
		grep -q "error: interfero: .*advice:[12]: " said
		[ ! -e bad.o ]
	done
	not interfero-gcc -O2 -c -finterfero-prefetch=missing kinds.c -o bad.o 2>said
	grep -q 'missing' said
}

# build NAME [FLAGS...]
build() {
	interfero-gcc -O1 -g -nostdlib -static -no-pie -fno-optimize-sibling-calls -fno-tree-loop-distribute-patterns \
		-fcf-protection=none "${@:2}" "$1.c" -o "$1"
}

# before_and_after NAME MARK: misses of the marked load in the program without and with the advised prefetches.
before_and_after() {
	local code
	code="($1.c:$(line "$1.c" "$2"))"
	build "$1"
	within 60 interfero record -q -o $1.trace -- ./$1 >/dev/null
	within 60 interfero misses "${lru[@]}" --latency 20 --advise --json -o $1.prefetch $1.trace >advised
	build "$1" -finterfero-prefetch=$1.prefetch 2>said
	within 60 interfero misses "${lru[@]}" --latency 20 --contexts 1 --json -- ./$1 >result
	before=$(jq --arg code "$code" '[.loads[] | select(.code | endswith($code)) | .misses[0]] | add' result)
	after=$(jq --arg code "$code" '[.loads[] | select(.code | endswith($code)) | .misses_with_prefetches] | add' result)
}

# 65,535 of 131,068 references miss, every second one (misses.bats). V = 2: 65,535 · (20 - 2).
@test "a tree in preorder: the misses of every second node are prefetched" {
	before_and_after tree LOAD
	[ "$(jq -c '.prefetches[0] | [.function, .context, .period, .references, .misses, .gain_cycles]' advised)" = \
		'["visit","self",2,131068,65535,1179630]' ]
	[ "$before" = 65535 ]
	# A node's line is fetched when its parent is visited; a few right children's leave the cache before they are visited.
	[ "$after" -lt $((before / 100)) ]
	# All lines that are fetched are used, but those of a few right children; most are there already, as its parent's
	# sibling shares a node's line.
	[ "$(jq '.prefetches | .used > 0.99 * (.used + .unused)' result)" = true ] || say "$(jq -c .prefetches result)"
}

@test "a load that two calls reach: only the call that misses prefetches, and its misses are gone" {
	before_and_after compare LOAD
	[ "$(jq -c '.prefetches[0] | [.function, .context, .caller]' advised)" = '["compare","call","run"]' ]
	[ "$(jq '.prefetches | length' advised)" = 1 ]
	[ "$before" -gt 20000 ]
	[ "$after" -le 2 ]
	[ "$(jq '.prefetches | .executed - .used <= 8192 + 1' result)" = true ]
}

@test "buckets of a hash table: the next one is prefetched" {
	before_and_after buckets HEAD
	[ "$before" -gt 20000 ]
	[ "$after" -lt $((before / 100)) ] || say "$before $after $(cat said)"
}

@test "a list that is made and used: only its making prefetches" {
	before_and_after phases LOAD
	[ "$(jq -c '[.prefetches[] | [.function, .context, .caller]]' advised)" = '[["look_up","call","create"]]' ]
	[ "$before" = 256 ]
	# The first ones come before any prefetch; the last prefetches are of what lies behind the list.
	distance=$(jq '.prefetches[0].distance' advised)
	[ "$after" = "$distance" ] || say "$after, not $distance: $(jq -c .prefetches result)"
	[ "$(jq -c '.prefetches | [.executed, .used]' result)" = "[256,$((256 - distance))]" ] || say "$(jq -c .prefetches result)"
}

# 256 lines are prefetched, and most of the loads come while they are under way.
@test "a build's prefetches are told in the core's cycles, and hide no more than the core waits" {
	build phases
	within 60 interfero record -q --once -o phases.trace -- ./phases >/dev/null
	core=(--machine r10000 --core --latency 20)
	within 60 interfero misses "${core[@]}" --advise -o phases.prefetch phases.trace >/dev/null
	build phases -finterfero-prefetch=phases.prefetch 2>said
	within 60 interfero record -q --once -o with.trace -- ./phases >/dev/null
	within 60 interfero misses "${core[@]}" --json with.trace >told
	[ "$(jq '.prefetches.in_core | .cycles < .cycles_without and .late_loads > 200 and .late_loads <= 256' told)" = true ] ||
		say "$(jq -c .prefetches told)"
	within 60 interfero misses "${core[@]}" with.trace | tr '\n' ' ' >text
	grep -Eq 'By the core the run takes -[0-9.]+% cycles with what they bring; 2[0-9]+ loads wait for a line' text
	within 60 interfero misses "${core[@]}" --advise --built phases.prefetch -o kept with.trace >result
	# The build's own cycles without what the prefetches bring.
	[ "$(jq '[.loads[].stall_cycles] | add' told | cut -d . -f 1)" -ge "$(sed -n 's/^load.*gain=//p' kept)" ] || say "$(cat kept)"
	grep -q ^load kept
}

# cycles_by SCHEME: of eqntott with prefetches by hand on the machine of section 6, the sum of 16 layouts; with the
# prefetches of the shipped one, and how many of them find their line there, and are of use.
cycles_by() {
	interfero-gcc -O2 -g -nostdlib -static -no-pie -fno-optimize-sibling-calls -fno-tree-loop-distribute-patterns \
		-fcf-protection=none "-D$1=1" -o eqntott "$BATS_TEST_DIRNAME/../../examples/studies/prefetching/eqntott.c"
	within 60 interfero record -q --once -o eqntott.trace -- ./eqntott >/dev/null
	within 300 interfero replay --json --core=full --machine r10000 -n 16 -s 1 --axes link-order,padding eqntott.trace \
		2>said | jq -r '[([.layouts[].counters.cycles] | add), (.layouts[0].counters | ."sw_prefetch_access.any",
			."ls_inef_sw_pref.all", ."prefetches-used", ."prefetches-unused")] | @tsv'
}

# 16,000 calls of 16 references. Vectors that miss have 128 bytes, four lines, and follow each other up to the 512th; the
# two lines that each begins with are prefetched by the one before. Ref: Mowry and Luk 1997, figure 23 (b).
@test "on the machine of the paper, prefetches by the summary profile hurt and prefetches by correlation help" {
	local none summary correlation calls executed present used unused rest
	read -r none rest < <(cycles_by NONE)
	[ "$rest" = "0	0	0	0" ]
	read -r summary executed present used unused < <(cycles_by SUMMARY)
	[ "$executed" = 256000 ]
	[ $((present + used + unused)) = 256000 ]
	[ $((summary)) -gt $((none * 102 / 100)) ] || say "$none $summary"
	read -r correlation executed present used unused < <(cycles_by CORRELATION)
	[ $((executed % 16)) = 0 ]
	calls=$((executed / 16))
	[ "$used" = $((4 * calls - 2 * ((calls + 511) / 512))) ] || say "$executed $used"
	[ $((correlation)) -lt $((none * 98 / 100)) ] || say "$none $correlation"
}

# The list stays in the cache: the prefetches of its use find all lines there. 256 of making it hide a few iterations each.
@test "of a build with two prefetches, the one that does not pay is taken out" {
	before_and_after phases LOAD
	sed -n '/^load/s/caller=create/caller=compute/p' phases.prefetch >>phases.prefetch
	sed '/^load/s/look_up/nowhere/; s/caller=create/caller=compute/; t; d' phases.prefetch | head -n 1 >>phases.prefetch
	[ "$(grep -c ^load phases.prefetch)" = 3 ]
	build phases -finterfero-prefetch=phases.prefetch 2>said
	[ "$(prefetches phases compute)" = 1 ]
	within 60 interfero misses "${lru[@]}" --latency 20 --contexts 1 --advise --built phases.prefetch -o kept --json \
		-- ./phases >result
	[ "$(grep ^load kept | sed 's/.*caller=\([a-z]*\)@.*/\1/')" = create ] || say "$(cat kept)"
	[ "$(jq -c '[.left[].load | split(",")[0]]' result)" = '["look_up","nowhere"]' ]
	grep -q 'look_up, line .*: 0.0% of its prefetches are of use' kept
	# The clock has the last word.
	again() {
		within 60 interfero misses "${lru[@]}" --latency 20 --contexts 1 --advise --built phases.prefetch "$@" -- ./phases
	}
	echo '{"overview": [{"ratio": 0.95, "interval": {"low": 0.93, "high": 0.97}}]}' >faster.json
	echo '{"overview": [{"ratio": 1.028, "interval": {"low": 1.014, "high": 1.043}}]}' >slower.json
	again --measured faster.json -o kept >result
	[ "$(grep -c ^load kept)" = 1 ]
	again --measured slower.json -o none >result
	[ "$(grep -c ^load none)" = 0 ]
	grep -q 'by the clock the build is not faster: +2.8% (+1.4 to +4.3%)' none
	not again --measured advised 2>said
	grep -q 'no result of one comparison' said
	not interfero misses --built kept -- ./phases 2>said
	grep -q 'built is for advice' said
	not interfero misses --advise --built missing -- ./phases 2>said
	grep -q missing said
}
