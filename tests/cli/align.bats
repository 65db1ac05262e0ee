#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero align: two builds of a program with their common functions at equal addresses, as nm tells them.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	echo '#include <stdlib.h>' >many.c
	for n in $(seq 20); do
		echo "__attribute__((noinline)) int f$n(int x) { volatile int y = x * $n + 1 MORE$n; return y; }"
	done >>many.c
	{ echo 'int main(void) { int s = 0;'; for n in $(seq 20); do echo "s = f$n(s);"; done; echo 'return s == 7; }'; } >>many.c
	none=$(printf -- '-DMORE%d= ' $(seq 20))
	# shellcheck disable=SC2086
	interfero-gcc -O2 $none many.c -o short
	# shellcheck disable=SC2086
	interfero-gcc -O2 ${none/-DMORE7=/-DMORE7='+x%5*x/9;if(__builtin_expect(x==-77777,0))abort();return~x'} many.c -o long
}

setup() {
	use_own_folder
	ln -s ../short ../long .
}

teardown_file() {
	drop_own_kits
}

functions_of() {
	nm --defined-only "$1" | sed -n 's/^\(.*\) [tT] \(f[0-9]*\|main\)$/\2 \1/p' | sort
}

@test "common functions lie at equal addresses, in the order of the old build" {
	not diff <(functions_of short) <(functions_of long) >apart
	run --separate-stderr interfero align short long -o both
	[ "$status" = 0 ]
	# Twenty functions, main, and the units of the start files.
	grep -q '^\([0-9]*\) of \1 functions that both have lie at equal addresses; as shipped [0-9]* do\.$' <<<"$output"
	grep -q '^[1-9] differ in size; 0 only OLD has, and 1 only NEW' <<<"$output"
	[ "$(functions_of both/old | wc -l)" = 21 ]
	diff <(functions_of both/old) <(functions_of both/new)
	diff <(functions_of short | sort -k 2 | cut -d ' ' -f 1) <(functions_of both/old | sort -k 2 | cut -d ' ' -f 1)
	both/old && both/new
}

# bytes PROGRAM FUNCTION: its size, as nm tells it.
bytes() {
	printf '%d' "0x$(nm -S "$1" | awk -v f="$2" '$4 == f { print $2 }')"
}

@test "a table tells what moved and why" {
	interfero align short long -o both >table
	more=$(($(bytes long f7) - $(bytes short f7)))
	# f8 to f20, but for what the linker's start files add.
	by=$((0x$(nm both/old | sed -n 's/ T f8$//p') - 0x$(nm short | sed -n 's/ T f8$//p')))
	[ "$by" -ge "$more" ]
	grep -q "^  0x0*$(nm short | sed -n 's/^0*\([0-9a-f]*\) T f8$/\1/p')  *+$by  *13  many.c:.text.f8  *many.c:.text.f7 has $more bytes more in NEW\$" table
	grep -q 'many.c:.text.unlikely.f7, which OLD lacks, comes last$' table
	interfero align short short -o same >table
	not grep Moved table
}

@test "a plan of it makes the variant again" {
	interfero align -q short long -o both
	interfero variants -q --plan both/new.plan -o again
	cmp both/new again/new
}

@test "what cannot be aligned is refused" {
	cp short bare
	objcopy --remove-section=.note.gnu.build-id bare
	refuse 2 'bare has no kit' -- interfero align bare long -o none
	refuse 2 'name two builds' -- interfero align short -o none
	refuse 2 '-o DIR is missing' -- interfero align short long
	printf 'void _start(void) { __asm__ volatile("mov $60,%%eax; xor %%edi,%%edi; syscall"); }' >lone.c
	interfero-gcc -static -nostdlib lone.c -o lone
	refuse 2 'have no function in common' -- interfero align short lone -o none
}
