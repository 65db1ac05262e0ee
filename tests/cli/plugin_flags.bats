#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin under every front end and flag: what is compiled does what it did.

load ../plugin

setup_file() {
	use_plugin
}

setup() {
	use_plugin_folder
}

@test "a C program's output, status and constructor order are the same under ten seeds" {
	same_output $CC program.c -O2
	same_output $CC program.c -O0 -g
}

@test "a C program with function sections and PIC is the same under ten seeds" {
	same_output $CC program.c -O3 -ffunction-sections -fPIC -fcf-protection -g
}

@test "a C++ program with exceptions is the same under ten seeds" {
	same_output $CXX program.cc -O2
}

@test "a Fortran program is the same under ten seeds" {
	command -v $FC >/dev/null || skip "no Fortran compiler"
	same_output $FC program.f90 -O2
}

@test "link-time optimisation works and repeats" {
	text() { objdump -d "$1" | tail -n +4; }
	for options in "-flto=1" "-flto=1 -ffat-lto-objects -ffunction-sections"; do
		# GCC's own link-time order of constructors differs from the compiler's: the oracle is plain LTO.
		$CC -O2 $options program.c -o "$o/plain"
		run "$o/plain"
		expected=$output
		[ -n "$expected" ]
		for seed in 1 2; do
			all $seed
			with $seeds -- $CC -O2 $options program.c -o "$o/lto$seed"
			run "$o/lto$seed"
			[ "$output" = "$expected" ]
			readelf -p .note.interfero "$o/lto$seed" | grep -q "nops seed=$seed"
		done
		all 1
		with $seeds -- $CC -O2 $options program.c -o "$o/again"
		[ "$(text "$o/again")" = "$(text "$o/lto1")" ]
		[ "$(text "$o/lto2")" != "$(text "$o/lto1")" ]
	done
}

@test "-E -S -M, checks only, several sources and the assembler go through" {
	all 2
	[ "$(with $seeds -- $CC -E program.c)" = "$($CC -E program.c)" ]
	[ "$(with $seeds -- $CC -M program.c)" = "$($CC -M program.c)" ]
	with $seeds -- $CC -fsyntax-only program.c
	with $seeds -- $CC -O2 -g -S program.c -o "$o/program.s"
	$CC "$o/program.s" -o "$o/from_assembly"
	with $seeds -- $CC -O2 -g program.c -o "$o/direct"
	[ "$("$o/from_assembly")" = "$("$o/direct")" ]
	with $seeds -- $CC -c -x assembler "$o/program.s" -o "$o/program.o"
	printf 'int a(void) { return 1; }\n' >"$o/a.c"
	printf '#define N 2\n.globl b\nb: ret\n' >"$o/b.S"
	(cd "$o" && with $seeds -- $CC -O2 -c a.c b.S "$BATS_FILE_TMPDIR/program.c")
	readelf -p .note.interfero "$o/a.o" | grep -q 'unit a.c'
	readelf -p .note.interfero "$o/program.o" | grep -q 'unit program.c'
	[ "$(nm "$o/b.o" | awk '{ print $3 }')" = b ]
}

@test "profiling, patchable entries and precompiled headers do not break" {
	all 6
	$CC -O2 program.c -o "$o/plain"
	run "$o/plain"
	expected=$output
	for options in -pg "-pg -mfentry -fno-pie -no-pie" "-fpatchable-function-entry=5,2 -fcf-protection" \
		"-fstack-protector-all -g3" "-fno-asynchronous-unwind-tables -fno-dwarf2-cfi-asm"; do
		with $seeds -- $CC -O2 $options program.c -o "$o/variant"
		output=$(cd "$o" && ./variant) || [ $? = 7 ]
		[ "$output" = "$expected" ]
	done
	printf 'int declared(int);\n' >"$o/head.h"
	with $seeds -- $CC "$o/head.h" -o "$o/head.h.gch"
	printf '#include "head.h"\nint declared(int n) { return n; }\n' >"$o/use.c"
	with $seeds -- $CC -I"$o" -c "$o/use.c" -o "$o/use.o"
}

lines() { # the source lines that debug information knows
	objdump --dwarf=decodedline "$1" | awk '/^program.c/ { print $2 }' | sort -nu
}

function_lines() { # where the functions begin, by the debug information
	for f in choose interpret loops power compare; do
		addr2line -f -e "$1" "$(nm "$1" | awk -v f=$f '$3 == f { print $1 }')"
	done
}

@test "debug information covers the permuted text and finds the lines" {
	$CC -O2 -g program.c -o "$o/plain"
	with unit-order=seed=2 align=seed=2 -- $CC -O2 -g program.c -o "$o/variant"
	grep -q 'program.c' <<<"$(function_lines "$o/plain")"
	[ "$(function_lines "$o/variant")" = "$(function_lines "$o/plain")" ]
	all 2
	with $seeds -- $CC -O2 -g program.c -o "$o/variant"
	[ "$(lines "$o/plain" | wc -l)" -gt 20 ]
	[ "$(lines "$o/variant")" = "$(lines "$o/plain")" ]
}
