# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The depth of the tests. The environment variable INTERFERO_TEST_DEPTH has two values:
#
#     quick    make check: every promise is tested once. A loop over seeds, layouts or inputs takes as many as show the
#              promise; a matrix of cases is covered so that each value of each of its axes occurs.
#     full     make check-full, for releases: many seeds, whole matrices, long fuzzing.
#
# Nearly every test runs at both depths, with the same assertions (need_full_depth marks the others). The numbers stand beside the loops: the quick one first.
# tests/unit/depth.h is the same for the unit tests and the fuzz targets.

is_full_depth() {
	[ "${INTERFERO_TEST_DEPTH:-quick}" = full ]
}

# at_depth QUICK FULL: prints the one that applies.
at_depth() {
	if is_full_depth; then echo "$2"; else echo "$1"; fi
}

# need_full_depth: skips a test at quick depth. Say beside it why, and what tests the same promise at quick depth.
need_full_depth() {
	is_full_depth || skip "at full depth (make check-full)"
}

# up_to QUICK FULL: prints the numbers from 1 to the one that applies.
up_to() {
	seq "$(at_depth "$1" "$2")"
}

