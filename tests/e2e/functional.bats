#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of Debian, each with a script that goes through much of what it can do: many variants print what the
# program prints, what is made in memory is what ld.bfd links, and interfero verify finds nothing.

load ../helpers

setup_file() {
	use_own_kits
	use_debian
	cp "$BATS_TEST_DIRNAME"/programs/functional/* .
	numbers 8000 >text
	# The answers that follow from arithmetic, as the scripts mark them: the 60th and 18th Fibonacci numbers, 168 primes
	# below 1000, 6! permutations, Ackermann's function of (2, 9), …
	cat >known-sqlite3 <<'END'
known|4000|8002000|4000
known|500500
known|1548008755920
known|168|997
known|x|3|real
known|ABCdefabyabq415A34
known|X'00FF'|integer|1|1024|-6|9|2|2.5|1|1|12|9.22337203685478e+18
END
	cat >known-lua <<'END'
known	1000	abc-abc-abc	nil	3	true
known	3	-4	2	3.0	1099511627776	240	-1	7	1024.0	2.5	false
known	true	integer	float	3	1e+100	64.0	15
known	21	21
known	30	3	nil	nil	3
known	168	997
known	720	6
known	2000	0
END
	cat >known-gawk <<'END'
known 2584 21 42 81
known ell 4 3 MIXmix 1024 1 -1 1000000 0.3 10000000000
known 42
known 65
END
}

setup() {
	use_own_folder
	need_debian
	export TZ=UTC LC_ALL=C
}

teardown_file() {
	drop_own_kits
}

# Each runs a program's script in the folder it is called in.
run_sqlite3() { "$1" work.db <"$place/work.sql"; }
run_lua() { "$1" "$place/work.lua"; }
run_gawk() { "$1" -v scratch=. -f "$place/work.awk" "$place/text"; }

# did NAME PROGRAM FILE: what the program does with its script, in a folder of its own, goes into the file. The shell that
# runs it names it alike: some print their own name.
did() {
	local got=0 folder
	folder=$(mktemp -d ./run-XXXXXX)
	(cd "$folder" && ln -s "$2" "$1" && within 60 bash -c "run_$1 ./$1") >"$3" 2>&1 || got=$?
	echo "exit status $got" >>"$3"
	rm -rf "$folder"
}
export -f run_sqlite3 run_lua run_gawk did within

# behaves NAME PROGRAM STATUS: twenty or two hundred variants do what the program does, and its answers are right. Four
# families of layouts; what the linker has to make itself is the smallest.
behaves() {
	local name=$1 program=$2 variant family
	did "$name" "$program" shipped
	[ "$(tail -n 1 shipped)" = "exit status $3" ] || say "$(tail -n 5 shipped)"
	grep '^known' shipped | diff "$place/known-$name" -
	[ "$(wc -l <shipped)" -ge 40 ]
	: >made
	for family in "$(at_depth 3 60) --axes functions" "$(at_depth 3 60) --axes functions,padding --set functions:cross=1 --seed 2" \
		"$(at_depth 3 60) --axes functions,link-order,padding,base --seed 3" "$(at_depth 2 20) --axes all --seed 4"; do
		# shellcheck disable=SC2086 # a list of words
		interfero variants -q -n $family -o v "$program"
		find "$PWD/v" -name 'v[0-9]*' ! -name '*.plan' | sort >list
		md5sum v/v????? | cut -c 1-32 >>made
		xargs -P 2 -I {} bash -c 'did "$1" "$2" "$2.out"; cmp shipped "$2.out"' did "$name" {} <list ||
			say "of the layouts by $family"
		rm -r v
	done
	distinct "$(at_depth 11 200)" <made
}

@test "lua: variants do what lua does" {
	behaves lua "$debian/lua/src/lua" 5
}

@test "sqlite3: variants do what sqlite3 does" {
	need_full_depth # building it takes long; bzip2 and lua show the same
	behaves sqlite3 "$debian/sqlite3/sqlite3" 1
}

@test "gawk: variants do what gawk does" {
	need_full_depth # building it takes long; bzip2 and lua show the same
	behaves gawk "$debian/gawk/gawk" 3
}

# The names of gawk's own tests of one program and one input; the answers are those of gawk's authors.
tests_of_gawk() {
	local answer name
	for answer in "$debian"/gawk/test/*.ok; do
		name=$(basename "$answer" .ok)
		[ ! -f "$debian/gawk/test/$name.awk" ] || [ ! -f "$debian/gawk/test/$name.in" ] || echo "$name"
	done
}

# pass GAWK TEST: prints the test's name if it passes.
pass() {
	cd "$debian/gawk/test" || return 1
	! within 10 "$1" -f "$2.awk" "$2.in" </dev/null 2>/dev/null | cmp -s - "$2.ok" || echo "$2"
}
export -f pass

# passes GAWK: the tests that it passes.
passes() {
	tests_of_gawk | xargs -P 2 -I {} bash -c 'pass "$1" {}' pass "$1" | sort
}

@test "gawk: variants pass the tests of gawk's authors that gawk passes" {
	need_full_depth # building it takes long; bzip2 and lua show the same
	mkdir shipped v
	cp "$debian/gawk/gawk" shipped/gawk
	passes "$PWD/shipped/gawk" >passed
	[ "$(wc -l <passed)" -ge 120 ] || say "$(wc -l <passed) pass"
	interfero variants -q -n "$(at_depth 1 4)" --axes functions,link-order,padding,base -o made "$debian/gawk/gawk"
	for variant in made/v0000?; do
		cp "$variant" v/gawk
		diff passed <(passes "$PWD/v/gawk")
	done
}

@test "bzip2, lua, sqlite3 and gawk: what is made in memory is what ld.bfd links, byte for byte" {
	equals_linked "$debian/bzip2/bzip2"
	# engine.bats compares programs of every kind; the larger ones take longer.
	is_full_depth || return 0
	equals_linked "$debian/lua/src/lua" "$debian/sqlite3/sqlite3" "$debian/gawk/gawk"
}

# is_verified PROGRAM -- TEST COMMAND...: variants on all axes.
is_verified() {
	local program=$1 count
	count=$(at_depth 2 8)
	shift
	rm -rf v
	interfero variants -q -n "$count" --axes all -o v "$program"
	run within 300 interfero verify "$program" v "$@"
	[ "$status" -eq 0 ] && [[ $output == *"0 of $count variants differ"* ]] || say "$output"
}

@test "bzip2 and lua: verify finds nothing, and their scripts agree" {
	is_verified "$debian/bzip2/bzip2" -- {} -c "$place/text"
	is_verified "$debian/lua/src/lua" -- bash -c 'did lua "$(realpath "$1")" "$2" && cat "$2"' did {} "$PWD/out"
}

@test "sqlite3: verify finds nothing, and its script agrees" {
	need_full_depth # building it takes long; bzip2 and lua show the same
	is_verified "$debian/sqlite3/sqlite3" -- bash -c 'did sqlite3 "$(realpath "$1")" "$2" && cat "$2"' did {} "$PWD/out"
}

@test "gawk: verify finds nothing, and its script agrees" {
	need_full_depth # building it takes long; bzip2 and lua show the same
	is_verified "$debian/gawk/gawk" -- bash -c 'did gawk "$(realpath "$1")" "$2" && cat "$2"' did {} "$PWD/out"
}
