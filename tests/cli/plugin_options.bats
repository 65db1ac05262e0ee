#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What the GCC plugin is asked to do, and what it says that it did.

load ../plugin

setup_file() {
	use_plugin
}

setup() {
	use_plugin_folder
}

@test "the note records version and axes, and is not loaded" {
	with nops=seed=0x10,rate=20 -- $CC -O2 -c program.c -o "$o/a.o"
	readelf -p .note.interfero "$o/a.o" >"$o/note"
	grep -q 'interfero-note 2' "$o/note"
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

@test "a wrong plan or option is one clear error" {
	compile() { with "$@" -- $CC -c program.c -o "$o/bad.o"; }
	one_error 'nothere' compile plan="$o/nothere"
	one_error 'names no file' compile plan=
	one_error 'unit-order, nops, align, frames, globals, alias-check, split-loops, duplicate-joins, plan, prefetch, templates' compile nosuch=seed=1
	one_error 'unit-order, nops, align, frames, globals, alias-check, split-loops, duplicate-joins, plan, prefetch, templates' compile functions=seed=1
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

names_in() { # the functions that hold nops, by the code
	objdump -d --no-show-raw-insn "$o/a.o" | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /\tnop/ { print name }' |
		tr -d '<>:' | sort -u | tr '\n' ' '
}

# GCC 14 aligns tight loops whatever these say, except with -Os.
unaligned="-fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels"

@test "only= and except= limit an axis to functions, by either name" {
	compile() { with "$@" -- $CC -Os $unaligned -c "$o/a.c" -o "$o/a.o"; }
	cat >"$o/a.c" <<'END'
int one(int n) { return n * n + 1; }
int two(int n) __asm__("renamed");
int two(int n) { return n * n + 2; }
int three(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= one(i); return s; }
END
	compile nops=seed=1,rate=100
	[ "$(names_in)" = "one renamed three " ]
	compile nops=seed=1,rate=100,only=two
	[ "$(names_in)" = "renamed " ]
	compile nops=seed=1,rate=100,only=renam*,three
	[ "$(names_in)" = "renamed three " ]
	compile nops=seed=1,rate=100,only=t*,except=three
	[ "$(names_in)" = "renamed " ]
	compile nops=seed=1,rate=100,except=*
	[ "$(names_in)" = "" ]
	# A function's own decisions are the same with and without the others.
	three() { objdump -d --no-show-raw-insn "$o/a.o" | sed -n '/<three>:/,/^$/p' | cut -f2 | sed 's/^[^ ]* <.*>:$//; s/^j.*//'; }
	compile nops=seed=1,rate=50
	whole=$(three)
	compile nops=seed=1,rate=50,only=three
	[ "$(three)" = "$whole" ]
}

@test "one loop can be moved, and nothing else" {
	cat >"$o/a.c" <<'END'
int one(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= a[i]; return s; }
int two(int *a, int n) { int s = 1; for (int i = 0; i < n; i++) s += a[i]; return s; }
END
	$CC -Os $unaligned -S "$o/a.c" -o "$o/plain.s"
	with align=seed=5,functions=0,loops=64,only=two -- $CC -Os $unaligned -S "$o/a.c" -o "$o/a.s"
	diff "$o/plain.s" <(sed '/note.interfero/,/p2align 2$/d; /^\t\.\(long\|asci\)/d; /APP$/d' "$o/a.s") |
		grep '^[<>]' >"$o/found" || true
	grep -q '^> 	.p2align [13-6]$' "$o/found"
	[ "$(grep -vc 'p2align 2$' "$o/found")" = 1 ]
	with align=seed=1,functions=4096,loops=0,only=two -- $CC -Os $unaligned -ffunction-sections -c "$o/a.c" -o "$o/a.o"
	[ "$(objdump -h "$o/a.o" | awk '$2 == ".text.one" { print $7 }')" = '2**0' ]
	[ "$(objdump -h "$o/a.o" | awk '$2 == ".text.two" { print $7 }')" != '2**0' ]
}

@test "unit-order leaves those it may not move in their order" {
	for i in 1 2 3 4 5 6 7 8; do echo "int f$i(int n) { return n + $i; }"; done >"$o/a.c"
	for seed in 1 2 3; do
		with unit-order=seed=$seed,except=f[1-4] -- $CC -O1 -c "$o/a.c" -o "$o/a.o"
		kept=$(order "$o/a.o" | grep 'f[1-4]' | tr -d '\n')
		[ "$kept" = f1f2f3f4 ] || [ "$kept" = f4f3f2f1 ]
		order "$o/a.o" | grep 'f[5-8]' | tr '\n' ' ' >>"$o/orders"
		echo >>"$o/orders"
	done
	[ "$(sort -u "$o/orders" | wc -l)" -gt 1 ]
}

@test "the attribute interfero keeps axes away and gives functions words to go by" {
	cat >"$o/a.c" <<'END'
__attribute__((interfero("hot", "-align"))) int one(int n) { return n * n + 1; }
__attribute__((interfero("hot"), interfero("-nops"))) int two(int n) { return n * n + 2; }
__attribute__((interfero("-all"))) int three(int n) { return n * n + 3; }
int four(int n) { return n * n + 4; }
END
	compile() { with "$@" -- $CC -Wall -Werror -O1 $unaligned -c "$o/a.c" -o "$o/a.o"; }
	compile nops=seed=1,rate=100
	[ "$(names_in)" = "four one " ]
	compile nops=seed=1,rate=100,only=@hot
	[ "$(names_in)" = "one " ]
	compile nops=seed=1,rate=100,except=@h*
	[ "$(names_in)" = "four " ]
	echo '__attribute__((interfero("-nosuch"))) int f(void) { return 1; }' >"$o/b.c"
	run with -- $CC -c "$o/b.c" -o "$o/b.o"
	[[ $output == *warning*-AXIS* ]]
}

@test "heat: code that GCC holds for cold, or the other" {
	cat >"$o/a.c" <<'END'
extern int puts(const char *);
__attribute__((cold, noinline)) int fails(int n) { puts("a"); return n * n + 1; }
int runs(int n) { if (n > 7) return fails(n); puts("b"); return n * n + 2; }
END
	for heat in 0 1 2; do
		with nops=seed=1,rate=100,heat=$heat -- $CC -O2 $unaligned -c "$o/a.c" -o "$o/a.o"
		names_in >>"$o/names"
		echo >>"$o/names"
	done
	# The call of the cold function is put apart as runs.cold.
	[ "$(sed -n 1p "$o/names")" = "fails runs runs.cold " ]
	[ "$(sed -n 2p "$o/names")" = "runs " ]
	[ "$(sed -n 3p "$o/names")" = "fails runs.cold " ]
}

@test "frames: wider frames, the same results, VLA, alloca, setjmp and naked functions too" {
	cat >"$o/a.c" <<'END'
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static jmp_buf back;
__attribute__((naked, noinline)) int bare(void) { __asm__("movl $3, %eax\n\tret"); }
__attribute__((noinline)) int vla(int n) { int v[n]; for (int i = 0; i < n; i++) v[i] = i * n; int s = 0; for (int i = n; i--;) s = s * 3 + v[i]; return s; }
__attribute__((noinline)) int stack(int n) { char *p = alloca(n), q[40]; memset(p, n, n); memcpy(q, p, n > 40 ? 40 : n); return q[n / 2] + p[n - 1]; }
__attribute__((noinline)) int jumps(int n) { volatile int kept[6] = {n}; if (!setjmp(back)) { kept[2] = 7; longjmp(back, 1); } return kept[0] + kept[2]; }
__attribute__((noinline)) int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; while (n--) s += va_arg(a, int); va_end(a); return s; }
int main(void) { printf("%d %d %d %d %d\n", bare(), vla(9), stack(20), jumps(5), sum(4, 1, 2, 3, 4)); }
END
	for options in -O0 -O2 "-O2 -fstack-protector-all" "-O2 -fomit-frame-pointer -mno-red-zone"; do
		$CC $options "$o/a.c" -o "$o/plain"
		expected=$("$o/plain")
		for seed in $(up_to 2 4); do
			with frames=seed=$seed,max=4096 -- $CC $options "$o/a.c" -o "$o/a"
			[ "$("$o/a")" = "$expected" ]
		done
	done
	frame_of() { objdump -d "$1" | sed -n '/<vla>:/,/^$/s/.*sub *\$0x\([0-9a-f]*\),%rsp.*/\1/p' | head -n 1; }
	$CC -O0 -c "$o/a.c" -o "$o/plain.o"
	with frames=seed=1,max=4096,only=vla -- $CC -O0 -c "$o/a.c" -o "$o/a.o"
	added=$(readelf -p .note.interfero "$o/a.o" | grep -o 'frame=[0-9]*' | cut -d= -f2)
	[ "$added" -gt 0 ]
	[ $((0x$(frame_of "$o/a.o") - 0x$(frame_of "$o/plain.o"))) -eq "$added" ]
	[ "$(readelf -p .note.interfero "$o/a.o" | grep -c 'frame=')" = 1 ]
}

variables() { # the variables of a section by address
	nm -n "$1" | awk -v t="$2" 'tolower($2) == t { print $3 }' | tr '\n' ' '
}

@test "globals: another order, only larger alignments, sections of the user's as they were" {
	for i in 1 2 3 4 5 6 7 8; do echo "int v$i = $i; static int s$i = $i; int z$i;"; done >"$o/a.c"
	cat >>"$o/a.c" <<'END'
__attribute__((section(".mine"))) int m1 = 1, m2 = 2, m3 = 3;
__thread int t1 = 1, t2 = 2, t3 = 3;
extern int puts(const char *);
int get(int n) { v1 += n; v3 += s2++; return s1++ + s2 + s3++ + s4++ + s5++ + s6++ + s7++ + s8++ + z1 + m1 + t1; }
END
	for options in -O0 -O2 "-O2 -fdata-sections"; do
		$CC $options -c "$o/a.c" -o "$o/plain.o"
		for seed in 1 2; do
			with globals=seed=$seed -- $CC $options -c "$o/a.c" -o "$o/$seed.o"
			[ "$(nm -a "$o/$seed.o" | awk '{ print $2, $3 }' | grep -v '\.' | sort)" = "$(nm -a "$o/plain.o" | awk '{ print $2, $3 }' | grep -v '\.' | sort)" ]
			objcopy -O binary -j .mine "$o/$seed.o" "$o/mine"
			od -An -td4 "$o/mine" | grep -q '^ *1 *2 *3$\|^ *3 *2 *1$'
		done
		[[ $options == *data-sections* ]] || not [ "$(variables "$o/1.o" d)" = "$(variables "$o/2.o" d)" ]
	done
	alignments() { objdump -h "$1" | awk '$2 ~ /^\.(data|bss)\.[vsz][1-8]$/ { print $2, substr($7, 4) }' | sort; }
	$CC -O2 -fdata-sections -c "$o/a.c" -o "$o/plain.o"
	with globals=seed=3 -- $CC -O2 -fdata-sections -c "$o/a.c" -o "$o/a.o"
	alignments "$o/plain.o" | join - <(alignments "$o/a.o") >"$o/both"
	[ "$(awk '$3 > $2' "$o/both" | wc -l)" -ge 5 ]
	[ "$(awk '$3 < $2 || $3 > 6' "$o/both" | wc -l)" -eq 0 ]
	[ "$(readelf -p .note.interfero "$o/a.o" | grep -c 'variable .* align=')" -ge 5 ]
	# No code counts on the larger alignment: the bodies are the plain compiler's.
	for options in -O0 -O2 -O3; do
		$CC $options -c program.c -o "$o/plain.o"
		with globals=seed=5 -- $CC $options -c program.c -o "$o/a.o"
		diff <(bodies "$o/plain.o" | sed 's/\.\(bss\|data\)[+-].*/DATA/') <(bodies "$o/a.o" | sed 's/\.\(bss\|data\)[+-].*/DATA/')
	done
	$CC -O2 -c "$o/a.c" -o "$o/plain.o"
	with globals=seed=1,align=0 -- $CC -O2 -c "$o/a.c" -o "$o/a.o"
	[ "$(size -A "$o/a.o" | awk '$1 == ".data" { print $2 }')" = "$(size -A "$o/plain.o" | awk '$1 == ".data" { print $2 }')" ]
	$CC -O2 -fno-toplevel-reorder -c "$o/a.c" -o "$o/plain.o"
	with globals=seed=1 -- $CC -O2 -fno-toplevel-reorder -c "$o/a.c" -o "$o/a.o"
	[ "$(variables "$o/a.o" d)" = "$(variables "$o/plain.o" d)" ]
}
