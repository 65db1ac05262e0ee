#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero heap: a program under every allocator.

load ../helpers

setup_file() {
	use_own_kits
	gcc -O2 -I"$BATS_TEST_DIRNAME/../../examples" "$BATS_TEST_DIRNAME"/../../examples/aligned-buffers/*.c -o aligned-buffers
	# A pass of the region sleeps 2 ms and notes that it ran; what is around it sleeps 20.
	cat >region.c <<-'END'
		#include <fcntl.h>
		#include <interfero.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(void) {
			const char *where = getenv("WHERE");
			int out = where ? open(where, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
			free(malloc(100000));
			usleep(20000);
			IFR_REPEAT("nap") {
				usleep(2000);
				if (out >= 0 && write(out, ".", 1) != 1)
					return 1;
			}
			return 0;
		}
	END
	gcc -D_GNU_SOURCE -I"$BATS_TEST_DIRNAME/../../runtime" region.c -o region
	gcc -D_GNU_SOURCE -I"$BATS_TEST_DIRNAME/../../runtime" -static region.c -o fixed
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# cell ALLOCATOR KEY of table.json.
cell() {
	jq -r --arg name "$1" --arg key "$2" '.allocators[] | select(.allocator == $name) | .[$key] | tostring' table.json
}

@test "the thesis' pair of large buffers: glibc's alias, alias-free ones do not" {
	within 120 interfero heap -r 1 --json -- "$place/aligned-buffers" 0 2 >table.json
	# glibc maps each block and puts it 16 bytes into its page (thesis, table 4.5: addresses that end in 010).
	[ "$(cell glibc common)" = '[{"low_12_bits":16,"blocks":2}]' ]
	for name in glibc "blocks aligned" "heap shuffle" "heap diehard"; do
		[ "$(cell "$name" blocks)$(cell "$name" pairs)$(cell "$name" aliases)" = 211 ] || say "$name"
	done
	[ "$(cell "blocks aligned" common)" = '[{"low_12_bits":0,"blocks":2}]' ]
	for name in "blocks random" "blocks alias-free"; do
		[ "$(cell "$name" pairs)$(cell "$name" aliases)" = 10 ] || say "$name"
	done
	[ "$(jq .schema_version table.json)" = 2 ]
}

@test "a program that hangs or dies is named so, as in bench" {
	printf '#include <unistd.h>\nint main(void) { for (;;) pause(); }\n' >hang.c
	printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >dies.c
	gcc hang.c -o hang
	gcc dies.c -o dies
	refuse 3 "did not end within 0.2 s" "--timeout" -- interfero heap --timeout 200ms -- ./hang
	refuse 3 "ends by signal 6" -- interfero heap -- ./dies
	refuse 2 --timeout -- interfero heap --timeout never -- ./hang
}

@test "the table for people has a line for every allocator" {
	within 120 interfero heap -r 1 -- "$place/aligned-buffers" 0 2 >table
	[ "$(grep -cE '^(glibc|jemalloc|tcmalloc|mimalloc|blocks|heap) ' table)" -ge 9 ]
	[ "$(awk 'length > 80' table | wc -l)" -eq 0 ]
}

@test "--repeat-marker runs a region once and 101 times, and measures a pass" {
	within 120 interfero heap -r 1 --repeat-marker nap --env "WHERE=$here/naps" --json -- "$place/region" >table.json
	# Once for the log, once and 101 times for the clock.
	[ "$(stat -c %s naps)" -eq $((103 * $(jq '[.allocators[] | select(.measured)] | length' table.json))) ]
	# No shorter than what was slept in a pass.
	awk -v t="$(cell glibc time_ms)" 'BEGIN { exit !(t >= 2) }'
	refuse 2 nap2 -- interfero heap -r 1 --repeat-marker nap2 --env "WHERE=$here/naps" -- "$place/region"
}

@test "what cannot be compared is said" {
	refuse 2 nosuch -- interfero heap -- ./nosuch
	refuse 3 "not loaded" -- interfero heap -- "$place/fixed"
	refuse 3 "status 1" -- interfero heap -- /bin/false
}
