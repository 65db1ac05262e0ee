#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Kits of programs that were linked without interfero, with -Wl,--emit-relocs.

load ../helpers

setup_file() {
	use_own_kits
	g++ -O2 -Wl,--emit-relocs "$programs/relocations.cc" -o plain
}

setup() {
	use_own_folder
	cp "$place/plain" .
}

teardown_file() {
	drop_own_kits
}

# takes_apart PROGRAM: it gets a kit, and its variants do as it does, which verify says, too.
takes_apart() {
	interfero kit make --from-relocs "$1" 2>note >key || say "$(cat note)"
	[ "$(grep -c . key)" -eq 1 ]
	interfero variants -q -n "$(at_depth 2 3)" --axes functions,padding,base,data -o "v-$1" "./$1"
	interfero verify "./$1" "v-$1" -- "./$1" 12 >said || say "$1: $(cat said)"
	grep -q "0 of $(at_depth 2 3) variants differ" said
	# It is a shuffle, and not a copy.
	# Some linkers name the end of the code, too, and entries of .plt.
	functions_of "$1" | grep -vE '[$]plt(got)?$|etext$|^_PROCEDURE_LINKAGE_TABLE_$' >shipped
	functions_of "v-$1/v00001" | grep -vE '[$]plt(got)?$|etext$|^_PROCEDURE_LINKAGE_TABLE_$' >moved
	not cmp -s shipped moved
	[ "$(grep -c . moved)" -eq "$(grep -c . shipped)" ] || say "$(sort shipped moved | uniq -u)"
}

@test "a C++ program with exceptions, tables and thread-local variables is taken apart" {
	takes_apart plain
	interfero variants -n 1 -o again ./plain | grep -q "in memory"
	equals_linked ./plain
}

# Quick depth: clang with lld, the pair that differs most from g++ with ld.bfd.
@test "compilers, linkers, sections and kinds of code" {
	local compiler linker kind
	need clang++ ld.lld
	for compiler in $(at_depth clang++ "g++ clang++"); do
		for linker in $(at_depth lld "bfd gold lld mold"); do
			command -v "ld.$linker" >/dev/null || command -v "$linker" >/dev/null || continue
			for kind in -fno-pie,-no-pie $(at_depth "" "-fPIC,-pie,-O3,-ffunction-sections -Os"); do
				# mold's own form of local-dynamic accesses is refused (docs/kits-from-relocations.md).
				[ $linker != mold ] || kind=${kind/-fPIC,/}
				# shellcheck disable=SC2086 # lists of words
				"$compiler" -O2 ${kind//,/ } -fuse-ld="$linker" -Wl,--emit-relocs "$programs/relocations.cc" -o mixed
				takes_apart mixed
			done
		done
	done
}

@test "functions are the units of the captured link" {
	# Without the start files, which a captured link pins. A section has the name of one of two destructors at its address.
	units() {
		interfero layout -u ./captured | grep -o ':\.text\.[^ ]*' | sed 's/.*\.text\.\(startup\.\|unlikely\.\|exit\.\|hot\.\)*//' |
			grep -vxE '_start|(de)?register_tm_clones|__do_global_dtors_aux|frame_dummy|_dl_relocate_static_pie' | sed 's/\.cold$//; s/D1Ev$/D2Ev/' | sort -u
	}
	interfero-g++ -O2 -ffunction-sections -Wl,--emit-relocs "$programs/relocations.cc" -o captured
	units >wanted
	interfero kit make --from-relocs captured
	units >got
	[ "$(grep -c . wanted)" -ge 6 ]
	diff wanted got
}

@test "a jump of one byte, and code that runs on, tie functions" {
	cat >tied.s <<-'END'
		.globl main
		.type main,@function
		main: xor %edi,%edi
		 call one
		 mov %eax,%edi
		 call exit@plt
		.size main,.-main
		.type one,@function
		one: mov $3,%eax
		 jmp two
		.size one,.-one
		.type two,@function
		two: add $4,%eax
		.size two,.-two
		.type three,@function
		three: add $5,%eax
		 ret
		.size three,.-three
		.p2align 4
		.type four,@function
		.globl four
		four: jmp main
		 ret
		.size four,.-four
		.section .note.GNU-stack,"",@progbits
	END
	gcc -Wl,--emit-relocs tied.s -o tied
	run -12 ./tied
	interfero kit make --from-relocs tied
	interfero layout -u ./tied >units
	# one jumps to two, which runs on into three; four's short jump to main ties all between.
	grep -q 'text\.main' units
	not grep -qE 'text\.(one|two|three|four)' units
	interfero variants -q -n 2 -o v ./tied
	for i in 1 2; do run -12 v/v0000$i; done
}

@test "what cannot be taken apart is refused with the reason, and nothing is kept" {
	cp -a "$INTERFERO_KITS" before
	printf 'int main(void) { return 0; }\n' >main.c
	gcc main.c -o without
	refuse 2 without --emit-relocs -- interfero kit make --from-relocs without
	strip plain -o stripped
	refuse 2 stripped symbols -- interfero kit make --from-relocs stripped
	gcc -static -Wl,--emit-relocs main.c -o static
	refuse 2 static -- interfero kit make --from-relocs static
	gcc -shared -fPIC -Wl,--emit-relocs main.c -o library.so
	refuse 2 library.so -- interfero kit make --from-relocs library.so
	# An instruction cannot begin with 06, nor can a table of distances be told that no code loads.
	printf '.globl main\n.type main,@function\nmain: xor %%eax,%%eax\n ret\n .byte 6,6,6,6\n.size main,.-main\n' >bytes.s
	gcc -Wl,--emit-relocs bytes.s -o bytes
	refuse 2 bytes main "no instructions" -- interfero kit make --from-relocs bytes
	printf '.globl main\n.type main,@function\nmain: xor %%eax,%%eax\nlater: ret\n.size main,.-main\n.data\n.zero 8\n.long later - . + 4\n' >table.s
	gcc -Wl,--emit-relocs table.s -o table
	refuse 2 table .data "no function is known" -- interfero kit make --from-relocs table
	refuse 2 nothing -- interfero kit make --from-relocs nothing
	refuse 2 from-relocs -- interfero kit make
	interfero kit make --dry-run --from-relocs plain >printed
	[ ! -s printed ]
	diff -r before "$INTERFERO_KITS"
}

@test "a stripped and moved copy finds the kit by its build-id, also where the kit was imported" {
	interfero kit make --from-relocs plain -o plain.kit >key
	[ "$(cat key)" = "$(build_id_of plain)" ]
	mkdir elsewhere
	strip plain -o elsewhere/renamed
	rm plain
	INTERFERO_KITS="$here/other"
	refuse 2 kit -- interfero variants -n 1 -o v elsewhere/renamed
	[ "$(interfero kit import plain.kit)" = "$(cat key)" ]
	rm plain.kit
	cd elsewhere
	interfero variants -q -n 2 -o v ./renamed
	./renamed 12 >wanted
	for i in 1 2; do
		v/v0000$i 12 >got
		cmp wanted got
	done
}

@test "the program is pinned, where it is still the file of its kit" {
	./plain 12 >wanted
	interfero kit make --from-relocs plain >key
	interfero variants -q -n 1 -a functions,padding -o v ./plain
	printf 'interfero-plan 1\norder plain.o:.text.main\n' >main.plan
	cp plain stripped
	strip stripped
	cp stripped before
	refuse 2 stripped "not the file that its kit was made of" -- interfero pin --plan v/v00001.plan stripped
	cmp stripped before
	interfero pin --plan v/v00001.plan plain >said
	grep -q "^plain: .*without debug information$" said
	cmp plain v/v00001
	./plain 12 >got
	cmp wanted got
	# Again: from the kit, whatever layout the file has now.
	interfero pin -q --plan main.plan plain >said
	[ ! -s said ]
	not cmp plain v/v00001
	interfero kit show ./plain | grep -q "$(cat key)"
	interfero pin -q --plan v/v00001.plan plain
	cmp plain v/v00001
}

@test "bzip2 as Debian's gcc links it, position-independent, and not: its variants compress to the same bytes" {
	# A program of twelve seconds; the C++ program above shows both kinds at quick depth.
	need_full_depth
	: >"$place/reason"
	make_debian
	need_debian
	local kind
	numbers 60000 >text
	for kind in -pie -no-pie; do
		"$BATS_TEST_DIRNAME/../debian" "$INTERFERO_BUILD" "gcc -f${kind#-} -Wl,--emit-relocs $kind" "$PWD/b$kind" bzip2 >log 2>&1 || say "$(cat log)"
		cp "b$kind/bzip2/bzip2" "bzip2$kind"
		readelf -h "bzip2$kind" | grep -q "Type: *$([ $kind = -pie ] && echo DYN || echo EXEC)"
		interfero kit make --from-relocs "bzip2$kind" >key
		interfero variants -q -n 8 --axes functions,padding,base -o "v$kind" "./bzip2$kind"
		interfero verify "./bzip2$kind" "v$kind" -- "./bzip2$kind" -c "$PWD/text" >said || say "$(cat said)"
		grep -q "0 of 8 variants differ" said
		"./bzip2$kind" -c text >shipped.bz2
		interfero pin -q --plan "v$kind/v00003.plan" "bzip2$kind"
		"./bzip2$kind" -c text | cmp - shipped.bz2
		"./bzip2$kind" -dc shipped.bz2 | cmp - text
	done
}
