#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that cannot be measured, and layouts that do not behave as the program does: one line that names the thing
# and the remedy, the right exit status, and nothing half-made.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
}

setup() {
	use_own_folder
	ln -s ../subject subject
}

teardown_file() {
	drop_own_kits
}

# nothing_left: no experiment and no variants in this folder.
nothing_left() {
	[ -z "$(find . -name '*.exp*')" ] || say "left: $(find . -name '*.exp*')"
}

# bench ARGUMENT...: a small one.
bench() {
	interfero bench --counters clock -q -n 6 -r 2 -o x.exp "$@"
}
export -f bench

@test "the program of these tests has its functions in the order of the source, and layouts that swap them" {
	[ "$(./subject layout print)" = "in place" ]
	interfero variants -q -n 6 -o v ./subject
	for i in 1 2 3 4 5 6; do v/v0000$i layout print; done | sort -u | distinct 2
}

# differs HOW WORD...: layouts that misbehave are refused, with status 3 and one line; the others are measured.
differs() {
	local how=$1
	shift
	refuse 3 v0000 "interfero variants" "$@" -- interfero bench --counters clock -q -n 6 -r 2 --timeout 1s -o x.exp -- ./subject layout "$how"
	wrong=$(sql x.exp 'SELECT count(*) FROM variant WHERE refused IS NOT NULL')
	interfero variants -q -n 6 -o v ./subject
	[ "$wrong" -eq "$(for i in 1 2 3 4 5 6; do v/v0000$i layout print; done | grep -c moved)" ]
	# One run was enough to refuse a layout; the others have all of theirs.
	[ "$(sql x.exp 'SELECT count(DISTINCT variant || "." || repetition) FROM run')" -eq $(((7 - wrong) * 2 + wrong)) ]
	[ "$(sql x.exp 'SELECT count(*) FROM variant WHERE id = 0 AND refused IS NULL')" -eq 1 ]
	# The report leaves them out and says so.
	interfero report x.exp | tr -s ' \n' '  ' | grep -qi "refused"
}

@test "a layout that crashes" {
	differs abort "signal 6"
}

@test "a layout that hangs" {
	differs loop "did not end within"
}

@test "a layout that prints something else" {
	differs print "printed something else"
}

@test "a layout that exits with another status" {
	differs exit "status 9"
}

@test "--ignore-output takes other output, but no other status" {
	bench --ignore-output -- ./subject layout print
	[ "$(sql x.exp 'SELECT count(*) FROM variant WHERE refused IS NOT NULL')" -eq 0 ]
	rm x.exp
	refuse 3 "status 9" -- interfero bench --counters clock -q -n 6 -r 2 -o x.exp --ignore-output -- ./subject layout exit
}

@test "a program without a kit" {
	# Not the bytes of subject, whose kit would be its, too.
	${CC:-gcc} -O2 "$programs/subject.c" -o plain
	refuse 2 plain CC=interfero-gcc -- interfero bench -a functions -o x.exp -- ./plain
	refuse 2 plain CC=interfero-gcc -- interfero variants -o v ./plain
	refuse 2 ls CC=interfero-gcc -- interfero bench -a padding -o x.exp -- ls
	nothing_left
}

@test "a missing program, a folder, an empty file" {
	refuse 2 ./missing -- interfero bench -o x.exp -- ./missing
	refuse 2 ./missing -- interfero variants -o v ./missing
	refuse 2 subject ./PROG -- interfero bench -o x.exp -- subject
	mkdir folder
	refuse 2 folder -- interfero bench -o x.exp -- ./folder
	: >empty
	chmod +x empty
	refuse 2 empty ELF -- interfero bench -o x.exp -- ./empty
	refuse 2 empty ELF -- interfero variants -o v ./empty
	nothing_left
}

@test "a script" {
	printf '#!/bin/sh\nexec ./subject\n' >script
	chmod +x script
	refuse 2 script "ELF program" argument -- interfero bench -o x.exp -- ./script
	nothing_left
}

@test "an object file, a core of another kind" {
	interfero-gcc -c "$programs/subject.c" -o subject.o
	chmod +x subject.o
	refuse 2 subject.o "not a linked program" -- interfero bench -o x.exp -- ./subject.o
	refuse 2 subject.o "not a linked program" -- interfero variants -o v subject.o
	nothing_left
}

# poke FILE OFFSET BYTES: writes these bytes (as printf spells them) over what is there.
poke() {
	# shellcheck disable=SC2059 # the bytes are a format
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# poked NAME OFFSET BYTES: a copy of subject with these bytes.
poked() {
	cp -L subject "$1"
	poke "$1" "$2" "$3"
}

@test "programs of other kinds and processors, one field of the header at a time" {
	# Ref: System V ABI, ELF header: e_ident[EI_CLASS] at 4, EI_DATA at 5, e_type at 16, e_machine at 18.
	poked narrow 4 '\001'
	refuse 2 narrow -- interfero bench -o x.exp -- ./narrow
	poked swapped 5 '\002'
	refuse 2 swapped -- interfero bench -o x.exp -- ./swapped
	poked core 16 '\004'
	refuse 2 core -- interfero bench -o x.exp -- ./core
	poked arm 18 '\267'
	refuse 2 arm x86-64 -- interfero bench -o x.exp -- ./arm
	poked i386 18 '\003'
	refuse 2 i386 x86-64 -- interfero bench -o x.exp -- ./i386
	nothing_left
}

@test "damaged programs" {
	head -c 70 subject >short
	chmod +x short
	refuse 2 short -- interfero bench -o x.exp -- ./short
	# e_phoff at 32: program headers far behind the end.
	poked wild 32 '\377\377\377\377\377\377\377\177'
	refuse 2 wild -- interfero bench -o x.exp -- ./wild
	nothing_left
}

@test "a program that reads its standard input" {
	refuse 2 ./subject "--stdin" -- interfero bench -o x.exp -- ./subject stdin
	nothing_left
	echo text >input
	bench --stdin input -- ./subject stdin
	bench --stdin input -- ./subject stdin
	[ "$(sql x.exp 'SELECT count(*) FROM run WHERE refused IS NOT NULL')" -eq 0 ]
	rm x.exp
	refuse 2 nowhere -- interfero bench -o x.exp --stdin nowhere -- ./subject stdin
	nothing_left
}

@test "a program that fails as it ships" {
	refuse 3 ./subject "status 7" "no luck today" "--expect-exit" -- interfero bench -o x.exp -- ./subject fail
	refuse 3 ./subject "--timeout" -- interfero bench -o x.exp --timeout 200ms -- ./subject sleep 20000
	nothing_left
}

@test "a program that prints the time goes on with a warning" {
	run -0 --separate-stderr within 60 interfero bench --counters clock -n 3 -r 2 -o x.exp -- ./subject time
	[[ $(tr -s ' \n' '  ' <<<"$output") == *"something else in every run"* ]]
	[ "$(sql x.exp 'SELECT count(*) FROM run WHERE refused IS NOT NULL')" -eq 0 ]
}

@test "a budget bounds the first run, whose duration nobody knows" {
	printf 'int main(void) { for (;;); }\n' | gcc -x c - -o hang
	refuse 3 ./hang "before the budget was over" "longer --budget" -- interfero bench -c clock -a stack --budget 1s -o x.exp -- ./hang
	refuse 3 ./hang "did not end within 1 s" "longer --budget" -- interfero audit -c clock --budget 1s -- ./hang
	[ ! -e hang.audit ]
	nothing_left
}

@test "a first run that lasts is said, with what bounds it" {
	printf '#include <unistd.h>\nint main(void) { sleep(30); return 0; }\n' | gcc -x c - -o sleeps
	need_full_depth # two waits of 12 s; tests/unit/test_patience.c has the words and the pace
	run --separate-stderr within 60 interfero bench -c clock -a stack --timeout 12s -o x.exp -- ./sleeps
	[[ ${stderr_lines[0]} == "interfero: the first run of ./sleeps has not ended after 10 s, and goes on; --timeout"*"(now 12 s)" ]] || say "$stderr"
	run --separate-stderr within 60 interfero heap --timeout 12s -- ./sleeps
	[[ ${stderr_lines[0]} == "interfero: the first run of ./sleeps has not ended after 10 s"* ]] || say "$stderr"
}
