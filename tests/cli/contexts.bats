#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Axes that change more than places: allocator, huge pages, external symbols, and the working directory's path. The
# program itself tells what it got.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	# Appends to argv[1]: the program's file, the length of the working directory's path, the address of argv, the allocator among
	# its libraries, whether its memory and its text are in huge pages. With argv[2], prints a figure of benchmark "plant"
	# that is twice as high where the line has that word; some noise is added.
	cat >tell.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <time.h>
		#include <unistd.h>
		__asm__(".text\nspare: .skip 5 << 20, 0x90\nret\n");
		static long huge(const char *access) {
			char line[512];
			FILE *maps = fopen("/proc/self/smaps", "r");
			long kib = 0, all = 0, is = 0;
			while (fgets(line, sizeof line, maps)) {
				char flags[5];
				if (sscanf(line, "%*x-%*x %4s", flags) == 1)
					is = !strncmp(flags, access, 3);
				else if (sscanf(line, "AnonHugePages: %ld", &kib) == 1)
					all += is ? kib : 0;
			}
			return fclose(maps) ? -1 : all;
		}
		int main(int argc, char **argv) {
			char line[9000], path[4096], self[4096] = "", maps[200000] = "";
			char *memory = malloc(8 << 20);
			memset(memory, argc, 8 << 20);
			__asm__ volatile("" : : "r"(memory) : "memory");
			FILE *file = fopen("/proc/self/maps", "r");
			maps[fread(maps, 1, sizeof maps - 1, file)] = '\0';
			fclose(file);
			const char *names[] = {"jemalloc", "tcmalloc", "mimalloc", "hoard"}, *found = "glibc";
			for (int i = 0; i < 4; i++)
				if (strstr(maps, names[i]))
					found = names[i];
			if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
				return 1;
			snprintf(line, sizeof line, "%s %zu %p %s %s %s", self, strlen(getcwd(path, sizeof path)), (void *)argv,
			         found, huge("rw-") ? "heap" : "-", huge("r-x") ? "text" : "-");
			FILE *log = fopen(argv[1], "a");
			fprintf(log, "%s\n", line);
			struct timespec now;
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (argc > 2)
				printf("plant: %ld ns\n", (strstr(line, argv[2]) ? 2000 : 1000) + now.tv_nsec / 64 % 8);
			return fclose(log) || puts("fine") < 0;
		}
	END
	gcc -O1 tell.c -o tell
	gcc -O1 -static tell.c -o fixed
	gcc -O1 -DSMALL -x c - -o small <<<'int main(void) { return 0; }'
	interfero-gcc -O1 -g "$programs/where.c" -o kitted
}

setup() {
	use_own_folder
	cp ../tell ../fixed ../small ../kitted .
}

teardown_file() {
	drop_own_kits
}

bench() { # ARGUMENTS...
	interfero bench -q --counters clock --no-profile -r 1 -o e.exp --fresh "$@"
}

# The column of the log in each swept layout, in the order of the values.
column() { # NUMBER
	grep -o 'variants/v0000[1-9] .*' log | sort -u | cut -d' ' -f"$1"
}

@test "a sweep of the working directory's path mounts it at paths of these lengths" {
	unshare -Urm true || skip "no mounts of a process's own here"
	echo here >file
	bench --sweep stack:directory-bytes=0:512:256 -- ./tell "$here/log"
	[ "$(column 2 | tr '\n' ' ')" = "256 512 768 " ]
	[ "$(column 3 | sort -u | wc -l)" -eq 1 ]
	[ "$(grep -c "variants/v00000 ${#PWD} " log)" -ge 1 ] # the shipped layout stays where it is
	interfero report --csv e.exp | head -n 1 | tr , '\n' | grep -qx stack:directory_bytes
	printf 'interfero-plan 1\nstack directory-bytes=100\n' >plan
	[ "$(interfero run --plan plan -- /bin/sh -c 'cat file; pwd -P | tr -d "\n" | wc -c')" = "here
356" ]
	[ -z "$(find . -name 'xxxx*')" ]
	mkdir below
	cd below
	refuse 2 "../file is relative" "absolute path" -- interfero bench --counters clock --sweep stack:directory-bytes=0:512:256 -o r.exp -- ../tell "$here/none" ../file
	refuse 2 "../file is relative" -- interfero run --plan ../plan -- /bin/cat ../file
	cd ..
	[ ! -e none ] # before the first run
	refuse 2 "a recording" -- interfero bench -q --counters model --sweep stack:directory-bytes=0:512:256 -- ./tell "$here/log"
}

@test "each allocator is preloaded, under one stack" {
	local wanted=glibc levels=0 i=0 name
	for name in jemalloc:libjemalloc.so.2 tcmalloc:libtcmalloc_minimal.so.4 mimalloc:libmimalloc.so.[23]; do
		i=$((i + 1))
		compgen -G "/usr/lib/x86_64-linux-gnu/${name#*:}" >/dev/null || continue
		wanted+=" ${name%:*}"
		levels+=",$i"
	done
	[ $levels != 0 ] || skip "no allocator but glibc's"
	bench --sweep "allocator:which=$levels" -- ./tell "$here/log"
	[ "$(column 4 | tr '\n' ' ')" = "$wanted " ]
	[ "$(cut -d' ' -f3 log | sort -u | wc -l)" -le 2 ] # the reference has another path
	[ "$(column 3 | sort -u | wc -l)" -eq 1 ]
	sql e.exp "SELECT facts FROM variant WHERE layout = 1" | grep -qx 'allocator: 0, glibc'
	# A preload of the user's stays.
	bench --sweep "allocator:which=$levels" --env LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 -- ./tell "$here/log"
	[ "$(column 3 | sort -u | wc -l)" -eq 2 ]
	printf 'interfero-plan 1\nallocator which=4\n' >plan
	[ -e /usr/lib/libhoard.so ] || {
		refuse 2 "hoard is not installed" "which=$levels takes those that are" -- interfero run --plan plan -- ./tell "$here/log"
		refuse 2 "hoard is not installed" -- interfero bench --counters clock -a allocator -n 64 -r 1 -o r.exp -- ./tell "$here/none"
		[ ! -e none ] # before the first run
	}
	printf 'interfero-plan 1\nallocator which=%s\n' "${levels##*,}" >plan
	refuse 2 "statically linked" -- interfero run --plan plan -- ./fixed "$here/log"
	interfero run --plan plan -- ./tell "$here/other" >/dev/null
	[ "$(cut -d' ' -f4 other)" = "${wanted##* }" ]
}

# Whether the kernel gives huge pages to memory for which a program asks (MADV_HUGEPAGE), and to no other.
gives_huge_pages() {
	grep -q '\[madvise\]' /sys/kernel/mm/transparent_hugepage/enabled && python3 - <<-'END'
		import mmap, re, sys
		memory = mmap.mmap(-1, 16 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		memory.madvise(14)
		memory.write(b"x" * (16 << 20))
		sys.exit(not any(int(kib) for kib in re.findall(r"AnonHugePages: +(\d+)", open("/proc/self/smaps").read())))
	END
}

@test "huge pages hold the heap, the text, or both, and no more is claimed" {
	printf 'interfero-plan 1\nhuge-pages parts=2\n' >plan
	run --separate-stderr interfero run --plan plan -- ./small
	[[ $stderr == *"it has no 2 MiB that begin at a multiple of 2 MiB"* ]]
	gives_huge_pages || skip "the kernel gives no huge pages on demand"
	bench --sweep huge-pages:parts=0:3:1 -- ./tell "$here/log"
	[ "$(column 5-6 | tr '\n' ' ')" = "- - heap - - text heap text " ]
	[ "$(column 3 | sort -u | wc -l)" -eq 1 ]
}

field() { # FILE SECTION COLUMN, of readelf -SW without the brackets
	readelf -SW "$1" | sed 's/\[ */[/' | awk -v name="$2" -v column="$3" '$2 == name { print $column }'
}

grown() { # SECTION: by how much the variant's section is larger
	echo $((0x$(field variant "$1" 6) - 0x$(field kitted "$1" 6)))
}

# A name has 21 characters and a zero; a symbol 24 bytes, a relocation 24, an entry of .plt 16.
@test "added external symbols grow .dynsym, .dynstr, .rela.plt and .plt, and move the text" {
	printf 'interfero-plan 1\nnames count=3 bytes=100\n' >plan
	interfero variants --plan plan -o out ./kitted >/dev/null
	cp out/plan variant
	[ "$(grown .dynsym) $(grown .dynstr) $(grown .rela.plt) $(grown .plt) $(grown .got.plt)" = "72 166 72 48 24" ]
	[ $((0x$(nm variant | awk '$3 == "main" { print $1 }') - 0x$(nm kitted | awk '$3 == "main" { print $1 }'))) -eq 48 ]
	[ "$(nm -D variant | grep -c ' w interfero_name_')" = 3 ]
	interfero verify ./kitted out -- ./kitted "$here/log"
	interfero run --plan plan -- ./kitted "$here/log" >/dev/null
	# The seed draws both; the same plan gives the same bytes.
	interfero variants -n 3 --axes names --seed 7 -o one ./kitted >/dev/null
	interfero variants -n 3 --axes names --seed 7 -o two ./kitted >/dev/null
	diff -r one two
	[ "$(sha256sum one/v0000[1-3] | cut -c1-64 | sort -u | wc -l)" -eq 3 ]
	interfero verify ./kitted one >/dev/null
	# With another axis, both apply.
	printf 'interfero-plan 1\nbase bytes=64\nnames count=1 bytes=0\n' >plan
	interfero variants --plan plan -o both ./kitted >/dev/null
	interfero verify ./kitted both >/dev/null
	# A program without .rela.plt; a linker that leaves weak functions out; a static program.
	printf 'interfero-plan 1\nnames count=3 bytes=100\n' >plan
	interfero-gcc -O1 -fno-plt -Wl,-z,now "$programs/where.c" -o other
	interfero variants --plan plan -o got ./other >/dev/null
	interfero verify ./other got -- ./other "$here/log" >/dev/null
	[ "$(nm -D got/plan | grep -c ' w interfero_name_')" = 3 ]
	interfero-gcc -O1 -Wl,-z,nodynamic-undefined-weak "$programs/where.c" -o other
	refuse 2 "leaves weak external functions out" -- interfero variants --plan plan -o none ./other
	interfero-gcc -O1 -static "$programs/where.c" -o other
	refuse 2 "no external symbols" -- interfero audit --counters clock --triggers names -- ./other "$here/log"
	bench --sweep names:count=0,2,5 --set names:max=0 -- ./kitted "$here/log"
	[ "$(sql e.exp "SELECT group_concat(substr(facts, 1, 8)) FROM variant WHERE layout")" = "names: +,names: +,names: +" ] ||
		say "$(sql e.exp "SELECT facts FROM variant")"
	refuse 2 "cannot follow the axis names" -- interfero bench --counters model --axes names -- ./kitted "$here/log"
}

audit() { # TRIGGERS PLANT PROGRAM
	interfero audit --json --counters clock --no-profile --metrics 'regex:^([a-z]+): ([0-9.]+) (ns)' -m plant \
		--triggers "$1" -r 3 --fresh -o found.audit -- "$3" "$here/log" "$2" >json
	python3 -c 'import json, sys
print(*[t["trigger"] for t in json.load(open("json"))["triggers"] if t.get("found")])'
}

@test "an audit finds a planted bias by its trigger alone, and says what this machine lacks" {
	[ -e /usr/lib/x86_64-linux-gnu/libjemalloc.so.2 ] || skip "no jemalloc"
	[ "$(audit allocator,huge-pages jemalloc ./tell)" = allocator ] || say "$(cat json)"
	[ -e /usr/lib/libhoard.so ] || grep -q '"lacks": *"hoard is not installed' json
	[ "$(at_depth quick full)" = full ] || return 0 # seconds
	[ -z "$(audit allocator,huge-pages nothing ./tell)" ] || say "$(cat json)"
	gives_huge_pages || skip "no huge pages"
	[ "$(audit allocator,huge-pages heap ./tell)" = huge-pages ] || say "$(cat json)"
}

# The figure is twice as high where main begins at an odd multiple of 16, or where the directory's path is long.
@test "an audit finds what only symbols, or only the directory's path, can plant" {
	need_full_depth # half a minute
	unshare -Urm true || skip "no mounts of a process's own here"
	cat >planted.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <string.h>
		#include <time.h>
		#include <unistd.h>
		int main(int argc, char **argv) {
			char path[4096];
			struct timespec now;
			clock_gettime(CLOCK_MONOTONIC, &now);
			const int high = *argv[argc - 1] == 'n' ? (int)((uintptr_t)main >> 4 & 1) : strlen(getcwd(path, sizeof path)) > 2000;
			printf("plant: %ld ns\n", 1000 * (1 + high) + now.tv_nsec / 64 % 8);
			return 0;
		}
	END
	interfero-gcc -O1 planted.c -o planted
	[ "$(audit names,load names ./planted)" = names ] || say "$(cat json)"
	[ "$(audit directory,path directory ./planted)" = directory ] || say "$(cat json)"
}

@test "an audit lists its triggers, and leaves out those that the program cannot have" {
	interfero audit --triggers list >list
	grep -Eq '^ +names +.*needs a kit' list
	grep -Eq '^ +directory ' list
	refuse 2 "statically linked" -- interfero audit --counters clock --triggers allocator -- ./fixed "$here/log"
}
