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

@test "a C program's output, status and constructor order are the same under every seed" {
	same_output $CC program.c -O2
	same_output $CC program.c -O0 -g
}

@test "a C program with function sections and PIC is the same under every seed" {
	same_output $CC program.c -O3 -ffunction-sections -fPIC -fcf-protection -g
}

@test "a C++ program with exceptions is the same under every seed" {
	same_output $CXX program.cc -O2
}

@test "a Fortran program is the same under every seed" {
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

@test "every axis at every level of optimisation: C, C++, Fortran" {
	for options in -O0 -O1 -O2 -O3 -Os -Og "-O2 -g"; do
		[[ $options != -O[13gs] ]] || is_full_depth || continue
		same_under_every $CC program.c $options
		case $options in
		-O1 | -O2 | -O3 | -Os | -Og) is_full_depth || continue ;;
		esac
		same_under_every $CXX program.cc $options
		same_under_every $FC program.f90 $options
	done
}

@test "OpenMP, nested functions, clones, ifuncs, naked, VLA, alloca and variadics" {
	for options in "-O0 -fopenmp" "-O2 -fopenmp" "-O2" "-O3 -fopenmp -fPIC -fcf-protection"; do
		[[ $options != "-O2"* ]] || is_full_depth || continue
		same_under_every $CC kinds.c $options
	done
}

@test "coroutines" {
	for options in "-O0" "-O2" "-O2 -g -ffunction-sections"; do
		same_under_every $CXX coroutine.cc -std=c++20 $options
	done
}

@test "every axis under profiles, profiling, patchable entries and protection" {
	same_under_every $CC program.c -O2 -fcf-protection
	same_under_every $CC program.c -O2 -fpatchable-function-entry=4,1
	same_under_every $CC program.c -O2 -fstack-protector-all -fstack-clash-protection
	$CC -O2 -fprofile-generate="$o" program.c -o "$o/trained"
	run "$o/trained"
	[ "$status" = 7 ]
	same_under_every $CC program.c -O2 -fprofile-use="$o" -fprofile-partial-training -Wno-missing-profile
	cd "$o" # gmon.out goes where the program runs
	same_under_every $CC "$BATS_FILE_TMPDIR/program.c" -O2 -pg
}

@test "every axis under link-time optimisation, one partition and several" {
	for options in "-flto=1 -flto-partition=one" "-flto=1 -flto-partition=balanced --param=lto-min-partition=100" \
		"-flto=1 -ffat-lto-objects"; do
		# At quick depth C in one partition, C++ in several.
		[[ $options != *fat* ]] || is_full_depth || continue
		{ [[ $options == *balanced* ]] && ! is_full_depth; } || same_under_every $CC kinds.c -O2 $options
		{ [[ $options == *=one ]] && ! is_full_depth; } || same_under_every $CXX program.cc -O2 $options
	done
}

@test "split stacks are refused, with the reason" {
	run with nops=seed=1 -- $CC -fsplit-stack -c program.c -o "$o/split.o"
	[ "$status" -ne 0 ]
	[[ $output == *split-stack*prologues* ]]
	[ ! -e "$o/split.o" ]
	# Without a plan there is nothing to refuse.
	with -- $CC -fsplit-stack -c program.c -o "$o/split.o"
}

@test "preprocessed input, as ccache and distcc send it, and precompiled headers" {
	every 4
	$CC -E program.c -o "$o/program.i"
	with $seeds -- $CC -O2 -c "$o/program.i" -o "$o/one.o"
	with $seeds -- $CC -O2 -c program.c -o "$o/two.o"
	for f in one two; do objdump -dr --no-show-raw-insn "$o/$f.o" | tail -n +4 >"$o/$f"; done
	cmp "$o/one" "$o/two"
	with $seeds -- $CC -O2 -fdirectives-only -E program.c -o "$o/directives.i"
	with $seeds -- $CC -O2 -fpreprocessed -fdirectives-only -c "$o/directives.i" -o "$o/three.o"
	printf 'static inline int declared(int n) { return n * 3; }\n#include <stdio.h>\n' >"$o/head.h"
	with $seeds -- $CC -O2 "$o/head.h" -o "$o/head.h.gch"
	rm "$o/head.h"
	printf 'int main(void) { printf("%%d\\n", declared(14)); }\n' >"$o/use.c"
	with $seeds -- $CC -O2 -I"$o" -include "$o/head.h" "$o/use.c" -o "$o/use"
	[ "$("$o/use")" = 42 ]
}

@test "parallel builds under one plan make the same objects as one after the other" {
	every 5
	for i in 1 2 3 4 5 6; do sed "s/choose/choose$i/g" program.c >"$o/p$i.c"; done
	for i in 1 2 3 4 5 6; do with $seeds -- $CC -O2 -c "$o/p$i.c" -o "$o/serial$i.o"; done
	for i in 1 2 3 4 5 6; do with $seeds -- $CC -O2 -c "$o/p$i.c" -o "$o/parallel$i.o" & done
	wait
	for i in 1 2 3 4 5 6; do cmp "$o/serial$i.o" "$o/parallel$i.o"; done
}
