#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin, against the plain compiler as the oracle.
# INTERFERO_PLUGIN names the plugin; CC, CXX and FC the compilers that it was built for.

setup_file() {
	export CC="${CC:-gcc}" CXX="${CXX:-g++}" FC="${FC:-gfortran}"
	unset INTERFERO_PLAN
	[ -f "$INTERFERO_PLUGIN" ] || {
		echo "INTERFERO_PLUGIN does not name the plugin" >&2
		return 1
	}
	cd "$BATS_FILE_TMPDIR"
	write_c
	write_cxx
	write_fortran
	write_bodies
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	mkdir "$BATS_TEST_TMPDIR/o"
	o="$BATS_TEST_TMPDIR/o"
}

# Jump tables, computed goto, setjmp, constructors in order, static and cold functions, loops, asm goto.
write_c() {
	cat >program.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int zero;
#define CONSTRUCTOR(n, p) static void __attribute__((constructor p)) make_##n(void) { printf("made " #n "\n"); }
CONSTRUCTOR(one,) CONSTRUCTOR(two,) CONSTRUCTOR(three,) CONSTRUCTOR(four,)
CONSTRUCTOR(early, (201)) CONSTRUCTOR(late, (301)) CONSTRUCTOR(five,) CONSTRUCTOR(six,)
static void __attribute__((destructor)) drop_one(void) { printf("dropped one\n"); }
static void __attribute__((destructor)) drop_two(void) { printf("dropped two\n"); }
int choose(int n) {
	switch (n) {
	case 0: return 17; case 1: return n * 3; case 2: puts("two"); return 5; case 3: return zero + 9;
	case 4: return 44; case 5: puts("five"); return 1; case 6: return n << 4; case 7: return -n;
	case 8: puts("eight"); return 2; case 9: return zero - 9; default: return 1000;
	}
}
int interpret(const char *code) {
	static const void *const table[] = {&&stop, &&add, &&twice, &&less};
	int value = 1;
	goto *table[*code++ - '0'];
add: value += 5; goto *table[*code++ - '0'];
twice: value *= 2; goto *table[*code++ - '0'];
less: value -= 1; goto *table[*code++ - '0'];
stop: return value;
}
static __attribute__((noinline, noreturn)) void leave(int n) { longjmp(back, n); }
int __attribute__((noinline)) jump(int n) {
	int got = setjmp(back);
	if (!got)
		leave(n);
	return got + 1;
}
int __attribute__((noinline)) branch(int n) {
	__asm__ goto("cmpl $3, %0\n\tje %l1" : : "r"(n) : "cc" : three);
	return 1;
three:
	return 2;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
long __attribute__((noinline)) loops(int n, int *values) {
	long sum = 0;
	for (int i = 0; i < n; i++) {
		sum = sum * 31 + values[i];
		while (sum > 100000)
			sum /= values[i] + 2;
		if (sum < 0)
			abort();
	}
	return sum;
}
double __attribute__((noinline)) power(double x, int n) { return n ? x * power(x, n - 1) : 1; }
int main(void) {
	int values[40];
	for (int i = 0; i < 40; i++)
		values[i] = i * 7919 % 101;
	qsort(values, 40, sizeof *values, compare);
	for (int i = 0; i < 11; i++)
		printf("%d\n", choose(i + zero));
	printf("%d %d %d %d %ld %g\n", interpret("1213320"), jump(6), branch(3), branch(4), loops(40, values),
	       power(1.5, 9));
	return 7;
}
END
}

# Exceptions through several frames, virtual thunks, templates, static objects, lambdas.
write_cxx() {
	cat >program.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <string>
struct Loud {
	const char *name;
	Loud(const char *n) : name(n) { printf("made %s\n", n); }
	~Loud() { printf("dropped %s\n", name); }
};
static Loud first("first"), second("second"), third("third");
struct A { virtual int a() { return 1; } virtual ~A() {} };
struct B { virtual int b() { return 2; } virtual ~B() {} };
struct C : A, virtual B { int a() override { return 3; } int b() override { return 4; } };
template <class T> T sum(T a, T b) { return a + b; }
static int __attribute__((noinline)) thrower(int n) {
	Loud local("local");
	if (n == 1) throw std::runtime_error("one");
	if (n == 2) throw n;
	if (n == 3) throw std::string("three");
	return n;
}
static int __attribute__((noinline)) catcher(int n) {
	try { Loud outer("outer"); return thrower(n); }
	catch (const std::exception &e) { printf("caught %s\n", e.what()); return -1; }
	catch (int i) { printf("caught %d\n", i); return -2; }
	catch (...) { printf("caught something\n"); return -3; }
}
int main() {
	C c; A *a = &c; B *b = &c;
	auto lambda = [&](int n) { return n + a->a() * 10 + b->b(); };
	for (int i = 0; i < 5; i++) printf("%d\n", catcher(i));
	printf("%d %d %s\n", lambda(5), sum(2, 3), sum(std::string("x"), std::string("y")).c_str());
}
END
}

write_fortran() {
	cat >program.f90 <<'END'
module work
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function
  subroutine fill(a)
    real, intent(out) :: a(:)
    integer :: i
    do i = 1, size(a)
      a(i) = real(i) ** 2
    end do
  end subroutine
end module
program main
  use work
  real :: a(20)
  call fill(a)
  print *, fib(15), sum(a), maxval(a)
  select case (fib(6))
  case (8)
    print *, 'eight'
  case default
    print *, 'other'
  end select
end program
END
}

# bodies OBJECT: the instructions of every function, by name, without nops and addresses; a jump's target is
# written as function + number of the instruction, nops not counted.
write_bodies() {
	cat >bodies.awk <<'END'
function flush(i, line, target, where) {
	for (i = 1; i <= count; i++) {
		line = text[i]
		if (match(line, /[0-9a-f]+ <[^>]*>/)) {
			target = substr(line, RSTART, RLENGTH); sub(/ .*/, "", target)
			where = section " " target
			# What a relocation fills in has no target yet.
			where = (i in relocated) ? "" : (where in place) ? place[where] : "nowhere"
			line = substr(line, 1, RSTART - 1) where substr(line, RSTART + RLENGTH)
		}
		print owner[i] " " number[i] ": " line
	}
	count = 0
	delete relocated
}
/^Disassembly of section/ { flush(); section = $4; waiting = 0; next }
/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); n = 0; waiting = 0; next }
/^[ \t]+[0-9a-f]+: R_X86/ {
	if (last) { relocated[last] = 1; text[last] = text[last] " " $2 " " ($3 ~ /^\.text/ ? "TEXT" : $3) }
	next
}
/^[ \t]*[0-9a-f]+:\t/ {
	split($0, part, "\t"); at = part[1]; gsub(/[ :]/, "", at)
	code = part[2]; sub(/[ \t]+$/, "", code); sub(/ *#/, " #", code); gsub(/[ \t]+/, " ", code)
	if (code ~ /#/) sub(/-?0x[0-9a-f]+\(%rip\)/, "(%rip)", code)
	pending[++waiting] = section " " at
	last = 0
	if (code ~ /nop|^xchg %ax,%ax$|^data16$/) next
	for (i = 1; i <= waiting; i++) place[pending[i]] = name "+" n
	waiting = 0
	last = ++count; owner[count] = name; number[count] = n++; text[count] = code
	next
}
END { flush() }
END
}

bodies() {
	objdump -dr --no-show-raw-insn "$1" | awk -f bodies.awk | sort
}

# with AXIS=WORDS ... -- COMMAND...: the command with the plugin and those axes.
with() {
	local options=("-fplugin=$INTERFERO_PLUGIN")
	while [ "$1" != -- ]; do
		options+=("-fplugin-arg-interfero-$1")
		shift
	done
	shift
	"$@" "${options[@]}"
}

all() { # all SEED: every axis
	seeds="unit-order=seed=$1 nops=seed=$1,rate=30,max=9 align=seed=$1"
}

order() { # the functions in plain .text by address
	objdump -t "$1" | awk '$3 == "F" && $4 == ".text" { print $1, $NF }' | sort |
		awk '{ print $2 }'
}

not() { # bats overlooks a failing "! command"
	if "$@"; then return 1; fi
}

text_order() { # the order of sections named .text.NAME
	objdump -h "$1" | awk '$2 ~ /^\.text\./ { print $2 }'
}

@test "without a plan the object is the plain compiler's" {
	for options in -O0 -O1 -O2 -O3 -Os "-O2 -g" "-O2 -g -ffunction-sections" "-O0 -g -frecord-gcc-switches"; do
		$CC $options -c program.c -o "$o/plain.o"
		with -- $CC $options -c program.c -o "$o/plugin.o"
		cmp "$o/plain.o" "$o/plugin.o"
	done
	for options in -O0 "-O2 -g"; do
		$CXX $options -c program.cc -o "$o/plain.o"
		with -- $CXX $options -c program.cc -o "$o/plugin.o"
		cmp "$o/plain.o" "$o/plugin.o"
	done
}

@test "a plan with the axes of others only changes nothing" {
	printf 'interfero-plan 1\nfunctions seed=3\nstack seed=4\n' >"$o/plan"
	$CC -O2 -g -c program.c -o "$o/plain.o"
	INTERFERO_PLAN="$o/plan" with -- $CC -O2 -g -c program.c -o "$o/plugin.o"
	cmp "$o/plain.o" "$o/plugin.o"
}

@test "same seed, same bytes, in any folder and in parallel" {
	all 5
	with $seeds -- $CC -O2 -c program.c -o "$o/one.o" &
	with $seeds -- $CC -O2 -c program.c -o "$o/two.o" &
	wait
	mkdir "$o/elsewhere"
	cp program.c "$o/elsewhere"
	(cd "$o/elsewhere" && with $seeds -- $CC -O2 -c program.c -o "$o/three.o")
	cmp "$o/one.o" "$o/two.o"
	cmp "$o/one.o" "$o/three.o"
	# Debug information names the folder; -fdebug-prefix-map takes that out, and nothing of the plugin is left.
	with $seeds -- $CC -O2 -g "-fdebug-prefix-map=$PWD=." -c program.c -o "$o/one.o"
	(cd "$o/elsewhere" && cp "$INTERFERO_PLUGIN" ./interfero.so &&
		INTERFERO_PLUGIN=./interfero.so with $seeds -- \
			$CC -O2 -g "-fdebug-prefix-map=$PWD=." -c program.c -o "$o/two.o")
	cmp "$o/one.o" "$o/two.o"
}

@test "another seed, another layout, one axis at a time" {
	for axis in unit-order nops align; do
		for seed in 1 2; do
			with "$axis=seed=$seed" -- $CC -O2 -c program.c -o "$o/$seed.o"
			objcopy --dump-section .text="$o/$seed.text" "$o/$seed.o" "$o/copy.o"
		done
		not cmp -s "$o/1.text" "$o/2.text"
	done
}

@test "unit-order permutes plain .text" {
	$CC -O2 -c program.c -o "$o/plain.o"
	for seed in 1 2 3; do
		with unit-order=seed=$seed -- $CC -O2 -c program.c -o "$o/$seed.o"
		[ "$(order "$o/$seed.o" | sort)" = "$(order "$o/plain.o" | sort)" ]
		[ "$(order "$o/$seed.o")" != "$(order "$o/plain.o")" ]
	done
	[ "$(order "$o/1.o")" != "$(order "$o/2.o")" ]
}

@test "unit-order permutes function sections and leaves main's bucket alone" {
	$CC -O2 -ffunction-sections -c program.c -o "$o/plain.o"
	for seed in 1 2 3; do
		with unit-order=seed=$seed -- $CC -O2 -ffunction-sections -c program.c -o "$o/$seed.o"
		[ "$(text_order "$o/$seed.o" | sort)" = "$(text_order "$o/plain.o" | sort)" ]
		[ "$(text_order "$o/$seed.o")" != "$(text_order "$o/plain.o")" ]
		[ "$(text_order "$o/$seed.o" | grep startup)" = "$(text_order "$o/plain.o" | grep startup)" ]
	done
	[ "$(text_order "$o/1.o")" != "$(text_order "$o/2.o")" ]
}

@test "a new function leaves the others' order as it was" {
	sed 's/^int choose/int newcomer(int n) { return choose_me[n]; }\n&/; 1i extern int choose_me[];' \
		program.c >"$o/more.c"
	with unit-order=seed=4 -- $CC -O2 -c program.c -o "$o/old.o"
	with unit-order=seed=4 -- $CC -O2 -c "$o/more.c" -o "$o/new.o"
	order "$o/new.o" | grep -q newcomer
	[ "$(order "$o/new.o" | grep -v newcomer)" = "$(order "$o/old.o")" ]
}

@test "user sections and COMDAT functions stay where they are" {
	cat >"$o/user.c" <<'END'
__attribute__((section(".text.mine"))) int b(void) { return 1; }
__attribute__((section(".text.mine"))) int a(void) { return 2; }
__attribute__((section(".text.mine"))) int c(void) { return 3; }
int d(void) { return 4; }
END
	for seed in 1 2 3 4 5 6; do
		for options in -O2 "-O2 -ffunction-sections"; do
			with unit-order=seed=$seed -- $CC $options -c "$o/user.c" -o "$o/user.o"
			[ "$(objdump -d -j .text.mine "$o/user.o" | sed -n 's/.*<\(.\)>:/\1/p' | tr -d '\n')" = bac ]
		done
	done
	comdat() { objdump -h "$1" | awk '$2 ~ /^\.text\._ZN/ { print $2 }'; }
	$CXX -O1 -c program.cc -o "$o/plain.o"
	with unit-order=seed=1 -- $CXX -O1 -c program.cc -o "$o/moved.o"
	[ -n "$(comdat "$o/plain.o")" ]
	[ "$(comdat "$o/moved.o")" = "$(comdat "$o/plain.o")" ]
}

@test "an asm statement that returns to .text keeps its function whole" {
	cat >"$o/asm.c" <<'END'
int a(int n) { return n + 1; }
int whole(int n) { __asm__ volatile(".section .extra,\"a\"\n.long 1\n.text"); return n * 5; }
int z(int n) { return n + 2; }
int main(void) { return whole(a(z(1))); }
END
	for seed in 1 2 3 4; do
		with unit-order=seed=$seed -- $CC -O0 "$o/asm.c" -o "$o/asm"
		run "$o/asm"
		[ "$status" = 20 ]
	done
}

@test "-fno-toplevel-reorder is obeyed" {
	$CC -O2 -fno-toplevel-reorder -c program.c -o "$o/plain.o"
	with unit-order=seed=1 -- $CC -O2 -fno-toplevel-reorder -c program.c -o "$o/plugin.o"
	[ "$(order "$o/plain.o")" = "$(order "$o/plugin.o")" ]
}

@test "bodies without nops are the plain compiler's" {
	all 3
	for options in -O0 -O2 "-O3 -ffunction-sections" "-Os -fcf-protection" "-O2 -g -fPIC" "-O2 -pg"; do
		$CC $options -c program.c -o "$o/plain.o"
		with $seeds -- $CC $options -c program.c -o "$o/plugin.o"
		bodies "$o/plain.o" >"$o/plain"
		bodies "$o/plugin.o" >"$o/plugin"
		[ "$(wc -l <"$o/plain")" -gt 100 ]
		diff "$o/plain" "$o/plugin"
	done
	$CXX -O2 -c program.cc -o "$o/plain.o"
	with $seeds -- $CXX -O2 -c program.cc -o "$o/plugin.o"
	bodies "$o/plain.o" >"$o/plain"
	bodies "$o/plugin.o" >"$o/plugin"
	diff "$o/plain" "$o/plugin"
}

@test "rate=100 puts a nop at every place, rate=0 at none" {
	printf 'int f(int a, int b) { return a * b + 7; }\n' >"$o/f.c"
	nops() { objdump -d --no-show-raw-insn "$o/f.o" | grep -cw 'nop'; }
	with nops=seed=1,rate=100 -- $CC -O1 -c "$o/f.c" -o "$o/f.o"
	# imul, lea or add, and ret: a one-byte nop in front of each instruction
	real=$(objdump -d --no-show-raw-insn "$o/f.o" | grep -P '^\s+[0-9a-f]+:\t' | grep -vcw nop)
	[ "$(nops)" = "$real" ]
	with nops=seed=1,rate=0 -- $CC -O1 -c "$o/f.c" -o "$o/f.o"
	[ "$(nops)" = 0 ]
}

@test "nops do not depend on -g or on the other axes" {
	with nops=seed=9,rate=40 -- $CC -O2 -c program.c -o "$o/a.o"
	with nops=seed=9,rate=40 -- $CC -O2 -g -c program.c -o "$o/b.o"
	for f in a b; do
		objcopy --dump-section .text="$o/$f.text" "$o/$f.o" "$o/copy.o"
	done
	cmp "$o/a.text" "$o/b.text"
	directives() { # function, instructions before, bytes
		with "$@" -- $CC -O2 -S program.c -o - |
			awk '/^[a-z_]*:/ { f = $1; n = 0 } /\.nops/ { print f, n, $2 } /^\t[a-z]/ { n++ }' | sort
	}
	[ "$(directives nops=seed=9,rate=40 align=seed=2)" = "$(directives nops=seed=9,rate=40)" ]
	[ "$(directives nops=seed=9,rate=40 unit-order=seed=2)" = "$(directives nops=seed=9,rate=40)" ]
}

@test "endbr64 comes first, naked functions stay bare" {
	cat >"$o/bare.c" <<'END'
__attribute__((naked)) int bare(void) { __asm__("movl $3, %eax\n\tret"); }
int full(int n) { return n + 1; }
END
	with nops=seed=1,rate=100 -- $CC -O2 -fcf-protection -c "$o/bare.c" -o "$o/bare.o"
	objdump -d "$o/bare.o" | awk '/<full>:/ { getline; print }' | grep -q endbr64
	objdump -d "$o/bare.o" | sed -n '/<bare>:/,/^$/p' >"$o/bare"
	objdump -d "$o/bare.o" | awk '/<full>:/ { on = 1 } on' | grep -qw nop
	[ "$(sed '/ret/q' "$o/bare" | grep -cw nop)" = 0 ]
}

@test "alignment is only raised" {
	alignments() { objdump -h "$1" | awk '$2 ~ /^\.text\./ { print $2, substr($7, 4) }' | sort; }
	$CC -O2 -ffunction-sections -c program.c -o "$o/plain.o"
	raised=0
	for seed in 1 2 3; do
		with align=seed=$seed,functions=256,loops=0 -- $CC -O2 -ffunction-sections -c program.c -o "$o/$seed.o"
		alignments "$o/plain.o" | join - <(alignments "$o/$seed.o") >"$o/both"
		awk '$3 < $2 || $3 > 8 { exit 1 }' "$o/both"
		raised=$((raised + $(awk '$3 > $2' "$o/both" | wc -l)))
	done
	[ "$raised" -gt 5 ]
}

@test "loops get alignments in front of their labels and nothing else changes" {
	code() { sed '/note.interfero/,/note.GNU-stack/d; /note.GNU-stack/d; /^#APP$/d; /^#NO_APP$/d' "$1"; }
	$CC -O2 -S program.c -o "$o/plain.s"
	with align=seed=1,functions=0,loops=64 -- $CC -O2 -S program.c -o "$o/plugin.s"
	diff <(code "$o/plain.s") <(code "$o/plugin.s") | grep '^[<>]' >"$o/changes"
	[ "$(wc -l <"$o/changes")" -ge 3 ]
	not grep -v '^> 	\.p2align [1-6]$' "$o/changes"
	# GCC's own .p2align may stand between ours, which has no limit behind a comma, and the label.
	code "$o/plugin.s" | awk '/^\t\.p2align [1-6]$/ { ours = 1 } /^\t\.p2align/ { next }
		ours && !/^\.L[0-9]+:$/ && !/^\t\.(globl|type)/ { exit 1 } { ours = 0 }'
}

same_output() { # same_output COMPILER SOURCE OPTIONS...: under ten seeds
	local compiler=$1 source=$2
	shift 2
	$compiler "$@" "$source" -o "$o/plain"
	run "$o/plain"
	local expected_status=$status expected=$output
	[ -n "$expected" ]
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		all $seed
		with $seeds -- $compiler "$@" "$source" -o "$o/variant"
		run timeout 10 "$o/variant"
		[ "$status" = "$expected_status" ]
		[ "$output" = "$expected" ]
	done
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

@test "the note records version and axes, and is not loaded" {
	with nops=seed=0x10,rate=20 -- $CC -O2 -c program.c -o "$o/a.o"
	readelf -p .note.interfero "$o/a.o" >"$o/note"
	grep -q 'interfero-note 1' "$o/note"
	grep -q 'unit program.c' "$o/note"
	grep -q 'nops seed=16 rate=20 max=1' "$o/note"
	not grep -q 'unit-order' "$o/note"
	[ "$(objdump -d "$o/a.o" | grep -cw nop)" -gt 10 ]
	readelf -SW "$o/a.o" | grep 'note.interfero' | grep -q NOTE
	readelf -SW "$o/a.o" | awk '/note.interfero/ { exit $(NF - 3) ~ /A/ }'
}

@test "options win over the environment, axis by axis, and a plan option over its plan" {
	printf 'interfero-plan 1\nnops seed=1 rate=20\nunit-order seed=2\n' >"$o/plan"
	printf 'interfero-plan 1\nalign seed=8\n' >"$o/other"
	note() { readelf -p .note.interfero "$o/a.o"; }
	INTERFERO_PLAN="$o/plan" with nops=seed=5 -- $CC -O2 -c program.c -o "$o/a.o"
	note | grep -q 'nops seed=5 rate=20'
	note | grep -q 'unit-order seed=2'
	INTERFERO_PLAN="$o/plan" with plan="$o/other" -- $CC -O2 -c program.c -o "$o/a.o"
	note | grep -q 'align seed=8'
	[ "$(note | grep -c 'nops seed')" = 0 ]
	INTERFERO_PLAN="" with -- $CC -O2 -c program.c -o "$o/a.o"
	[ "$(readelf -S "$o/a.o" | grep -c interfero)" = 0 ]
}

one_error() { # one_error PATTERN COMMAND...: the command fails with one error, which holds the pattern
	local pattern=$1
	shift
	run "$@"
	[ "$status" -ne 0 ]
	[ "$(grep -c 'error:' <<<"$output")" = 1 ]
	grep -q -- "$pattern" <<<"$output"
	not grep -qi 'internal compiler error' <<<"$output"
	[ ! -e "$o/bad.o" ]
}

@test "a wrong plan or option is one clear error" {
	compile() { with "$@" -- $CC -c program.c -o "$o/bad.o"; }
	one_error 'nothere' compile plan="$o/nothere"
	one_error 'names no file' compile plan=
	one_error 'unit-order, nops, align and plan' compile nosuch=seed=1
	one_error 'unit-order, nops, align and plan' compile functions=seed=1
	one_error 'seed=1' compile nops
	one_error 'rate=101' compile nops=seed=1,rate=101
	one_error 'not a whole number' compile align=seed=-1
	one_error 'no parameter "speed"' compile nops=speed=1
	printf 'interfero-plan 1\n\nnops seed=1 rate=x\n' >"$o/plan"
	one_error 'plan:3: .*environment variable INTERFERO_PLAN' env INTERFERO_PLAN="$o/plan" \
		$CC -c program.c -o "$o/bad.o" "-fplugin=$INTERFERO_PLUGIN"
	printf 'interfero-plan 9\n' >"$o/plan"
	one_error 'plan:1: ' compile plan="$o/plan"
	head -c 5000 /dev/zero >"$o/plan"
	one_error 'plan:1: ' compile plan="$o/plan"
	printf 'interfero-plan 1\nnops seed=1\nnops seed=2\n' >"$o/plan"
	one_error 'plan:3: .*twice' compile plan="$o/plan"
	one_error '.' compile plan="$o"
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
