# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # used by the tests
# Shared helpers of the tests of the GCC plugin. INTERFERO_PLUGIN names the plugin; CC, CXX and FC name the compilers
# that it was built for.

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/cli/programs/plugin" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/depth.bash"

# For setup_file: copies the programs into the test file's folder.
use_plugin() {
	# A compiler behind a launcher such as ccache: the compiler alone.
	CC=${CC:-gcc} CXX=${CXX:-g++} FC=${FC:-gfortran}
	export CC="${CC##* }" CXX="${CXX##* }" FC="${FC##* }"
	unset INTERFERO_PLAN INTERFERO_TEMPLATES INTERFERO_COMPILING INTERFERO_ASSEMBLING
	[ -f "$INTERFERO_PLUGIN" ] || {
		echo "INTERFERO_PLUGIN does not name the plugin" >&2
		return 1
	}
	cp "$sources"/* "$BATS_FILE_TMPDIR"
}

# For setup: makes the test's own folder $o.
use_plugin_folder() {
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir "$BATS_TEST_TMPDIR/o"
	o="$BATS_TEST_TMPDIR/o"
}

# bodies OBJECT: prints the functions' instructions without nops (bodies.awk).
bodies() {
	objdump -dr --no-show-raw-insn "$1" | awk -f "$sources/bodies.awk" | sort
}

# with AXIS=WORDS ... -- COMMAND...: runs the compiler command with the plugin and these axes.
with() {
	local options=("-fplugin=$INTERFERO_PLUGIN")
	while [ "$1" != -- ]; do
		options+=("-fplugin-arg-interfero-$1")
		shift
	done
	shift
	"$@" "${options[@]}"
}

all() { # all SEED: sets seeds to the axes that only move code
	seeds="unit-order=seed=$1 nops=seed=$1,rate=30,max=9 align=seed=$1"
}

order() { # the functions in plain .text by address
	objdump -t "$1" | awk '$3 == "F" && $4 == ".text" { print $1, $NF }' | sort |
		awk '{ print $2 }'
}

not() { # bats ignores the status of "! command"
	if "$@"; then return 1; fi
}

text_order() { # the order of sections named .text.NAME
	objdump -h "$1" | awk '$2 ~ /^\.text\./ { print $2 }'
}

same_output() { # same_output COMPILER SOURCE OPTIONS...: variants of two or ten seeds print what the plain program prints
	local compiler=$1 source=$2
	shift 2
	$compiler "$@" "$source" -o "$o/plain"
	run "$o/plain"
	local expected_status=$status expected=$output
	[ -n "$expected" ]
	for seed in $(up_to 2 10); do
		all $seed
		with $seeds -- $compiler "$@" "$source" -o "$o/variant"
		run timeout 100 "$o/variant"
		[ "$status" = "$expected_status" ]
		[ "$output" = "$expected" ]
	done
}

one_error() { # one_error PATTERN COMMAND...: the command fails with one error, which holds the pattern
	local pattern=$1
	shift
	run "$@"
	[ "$status" -ne 0 ]
	[ "$(grep -c 'error:' <<<"$output")" = 1 ]
	grep -q -- "$pattern" <<<"$output"
	not grep -qi 'internal compiler error' <<<"$output"
	[ ! -e "$o/bad.o" ]
}

every() { # every SEED: sets seeds to all axes, with those that change code or data
	all "$1"
	seeds="$seeds frames=seed=$1,max=512 globals=seed=$1"
}

same_under_every() { # same_under_every COMPILER SOURCE OPTIONS...: like same_output, under all axes and one seed or three
	local compiler=$1 source=$2 seed
	shift 2
	$compiler "$@" "$source" -o "$o/plain"
	run "$o/plain"
	local expected_status=$status expected=$output
	[ -n "$expected" ]
	for seed in $(up_to 1 3); do
		every $seed
		with $seeds -- $compiler "$@" "$source" -o "$o/variant"
		run timeout 100 "$o/variant"
		[ "$status" = "$expected_status" ] && [ "$output" = "$expected" ] || {
			echo "seed $seed, $*: $output"
			return 1
		}
		readelf -p .note.interfero "$o/variant" | grep -q "frames seed=$seed"
	done
}
