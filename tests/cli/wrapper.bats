#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero-gcc, -g++ and -gfortran as drop-in compilers, and what of each link becomes a kit.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
	export INTERFERO_KITS="$here/kits"
}

teardown_file() {
	drop_own_kits
}

write_hello() {
	cat >"${1:-hello.c}" <<'END'
#include <stdio.h>
int twice(int x);
int __attribute__((noinline)) twice(int x) { return 2 * x; }
int main(int argc, char **argv) { printf("%s %d\n", argc > 9 ? argv[1] : "hello", twice(argc)); return 0; }
END
}

# has_kit PROGRAM: its kit is there and whole.
has_kit() {
	interfero kit show "$1" >/dev/null
}

kit_count() {
	find "$INTERFERO_KITS/kits" -mindepth 1 -maxdepth 1 ! -name '.*' 2>/dev/null | wc -l
}

# varies PROGRAM: four variants print the same and have their functions in orders of their own.
varies() {
	local i wanted
	wanted=$("$1")
	interfero variants -q -n 4 -o v "$1"
	for i in 1 2 3 4; do
		[ "$(v/v0000$i)" = "$wanted" ]
	done
	for i in 1 2 3 4; do functions_of v/v0000$i | md5sum; done | sort -u >orders
	[ "$(wc -l <orders)" -ge 2 ]
}

@test "a program is built as by gcc and has a kit" {
	write_hello
	run -0 --separate-stderr interfero-gcc -O2 hello.c -o hello
	[ -z "$output$stderr" ]
	[ "$(./hello)" = "hello 2" ]
	has_kit hello
	interfero kit show hello | grep -q "^key  *$(build_id_of hello)$"
}

@test "arguments, warnings and errors are the compiler's" {
	write_hello
	echo 'int main(void) { return 1 +; }' >bad.c
	run -1 interfero-gcc -c bad.c
	[[ $output == *bad.c:1*error* ]]
	[ ! -e bad.o ]
	[ "$(interfero-gcc -dumpversion)" = "$(gcc -dumpversion)" ]
	[ "$(interfero-gcc -E -P hello.c | tail -n 1)" = "$(gcc -E -P hello.c | tail -n 1)" ]
	run -1 interfero-gcc hello.c -L. -lnowhere -o hello
	[[ $output == *"cannot find -lnowhere"* ]]
	[ ! -e hello ]
	[ "$(kit_count)" -eq 0 ]
}

@test "copies and stripped copies find the kit" {
	write_hello
	interfero-gcc -g hello.c -o hello
	mkdir elsewhere
	cp hello elsewhere/copy
	strip -o elsewhere/stripped hello
	has_kit elsewhere/copy
	has_kit elsewhere/stripped
	rm hello hello.c
	interfero variants -q -n 1 -o v elsewhere/stripped
	[ "$(v/v00001)" = "hello 2" ]
}

@test "objects made with -c -o in other folders, linked from a third" {
	write_hello
	mkdir -p out/deep src bin
	mv hello.c src
	interfero-gcc -c src/hello.c -o out/deep/hello.o
	(cd bin && interfero-gcc ../out/deep/hello.o -o program)
	rm -r out src
	has_kit bin/program
	varies bin/program
}

@test "names with blanks" {
	mkdir "a folder"
	write_hello "a folder/a file.c"
	interfero-gcc -c "a folder/a file.c" -o "a folder/an object.o"
	interfero-gcc "a folder/an object.o" -o "a folder/a program"
	has_kit "a folder/a program"
	varies "a folder/a program"
	interfero kit show "a folder/a program" | grep -q "a folder/an object.o"
}

@test "two objects of one name in two folders" {
	mkdir a b
	echo 'int from_a(void); int from_a(void) { return 1; }' >a/x.c
	echo 'int from_b(void); int from_b(void) { return 2; }' >b/x.c
	echo 'int from_a(void), from_b(void); int main(void) { return from_a() * 10 + from_b(); }' >main.c
	interfero-gcc -c a/x.c -o a/x.o
	interfero-gcc -c b/x.c -o b/x.o
	interfero-gcc main.c a/x.o b/x.o -o program
	run -12 ./program
	interfero variants -q -n 6 -o v ./program
	for i in 1 2 3 4 5 6; do run -12 v/v0000$i; done
	for i in 1 2 3 4 5 6; do functions_of v/v0000$i | grep from_ | tr -d '\n'; echo; done | sort -u >orders
	[ "$(wc -l <orders)" -eq 2 ]
}

@test "response files" {
	write_hello
	interfero-gcc -c hello.c
	printf '"-o"\n"pro gram"\nhello.o\n' >arguments
	interfero-gcc @arguments
	has_kit "pro gram"
	# -Wl,@file reaches the linker as a response file of its own.
	echo "--defsym=extra=17" >linker-arguments
	interfero-gcc hello.o -Wl,@linker-arguments -o second
	nm second | grep -q 'A extra'
	interfero variants -q -n 1 -o v second
	nm v/v00001 | grep -q 'A extra'
}

@test "thin archives" {
	echo 'int thin(void); int thin(void) { return 5; }' >thin.c
	echo 'int thin(void); int main(void) { return thin(); }' >main.c
	mkdir objects
	interfero-gcc -c thin.c -o objects/thin.o
	ar rcsT libthin.a objects/thin.o
	head -c 7 libthin.a | grep -q '!<thin>'
	interfero-gcc main.c -L. -lthin -o program
	rm -r objects libthin.a
	interfero variants -q -n 2 -o v ./program
	run -5 v/v00001
	run -5 v/v00002
}

@test "-shared, -static and -r" {
	write_hello
	echo 'int shared(void); int shared(void) { return 3; }' >shared.c
	interfero-gcc -shared -fPIC shared.c -o libshared.so
	has_kit libshared.so
	interfero-gcc -static hello.c -o still
	has_kit still
	varies ./still
	interfero-gcc -c hello.c -o hello.o
	interfero-gcc -c shared.c -o shared.o
	run -0 --separate-stderr interfero-gcc -r hello.o shared.o -o both.o
	[ -z "$stderr" ]
	[ "$(kit_count)" -eq 2 ]
	interfero-gcc both.o -o program
	varies ./program
}

@test "a program finds its kit by its build-id, stripped and in another folder under another name" {
	write_hello
	interfero-gcc hello.c -o program
	mkdir elsewhere
	strip program -o elsewhere/renamed
	rm program
	varies ./elsewhere/renamed
	# Without the build-id nothing tells which.
	objcopy --remove-section=.note.gnu.build-id elsewhere/renamed unknown
	refuse 2 unknown "no kit" -- interfero variants -q -n 1 -o none ./unknown
}

@test "C++ and Fortran" {
	interfero-g++ -O1 "$programs/exceptions.cc" -o exceptions
	has_kit exceptions
	need gfortran
	printf 'program p\nprint *, "fortran"\nend program\n' >p.f90
	interfero-gfortran p.f90 -o p
	has_kit p
	[ "$(./p)" = " fortran" ]
}

@test "parallel make: every program has its kit" {
	cat >Makefile <<'END'
all: $(foreach i,1 2 3 4 5 6 7 8 9 10 11 12,program$(i))
program%: %.o common.o
	$(CC) $^ -o $@
%.o: %.c
	$(CC) -c $< -o $@
END
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "int common(void); int main(void) { return common() + $i; }" >$i.c
	done
	echo 'int common(void); int common(void) { return 0; }' >common.c
	run -0 --separate-stderr within 120 make -s -j8 CC=interfero-gcc
	[ -z "$stderr" ]
	[ "$(kit_count)" -eq 12 ]
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		has_kit program$i
	done
	interfero variants -q -n 1 -o v ./program7
	run -7 v/v00001
	find "$INTERFERO_KITS" -name '.new-*' | not grep .
}

@test "the same program linked again, many times at once, has one whole kit" {
	write_hello
	interfero-gcc -c hello.c
	for i in 1 2 3 4 5 6; do
		interfero-gcc hello.o -o program$i 2>>errors &
	done
	wait
	[ ! -s errors ]
	has_kit program3
	[ "$(kit_count)" -eq 1 ]
	find "$INTERFERO_KITS" -name '.new-*' | not grep .
}

@test "probes of configure and CMake leave no kit" {
	write_hello
	interfero-gcc hello.c -o conftest
	interfero-gcc hello.c -o cmTC_1a2b3
	mkdir -p build/CMakeFiles/CMakeScratch/TryCompile-x
	(cd build/CMakeFiles/CMakeScratch/TryCompile-x && interfero-gcc ../../../../hello.c -o anything)
	interfero-gcc hello.c -o /dev/null
	[ "$(./conftest)" = "hello 2" ]
	[ "$(kit_count)" -eq 0 ]
	# The names alone decide: the same link under another name is kept.
	interfero-gcc hello.c -o configured
	[ "$(kit_count)" -eq 1 ]
}

@test "INTERFERO_CAPTURE=0 captures nothing" {
	write_hello
	INTERFERO_CAPTURE=0 interfero-gcc hello.c -o hello
	[ "$(./hello)" = "hello 2" ]
	[ "$(kit_count)" -eq 0 ]
}

@test "other linkers: the program is theirs, its kit is there, its variants run" {
	write_hello
	local found=
	for linker in gold lld mold; do
		command -v ld.$linker >/dev/null || continue
		found="$found $linker"
		mkdir $linker
		interfero-gcc -fuse-ld=$linker hello.c -o $linker/hello
		[ "$($linker/hello)" = "hello 2" ]
		has_kit $linker/hello
		interfero kit show $linker/hello | grep -q "^linker  *ld.$linker "
		(cd $linker && varies ./hello)
	done
	[ -n "$found" ] || skip "none of gold, lld, mold is installed"
}

@test "a program without a build-id is found by its bytes" {
	write_hello
	interfero-gcc -Wl,--build-id=none hello.c -o hello
	[ -z "$(build_id_of hello)" ]
	cp hello copy
	has_kit copy
	varies ./copy
}

@test "what build systems ask of a compiler is answered as gcc answers it" {
	for question in -print-prog-name=ld -print-search-dirs -dumpversion -dumpmachine -print-file-name=libc.a; do
		[ "$(interfero-gcc $question)" = "$(gcc $question)" ]
	done
	# CMake looks for these beside the compiler, and takes their absence for a compiler that cannot do LTO.
	for companion in gcc-ar gcc-nm gcc-ranlib; do
		[ "$(interfero-$companion --version)" = "$($companion --version)" ]
	done
	echo 'int one(void) { return 1; }' >one.c
	interfero-gcc -c one.c -o one.o
	interfero-gcc-ar rcs libone.a one.o
	interfero-gcc-nm libone.a | grep -q ' T one'
}

@test "options that only look like questions are compilations" {
	echo 'int one(void) { return 1; }' >one.c
	interfero-gcc -dumpbase-ext .c -dumpbase one.c -dumpdir d- -c one.c -o one.o
	readelf -SW one.o | grep -q '\.text\.one'
}
