#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero-gcc-N, and INTERFERO_GCC=gcc-N: each gcc gets the plugin of its own version, and says what is missing otherwise.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
	local version=$($CC -dumpversion) built
	own=${version%%.*} others=
	for built in "$INTERFERO_BUILD"/libexec/interfero/gcc-*/interfero.so; do
		built=$(basename "${built%/*}")
		# A plugin stays in the build folder when its gcc has gone.
		[ "$built" = "gcc-$own" ] || ! command -v "$built" >/dev/null || others="$others ${built#gcc-}"
	done
	export own others
}

setup() {
	use_own_folder
	cp "$sources"/program.c .
}

teardown_file() {
	drop_own_kits
}

need_another_gcc() {
	[ -n "$others" ] || skip "there is one gcc with its plugin interface (install another gcc-N-plugin-dev, and build)"
}

# compiler_of OBJECT: the major version in the plugin's note, and in that of the compiler.
compiler_of() {
	readelf -p .note.interfero "$1" | sed -n 's/.*compiler \([0-9]*\).*/\1/p'
}

@test "a name with a version calls that gcc, with the plugin of its version" {
	printf 'interfero-plan 1\nnops seed=7 rate=30\nframes seed=7\n' >p.plan
	for version in $own $others; do
		INTERFERO_PLAN=$PWD/p.plan interfero-gcc-$version -O2 -c program.c -o $version.o
		[ "$(compiler_of $version.o)" = "$version" ]
		readelf -p .comment $version.o | grep -q ") $version\."
	done
	[ "$(interfero-gcc-$own -dumpversion)" = "$($CC -dumpversion)" ]
	[ "$(interfero-gcc-ar-$own --version)" = "$(gcc-ar-$own --version)" ]
}

@test "INTERFERO_GCC names another version, by name and by path" {
	need_another_gcc
	printf 'interfero-plan 1\nnops seed=7 rate=30\n' >p.plan
	for version in $others; do
		INTERFERO_GCC=gcc-$version INTERFERO_PLAN=$PWD/p.plan interfero-gcc -c program.c -o name.o
		[ "$(compiler_of name.o)" = "$version" ]
		# A driver whose name tells nothing is asked.
		printf '#!/bin/sh\nexec gcc-%s "$@"\n' "$version" >driver
		chmod +x driver
		INTERFERO_GCC=$PWD/driver INTERFERO_PLAN=$PWD/p.plan interfero-gcc -c program.c -o driver.o
		[ "$(compiler_of driver.o)" = "$version" ]
		cmp name.o driver.o
		INTERFERO_GCC=gcc-$version interfero doctor | grep "^plugin\|plugin " | grep -q "loads into gcc $version"
		# It is for the name without a version alone.
		INTERFERO_GCC=gcc-$version INTERFERO_PLAN=$PWD/p.plan interfero-gcc-$own -c program.c -o own.o
		[ "$(compiler_of own.o)" = "$own" ]
	done
}

@test "variants by another gcc's sources and templates are made by that gcc" {
	need_another_gcc
	for version in $others; do
		INTERFERO_SOURCES=1 interfero-gcc-$version -O2 program.c -o program
		run ./program
		local wanted=$status said=$output
		interfero variants -q -n 2 -a frames,globals,nops,functions --set nops:rate=30 -o $version ./program >facts
		for variant in $version/v00001 $version/v00002; do
			run $variant
			[ "$status" = "$wanted" ] && [ "$output" = "$said" ]
			interfero explain $variant | grep -q 'frames widened [1-9]'
			[ "$(compiler_of $variant | sort -u)" = "$version" ]
		done
	done
}

@test "a missing plugin and a missing compiler are named by their packages" {
	printf '#!/bin/sh\necho 99\n' >gcc-99
	chmod +x gcc-99
	ln -s "$INTERFERO_BUILD/bin/interfero-gcc" interfero-gcc-98
	refuse 4 "no plugin for gcc 99" "gcc-99-plugin-interfero" "gcc-99-plugin-dev" -- \
		env INTERFERO_GCC="$PWD/gcc-99" interfero-gcc -c program.c -o none.o
	[ ! -e none.o ]
	refuse 4 "no compiler gcc-98" "install the package gcc-98" -- ./interfero-gcc-98 -c program.c
	# What needs no plugin works: questions, as build systems ask them.
	[ "$(INTERFERO_GCC="$PWD/gcc-99" interfero-gcc -dumpversion)" = 99 ]
	INTERFERO_GCC=$PWD/gcc-99 interfero doctor >said || true
	grep -q gcc-99-plugin-interfero <(tr -s ' \n' ' ' <said)
}
