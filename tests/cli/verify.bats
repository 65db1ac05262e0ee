#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Variants pass, and each check turns red on a variant that was damaged where it looks. Where the bytes lie is
# readelf's word; what they mean is System V gABI's (chapters 4 and 5) and LSB Core 5.0's (section 10.6).

load ../helpers

setup_file() {
	use_own_kits
	interfero-g++ -O1 -ffunction-sections "$programs/exceptions.cc" -o ex
	interfero-g++ -O2 -ffunction-sections "$programs/exceptions.cc" -o other
	interfero variants -q -n 6 -o v ./ex
}

setup() {
	use_own_folder
	ex="$place/ex"
	mkdir d
	cp "$place/v/v00001" "$place/v/v00001.plan" d
	bad=d/v00001
}

teardown_file() {
	drop_own_kits
}

# section NAME FIELD: a section's address (2), file offset (3) or size (4) in $bad, in decimal.
section() {
	echo $((0x$(readelf -SW "$bad" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v n="$1" -v f="$(($2 + 1))" '$1 == n { print $f }')))
}

# symbol NAME: the file offset of the entry of .symtab. Its value follows after 8 bytes, its size after 16.
symbol() {
	local number
	number=$(readelf -sW "$bad" | sed -n '/\.symtab/,$p' | awk -v n="$1" '$8 == n { print int($1) }')
	echo $(($(section .symtab 3) + 24 * number))
}

# bytes OFFSET COUNT: as hexadecimal digits.
bytes() {
	od -An -v -tx1 -j "$1" -N "$2" "$bad" | tr -d ' \n'
}

# poke OFFSET HEX: writes bytes into $bad; they must be other bytes.
poke() {
	[ "$(bytes "$1" $((${#2} / 2)))" != "$2" ] || say "poke changes nothing at $1"
	printf '%b' "$(sed 's/../\\x&/g' <<<"$2")" | dd of="$bad" bs=1 seek="$1" conv=notrunc status=none
}

# flip OFFSET MASK: one byte.
flip() {
	poke "$1" "$(printf %02x $((0x$(bytes "$1" 1) ^ $2)))"
}

# differs CHECK... -- [TEST]: $bad differs by exactly these checks.
differs() {
	local wanted=()
	while [ "$1" != -- ]; do
		wanted+=("$1")
		shift
	done
	[ $# -gt 1 ] || shift
	run -1 within 60 interfero verify "$ex" d --json "$@"
	findings=$output
	[ "$(jq -r '[.variants[].findings[].check] | join(" ")' <<<"$findings")" = "${wanted[*]}" ] || say "$findings"
	[ "$(jq '.differing' <<<"$findings")" -eq 1 ]
}

text_of() {
	jq -r --arg check "$1" '.variants[].findings[] | select(.check == $check).text' <<<"$findings"
}

@test "variants of a C++ program with exceptions pass, with a test of their output" {
	run -0 within 60 interfero verify "$ex" "$place/v" -- "$ex"
	[ "$(grep -c '^v0000[1-6]   ok$' <<<"$output")" -eq 6 ]
	[[ $output == *"0 of 6 variants differ"* ]]
	run -0 within 60 interfero verify --quiet "$ex" "$place/v" -- sh -c '"$1" | grep bottom' sh {}
	[ -z "$output" ]
	# {} inside a word, twice
	run -0 within 60 interfero verify --quiet "$ex" "$place/v" -- env THIS={}:{} sh -c '[ "${THIS%:*}" = "${THIS#*:}" ] && "${THIS%:*}"'
}

@test "every kind of program passes: static, static PIE, at fixed addresses, packed relocations, without symbols or build-id" {
	# A static program with thread-local variables is below.
	local each=(-static -static-pie -no-pie -Wl,-z,pack-relative-relocs -Wl,-s -Wl,--build-id=none "-shared -fPIC")
	is_full_depth ||
		each=("-static-pie -Wl,--build-id=none" "-no-pie -Wl,-s" -Wl,-z,pack-relative-relocs "-shared -fPIC")
	for flags in "${each[@]}"; do
		rm -rf kinds
		# shellcheck disable=SC2086 # a list of words
		interfero-g++ -O1 -ffunction-sections $flags "$programs/exceptions.cc" -o kind
		interfero variants -q -n "$(at_depth 1 2)" -o kinds ./kind
		within 60 interfero verify -q ./kind kinds || say "$flags"
	done
}

@test "Fortran and thread-local variables pass, with tests of their output" {
	need gfortran
	cat >sieve.f90 <<'END'
module numbers
  implicit none
contains
  pure logical function is_prime(n)
    integer, intent(in) :: n
    integer :: d
    is_prime = n > 1
    d = 2
    do while (is_prime .and. d * d <= n)
      is_prime = mod(n, d) /= 0
      d = d + 1
    end do
  end function
  recursive integer function choose(n, k) result(r)
    integer, intent(in) :: n, k
    r = 1
    if (k > 0 .and. k < n) r = choose(n - 1, k - 1) + choose(n - 1, k)
  end function
end module
program sieve
  use numbers
  integer :: i
  print '(i0, 1x, i0)', count([(is_prime(i), i = 1, 1000)]), choose(10, 4)
end program
END
	interfero-gfortran -O1 sieve.f90 -o sieve
	# 168 primes below 1000, 210 ways to choose 4 of 10.
	[ "$(./sieve)" = "168 210" ]
	interfero variants -q -n "$(at_depth 2 6)" --axes all -o fortran ./sieve
	within 60 interfero verify -q ./sieve fortran -- {}
	for flags in -O2 "-O2 -fPIC" "-O2 -fPIC -mtls-dialect=gnu2" "-O2 -fno-pie -no-pie" "-O2 -static"; do
		[[ $flags != -O2 && $flags != *-no-pie ]] || is_full_depth || continue
		rm -rf tls
		# shellcheck disable=SC2086 # a list of words
		interfero-gcc $flags "$BATS_TEST_DIRNAME"/../e2e/programs/engine/tls_*.c -pthread -o threads
		interfero variants -q -n "$(at_depth 1 4)" --axes all -o tls ./threads
		within 60 interfero verify -q ./threads tls -- {} || say "$flags"
	done
}

@test "frames: one byte of .eh_frame_hdr, of its order or of where it leads" {
	flip $(($(section .eh_frame_hdr 3) + 12)) 1
	differs frames plan --
	cp "$place/v/v00001" $bad
	table=$(($(section .eh_frame_hdr 3) + 12))
	first=$(bytes "$table" 8)
	second=$(bytes $((table + 8)) 8)
	poke "$table" "$second$first"
	differs frames plan --
	[[ $(text_of frames) == *"not sorted"* ]]
	cp "$place/v/v00001" $bad
	flip $(($(section .eh_frame_hdr 3) + 4)) 8
	# Whoever unwinds by this header finds nothing.
	run -1 interfero verify "$ex" d
	[[ $output == *"does not lead to .eh_frame"* ]]
}

@test "unwind: one operand of a function's call frame instructions" {
	# DW_CFA_advance_loc 1, 2 or 4, DW_CFA_def_cfa_offset: behind a push or sub (DWARF 5, table 7.29).
	begin=$(section .eh_frame 3)
	at=$(LC_ALL=C grep -obUaP '[\x41\x42\x44]\x0e[\x10-\x60]' $bad | cut -d: -f1 | awk -v b="$begin" '$1 > b { print; exit }')
	[ "$at" -lt $((begin + $(section .eh_frame 4))) ]
	flip $((at + 2)) 8
	differs unwind plan --
	[[ $(text_of unwind) == *"follows other rules"* ]]
}

@test "functions of one name and size are told apart by their files, in whatever order the linker writes them" {
	# Two local functions whose frames differ, and their entries of .symtab exchanged with those of their files.
	for unit in one two; do
		push=$'\tpush %rbx\n\t.cfi_def_cfa_offset 16\n\tnop' pop=$'\tpop %rbx\n\t.cfi_def_cfa_offset 8\n\tret'
		[ $unit = one ] || push=$'\tnop\n\tpush %rbx\n\t.cfi_def_cfa_offset 16'
		printf '\t.file "%s.s"\n\t.section .text.same,"ax"\n\t.type same,@function\nsame:\n\t.cfi_startproc\n%s\n%s\n\t.cfi_endproc\n\t.size same,.-same\n' $unit "$push" "$pop" >$unit.s
		printf '\t.section .text.%s,"ax"\n\t.globl %s\n\t.type %s,@function\n%s: jmp same\n\t.size %s,.-%s\n\t.section .note.GNU-stack\n' $unit $unit $unit $unit $unit $unit >>$unit.s
	done
	echo 'void one(void), two(void); int main(void) { one(); two(); return 0; }' >main.c
	interfero-gcc -O1 main.c one.s two.s -o alike
	interfero variants -q -n 1 -a functions -o w ./alike
	bad=w/v00001
	read -r first second <<<"$(readelf -sW $bad | awk '/\.symtab/ { on = 1 } on && $8 == "same" { printf "%d ", $1 }')"
	table=$(section .symtab 3)
	for entry in 1 0; do
		a=$((table + 24 * (first - entry))) b=$((table + 24 * (second - entry)))
		one=$(bytes $a 24) two=$(bytes $b 24)
		poke $a "$two"
		poke $b "$one"
	done
	run -1 within 60 interfero verify ./alike w --json
	[ "$(jq -r '[.variants[].findings[].check] | join(" ")' <<<"$output")" = plan ] || say "$output"
}

@test "symbols: values swapped, overlapping, outside, another size, another name" {
	main=$(symbol main)
	deep=$(symbol _ZN12_GLOBAL__N_14deepEi)
	one=$(bytes $((main + 8)) 8)
	two=$(bytes $((deep + 8)) 8)
	poke $((main + 8)) "$two"
	poke $((deep + 8)) "$one"
	run -1 interfero verify "$ex" d
	[[ $output == *"frames: the frame of "* ]]
	cp "$place/v/v00001" $bad
	poke $((main + 8)) "$two"
	flip $((main + 8)) 1
	run -1 interfero verify "$ex" d
	[[ $output == *"functions: "*" overlap at "* ]]
	cp "$place/v/v00001" $bad
	poke $((main + 8)) 0000000000000000
	run -1 interfero verify "$ex" d
	[[ $output == *"functions: main at 0x0 does not lie in its section"* ]]
	cp "$place/v/v00001" $bad
	flip $((main + 16)) 1
	differs symbols plan --
	cp "$place/v/v00001" $bad
	flip "$main" 1
	differs symbols plan --
}

@test "addresses: a RELATIVE addend, inside and outside the image; the entry point; a dynamic tag" {
	[ "$(bytes $(($(section .rela.dyn 3) + 8)) 4)" = 08000000 ] # R_X86_64_RELATIVE
	flip $(($(section .rela.dyn 3) + 16)) 1
	differs addresses plan --
	cp "$place/v/v00001" $bad
	flip $(($(section .rela.dyn 3) + 20)) 1
	differs addresses plan --
	[[ $(text_of addresses) == *"outside the image"* ]]
	cp "$place/v/v00001" $bad
	flip 24 16
	differs addresses plan --
	[[ $(text_of addresses) == *"entry point"* ]]
	cp "$place/v/v00001" $bad
	# DT_INIT is tag 12.
	tag=$(readelf -dW $bad | grep -n '(INIT)' | cut -d: -f1)
	head=$(readelf -dW $bad | grep -n 'Tag ' | cut -d: -f1)
	at=$(($(section .dynamic 3) + 16 * (tag - head - 1)))
	[ "$(bytes $at 1)" = 0c ]
	flip $((at + 8 + 3)) 1
	differs addresses plan --
}

@test "build-id: the note, and a plan under another seed" {
	flip $(($(section .note.gnu.build-id 3) + 16)) 1
	differs build-id plan --
	cp "$place/v/v00001" $bad
	sed -i 's/^functions seed=[0-9]*/functions seed=5/' $bad.plan
	differs build-id plan --
}

@test "file and shape: cut short, empty, another program, a section of another name" {
	truncate -s -100 $bad
	differs file plan --
	: >$bad
	differs file plan --
	cp /bin/true $bad
	differs shape build-id plan --
	cp "$place/v/v00001" $bad
	at=$(LC_ALL=C grep -obUa '\.gcc_except_table' $bad | tail -n 1 | cut -d: -f1)
	flip $((at + 1)) 1
	differs shape plan --
}

@test "plan and test: a byte of data shows in the bytes, and in the output where it is printed" {
	at=$(LC_ALL=C grep -obUa 'bottom' $bad | head -n 1 | cut -d: -f1)
	flip "$at" 1
	differs plan --
	differs plan test -- "$ex"
	[[ $(text_of test) == *"output differs from byte 0 on"* ]]
	differs plan test -- sh -c '"$1" | grep -q bottom' sh {}
	[[ $(text_of test) == *"exited with status 1 instead of 0"* ]]
}

@test "the table fits 80 columns, and names only what differs" {
	cp "$place/v/v00002" d/v00002
	cp "$place/v/v00002.plan" d/v00002.plan
	flip $(($(symbol _ZN12_GLOBAL__N_14deepEi) + 16)) 1
	run -1 interfero verify "$ex" d -- sh -c 'echo "$1"' sh {}
	[ "$(awk 'length > 80' <<<"$output" | wc -l)" -eq 0 ]
	[[ $output == *"2 of 2 variants differ"* ]]
	run -1 interfero verify "$ex" d
	[[ $output == *$'\nv00002   ok\n'* ]]
	[[ $output == *"1 of 2 variants differ"* ]]
}

@test "bad input: no folder, no variants, no kit, a plan of another program, a test without a place" {
	refuse 2 nowhere -- interfero verify "$ex" nowhere
	mkdir empty
	refuse 2 "no variants" empty -- interfero verify "$ex" empty
	echo >empty/alone
	refuse 2 "no variants" -- interfero verify "$ex" empty
	refuse 2 "no kit" /bin/true -- interfero verify /bin/true d
	refuse 2 "another program" d/v00001.plan -- interfero verify "$place/other" d
	refuse 2 "{}" -- interfero verify "$ex" d -- echo hello
	refuse 2 DIR "interfero variants -o DIR" -- interfero verify "$ex"
	refuse 2 -- interfero verify "$ex" d more
}

# edit FROM TO FILE: bytes of the same length, as patchelf changes a path.
edit() {
	sed "s,$1,$2," "$3" >edited
	cat edited >"$3"
	rm edited
}

@test "a program that was edited after its link: variants lack the edit, and three commands say so" {
	interfero-gcc -O1 "$programs/subject.c" -Wl,--enable-new-dtags,-rpath,/nowhere/aaaa -o edited_program
	cp edited_program stripped
	strip stripped
	edit /nowhere/aaaa /nowhere/bbbb edited_program
	readelf -d edited_program | grep -q /nowhere/bbbb
	run --separate-stderr interfero variants -q -n 1 -o ve ./edited_program
	[[ $status -eq 0 && $stderr == *"edited after it was linked"* && $stderr == *-rpath* ]] || say "$stderr"
	tr -s ' \n' ' ' <<<"$stderr" | grep -qF "With --env 'LD_LIBRARY_PATH=/nowhere/bbbb', the variants" || say "$stderr"
	run --separate-stderr interfero verify ./edited_program ve
	[[ $status -eq 0 && $stderr == *"edited after it was linked"* ]] || say "$stderr"
	run --separate-stderr within 60 interfero bench -n 1 -r 2 -c clock -o e.exp -- ./edited_program
	[[ $status -eq 0 && $stderr == *"edited after it was linked"* ]] || say "$stderr"
	[ "$(grep -c "edited after it was linked" <<<"$stderr")" = 1 ] || say "$stderr"
	tr -s ' \n' ' ' <<<"$output" | grep -q "edited after it was linked"
	[[ $(interfero report --json e.exp | jq -c '.analysis | [.shipped, .counted.runs_of_edited_file > 1]') == '[null,true]' ]]
	# Symbols are not loaded: a stripped program is what its variants are.
	run --separate-stderr interfero variants -n 1 -o vs ./stripped
	[[ $stderr == *"--seed 1 repeats these layouts"* ]] || say "$stderr"
	[[ $status -eq 0 && $stderr != *edited* ]] || say "$stderr"
	run --separate-stderr interfero verify ./stripped vs
	[[ $status -eq 0 && $stderr != *edited* ]] || say "$stderr"
}

@test "an edited RPATH is found in programs of other linkers, too" {
	need ld.gold
	interfero-gcc -O1 -fuse-ld=gold "$programs/subject.c" -Wl,-rpath,/nowhere/aaaa -o by_gold
	cp by_gold stripped
	strip stripped
	run --separate-stderr interfero variants -q -n 1 -o vg ./stripped
	[[ $status -eq 0 && $stderr != *"edited after"* ]] || say "$stderr"
	edit /nowhere/aaaa /nowhere/bbbb by_gold
	run --separate-stderr interfero variants -q -n 1 -o vg2 ./by_gold
	[[ $status -eq 0 && $stderr == *"edited after it was linked"* ]] || say "$stderr"
}

@test "a test that changes by itself says nothing about variants" {
	build_subject
	interfero variants -q -n 1 -o changing ./subject
	refuse 2 "two runs of the test" "process ids" -- interfero verify ./subject changing -- sh -c 'echo $$; exec "$0"' {}
	refuse 2 "two runs of the test" -- interfero verify ./subject changing -- sh -c 'date +%N; exec "$0"' ./subject
}

@test "bodies: code that the compiler's axes moved is the shipped code, and a variant with other code is found" {
	printf 'int f(int x) { for (int i = 0; i < x; i++) x ^= i; return x; }\nint main(void) { return f(3) & 1; }\n' >f.c
	INTERFERO_TEMPLATES=1 interfero-gcc -O1 f.c -o f
	interfero variants -q -n 2 --axes nops,align,unit-order,functions --set nops:rate=100 -o good ./f
	interfero verify ./f good
	# A template that is not that of the unit: its plan makes the same bytes again, and its code is another.
	template=$(grep -rl '#ifr-note' "$INTERFERO_KITS/kits/$(build_id_of f)/root")
	cp "$template" changed
	sed -i 's/\txorl\t%e\(..\), %e\(..\)$/\tandl\t%e\1, %e\2/' changed
	not cmp -s changed "$template"
	chmod u+w "$template" "$(dirname "$template")"
	rm "$template"
	cp changed "$template"
	interfero variants -q -n 1 --axes nops --set nops:rate=100 -o bad ./f
	run -1 interfero verify ./f bad
	[[ $output == *bodies* ]]
	run -1 interfero verify --json ./f bad
	[[ $output == *"f, instruction "* ]]
}
