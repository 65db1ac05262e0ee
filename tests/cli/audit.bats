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
	audit -q --triggers environment --budget 3s -r 1 -- ./where "$here/log"
	local sweep
	sweep=$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")
	[[ $sweep =~ ^stack:bytes=0:8176:(32|64|128|256|512|1024)$ ]]
	audit -q --triggers environment --budget 1m -r 1 -- ./where "$here/log"
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")" = "$sweep" ]
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'complete'")" = yes ]
}

@test "the triggers of an audit share a recording; heap objects need another" {
	# Each experiment runs the program twice as its reference; two record it.
	gcc -O1 "$programs/steps.c" -o steps
	within 120 interfero audit -q --counters model --no-profile --triggers load,heap,aslr,blocks -- ./steps 2000 "$here/runs"
	[ "$(wc -c <runs)" = 10 ] || say "$(wc -c <runs) runs"
	[ "$(stat -c %i steps.audit/load.exp.trace)" = "$(stat -c %i steps.audit/aslr.exp.trace)" ]
	[ "$(stat -c %i steps.audit/heap.exp.trace)" = "$(stat -c %i steps.audit/blocks.exp.trace)" ]
	[ "$(stat -c %i steps.audit/load.exp.trace)" != "$(stat -c %i steps.audit/heap.exp.trace)" ]
	# Another program at the same path has a recording of its own.
	rm steps.audit/aslr.exp*
	gcc -O0 "$programs/steps.c" -o steps
	within 120 interfero audit -q --counters model --no-profile --triggers aslr -- ./steps 2000 "$here/runs"
	[ "$(wc -c <runs)" = 13 ]
}

@test "what an audit refuses" {
	refuse 2 "which program" -- interfero audit
	refuse 2 "no trigger \"moon\"" "environment, stack" -- interfero audit --triggers moon -- ./where
	refuse 2 "no kit" -- interfero audit --triggers functions -- ./where "$here/log"
	refuse 2 "--keep-aslr" -- interfero audit --keep-aslr -- ./where
	refuse 3 -- interfero audit --counters clock --triggers load -- ./where
}
