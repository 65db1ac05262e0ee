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
	(cd "$o" && timeout 120 apt-get download -q "gcc-$1-plugin-dev" >download.log 2>&1 && dpkg -x gcc-"$1"-plugin-dev_*.deb headers) ||
		return 1
	find "$o/headers" -path '*/plugin/include' -type d | head -n 1
}

build_for() { # HEADERS FILE...: their objects
	local file headers=$1 compiler
	shift
	# For many files GCC's headers are read once, as in the Makefile.
	compiler=($CXX -std=gnu++17 -fno-rtti -fno-exceptions -fPIC -Wall -Wextra -Wno-unused-parameter -Werror "-I$o/precompiled"
		"-I$repository" -D_GNU_SOURCE '-DINTERFERO_VERSION="0"' -isystem "$headers")
	mkdir -p "$o/precompiled/plugin"
	[ $# -lt 3 ] || "${compiler[@]}" -x c++-header "$repository/plugin/gcc.h" -o "$o/precompiled/plugin/gcc.h.gch"
	for file; do
		"${compiler[@]}" -c "$file" -o "$o/$(basename "$file").o" &
		[ $(($(jobs -r | wc -l) % 2)) -ne 0 ] || wait
	done
	wait
	[ "$(ls "$o"/*.cc.o | wc -l)" = $# ]
}

@test "it compiles against the headers of every GCC whose plugins Debian packages" {
	# Another GCC is a release apart, and its headers are fetched.
	need_full_depth
	need apt-cache apt-get dpkg
	versions=$(apt-cache search --names-only '^gcc-[0-9]+-plugin-dev$' | sed 's/gcc-\([0-9]*\)-.*/\1/')
	[ -n "$versions" ] || skip "apt knows no package gcc-N-plugin-dev here"
	for version in $versions; do
		# Against those of its own compiler it was built, with the same warnings.
		[ "$version" != "$($CXX -dumpversion)" ] || continue
		headers=$(headers_of "$version") || skip "gcc-$version-plugin-dev cannot be fetched"
		build_for "$headers" "$repository"/plugin/*.cc
		echo "# GCC $version: compiled" >&3
		rm -rf "$o"/*.o "$o/headers" "$o/precompiled"
	done
}

@test "a compiler that is not exactly the plugin's own is told apart, with the remedy" {
	own=$($CXX -print-file-name=plugin)/include
	# Headers that say they are another day's build of the same version.
	cp -r "$own" "$o/other"
	sed -i 's/datestamp\[\] = "[0-9]*"/datestamp[] = "19991231"/' "$o/other/plugin-version.h"
	grep -q 19991231 "$o/other/plugin-version.h"
	# Only the files that look at the version are other ones.
	mapfile -t files < <(grep -l 'plugin-version.h' "$repository"/plugin/*.cc)
	build_for "$o/other" "${files[@]}"
	# The others are this build's, by the names of the sources: an old build folder may hold objects of files that are gone.
	objects=$INTERFERO_BUILD/objects version=$($CXX -dumpversion)
	for file in "$repository"/plugin/*.cc; do
		[[ " ${files[*]} " == *" $file "* ]] || rest+=("$objects/gcc-${version%%.*}/plugin/$(basename "$file" .cc).o")
	done
	for file in "$repository"/{plugin,compiletime,common}/*.c; do
		file=$objects/pic/${file#"$repository"/}
		[ ! -e "${file%.c}.o" ] || rest+=("${file%.c}.o")
	done
	$CXX -shared "$o"/*.cc.o "${rest[@]}" -o "$o/interfero.so"
	run $CC "-fplugin=$o/interfero.so" -c program.c -o "$o/a.o"
	[ "$status" -ne 0 ]
	[[ $output == *"built for GCC"*19991231*"cannot run in GCC"*"build interfero again"* ]]
	[ ! -e "$o/a.o" ]
}
