#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a variant keeps of the program that ships, and what it changes.

load ../helpers

setup_file() {
	use_own_kits
	mkdir order buckets
	cd order || return 1
	build_order -O1
	# shellcheck disable=SC2086 # a list of words
	interfero-gcc $order_inputs -o order
	cd ../buckets || return 1
	interfero-gcc -O2 "$programs/buckets.c" -o buckets
}

setup() {
	use_own_folder
	order="$place/order/order"
	buckets="$place/buckets/buckets"
}

teardown_file() {
	drop_own_kits
}

# plan NAME LINE...: a plan file in this folder.
plan() {
	local name=$1
	shift
	printf '%s\n' "interfero-plan 1" "name $name" "$@" >"$name.plan"
}

@test "constructors, weak definitions, archive members and marks keep the order of the link" {
	# What a linker makes of this command line: the first weak definition, the first archive that has the symbol, and
	# constructors and marks in the order of the objects.
	wanted="constructors: one two three
weak: one
archive: first
marks: one two three"
	"$order" >shipped
	[ "$(head -n 4 shipped)" = "$wanted" ]
	interfero variants -q -n "$(at_depth 6 20)" --axes all -o v "$order"
	for i in $(seq -f %05g "$(at_depth 6 20)"); do
		"v/v$i" >got
		cmp shipped got
	done
}

@test "the same objects in another order on the command line do print something else" {
	cd "$place/order"
	interfero-gcc order_main.o order_note.o order_three.o order_two.o order_one.o libsecond.a libfirst.a -o "$here/other"
	cd "$here"
	"$order" >shipped
	./other >got
	# All four lines, so the test above can fail in all four.
	[ "$(diff shipped got | grep -c '^>')" -eq 4 ]
}

@test "every variant has a build-id and an order of functions of its own" {
	count=$(at_depth 6 20)
	interfero variants -q -n "$count" --axes functions -o v "$order"
	{
		build_id_of "$order"
		for i in $(seq -f %05g "$count"); do build_id_of "v/v$i"; done
	} >ids
	distinct $((count + 1)) <ids
	[ "$(awk '{ print length($0) }' ids | sort -u)" = "$(build_id_of "$order" | awk '{ print length($0) }')" ]
	for i in $(seq -f %05g "$count"); do
		[ "$(functions_of "v/v$i" | sort)" = "$(functions_of "$order" | sort)" ]
		functions_of "v/v$i" | md5sum
	done >orders
	distinct "$count" <orders
	functions_of "$order" | md5sum | not grep -qFf - orders
}

@test "same plan, same bytes: again, from the plan alone, and from a kit that was carried elsewhere" {
	interfero variants -q -n 3 --axes all --seed 99 -o a "$order"
	interfero variants -q -n 3 --axes all --seed 99 -o b "$order"
	interfero variants -q -o c --plan a/v00001.plan --plan a/v00002.plan --plan a/v00003.plan
	interfero kit export "$order" -o order.kit
	INTERFERO_KITS="$here/other kits" interfero kit import order.kit >/dev/null
	INTERFERO_KITS="$here/other kits" interfero variants -q -o d \
		--plan a/v00001.plan --plan a/v00002.plan --plan a/v00003.plan
	for i in 1 2 3; do
		for folder in b c d; do
			cmp a/v0000$i $folder/v0000$i
		done
		cmp a/v0000$i.plan c/v0000$i.plan
	done
	not cmp -s a/v00001 a/v00002
	# Another seed, other bytes.
	interfero variants -q -n 1 --axes all --seed 100 -o e "$order"
	not cmp -s a/v00001 e/v00001
}

@test "a plan without axes gives the program that ships, byte for byte" {
	plan same
	interfero variants -q -o v --plan same.plan "$order"
	cmp "$order" v/same
	# The stack axis is the launcher's: it leaves the file alone.
	interfero bench -q --counters clock -a stack -n 1 -r 1 --keep -o e.exp -- "$order"
	cmp "$order" e.exp.variants/v00001
}

@test "a variant runs, stripped or not, and is executable" {
	interfero variants -q -n 1 --axes all -o v "$order"
	[ -x v/v00001 ]
	strip -o stripped v/v00001
	cmp <(./stripped) <("$order")
}

@test "data stay where they are in every variant of a family" {
	for axes in functions link-order functions,link-order padding base functions,padding,base; do
		interfero variants -q -n 6 --axes $axes --seed 3 -o $axes "$order"
		for i in 1 2 3 4 5 6; do
			data_of $axes/v0000$i | md5sum
		done | sort -u >places
		[ "$(wc -l <places)" -eq 1 ] || say "$axes moves data"
		[ "$(data_of $axes/v00001 | wc -l)" -ge 8 ]
	done
	# Where the order alone changes, data stay where they ship.
	[ "$(data_of functions/v00001)" = "$(data_of "$order")" ]
	# And the text did change its place and size.
	for axis in base padding; do
		for i in 1 2 3 4 5 6; do nm $axis/v0000$i | grep ' T main$'; done | sort -u >mains
		[ "$(wc -l <mains)" -ge 2 ]
	done
}

@test "base moves all of text by one multiple of its step, padding stays below its limit" {
	interfero variants -q -n 8 --axes base --set base:max=512,step=32 -o v "$order"
	start() { printf '%d' "0x$(nm "$1" | awk '$3 == "one_run" { print $1 }')"; }
	for i in 1 2 3 4 5 6 7 8; do
		shift_bytes=$(($(start v/v0000$i) - $(start "$order")))
		[ $shift_bytes -ge 0 ]
		[ $shift_bytes -le 512 ]
		[ $((shift_bytes % 32)) -eq 0 ]
		[ "$(functions_of v/v0000$i)" = "$(functions_of "$order")" ]
		echo $shift_bytes
	done >shifts
	[ "$(sort -u shifts | wc -l)" -ge 2 ]
	interfero variants -q -n 1 --axes padding --set padding:max=0 -o none "$order"
	# _fini is behind .text, which is filled up to a fixed size.
	[ "$(nm -n none/v00001 | grep -i ' t ' | grep -v _fini)" = "$(nm -n "$order" | grep -i ' t ' | grep -v _fini)" ]
}

@test "in another link order, object files keep their functions together and in order" {
	interfero variants -q -n 6 --axes link-order -o v "$order"
	# The axis' old name makes the same bytes.
	interfero variants -q -n 1 --axes objects -o old "$order"
	cmp old/v00001 v/v00001
	grep -q '^link-order seed=' old/v00001.plan
	for i in 1 2 3 4 5 6; do
		for part in one two three; do
			# Consecutive, and as they lie in the program that ships; the weak definition that won is the first part's.
			functions_of v/v0000$i | sed 's/^order_winner$/one_winner/' |
				awk -v part="^${part}_" '$1 ~ part { if (n++ && NR != last + 1) exit 1; last = NR }'
			[ "$(functions_of v/v0000$i | grep "^${part}_")" = "$(functions_of "$order" | grep "^${part}_")" ]
		done
		functions_of v/v0000$i | md5sum >>orders
	done
	[ "$(sort -u orders | wc -l)" -ge 2 ]
}

# The buckets in the order of the functions, runs of one bucket as one word.
bucket_order() {
	functions_of "$1" | sed -n 's/^main$/startup/; s/^\(plain\|hot\|startup\|unlikely\)\(_.\)*$/\1/p' | uniq | tr '\n' ' '
}

@test "functions keep ld's buckets, unless they may cross" {
	# The order of the buckets in ld's own script.
	[ "$(ld --verbose | grep -o '\*(\.text\.\(unlikely\|startup\|hot\) ' | tr -d '\n')" = \
		"*(.text.unlikely *(.text.startup *(.text.hot " ]
	[ "$(bucket_order "$buckets")" = "unlikely startup hot plain " ]
	interfero variants -q -n 10 --axes functions -o kept "$buckets"
	for i in $(seq -w 10); do
		[ "$(bucket_order "kept/v000$i")" = "unlikely startup hot plain " ]
		functions_of "kept/v000$i" | md5sum >>orders
	done
	# There are 3! orders in each of the four buckets: two of ten variants may agree.
	[ "$(sort -u orders | wc -l)" -ge 8 ]
	interfero variants -q -n 10 --axes functions --set functions:cross=1 -o crossed "$buckets"
	for i in $(seq -w 10); do
		[ "$(bucket_order "crossed/v000$i")" != "unlikely startup hot plain " ]
		[ "$("crossed/v000$i")" = "$("$buckets")" ]
	done
}

# interpreter_of PROGRAM: readelf cuts long paths off.
interpreter_of() {
	objcopy -O binary --only-section=.interp "$1" interp
	tr -d '\0' <interp
}

@test "interp lengthens the interpreter's path, which still names the same file" {
	shipped=$(interpreter_of "$order")
	interfero variants -q -n 4 --axes interp -o v "$order"
	for i in 1 2 3 4; do
		path=$(interpreter_of v/v0000$i)
		[ "$path" -ef "$shipped" ]
		[ ${#path} -ge ${#shipped} ]
		echo ${#path}
	done >lengths
	distinct 4 <lengths
}

@test "functions that did not change keep their order when another is added" {
	cp "$place"/order/order_{main,note,one,three}.o "$place"/order/lib*.a .
	newcomer='unsigned NAME(newcomer)(unsigned value); unsigned NAME(newcomer)(unsigned value) { return value; }'
	sed "s/^unsigned NAME(run)/$newcomer\n&/" "$programs/order_part.c" >part.c
	interfero-gcc -O1 -I"$programs" -c -DPART=two part.c -o order_two.o
	# shellcheck disable=SC2086 # a list of words
	interfero-gcc $order_inputs -o more
	nm more | grep -q two_newcomer
	interfero variants -q -n 3 --axes functions -o old "$order"
	interfero variants -q -n 3 --axes functions -o new ./more
	for i in 1 2 3; do
		[ "$(functions_of new/v0000$i | grep -v two_newcomer)" = "$(functions_of old/v0000$i)" ]
	done
}

@test "variants says what each axis did, and what repeats it" {
	run -0 --separate-stderr interfero variants -n 2 --seed 5 --axes all -o v "$order"
	[[ $stderr == *"seed 5"* ]]
	[[ $output == *v/v00001*functions*padding*base*interp*sections*v/v00002* ]]
	grep -q "^kit $(build_id_of "$order")$" v/v00001.plan
}
