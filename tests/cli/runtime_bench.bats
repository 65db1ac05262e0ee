#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero bench with the axes that the runtime and the launcher apply.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	cat >places.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(int argc, char **argv) {
			void *small = malloc(100), *block = malloc(200000);
			(void)argc, (void)argv;
			FILE *out = fopen(getenv("WHERE"), "a");
			fprintf(out, "%p %x %p %p\n", small, (unsigned)(uintptr_t)block & 4095, (void *)(uintptr_t)&printf, (void *)environ);
			fclose(out);
			puts("done");
			return 0;
		}
	END
	interfero-gcc -D_GNU_SOURCE -O1 places.c -o places
	interfero-gcc -D_GNU_SOURCE -O1 -static places.c -o fixed
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# measure AXES [OPTION...]: three layouts and the one that ships, twice each, into e.exp and where.
measure() {
	local axes=$1
	shift
	within 120 interfero bench -q -n 3 -r 2 --counters clock --axes "$axes" --env "WHERE=$here/where" "$@" -o e.exp -- "${program:-$place/places}" >report
}

# column N: the different values there are.
column() {
	awk -v n="$1" '{ print $n }' where | sort -u
}

refused() {
	sql e.exp "select count(*) from run where refused is not null"
}

@test "heap: each layout has its addresses, the same in every run, and nothing else moves" {
	measure heap
	[ "$(refused)" -eq 0 ]
	column 1 | distinct 4
	[ "$(column 4 | wc -l)" -eq 1 ]
	[ "$(grep -c '^0x14' where)" -eq 6 ]
}

@test "blocks: page offsets of large blocks" {
	measure blocks
	[ "$(refused)" -eq 0 ]
	column 2 | distinct 4
	[ "$(column 4 | wc -l)" -eq 1 ]
	rm -f where e.exp*
	measure blocks --set blocks:policy=0
	[ "$(column 2 | tr '\n' ' ')" = "0 10 " ]
}

@test "load: libraries lie elsewhere in each layout, by whole pages" {
	measure load
	[ "$(refused)" -eq 0 ]
	column 3 | distinct 4
	[ "$(column 3 | sed 's/.*\(...\)$/\1/' | sort -u | wc -l)" -eq 1 ]
}

@test "samples of a program that never loaded the runtime are refused, with the reason" {
	program=$place/fixed measure heap || true
	[ "$(sql e.exp "select count(*) from run where refused like '%runtime was not loaded%'")" -eq 6 ]
}

@test "all axes of a static program are those that it can have" {
	echo 'int main(void) { return 0; }' >static.c
	interfero-gcc -O2 -static static.c -o static
	run interfero bench -n 2 -r 2 --axes all -o s.exp -- ./static
	[ "$status" -eq 0 ]
	[[ $output == *"all axes but heap and blocks"* && $output == *"Refused: nothing."* ]] || echo "$output"
	[ "$(interfero report --json s.exp | jq -r .facts.axes)" = functions,objects,padding,base,data,interp,stack,load ]
}
