#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Variants of every kind of program: static, shared, position-independent or not, C++, Fortran, and what a linker is
# asked for by options and scripts of its own.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# same_as_shipped PROGRAM [COUNT]: variants on all axes print the same and are files of their own in several orders, and
# the plan without axes gives the shipped bytes. Programs of few functions may have an order twice.
same_as_shipped() {
	local i count=${2:-$(at_depth 2 4)}
	"$1" >shipped
	interfero variants -q -n "$count" --axes all -o v "$1"
	for i in $(seq "$count"); do
		"v/v0000$i" >got
		cmp shipped got
		functions_of "v/v0000$i" | md5sum
	done >orders
	[ "$(sort -u orders | wc -l)" -ge 2 ]
	md5sum v/v0000? | cut -c 1-32 | distinct "$count"
	printf 'interfero-plan 1\nname same\n' >same.plan
	interfero variants -q -o v --plan same.plan "$1"
	cmp "$1" v/same
}

# order_program FLAGS...: the order program, compiled and linked with these.
order_program() {
	build_order -O1 "$@"
	# shellcheck disable=SC2086 # a list of words
	interfero-gcc "$@" $order_inputs -o order
}

@test "-static" {
	order_program -static
	readelf -d order | grep -q "no dynamic section"
	same_as_shipped ./order
}

@test "-static-pie" {
	order_program -static-pie -fPIE
	readelf -h order | grep -q 'DYN'
	readelf -lW order | not grep -q INTERP
	same_as_shipped ./order
}

@test "-no-pie" {
	order_program -no-pie -fno-pie
	readelf -h order | grep -q 'EXEC'
	same_as_shipped ./order
}

@test "-O0, -O3 and -Os, with debug information" {
	for level in -O0 $(at_depth "" -O3) -Os; do
		order_program $level -g
		same_as_shipped ./order 2
		rm -r v
	done
}

@test "-Wl,--gc-sections, -z noseparate-code, -z now, --emit-relocs" {
	for flags in $(at_depth "--gc-sections,-z,now -z,noseparate-code,--hash-style=both --emit-relocs" \
		"--gc-sections -z,noseparate-code -z,now --emit-relocs --hash-style=both"); do
		order_program "-Wl,$flags"
		same_as_shipped ./order 2
		rm -r v
	done
}

@test "-shared: every variant of a library serves the program" {
	build_order -O1 -fPIC
	interfero-gcc -shared order_note.o order_one.o order_two.o order_three.o libfirst.a libsecond.a -o liborder.so
	interfero-gcc order_main.o -L. -lorder -o order
	LD_LIBRARY_PATH=. ./order >shipped
	grep -q "^constructors: one two three$" shipped
	interfero variants -q -n 6 --axes all -o v liborder.so
	for i in 1 2 3 4 5 6; do
		mkdir -p as$i
		cp v/v0000$i as$i/liborder.so
		LD_LIBRARY_PATH=as$i ./order >got
		cmp shipped got
		functions_of v/v0000$i | md5sum
	done >orders
	distinct 6 <orders
	# And variants of the program find the library as it does.
	interfero variants -q -n 1 --axes all -o w ./order
	cmp <(LD_LIBRARY_PATH=. w/v00001) shipped
}

@test "C++: exceptions pass through functions that have moved" {
	for flags in "-O2 -static" "-O0 -g" $(at_depth "" -O1); do
		# shellcheck disable=SC2086 # a list of words
		interfero-g++ $flags "$programs/exceptions.cc" -o exceptions
		# Worked out by hand: six guards in deep and one in middle, then one and one.
		[ "$(./exceptions)" = "bottom 100 9" ]
		same_as_shipped ./exceptions
		rm -r v
	done
}

@test "threads, thread-local data and indirect functions" {
	cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
static __thread int own = 5;
static int by_two(int x) { return 2 * x; }
static int (*choose(void))(int) { return by_two; }
int twice(int) __attribute__((ifunc("choose")));
static void *work(void *x) { own += twice(*(int *)x); return (void *)(long)own; }
int main(void) {
	pthread_t thread;
	int seven = 7;
	void *got;
	if (pthread_create(&thread, 0, work, &seven) || pthread_join(thread, &got)) return 1;
	printf("%ld %d\n", (long)got, own);
	return 0;
}
END
	for flags in "" "-static" "-no-pie"; do
		# shellcheck disable=SC2086 # a list of words
		interfero-gcc -O1 $flags threads.c -pthread -o threads
		[ "$(./threads)" = "19 5" ]
		same_as_shipped ./threads 3
		rm -r v
	done
}

@test "Fortran" {
	need gfortran
	cat >work.f90 <<'END'
module work
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    r = n
    if (n > 1) r = fib(n - 1) + fib(n - 2)
  end function
  integer function square(n)
    integer, intent(in) :: n
    square = n * n
  end function
end module
program main
  use work
  print '(i0, 1x, i0)', fib(15), square(12)
end program
END
	interfero-gfortran -O1 work.f90 -o work
	# The 15th Fibonacci number, and twelve squared.
	[ "$(./work)" = "610 144" ]
	same_as_shipped ./work 3
}

@test "version scripts, wrapped symbols and a linker script of the program's own" {
	echo 'VERS_1 { global: order_*; one_run; two_run; three_run; local: *; };' >map.txt
	build_order -O1 -fPIC
	interfero-gcc -shared -Wl,--version-script=map.txt order_note.o order_one.o order_two.o order_three.o \
		libfirst.a libsecond.a -o liborder.so
	rm map.txt
	interfero variants -q -n 1 -o v liborder.so
	nm -D v/v00001 | grep -q 'one_run@@VERS_1'
	ld --verbose -pie | sed '1,/^=====/d; /^=====/,$d' >own.ld
	# shellcheck disable=SC2086 # a list of words
	interfero-gcc -Wl,-T,own.ld $order_inputs -o order
	rm own.ld
	rm -r v
	same_as_shipped ./order
}
