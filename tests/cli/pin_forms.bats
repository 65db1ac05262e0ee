#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The forms of a found layout for builds without interfero. gcc and the linkers are called as a user calls them, and nm
# tells what they made of each form.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	# Each function costs more where its first bytes are far from the begin of a line of cache: a layout is found that has
	# other distances than a linker leaves.
	{
		echo '#include <stdint.h>'
		echo '#include <stdio.h>'
		for n in 1 2 3 4; do
			echo "PIN$n __attribute__((noipa)) void f$n(void) { __asm__ volatile(\".rept $((10 * n))\n nopl (%rax)\n .endr\"); }"
		done
		echo 'static int at(void (*f)(void)) { return (int)((uintptr_t)f % 64); }'
		echo 'PIN0 int main(void) {'
		for n in 1 2 3 4; do echo "for (int i = 0; i < 2000; i++) f$n();"; done
		echo 'printf("cost: %d\n", 500 + at(f1) + at(f2) + at(f3) + at(f4));'
		echo '}'
	} >whole.c
	none=(-DPIN0= -DPIN1= -DPIN2= -DPIN3= -DPIN4=)
	gcc -O2 -ffunction-sections "${none[@]}" -c whole.c -o other.o
	interfero-gcc -O2 "${none[@]}" -c whole.c -o whole.o
	interfero-gcc whole.o -o whole
	within 60 interfero optimize -q -n 8 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 20 --each 4 --contexts 2 \
		--ignore-output -o found -- ./whole || [ $? = 1 ]
	# Where luck found none, every form still has to say the layout that it is of.
	interfero variants -q --plan found/best.plan -o made ./whole
}

setup() {
	use_own_folder
	ln -s ../found ../whole.c ../whole.o .
	best=$(find "$place/made" -type f -perm -1)
}

teardown_file() {
	drop_own_kits
}

order_of() {
	nm -n "$1" | sed -n 's/.* [tT] \(f[1-4]\|main\)$/\1/p' | tr '\n' ' '
}

# distances_of FILE ALIGNMENT: the functions' addresses modulo a power of two.
distances_of() {
	nm "$1" | sed -n 's/\(.*\) [tT] \(f[1-4]\|main\)$/\2 \1/p' | sort | while read -r name address; do
		echo "$name $((0x$address % $2))"
	done
}

@test "the layout is not what a linker makes by itself" {
	gcc whole.o -o plain
	[ "$(distances_of plain 4096)" != "$(distances_of "$best" 4096)" ]
}

@test "ld.bfd: the script gives order and addresses modulo a page" {
	gcc whole.o -Wl,-T,found/best.ld -o linked
	[ "$(order_of linked)" = "$(order_of "$best")" ]
	[ "$(distances_of linked 4096)" = "$(distances_of "$best" 4096)" ]
	[ "$(./linked)" = "$("$best")" ]
	# A function that grows pushes the others instead of failing the link.
	sed 's/rept 10/rept 200/' whole.c >longer.c
	gcc -O2 -ffunction-sections -DPIN0= -DPIN1= -DPIN2= -DPIN3= -DPIN4= -c longer.c -o whole-2.o
	mkdir again
	mv whole-2.o again/whole.o
	gcc again/whole.o -Wl,-T,found/best.ld -o longer
	[ "$(order_of longer)" = "$(order_of "$best")" ]
	./longer
}

@test "gcc: the attributes give order and alignment" {
	pins=(-DPIN0=INTERFERO_PIN_main)
	for n in 1 2 3 4; do pins+=("-DPIN$n=INTERFERO_PIN_f$n"); done
	gcc -O2 -include found/best.h "${pins[@]}" whole.c -fuse-ld=bfd -o attributed
	[ "$(order_of attributed)" = "$(order_of "$best")" ]
	aligned=0
	while read -r name bytes; do
		[ "$(distances_of attributed "$bytes" | sed -n "s/^$name //p")" = 0 ] || say "$name is not at a multiple of $bytes"
		aligned=$((aligned + 1))
	done < <(sed -n 's/^#define INTERFERO_PIN_\([a-z0-9]*\) .*aligned(\([0-9]*\)).*/\1 \2/p' found/best.h)
	[ $aligned -gt 0 ]
}

@test "lld: --symbol-ordering-file gives the order, the script as for ld.bfd" {
	need ld.lld
	gcc whole.o -fuse-ld=lld -Wl,--symbol-ordering-file=found/best.order -o ordered
	[ "$(order_of ordered)" = "$(order_of "$best")" ]
	gcc whole.o -fuse-ld=lld -Wl,-T,found/best.ld -o scripted
	[ "$(order_of scripted)" = "$(order_of "$best")" ]
}

@test "gold: --section-ordering-file gives the order" {
	need ld.gold
	gcc whole.o -fuse-ld=gold -Wl,--section-ordering-file=found/best.sections -o ordered
	[ "$(order_of ordered)" = "$(order_of "$best")" ]
}

@test "mold: a partial link by the script gives order and addresses modulo a page" {
	need ld.mold
	ld.bfd -r -T found/best.ld whole.o -o parts.o
	gcc parts.o -fuse-ld=mold -o linked
	[ "$(order_of linked)" = "$(order_of "$best")" ]
	[ "$(distances_of linked 4096)" = "$(distances_of "$best" 4096)" ]
	[ "$(./linked)" = "$("$best")" ]
	# Mold 1.10, of Debian 12, takes no file of an order; one that does must follow ours.
	if ld.mold --help | grep -q -e --symbol-ordering-file; then
		gcc whole.o -fuse-ld=mold -Wl,--symbol-ordering-file=found/best.order -o ordered
		[ "$(order_of ordered)" = "$(order_of "$best")" ]
	fi
}

@test "all forms lie beside the plan, and the text names them" {
	for form in plan order sections ld h; do
		[ -s "found/best.$form" ] || say "no best.$form"
	done
	grep -x '#define INTERFERO_PIN_main __attribute__((section("\.text\.sorted\.[0-9]*").*))' found/best.h
}
