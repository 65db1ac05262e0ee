# SPDX-License-Identifier: GPL-3.0-or-later
# The engine that works in memory against its oracle: for each kind of program, and for each of 3 or 16 plans, its variant is
# what ld.bfd links for the same placement, byte for byte, with symbol tables and debugging information. Every variant of
# a program is also run.

load ../helpers

setup_file() {
	use_own_kits
}

teardown_file() {
	drop_own_kits
}

setup() {
	use_own_folder
	src="$(dirname "$BATS_TEST_FILENAME")/programs/engine"
	[ -x "$INTERFERO_BUILD/tests/engine" ] || skip "build/tests/engine is not built"
}

# same PROGRAM: as above; run_as says how it is run.
same() {
	run within 120 "$INTERFERO_BUILD/tests/engine" check "$1" variants
	[ "$status" -eq 0 ] && [ "$(grep -c '^ok' <<<"$output")" -eq "$(at_depth 3 16)" ] || say "$output"
	[ "${2:-}" != no-run ] || return 0
	local expected variant
	expected=$(within 10 "$1" 2>&1)
	for variant in variants/*; do
		[ "$(within 10 "$variant" 2>&1)" = "$expected" ] || say "$variant behaves differently"
	done
}

# alike_but WORDS PROGRAM: the same, but for the plan of a longer interpreter path, which is ld.bfd's for that reason.
alike_but() {
	run within 120 "$INTERFERO_BUILD/tests/engine" check "$2" variants
	[ "$(grep -c '^ok' <<<"$output")" -eq "$(at_depth 2 15)" ] && [[ $output == *"not ok 11 interp: $1"* ]] || say "$output"
	run interfero variants -n 2 --axes interp,functions -o made "$2"
	[[ $status -eq 0 && $output == *"engine: ld.bfd, as $1"* ]] || say "$output"
	[ "$(made/v00001)" = "$("$2")" ]
}

# refused WORD PROGRAM: no plan is applied, for that reason.
refused() {
	run within 120 "$INTERFERO_BUILD/tests/engine" check "$2"
	[ "$(grep -c '^not ok' <<<"$output")" -ge "$(at_depth 2 7)" ] || say "$output"
	[[ $output == *"$1"* ]] || say "$output"
}

# combined: marks a combination of two kinds that each have a test of their own.
combined() { need_full_depth; }

c() { interfero-gcc -O2 "$@"; }
cxx() { interfero-g++ -O2 "$@" "$src/cxx_main.cc" "$src/cxx_more.cc" -o program; }
small() { c "$@" "$src/small_main.c" "$src/small_more.c" -o program; }
tls() { c "$@" "$src/tls_main.c" "$src/tls_more.c" -o program; }
data() { c -fcommon "$@" "$src/data_main.c" "$src/data_more.c" -o program; }
ifunc() { c "$@" "$src/ifunc.c" -o program; }
asm() { c "$@" "$src/asm.S" "$src/asm_main.c" -o program; }

@test "C" { small; same ./program; }
@test "C with debugging information" { small -g; same ./program; }
@test "C with debugging information of DWARF 4" { combined; small -gdwarf-4; same ./program; }
@test "C at a fixed address" { small -fno-pie -no-pie; same ./program; }
@test "C, static" { small -static; same ./program; }
@test "C, static at any address" { small -static-pie; same ./program; }
@test "data" { data; same ./program; }
@test "data in sections of their own" { data -fdata-sections -g; same ./program; }
@test "data at fixed addresses" { combined; data -fno-pie -no-pie -fdata-sections; same ./program; }
@test "data, static" { combined; data -static -fdata-sections; same ./program; }
@test "data, static at any address" { combined; data -static-pie -fdata-sections; same ./program; }
@test "data with exported symbols" { data -rdynamic -fdata-sections; same ./program; }
@test "data with packed relocations" { combined; data -fdata-sections -Wl,-z,pack-relative-relocs; same ./program; }
@test "data without symbols" { combined; data -fdata-sections -s; same ./program; }
@test "data without read-only relocations" { data -fdata-sections -Wl,-z,norelro; same ./program; }
@test "C without symbols" { small -s; same ./program; }
@test "C with exported symbols" { small -rdynamic; same ./program; }
@test "C with branch protection and no .plt" { small -fcf-protection -fno-plt; same ./program; }
@test "C whose text shares pages with data" {
	small -Wl,-z,noseparate-code
	alike_but "a longer interpreter path moves this program's code" ./program
}
@test "C with packed relocations" { small -Wl,-z,pack-relative-relocs; same ./program; }
@test "C without what is not used" { small -ffunction-sections -Wl,--gc-sections; same ./program; }

@test "C without function sections" {
	gcc -O2 -fno-function-sections -c "$src/small_main.c" "$src/small_more.c"
	c small_main.o small_more.o -o program
	same ./program
}

@test "objects linked into one" {
	gcc -O2 -r -nostdlib "$src/small_main.c" "$src/small_more.c" -o one.o
	c one.o -o program
	same ./program
}

@test "archives, thick and thin" {
	gcc -O2 -ffunction-sections -c "$src/small_main.c" "$src/small_more.c"
	ar rcs libthick.a small_more.o
	ar rcsT libthin.a small_more.o
	c small_main.o libthick.a -o program
	same ./program
	c small_main.o libthin.a -o program
	same ./program
}

@test "a wrapped symbol" {
	printf 'int __real_table(int);\nint __wrap_table(int x) { return __real_table(x) + 1000; }\n' >wrap.c
	small -Wl,--wrap=table wrap.c
	same ./program
}

@test "a symbol made by the linker" {
	printf 'int alias(int);\nint (*pointer)(int) = alias;\nint use(void) { return alias(3); }\n' >alias.c
	small -Wl,--defsym=alias=odd alias.c
	same ./program
}

@test "C++" { cxx; same ./program; }
@test "C++ with debugging information" { combined; cxx -g; same ./program; }
@test "C++ without optimisation" { combined; cxx -O0; same ./program; }
@test "C++ at a fixed address" { combined; cxx -fno-pie -no-pie; same ./program; }
@test "C++, static" { combined; cxx -static; same ./program; }
@test "C++ with packed relocations" { combined; cxx -Wl,-z,pack-relative-relocs; same ./program; }

@test "thread-local variables" { tls; same ./program; }
@test "thread-local variables, at a fixed address" { combined; tls -fno-pie -no-pie; same ./program; }
@test "thread-local variables, general dynamic made local" { tls -fPIC; same ./program; }
@test "thread-local variables, without .plt" { combined; tls -fPIC -fno-plt; same ./program; }
@test "thread-local variables, by descriptors" { tls -fPIC -mtls-dialect=gnu2; same ./program; }
@test "thread-local variables, static" { combined; tls -static; same ./program; }
@test "thread-local variables, general dynamic in a library" { tls -fPIC -shared; same ./program no-run; }

@test "indirect functions" { ifunc; same ./program; }
@test "indirect functions, bound at once" { ifunc -Wl,-z,now; same ./program; }
@test "indirect functions, at a fixed address" { combined; ifunc -fno-pie -no-pie; same ./program; }
@test "indirect functions, static" { combined; ifunc -static; same ./program; }
@test "indirect functions, static at any address" { combined; ifunc -static-pie; same ./program; }

@test "Fortran" {
	interfero-gfortran -O2 "$(dirname "$BATS_TEST_FILENAME")/../cli/programs/plugin/program.f90" -o program
	same ./program
}

@test "computed goto" {
	cat >goto.c <<-'EOT'
		#include <stdio.h>
		static int run(const unsigned char *code) {
			static void *const labels[] = {&&add, &&twice, &&end};
			int value = 1;
			goto *labels[*code++];
		add:
			value += 3;
			goto *labels[*code++];
		twice:
			value *= 2;
			goto *labels[*code++];
		end:
			return value;
		}
		int main(void) { return printf("%d\n", run((const unsigned char *)"\0\1\0\1\2")) < 0; }
	EOT
	c goto.c -o program
	same ./program
	c -no-pie -fno-pie goto.c -o program
	rm -rf variants
	same ./program
}

@test "assembly" { asm; same ./program; }
@test "assembly, at a fixed address" { combined; asm -no-pie; same ./program; }
@test "assembly, static" { combined; asm -static; same ./program; }

lto() { small -flto=1 "$@"; }

@test "-flto" { lto; same ./program; }
@test "-flto in several parts" { combined; lto -flto-partition=1to1; same ./program; }
@test "-flto in one part" { combined; lto -flto-partition=one; same ./program; }
@test "-flto of the whole program" { lto -flto-partition=none; same ./program; }
@test "-flto with debugging information" { combined; lto -g; same ./program; }
@test "-flto, static" { combined; lto -static; same ./program; }
@test "-flto, at a fixed address, without what is not used" { lto -no-pie -fno-pie -Wl,--gc-sections; same ./program; }
@test "-flto, C++" { combined; cxx -flto=1; same ./program; }
@test "-flto, C++ in several parts, static" { combined; cxx -flto=1 -flto-partition=1to1 -static; same ./program; }
@test "-flto, thread-local variables" { combined; tls -flto=1 -flto-partition=1to1; same ./program; }
@test "-flto, a library" { c -fPIC -shared -flto=1 "$src/library.c" -o liblibrary.so; same ./liblibrary.so no-run; }

@test "-flto in parts of which some have no local symbols" {
	printf 'int plain(int x) { return x * 3; }\n' >plain.c
	printf 'static int list[] = {1, 2};\nint *other(void) { return list; }\n' >other.c
	printf 'int plain(int);\nint *other(void);\nint both(int x) { return plain(x) + *other(); }\n' >both.c
	lto -flto-partition=1to1 -fno-inline -Wl,--export-dynamic plain.c other.c both.c
	same ./program
}

@test "libraries" {
	c -fPIC -shared "$src/library.c" -o liblibrary.so
	same ./liblibrary.so no-run
	c "$src/library_main.c" ./liblibrary.so -o program
	local expected name
	expected=$(./program)
	for variant in variants/*; do
		cp "$variant" liblibrary.so
		[ "$(within 10 ./program)" = "$expected" ] || say "$variant behaves differently"
	done
	c -fPIC -shared -Wl,-Bsymbolic "$src/library.c" -o libsymbolic.so
	same ./libsymbolic.so no-run
}

@test "a pinned unit is counted, stays where it ships, and the others go around it" {
	c "$src/pinned_main.c" "$src/pinned.S" -o program
	same ./program
	[[ $output == *":.text.near: a relocation of 8 or 16 bits"* ]] || say "$output"
	run interfero variants -n 3 --axes functions,padding -o made ./program
	[ "$status" -eq 0 ]
	[[ $output == *"held: 2 units where they ship"* && $output == *"engine: in memory"* ]] || say "$output"
	for variant in made/v0000{1,2,3}; do
		[ "$("$variant")" = "$(./program)" ]
		[ "$(nm "$variant" | grep ' near$')" = "$(nm program | grep ' near$')" ]
		[ "$(nm "$variant" | grep ' main$')" != "$(nm program | grep ' main$')" ]
	done
}

@test "what the engine cannot do is refused by name, and left to ld.bfd" {
	small -Wl,--emit-relocs
	refused "the link keeps its relocations (--emit-relocs)" ./program
	tls -fPIC -mtls-dialect=gnu2 -shared
	refused "in another order the linker makes another program (.rela.plt" ./program
	printf '%s\n' '__attribute__((retain, noinline)) int f(int x) { return x + 1; }' \
		'int main(int argc, char **argv) { (void)argv; return f(argc) - 2; }' >retained.c
	c retained.c -o program
	refused "has flags that .text does not have" ./program
}

@test "images are kept beside the kit, and a damaged one is made again" {
	small
	run interfero variants -n 1 --axes functions -o first ./program
	[[ $output == *"engine: in memory"* ]] || say "$output"
	image=$(ls "$INTERFERO_KITS"/kits/"$(build_id_of program)"/image-*)
	cp "$image" kept
	printf x | dd of="$image" bs=1 seek=500 conv=notrunc status=none
	interfero variants -n 1 --axes functions -o second ./program
	cmp first/v00001 second/v00001
	cmp kept "$image"
}
