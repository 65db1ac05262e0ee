#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The plugin and other versions of GCC: it builds with each that Debian offers, and runs in none but its own.

load ../helpers
load ../plugin

setup_file() {
	use_plugin
	export repository="$BATS_TEST_DIRNAME/../.."
}

setup() {
	use_plugin_folder
}

# headers_of VERSION: the include folder of its plugin headers, unpacked here from Debian's package.
headers_of() {
	local own
	own=$($CXX -print-file-name=plugin)/include
	if [ "$($CXX -dumpversion)" = "$1" ]; then
		echo "$own"
		return 0
	fi
	(cd "$o" && timeout 120 apt-get download -q "gcc-$1-plugin-dev" >download.log 2>&1 && dpkg -x gcc-"$1"-plugin-dev_*.deb headers) ||
		return 1
	find "$o/headers" -path '*/plugin/include' -type d | head -n 1
}

build_for() { # HEADERS: build-for.so
	local file
	for file in "$repository"/plugin/*.cc; do
		$CXX -std=gnu++17 -fno-rtti -fno-exceptions -fPIC -Wall -Wextra -Wno-unused-parameter -Werror -I"$repository" \
			-D_GNU_SOURCE -DINTERFERO_VERSION='"0"' -isystem "$1" -c "$file" -o "$o/$(basename "$file").o" &
		[ $(($(jobs -r | wc -l) % 2)) -ne 0 ] || wait
	done
	wait
	[ "$(ls "$o"/*.cc.o | wc -l)" = "$(ls "$repository"/plugin/*.cc | wc -l)" ]
}

@test "it compiles against the headers of every GCC whose plugins Debian packages" {
	need apt-cache apt-get dpkg
	versions=$(apt-cache search --names-only '^gcc-[0-9]+-plugin-dev$' | sed 's/gcc-\([0-9]*\)-.*/\1/')
	[ -n "$versions" ] || skip "apt knows no package gcc-N-plugin-dev here"
	for version in $versions; do
		headers=$(headers_of "$version") || skip "gcc-$version-plugin-dev cannot be fetched"
		build_for "$headers"
		echo "# GCC $version: compiled" >&3
		rm -rf "$o"/*.o "$o/headers"
	done
}

@test "a compiler that is not exactly the plugin's own is told apart, with the remedy" {
	own=$($CXX -print-file-name=plugin)/include
	# Headers that say they are another day's build of the same version.
	cp -r "$own" "$o/other"
	sed -i 's/datestamp\[\] = "[0-9]*"/datestamp[] = "19991231"/' "$o/other/plugin-version.h"
	grep -q 19991231 "$o/other/plugin-version.h"
	build_for "$o/other"
	for file in "$repository"/plugin/*.c "$repository"/compiletime/*.c "$repository"/common/*.c; do
		$CC -std=c11 -O1 -fPIC -I"$repository" -D_GNU_SOURCE -DINTERFERO_VERSION='"0"' -c "$file" -o "$o/$(basename "$file").o"
	done
	$CXX -shared "$o"/*.o -o "$o/interfero.so"
	run $CC "-fplugin=$o/interfero.so" -c program.c -o "$o/a.o"
	[ "$status" -ne 0 ]
	[[ $output == *"built for GCC"*19991231*"cannot run in GCC"*"build interfero again"* ]]
	[ ! -e "$o/a.o" ]
}
