#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Rules that hold for all commands: help, letters, missing files, full outputs, interrupts.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
	interfero --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
}

setup() {
	use_own_folder
	ln -s ../subject subject
}

teardown_file() {
	drop_own_kits
}

@test "interfero help COMMAND, COMMAND -h and COMMAND --help are one" {
	while read -r command; do
		interfero "$command" --help >long
		interfero help "$command" | cmp - long
		interfero "$command" -h | cmp - long
	done <"$place/commands"
	interfero help | cmp - <(interfero --help)
	refuse 2 nope -- interfero help nope
}

@test "a letter means one option in every command" {
	while read -r command; do
		interfero "$command" --help | sed -n 's/^  -\([A-Za-z]\), --\([a-z-]*\).*/\1 \2/p'
	done <"$place/commands" | sort -u >letters
	[ "$(wc -l <letters)" -ge 12 ]
	[ -z "$(cut -d' ' -f1 letters | uniq -d)" ] || say "$(cat letters)"
	# What has a letter in one command has it in all.
	while read -r command; do
		interfero "$command" --help | sed -nE 's/^      --(json|figures)\b.*/'"$command"' \1/p'
	done <"$place/commands" >bare
	[ ! -s bare ] || say "without its letter: $(cat bare)"
	interfero run --help | grep -q -e "-n, --number=N  *The layout's number"
}

@test "the help is whole: no word falls out of its column, no line is blank but for spaces" {
	local command
	interfero compare --help | grep -A2 '^ Report:$' | grep -q -e --fail-above
	while read -r command; do
		interfero "$command" --help >help
		not grep -n '^  *$' help
		not grep -nE '^.{81}' help
		cmp help <(cat -s help) # no two blank lines together
		not grep -nE '^ {20,}-' help # the man page would take it for an option
		awk '/^Axes, with/ { on = 1; next } /^stack, heap/ { on = 0 } on && /^[^ ]/' help >fallen
		[ ! -s fallen ] || say "$command: $(cat fallen)"
	done <"$place/commands"
}

@test "an empty name is refused at once, and shown" {
	for words in "bench -n 2 -r 1" "audit" "calibrate" "record" "limit --seconds 1"; do
		# shellcheck disable=SC2086 # words
		refuse 2 '-o needs a name, not ""' -- interfero $words -o "" -- ./subject
	done
	refuse 2 '-o needs a name, not ""' -- interfero pack -o "" x.exp
	refuse 2 '--html needs a name, not ""' -- interfero bench -n 2 -r 1 -H "" -- ./subject
	refuse 2 'there is no program ""' -- interfero bench -- ""
	refuse 2 'there is no experiment ""' -- interfero report ""
	[ "$(ls -A)" = subject ]
}

@test "a shared library is no program, and programs of one name have a file of their own" {
	mkdir -p old new
	echo 'int one(void); int one(void) { return 1; }' | interfero-gcc -shared -fPIC -x c - -o lib.so
	for words in "bench -n 2 -- ./lib.so" "compare ./lib.so ./lib.so" "run -a stack -- ./lib.so" "record -- ./lib.so"; do
		# shellcheck disable=SC2086 # words
		refuse 2 "is a shared library" --library -- interfero $words
	done
	cp -L subject old/prog && cp -L subject new/prog
	interfero compare -q -c clock -n 2 -r 1 old/prog new/prog || [ $? = 1 ]
	[ -e old-new-prog.exp ] && [ ! -e prog-prog.exp ]
}

@test "the help shows the default of -n" {
	for pair in bench:32 compare:32 calibrate:32 variants:16 replay:0; do
		interfero "${pair%:*}" --help | grep -A1 -e '-n, --number=N' | tr -s ' \n' ' ' | grep -q "(${pair#*:}[:)]" || say "$pair"
	done
}

@test "old spellings still work" {
	interfero layout -a ./subject | grep -q '^at 0x'
	run -2 --separate-stderr interfero limit -s 0 -- ./subject
	explain --seconds
	interfero kit prune -a >/dev/null
	(cd .. && build_subject)
}

@test "results that cannot be written are a failure of every command" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	for words in "kit list" "kit show ./subject" "layout --units ./subject" "replay --machine help" "--help" \
		"help bench" "bench --help" "--version" "--completions"; do
		# shellcheck disable=SC2086 # a list of words
		run -4 --separate-stderr bash -c "interfero $words >/dev/full"
		explain "standard output"
	done
}

@test "a missing input file is a mistake of the command line, whatever it is for" {
	printf 'one: 1\n' >suite
	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		refuse 2 nope -- interfero $words
	done <<-'END'
		variants -o v --plan nope ./subject
		layout --plan nope ./subject
		record --plan nope -- ./subject
		replay nope
		replay --machine ./nope --describe-machine
		trace info nope
		import --csv nope -o x.exp
		kit import nope
		compare --suite nope ./subject ./subject
		bench --stdin nope -o x.exp -- ./subject
		heap --stdin nope -- ./subject
		verify ./subject nope
		report nope
		blame nope
		explain nope
		pack nope
		bench --again nope
		bench --library nope -- ./subject
		limit --seconds 1 -- ./nope
	END
}

@test "kit list says which program, which build and how large" {
	interfero-gcc -O1 "$programs/subject.c" -o built
	interfero kit list >first
	grep -qE "^$(build_id_of built | cut -c1-12) 20[0-9-]{8} [0-9:]{5} +[0-9]+ +[0-9]+\.[0-9] current $PWD/built\$" first
	old=$(build_id_of built)
	interfero-gcc -O2 "$programs/subject.c" -o built
	interfero kit list | grep -qE "^${old:0:12} .* older +$PWD/built"
	rm built
	[ "$(interfero kit list | grep -c " gone .*$PWD/built")" -eq 2 ]
}

@test "calibrate ends with status 130 after an interrupt, however little it has" {
	interfero calibrate -n 8 -r 5 -c clock -o c.exp -- ./subject sleep 300 >text 2>errors &
	process=$!
	has_run() { [ -n "$(sql c.exp 'SELECT 1 FROM run LIMIT 1')" ]; }
	await 20 has_run
	kill -INT $process
	status=0
	wait $process || status=$?
	[ "$status" -eq 130 ] || say "$status: $(cat errors)"
}

@test "a compiler that cannot load the plugin: one line, with the remedy" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/clang
	chmod +x bin/clang
	echo 'int main(void) { return 0; }' >m.c
	refuse 4 clang "take interfero-clang" -- env INTERFERO_GCC="$PWD/bin/clang" interfero-gcc m.c -o m
	ln -s clang bin/cc-of-mine
	refuse 4 cc-of-mine clang -- env INTERFERO_GCC="$PWD/bin/cc-of-mine" interfero-gcc m.c -o m
}

@test "--fresh replaces the experiment of an earlier build, and nothing that is none" {
	interfero-gcc -O1 "$programs/subject.c" -o prog
	within 60 interfero bench -q -c clock -n 2 -r 2 -o p.exp -- ./prog
	interfero-gcc -O2 "$programs/subject.c" -o prog
	refuse 2 --fresh "holds another experiment" -- interfero bench -q -c clock -n 2 -r 2 -o p.exp -- ./prog
	within 60 interfero bench -q -c clock -n 2 -r 2 --fresh -o p.exp -- ./prog
	[ "$(sql p.exp "SELECT value FROM fact WHERE name='kit'")" = "$(build_id_of prog)" ]
	[ "$(sql p.exp "SELECT count(*) FROM run WHERE NOT twin")" = 6 ]
	# The replaced experiment stays beside it.
	[ "$(sql p.exp~ "SELECT value FROM fact WHERE name='kit'")" != "$(build_id_of prog)" ]
	interfero report p.exp~ | grep -q 'random'
	echo text >no.exp
	refuse 4 no.exp -- interfero bench -q -c clock -n 2 -r 2 --fresh -o no.exp -- ./prog
	[ "$(cat no.exp)" = text ]
}
