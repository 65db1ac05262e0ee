#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Layouts that put nops between instructions, and align: replayed from the shipped program's recording, they have every
# counter that recordings of the variants have.

load ../helpers
load ../record

setup_file() {
	use_own_kits
	use_debian
}

setup() {
	use_own_folder
	need jq
}

teardown_file() {
	drop_own_kits
}

# switches NAME FLAGS...: a program of jump tables, computed gotos and loops.
switches() {
	local name=$1
	shift
	INTERFERO_TEMPLATES=1 interfero-gcc "$@" "$BATS_TEST_DIRNAME/programs/record/switches.c" -o "$name"
}

@test "nops, alignment and the order in a unit, each alone" {
	switches built -O2
	exact haswell nops "$(at_depth 2 4)" "$PWD/built"
	exact p6 align "$(at_depth 2 4)" "$PWD/built"
	switches ordered -O2 -fno-function-sections
	exact haswell unit-order "$(at_depth 2 4)" "$PWD/ordered"
}

@test "a nop in front of every instruction that takes one" {
	switches built -O2
	PARAMETERS="-x nops:rate=100 -x nops:max=9" exact zen2 nops,functions "$(at_depth 2 3)" "$PWD/built"
}

@test "code of any kind: not optimised, small, fixed, guarded" {
	switches plain -O0
	exact skylake nops,align,unit-order,functions "$(at_depth 2 3)" "$PWD/plain"
	switches small -Os -fno-pie -no-pie
	! is_full_depth ||
		exact goldencove nops,align,unit-order,functions,base "$(at_depth 2 3)" "$PWD/small"
	# cli/plugin_templates.bats compares the objects of guarded code, too.
	if is_full_depth; then
		switches guarded -O3 -fcf-protection -fno-jump-tables
		exact ivybridge nops,align,unit-order,functions,load 3 "$PWD/guarded"
	fi
	# The C library of a static program looks at the path that it was started by: variants are told the program's own. GCC's
	# library, from 13 on, compares the addresses of a static program's functions at its start: their order stays.
	switches static,with-a-comma -O2 -static
	exact core2-e5440 nops,align 2 "$PWD/static,with-a-comma"
}

@test "functions that several units hold, of which the linker takes one" {
	cat >shared.h <<-'END'
		template <class T> struct sum {
			T value;
			__attribute__((noinline)) T add(T x) { for (int i = 0; i < 5; i++) value += x * i; return value; }
		};
		inline __attribute__((noinline)) int shared(int x) { return x % 7 ? x + 1 : x / 7; }
		int other(int x);
	END
	printf '#include "shared.h"\nint other(int x) { sum<int> s{x}; return s.add(shared(x)); }\n' >other.cc
	printf '#include "shared.h"\nint main() { sum<int> s{1}; int k = 0; for (int i = 0; i < 500; i++) k ^= s.add(shared(i)) + other(i); volatile int sink = k; (void)sink; return 0; }\n' >main.cc
	INTERFERO_TEMPLATES=1 interfero-g++ -O1 -fno-function-sections main.cc other.cc -o several
	[ "$(interfero layout --units several | grep -c _Z6sharedi)" = 1 ]
	exact haswell nops,align,unit-order,functions "$(at_depth 2 3)" "$PWD/several"
}

# templates FOLDER TARGET MAKE-ARGS...: Debian's sources, built again for this.
templates() {
	cp -r "$debian/$1" . || return 1
	find "$1" -name "*.c" -exec touch {} +
	INTERFERO_TEMPLATES=1 make -s -B -C "$@" CC=interfero-gcc >log 2>&1 || say "$(cat log)"
}

@test "bzip2, lua and sqlite3 as Debian ships their sources" {
	# The tests below show the same with a small program.
	need_full_depth
	need_debian
	numbers 500 >text
	echo 'create table t(a, b); insert into t values (3, 5), (2, 7), (1, 5); select b, count(*) from t group by b;' >work.sql
	cat >work.lua <<-'END'
		local t = {}
		for i = 1, 100 do t["k" .. i] = i t[i] = tostring(i):rep(3) end
		table.sort(t)
		print(#table.concat(t))
	END
	templates bzip2 bzip2
	exact core2-e5440 nops,align,unit-order,functions,base 6 "$PWD/bzip2/bzip2" -c text
	templates lua linux -C src "MYCFLAGS='-Dluai_makeseed(L)=1u' -DSTRCACHE_N=1 -DSTRCACHE_M=1"
	exact netburst nops,align,unit-order,functions,link-order 6 "$PWD/lua/src/lua" work.lua
	templates sqlite3 sqlite3 CFLAGS=-O1
	exact ivybridge nops,align,unit-order,functions 2 "$PWD/sqlite3/sqlite3" :memory: ".read work.sql"
}

@test "what changes code is refused, with the reason" {
	INTERFERO_SOURCES=1 switches built -O1
	interfero variants -q -n 1 -a frames -o v built
	record -o a.trace -- ./built
	refuse 2 "axis frames" "changes what the program executes" -- interfero replay --plan v/v00001.plan a.trace
}
