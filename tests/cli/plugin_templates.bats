#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Templates: units compiled once, and variants of the compiler's axes that are assembled from them.

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

template() { # COMMAND...: with templates
	INTERFERO_TEMPLATES=1 "$@"
}

# same_but_note PLAIN OURS: byte-identical once the note is taken out of both.
same_but_note() {
	objcopy -R .note.interfero "$1" plain.stripped
	objcopy -R .note.interfero "$2" ours.stripped
	cmp plain.stripped ours.stripped
}

plain="-ffunction-sections -fdata-sections"

@test "with all sites open the object is the plain compiler's, but for the note" {
	local each=(-O0 -O1 -O2 -O3 -Os -Og "-O2 -g" "-O3 -g3 -fPIC" "-O2 -fno-function-sections" "-O2 -pipe"
		"-O2 -fcf-protection -fpatchable-function-entry=5,2" "-O2 -pg -g" "-O0 -g -fno-function-sections")
	is_full_depth ||
		each=("-O3 -g3 -fPIC" -Os "-O1 -pipe" "-O2 -fcf-protection -fpatchable-function-entry=5,2" "-O2 -pg -g" "-O0 -g -fno-function-sections")
	for options in "${each[@]}"; do
		gcc $plain $options -c program.c -o plain.o
		template interfero-gcc $options -c program.c -o ours.o
		same_but_note plain.o ours.o || say "$options"
		readelf -p .note.interfero ours.o | grep -q 'template [0-9a-f]\{64\}'
	done
	for options in -O0 "-O2 -g"; do
		g++ $plain $options -c program.cc -o plain.o
		template interfero-g++ $options -c program.cc -o ours.o
		same_but_note plain.o ours.o
	done
	gfortran $plain -O2 -g -c program.f90 -o plain.o
	template interfero-gfortran -O2 -g -c program.f90 -o ours.o
	same_but_note plain.o ours.o
}

@test "assembly with marks is plain assembly" {
	template interfero-gcc -O2 -g -S program.c -o program.s
	grep -q '#ifr-nop' program.s
	gcc $plain -O2 -g -c program.c -o plain.o
	gcc -c program.s -o ours.o
	cmp plain.o ours.o
}

@test "a variant's unit is what the compiler makes of it under the same plan" {
	for options in "-O2" "-O2 -fno-function-sections" "-O0 -g" "-O3 -g -fno-function-sections"; do
		template interfero-gcc $options program.c -o program
		printf 'interfero-plan 1\nname all\nunit-order seed=7\nnops seed=8 rate=35 max=9\nalign seed=9\n' >all.plan
		printf 'interfero-plan 1\nname some\nnops seed=8 rate=90 only=loops,choose heat=1\nalign seed=3 except=main\n' >some.plan
		for plan in all some; do
			interfero variants -q --plan $plan.plan -o v ./program
			INTERFERO_PLAN=$plan.plan interfero-gcc $options program.c -o compiled
			[ "$(objdump -d --no-show-raw-insn v/$plan | tail -n +4)" = "$(objdump -d --no-show-raw-insn compiled | tail -n +4)" ] ||
				say "$options, $plan"
			# The notes tell the same, but for the template.
			interfero explain v/$plan | sed 's/, template .*//' | cmp - <(interfero explain compiled)
		done
	done
}

@test "variants of a template, with the relinker's axes on top, do what the program does" {
	printf 'int choose(int); int main2(void) { return choose(3); }\n' >more.c
	template interfero-gcc -O2 -c more.c -o more.o
	ar rcs libmore.a more.o
	template interfero-gcc -O2 program.c -L. -lmore -Wl,-u,main2 -o program
	run -7 ./program
	expected=$output
	interfero variants -n 6 --axes functions,padding,nops,align,unit-order --set nops:rate=40 -o v ./program >facts
	[ "$(grep -c 'templates: 2 of 2 units assembled' facts)" = 6 ]
	for n in 1 2 3 4 5 6; do
		run -7 v/v0000$n
		[ "$output" = "$expected" ]
		build_id_of v/v0000$n >>ids
		objdump -d --no-show-raw-insn v/v0000$n | tail -n +4 | md5sum >>texts
		# Members of archives too.
		interfero explain v/v0000$n | grep -q 'more.c'
	done
	distinct 6 <ids
	distinct 6 <texts
	# The plan alone makes it again, after the sources and objects are gone.
	rm -f program.c more.c more.o libmore.a
	interfero variants -q -o again --plan v/v00003.plan
	cmp v/v00003 again/v00003
	interfero verify ./program v -- {}
	# A kit that travelled gives the same.
	key=$(build_id_of program)
	interfero kit export ./program -o kit.tar.zst
	INTERFERO_KITS=$here/elsewhere interfero kit import kit.tar.zst
	INTERFERO_KITS=$here/elsewhere interfero variants -q -o far --plan v/v00003.plan
	cmp v/v00003 far/v00003
	[ -n "$key" ]
	# Nothing is left beside the kits.
	find "$INTERFERO_KITS/kits" -name '.new-*' | not grep .
}

@test "a unit compiled under a plan and as a template: the plan's axes stand until others take their place" {
	printf 'interfero-plan 1\nname base\nnops seed=5 rate=100\n' >base.plan
	INTERFERO_PLAN=base.plan template interfero-gcc -O2 program.c -o program
	INTERFERO_PLAN=base.plan interfero-gcc -O2 program.c -o compiled
	[ "$(objdump -d program | tail -n +4)" = "$(objdump -d compiled | tail -n +4)" ]
	printf 'interfero-plan 1\nname none\nnops seed=5 rate=0\n' >none.plan
	interfero variants -q --plan none.plan -o v ./program
	interfero-gcc -O2 program.c -o bare
	[ "$(objdump -d v/none | tail -n +4)" = "$(objdump -d bare | tail -n +4)" ]
}

@test "interfero bench measures variants of templates" {
	template interfero-gcc -O2 program.c -o program
	within 120 interfero bench -n 5 -r 3 --counters clock --axes nops,functions --expect-exit 7 -o e.exp -- ./program >report
	grep -q '5 random' report
	refuse 2 frames INTERFERO_SOURCES=1 -- interfero variants -q -n 1 --axes frames -o v ./program
	interfero-gcc -O2 program.c -o other
	refuse 2 nops INTERFERO_TEMPLATES=1 -- interfero variants -n 1 --axes nops -o v ./other
	refuse 2 nops INTERFERO_TEMPLATES=1 -- interfero bench -n 1 --axes nops -o f.exp -- ./other
}

@test "what cannot be kept is compiled all the same" {
	echo 'bytes' >bytes
	printf '__asm__(".section .mine\\n.incbin \\"bytes\\"\\n.text"); int main(void) { return 3; }\n' >inc.c
	template interfero-gcc inc.c -o inc
	run -3 ./inc
	readelf -p .note.interfero inc | not grep -q template
	INTERFERO_KITS=/dev/null/no run -0 template interfero-gcc -c program.c -o a.o
	[[ $output == *warning*template* ]]
	printf '.globl main\nmain: xorl %%eax, %%eax\nret\n' >hand.s
	template interfero-gcc hand.s -o hand
	./hand
	run -1 template interfero-gcc -c -x assembler - <<<'nosuch %eax'
	[[ $output == *nosuch* ]]
}

@test "explain says what was done, of objects, archives and programs" {
	printf 'interfero-plan 1\nunit-order seed=1\nnops seed=2 rate=50\nglobals seed=3\n' >plan
	INTERFERO_PLAN=plan interfero-gcc -O2 -c program.c -o program.o
	ar rcs libprogram.a program.o
	for file in program.o libprogram.a; do
		interfero explain $file >text
		grep -q 'program.c  interfero .*GCC' text
		grep -q '^ *order *align *loops *nops *bytes *frame  *checks  *prefetches  *split  *copies$' text
		grep -q 'nops seed=2 rate=50' text
		places=$(awk 'NF == 11 && $7 != "checks" && $4 ~ /^[0-9]+$/ { n += $4 } END { print n }' text)
		# By the code, each place is one nop.
		grep -q "nops at $places places" text
	done
	[ "$(objdump -d --no-show-raw-insn program.o | awk -F'\t' '$2 ~ /^nop *$/' | wc -l)" -ge "$places" ]
	gcc -c program.c -o bare.o
	refuse 2 "bare.o" "no note" -- interfero explain bare.o
	refuse 2 "program.c" -- interfero explain program.c
	refuse 2 nosuch -- interfero explain nosuch
	objcopy --dump-section .note.interfero=note program.o
	head -c 100 note >cut
	objcopy --update-section .note.interfero=cut program.o cut.o
	refuse 2 cut.o "compile the unit again" -- interfero explain cut.o
}

@test "what -flto compiles in the link has templates, too" {
	printf 'int twice(int x);\nint main(int c, char **v) { (void)v; return twice(c) != 2; }\n' >m.c
	printf 'int twice(int x);\n__attribute__((noinline)) int twice(int x) { for (int i = x; i--;) x += 1; return x; }\n' >t.c
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -flto=1 -flto-partition=1to1 m.c t.c -o p
	run interfero variants -n 3 --axes nops,align,functions --set nops:rate=100 -o v ./p
	[ "$status" -eq 0 ]
	[[ $output == *"2 of 2 units assembled"* ]] || echo "$output"
	for variant in v/v0000{1,2,3}; do "$variant"; done
	[ "$(objdump -d v/v00001 | grep -c nop)" -gt "$(objdump -d p | grep -c nop)" ]
	interfero verify ./p v -- ./p
}
