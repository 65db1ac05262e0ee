#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The axes that change code: units kept with their sources, compiled again for each variant.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	cp "$sources"/program.* .
	o=$here
}

teardown_file() {
	drop_own_kits
}

sources() { # COMMAND...: with sources
	INTERFERO_SOURCES=1 "$@"
}

every_axis=functions,link-order,padding,base,data,unit-order,nops,align,frames,globals

# vary: variants of ./program under every axis do what it does, and have wider frames and other places of variables.
vary() {
	run ./program
	local status_wanted=$status wanted=$output n count
	count=$(at_depth 2 3)
	rm -rf v
	interfero variants -n "$count" --axes $every_axis --set nops:rate=30 -o v ./program >facts 2>said
	[ "$(grep -c 'compiled again: [1-9][0-9]* units, [1-9][0-9]* frames wider, [1-9][0-9]* variables' facts)" = "$count" ]
	for n in $(seq "$count"); do
		run v/v0000$n
		[ "$status" = "$status_wanted" ] && [ "$output" = "$wanted" ] || say "$*, variant $n: $output"
		interfero explain v/v0000$n | grep -q 'frames widened [1-9]'
		objdump -d --no-show-raw-insn v/v0000$n | tail -n +4 | md5sum >>texts
	done
	distinct "$count" <texts
	rm texts
	# The cost is said before the first one is made.
	grep -q 'units* compiled in [0-9.]* s: '"$count"' variants take about' said
}

@test "C in many forms: variants of every axis do what the program does" {
	for options in "-O0 -g" "-O3 -g3 -fPIC" "-Os -fno-function-sections" "-O2 -flto=1 -flto-partition=1to1" -O2 "-O1 -pipe -std=c99"; do
		[[ $options != -O[23] && $options != *pipe* ]] || is_full_depth || continue
		sources interfero-gcc $options program.c -o program
		vary "$options"
		[ ! -e unit.s ]
	done
	# What a compiler's cache hands over is preprocessed.
	gcc -E program.c -o program.i
	sources interfero-gcc -O2 -fpreprocessed -c program.i -o program.o
	interfero-gcc program.o -o program
	vary preprocessed
}

@test "C++ and Fortran, with modules that are gone by then" {
	sources interfero-g++ -O2 -g program.cc -o program
	vary C++
	sources interfero-gfortran -O2 -g program.f90 -o program
	vary Fortran
	printf 'module doubled\ncontains\ninteger function two(x)\n integer, intent(in) :: x\n two = 2 * x\nend function\nend module\n' >doubled.f90
	printf '#define HOW_MANY 300\nprogram p\n use, non_intrinsic :: doubled, only: two\n use iso_c_binding\n integer :: a(HOW_MANY), i\n do i = 1, HOW_MANY\n  a(i) = two(i)\n end do\n print *, sum(a), a(3)\nend program\n' >main.F90
	mkdir modules
	sources interfero-gfortran -O1 -Jmodules -c doubled.f90
	sources interfero-gfortran -O1 -Imodules -c main.F90
	interfero-gfortran doubled.o main.o -o program
	rm -r modules doubled.f90 main.F90
	vary modules
	[[ $(./program) == *90300*6* ]]
	# The compilations left no module here.
	[ ! -e doubled.mod ]
}

@test "a variant is what the compiler makes of the source under the same plan" {
	printf 'interfero-plan 1\nname all\nunit-order seed=7\nnops seed=8 rate=35 max=9\nalign seed=9\nframes seed=4 max=512\nglobals seed=5\n' >all.plan
	printf 'interfero-plan 1\nname some\nframes seed=4 only=jump,main\nglobals seed=5 except=zero\n' >some.plan
	for options in -O2 "-O0 -g"; do
		sources interfero-gcc $options program.c -o program
		for plan in all some; do
			interfero variants -q --plan $plan.plan -o v ./program
			INTERFERO_PLAN=$plan.plan interfero-gcc $options program.c -o compiled
			for section in .text .data .rodata; do
				objdump -d -s -j $section v/$plan | tail -n +4 >a
				objdump -d -s -j $section compiled | tail -n +4 >b
				cmp a b || say "$options, $plan, $section"
			done
			# The notes tell the same, but for the template.
			interfero explain v/$plan | sed 's/, template .*//' | cmp - <(interfero explain compiled)
		done
	done
	# A plan that takes back what the unit was compiled under.
	INTERFERO_PLAN=all.plan sources interfero-gcc -O2 program.c -o program
	printf 'interfero-plan 1\nname none\nunit-order seed=7\nnops seed=8 rate=0\nalign seed=9\nframes seed=4 max=0\nglobals seed=5 align=1\n' >none.plan
	interfero variants -q --plan none.plan -o v ./program
	INTERFERO_PLAN=none.plan interfero-gcc -O2 program.c -o compiled
	objdump -d v/none | tail -n +4 | cmp - <(objdump -d compiled | tail -n +4)
	interfero explain v/none | grep -q 'frames widened 0'
}

@test "with sources kept the object is the plain compiler's, but for the note" {
	for options in -O0 "-O2 -g" "-O2 -MMD -MF made.d"; do
		gcc -ffunction-sections -fdata-sections $options -c program.c -o plain.o
		sources interfero-gcc $options -c program.c -o ours.o
		objcopy -R .note.interfero plain.o
		objcopy -R .note.interfero ours.o
		cmp plain.o ours.o
	done
	grep -q program.c made.d
	# Errors and warnings come once.
	echo 'int f(void) { return nowhere; }' >bad.c
	run -1 sources interfero-gcc -c bad.c
	[ "$(grep -c 'error:' <<<"$output")" = 1 ]
	[[ $output != *interfero* ]]
	echo 'void' >empty.c
	[ "$(sources interfero-gcc -E empty.c | tail -n 1)" = void ]
	sources interfero-gcc -x c-header program.c -o program.h.gch
	sources interfero-gcc -fsyntax-only program.c
}

@test "the plan alone makes it again, when the sources are gone and the kit has travelled" {
	sources interfero-gcc -O2 program.c -o program
	interfero variants -q -n 2 --axes $every_axis -o v ./program
	rm program.c
	interfero verify ./program v -- {}
	interfero kit export ./program -o kit.tar.zst
	INTERFERO_KITS=$here/elsewhere interfero kit import kit.tar.zst
	INTERFERO_KITS=$here/elsewhere interfero variants -q -o far --plan v/v00002.plan
	cmp v/v00002 far/v00002
	find "$INTERFERO_KITS/kits" -name '.new-*' | not grep .
	# A sweep spares what a kit needs.
	interfero kit prune --older-than 1000h
	interfero variants -q -o again --plan v/v00001.plan
	cmp v/v00001 again/v00001
}

@test "interfero bench and compare measure variants that are compiled again, and say what that costs" {
	sources interfero-gcc -O2 program.c -o program
	sources interfero-gcc -O1 program.c -o other
	within 100 interfero bench -n 3 -r 2 --counters clock --axes frames,globals,functions --expect-exit 7 -o e.exp -- ./program >report 2>said
	grep -q '3 random' report
	grep -q 'compiling the units of program once' said
	grep -q '1 unit compiled in .*: 3 variants take about' said
	# All that is needed is there: nothing is compiled.
	within 100 interfero bench -n 3 -r 2 --counters clock --axes frames,globals,functions --expect-exit 7 -o e.exp -- ./program >report 2>said
	not grep -q compil said
	within 100 interfero compare -n 3 -r 2 --counters clock --axes frames,globals --expect-exit 7 -o c.exp -- ./program ./other >report 2>said || [ $? = 1 ]
	grep -q 'units of other once' said
	run -2 interfero bench -n 3 --counters clock --budget 1ms --axes frames --expect-exit 7 -o b.exp -- ./program
	[[ $output == *"budget is too short"*"leave out the axes that compile again"* ]]
	[ ! -e b.exp ]
}

@test "a budget bounds the trial compilation" {
	local unit units=()
	for unit in 1 2 3 4; do
		printf 'int f%s(int x) { volatile int a[9]; a[x & 7] = x; return a[x & 7]; }\n' $unit >u$unit.c
		units+=(u$unit.c)
	done
	sources interfero-gcc -O1 program.c "${units[@]}" -o program
	# Each unit takes half a second, one after another, and the trial a third of 900 ms.
	printf '#!/bin/sh\nsleep 0.5\nexec gcc "$@"\n' >slow-gcc
	chmod +x slow-gcc
	INTERFERO_GCC=$PWD/slow-gcc run -2 taskset -c "$(taskset -cp $$ | sed 's/.*[:,-] *//')" \
		interfero bench -q -n 3 -c clock --budget 900ms -a frames --expect-exit 7 -o t.exp -- ./program
	tr -s ' \n' '  ' <<<"$output" | grep -q 'the budget is too short: [01] of 5 units of program were compiled in .*s is enough for two'
	[ ! -e t.exp ]
}

@test "only the units that a plan changes are compiled" {
	printf 'int choose(int); int main2(int *p) { volatile int a[30]; a[*p] = choose(3); return a[*p]; }\n' >more.c
	sources interfero-gcc -O2 program.c more.c -Wl,-u,main2 -o program
	interfero variants -n 1 --axes frames --set frames:only=main2 -o v ./program | grep -q 'compiled again: 1 units'
	interfero variants -n 1 --axes frames -o v ./program | grep -q 'compiled again: 2 units'
	# More has no variables.
	interfero variants -n 1 --axes globals -o v ./program | grep -q 'compiled again: 1 units'
}

@test "a unit that cannot be compiled again stays as it ships, and that is said" {
	printf 'const char *when(void) { return __DATE__ __TIME__; }\n' >when.c
	SOURCE_DATE_EPOCH=0 sources interfero-gcc -O2 -c when.c
	printf 'int piped(int *p) { volatile int a[30]; a[*p] = 4; return a[*p]; }\n' | sources interfero-gcc -O2 -x c -c - -o piped.o
	sources interfero-gcc -O2 -fprofile-use -Wno-missing-profile -c -x c - -o piped2.o <<<'int piped2(void) { return 1; }'
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -c -x c - -o template.o <<<'int template(void) { return 1; }'
	interfero-gcc -O2 -c -x c - -o bare.o <<<'int bare(void) { return 1; }'
	sources interfero-gcc -O2 program.c when.o piped.o piped2.o template.o bare.o -Wl,-u,when,-u,piped -o program
	interfero variants -n 1 --axes frames,globals,nops --set nops:rate=100 -o v ./program 2>said
	grep -q '1 unit stays as shipped.*(when.o): compiled again it yields other code' said
	grep -q '2 units stay as shipped.*(piped.o, …): its source came from standard input' said
	grep -q 'template.o.*INTERFERO_SOURCES=1' said
	run -7 v/v00001
	interfero bench -n 1 -r 1 --counters clock --axes frames --expect-exit 7 -o e.exp -- ./program | grep -q 'when.o'
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 program.c -o other
	refuse 2 frames INTERFERO_SOURCES=1 -- interfero variants -q -n 1 --axes frames -o v ./other
	interfero-gcc -O2 program.c -o other
	refuse 2 globals INTERFERO_SOURCES=1 -- interfero variants -q -n 1 --axes globals -o v ./other
	# Neither is the compiler of the program: one tells another version, the other knows no cc1.
	mkdir none
	printf '#!/bin/sh\necho 99\n' >none/gcc
	chmod +x none/gcc
	cp none/gcc "none/gcc-$(gcc -dumpversion | cut -d. -f1)"
	refuse 4 "no unit of program" cc1 -- env PATH="$PWD/none:$PATH" INTERFERO_GCC=/bin/true interfero variants -q -n 1 --axes frames -o v ./program
	INTERFERO_KITS=/dev/null/no run -0 sources interfero-gcc -c program.c -o a.o
	[[ $output == *warning*source*not*kept* ]]
}
