#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs as Debian ships their sources (tests/corpus.bash) do what they did under 20 seeds of every axis that makes
# another file: the relinker's and the compiler's together, each variant compiled again.

load ../helpers
load ../sources
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

# same_under_20_seeds PROGRAM LEVEL: its variants do what the plain compiler's program does. Every unit can be compiled again.
same_under_20_seeds() {
	local program=$1 variant
	LEVEL=$2 compile "$program" plain
	link "$program" plain
	act "$program" "$PWD/plain/program" >expected 2>&1
	[ -s expected ]
	LEVEL=$2 INTERFERO_SOURCES=1 compile "$program" built interfero-
	link "$program" built
	within 800 interfero variants -n 20 --axes functions,objects,padding,base,data,interp,unit-order,nops,align,frames,globals \
		--set nops:rate=25,max=5 --set frames:max=1024 -o variants built/program >facts 2>said
	[ "$(grep -c "compiled again: [1-9].*, [1-9][0-9]* frames wider, [1-9]" facts)" = 20 ] || say "$(grep again facts)"
	not grep shipped said
	for variant in variants/v000??; do
		act "$program" "$PWD/$variant" >got 2>&1 || say "$program, $variant: $(tail -n 3 got)"
		cmp expected got || say "$program, $variant"
		build_id_of "$variant" >>ids
	done
	distinct 20 <ids
}

# Large programs are compiled 20 times without optimisation, where every function has a frame.
@test "bzip2" { same_under_20_seeds bzip2 -O1; }
@test "zlib" { same_under_20_seeds zlib -O1; }
@test "minpack" { same_under_20_seeds minpack -O1; }
@test "lua" { same_under_20_seeds lua -O0; }
@test "jsoncpp" { same_under_20_seeds jsoncpp -O0; }
@test "sqlite3" { same_under_20_seeds sqlite3 -O0; }

# Lua keeps the strings of C that it has seen in a cache by their addresses (lstring.c, luaS_new): with one place in it, what
# it executes depends on no address.
@test "lua, which would run for minutes, is limited: every layout executes the same instructions" {
	need valgrind
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
