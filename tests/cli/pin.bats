#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Pinned layouts: builds that ask for a plan's layout, interfero pin, and the forms that other tools take. nm tells where the
# functions lie.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	for n in 1 2 3 4 5 6; do
		echo "__attribute__((noipa)) int f$n(int x) { volatile int y = x; for (int i = 0; i < x; i++) y += $n * i; return y; }"
	done >many.c
	echo 'int main(int argc, char **argv) { (void)argv; return f1(argc) + f2(argc) + f3(argc) + f4(argc) + f5(argc) + f6(argc) == 99; }' >>many.c
	interfero-gcc -O2 many.c -o plain
	{
		echo 'interfero-plan 1'
		for n in 4 2 6 1; do echo "order many.c:.text.f$n"; done
		echo 'room 192 many.c:.text.f2'
		echo 'room 80 many.c:.text.f6'
	} >best.plan
	interfero variants -q --plan best.plan -o variant ./plain
}

setup() {
	use_own_folder
	ln -s ../many.c ../plain ../best.plan .
}

teardown_file() {
	drop_own_kits
}

# The functions f1 to f6 and main by address, "f4 f2 …".
order_of() {
	nm -n "$1" | sed -n 's/.* [tT] \(f[1-9]\|main\)$/\1/p' | tr '\n' ' '
}

# Their addresses, modulo a page: "f1 1a0".
offsets_of() {
	nm "$1" | sed -n 's/.*\(...\) [tT] \(f[1-9]\|main\)$/\2 \1/p' | sort
}

@test "a build has the layout that it asks for, by variable, by option and by command" {
	INTERFERO_LAYOUT=best.plan interfero-gcc -O2 many.c -o variable
	interfero-gcc -O2 -finterfero-layout=best.plan many.c -o option
	cp plain command
	interfero pin --plan best.plan command
	[[ "$(order_of variable)" == *"f4 f2 f6 f1 "* ]]
	cmp variable option
	cmp variable command
	cmp variable "$place/variant/best"
	# In two steps, as make does; a relative path is the compiler's.
	mkdir objects
	(cd objects && interfero-gcc -O2 -finterfero-layout=../best.plan -c ../many.c -o ../many.o)
	INTERFERO_LAYOUT=other.plan interfero-gcc -finterfero-layout=best.plan many.o -o steps
	[[ "$(order_of steps)" != *"f4 f2 f6 f1 "* ]] # its units are of many.o, which the plan does not name
	sed s/many.c/many.o/ best.plan >object.plan
	interfero-gcc -finterfero-layout=object.plan many.o -o steps
	[ "$(offsets_of steps)" = "$(offsets_of variable)" ]
	# The last option wins, and an empty one asks for none.
	INTERFERO_LAYOUT=best.plan interfero-gcc -O2 -finterfero-layout=other.plan -finterfero-layout= many.c -o none
	cmp none plain
}

@test "a pinned program keeps mode, links and kit" {
	cp plain kept
	chmod 700 kept
	ln -s kept link
	interfero pin --plan best.plan link
	[ -L link ]
	[ "$(stat -c %a kept)" = 700 ]
	interfero kit show ./kept | grep "^key *$(build_id_of plain)$"
	[ "$(interfero kit list | grep -c "$(build_id_of plain | cut -c1-12)")" = 1 ]
	interfero-gcc -O2 -finterfero-layout=best.plan many.c -o built
	interfero kit list | grep 'current .*/built$'
	# A second pin begins at the plain link again.
	echo 'interfero-plan 1' >none.plan
	interfero pin --plan none.plan kept
	cmp kept plain
	interfero pin --plan best.plan kept
	interfero variants -n 1 -a functions -o made ./kept 2>&1 | grep 'has a pinned layout'
	# Links of pinned programs go with their kits.
	interfero-gcc -O1 many.c -o other
	interfero pin --plan best.plan other
	[ "$(find "$INTERFERO_KITS/kits" -type l | wc -l)" -gt 1 ]
	interfero kit prune --all >/dev/null
	[ "$(find "$INTERFERO_KITS/kits" -type l | wc -l)" = 0 ]
	interfero-gcc -O2 many.c -o "$place/plain"
}

@test "a link that cannot have the layout stays the plain one, with one warning" {
	warned() {
		local words=$1 file=$2
		shift 2
		run -0 --separate-stderr "$@" -o "$file"
		[ "$(grep -c . <<<"$stderr")" = 1 ] || say "$stderr"
		[[ $stderr == "interfero: warning: $file keeps the layout of its link, as "*"$words"* ]] || say "$stderr"
	}
	warned 'no file' missing interfero-gcc -O2 -finterfero-layout=missing.plan many.c
	cmp missing plain
	echo 'interfero-plan 99' >broken.plan
	warned 'broken.plan' broken interfero-gcc -O2 -finterfero-layout=broken.plan many.c
	cmp broken plain
	sed s/many.c/few.c/ best.plan >few.plan
	warned 'has none of the units' few interfero-gcc -O2 -finterfero-layout=few.plan many.c
	cmp few plain
	# The start files are those of every program.
	echo 'order Scrt1.o:.text' >>few.plan
	warned 'has none of the units' few interfero-gcc -O2 -finterfero-layout=few.plan many.c
	warned 'INTERFERO_CAPTURE is 0' bare env INTERFERO_CAPTURE=0 interfero-gcc -O2 -finterfero-layout=best.plan many.c
	[ -x bare ]
	if command -v ld.lld >/dev/null; then
		warned 'linked by ld.lld' lld interfero-gcc -O2 -finterfero-layout=best.plan -fuse-ld=lld many.c
		[ -x lld ]
	fi
	# Object files and tests of configure have no layout.
	INTERFERO_LAYOUT=missing.plan interfero-gcc -O2 many.c -o conftest 2>said
	INTERFERO_LAYOUT=missing.plan interfero-gcc -O2 -c many.c 2>>said
	INTERFERO_LAYOUT=missing.plan interfero-gcc -r many.o -o joined.o 2>>said
	[ ! -s said ] || say "$(cat said)"
}

@test "INTERFERO_LAYOUT_STRICT=1 makes it an error, without a program" {
	export INTERFERO_LAYOUT_STRICT=1
	for case in missing.plan:1 best.plan:0; do
		run --separate-stderr env INTERFERO_CAPTURE="${case#*:}" interfero-gcc -O2 -finterfero-layout="${case%:*}" many.c -o strict
		[ "$status" != 0 ]
		[[ $stderr == "interfero: strict is not linked: the layout "* ]] || say "$stderr"
		[ ! -e strict ]
	done
	INTERFERO_LAYOUT_STRICT=0 interfero-gcc -O2 -finterfero-layout=missing.plan many.c -o strict
	cmp strict plain
}

@test "after edits the rest keeps its layout, and one line tells what is gone" {
	# f6 is renamed, f5 is longer: f4, f2 and f1 are what they were.
	sed 's/\bf6\b/f7/; s/y += 5/y += 3 * x + 5/' "$(readlink -f many.c)" >edited.c
	mkdir edit
	mv edited.c edit/many.c
	run -0 --separate-stderr interfero-gcc -O2 -finterfero-layout=best.plan edit/many.c -o edited
	[ "$stderr" = "interfero: edited: of the layout in $PWD/best.plan, 1 of 4 units is gone (many.c:.text.f6)" ] || say "$stderr"
	[[ "$(order_of edited)" == *"f4 f2 f1 "* ]]
	for f in f4 f2; do
		[ "$(offsets_of edited | grep $f)" = "$(offsets_of "$place/variant/best" | grep $f)" ]
	done
	# f2 has its room of 192 bytes still.
	at() { printf %d "0x$(nm edited | sed -n "s/ [tT] $1$//p")"; }
	[ $(($(at f1) - $(at f2))) -ge 192 ]
	run -0 --separate-stderr interfero-gcc -O2 -finterfero-layout=best.plan many.c -o again
	[ -z "$stderr" ]
}

@test "axes of the compiler are applied when it compiles" {
	{
		cat best.plan
		echo 'nops seed=3 rate=50 only=f3'
	} >nops.plan
	interfero-gcc -O2 -finterfero-layout=nops.plan many.c -o laid
	[[ "$(order_of laid)" == *"f4 f2 f6 f1 "* ]]
	nops() { objdump -d --disassemble=f"$2" "$1" | grep -cw nop || true; }
	[ "$(nops laid 3)" -gt "$(nops plain 3)" ]
	[ "$(nops laid 5)" = "$(nops plain 5)" ]
	# INTERFERO_PLAN goes before it.
	printf 'interfero-plan 1\n' >no.plan
	INTERFERO_PLAN=$PWD/no.plan interfero-gcc -O2 -finterfero-layout=nops.plan many.c -o first
	cmp first "$place/variant/best"
}

@test "clang's driver takes the option, too" {
	need clang
	interfero-clang -O2 -c many.c -o clang.o
	sed 's/many.c/clang.o/' best.plan >clang.plan
	interfero-clang -O2 -finterfero-layout=clang.plan clang.o -o by-clang
	[[ "$(order_of by-clang)" == *"f4 f2 f6 f1 "* ]]
}

@test "what interfero pin cannot do is refused" {
	refuse 2 'has no kit' -- interfero pin --plan best.plan /bin/true
	run -2 --separate-stderr interfero pin plain
	[[ $stderr == *'--plan FILE is missing'* ]]
	# A file that was edited after its link would lose the edit.
	cp plain edited
	printf '\x90' | dd of=edited bs=1 seek=$((0x$(nm plain | sed -n 's/ T f1$//p') + 1)) conv=notrunc status=none
	cp edited before
	refuse 2 'was edited after it was linked' -- interfero pin --plan best.plan edited
	cmp edited before
}
