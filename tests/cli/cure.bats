#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero cure: a change of the layout, measured in fresh contexts. By the model, whose figures are the same every time.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	export studies="$BATS_TEST_DIRNAME/../../examples/studies"
	gcc -std=c11 -D_GNU_SOURCE -O3 -fno-tree-vectorize "$studies/heap-pair/heap-pair.c" -o pair
	interfero-gcc -O2 -c "$studies/loop-stream/main.c" "$studies/loop-stream/foo.c"
	interfero-gcc -DROUNDS=5000 -c "$studies/loop-stream/loop.S"
	interfero-gcc main.o loop.o foo.o -o prog
	# A loop of 52 bytes or some more: two windows of 32 bytes, or three where it begins 16 bytes into one.
	cat >hot.c <<-'END'
		__attribute__((noinline, noclone)) static int hot(int n) {
			do
				__asm__ volatile(".globl hot_begin\nhot_begin: .skip 48, 0x90");
			while (--n);
			return n;
		}
		int main(void) { return hot(20000); }
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -fno-unroll-loops hot.c -o hot
}

setup() {
	use_own_folder
	cp ../pair ../prog ../hot .
}

teardown_file() {
	drop_own_kits
}

modelled() { # OPTION... -- COMMAND
	within 60 interfero cure -q --json --counters model --machine ivybridge -n 6 "$@" >json
}

# Both arrays begin a page, so that each load of the first meets the stores to the second; 2048 bytes apart none does.
# Ref: Melhus 2013, table 4.3: 9195816 aliases and 1175.
@test "large heap blocks as far apart as possible cure the heap pair's aliases, and the plan that does it is printed" {
	modelled --core=none --metric ld_blocks_partial.address_alias --line 'blocks policy=2' --axes stack -- ./pair 40000 0 1
	[ "$(jq -r '"\(.schema_version) \(.effect) \(.contexts) \(.contexts_with_more) \(.ratio < 0.02) \(.high < 1)"' json)" = \
		"1 helps 6 0 true true" ]
	[ "$(jq -r .plan json | sed -n 2p)" = "blocks seed=0 policy=2" ]
	# The same experiment as text.
	within 60 interfero cure --core=none --metric ld_blocks_partial.address_alias --line 'blocks policy=2' --axes stack \
		--counters model --machine ivybridge -n 6 -- ./pair 40000 0 1 >text
	grep -q 'It helps: ld_blocks_partial.address_alias -9[89]' text
	grep -q 'interfero run --plan cure.plan -- ./pair 40000 0 1' text
	[ "$(awk 'length > 80' text)" = "" ]
}

@test "a cure that does nothing is said not to help, and is not advised" {
	modelled --core=none --metric ld_blocks_partial.address_alias --line 'blocks policy=0' --axes stack -- ./pair 40000 0 1
	[ "$(jq -r '"\(.effect) \(.ratio)"' json)" = "does not help 1" ]
	within 60 interfero cure --core=none --metric ld_blocks_partial.address_alias --line 'blocks policy=0' --axes stack \
		--counters model --machine ivybridge -n 6 -- ./pair 40000 0 1 >text
	grep -q 'It is not advised' text
	run ! grep -q 'cure.plan' text
}

# The loop of 379 bytes enters 12 windows of 32 bytes where it begins with one, and else 13: Melhus 2013, table 4.8. A random
# order of functions, aligned to 16 bytes, gives either.
@test "a function pinned where its loop begins a window of 32 bytes is cured, and 16 bytes further it is harmed" {
	local begin
	begin=$((0x$(nm prog | awk '$3 == "loop_begin" {print $1}')))
	begin=$(((begin + 31) / 32 * 32 - 16))
	modelled --core=none --metric windows-32 -n 24 --axes functions,base --line "at $(printf 0x%x $begin) loop.o:.text" \
		-- ./prog
	[ "$(jq -r '"\(.effect) \(.contexts_with_more)"' json)" = "helps 0" ]
	modelled --core=none --metric windows-32 -n 24 --axes functions,base --fresh \
		--line "at $(printf 0x%x $((begin + 16))) loop.o:.text" -- ./prog
	[ "$(jq -r '"\(.effect) \(.contexts_with_more > 6)"' json)" = "does harm true" ]
}

@test "a function is moved where the contexts do not change the program's file" {
	local behind # foo is the last function
	behind=$((0x$(nm prog | awk '$3 == "foo" {print $1}') + 64))
	within 60 interfero cure -q --counters clock --no-profile -n 2 -r 1 -o c.exp --axes stack \
		--line "at $(printf 0x%x $behind) foo.o:.text.foo" -- ./prog
	[ "$(sql c.exp "SELECT count(DISTINCT sha256) FROM variant WHERE program = 0")" = 1 ]
	[ "$(sql c.exp "SELECT count(DISTINCT sha256) FROM variant WHERE program = 1")" = 2 ]
}

@test "the loops of one function aligned to 32 bytes enter fewer windows, and begin one in the variant" {
	modelled --core=none --metric windows-32 -n 30 --axes functions,padding,base \
		--line 'align loop-bytes=32 functions=0 only=hot' -- ./hot
	[ "$(jq -r '"\(.effect) \(.contexts_with_more)"' json)" = "helps 0" ]
	jq -r .plan json >cure.plan
	interfero variants -q --plan cure.plan -o cured ./hot
	[ $((0x$(nm cured/cure | awk '$3 == "hot_begin" {print $1}') % 32)) = 0 ]
	jq -r .plan json | sed 's/only=hot/only=main/' >other.plan
	within 60 interfero cure -q --json --counters model --core=none --metric windows-32 -n 6 --axes functions,base --fresh \
		--plan other.plan -- ./hot >json
	[ "$(jq -r .ratio json)" = 1 ]
}

@test "a wrong cure is refused in one line, and another cure does not go on in the same experiment" {
	refuse 2 which cure -- interfero cure -- ./pair
	refuse 2 which program -- interfero cure --line 'blocks policy=2'
	refuse 2 line blocks policy -- interfero cure --line 'blocks policy=3' -- ./pair
	refuse 2 line nonsense -- interfero cure --line nonsense -- ./pair
	refuse 2 kit CC=interfero-gcc -- interfero cure -q --line 'at 0x1200 loop.o:.text' -- ./pair
	modelled --core=none --line 'load pages=7' --axes stack -n 2 -- ./pair 1000 0 1
	refuse 2 cure -- interfero cure -q --core=none --line 'load pages=8' --axes stack --counters model --machine ivybridge \
		-n 2 -- ./pair 1000 0 1
}
