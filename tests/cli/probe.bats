#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero probe: forms of its output, descriptions that can be read, and refusals. tests/unit/test_probe*.c have the values.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
	export XDG_CONFIG_HOME=$PWD/config
}

teardown_file() {
	drop_own_kits
}

@test "a described machine's table fits 80 columns and has the paper's results" {
	within 60 interfero probe --machine p6 --only btb,history >table
	not grep -qE '.{81}' table
	grep -qE '^  btb1.entries +512 ' table
	grep -qE '^  btb1.ways +4 ' table
	grep -qE '^  local-history +4 bits ' table
	grep -qE '^ +1 +6  0.1667' table
}

@test "JSON has a schema version, the seed, and each finding with its experiment" {
	need jq
	within 60 interfero probe --machine netburst --only btb,return --seed 7 --json >found.json
	jq -e '.schema_version == 1 and .source == "model" and .seed == 7 and .machine == "netburst"' found.json
	[ "$(jq '.findings[] | select(.key == "btb1.entries") | .value' found.json)" = 4096 ]
	jq -e '[.findings[] | select(.experiment == "")] | length == 0' found.json
}

@test "a written description is a machine, and probed it gives the same values" {
	within 60 interfero probe --machine p6,btb1.ways=2,return_stack.entries=9 --only btb,return -o found.cfg >/dev/null
	grep -q 'ways = (2, "reverse-engineered", "measured: ' found.cfg
	grep -q '"from p6,btb1.ways=2' found.cfg
	interfero replay --describe-machine --machine ./found.cfg >described
	grep -q '^btb1.ways = 2' described
	within 60 interfero probe --machine ./found.cfg --only btb,return >again
	grep -qE '^  btb1.ways +2 ' again
	grep -qE '^  return_stack.entries +9 ' again
}

# Whatever the clock says today: a size is CPUID's, or it is not told.
@test "by the clock, sizes are CPUID's or not told, and the table fits" {
	need jq
	within 120 interfero probe --only cycle,return,caches,tlbs,memory,penalty --budget 8s --json -q >found.json
	jq -e '.source == "clock" and (.findings | length) >= 12' found.json
	local key size
	for key in 'l1i.bytes LEVEL1_ICACHE_SIZE' 'l1d.bytes LEVEL1_DCACHE_SIZE' 'l2.bytes LEVEL2_CACHE_SIZE' 'l3.bytes LEVEL3_CACHE_SIZE' 'l1d.ways LEVEL1_DCACHE_ASSOC'; do
		size=$(getconf "${key#* }")
		jq -e --arg key "${key% *}" --argjson size "${size:-0}" \
			'.findings[] | select(.key == $key) | (.told | not) or $size == 0 or .value == $size' found.json || say "$key $(cat found.json)"
	done
	jq -e '[.findings[] | select(.key == "fetch.redirect" or .key == "pipeline.way_tag")] | length == 2' found.json
	jq -e '.findings[] | select(.key == "fetch.redirect") | (.told | not) or .value == (.value | round)' found.json
	jq -e '.findings[] | select(.key == "pipeline.way_tag") | (.told | not) or (.value | IN("hashed", "hashed-high", "whole"))' found.json
	# What is not told has no value; what is told and is no word has an interval.
	jq -e '[.findings[] | select(.told | not) | select(.value != null)] | length == 0' found.json
	jq -e '[.findings[] | select(.told and (.value | type) == "number") | select(.low == null or .high == null or .low > .high)] | length == 0' found.json
}

@test "a probe by the clock with little time ends, its table fits, and its page is well formed" {
	need python3
	within 60 interfero probe --only btb,return,tlbs,front,core --budget 1s -q --html page.html >table
	# The page has the table's values; where something was measured, its plots have one line for each process.
	python3 - page.html <<-'END' || say "$(head -c 2000 page.html)"
		import html.parser, sys
		text = open(sys.argv[1], encoding="utf-8").read()
		class Page(html.parser.HTMLParser):
		    void = {"meta", "path"}
		    open, lines, cells = [], [], 0
		    def handle_starttag(self, tag, attributes):
		        if tag not in self.void: self.open.append(tag)
		        if tag == "figure": self.lines.append(0)
		        if tag == "path" and dict(attributes)["class"] in "ab": self.lines[-1] += 1
		        self.cells += tag == "td"
		    def handle_startendtag(self, tag, attributes): 
		        if tag == "path" and dict(attributes)["class"] in "ab": self.lines[-1] += 1
		    def handle_endtag(self, tag): assert self.open.pop() == tag
		page = Page()
		page.feed(text)
		assert not page.open and page.cells >= 15 and all(0 < lines <= 2 for lines in page.lines), page.lines
		assert "nan" not in text and "inf" not in text.replace("info", "")
	END
	not grep -qE '.{81}' table
	grep -q '^  return_stack.entries' table
	grep -q "^  op-cache-ops" table
	grep -q "^  latency-imul" table
}

@test "a description of this machine is a machine" {
	interfero replay --describe-machine --machine native >nearest || skip "no description is near this processor"
	within 60 interfero probe --only return,memory --budget 4s -q -o here.cfg >/dev/null
	interfero replay --describe-machine --machine ./here.cfg >here
	# All settings are there, told or not.
	[ "$(grep -oE '^[a-z0-9_]+[.][a-z0-9_]+ =' nearest)" = "$(grep -oE '^[a-z0-9_]+[.][a-z0-9_]+ =' here)" ]
	tr -s ' \n' ' ' <here | grep -qE 'from [a-z0-9-]+: '
}

@test "a kept description is native here, and doctor names it" {
	need jq
	interfero doctor --json >before.json || true
	jq -r '.checks[] | select(.name == "description") | .finding' before.json >before
	not grep -q "$PWD" before
	interfero replay --describe-machine --machine native >nearest || skip "no description is near this processor"
	within 60 interfero probe --only return --budget 1s -q --keep >/dev/null
	local kept
	kept=$(echo config/interfero/*.cfg)
	# By CPUID: vendor, family, model and stepping as Linux tells them.
	local value name=$(awk -F ': ' '/^vendor_id/ {print $2; exit}' /proc/cpuinfo)
	for value in 'cpu family' model stepping; do
		name+=-$(awk -F '\t*: ' -v value="$value" '$1 == value {print $2; exit}' /proc/cpuinfo)
	done
	[ "$kept" = "config/interfero/$name.cfg" ]
	interfero doctor --json >after.json || true
	jq -r '.checks[] | select(.name == "description") | .finding' after.json | grep -qF "$PWD/$kept"
	interfero replay --describe-machine --machine native >here 2>note
	grep -qF "$PWD/$kept" note
	grep -q 'By interfero probe' "$kept"
	tr -s ' \n' ' ' <here | grep -qE 'from [a-z0-9-]+: '
	# A second probe is based on the built-in description, not on the kept one.
	within 60 interfero probe --only return --budget 1s -q --keep >/dev/null
	not grep -q 'from /' "$kept"
	mv "$kept" config/interfero/other-1-2-3.cfg
	interfero replay --describe-machine --machine native >again
	cmp nearest again
	echo 'title = ' >"$kept"
	interfero doctor --json >broken.json || true
	jq -e '.checks[] | select(.name == "description") | .status == "warn"' broken.json
}

@test "an interrupted probe goes on behind the parts that are done" {
	need jq
	refuse 2 'no probe was interrupted' -- interfero probe --resume --only return
	refuse 2 'is of this machine' -- interfero probe --machine p6 --resume
	interfero probe --only cycle,btb --budget 60s -q --seed 5 >/dev/null &
	local pid=$! waited=0
	until [ -s config/interfero/*.partial ] || [ $((waited += 1)) -gt 300 ]; do sleep 0.1; done
	kill "$pid"
	wait "$pid" || true
	local partial
	partial=$(echo config/interfero/*.partial)
	refuse 2 'give that seed' -- interfero probe --resume --seed 6
	# Findings of the part that is done are taken as they are.
	jq '.findings[0].experiment = "kept"' "$partial" >changed && mv changed "$partial"
	jq -r '.findings[0].part' "$partial" >part
	within 60 interfero probe --resume --only cycle,btb --budget 1s -q --seed 5 --json >found.json
	[ "$(jq '[.findings[] | select(.experiment == "kept")] | length' found.json)" = 1 ]
	jq -e '[.findings[] | .part] | unique | length == 2' found.json
	[ ! -e "$partial" ]
}

@test "without perf's events the clock tells, by name; where events are needed they are refused once, with a remedy" {
	need jq
	interfero doctor --json >doctor.json || true
	! jq -e '.checks[] | select(.name == "hardware events") | .status == "ok"' doctor.json || skip "perf has hardware events here"
	refuse 4 'perf: ' '--source clock' -- interfero probe --source events --only return
	[ "$(interfero probe --source events --only return 2>&1 | wc -l)" = 1 ]
	within 60 interfero probe --only return --budget 1s -q >table
	grep -q '^no events: perf: ' table
	not grep -qE '.{81}' table
	within 60 interfero probe --only return --budget 1s -q --source clock --json >found.json
	jq -e '.source == "clock" and .why_no_events == null and ([.findings[].source] | unique == ["clock"])' found.json
}

# Page faults for all events but cycles: loops have none, so every element fits, and nothing is told by them.
@test "with perf's events each value says what it was told by" {
	need jq
	gcc -shared -fPIC -D_GNU_SOURCE -o stand_in.so "$BATS_TEST_DIRNAME/programs/perf_stand_in.c"
	LD_PRELOAD=$PWD/stand_in.so within 60 interfero probe --source events --only return,history,memory --budget 1s -q -o here.cfg >table ||
		skip "perf has no events of the kernel here"
	head -n 1 table | grep -q 'by events and the clock'
	grep -q 'by events: ' table
	grep -q 'by the clock: ' table
	not grep -qE '.{81}' table
	not grep -q 'measured by events' table here.cfg
	LD_PRELOAD=$PWD/stand_in.so within 60 interfero probe --only return,memory --budget 1s -q --json >found.json
	jq -e '.source == "events" and .why_no_events == null' found.json
	LD_PRELOAD=$PWD/stand_in.so within 60 interfero probe --only return --budget 1s -q --source clock >table
	head -n 1 table | grep -q 'by the clock'
	not grep -q 'by events' table
}

@test "wrong parts, machines and words are refused" {
	refuse 2 'events or clock, not "x"' -- interfero probe --source x
	refuse 2 'is of this machine' -- interfero probe --machine p6 --source clock
	refuse 2 'leave --source out' -- interfero probe --experiment chain --source events
	refuse 2 'no part "x"' 'cycle,btb' -- interfero probe --only btb,x
	refuse 2 'no machine "p7"' -- interfero probe --machine p7
	refuse 2 'nothing more' -- interfero probe p6
	refuse 4 'nowhere' -- interfero probe --machine p6 --only return -o nowhere/found.cfg
}

# Figure 18 of the paper, table IV, and one more call than the return stack has.
@test "one experiment with parameters of one's own has the paper's figures" {
	need jq
	within 60 interfero probe --experiment branches branches=512 'distance=16..32*2' --machine p6 >table
	not grep -qE '.{81}' table
	grep -qE '^ +16 +[0-9.]+ +0\.0000 ' table
	grep -qE '^ +32 +[0-9.]+ +1\.0000 ' table
	within 60 interfero probe --machine p6 --experiment pattern period=5,6 --json >steps.json
	jq -e '.schema_version == 1 and .experiment == "pattern" and .seed == 1 and (.points | length) == 2' steps.json
	jq -e '[.points[].events["conditional-branch-misses"]] | .[0] == 0 and (.[1] * 6 | . > 0.99 and . < 1.01)' steps.json
	[ "$(jq -c '[.points[].parameters.period]' steps.json)" = '[5,6]' ]
	within 60 interfero probe --machine p6 --experiment calls depth=16..17 --json |
		jq -e '[.points[].events["return-misses"] > 0] == [false, true]'
}

@test "an experiment by the clock has an interval and its samples" {
	need jq
	within 60 interfero probe --experiment chase loads=64,128 --budget 1s --json >chase.json
	jq -e '[.points[] | .low <= .cycles and .cycles <= .high and (.samples | length) >= 7] == [true, true]' chase.json
	within 60 interfero probe --experiment chain --budget 1s >table
	not grep -qE '.{81}' table
}

@test "each experiment is listed with its parameters, and runs with what is listed" {
	interfero probe --experiment help >list
	not grep -qE '.{81}' list
	local name count=0
	for name in $(grep -E '^[a-z]' list); do
		within 60 interfero probe --machine p6 --experiment "$name" >figures
		[ "$(grep -c . figures)" -ge 3 ]
		count=$((count + 1))
	done
	[ "$count" -ge 13 ]
	# The least and the most of each parameter: figures, or a refusal with the reason.
	local setting
	awk '/^[a-z]/ { name = $1 } / to / && $1 ~ /=/ { split($1, a, "="); print name, a[1] "=" $2 }' list >least
	while read -r name setting; do
		if ! within 60 interfero probe --machine p6 --experiment "$name" "$setting" >figures 2>error; then
			grep -q 'cannot be made of these values' error
		fi
	done <least
}

@test "wrong experiments, parameters and values are refused" {
	refuse 2 'no experiment "x"' -- interfero probe --experiment x
	refuse 2 'sets no parameter' 'help lists them' -- interfero probe --experiment calls width=3
	refuse 2 'depth is a number from 1 to 2048' -- interfero probe --experiment calls depth=0
	refuse 2 'depth is a number from 1 to 2048' -- interfero probe --experiment calls depth=3..1
	refuse 2 'at most 126 points' -- interfero probe --experiment calls depth=1..2048
	refuse 2 'cannot be made of these values' -- interfero probe --experiment windows windows=1 ops=2
	refuse 2 'leave -o' -- interfero probe --experiment calls -o x.cfg
	refuse 2 'no machine "p7"' -- interfero probe --experiment calls --machine p7
}
