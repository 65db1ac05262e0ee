#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The stack of a run: names and folders of the experiment, the program and its libraries do not move it.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	interfero-gcc -O2 "$programs/where.c" -o where
	interfero-gcc -O2 -static "$programs/where.c" -o fixed
}

setup() {
	use_own_folder
	cp ../where ../fixed .
	mkdir -p a/folder/with/a/long/name
}

teardown_file() {
	drop_own_kits
}

measure() {
	interfero bench -q --counters clock -n 2 -r 2 "$@"
}

@test "experiments of all names have one stack, and the path has 256 bytes" {
	local program
	for program in where fixed; do
		measure -o e.exp -- ./$program "$here/log"
		measure -o a/folder/with/a/long/name/experiment.exp -- ./$program "$here/log"
		# Twice the reference, and two runs of three layouts or more, each time.
		[ "$(wc -l <log)" -ge 16 ]
		cut -d' ' -f1-5 log | distinct_lines 1
		[ "$(cut -d' ' -f1,2 log | sort -u)" = "./$program 256" ]
		cut -d' ' -f7 log | sort -u >files
		[ "$(grep -cE "^$here/(e|a/folder/with/a/long/name/experiment).exp.variants/v0000[012]\$" files)" -eq 6 ]
		rm -rf log ./*.exp a/folder/with/a/long/name/*
	done
}

# distinct_lines COUNT: standard input has that many different lines.
distinct_lines() {
	local lines
	lines=$(sort -u)
	[ "$(grep -c . <<<"$lines")" -eq "$1" ] || say "not $1 different lines: $lines"
}

# The runtime takes a part of the run: a trigger whose first value had none would seem to matter.
@test "all values of an axis have the runtime loaded, those that ask nothing of it, too; the shipped program has not" {
	printf '%s\n' '#include <stdio.h>' '#include <string.h>' \
		'int main(int argc, char **argv) { char line[512]; int found = 0; FILE *maps = fopen("/proc/self/maps", "r"),' \
		'*log = fopen(argv[argc - 1], "a"); while (fgets(line, sizeof line, maps)) found |= !!strstr(line, "libinterfero.so");' \
		'return fprintf(log, "%d\n", found) < 0; }' >loaded.c
	interfero-gcc -O2 loaded.c -o loaded
	for sweep in stack:main-bytes=0:32:16 huge-pages:parts=0:1:1; do
		rm -f e.exp log
		interfero bench -q --counters clock --no-profile -r 2 --sweep $sweep -o e.exp -- ./loaded "$here/log"
		# Two layouts of the shipped program's bytes and more, two runs each; the shipped program, and references.
		[ "$(grep -c 1 log)" = "$(interfero report --json e.exp | jq '[.runs[] | select(.variant > 0)] | length')" ] || say "$(cat log)"
		grep -q 0 log
	done
	# A static program is measured where nothing is asked.
	interfero bench -q --counters clock --no-profile -r 2 --sweep stack:main-bytes=0:16:16 -o s.exp -- ./fixed "$here/log"
	[ "$(interfero report --json s.exp | jq -c '[.runs[] | [.variant, .refused == null]] | unique')" = '[[0,true],[1,true],[2,false]]' ]
}

@test "the report names the conditions that were not varied, and counts boots" {
	local boot
	boot=$(cat /proc/sys/kernel/random/boot_id)
	measure -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT value FROM fact WHERE name = 'boot'")" = "$boot" ]
	interfero report e.exp | tr -s ' \n' '  ' >text
	grep -q 'Not varied: the processor (processor [0-9]*; .*), the boot of the machine, the length of the program.s path (256 bytes), the environment (PATH=' text
	# Interrupted in another boot, and resumed in this one.
	sql e.exp "UPDATE fact SET value = 'another' WHERE name = 'boot'"
	interfero bench -q --counters clock -n 3 -r 2 -o e.exp -- ./where "$here/log"
	interfero bench -q --counters clock -n 4 -r 2 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT value FROM fact WHERE name = 'boot'")" = "another $boot" ]
	interfero report e.exp | tr -s ' \n' '  ' | grep -q 'The runs are from 2 boots of the machine'
}

@test "a path beyond 256 bytes has the next multiple" {
	local long
	long=$(printf 'x%.0s' $(seq 120))
	mkdir -p "$long/$long"
	measure -o "$long/$long/e.exp" -- ./where "$here/log"
	[ "$(cut -d' ' -f2 log | sort -u)" = 512 ]
}

@test "a library's variants have one stack, too" {
	echo 'int one(int x); int one(int x) { return x + 1; }' >lib.c
	interfero-gcc -O2 -fPIC -shared -Wl,-soname,liblib.so.1 lib.c -o liblib.so.1
	ln -s liblib.so.1 liblib.so
	{
		echo '#define main where'
		cat "$programs/where.c"
		printf '#undef main\nint one(int);\nint main(int argc, char **argv) { return where(one(argc) - 1, argv); }\n'
	} >user.c
	for flags in "" -Wl,--disable-new-dtags; do # by LD_LIBRARY_PATH, by LD_PRELOAD
		gcc -O2 user.c -L. -llib $flags -Wl,-rpath,"$PWD" -o user
		measure --library ./liblib.so.1 -o e.exp -- ./user "$here/log"
		measure --library ./liblib.so.1 -o a/folder/with/a/long/name/e.exp -- ./user "$here/log"
		[ "$(wc -l <log)" -ge 16 ]
		cut -d' ' -f1-5 log | distinct_lines 1
		rm -rf log e.exp a/folder/with/a/long/name/*
	done
}

# The model's stack pointer, by the rules of the Linux kernel for the facts of the recording, is the one that the native
# run had: the word below argv.
@test "the model's stack is the native run's, whatever the experiment's name" {
	local file strings pointers auxiliary at
	for file in e.exp a/folder/with/a/long/name/experiment.exp; do
		interfero bench -q --counters clock,model -n 1 -r 1 -a functions -o $file -- ./where "$here/log"
		interfero trace info $file.trace >info
		strings=$(sed -n 's/^stack_strings_bytes //p' info)
		pointers=$(sed -n 's/^stack_pointers //p' info)
		auxiliary=$(sed -n 's/^auxiliary_bytes //p' info)
		at=$(((0x7ffffffff000 - 8 - strings) & ~15))
		at=$(((at - 7 - 16 - 8 * (3 + pointers) - auxiliary) & ~15))
		[ "$(printf '0x%x' $((at + 8)))" = "$(grep variants/ log | tail -n 1 | cut -d' ' -f3)" ] || say "$at: $(cat log)"
		rm log
	done
}
