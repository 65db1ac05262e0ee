#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A compiler's cache above ours, and units that have no template: what is said of them.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	cp "$sources"/program.* .
}

teardown_file() {
	drop_own_kits
}

@test "ccache: the second build is the cache's, the same object with its note, and has variants" {
	need ccache
	export CCACHE_DIR=$here/cache
	export INTERFERO_SOURCES=1
	ccache interfero-gcc -O2 -g -c program.c -o one.o
	ccache interfero-gcc -O2 -g -c program.c -o two.o
	[ "$(ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { n += $2 } END { print n }')" = 1 ]
	cmp one.o two.o
	readelf -p .note.interfero two.o | grep -q template
	interfero-gcc two.o -o program
	interfero variants -n 2 --axes nops,frames -o v ./program | grep -q 'compiled again: 1 units'
	run -7 v/v00001
	# The store was emptied, the cache was not.
	rm -rf "$INTERFERO_KITS"
	interfero-gcc two.o -o program
	interfero kit show ./program | grep 'two.o.*no longer in the store'
	refuse 2 templates -- interfero variants -q -n 1 --axes nops -o w ./program
}

@test "what distcc sends is preprocessed, and compiled elsewhere: it has variants where the store is" {
	interfero-gcc -E program.c -o program.i
	INTERFERO_SOURCES=1 interfero-gcc -O2 -c program.i -o program.o
	interfero-gcc program.o -o program
	interfero variants -n 1 --axes nops,frames -o v ./program | grep -q 'compiled again: 1 units'
	run -7 v/v00001
}

@test "units without a template are named with the reason, and the program varies all the same" {
	local name
	export INTERFERO_TEMPLATES=1
	for name in one two; do
		printf 'int %s(void) { return 1; }\n' $name >$name.c
		interfero-gcc -O2 -c $name.c
	done
	ld -r one.o two.o -o joined.o
	mkdir a b
	echo 'int three(void) { return 3; }' | interfero-gcc -O2 -c -x c - -o a/same.o
	echo 'int four(void) { return 4; }' | interfero-gcc -O2 -c -x c - -o b/same.o
	ar qc libsame.a a/same.o b/same.o
	printf 'ten = 10\n' >ten.inc
	printf '__asm__(".include \\"ten.inc\\""); int five(void) { return 5; }\n' >five.c
	interfero-gcc -O2 -c five.c
	interfero-gcc -O2 program.c joined.o five.o libsame.a -Wl,-u,three,-u,four -o program
	interfero kit show ./program >shown
	grep -q '^units  *1 with templates' shown
	grep -q '1 unit stays as shipped.*(joined.o): it was joined from several units' shown
	grep -q '2 units stay as shipped.*(libsame.a:same.o, …): its archive has two members of that name' shown
	grep -q '(five.o): .*incbin' shown
	interfero variants -n 1 --axes nops,functions -o v ./program 2>said
	[ "$(grep -c shipped said)" = 3 ]
	run -7 v/v00001
	interfero bench -n 1 -r 1 --counters clock --axes nops --expect-exit 7 -o e.exp -- ./program >report
	tr -s "\n " "  " <report | grep -q "joined from several"
}
