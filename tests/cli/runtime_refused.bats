#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What the runtime cannot do leaves the program running; the harness refuses the sample and says why.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	gcc -O1 "$programs/forbid.c" -o forbid
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -DQUIET -Wno-deprecated-declarations -pthread "$programs/surface.c" -o quiet
	printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char *p = malloc(100); return !p || puts("done") < 0; }\n' >done.c
	interfero-gcc -O1 done.c -o done
	interfero-gcc -O1 -static done.c -o fixed
}

setup() {
	runtime="$INTERFERO_BUILD/libexec/interfero/libinterfero.so"
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

runs_fine() {
	[ "$(within 60 env INTERFERO_HEAP="$1" INTERFERO_BLOCKS=random LD_PRELOAD="$runtime" "${@:2}" 2>errors)" = fine ] ||
		say "$* $(cat errors)"
}

# bench AXES PROGRAM [OPTION...]: two layouts and the one that ships, once each.
bench() {
	within 120 "${interfero:-interfero}" bench -q -n 2 -r 1 --counters clock --axes "$1" -o e.exp "${@:3}" -- "$2" >out 2>&1
}

# refused_because TEXT: both layouts were, and the program as it ships was not.
refused_because() {
	[ "$(sql e.exp "select count(*) from run where variant > 0 and refused like '%$1%'")" -eq 2 ] ||
		say "$(cat out; sql e.exp 'select refused from run')"
	[ "$(sql e.exp "select count(*) from run where variant = 0 and refused is null")" -eq 1 ]
}

forbidding() {
	local status=0
	"$place/forbid" "$1" -- true || status=$?
	[ "$status" -ne 77 ] || skip "no system calls can be filtered here"
}

@test "a kernel that reserves nothing: glibc places, samples are refused" {
	forbidding reserve
	# Without threads: glibc's own arenas need such reservations.
	[ "$(INTERFERO_HEAP=diehard LD_PRELOAD=$runtime "$place/forbid" reserve -- "$place/done" 2>errors)" = done ]
	grep -q 'heap and blocks: the system gives no address space' errors
	cat >strict <<-END
		#!/bin/sh
		exec $place/forbid reserve -- interfero "\$@"
	END
	chmod +x strict
	interfero=./strict bench heap "$place/done" || true
	refused_because 'no address space'
}

@test "a kernel that takes no advice and moves no pages: all works" {
	forbidding advise
	for heap in shuffle diehard; do
		runs_fine $heap "$place/forbid" advise move -- "$place/quiet"
		[ ! -s errors ]
	done
}

@test "a program with more rights than its user is left alone" {
	[ "$(id -u)" -eq 0 ] || skip "only root can make one"
	need setpriv
	cp "$place/quiet" other
	chmod 4755 other
	chmod a+rx . "$place"
	setpriv --reuid=65534 --clear-groups --bounding-set=-all test -x "$here/other" || skip "others cannot come to this folder"
	[ "$(INTERFERO_HEAP=diehard LD_PRELOAD=$runtime setpriv --reuid=65534 --clear-groups "$here/other")" = fine ]
	cp "$place/done" owned
	chmod 4755 owned
	within 120 setpriv --reuid=65534 --clear-groups "$INTERFERO_BUILD/bin/interfero" heap -r 1 -- "$here/owned" >table 2>&1 || true
	grep -q 'more rights than its user' table || say "$(cat table)"
}

@test "a low limit on the stack: the program runs, its main stays where it is" {
	(ulimit -s 256 && runs_fine diehard env INTERFERO_STACK=1048576 "$place/quiet")
	grep -q 'stack: the limit on the stack is too low' errors
	(ulimit -s 256 && bench stack "$place/done" --set stack:max=0,main=1048576) || true
	refused_because 'limit on the stack'
	status=0
	rm -rf e.exp*
	(ulimit -Hs 65536 && bench load "$place/done") || status=$?
	[ "$status" -eq 4 ]
	grep -q 'cannot move its mappings' out
}

@test "little address space: the sample is refused" {
	(ulimit -v 600000 && bench heap "$place/done") || true
	refused_because 'no address space'
}

@test "a static program, and one without the library" {
	bench stack "$place/fixed" --set stack:max=0,main=4096 || true
	refused_because 'not loaded'
	rm -f e.exp*
	mkdir -p bin libexec/interfero
	cp "$INTERFERO_BUILD/bin/interfero" bin
	ln -s "$INTERFERO_BUILD"/libexec/interfero/* libexec/interfero
	rm libexec/interfero/libinterfero.so
	interfero=bin/interfero bench heap "$place/done" || true
	refused_because 'not loaded'
}
