# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Programs of Debian's sources, built by interfero-gcc, with workloads of 10 to 50 ms; beside study.sh. A study sets
# $PROGRAMS, packages' names, $lines, of the workloads' input, and $layouts.
# shellcheck disable=SC2154 # set by studies

# Where the program lies in its source.
binary_of() {
	case $1 in
	bc) echo bc/bc ;;
	dash) echo src/dash ;;
	sed) echo sed/sed ;;
	grep) echo src/grep ;;
	lua5.4) echo src/lua ;;
	m4) echo src/m4 ;;
	diffutils) echo src/diff ;;
	original-awk) echo a.out ;;
	*) echo "$1" ;;
	esac
}

# original-awk needs a parser generator: the machine's, or Debian's bison.
fetch_bison() {
	! command -v bison >/dev/null || return 0
	fetch bison m4 && BISON_PKGDATADIR=$PWD/root/usr/share/bison M4=$PWD/root/usr/bin/m4 PATH=$PWD/root/usr/bin:$PATH
	export BISON_PKGDATADIR M4
}

# Builds a program in the folder of its source.
make_program() { # PACKAGE
	case $1 in
	bzip2) make CC=interfero-gcc bzip2 ;;
	# A fixed seed for strings' hashes: else Lua takes one from the time and from addresses.
	lua5.4) make -C src CC=interfero-gcc "MYCFLAGS='-Dluai_makeseed(L)=1u' -g" linux ;;
	# Lines of loads need -g, which packages with a configure have.
	original-awk) make CC=interfero-gcc CFLAGS='-O2 -g' HOSTCC=gcc YACC='bison -d' a.out ;;
	sqlite3)
		[ -f Makefile ] || ./configure --disable-tcl --disable-readline CC=interfero-gcc
		make sqlite3
		;;
	*)
		[ -f Makefile ] || ./configure --disable-nls CC=interfero-gcc
		make ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=:
		;;
	esac
}

build() { # PACKAGE
	[ ! -x "source/$1/$(binary_of "$1")" ] || return 0
	[ "$1" != original-awk ] || fetch_bison || return 1
	(
		cd "source/$1"
		make_program "$1"
	) >"build-$1.log" 2>&1 || [ -x "source/$1/$(binary_of "$1")" ] || {
		echo "$1 does not build: see build-$1.log" >&2
		return 1
	}
}

make_work() {
	make_inputs "$lines"
	sed 's/brown/red/; 7~11d' text >other
	echo 's=0; for (i = 1; i < '$((lines * 2))'; i++) { s += i * i % 97; if (i % 3 == 0) s /= 2 }; s' >sums.bc
	# shellcheck disable=SC2016 # the shell's own variables
	echo 'i=0; s=0; while [ $i -lt '$((lines * 4))' ]; do i=$((i+1)); case $i in *7) s=$((s+i));; *3*) s=$((s-1));; esac; done; echo $s' >loop.sh
	echo "define(\`loop', \`ifelse(\$1, 0, \`', \`eval(\$1 * 7919 % 97) loop(decr(\$1))')')dnl
$(yes 'loop(40)' | head -n $((lines / 20)))" >loop.m4
	echo "local t, s = {}, 0 for i = 1, $((lines * 15)) do t[i % 97] = (t[i % 97] or 0) + i * 7 % 13 s = s + #tostring(i) end print(s)" >words.lua
	echo "CREATE TABLE t(a, b); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < $lines)
INSERT INTO t SELECT i * 7919 % 10007, hex(i) FROM c; SELECT a % 10, count(*), min(b) FROM t GROUP BY 1;" >table.sql
}

# An experiment with the workload of a program.
measure() { # PACKAGE EXPERIMENT OPTION...
	package=$1 experiment=$2 program=source/$1/$(binary_of "$1")
	shift 2
	case $package in
	mawk | gawk) set -- "$@" -- "$program" -f words.awk text ;;
	bc) set -- "$@" -- "$program" -q sums.bc ;;
	dash) set -- "$@" -- "$program" loop.sh ;;
	gzip | bzip2) set -- "$@" -- "$program" -c text ;;
	sed) set -- "$@" -- "$program" -n 's/[aeiou]\([a-z]\)/\1x/g;/9 .*x 9/p' text ;;
	grep) set -- "$@" -- "$program" -c '\(.\)\1.* [0-9]*7[0-9]*' text ;;
	lua5.4) set -- "$@" -- "$program" words.lua ;;
	m4) set -- "$@" -- "$program" loop.m4 ;;
	diffutils) set -- "$@" --expect-exit 1 -- "$program" text other ;;
	sqlite3) set -- "$@" -- "$program" :memory: ".read table.sql" ;;
	esac
	interfero bench ${on:+"$on"} -q -n "$layouts" -s 1 --stdin /dev/null --no-profile -o "$experiment" "$@" >"$experiment.log" 2>&1 || {
		cat "$experiment.log" >&2
		return 1
	}
}

# build_programs: sets $built, those of $PROGRAMS that could be fetched and built; there must be one.
build_programs() {
	need make interfero-gcc
	make_work
	built=
	# Several studies share what they build.
	[ -z "${PROGRAMS_FOLDER:-}" ] || { mkdir -p "$PROGRAMS_FOLDER" && ln -sfn "$PROGRAMS_FOLDER" source; }
	for package in $PROGRAMS; do
		[ -f "source/$package/ready" ] || prepare_apt || exit 4
		fetch_source "$package" "source/$package" && build "$package" && built="$built $package"
	done
	[ -n "$built" ]
}
