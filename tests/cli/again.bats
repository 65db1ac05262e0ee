#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero pack and interfero bench --again: an experiment runs again, here and where nothing of its tree is left.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	mkdir tree
	cd tree || return 1
	cat >reads.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
	char line[100] = "", other[100] = "";
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (!file || !fgets(line, sizeof line, file) || !fgets(other, sizeof other, stdin) || !getenv("WORD"))
		return 9;
	printf("%s%s%s\n", line, other, getenv("WORD"));
	return 0;
}
END
	interfero-gcc -O1 reads.c -o reads
	mkdir data
	echo one >data/in.txt
	echo two >std.txt
	within 60 interfero bench -q -c clock -n 3 -r 2 --env "WORD=a b" --stdin std.txt --seed 7 -o old.exp -- ./reads data/in.txt
	within 60 interfero pack old.exp -o ../old.bundle 2>../pack.errors
	cp -a reads ../reads.shipped
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

plans() {
	sql "$1" "SELECT layout, plan, sha256 FROM variant ORDER BY id"
}

@test "a bundle is an archive that tar lists, with all that the command needs" {
	need zstd
	zstd -dcq ../old.bundle | tar t >list
	for name in interfero-bundle experiment programs/0/reads plans/v00002.plan files/data/in.txt files/std.txt; do
		grep -qx "$name" list
	done
	grep -q "^kits/$(build_id_of ../reads.shipped)" list
	grep -q "bench --again" ../pack.errors
}

@test "a bundle runs again where neither tree nor kits are left: the same layouts, the same bytes" {
	mv ../tree ../gone
	run --separate-stderr within 60 env INTERFERO_KITS="$PWD/kits" interfero bench --again ../old.bundle -o new.exp
	mv ../gone ../tree
	[ "$status" -eq 0 ] || say "$stderr"
	[[ $output == *"All 4 files have the same bytes"* ]]
	[[ $output == *"Medians of 3 layouts"* ]]
	[[ $output == *"Mean over the layouts"* ]]
	plans ../tree/old.exp >then
	plans new.exp >now
	[ "$(wc -l <now)" -gt 4 ]
	cmp then now
	[ "$(sql new.exp "SELECT count(*) FROM run WHERE refused IS NULL AND NOT twin")" = 8 ]
	[ ! -e new.exp.again ]
	# No command continues it: its programs were removed with the folder.
	interfero report new.exp >text
	not grep -q "interfero bench\|interfero compare" text
	grep -q -e "-o DIR PROGRAM" text
}

@test "an experiment runs again, also after its program was built again" {
	cp ../tree/old.exp .
	run --separate-stderr within 60 interfero bench -q --again old.exp
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || say "$stderr"
	# A quiet repetition says one thing: whether the layouts agree.
	[ "${#lines[@]}" -eq 1 ] && [[ $output == *"layouts"*[.] ]] || say "$output"
	plans old.exp >then
	plans old-again.exp >now
	cmp then now
	# What continues a repetition measures as the first experiment did.
	[ "$(sql old-again.exp "SELECT value FROM fact WHERE name = 'options'")" = \
		"$(sql old.exp "SELECT value FROM fact WHERE name = 'options'")" ]
	interfero report old-again.exp | grep -q "interfero bench -c clock .*--seed 7"
	# The kit still gives the program as it shipped.
	echo "int more;" >>../tree/reads.c
	(cd ../tree && interfero-gcc -O2 reads.c -o reads)
	within 60 interfero bench -q --again old.exp -o third.exp
	plans third.exp >now
	cp ../reads.shipped ../tree/reads
	cmp then now
}

@test "a program that reads its input, of which there is none, runs again" {
	interfero bench -q -c clock --no-profile -n 2 -r 1 --stdin /dev/null -o cat.exp -- /bin/cat
	interfero bench -q --again cat.exp -o again.exp
	[ "$(sql again.exp "SELECT value FROM fact WHERE name = 'standard input'")" = /dev/null ]
}

@test "what cannot be packed or repeated is refused" {
	refuse 2 "leave out the program" -- interfero bench --again ../tree/old.exp -- ./reads
	refuse 2 "as it was" -- interfero bench --again ../tree/old.exp -n 5
	refuse 2 "choose another -o" -- interfero bench --again ../tree/old.exp -o ../tree/old.exp
	printf 'variant,run,cpu_time\na,0,1\nb,0,2\n' >t.csv
	interfero import --csv t.csv -o t.exp >/dev/null
	refuse 2 t.exp -- interfero bench --again t.exp
	refuse 2 t.exp -- interfero pack t.exp
	[ ! -e t.exp.bundle ]
	head -c 300 ../old.bundle >cut.bundle
	refuse 4 bundle -- interfero bench --again cut.bundle -o x.exp
	not compgen -G "x.exp*"
	refuse 2 missing.exp -- interfero bench --again missing.exp
	refuse 2 missing.exp -- interfero pack missing.exp
}
