#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The compiler's axes are harmless, on programs as Debian ships their sources: lua, sqlite3, bzip2, zlib, jsoncpp (C++
# with exceptions and templates) and minpack (Fortran). Bodies without nops are the plain compiler's, and under every
# seed the programs do what they did.

load ../helpers
load ../sources

setup_file() {
	use_own_kits
	need_packages bzip2 lua5.4 zlib sqlite3 libjsoncpp minpack
	[ -z "$(cat reason)" ] || return 0
	(cd sqlite3 && ./configure && make sqlite3.c shell.c) >sqlite3.log 2>&1
	mkdir plain
	write_inputs
}

setup() {
	use_own_folder
	[ -z "$(cat "$place/reason")" ] || skip "$(cat "$place/reason")"
}

teardown_file() {
	drop_own_kits
}

# The sources of a program, and the flags that they need.
sources_of() {
	case $1 in
	lua) ls "$place"/lua5.4/src/l*.c | grep -v luac.c ;;
	bzip2) for part in blocksort huffman crctable randtable compress decompress bzlib bzip2; do
		echo "$place/bzip2/$part.c"; done ;;
	zlib) ls "$place"/zlib/*.c "$place"/zlib/test/example.c ;;
	sqlite3) echo "$place"/sqlite3/sqlite3.c "$place"/sqlite3/shell.c ;;
	jsoncpp) ls "$place"/libjsoncpp/src/lib_json/*.cpp "$place"/driver.cpp ;;
	minpack) ls "$place"/minpack/*.f "$place"/driver.f90 ;;
	esac
}

flags_of() {
	case $1 in
	lua) echo "-DLUA_USE_POSIX -Dluai_makeseed(L)=1u" ;;
	zlib) echo "-DHAVE_UNISTD_H -I$place/zlib" ;;
	sqlite3) echo "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION" ;;
	jsoncpp) echo "-I$place/libjsoncpp/include" ;;
	minpack) echo "-std=legacy -w" ;;
	esac
}

compiler_of() { # PROGRAM PREFIX
	case $1 in
	jsoncpp) echo "$2g++" ;;
	minpack) echo "$2gfortran" ;;
	*) echo "$2gcc" ;;
	esac
}

# compile PROGRAM FOLDER [COMPILER-PREFIX]: its objects, two at a time; LEVEL is for those who are in a hurry.
compile() {
	mkdir -p "$2"
	# shellcheck disable=SC2086 # lists of words
	sources_of "$1" | tr ' ' '\n' | (cd "$2" && xargs -P 2 -I% $(compiler_of "$1" "${3:-}") ${LEVEL:--O2} $(flags_of "$1") -c %)
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
	jsoncpp) within 60 "$2" ;;
	minpack) within 60 "$2" ;;
	esac
}

# bodies PROGRAM PLAN-LINE...: compares its objects under a plan with the plain ones; leaves the counts in "counts".
bodies() {
	local program=$1 object
	shift
	printf '%s\n' "interfero-plan 1" "$@" >plan
	rm -rf ours
	INTERFERO_PLAN=$PWD/plan compile "$program" ours interfero-
	for object in ours/*.o; do
		"$INTERFERO_BUILD/tests/bodies" "$place/plain/$program/${object##*/}" "$object" >>counts || echo "$program: $object" >>differing
	done
}

differing() { awk '{ functions += $1; differ += $3 } END { print functions + 0, differ + 0 }' <(grep -v '^#' counts); }

programs_all="lua sqlite3 bzip2 zlib jsoncpp minpack"

@test "bodies without nops are the plain compiler's, at rates of 10 and of 100 percent" {
	[ -x "$INTERFERO_BUILD/tests/bodies" ] || skip "build/tests/bodies is not built"
	: >counts
	for program in $programs_all; do
		INTERFERO_CAPTURE=0 compile "$program" "$place/plain/$program" interfero-
		[ "$program" = sqlite3 ] || bodies "$program" "nops seed=1 rate=10" "unit-order seed=2" "align seed=3"
		bodies "$program" "nops seed=4 rate=100 max=9" "unit-order seed=5" "align seed=6 functions=256 loops=64"
	done
	[ ! -e differing ] || say "$(cat differing) $(grep '^#' counts | head -n 5)"
	read -r functions differ < <(differing)
	echo "# $functions bodies compared, $differ differ" >&3
	[ "$functions" -ge 3000 ]
	[ "$differ" -eq 0 ]
}

@test "frames change some bodies, which are counted" {
	[ -x "$INTERFERO_BUILD/tests/bodies" ] || skip "build/tests/bodies is not built"
	: >counts
	for program in lua bzip2 zlib jsoncpp minpack; do
		[ -d "$place/plain/$program" ] || INTERFERO_CAPTURE=0 compile "$program" "$place/plain/$program" interfero-
		bodies "$program" "frames seed=1 max=256"
	done
	read -r functions differ < <(differing)
	echo "# frames: $differ of $functions bodies changed" >&3
	[ "$differ" -gt 0 ]
	[ "$differ" -lt $((functions / 2)) ]
}

# Two builds that widen frames and move variables, and of each ten variants by templates, with all other axes.
@test "programs do what they did under 20 seeds of all axes together" {
	for program in lua bzip2 zlib jsoncpp minpack; do
		compile "$program" plain interfero-
		link "$program" plain
		act "$program" "$PWD/plain/program" >expected 2>&1
		[ -s expected ]
		for build in 1 2; do
			printf 'interfero-plan 1\nframes seed=%d max=1024\nglobals seed=%d\n' $build $build >plan
			INTERFERO_TEMPLATES=1 INTERFERO_PLAN=$PWD/plan compile "$program" built interfero-
			link "$program" built
			interfero variants -q -n 10 --seed $build --axes unit-order,nops,align,functions,padding,base \
				--set nops:rate=25,max=5 -o variants built/program
			for variant in built/program variants/v000??; do
				act "$program" "$PWD/$variant" >got 2>&1 || say "$program, $build, $variant: $(tail -n 3 got)"
				cmp expected got || say "$program, build $build, $variant"
			done
			rm -rf built variants
		done
		rm -rf plain
	done
}

@test "sqlite3 does what it did under 20 seeds of the axes that templates leave open" {
	LEVEL=-O1 INTERFERO_TEMPLATES=1 compile sqlite3 built interfero-
	link sqlite3 built
	act sqlite3 "$PWD/built/program" >expected
	grep -q '^ok$' expected
	interfero variants -q -n 20 --axes unit-order,nops,align,functions --set nops:rate=25 -o variants built/program
	for variant in variants/v000??; do
		act sqlite3 "$PWD/$variant" | cmp - expected || say "$variant"
	done
}
