#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs as Debian ships their sources (tests/corpus.bash) do what they did under seeds of every axis that makes
# another file: the relinker's and the compiler's together, each variant compiled again.

load ../helpers
load ../corpus

setup_file() {
	use_own_kits
	use_corpus
}

setup() {
	use_own_folder
	need_corpus
}

teardown_file() {
	drop_own_kits
}

# Larger programs are compiled without optimisation, where every function has a frame; the largest are in
# plugin_axes_large.bats.
@test "bzip2" {
	need_full_depth # plugin_generated.bats and cli/recompile.bats run C under every axis
	same_under_seeds bzip2 -O1 1
}
@test "zlib" {
	need_full_depth # as bzip2
	same_under_seeds zlib -O1 1
}
@test "minpack" {
	need_full_depth # cli/plugin_flags.bats and cli/recompile.bats run Fortran under every axis
	same_under_seeds minpack -O1 1
}
@test "C++ with exceptions and templates" { same_under_seeds cxx -O0 1; }
@test "lua" {
	need_full_depth # as bzip2
	same_under_seeds lua -O0 1
}

# Lua keeps the strings of C that it has seen in a cache by their addresses (lstring.c, luaS_new): with one place in it, what
# it executes depends on no address.
@test "lua, which would run for minutes, is limited: every layout executes the same instructions" {
	need valgrind
	# cli/limit.bats shows the same with a small program.
	need_full_depth
	LEVEL=-O1 FLAGS="-DSTRCACHE_N=1 -DSTRCACHE_M=2" INTERFERO_TEMPLATES=1 compile lua built interfero-
	link lua built
	cat >long.lua <<-'END'
		local x, seen = 1, {}
		for i = 1, 1 << 40 do
			for j = 1, 1000 do x = (x * 16807 + j) % 2147483647 end
			seen[#seen + 1] = ("%x"):format(x)
			if i % 10 == 0 then io.write(i, " ", table.concat(seen, ","), "\n") seen = {} end
		end
	END
	mkdir 0 1 2 3
	within 100 interfero limit --seconds 0.2 -o 0/lua -- built/program "$PWD/long.lua"
	interfero variants -q -n 3 --axes functions,padding,base,data -o variants 0/lua
	for n in 0 1 2 3; do
		# By one name: lua interns it.
		[ "$n" = 0 ] || cp variants/v0000$n $n/lua
		(cd $n && within 300 valgrind --tool=callgrind --callgrind-out-file=counts ./lua ../long.lua >out 2>errors)
		cmp 0/out $n/out
		sed -n 's/.*Collected : //p' $n/errors >>instructions
		objdump -d --no-show-raw-insn $n/lua | tail -n +4 | md5sum >>texts
	done
	[ -s 0/out ]
	[ "$(wc -l <instructions)" = 4 ]
	sort -u instructions | distinct 1
	distinct 4 <texts
}
