#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs linked with -flto: their kits hold what was compiled in the middle of the link, and repeat the link to the same
# bytes. The oracle is the program that shipped, which the real linker and GCC's own plugin made.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
	export INTERFERO_KITS="$here/kits"
	ours="$INTERFERO_BUILD/libexec/interfero"
	cat >main.c <<'END'
#include <stdio.h>
int twice(int x);
int factorial(int x);
int unused(int x);
int steps(int x);
extern int counter;
int main(int argc, char **argv) {
	if (argc > 9)
		return unused(**argv);
	int doubled = twice(argc);
	printf("%d %d %d %d\n", doubled, factorial(argc + 3), counter, steps(argc));
	return 0;
}
END
	cat >more.c <<'END'
int counter = 3;
int twice(int x);
int factorial(int x);
int twice(int x) { counter++; return 2 * x; }
__attribute__((noinline)) int factorial(int x) { return x ? x * factorial(x - 1) : 1; }
#define STEP(n, next) __attribute__((noipa)) static int step##n(int x) { return next; }
STEP(1, x + 1) STEP(2, step1(x) + 1) STEP(3, step2(x) + 1) STEP(4, step3(x) + 1) STEP(5, step4(x) + 1)
int steps(int x);
int steps(int x) { return step5(x); }
END
	cat >rest.c <<'END'
#include <stdlib.h>
int unused(int x);
__attribute__((noinline)) static int halve(int x) { return x / 2 + rand(); }
int unused(int x) { return halve(x) + abs(x); }
END
	says="2 24 4 6"
}

teardown_file() {
	drop_own_kits
}

# same PROGRAM: its kit, linked again, gives the bytes that shipped, and its variants do what it does. Nothing is said.
same() {
	local i wanted count
	count=$(at_depth 2 4)
	printf '%s\n' "interfero-plan 1" "name shipped" >shipped.plan
	interfero variants -q -n "$count" -o v "$1"
	interfero variants -q -o v -p shipped.plan "$1"
	cmp "$1" v/shipped || say "the kit of $1 does not give the program that shipped"
	[ "${2:-}" != no-run ] || return 0
	wanted=$("$1")
	[ -n "$wanted" ]
	for i in $(seq "$count"); do
		[ "$(v/v0000$i)" = "$wanted" ]
	done
	for i in $(seq "$count"); do functions_of v/v0000$i | md5sum; done | sort -u >orders
	[ "$(wc -l <orders)" -ge 2 ]
}

# built COMMAND...: it says nothing; "program" comes out and says what it should.
built() {
	run -0 --separate-stderr within 120 "$@"
	[ -z "$stderr" ] || say "it says: $stderr"
	[ "$(./program)" = "$says" ]
}

objects() {
	interfero-gcc -O2 -flto "$@" -c main.c more.c rest.c
}

@test "a C program of several files" {
	built interfero-gcc -O2 -flto=1 main.c more.c rest.c -o program
	interfero kit show program | grep -q '/program\.ltrans0\.ltrans\.o$'
	same ./program
	nm v/v00001 | grep -q ' t step3'
}

@test "functions are units of their own, and their names do not hang on names of temporary files" {
	interfero-gcc -O2 -flto=1 main.c more.c rest.c -o program
	interfero variants -q -n 4 -a functions -o first ./program
	for i in 1 2 3 4; do
		functions_of first/v0000$i | grep -nE '^(step[1-5]|_start)$' | tr '\n' ' '
		echo
	done | sort -u >orders
	[ "$(wc -l <orders)" -ge 2 ]
	rm -r kits
	interfero-gcc -O2 -flto=1 main.c more.c rest.c -o program
	interfero variants -q -n 4 -a functions -o second ./program
	for i in 1 2 3 4; do
		cmp first/v0000$i second/v0000$i
	done
}

@test "the kit outlives objects and sources, and travels" {
	objects
	interfero-gcc -O2 -flto=1 main.o more.o rest.o -o program
	interfero kit export ./program -o program.kit
	rm -r kits ./*.o ./*.c
	interfero kit import program.kit
	same ./program
}

@test "the whole program at once, in one part, in many" {
	local partition
	for partition in none 1to1 $(at_depth "" "one balanced max"); do
		built interfero-gcc -O2 -flto=2 -flto-partition=$partition main.c more.c rest.c -o program
		same ./program
	done
}

@test "with debugging information" {
	built interfero-gcc -O2 -g -flto=1 main.c more.c rest.c -o program
	same ./program
}

@test "archives of -flto objects, thick, thin and nothing else" {
	objects
	interfero-gcc-ar rcs libthick.a more.o rest.o
	interfero-gcc-ar rcsT libthin.a more.o rest.o
	interfero-gcc-ar rcs libwhole.a main.o more.o rest.o
	built interfero-gcc -O2 -flto=1 main.o -L. -lthick -o program
	same ./program
	built interfero-gcc -O2 -flto=1 main.o libthin.a -o program
	same ./program
	built interfero-gcc -O2 -flto=1 libwhole.a -o program
	same ./program
}

@test "-flto objects, plain ones and both at once in one object" {
	objects
	interfero-gcc -O2 -c more.c -o plain.o
	interfero-gcc -O2 -flto -ffat-lto-objects -c rest.c -o fat.o
	built interfero-gcc -O2 -flto=1 main.o plain.o fat.o -o program
	same ./program
	rm main.o
	interfero-gcc -O2 -flto -ffat-lto-objects -c main.c -o main.o
	built interfero-gcc -O2 -fno-lto main.o plain.o fat.o -o program
	interfero kit show program | not grep ltrans
	same ./program
}

@test "static: which members of libc are linked follows from functions that are gone" {
	built interfero-gcc -O2 -flto=1 -static main.c more.c rest.c -o program
	same ./program
}

@test "members of libgcc that only the compiled code needs" {
	cat >wide.c <<'END'
long wide(long x);
__attribute__((noipa)) static __int128 divide(__int128 a, __int128 b) { return a / b; }
long wide(long x) { return (long)divide(7 * (__int128)x, x); }
END
	sed -i 's/return 0;/return (int)wide(argc) - 7;/; 1i long wide(long x);' main.c
	interfero-gcc -O2 -c more.c -o plain.o
	built interfero-gcc -O2 -flto=1 main.c wide.c rest.c plain.o -o program
	functions_of program | grep -q '^__divti3$'
	same ./program
}

@test "C++ with exceptions" {
	interfero-g++ -O2 -flto=1 "$programs/exceptions.cc" -o program
	same ./program
	interfero-g++ -O2 -flto=1 -static -flto-partition=1to1 "$programs/exceptions.cc" -o program
	same ./program
}

@test "libraries" {
	interfero-gcc -O2 -fPIC -flto=1 -shared more.c rest.c -o libmore.so
	same ./libmore.so no-run
	built interfero-gcc -O2 -flto=1 main.c ./libmore.so -o program
	cp v/v00001 libmore.so
	[ "$(./program)" = "$says" ]
}

@test "options that touch symbols and sections" {
	objects
	built interfero-gcc -O2 -flto=1 -u unused -Wl,--gc-sections -rdynamic main.o more.o rest.o -o program
	same ./program
	nm -D v/v00001 | grep -q ' T unused'
	built interfero-gcc -O2 -flto=1 -Wl,--sysroot=/ -no-pie main.o more.o rest.o -o program
	same ./program
	echo '{ global: main; local: *; };' >map
	built interfero-gcc -O2 -flto=1 -Wl,--version-script=map -s main.o more.o rest.o -o program
	interfero variants -q -n 1 -o v ./program
	[ "$(v/v00001)" = "$says" ]
}

@test "response files" {
	objects
	echo "-O2 -flto=1 main.o more.o rest.o -o program" >words
	built interfero-gcc @words
	same ./program
}

@test "-r leaves no kit and no word; what is linked from it has one" {
	objects
	run -0 --separate-stderr interfero-gcc -O2 -flto=1 -r main.o more.o rest.o -o ir.o
	[ -z "$stderr" ]
	run -0 --separate-stderr interfero-gcc -O2 -flto=1 -r -flinker-output=nolto-rel main.o more.o rest.o -o code.o
	[ -z "$stderr" ]
	ld.bfd -r main.o more.o rest.o -o joined.o
	[ ! -e kits ]
	built interfero-gcc -O2 -flto=1 ir.o -o program
	same ./program
	built interfero-gcc -O2 code.o -o program
	same ./program
	built interfero-gcc -O2 -flto=1 joined.o -o program
	same ./program
}

@test "without the linker's plugin, collect2 does the same" {
	built interfero-gcc -O2 -flto=1 -ffat-lto-objects -fno-use-linker-plugin main.c more.c rest.c -o program
	same ./program
	interfero variants -q -n 4 -a functions -o first ./program
	rm -r kits
	interfero-gcc -O2 -flto=1 -ffat-lto-objects -fno-use-linker-plugin main.c more.c rest.c -o program
	interfero variants -q -n 4 -a functions -o second ./program
	cmp first/v00004 second/v00004
}

@test "gold and mold run the same plugin; variants are by ld.bfd, and contain what was compiled" {
	local linker found=
	for linker in gold mold; do
		command -v ld.$linker >/dev/null || continue
		found=1
		built interfero-gcc -O2 -flto=1 -ffat-lto-objects -fuse-ld=$linker main.c more.c rest.c -o program
		interfero kit show program | grep -q "^linker  *ld.$linker "
		interfero kit show program | grep -q 'ltrans0\.ltrans\.o$'
		interfero variants -q -n 2 -o v ./program
		[ "$(v/v00002)" = "$says" ]
	done
	[ -n "$found" ] || skip "neither gold nor mold is installed"
}

@test "lld links the plain half of -flto objects, and its own error stays its own" {
	need ld.lld
	built interfero-gcc -O2 -flto=1 -ffat-lto-objects -fuse-ld=lld main.c more.c rest.c -o program
	interfero variants -q -n 2 -o v ./program
	[ "$(v/v00002)" = "$says" ]
	run -1 interfero-gcc -O2 -flto=1 -fuse-ld=lld main.c more.c rest.c -o other
	[[ $output == *"undefined symbol: main"* && $output != *interfero:* ]] || say "$output"
}

@test "many at once; nothing is left among the temporary files" {
	mkdir temporary
	cat >Makefile <<'END'
all: $(foreach i,1 2 3 4 5 6,program$(i))
program%: main.o more.o rest.o
	$(CC) -O2 -flto=auto -DNUMBER=$* $^ -o $@
%.o: %.c
	$(CC) -O2 -flto -c $< -o $@
END
	TMPDIR="$here/temporary" run -0 --separate-stderr within 200 make -s -j4 CC=interfero-gcc
	[ -z "$stderr" ] || say "$stderr"
	find temporary -mindepth 1 | not grep .
	for i in 1 2 3 4 5 6; do
		[ "$(./program$i)" = "$says" ]
	done
	same ./program4
}

@test "errors of the compilation in the link are the compiler's" {
	objects
	echo 'char counter[40]; int other(void); int other(void) { return counter[1]; }' >clash.c
	interfero-gcc -O2 -flto -c clash.c
	gcc -flto=1 main.o more.o rest.o clash.o -o program 2>theirs || true
	run -1 --separate-stderr interfero-gcc -O2 -flto=1 main.o more.o rest.o clash.o -o program
	[[ $stderr == *counter* && $stderr != *interfero:* ]] || say "$stderr"
	[ ! -e kits ]
}

@test "a store that cannot be written: the link is fine, one warning" {
	: >store
	INTERFERO_KITS="$here/store" run -0 --separate-stderr interfero-gcc -O2 -flto=1 main.c more.c rest.c -o program
	[ "$(./program)" = "$says" ]
	explain warning program
}

@test "our program is missing, or cannot make copies: the link is fine, one warning" {
	cp -rL "$INTERFERO_BUILD/bin" "$INTERFERO_BUILD/libexec" .
	mv libexec/interfero/keep-ltrans kept
	run -0 --separate-stderr bin/interfero-gcc -O2 -flto=1 main.c more.c rest.c -o program
	[ "$(./program)" = "$says" ]
	explain warning program keep-ltrans "install interfero again"
	[ ! -e kits ]
	# One that passes on a folder that is not there: copies fail.
	cat >libexec/interfero/keep-ltrans <<END
#!/bin/sh
rm "\$INTERFERO_LTRANS/untouched"
INTERFERO_LTRANS=/nowhere exec "$here/kept" "\$@"
END
	chmod +x libexec/interfero/keep-ltrans
	# -ffat-lto-objects: what was not compiled in the link must not be taken for it.
	run -0 --separate-stderr bin/interfero-gcc -O2 -flto=1 -ffat-lto-objects main.c more.c rest.c -o program
	[ "$(./program)" = "$says" ]
	explain warning program "could not be kept"
	[ ! -e kits ]
}

@test "an lto-wrapper that is not there: as without us" {
	interfero-gcc -O2 -ffunction-sections -c main.c more.c rest.c
	gcc -### main.o more.o rest.o -o program 2>&1 | grep /collect2 | xargs printf '%s\n' |
		sed '1d; s,^\(-plugin-opt=\).*/lto-wrapper$,\1/no/such/lto-wrapper,' >words
	grep -q /no/such/lto-wrapper words
	mapfile -t words <words
	built "$ours/ld/ld" "${words[@]}"
	same ./program
	interfero-gcc -O2 -flto -c rest.c
	run -1 --separate-stderr "$ours/ld/ld" "${words[@]}"
	[[ $stderr == *lto-wrapper* && $stderr != *interfero:* ]] || say "$stderr"
}

@test "our program passes everything on, and never runs itself" {
	mkdir first copies
	echo compiled >made.o
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" >arguments\nenv >environment\necho made.o\nexit ${STATUS:-0}\n' >first/lto-wrapper
	chmod +x first/lto-wrapper
	export INTERFERO_LTO_WRAPPER="$here/first/lto-wrapper" INTERFERO_LTRANS="$here/copies"
	run -0 --separate-stderr within 20 "$ours/keep-ltrans" "a b" @c
	[ "$output" = made.o ] && [ -z "$stderr" ]
	[ "$(cat arguments)" = $'a b\n@c' ]
	not grep -E '^INTERFERO_(LTRANS|LTO_WRAPPER)=' environment
	cmp made.o copies/0.o
	[ "$(cat copies/list)" = made.o ]
	STATUS=7 run -7 within 20 "$ours/keep-ltrans"
	INTERFERO_LTRANS=/nowhere run -0 --separate-stderr within 20 "$ours/keep-ltrans"
	[ "$output" = made.o ] && [ -z "$stderr" ]
	# Itself, by its name and by a link; by a script that calls it.
	for wrapper in "$ours/keep-ltrans" "$here/first/link" keep-ltrans "" /no/such; do
		ln -sf "$ours/keep-ltrans" first/link
		INTERFERO_LTO_WRAPPER="$wrapper" refuse 4 keep-ltrans INTERFERO_LTO_WRAPPER -- "$ours/keep-ltrans"
	done
	: >calls
	printf '#!/bin/sh\necho call >>calls\n[ "$(wc -l <calls)" -le 20 ] || exit 99\nexport INTERFERO_LTO_WRAPPER="%s"\nexec "%s" "$@"\n' \
		"$here/first/script" "$ours/keep-ltrans" >first/script
	chmod +x first/script
	INTERFERO_LTO_WRAPPER="$here/first/script" refuse 4 keep-ltrans "called by" -- "$ours/keep-ltrans"
	[ "$(wc -l <calls)" -eq 1 ]
}

@test "nothing in the folder of linkers is called lto-wrapper" {
	[ "$(find "$ours/ld" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')" = "ld ld.bfd ld.gold ld.lld ld.mold " ]
}
