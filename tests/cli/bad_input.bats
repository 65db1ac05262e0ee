#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, plans, experiments and places that are wrong: one line that names the thing and the remedy, the right exit
# status, and no half-written file.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
	interfero-gcc -O1 "$programs/subject.c" -o other
	within 60 interfero bench -q -n 2 -r 2 --counters clock -o good.exp -- ./subject
}

setup() {
	use_own_folder
	ln -s ../subject subject
}

teardown_file() {
	drop_own_kits
}

nothing_left() {
	[ -z "$(find . -name '*.exp*' -o -name 'v0*')" ] || say "left: $(find . -name '*.exp*' -o -name 'v0*')"
}

@test "no arguments, unknown commands and options" {
	run -2 --separate-stderr interfero
	[[ $output$stderr == *Usage* ]]
	refuse 2 mend --help -- interfero mend
	refuse 2 "which program" -- interfero bench
	refuse 2 "which experiment" -- interfero report
	refuse 2 "-o DIR" -- interfero variants ./subject
	refuse 2 "--frobnicate" -- interfero bench --frobnicate -- ./subject
	refuse 2 two -- interfero report one two
	refuse 2 nonsense -- interfero doctor nonsense
	nothing_left
}

@test "-n, -r and --seed must be whole numbers in their ranges" {
	for number in 0 -3 10000000 abc 3x "" 1.5 18446744073709551616; do
		refuse 2 "-n" -- interfero bench -n "$number" -o x.exp -- ./subject
		refuse 2 "-n" -- interfero variants -n "$number" -o v ./subject
	done
	for number in 0 -1 abc 10001; do
		refuse 2 "--runs" -- interfero bench -r "$number" -o x.exp -- ./subject
	done
	for number in -1 abc 18446744073709551616; do
		refuse 2 "--seed" -- interfero bench --seed "$number" -o x.exp -- ./subject
	done
	nothing_left
}

@test "times must be times" {
	for time in 0 -5 0s abc 5x 1e400 nan inf "" "5 m"; do
		refuse 2 "--budget" 90s -- interfero bench --budget "$time" -o x.exp -- ./subject
	done
	refuse 2 "--timeout" -- interfero bench --timeout 0 -o x.exp -- ./subject
	nothing_left
}

@test "axes, parameters, processors and counters must be there" {
	refuse 2 sideways functions padding -- interfero bench --axes functions,sideways -o x.exp -- ./subject
	refuse 2 nops INTERFERO_TEMPLATES -- interfero bench --axes nops -o x.exp -- ./subject
	refuse 2 "--set" -- interfero bench --set padding -o x.exp -- ./subject
	refuse 2 padding max -- interfero bench --set padding:max=99999 -o x.exp -- ./subject
	refuse 2 padding width -- interfero bench --set padding:width=3 -o x.exp -- ./subject
	refuse 2 "1023" -- interfero bench --cpu 1023 -o x.exp -- ./subject
	refuse 2 "--cpu" -- interfero bench --cpu first -o x.exp -- ./subject
	refuse 2 frobs -- interfero bench --counters frobs -o x.exp -- ./subject
	nothing_left
}

# bad_plan WORD... -- LINE...: a plan of these lines is refused.
bad_plan() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	printf '%s\n' "$@" >p.plan
	refuse 2 p.plan "${words[@]}" -- interfero variants -o v --plan p.plan ./subject
	[ -z "$(ls v)" ]
}

@test "plans" {
	head="interfero-plan 1"
	bad_plan "interfero-plan" -- "layout 7"
	bad_plan "format 9" -- "interfero-plan 9"
	bad_plan ":2:" sideways functions -- "$head" "sideways seed=1"
	bad_plan ":3:" "seed=x" -- "$head" "name p" "functions seed=x"
	bad_plan ":2:" "seed=-1" -- "$head" "functions seed=-1"
	bad_plan ":2:" "seed=18446744073709551616" -- "$head" "functions seed=18446744073709551616"
	bad_plan ":2:" "max=5000" 4096 -- "$head" "padding seed=1 max=5000"
	bad_plan ":2:" width -- "$head" "padding seed=1 width=3"
	bad_plan ":3:" twice -- "$head" "base seed=1" "base seed=2"
	bad_plan ":2:" name -- "$head" "name ../x"
	refuse 2 nops INTERFERO_TEMPLATES -- interfero variants -o v --plan <(printf '%s\n' "$head" "name p" "nops seed=1") ./subject
	refuse 2 missing.plan -- interfero variants -o v --plan missing.plan ./subject
	[ -z "$(ls v)" ]
}

@test "plans for another program, or for none" {
	printf 'interfero-plan 1\nkit %s\nname p\nfunctions seed=1\n' "$(build_id_of "$place/other")" >p.plan
	refuse 2 p.plan "another program" -- interfero variants -o v --plan p.plan ./subject
	printf 'interfero-plan 1\nkit 0123456789abcdef\nname p\n' >p.plan
	refuse 2 0123456789abcdef "kit list" -- interfero variants -o v --plan p.plan
	printf 'interfero-plan 1\nname p\n' >p.plan
	refuse 2 p.plan "its kit" -- interfero variants -o v --plan p.plan
	[ -z "$(ls v)" ]
}

@test "experiments that are none" {
	refuse 2 missing.exp -- interfero report missing.exp
	echo "an experiment it is not" >text.exp
	refuse 4 text.exp -- interfero report text.exp
	sql foreign.exp 'CREATE TABLE guests(name TEXT)'
	refuse 4 foreign.exp "not an experiment" -- interfero report foreign.exp
	: >empty.exp
	refuse 4 empty.exp -- interfero report empty.exp
	mkdir folder.exp
	refuse 4 folder.exp -- interfero report folder.exp
	# And bench leaves what is not its own alone.
	cp text.exp text
	cp foreign.exp foreign
	refuse 4 text.exp -- interfero bench -n 1 -r 1 -o text.exp -- ./subject
	refuse 4 foreign.exp "not an experiment" -- interfero bench -n 1 -r 1 -o foreign.exp -- ./subject
	refuse 4 folder.exp -- interfero bench -n 1 -r 1 -o folder.exp -- ./subject
	cmp text text.exp
	cmp foreign foreign.exp
	[ -z "$(find . -name '*.variants')" ]
}

@test "damaged experiments" {
	cp ../good.exp cut.exp
	truncate -s $(($(stat -c %s cut.exp) / 2)) cut.exp
	refuse 4 cut.exp -- interfero report cut.exp
	refuse 4 cut.exp -- interfero bench -n 2 -r 2 -o cut.exp -- ./subject
	cp ../good.exp scratched.exp
	# The second page of the file and what follows, but not the header, which says what the file is.
	dd if=/dev/zero bs=1 seek=4096 count=9000 conv=notrunc of=scratched.exp status=none
	refuse 4 scratched.exp damaged -- interfero report scratched.exp
	cp ../good.exp newer.exp
	sql newer.exp 'PRAGMA user_version=5'
	refuse 4 newer.exp "schema 5" -- interfero report newer.exp
	cp ../good.exp odd.exp
	sql odd.exp "UPDATE fact SET value='' WHERE name='seed'; DELETE FROM counter"
	run --separate-stderr interfero report odd.exp
	[ "$status" -eq 0 ] || explain "it has: no counter"
}

@test "outputs that cannot be written" {
	echo text >file
	refuse 4 file -- interfero bench -n 1 -r 1 -o file/x.exp -- ./subject
	refuse 4 missing -- interfero bench -n 1 -r 1 -o missing/x.exp -- ./subject
	refuse 4 file -- interfero variants -n 1 -o file/v ./subject
	refuse 4 file -- interfero variants -n 1 -o file ./subject
	refuse 4 file/x.html -- interfero report ../good.exp -q --html file/x.html
	refuse 4 file -- interfero report ../good.exp -q --figures file/figures
	refuse 4 /proc -- interfero variants -n 1 -o /proc/interfero ./subject
	mkdir mine
	refuse 2 "cannot open /nonexist" -- interfero variants -o vv /nonexist
	refuse 2 "cannot open /nonexist" -- interfero variants -o mine /nonexist
	[ ! -e vv ]
	[ -d mine ]
	[ "$(cat file)" = text ]
	nothing_left
}

@test "standard output that is full" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	run -4 --separate-stderr bash -c 'interfero report ../good.exp >/dev/full'
	explain "standard output"
	run -4 --separate-stderr bash -c 'interfero report ../good.exp --json >/dev/full'
	explain "standard output"
}

@test "a metric that was not measured" {
	refuse 2 frobs duration_time -- interfero report ../good.exp --metric frobs
}

@test "an experiment that may only be read can be reported" {
	cp ../good.exp read.exp
	chmod 444 read.exp
	mkdir closed
	mv read.exp closed
	chmod 555 closed
	run -0 interfero report closed/read.exp
	chmod 755 closed
	[[ $output == *v00001* ]]
}

@test "names with a line end stay in one line of messages; a program of such a name has no kit, and is measured" {
	refuse 2 'there is no experiment a\nb' -- interfero report $'a\nb'
	refuse 2 'there is no program ./a\nb' -- interfero bench -- $'./a\nb'
	run --separate-stderr interfero-gcc -O1 "$programs/subject.c" -o $'a\nb'
	[ "$status" = 0 ]
	[ "$(wc -l <<<"$stderr")" = 1 ]
	[[ $stderr == *'there will be no kit of a\nb: its path has a line end'* ]] || say "$stderr"
	within 60 interfero bench -q -n 2 -r 1 --counters clock --no-profile -o line.exp -- $'./a\nb'
	interfero report line.exp >/dev/null
}
