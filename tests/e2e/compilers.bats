#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of other compilers, linked through us: units move, variants do what the program does, the model replays them,
# and a comparison tells a slower version. What needs GCC's plugin is refused by name.

load ../helpers

setup_file() {
	use_own_kits
	cp -r "$BATS_TEST_DIRNAME/programs/compilers" .
	# For compilers whose driver takes a folder of linkers.
	export linkers=$INTERFERO_BUILD/libexec/interfero/ld/
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

says() { # FILE PATTERN
	grep -q -- "$2" "$1" || say "no \"$2\": $(cat "$1")"
}

# moves PROGRAM UNIT...: a layout of the program moves these units, and runs in ten layouts as the program does.
moves() {
	local program=$1
	shift
	interfero variants -n 10 -s 3 -o layouts "$program" >list
	within 60 interfero verify "$program" layouts -- "$program" 200 >verified
	says verified "0 of 10 variants differ"
	nm --defined-only "$program" | sort -k3 >shipped
	for variant in layouts/v0000?; do nm --defined-only "$variant" | sort -k3; done >moved
	for unit; do
		[ "$(grep -c "$unit" shipped)" -ge 1 ] || say "no $unit: $(cat shipped)"
		# Nine layouts, and the symbol at three addresses at least.
		[ "$(grep "$unit" moved | cut -d' ' -f1 | sort -u | wc -l)" -ge 3 ] || say "$unit: $(grep "$unit" moved)"
	done
}

# tells SLOW PROGRAM: by the model, the slower version executes more, and the report says so.
tells() {
	local status=0
	within 60 interfero compare -c model:instructions --core=none -n 3 -o tells.exp "$2" "$1" -- 20000 >told || status=$?
	[ "$status" -eq 1 ] || say "$status: $(cat told)"
	says told "Verdict: change"
}

# replays PROGRAM PARTS: a layout's counts are those of its variant, recorded, within so many millionths. Where functions
# throw, the unwinder's search depends on their order; string functions branch on alignment.
replays() {
	interfero record -q -o shipped.trace -- "$1" 3000 >printed
	interfero variants -q -n 1 -s 8 -o one "$1"
	interfero record -q --plan one/v00001.plan -o variant.trace -- "$1" 3000 >printed
	interfero replay --json --plan one/v00001.plan shipped.trace >replayed.json
	interfero replay --json variant.trace >recorded.json
	for counter in instructions branches L1-icache-load-misses windows-64; do
		jq -s -e --arg c "$counter" --argjson parts "$2" \
			'map(.layouts[0].counters[$c]) | (.[0] - .[1] | fabs) * 1e6 <= $parts * .[1]' replayed.json recorded.json >near ||
			say "$counter: $(jq -c .layouts[0].counters replayed.json recorded.json)"
	done
}

# measures PROGRAM: its layouts by the model, and the code that makes them differ.
measures() {
	interfero bench -q -c model -n 8 -o b.exp -- "$1" 2000
	interfero report b.exp >report
	says report "8 random"
	interfero blame b.exp >blamed
	says blamed "significant"
}

@test "clang: C++ with exceptions, templates and static constructors" {
	# Twelve seconds; clang's C program is tested at both depths.
	need_full_depth
	need clang++
	interfero-clang++ -O2 -Wall -Werror ../compilers/words.cc -o words
	interfero-clang++ -O2 -DSLOW ../compilers/words.cc -o slower
	moves ./words main _Z5countRKSs\\\|_Z5countRKNSt
	tells ./slower ./words
	replays ./words 2000
	measures ./words
}

@test "clang: objects of its own driver, and warnings stay those of the compiler" {
	need clang
	interfero-clang -O2 -Wall -Wextra -Werror -c ../compilers/loop.c
	interfero-clang -Wall -Werror -fuse-ld=bfd loop.o -o loop
	moves ./loop main step
	replays ./loop 0
	[ "$(interfero-clang -print-prog-name=ld)" = "$(clang -print-prog-name=ld)" ]
	INTERFERO_CLANG=$(command -v clang) interfero-clang -E ../compilers/loop.c >preprocessed
	[ -s preprocessed ]
}

@test "axes of the compiler are refused for clang, with the reason" {
	need clang
	refuse 4 "clang keeps no templates" -- env INTERFERO_TEMPLATES=1 interfero-clang ../compilers/loop.c
	interfero-clang -O1 ../compilers/loop.c -o loop
	refuse 2 "no sources (and no templates)" -- interfero bench -q -a frames -n 2 -- ./loop 10
	refuse 4 "there is no compiler" "INTERFERO_GCC (_GXX, _GFORTRAN, _CLANG, _CLANGXX)" -- \
		env INTERFERO_CLANG="$PWD/none" interfero-clang ../compilers/loop.c
}

@test "rustc: functions of the crate and of its standard library" {
	# Eight seconds; clang's objects show at quick depth that GCC is not needed.
	need_full_depth
	need rustc
	rustc -O -C linker=interfero-gcc ../compilers/words.rs -o words
	rustc -O -C linker=interfero-gcc --cfg slow ../compilers/words.rs -o slower
	moves ./words words.*count core.*fmt.*pad_integral
	tells ./slower ./words
	replays ./words 100
	measures ./words
}

@test "clang -flto: no kit is kept, which a warning says, and the program runs" {
	need clang
	interfero-clang -O2 -flto ../compilers/loop.c -o loop 2>warning || skip "clang has no LTO here: $(tail -n 1 warning)"
	[ "$(./loop 200)" = "$(interfero-clang -O2 ../compilers/loop.c -o plain && ./plain 200)" ]
	says warning "there will be no kit of loop: clang -flto keeps no objects"
	refuse 2 "has no kit" -- interfero variants -n 1 -o layouts ./loop
}

# bench_of NAME [FLAGS]: the path of that bench's program in the folder crate, as cargo builds it.
bench_of() {
	(cd crate && RUSTFLAGS="${2:-}" within 200 cargo bench -q --offline --no-run --bench "$1" --message-format=json) |
		jq -r 'select(.executable != null) | .executable'
}

@test "cargo bench: its programs have kits, and are measured" {
	need_full_depth
	need cargo jq
	cargo --version >/dev/null 2>&1 || skip "cargo has no toolchain"
	cp -r ../compilers/crate crate
	# The linker is that of .cargo/config.toml.
	bench=$(bench_of plain)
	[ -x "$bench" ]
	cp "$bench" plain
	moves ./plain words.*digits core.*fmt.*pad_integral
	cp "$(bench_of plain "--cfg slow")" slower
	tells ./slower ./plain
	# #[bench] is not stable: the variable opens it in a released compiler.
	RUSTC_BOOTSTRAP=1 bench_of libtest >bench
	interfero bench -q -c clock -n 2 -r 1 --metrics libtest -o l.exp -- "$(cat bench)"
	interfero report --json l.exp | jq -e '[.. | strings | select(. == "digits")] | length > 0' >/dev/null
}

@test "cargo bench: a bench of Criterion is found, moves, and is measured by its own figures" {
	need_full_depth
	need cargo jq
	cargo --version >/dev/null 2>&1 || skip "cargo has no toolchain"
	ls -d /usr/share/cargo/registry/criterion-* >/dev/null 2>&1 || skip "librust-criterion-dev is not installed"
	cp -r ../compilers/criterion crate
	cp -r ../compilers/crate words
	sed -i 's,\.\./crate,../words,' crate/Cargo.toml
	bench=$(bench_of digits)
	[ -x "$bench" ]
	interfero layout -u "$bench" >units
	for unit in words.*digits criterion core.*fmt.*pad_integral; do says units "$unit"; done
	interfero bench -q -c clock -n 2 -r 1 --metrics criterion -o c.exp -- "$bench"
	interfero report --json c.exp >report.json
	# The figure is Criterion's: below its folder, the typical time in nanoseconds.
	jq -e '[.. | objects | select(.name? == "digits" and .source? == "program" and .unit? == "ns")] | length > 0' report.json
}

@test "Fortran: functions of modules" {
	need gfortran
	interfero-gfortran -O2 -fno-inline ../compilers/words.f90 -o words
	moves ./words __words_MOD_digits main
	replays ./words 0
}

@test "D: gdc" {
	need_full_depth
	need gdc
	gdc -O2 -ffunction-sections -fdata-sections -B "$linkers" ../compilers/words.d -o words
	moves ./words 5words5count 3std3utf
	replays ./words 2000
}

@test "D: ldc" {
	need_full_depth
	need ldc2
	ldc2 -O2 -function-sections -gcc=interfero-gcc ../compilers/words.d -of=words
	moves ./words 5words5count 3std3utf
	# Debian 13's links the library of its archive, which has several members of one name: no replay tells their addresses.
	ldc2 -O2 -function-sections -link-defaultlib-shared -gcc=interfero-gcc ../compilers/words.d -of=shared
	replays ./shared 2000
}

@test "Ada: gnatmake" {
	need_full_depth
	need gnatmake
	cp ../compilers/words.adb .
	gnatmake -q -O2 words.adb -cargs -ffunction-sections -fdata-sections -largs -B "$linkers"
	moves ./words words__count words__maps__insert
	replays ./words 2000
}

@test "Swift: its own functions move, its library is shared" {
	need_full_depth
	need swiftc
	swiftc -O -Xfrontend -function-sections -use-ld=bfd -Xclang-linker "-B$linkers" ../compilers/words.swift -o words
	moves ./words 5words5count main
	replays ./words 2000
}

@test "Go: its own linker hands one object to ours, which moves as a whole" {
	need_full_depth
	need go
	CGO_ENABLED=1 go build -ldflags '-linkmode external -extld interfero-gcc' -o words ../compilers/words.go
	interfero variants -n 2 -o layouts ./words >list
	within 60 interfero verify ./words layouts -- ./words 200 >verified
	says verified "0 of 2 variants differ"
}
