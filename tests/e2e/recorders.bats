#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The two recorders share no code. Over kinds of programs, what each program's own code executes is the same by both, block by
# block and access by access, with its code; where it differs, library routines chosen by the processor's CPUID explain it.

load ../helpers
load ../record

setup_file() {
	use_own_kits
	record_programs="$BATS_TEST_DIRNAME/programs/record"
	export record_programs
	gcc -O2 "$record_programs/kinds.c" -o "$place/kinds" -lm -pthread
	gcc -O2 -static "$record_programs/kinds.c" -o "$place/kinds-static" -lm -pthread
	is_full_depth || return 0
	gcc -O2 -static-pie "$record_programs/kinds.c" -o "$place/kinds-static-pie" -lm -pthread
	g++ -O2 "$record_programs/kinds.cc" -o "$place/kinds-cc"
	gfortran -O2 "$record_programs/kinds.f90" -o "$place/kinds-f90"
}

setup() {
	use_own_folder
	need_qemu_recorder
}

teardown_file() {
	drop_own_kits
}

# own_code TRACE: what the program's own file executes, with code. Accesses to other mappings lie where the processor's
# features put them (the state that a signal saves, for one), and count without their place. A handler interrupts a
# straight run wherever it comes.
own_code() {
	interfero trace dump --code "$1" | awk '
		/^block/ { own = /program8:/ }
		own && /^(block|  code)/ { sub(/, (interruption|fault)$/, ""); print }
		own && /^  (load|store|prefetch)/ { print $1, $2, $3 ~ /^program8:/ ? $3 : "elsewhere" }'
}

# both [OPTIONS -- ] PROGRAM [ARGS...]: records the program by both, into valgrind.trace and qemu.trace.
both() {
	record --recorder valgrind -o valgrind.trace -- "$@"
	interfero trace verify valgrind.trace
	record --recorder qemu $qemu_options -o qemu.trace -- "$@"
	interfero trace verify qemu.trace
}

# agree_over PROGRAM [ARGS...]: own code, in order; that of threads without an order.
agree_over() {
	local order=cat recorder
	[[ $* != *threads ]] || order=sort
	qemu_options=
	# One instruction a block: qemu's recorder knows the addresses of all prefetches.
	[[ $* != *prefetch ]] || qemu_options=--all-accesses
	both "$@"
	for recorder in valgrind qemu; do own_code $recorder.trace | $order >$recorder.own; done
	[ "$(wc -l <valgrind.own)" -gt 200 ] || say "$* executes next to nothing"
	cmp valgrind.own qemu.own || say "$*: $(diff valgrind.own qemu.own | head -n 20)"
}

# by_function PROGRAM TRACE: how many instructions each function of a static program executes.
by_function() {
	awk '
		function number(hex) { value = 0; for (i = 1; i <= length(hex); i++) value = 16 * value + index("123456789abcdef", substr(hex, i, 1)); return value }
		FNR == NR { if ($2 ~ /^[tTwWiI]$/) { at[++count] = number($1); name[count] = $3 } next }
		/^block program8:/ {
			address = number(substr($2, 12))
			low = 1
			for (high = count; low < high;) {
				middle = int((low + high + 1) / 2)
				if (at[middle] <= address) low = middle; else high = middle - 1
			}
			sum[name[low]] += $4
		}
		END { for (function_name in sum) print function_name, sum[function_name] }' \
		<(nm "$1" | sort) <(interfero trace dump "$2") | sort
}

# agree_by_function PROGRAM [ARGS...]: instructions of every function, but for those that read CPUID or the auxiliary vector,
# or that are chosen by them.
agree_by_function() {
	qemu_options=
	both "$@"
	for recorder in valgrind qemu; do by_function "$1" $recorder.trace >$recorder.functions; done
	[ "$(comm -12 valgrind.functions qemu.functions | wc -l)" -gt 40 ]
	comm -3 valgrind.functions qemu.functions | awk '{ print $1 }' | sort -u |
		grep -vE '^(__libc_start_main_impl|_dl_aux_init|_dl_relocate_static_pie|_dl_non_dynamic_init|.*cpu_features.*|.*cacheinfo.*|get_common_.*|handle_(intel|amd|zhaoxin).*|intel_check_word.*|update_active.*|.*_ifunc(_.*)?|.*_(sse2|ssse3|sse4|sse42|avx|avx2|evex|avx512|erms|fma|fma4)(_.*)?)$' >unexplained || true
	[ ! -s unexplained ] || say "$* differs in $(cat unexplained)"
}

# agree_over_kinds KIND...
agree_over_kinds() {
	local kind
	for kind; do agree_over "$place/kinds" $kind; done
}

@test "the recorders agree over computed jumps, repeated and locked instructions" {
	agree_over_kinds goto rep locks
}

@test "a program that looks for Valgrind finds a processor, and makes the same instructions" {
	agree_over "$place/kinds" request
	record --recorder valgrind -o looks.trace -- "$place/kinds" request
	grep -qx "on a processor" out
}

@test "the recorders agree over a static program, function by function, but for what CPUID chooses" {
	agree_by_function "$place/kinds-static" strings
	is_full_depth || return 0
	agree_by_function "$place/kinds-static" x87
	agree_by_function "$place/kinds-static" sort
	agree_by_function "$place/kinds-static-pie" switch
}

@test "the recorders agree over further kinds: x87, vectors, signals, faults, threads, children, prefetches" {
	need_full_depth
	agree_over_kinds x87 setjmp signals faults selfmod threads fork exec stack sort switch floats prefetch strings
	! grep -qw avx2 /proc/cpuinfo || agree_over_kinds avx2
	! grep -qw bmi2 /proc/cpuinfo || agree_over_kinds bits
}

@test "the recorders agree over C++ with exceptions and virtual calls, and over Fortran" {
	need_full_depth
	agree_over "$place/kinds-cc"
	agree_over "$place/kinds-f90"
}
