#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin, against the plain compiler as the oracle: orders, nops, alignments.

load ../plugin

setup_file() {
	use_plugin
}

setup() {
	use_plugin_folder
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
