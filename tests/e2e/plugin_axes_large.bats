#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# As plugin_axes.bats, the largest programs: a file of their own, so that each ends in its time.

load ../helpers
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

# A hundred seconds of a processor for what plugin_axes.bats shows of a smaller C++ program.
@test "jsoncpp" {
	need_full_depth
	same_under_seeds jsoncpp -O0 1
}

# Seventy seconds of a processor for what plugin_axes.bats shows of lua.
@test "sqlite3" {
	need_full_depth
	same_under_seeds sqlite3 -O0 1
}
