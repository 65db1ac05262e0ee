#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The axis blocks with named functions: the page offsets of what they allocate.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
	gcc -O2 "$BATS_TEST_DIRNAME/programs/sites.c" -o sites
	runtime=$(dirname "$(command -v interfero)")/../libexec/interfero/libinterfero.so
}

teardown_file() {
	drop_own_kits
}

run_with() { # run_with WORDS PROGRAM: the program's output on one line, under a plan with these words of blocks
	printf 'interfero-plan 1\nblocks %s\n' "$1" >plan
	within 60 interfero run --plan plan -- "$2" | tr '\n' ' '
}

# By hand: 8 bits reversed, times 16: 0, 128, 64, 192, 32 become 0, 2048, 1024, 3072, 512.
@test "the offsets of named functions are spread over 4096 in the order of the names" {
	[ "$(run_with 'policy=0 only=input,output,grown,aligned' ./sites)" = \
		"main 0 input 0 output 2048 input 0 grown 1024 aligned 3072 page 0 last 0 " ]
	[ "$(run_with 'policy=0 only=output,grown,aligned,main,input' ./sites)" = \
		"main 3072 input 512 output 0 input 512 grown 2048 aligned 1024 page 0 last 3072 " ]
}

@test "a given offset is that of every named function, as far as the alignment allows it" {
	[ "$(run_with 'policy=0 offset=1040 only=input,grown,aligned' ./sites)" = \
		"main 0 input 1040 output 0 input 1040 grown 1040 aligned 1024 page 0 last 0 " ]
	# Without names, nothing is named.
	[ "$(run_with 'policy=0 offset=1040' ./sites)" = \
		"main 0 input 0 output 0 input 0 grown 0 aligned 0 page 0 last 0 " ]
}

@test "a single call is named by the address to which it returns" {
	local begin back
	begin=$((0x$(nm sites | awk '$3 == "main" { print $1 }')))
	# The first call of malloc with 100000 bytes in main, and the instruction behind it.
	back=$(objdump -d --no-show-raw-insn sites | awk '/<main>:/ { on = 1 } on && back { sub(":", "", $1); print $1; exit }
		on && /call.*<malloc@plt>/ { back = 1 }')
	[ "$(run_with "policy=0 offset=496 only=main+$(printf 0x%x $((0x$back - begin)))" ./sites)" = \
		"main 496 input 0 output 0 input 0 grown 0 aligned 0 page 0 last 0 " ]
	[ "$(run_with 'policy=0 offset=496 only=main' ./sites)" = \
		"main 496 input 0 output 0 input 0 grown 0 aligned 0 page 0 last 496 " ]
}

@test "functions are found where a variant has put them" {
	interfero-gcc -O2 -ffunction-sections "$BATS_TEST_DIRNAME/programs/sites.c" -o moved
	printf 'interfero-plan 1\nfunctions seed=3\nbase bytes=4112\nblocks policy=0 only=output,input\n' >plan
	within 60 interfero run --plan plan -- ./moved >out
	[ "$(tr '\n' ' ' <out)" = "main 0 input 2048 output 0 input 2048 grown 0 aligned 0 page 0 last 0 " ]
	gcc -O2 -no-pie "$BATS_TEST_DIRNAME/programs/sites.c" -o fixed
	[[ $(run_with 'policy=0 offset=64 only=output' ./fixed) == "main 0 input 0 output 64 "* ]]
}

@test "a name that the program lacks is said, its runs are refused, and the program runs on" {
	printf 'interfero-plan 1\nblocks policy=0 only=input,nowhere\n' >plan
	run within 60 interfero run --plan plan -- ./sites
	[[ $output == *"no function nowhere"* ]]
	[[ $output == *"input 0"*"last 0"* ]]
	strip sites
	run within 60 interfero run --plan plan -- ./sites
	[[ $output == *"no function input"* && $output == *"last 0"* ]]
	INTERFERO_BLOCKS=aligned INTERFERO_SITES=input LD_PRELOAD=$runtime run -0 ./sites
	[[ $output == *"last 0"* ]]
	gcc -O2 "$BATS_TEST_DIRNAME/programs/sites.c" -o sites
	within 60 interfero bench -q --json -c clock -n 1 -r 1 --axes blocks --set blocks:only=nowhere -o e.exp -- \
		./sites silent >json
	grep -q 'the program has no function nowhere' json
}

@test "the stack begins alike with and without names" {
	local words
	gcc -O0 -x c - -o stack <<<'#include <stdio.h>
int main(void) { int on; printf("%p\n", (void *)&on); return 0; }'
	for words in 'policy=0' 'policy=0 only=main' 'policy=0 only=main,a_rather_long_name_of_a_function,another offset=64'; do
		run_with "$words" ./stack 2>/dev/null
		echo
	done >addresses
	[ "$(sort -u addresses | wc -l)" = 1 ]
}

@test "a plan that names functions is no plan for a replay" {
	interfero record -q --once --objects -o sites.trace -- ./sites >/dev/null
	printf 'interfero-plan 1\nblocks policy=0 only=input\n' >plan
	refuse 2 blocks:only measure -- interfero replay --plan plan sites.trace
	refuse 2 offset 4080 -- interfero run --plan <(printf 'interfero-plan 1\nblocks offset=4096 only=f\n') -- ./sites
	refuse 2 offset multiple -- interfero run --plan <(printf 'interfero-plan 1\nblocks offset=24 only=f\n') -- ./sites
}
