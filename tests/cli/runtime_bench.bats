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
			fprintf(out, "%p %x %p %p %p\n", small, (unsigned)(uintptr_t)block & 4095, (void *)(uintptr_t)&printf, (void *)environ,
				__builtin_frame_address(0));
			fclose(out);
			puts("done");
			return 0;
		}
	END
	# Pages are touched for the first time: 50 in each pass of "touch", 10 in each run of "kernel".
	cat >marked.c <<-'END'
		#include <interfero.h>
		#include <stdio.h>
		#include <sys/mman.h>
		static void touch(int pages) {
			char *page = mmap(NULL, 4096 * pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (int i = 0; i < pages; i++)
				((volatile char *)page)[4096 * i] = 1;
			munmap(page, 4096 * pages);
		}
		int main(void) {
			touch(1);
			for (int i = 0; i < 4; i++) {
				IFR_BEGIN("touch");
				touch(50);
				IFR_END;
			}
			touch(1000);
			IFR_REPEAT("kernel")
				touch(10);
			puts("done");
			return 0;
		}
	END
	interfero-gcc -D_GNU_SOURCE -O1 -I"$BATS_TEST_DIRNAME/../../runtime" marked.c -o marked
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
	within 120 interfero bench -q --one-file -n 3 -r 2 --counters clock --axes "$axes" --env "WHERE=$here/where" "$@" -o e.exp -- "${program:-$place/places}" >report
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

@test "heap: the window among whose slots one is chosen, and the granule of sizes" {
	measure heap --set heap:diehard=0,granule=4096
	# A page each, but for the layout that ships.
	[ "$(column 1 | grep '^0x14' | grep -vc '000$')" -eq 0 ]
	[ "$(refused)" -eq 0 ]
	column 1 >wide
	rm -rf where e.exp*
	measure heap --set heap:diehard=0,granule=4096,window=2
	not diff wide <(column 1)
	not measure heap --set heap:window=1
}

@test "stack: main's frame lies lower, and the stack begins where it did" {
	measure stack --set stack:max=0,main=65536
	[ "$(refused)" -eq 0 ]
	column 5 | distinct 4
	[ "$(column 5 | sed 's/.*\(.\)$/\1/' | sort -u | wc -l)" -eq 1 ]
	[ "$(column 4 | wc -l)" -eq 1 ]
}

# value COUNTER: its different values in all runs.
value() {
	sql e.exp "select distinct value from sample join counter on counter = counter.id where name = '$1'"
}

@test "regions: time, cycles and events between the program's marks, a pass" {
	interfero bench -q -n 2 -r 2 --one-file --counters clock,region:touch -o e.exp -- "$place/marked"
	[ "$(refused)" -eq 0 ]
	[ "$(sql e.exp "select count(*) from counter where source = 'region'")" -eq 2 ]
	# Four passes and all the rest take longer than one.
	[ "$(sql e.exp "select count(*) from sample a join sample b on a.run = b.run join counter c on a.counter = c.id
		join counter d on b.counter = d.id where c.name = 'touch:duration_time' and d.name = 'duration_time'
		and a.value > 0 and 4 * a.value < b.value")" -eq 6 ]
	rm -rf e.exp*
	interfero bench -q -n 2 -r 2 --counters clock,perf:page-faults -o e.exp -- "$place/marked" 2>why || skip "$(cat why)"
	rm -rf e.exp*
	interfero bench -q -n 2 -r 2 --counters clock,perf:page-faults,region:touch -o e.exp -- "$place/marked"
	# Where the first call of something is bound, a page or two come to 4 * 50.
	for faults in $(value touch:page-faults); do
		awk -v f="$faults" 'BEGIN { exit !(f >= 50 && f <= 51) }' || say "$faults"
	done
}

@test "one run of a marked statement, from runs of 101 and of 1" {
	interfero bench -q -n 2 -r 2 --counters clock --repeat-marker kernel -o e.exp -- "$place/marked"
	[ "$(refused)" -eq 0 ]
	[ "$(interfero report --json e.exp | jq -r .analysis.metric)" = kernel:duration_time ]
	rm -rf e.exp*
	interfero bench -q -n 2 -r 2 --counters clock,perf:page-faults -o e.exp -- "$place/marked" 2>why || skip "$(cat why)"
	rm -rf e.exp*
	interfero bench -q -n 2 -r 2 --counters clock,perf:page-faults --repeat-marker kernel -o e.exp -- "$place/marked"
	[ "$(value kernel:page-faults)" = 10.0 ] || say "$(value kernel:page-faults)"
}

@test "regions that a program does not pass, or cannot have" {
	run -2 interfero bench -q -n 2 -r 1 --counters clock,region:sort -o e.exp -- "$place/marked"
	[[ $output == *'did not pass through a region "sort"'*IFR_BEGIN* ]]
	run -2 interfero bench -q -n 2 -r 1 --counters clock,region:touch --repeat-marker kernel -o e.exp -- "$place/marked"
	[[ $output == *"not both"* ]]
	run -4 interfero bench -q -n 2 -r 1 --counters clock,region:touch --env "WHERE=$here/where" -o e.exp -- "$place/fixed"
	[[ $output == *"regions cannot be measured"*"not loaded"* ]]
	[ ! -e e.exp ]
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
	[ "$(interfero report --json s.exp | jq -r .facts.axes)" = functions,link-order,padding,base,data,interp,stack,load ]
}
