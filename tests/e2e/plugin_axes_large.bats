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

@test "jsoncpp" { same_under_seeds jsoncpp -O0 1; }
# Seventy seconds of a processor for what jsoncpp and plugin_axes.bats show; sqlite3's bodies, templates and links are
# tested at either depth (plugin_corpus.bats, record_templates.bats, engine.bats).
@test "sqlite3" {
	need_full_depth
	same_under_seeds sqlite3 -O0 1
}
