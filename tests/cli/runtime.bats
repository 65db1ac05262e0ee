#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# libinterfero.so as a file, and preloaded into small programs.

load ../helpers

setup_file() {
	place=$(mktemp -d "${TMPDIR:-/tmp}/ifr-XXXXXX")
	export place runtime="$INTERFERO_BUILD/libexec/interfero/libinterfero.so" header="$BATS_TEST_DIRNAME/../../runtime"
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wno-deprecated-declarations -pthread "$programs/surface.c" -o "$place/surface"
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -static -DQUIET -Wno-deprecated-declarations -pthread "$programs/surface.c" -o "$place/fixed" 2>/dev/null
	# glibc's allocator may hang when a signal handler comes in between.
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -DQUIET -Wno-deprecated-declarations -pthread "$programs/surface.c" -o "$place/quiet"
	g++ -O1 -w "$programs/news.cc" -o "$place/news"
}

setup() {
	unset INTERFERO_HEAP INTERFERO_BLOCKS INTERFERO_LOG INTERFERO_REPEAT INTERFERO_STACK Q
	runtime="$INTERFERO_BUILD/libexec/interfero/libinterfero.so"
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# with HEAP BLOCKS SEED COMMAND...
with() {
	local heap=$1 blocks=$2 seed=$3
	shift 3
	within 120 env INTERFERO_HEAP="$heap" INTERFERO_HEAP_SEED="$seed" INTERFERO_BLOCKS="$blocks" \
		INTERFERO_BLOCKS_SEED="$seed" LD_PRELOAD="$runtime" "$@"
}

@test "nothing shows of the library but what it puts in libc's place, and the markers" {
	diff -u - <(nm -D --defined-only "$runtime" | awk '{ print $3 }' | LC_ALL=C sort) <<-'END'
		__libc_start_main
		aligned_alloc
		calloc
		free
		ifr_region_begin
		ifr_region_end
		ifr_region_repeats
		malloc
		malloc_usable_size
		memalign
		posix_memalign
		pthread_clockjoin_np
		pthread_create
		pthread_detach
		pthread_join
		pthread_timedjoin_np
		pthread_tryjoin_np
		pvalloc
		realloc
		reallocarray
		valloc
	END
	# It needs libc alone, and its thread-local state never has to be allocated.
	[ "$(readelf -dW "$runtime" | grep NEEDED | grep -vc 'libc.so.6\|ld-linux')" -eq 0 ]
	readelf -dW "$runtime" | grep -q STATIC_TLS
}

@test "the whole of malloc's surface works under every policy" {
	for heap in glibc shuffle diehard; do
		for blocks in glibc aligned random alias-free; do
			[[ $heap$blocks == *glibc* ]] && program=quiet || program=surface
			run -0 with $heap $blocks 5 "$place/$program"
			[ "$output" = fine ] || say "$heap $blocks: $output"
			[ "$(with $heap $blocks 5 "$place/news")" = fine ] || say "new and delete, $heap $blocks"
		done
	done
}

@test "the same seed gives the same addresses in 20 runs, with randomization on; another seed gives others" {
	for heap in shuffle diehard; do
		with $heap random 7 "$place/surface" addresses >first
		[ "$(wc -w <first)" -eq 100 ]
		for ((i = 1; i < 20; i++)); do
			with $heap random 7 "$place/surface" addresses | cmp first -
		done
		with $heap random 8 "$place/surface" addresses >other
		not cmp -s first other
	done
}

@test "a bad free ends the program with one line that names the address" {
	for heap in shuffle diehard; do
		for how in twice static inside; do
			run -134 --separate-stderr with $heap random 7 "$place/surface" $how
			[ "$how" = twice ] && what=double || what=invalid
			[ "$stderr" = "libinterfero: $what free of $output" ] || say "$how: $stderr instead of $output"
		done
	done
	run -134 --separate-stderr with shuffle glibc 7 "$place/surface" static
	[ "$stderr" = "libinterfero: invalid free of $output" ]
}

@test "main's frame lies lower by what is asked for" {
	plain=$(setarch -R env LD_PRELOAD="$runtime" INTERFERO_STACK=00000 "$place/surface" deep)
	lower=$(setarch -R env LD_PRELOAD="$runtime" INTERFERO_STACK=04096 "$place/surface" deep)
	[ $((lower - plain)) -ge 4096 ]
	[ $((lower - plain)) -le 4200 ]
}

@test "settings that are not understood are told of, and the program runs" {
	run -0 --separate-stderr with diehards glibc 7 "$place/surface" addresses
	[ "$stderr" = "libinterfero: heap=diehards is not known" ] || say "$stderr"
	[ "${#lines[@]}" -eq 2 ]
}

@test "a static program runs on as if nothing had been asked" {
	[ "$(with diehard random 7 "$place/fixed")" = fine ]
}

@test "little address space, and none to spare: the program runs" {
	(ulimit -v 8000000 && [ "$(with diehard random 7 "$place/news" 2>&1)" = fine ])
	(ulimit -v 60000 && with diehard random 7 "$place/news" >out 2>errors)
	[ "$(cat out)" = fine ]
}

@test "settings in one variable without a name, filled up to any length" {
	with diehard random 7 "$place/surface" addresses >first
	Q='1;heap=diehard;heap-seed=7;blocks=random;blocks-seed=7;xxxxxxxx' LD_PRELOAD="$runtime" \
		"$place/surface" addresses | cmp first -
	# Another's variable of that name means nothing to us.
	Q=heap=diehard LD_PRELOAD="$runtime" "$place/surface" addresses >other
	not cmp -s first other
}

@test "another allocator may be preloaded behind the runtime, and be watched" {
	other=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2
	[ -e $other ] || skip "libjemalloc2 is not installed"
	[ "$(LD_PRELOAD="$runtime:$other" INTERFERO_LOG="$here/log" "$place/news")" = fine ]
	[ "$(stat -c %s "$here/log")" -gt 65536 ]
	[ "$(with diehard random 7 env LD_PRELOAD="$runtime:$other" "$place/quiet")" = fine ]
}

@test "markers cost nothing to link, and count under the runtime" {
	cat >marked.c <<-'END'
		#include <interfero.h>
		#include <stdio.h>
		int main(void) {
			int runs = 0;
			for (int i = 0; i < 3; i++) {
				IFR_BEGIN("outer");
				IFR_REPEAT("inner")
					runs++;
				IFR_END;
			}
			printf("%d\n", runs);
			return 0;
		}
	END
	gcc -Wall -Wextra -Werror -O2 -I"$header" marked.c -o marked
	g++ -Wall -Wextra -Werror -O2 -x c++ -I"$header" marked.c -o marked-cc
	gcc -O2 -static -I"$header" marked.c -o marked-static
	for program in marked marked-cc marked-static; do
		[ "$(./$program)" = 3 ]
	done
	for program in marked marked-cc; do
		[ "$(LD_PRELOAD="$runtime" INTERFERO_REPEAT=101 ./$program)" = 303 ]
	done
}
