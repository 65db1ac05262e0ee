#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Audits: an experiment for each trigger, continued where it stopped.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	gcc -O1 "$programs/where.c" -o where
}

setup() {
	use_own_folder
	cp ../where .
}

teardown_file() {
	drop_own_kits
}

audit() { # ARGUMENTS...
	interfero audit --counters clock --no-profile "$@"
}

@test "an audit makes an experiment of each trigger, says what it lacks, and continues" {
	audit -q --triggers load,link-order -r 1 --seed 5 -- ./where "$here/log"
	[ "$(ls where.audit)" = load.exp ]
	[ "$(sql where.audit/load.exp "SELECT value FROM fact WHERE name IN ('seed', 'axes') ORDER BY name")" = "load
5" ]
	local runs
	runs=$(wc -l <log)
	audit --json --triggers load,link-order -r 1 -- ./where "$here/log" >json
	[ "$(wc -l <log)" -eq "$runs" ] # nothing was left to do
	python3 - <<-'END'
		import json
		root = json.load(open("json"))
		load, link = root["triggers"]
		assert root["schema_version"] == 1 and root["metric"] == "cpu_time", root
		assert load["layouts"] == 32 and load["seed"] == "5" and not load["found"], load
		assert load["p"] is None and load["left_out_because"] is None, load
		assert "no kit" in link["left_out_because"] and "experiment" not in link, link
	END
	interfero report where.audit/load.exp >/dev/null
	refuse 2 "another experiment" -- interfero audit --counters clock --triggers load -r 1 -- ./where "$here/other"
	audit -q --triggers load -r 1 --fresh -- ./where "$here/other"
}

@test "a budget takes larger steps, which a second call keeps" {
	audit -q --triggers environment --budget 1s -r 1 -- ./where "$here/log"
	local sweep
	sweep=$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")
	[[ $sweep =~ ^stack:bytes=0:8176:(32|64|128|256|512|1024)$ ]]
	audit -q --triggers environment --budget 1m -r 1 -- ./where "$here/log"
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")" = "$sweep" ]
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'complete'")" = yes ]
}

@test "what an audit refuses" {
	refuse 2 "which program" -- interfero audit
	refuse 2 "no trigger \"moon\"" "environment, stack" -- interfero audit --triggers moon -- ./where
	refuse 2 "no kit" -- interfero audit --triggers functions -- ./where "$here/log"
	refuse 2 "--keep-aslr" -- interfero audit --keep-aslr -- ./where
	refuse 3 -- interfero audit --counters clock --triggers load -- ./where
}
