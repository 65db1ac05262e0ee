#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The run limiter: a program that runs for minutes ends after a budget, at the same instruction in every layout. Nothing here
# depends on how far the machine comes within the budget.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 "$programs/long.c" -o long
	within 60 interfero limit --seconds 0.4 -o limited -- ./long >said
	./limited >limited.out
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# The rounds of the program that its output tells.
rounds_in() {
	grep -c '^[0-9]* [0-9a-f]\{16\}$' "$1"
}

@test "the limited program ends at the count that was said, and in order" {
	procedure=$(sed -n 's/^limited ends when \([a-z_]*\) is entered.*/\1/p' ../said)
	count=$(sed -n 's/.*for the \([0-9]*\)[a-z]* time.*/\1/p' ../said)
	# It enters inner 1000 times in a middle, and middle 100 times in a round.
	case $procedure in
	round_of) rounds=$((count - 1)) ;;
	middle) rounds=$(((count - 1) / 100)) ;;
	*) say "$procedure is not one of a low count" ;;
	esac
	[ "$(rounds_in ../limited.out)" = "$rounds" ]
	# What stdio held back is there, and so is what atexit asked for.
	[ "$(tail -n 1 ../limited.out)" = "exit handlers ran" ]
	# Up to there it is the program's own output.
	within 60 ../long "$rounds" | cmp - ../limited.out
}

@test "the command that measures the limited program can be pasted" {
	grep -q '^  interfero bench -- \./limited' ../said
}

@test "only one procedure counts, by two instructions" {
	run objdump -d --no-show-raw-insn ../limited
	[ "$(grep -c 'dec[lq] .*<ifr_left' <<<"$output")" = 1 ]
	grep -A 1 'decq .*<ifr_left' <<<"$output" | grep -q 'je .*<ifr_end'
	not grep -q ifr_entries <(readelf -SW ../limited)
}

@test "an entry is behind endbr64 and in front of a loop at the top" {
	cat >top.c <<-'END'
		void top(void) { for (;;) __asm__ volatile("hlt"); }
		__attribute__((naked)) void bare(void) { __asm__("ret"); }
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -fcf-protection -S top.c -o top.s
	[ "$(grep -c '#ifr-entry' top.s)" = 1 ]
	[ "$(sed -n 's/^\t\(endbr64\|#ifr-entry\)$/\1/p; s/^\.L[0-9]*:$/label/p' top.s | head -n 3 | xargs)" = "endbr64 #ifr-entry label" ]
}

@test "every layout prints the same and executes the same instructions" {
	need valgrind
	count=$(at_depth 1 4)
	interfero variants -q -n "$count" --axes functions,padding -o v ../limited
	# By a name of the same length: the loader handles it letter by letter.
	cp ../limited v/v00000
	for program in v/v0000[0-4]; do
		within 200 valgrind --tool=callgrind --callgrind-out-file=counts "$program" >out 2>errors
		cmp out ../limited.out
		# All of the process, the loader and libc among it.
		sed -n 's/.*Collected : //p' errors >>instructions
		objdump -d --no-show-raw-insn "$program" | tail -n +4 | md5sum >>texts
	done
	[ "$(wc -l <instructions)" = $((count + 1)) ]
	sort -u instructions | distinct 1
	distinct $((count + 1)) <texts
}

@test "layouts of the compiler's axes end at the same count too" {
	interfero variants -q -n 2 --axes nops,align,unit-order,functions -o v ../limited
	for n in 1 2; do
		v/v0000$n | cmp - ../limited.out
		interfero explain v/v0000$n | grep -q 'nops at [1-9]'
	done
	interfero verify ../limited v -- {}
	within 100 interfero bench -n 1 -r 1 --counters clock --no-profile -o e.exp -- ../limited >report
	grep -q "1 random" report
}

@test "other links: static, without a build-id, without sections of functions, from an archive" {
	cp "$programs/long.c" .
	local each=(-static -Wl,--build-id=none "-O0 -g -fno-function-sections -fcf-protection -no-pie")
	is_full_depth || each=("-static -Wl,--build-id=none -O0 -g -fno-function-sections -fcf-protection")
	for options in "${each[@]}"; do
		INTERFERO_TEMPLATES=1 interfero-gcc -O1 $options long.c -o other
		within 60 interfero limit --seconds 0.2 -- ./other >said
		./other.limited >out
		within 60 ./other "$(rounds_in out)" | cmp - out || say "$options"
		interfero variants -q -n 1 --axes functions,nops -o v ./other.limited
		v/v00001 | cmp - out
	done
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -c long.c
	ar rcs liblong.a long.o
	interfero-gcc -Wl,-u,main liblong.a -o other
	within 60 interfero limit --seconds 0.2 -- ./other >said
	./other.limited | tail -n 1 | grep -q handlers
}

@test "C++: exceptions pass, static objects are destroyed once and in order, buffers are written" {
	for options in "-O2" "-O0 -g" "-O2 -flto=1"; do
		# At quick depth without optimisation alone; the next test has -flto.
		[[ $options = "-O0 -g" ]] || is_full_depth || continue
		INTERFERO_TEMPLATES=1 interfero-g++ $options "$programs/long.cc" -o long
		within 60 interfero limit --seconds 0.2 -o limited -- ./long
		./limited >out
		mv lines limited.lines
		rounds=$(grep -c '^[0-9]* [0-9a-f]* [0-9]*$' out)
		[ "$rounds" -gt 0 ]
		[ "$(wc -l <limited.lines)" = "$rounds" ]
		[ "$(tail -n 3 out | xargs)" = "destroyed own! destroyed second destroyed first" ]
		within 60 ./long "$rounds" | cmp - out
		cmp lines limited.lines
		interfero variants -q -n 1 --axes nops,align,unit-order,functions -o v ./limited
		v/v00001 | cmp - out || say "$options"
	done
}

@test "what -flto compiles in the link is counted and limited, too" {
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -flto=1 "$programs/long.c" -o long
	within 60 interfero limit --seconds 0.2 -o limited -- ./long
	./limited >out
	within 60 ./long "$(rounds_in out)" | cmp - out
	[ "$(objdump -d --no-show-raw-insn limited | grep -c 'dec[lq] .*<ifr_left')" = 1 ]
}

@test "a program that is refused takes no kit from its like" {
	# It enters its procedure once, behind half of the budget: the two limited programs are the same but for what they say.
	cat >once.c <<-'END'
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		__attribute__((noinline)) static void step(void) {
			static volatile int steps;
			steps++;
		}
		static double now(void) {
			struct timespec at;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
			return at.tv_sec + at.tv_nsec * 1e-9;
		}
		int main(int argc, char **argv) {
			printf("%d\n", argc > 1 ? getpid() : 0);
			double started = now();
			while (now() < started + 0.3)
				;
			step();
			for (;;)
				;
		}
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 once.c -o once
	within 60 interfero limit --seconds 0.55 -o limited -- ./once | grep -q 'ends when step is entered'
	interfero variants -q -n 1 --axes functions -o before ./limited
	refuse 3 "every run" -- interfero limit --seconds 0.55 -o limited -- ./once r
	interfero variants -q -n 1 --axes functions -o behind ./limited
	cmp before/v00001 behind/v00001
}

@test "what cannot be limited is refused, and leaves nothing" {
	before=$(interfero kit list | wc -l)
	refuse 3 "ends by itself with status 0" seconds -- interfero limit --seconds 20 -o no -- ../long 3
	refuse 3 threads OMP_NUM_THREADS=1 -- interfero limit --seconds 0.2 -o no -- ../long 1000000 t
	refuse 3 "every run" -- interfero limit --seconds 0.4 -o no -- ../long 1000000 r
	refuse 3 "half of the budget" -- interfero limit --seconds 0.4 -o no -- ../long 1000000 f
	refuse 2 "limited already" -- interfero limit --seconds 0.1 -o no -- ../limited
	[ "$(interfero kit list | wc -l)" = "$before" ]
	interfero-gcc -O2 "$programs/long.c" -o plain
	refuse 2 INTERFERO_TEMPLATES=1 -- interfero limit --seconds 0.1 -o no -- ./plain
	gcc -O1 "$programs/long.c" -o foreign
	refuse 2 "no kit" interfero-gcc -- interfero limit --seconds 0.1 -o no -- ./foreign
	refuse 2 nosuch -- interfero limit --seconds 0.1 -o no -- ./nosuch
	refuse 2 "0.1 s" -- interfero limit --seconds 0.01 -o no -- ../long
	refuse 2 "24 h" -- interfero limit --seconds 25h -o no -- ../long
	refuse 2 time -- interfero limit --seconds soon -o no -- ../long
	refuse 2 seconds -- interfero limit -o no -- ../long
	refuse 2 program -- interfero limit --seconds 1
	refuse 4 nowhere -- interfero limit --seconds 0.1 -o nowhere/no -- ../long
	[ ! -e no ]
	find "$INTERFERO_KITS/kits" -name '.new-*' | not grep .
}
