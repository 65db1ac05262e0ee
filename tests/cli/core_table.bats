#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of instructions is what its script makes of LLVM 16's scheduling models.

load ../helpers

# It needs a package that no user needs; the table's figures are tested at quick depth by tests/unit/test_core_published.c.
@test "the table of instructions is what the script makes" {
	need_full_depth
	[ -d "${LLVM_PREFIX:-/usr}/include/llvm-16" ] || skip "no LLVM 16 (Debian's package llvm-16-dev)"
	scripts/core_data/run >"$BATS_TEST_TMPDIR/table" 2>/dev/null
	cmp "$BATS_TEST_TMPDIR/table" model/core/instructions.txt
}

@test "the script names the package that it needs" {
	run env LLVM_PREFIX=/nonexistent scripts/core_data/run
	[ "$status" -eq 4 ]
	[[ "$output" == *"install Debian's package llvm-16-dev"* ]]
}
