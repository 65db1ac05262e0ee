#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings are bounded: by time, by size, and where a program would never end under the recorder.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	interfero-gcc -O1 "$programs/adaptive.c" -o adaptive
	interfero-gcc -O1 "$programs/steps.c" -o steps
	printf 'int main(void) { for (volatile unsigned i = 0;; i++); }\n' >endless.c
	gcc -O1 endless.c -o endless
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# nothing_left: the folder is as it was.
nothing_left() {
	[ -z "$(ls)" ] || say "left: $(ls)"
}

@test "a program that chooses its iterations by the clock is ended, with the cause and the remedy" {
	refuse 3 "chooses its number of iterations by the clock" "--benchmark_min_time=100x" -- interfero record -- ../adaptive
	# Each clock reading is noted, so that their growing distances bound it: 5 instructions a nanosecond of the plain run
	# and of 50 ms, not 25.
	[ "$(tr -s ' \n' '  ' <<<"$stderr" | sed -n 's/.*takes \([0-9.]*\) s of processor time, and \([0-9.]*\) thousand .*/\1 \2/p' |
		awk '{ print $2 / ($1 + 0.05) < 12 }')" = 1 ] || say "$stderr"
	run -3 --separate-stderr within 60 interfero bench -q -c model -n 2 -o x.exp -- ../adaptive
	[[ $stderr == *"chooses its number of iterations by the clock"* ]] || say "$stderr"
	nothing_left
}

@test "the end of the time: with the budget, before the recorder and under it" {
	refuse 3 "did not end in its time" "without the recorder" -- interfero record --budget 200ms -- ../endless
	refuse 3 "did not end in its time" "--to" -- interfero record --once --budget 200ms -- ../endless
	nothing_left
}

@test "a program that the recorder cannot start: the message says why, without Valgrind's marks" {
	# Its code lies where Valgrind's own does.
	echo 'void _start(void) { __asm__("mov $60, %eax; xor %edi, %edi; syscall"); }' >clash.c
	gcc -static -nostdlib -Wl,-Ttext-segment=0x58000000 clash.c -o clash
	run -4 --separate-stderr within 60 interfero record --recorder valgrind -o x.trace -- ./clash
	grep -q '^interfero: the recorder did not run the program: exit status 1: valgrind: mmap(0x58000000' <<<"$stderr"
	[[ $stderr != *==[0-9]* ]] || say "$stderr"
	[ ! -e x.trace ]
}

@test "a trace that becomes too large ends the recording, and is not there" {
	within 60 interfero record -q -o all.trace -- ../steps 20000 "$PWD/log"
	size=$(stat -c %s all.trace)
	run -3 --separate-stderr within 60 interfero record --max-size $((size / 2)) -o x.trace -- ../steps 20000 "$PWD/log"
	explain x.trace "--max-size"
	refuse 3 x.trace "--max-size" -- interfero record --once --max-size 1k -o x.trace -- ../endless
	within 60 interfero record -q --max-size "$size" -o same.trace -- ../steps 20000 "$PWD/log"
	run -3 --separate-stderr within 60 interfero bench -q -c model -n 2 --max-size 1k -o x.exp -- ../steps 20000 "$PWD/log"
	[[ $stderr == *"--max-size"* ]] || say "$stderr"
	rm all.trace same.trace log
	nothing_left
	refuse 2 "--max-size" "20M" -- interfero record --max-size 1X -- ../steps
	refuse 2 "--max-size" -- interfero record --max-size -5 -- ../steps
}

@test "a budget too short for the model is refused, before it is spent" {
	refuse 2 "the budget is too short" "to record the program takes about" -- \
		interfero bench -q -c model -n 2 --budget 200ms -o x.exp -- ../steps 200 "$PWD/log"
	rm -f log
	nothing_left
}
