# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154 # set by the tests
# The corpus that the compiler's axes are tried on, as Debian ships the sources: lua, sqlite3, bzip2, zlib, jsoncpp (C++
# with exceptions and templates) and minpack (Fortran); cxx, a small C++ program of the tests; and what each of them is to do.

programs_all="lua sqlite3 bzip2 zlib jsoncpp minpack"

# For setup_file, behind use_own_kits: $corpus holds the sources in folders of their names. The files of sqlite3 that its
# build makes are those of tests/debian. A reason in $place/reason skips every test.
use_corpus() {
	make_debian
	[ -z "$(cat reason)" ] || return 0
	export corpus=${debian%/*}/sources
	mkdir plain
	write_inputs
}

# For setup, behind use_own_folder.
need_corpus() {
	[ -z "$(cat "$place/reason")" ] || skip "$(cat "$place/reason")"
}

# The sources of a program, and the flags that they need.
sources_of() {
	case $1 in
	lua) ls "$corpus"/lua5.4/src/l*.c | grep -v luac.c ;;
	bzip2) for part in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		echo "$corpus/bzip2/$part.c"; done ;;
	zlib) ls "$corpus"/zlib/*.c "$corpus"/zlib/test/example.c ;;
	sqlite3) echo "$debian"/sqlite3/sqlite3.c "$debian"/sqlite3/shell.c ;;
	jsoncpp) ls "$corpus"/libjsoncpp/src/lib_json/*.cpp "$place"/driver.cpp ;;
	cxx) ls "$(dirname "$BATS_TEST_FILENAME")"/programs/engine/cxx_*.cc ;;
	minpack) ls "$corpus"/minpack/*.f "$place"/driver.f90 ;;
	esac
}

flags_of() {
	case $1 in
	lua) echo "-DLUA_USE_POSIX -Dluai_makeseed(L)=1u" ;;
	zlib) echo "-DHAVE_UNISTD_H -I$corpus/zlib" ;;
	sqlite3) echo "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION" ;;
	jsoncpp) echo "-I$corpus/libjsoncpp/include" ;;
	minpack) echo "-std=legacy -w" ;;
	esac
}

compiler_of() { # PROGRAM PREFIX
	case $1 in
	jsoncpp | cxx) echo "$2g++" ;;
	minpack) echo "$2gfortran" ;;
	*) echo "$2gcc" ;;
	esac
}

# compile PROGRAM FOLDER [COMPILER-PREFIX]: its objects, two at a time; LEVEL is for those who are in a hurry,
# FLAGS are more of them.
compile() {
	mkdir -p "$2"
	# shellcheck disable=SC2086 # lists of words
	sources_of "$1" | tr ' ' '\n' | (cd "$2" && xargs -P 2 -I% $(compiler_of "$1" "${3:-}") ${LEVEL:--O2} ${FLAGS:-} $(flags_of "$1") -c %)
}

link() { # PROGRAM FOLDER: with its kit
	local libraries=
	[ "$1" != lua ] || libraries=-lm
	[ "$1" != sqlite3 ] || libraries=-lm
	(cd "$2" && "$(compiler_of "$1" interfero-)" ./*.o -o program $libraries)
}

write_inputs() {
	seq 1 30000 | awk '{ printf "%d the quick brown fox %d\n", $1 * $1 % 977, $1 * 7919 % 10007 }' >text
	cat >work.lua <<'END'
local t, s = {}, 0
for w in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do t[#t + 1] = w:upper() .. #w end
table.sort(t)
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for i = 1, 2000 do s = s + (i * i) % 7 end
local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end end)
print(table.concat(t, ","), s, fib(16), co() + co(), pcall(error, { 1 }), string.format("%5.2f %q", 1 / 3, "a\nb"))
print(pcall(function() return nil + 1 end), ("x"):rep(20), math.maxinteger // 3, 7 // 2.0, #arg)
END
	cat >work.sql <<'END'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO t SELECT i, 'v' || (i * 7919 % 101), i / 3.0 FROM n;
CREATE INDEX x ON t(b);
SELECT b, count(*), sum(c), max(a) FROM t GROUP BY b ORDER BY 2 DESC, 1 LIMIT 7;
UPDATE t SET c = c * 2 WHERE a % 3 = 0; DELETE FROM t WHERE b LIKE 'v1%';
SELECT count(*), total(c), group_concat(DISTINCT substr(b, 1, 2)) FROM t;
SELECT * FROM t JOIN (SELECT b AS d, min(a) AS e FROM t GROUP BY b) ON a = e WHERE d > 'v5' ORDER BY c LIMIT 5;
PRAGMA integrity_check;
SELECT printf('%08.3f|%-6s|%x', 3.14159, 'ab', 255), date(0, 'unixepoch'), json_extract('{"a":[1,{"b":2}]}', '$.a[1].b');
END
	cat >driver.cpp <<'END'
#include <cstdio>
#include <json/json.h>
#include <sstream>
#include <stdexcept>
static void attempt(const char *text) {
	Json::Value value;
	Json::CharReaderBuilder builder;
	builder["failIfExtra"] = true;
	std::string errors;
	std::istringstream input(text);
	try {
		bool good = Json::parseFromStream(builder, input, &value, &errors);
		printf("%d %s", good, good ? value.toStyledString().c_str() : errors.c_str());
		for (auto &member : value["list"]) printf("%.3f ", member.asDouble());
		printf("%d\n", value["number"].asInt());
	} catch (const Json::LogicError &error) { printf("logic: %s\n", error.what());
	} catch (const std::exception &error) { printf("other: %s\n", error.what()); }
}
int main() {
	attempt("{\"list\": [1, 2.5, -3e2], \"number\": 7, \"text\": \"a\\u00e9b\", \"deep\": {\"x\": [[], {}, null]}}");
	attempt("{\"list\": [\"word\"]}");
	attempt("{\"number\": 99999999999}");
	attempt("[1, 2");
	attempt("{\"list\": 1} x");
	try { Json::Value().asInt64(); Json::Value(Json::arrayValue)["key"] = 1; }
	catch (const std::runtime_error &error) { printf("runtime: %s\n", error.what()); }
	catch (const std::exception &error) { printf("other: %s\n", error.what()); }
}
END
	cat >driver.f90 <<'END'
program driver
  external residuals
  integer, parameter :: n = 2, m = 3
  double precision :: x(n), f(m), work(100)
  integer :: info, pivots(n)
  x = (/ -1.2d0, 1.0d0 /)
  call lmdif1(residuals, m, n, x, f, 1d-12, info, pivots, work, 100)
  print '(a,i3,3f14.8)', 'info ', info, x, sum(f**2)
end program
subroutine residuals(m, n, x, f, flag)
  integer :: m, n, flag
  double precision :: x(n), f(m)
  f(1) = 10d0 * (x(2) - x(1)**2)
  f(2) = 1d0 - x(1)
  f(3) = (x(1) - 1d0) * x(2)
end subroutine
END
}

# act PROGRAM FILE: what it does, as text.
act() {
	case $1 in
	lua) (cd "$place" && within 60 "$2" work.lua) ;;
	bzip2) within 60 "$2" -c "$place/text" | md5sum && within 60 "$2" -c "$place/text" | within 60 "$2" -dc | cmp - "$place/text" ;;
	zlib) (cd "$BATS_TEST_TMPDIR" && within 60 "$2" && rm -f foo.gz) ;;
	sqlite3) within 60 "$2" :memory: <"$place/work.sql" ;;
	jsoncpp | cxx | minpack) within 60 "$2" ;;
	esac
}

# same_under_seeds PROGRAM LEVEL SEEDS: its variants, as many at quick depth as SEEDS says, else 20, do what the
# plain compiler's program does. Every unit can be compiled again.
same_under_seeds() {
	local program=$1 variant seeds
	seeds=$(at_depth "$3" 20)
	LEVEL=$2 compile "$program" plain
	link "$program" plain
	act "$program" "$PWD/plain/program" >expected 2>&1
	[ -s expected ]
	LEVEL=$2 INTERFERO_SOURCES=1 compile "$program" built interfero-
	link "$program" built
	within 1500 interfero variants -n "$seeds" --axes functions,link-order,padding,base,data,interp,unit-order,nops,align,frames,globals \
		--set nops:rate=25,max=5 --set frames:max=1024 -o variants built/program >facts 2>said
	[ "$(grep -c "compiled again: [1-9].*, [1-9][0-9]* frames wider, [1-9]" facts)" = "$seeds" ] || say "$(grep again facts)"
	not grep shipped said
	for variant in variants/v000??; do
		act "$program" "$PWD/$variant" >got 2>&1 || say "$program, $variant: $(tail -n 3 got)"
		cmp expected got || say "$program, $variant"
		build_id_of "$variant" >>ids
	done
	distinct "$seeds" <ids
}
