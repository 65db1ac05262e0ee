#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Counters without hardware: the counter source `model` in experiments, and predictions from them.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	build_sql
	interfero-gcc -O2 -ffunction-sections "$programs/steps.c" -o steps-of-a-program
	within 120 interfero bench -c model --no-profile -n 6 -o steps.exp -- ./steps-of-a-program 20000 "$PWD/runs" >report 2>said
	interfero record -q -o long.trace -- ./steps-of-a-program 50000 >recorded
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

@test "layouts are counted without running them" {
	# The program itself ran twice for the reference, and once to be recorded.
	[ "$(wc -c <../runs)" = 3 ]
	grep -q "Source of cycles: a model of the processor; nothing was timed." ../report
	grep -q "All of this comes from the layout" ../report
	not grep -q "sampling error\|no interval" ../report
	interfero report --json ../steps.exp >report.json
	[ "$(jq '[.variants[] | select(.plan != "")] | length' report.json)" = 6 ]
}

@test "an experiment's counters are those of its plans replayed" {
	interfero report --json ../steps.exp >report.json
	jq -r '.variants[] | select(.name == "v00004") | .plan' report.json >v4.plan
	interfero replay --json --core --plan v4.plan ../steps.exp.trace >replayed.json
	not grep -Eq '[0-9][.]0+([],}]|$)' report.json # whole numbers have no fraction: jq 1.7 prints them as they are written
	for counter in instructions cycles branch-misses L1-icache-load-misses btb-misses idq.mite_uops resource_stalls.any; do
		index=$(jq --arg c "$counter" '[.counters[].name] | index($c)' report.json)
		[ "$(jq --argjson i "$index" '.runs[] | select(.variant == 4) | .values[$i]' report.json)" = \
			"$(jq --arg c "$counter" '.layouts[0].counters[$c]' replayed.json)" ] || say "$counter differs"
	done
}

@test "a core gives cycles and events of its own, and leaves the others" {
	interfero replay --json ../steps.exp.trace >plain.json
	interfero replay --json --core=full -n 2 ../steps.exp.trace >core.json
	[ "$(jq '.layouts[0].counters."cycles-additive"' core.json)" = "$(jq '.layouts[0].counters.cycles' plain.json)" ]
	[ "$(jq '.layouts[0].counters | del(."cycles") | keys' plain.json)" = \
		"$(jq --slurpfile plain plain.json '.layouts[0].counters | del(."cycles")
			| with_entries(select(.key as $k | $plain[0].layouts[0].counters | has($k))) | keys' core.json)" ]
	jq -e '.layouts | all(.counters.cycles * 8 > .counters.instructions and .counters."idq.dsb_uops" > 0)' core.json
	# A slot for each instruction and more, less the fused pairs.
	jq -e '.layouts[0].counters | (."idq.dsb_uops" + ."idq.mite_uops" + ."lsd.uops") / .instructions
		| . > 0.7 and . < 2' core.json
	interfero replay --core ../steps.exp.trace >list
	grep -q " cycles (by the core)$\| cycles (sampled, +- [0-9]*)$" list
	run -2 --separate-stderr interfero replay --core --machine cachegrind ../steps.exp.trace
	grep -q "cachegrind has no core in its description" <<<"$stderr"
	run -2 --separate-stderr interfero replay --core=half ../steps.exp.trace
	grep -q -- '--core is none, sampled or full, not "half"' <<<"$stderr"
}

bench=(interfero bench -q -c model --no-profile)
steps=(-- ../steps-of-a-program 100)

# counters EXPERIMENT
counters() {
	sql "$1" "SELECT name FROM counter"
}

@test "the cycles of an experiment are all of one way, of its core or an estimate" {
	within 60 "${bench[@]}" -o none.exp -n 2 --core=none "${steps[@]}"
	interfero replay --json none.exp.trace >plain.json
	[ "$(sql none.exp "SELECT s.value FROM simulated s JOIN counter c ON c.id = s.counter
		WHERE c.name = 'cycles' AND s.variant = 0" | sed 's/\.0$//')" = "$(jq '.layouts[0].counters.cycles' plain.json)" ]
	not grep -q "idq" <(counters none.exp)
	# The way stays where the experiment grows, also in a file from before there was a core.
	within 60 "${bench[@]}" -o none.exp -n 3 "${steps[@]}"
	sql none.exp "DELETE FROM fact WHERE name = 'core'"
	refuse 2 "--core=none, not sampled" "--fresh" -- "${bench[@]}" -o none.exp -n 4 --core "${steps[@]}"
	within 60 "${bench[@]}" -o none.exp -n 4 "${steps[@]}"
	[ "$(sql none.exp "SELECT count(DISTINCT variant) FROM simulated")" = 5 ]
	[ "$(sql none.exp "SELECT value FROM fact WHERE name = 'core'")" = none ]
	within 60 "${bench[@]}" -o core.exp -n 2 "${steps[@]}"
	[ "$(sql core.exp "SELECT value FROM fact WHERE name = 'core'")" = sampled ]
	grep -qx "idq.mite_uops" <(counters core.exp)
	refuse 2 "--core=sampled, not none" -- "${bench[@]}" -o core.exp -n 3 --core=none "${steps[@]}"
	refuse 2 "--core=none and --core=sampled" "choose another --metric" -- interfero compare none.exp core.exp
	interfero compare --metric branch-misses none.exp core.exp >/dev/null
	within 60 interfero bench -q --again core.exp -o twice.exp
	[ "$(sql twice.exp "SELECT value FROM fact WHERE name = 'core'")" = sampled ]
}

# says FILE TEXT: FILE has TEXT, wherever its lines break.
says() {
	tr -s ' \n' '  ' <"$1" | grep -q "$2" || say "$(cat "$1")"
}

@test "a report tells how cycles were modelled, and with which error" {
	says ../report "core of skylake, over the whole run\."
	says ../report "are parts of these cycles"
	not grep -q "adds these cycles up" ../report
	"${bench[@]}" -o additive.exp -n 8 --machine cachegrind "${steps[@]}"
	interfero report additive.exp >report
	says report "These cycles are an estimate"
	says report "the machine cachegrind has no core, only penalties"
	says report "adds these cycles up from the counters themselves"
	interfero replay --core --json ../long.trace >replayed.json
	within 60 "${bench[@]}" -o long.exp -n 2 -- ../steps-of-a-program 50000
	error=$(sql long.exp "SELECT value FROM fact WHERE name = 'cycles error'")
	jq -e --argjson e "$error" '.layouts[0] | .cycles_standard_error / .counters.cycles | . > 0 and . <= $e * 1.01' \
		replayed.json
	# Other events of the core are of samples, too, and have an error of their own.
	error=$(sql long.exp "SELECT value FROM fact WHERE name = 'idq.dsb_uops error'")
	jq -e --argjson e "$error" '.layouts[0] | .standard_errors["idq.dsb_uops"] / .counters["idq.dsb_uops"] | . > 0 and . <= $e * 1.01' \
		replayed.json
	[ -z "$(sql long.exp "SELECT value FROM fact WHERE name = 'branch-misses error'")" ]
	interfero report long.exp >report
	says report "one value, from samples of the run"
	says report "over samples of the run: +- 0\.[0-9]* % (twice the standard error)"
	within 60 interfero compare -c model -n 2 -o sides.exp ../steps-of-a-program ../steps-of-a-program -- 50000 >same
	says same "whose error of +- 0\.[0-9]* % is in the interval"
	says same "Verdict: no change"
}

@test "a core is replayed where there is one, for events that need it" {
	within 60 "${bench[@]}" -o additive.exp -n 2 --machine cachegrind "${steps[@]}"
	[ "$(sql additive.exp "SELECT value FROM fact WHERE name = 'core'")" = none ]
	refuse 2 "cachegrind has no core" "--core=none" -- "${bench[@]}" -o x.exp -n 2 --machine cachegrind --core "${steps[@]}"
	refuse 2 "axis nops" "--core=none" -- "${bench[@]}" -o x.exp -n 2 -a nops --core "${steps[@]}"
	within 60 interfero bench -q -c model:branch-misses -n 2 -o one.exp -- ../steps-of-a-program 100
	[ "$(sql one.exp "SELECT value FROM fact WHERE name = 'core'")" = none ]
	within 60 interfero bench -q -c model:resource_stalls.rob,model:cycles-additive -n 2 -o two.exp -- ../steps-of-a-program 100
	[ "$(counters two.exp | sort)" = "$(printf 'cycles-additive\nresource_stalls.rob')" ]
	refuse 2 "'resource_stalls.rob' by a core" -- \
		interfero bench -c model:resource_stalls.rob --core=none -n 2 -o x.exp -- ../steps-of-a-program 100
	refuse 2 '"half"' -- "${bench[@]}" -o x.exp --core=half "${steps[@]}"
	[ ! -e x.exp ]
}

@test "layouts count together what each counts alone, whatever tells their data apart" {
	# Behind .data, in the line of its end, is what no section has: .bss begins at a multiple of 32. The code is larger than
	# a page, so that what moves behind it shares none with what stays in front.
	cat >reads.c <<-'END'
		extern char edata[];
		static int values[19990];
		static volatile int written = 1;
		__attribute__((naked, used)) static void large(void) { __asm__(".skip 5000, 0x90"); }
		__attribute__((noinline)) static int first(int x) { return x * 3 + written; }
		__attribute__((noinline)) static int read_at(const volatile char *at) { return *at; }
		__attribute__((noinline)) static int last(int x) { return first(x) ^ x; }
		int main(int argc, char **argv) {
			int sum = 0;
			for (int i = 0; i < 40000; i++)
				values[i * 7 % 19990] += last(sum += i);
			if (argc > 1)
				sum += *argv[1] == 'c' ? read_at((char *)first) : read_at(edata);
			for (int i = 0; i < 40000; i++)
				sum += values[i * 11 % 19990];
			return sum == 7;
		}
	END
	interfero-gcc -O1 -ffunction-sections reads.c -o reads
	for reads in "" code gap; do
		# shellcheck disable=SC2086
		interfero record -q -o "x$reads.trace" -- ./reads $reads
		interfero replay "x$reads.trace" -n 3 --json >together.json
		[ "$(jq '[.layouts[].counters | tostring] | unique | length' together.json)" -gt 1 ]
		for n in 0 1 2 3; do
			jq -r ".layouts[$n].plan" together.json >one.plan
			interfero replay "x$reads.trace" --plan one.plan --json >alone.json
			[ "$(jq -c '.layouts[0].counters' alone.json)" = "$(jq -c ".layouts[$n].counters" together.json)" ] ||
				say "layout $n of $reads"
		done
	done
}

@test "time and modelled events stand in one experiment" {
	within 120 interfero bench -q -c clock,model:branch-misses -n 4 -r 2 -o both.exp -- ../steps-of-a-program 5000 >report
	interfero report --json both.exp >report.json
	[ "$(jq -c '[.counters[] | select(.source == "model") | .name]' report.json)" = '["model:branch-misses"]' ]
	jq -e '[.counters[].name] | index("cpu_time")' report.json >index
	# Two timed runs and one of the model of each of five layouts.
	[ "$(jq '[.runs[] | select(.twin | not)] | length' report.json)" = 15 ]
	# A run does not inherit the memory that the replays needed: the program's own is under 2 MiB.
	interfero report --csv both.exp >runs.csv
	[ "$(awk -F, '$13 == "max-rss" { most = $16 > most ? $16 : most } END { print most < 8e6 }' runs.csv)" = 1 ]
}

@test "an interruption while the program is recorded leaves nothing" {
	interfero bench -c model -n 3 -o cut.exp -- ../steps-of-a-program 40000000 >out 2>said &
	campaign=$!
	await 120 grep -q recording said
	kill -INT "$campaign"
	status=0
	wait "$campaign" || status=$?
	[ "$status" = 130 ]
	[ ! -s out ]
	[ "$(grep -c interrupted said)" = 1 ] && [ "$(wc -l <said)" = 2 ]
	[ -z "$(ls -d cut.exp* 2>/dev/null)" ]
}

@test "an interruption of the replay keeps the recordings, and the same command goes on with them" {
	cp ../steps-of-a-program old
	cp ../steps-of-a-program new
	interfero compare -c model --machine haswell -n 5000 -o cut.exp ./old ./new -- 20000 >out 2>said &
	campaign=$!
	has_recorded() { [ -s cut.exp.2.trace ] && sql cut.exp "SELECT value FROM fact WHERE name = 'recording 2'" 2>/dev/null | grep -q .; }
	await 120 has_recorded
	kill -INT "$campaign"
	status=0
	wait "$campaign" || status=$?
	[ "$status" = 130 ] && [ ! -s out ]
	tail -n 1 said | grep -q 'interrupted before the first result; the recording is kept' || say "$(cat said)"
	within 60 interfero compare -c model --machine haswell -n 2 -o cut.exp ./old ./new -- 20000 >text 2>said
	grep -q '^Verdict' text
	[ "$(grep -c recording said)" = 0 ]
	rm -rf cut.exp*
}

@test "where the budget has no time for all layouts, some are replayed, and the same command goes on" {
	# What a budget allows depends on the machine: no one replays thousands in these seconds, each replays some.
	need_full_depth
	local first
	within 120 interfero bench -c model --machine haswell -n 5000 --budget 30s -o part.exp -- ../steps-of-a-program 20000 >text 2>said
	grep -q 'the budget had time to replay [0-9]* of 5001 layouts; the same command continues' said || say "$(cat said)"
	tr -s ' \n' '  ' <text | grep -q 'Partial results: the time budget was used up\.' || say "$(cat text)"
	first=$(interfero report --json part.exp | jq '.analysis.counted.random_layouts')
	[ "$first" -ge 2 ]
	within 120 interfero bench -c model --machine haswell -n 5000 --budget 30s -o part.exp -- ../steps-of-a-program 20000 >text 2>said
	[ "$(interfero report --json part.exp | jq '.analysis.counted.random_layouts')" -gt "$first" ]
	rm -r part.exp*
}

@test "a prediction is of the program that was measured, from a whole trace" {
	printf 'int main(void) { return 0; }\n' >other.c
	interfero-gcc other.c -o other
	interfero record -q -- ./other
	refuse 2 other.trace "another program" -- interfero predict --trace other.trace ../steps.exp
	head -c 9000 ../steps.exp.trace >cut.trace
	refuse 3 cut.trace "record again" -- interfero predict --trace cut.trace ../steps.exp
}

@test "an experiment of one counter is compared by that" {
	within 60 interfero bench -c model:branch-misses -n 3 -o one.exp -- ../steps-of-a-program 500 >report
	grep -q branch-misses report
}

@test "a prediction is on the line, and the perfect predictor mispredicts nothing" {
	# Mispredictions themselves lie on the line exactly, and those of a perfect predictor are none.
	within 120 interfero predict --json -x branch-misses -p gshare-2k,perfect ../steps.exp >predicted.json
	jq -e '.refused == null and (.predictions[1].predicted | fabs < 1e-6)' predicted.json
	jq -e '.predictions[1].mpki == 0' predicted.json
	jq -e '.line as $l | .predictions | all((.predicted - ($l.intercept + $l.slope * .mpki) | fabs) < 1e-12)' predicted.json
	jq -e '.predictions | all(.prediction_interval[0] <= .predicted and .predicted <= .prediction_interval[1])' \
		predicted.json
	within 120 interfero predict -x branch-misses -p perfect --figures figures ../steps.exp >text
	grep -q '^. perfect  *0.0000' text
	[ -s figures/predicted.svg ]
	[ "$(awk '{ if (length($0) > 80) print }' text | wc -l)" = 0 ]
}

@test "what the model cannot do is said" {
	run -4 --separate-stderr bash -c 'interfero replay --describe-machine --machine zen2 >/dev/full'
	explain "standard output"
	run interfero bench -c model:nonsense -o x.exp -- ../steps-of-a-program
	[ "$status" = 2 ]
	[[ $output == *"the model has no event 'nonsense'"* ]]
	run interfero bench -c model --machine nonsense -o x.exp -- ../steps-of-a-program
	[ "$status" = 2 ]
	[[ $output == *nonsense* ]]
	run within 60 interfero bench -c model --axes frames -n 2 -o x.exp -- ../steps-of-a-program
	[ "$status" = 2 ]
	[[ $output == *"the model cannot follow the axis frames"* ]]
	[ ! -e x.exp ]
	run interfero predict ../report
	[ "$status" = 4 ]
	within 60 interfero bench -q -c clock -n 2 -r 1 -o clock.exp -- ../steps-of-a-program 100 >report
	run interfero predict clock.exp
	[ "$status" = 2 ]
	[[ $output == *"has no recording"* ]]
}

# For tests of --counters auto, which takes the processor's own events where there are any.
need_no_events() {
	not interfero bench -q -c perf -n 1 -r 1 -o probe.exp -- ../steps-of-a-program 10 >/dev/null 2>&1 ||
		skip "this machine shows its events"
}

# notes EXPERIMENT: what its report says of the counters.
notes() {
	interfero report --json "$1" | jq -r '.warnings[]' | grep '^counters: '
}

@test "auto takes the model where events are hidden and it costs little" {
	need_no_events
	bench() { within 120 interfero bench -q --no-profile --budget 1h -r 1 -o auto.exp "$@" -- ../steps-of-a-program 100 "$here/ran" >report; }
	bench -n 2
	[ "$(sql auto.exp "SELECT count(DISTINCT source) FROM counter WHERE source IN ('clock', 'model')")" = 2 ]
	[ "$(sql auto.exp "SELECT count(DISTINCT variant) FROM simulated")" = 3 ]
	[ "$(sql auto.exp "SELECT value FROM fact WHERE name = 'core'")" = sampled ]
	notes auto.exp | grep 'the model.s events (of skylake.*"--counters clock" goes without'
	interfero trace verify auto.exp.trace
	# Two for the reference, one that is recorded, and three of the clock; then one of the clock, by the same recording.
	[ "$(wc -c <ran)" = 6 ]
	bench -n 3
	[ "$(wc -c <ran)" = 7 ]
	[ "$(sql auto.exp "SELECT count(DISTINCT variant) FROM simulated")" = 4 ]
	# It has no more to do, whatever a new experiment would decide.
	within 60 interfero bench -q --budget 1ms -r 1 -n 3 -o auto.exp -- ../steps-of-a-program 100 "$here/ran" >report
}

# is_clock_alone EXPERIMENT REASON
is_clock_alone() {
	[ "$(sql "$1" "SELECT DISTINCT source FROM counter")" = clock ]
	notes "$1" | grep "without the model: .*$2.*\"--counters clock,model\" asks for it"
	[ ! -e "$1.trace" ]
}

@test "auto does without the model where that takes too long, or cannot be done" {
	need_no_events
	build_subject
	# A run takes a tenth of a second at least, and recording and replaying more than a hundred runs.
	within 60 interfero bench -q --budget 10s -n 1 -r 1 -o long.exp -- ./subject sleep 100 >report
	is_clock_alone long.exp 'takes about .*a fifth of the budget'
	INTERFERO_SOURCES=1 interfero-gcc -O1 "$programs/steps.c" -o framed
	within 60 interfero bench -q --budget 1h -n 1 -r 1 --axes frames -o framed.exp -- ./framed 100 >report
	is_clock_alone framed.exp 'cannot follow the axis frames'
	interfero-gcc -O1 "$programs/undone_by_qemu.c" -o undone
	within 60 interfero bench -q --budget 1h -n 1 -r 1 -o undone.exp -- ./undone >report
	is_clock_alone undone.exp 'exits with status 3 where it is recorded'
	within 60 interfero bench -q --budget 1h -n 1 -r 1 --counters clock -o asked.exp -- ../steps-of-a-program 100 >report
	[ "$(sql asked.exp "SELECT DISTINCT source FROM counter")" = clock ]
}

# instructions TRACE
instructions() {
	interfero trace info "$1" | sed -n 's/^instructions //p'
}

@test "a region is recorded alone, all its passes" {
	gcc -O1 -I "$INTERFERO_BUILD/../runtime" "$programs/regions.c" -o regions
	within 60 interfero record -q --region work -o a.trace -- ./regions 1000 >out
	within 60 interfero record -q --region work -o b.trace -- ./regions 2000 >out
	more=$(($(instructions b.trace) - $(instructions a.trace)))
	# Three passes of a thousand rounds more, of a few instructions each; what surrounds them is far larger.
	[ $((more % 3000)) = 0 ]
	[ "$more" -gt 0 ]
	[ $(($(instructions a.trace) - more)) -ge 0 ]
	[ $(($(instructions a.trace) - more)) -lt 200 ]
	run interfero record -q --region nowhere -o c.trace -- ./regions
	[[ $output == *'never entered the region "nowhere"'* ]]
	[ "$(instructions c.trace)" = 0 ]
	[ "$status" = 0 ]
}
