#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero compare: two programs, folders and experiments.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
	# Other code that does the same.
	interfero-gcc -O1 "$programs/subject.c" -o other
	within 60 interfero compare ./subject ./other -n 4 -r 3 --counters clock -o both.exp -- again >both.text 2>both.errors &&
		echo 0 >both.status || echo $? >both.status
}

setup() {
	use_own_folder
	ln -s ../subject subject
	ln -s ../other other
}

teardown_file() {
	drop_own_kits
}

@test "both programs, the same layouts, all interleaved" {
	status=$(cat "$place/both.status")
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[ ! -s "$place/both.errors" ]
	[ "$(sql "$place/both.exp" 'SELECT count(DISTINCT variant), count(DISTINCT repetition) FROM run')" = "10|3" ]
	[ "$(sql "$place/both.exp" "SELECT value FROM fact WHERE name='programs'")" = 2 ]
	[ "$(sql "$place/both.exp" 'SELECT name FROM variant ORDER BY id LIMIT 4' | tr '\n' ' ')" = "v00000 w00000 v00001 w00001 " ]
	# The seeds of a number are the same for both.
	seeds() { sql "$place/both.exp" "SELECT plan FROM variant WHERE id=$1" | grep -v '^kit\|^name'; }
	[ -n "$(seeds 2)" ]
	[ "$(seeds 2)" = "$(seeds 3)" ]
	[ "$(seeds 2)" != "$(seeds 4)" ]
	# Neither program's runs come in a row of their own.
	[ "$(sql "$place/both.exp" 'SELECT variant % 2 FROM run ORDER BY id' | uniq | wc -l)" -gt 6 ]
	[ ! -e "$place/both.exp.variants" ]
}

@test "the text: verdict, both ratios, no line over 80 columns" {
	cd "$place"
	grep -qE '^Verdict: (no change|inconclusive|layout|change|both): ' both.text
	tr -s ' \n' ' ' <both.text >joined
	grep -q '^Verdict: .* What it means: .* Next: .* - On average over layouts' joined
	grep -q 'On average over layouts ./other is' joined
	grep -q 'As shipped: ' joined
	grep -q 'is the layout effect of these two files' joined
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' both.text
}

@test "the same command measures nothing again; the experiment alone is reported again" {
	cd "$place"
	before=$(sql both.exp 'SELECT count(*), max(started_ns) FROM run')
	interfero compare ./subject ./other -n 4 -r 3 --counters clock -o both.exp -- again >again.text || true
	cmp both.text again.text
	[ "$(sql both.exp 'SELECT count(*), max(started_ns) FROM run')" = "$before" ]
	interfero compare both.exp --fail-above 900% >alone.text
	[ "$(grep -c Verdict alone.text)" = 1 ]
	refuse 2 'interfero compare' -- interfero report both.exp
}

@test "JSON, Markdown and JUnit" {
	need jq
	interfero compare "$place/both.exp" --json --fail-above 900% --junit j.xml >out.json
	[ "$(jq -r .schema_version out.json)" = 2 ]
	[ "$(jq -r '.comparisons | length' out.json)" = 1 ]
	jq -e '.comparisons[0].result | .interval.low <= .ratio and .ratio <= .interval.high' out.json
	jq -e '.comparisons[0].counters | length > 2' out.json
	grep -q '<testsuite name="interfero compare" tests="1" failures="0" errors="0">' j.xml
	interfero compare "$place/both.exp" --markdown --fail-above 900% >table
	[ "$(head -n 1 table)" = '| command | verdict | change over all layouts | as shipped | layout effect |' ]
	[ "$(head -n 3 table | awk -F'|' '{ print NF }' | sort -u)" = 7 ]
}

@test "a suite: every command by its name" {
	printf '# two\none: again\ntwo: again\n' >suite
	run within 120 interfero compare ./subject ./other -n 2 -r 2 --counters clock -o s --suite suite --markdown
	[ "$status" = 0 ] || [ "$status" = 1 ]
	grep -q '^| one |' <<<"$output"
	grep -q '^| two |' <<<"$output"
	[ -s s-one.exp ]
	[ -s s-two.exp ]
	# Both on the same processor.
	pinned() { sql "$1" "SELECT value FROM fact WHERE name='pinned to'"; }
	[ "$(pinned s-one.exp)" = "$(pinned s-two.exp)" ]
	refuse 2 's is a suite of 2 experiments, such as s-one.exp: "interfero compare s" reports it' -- interfero report s
}

# 4000 s for four lines: 1000 s each, and lines of a second leave the rest to the last.
@test "the budget is the whole suite's: each line has an equal part of what is left" {
	printf 'one: again\ntwo: again\nthree: again\nfour: again\n' >suite
	within 120 interfero compare ./subject ./other -n 2 -r 1 --counters clock --budget 4000s --suite suite >out 2>errors ||
		[ $? = 1 ]
	grep -q 'line 1 of 4: one, with 1000 s of the budget' errors
	local last
	last=$(sed -n 's/.*line 4 of 4: four, with \([0-9]*\) s of the budget.*/\1/p' errors)
	[ "$last" -gt 3800 ]
	[ "$last" -lt 4000 ]
}

@test "a name of a suite is refused by the character that it cannot have" {
	printf 'one: again\nBM_Parse/8: again\n' >suite
	refuse 2 'suite:2: ' '"BM_Parse/8" has "/"' -- interfero compare ./subject ./other --suite suite
}

@test "a suite's weights are read, and mistakes in them refused" {
	printf 'one*3: again\ntwo*.5: again\n' >suite
	run within 120 interfero compare ./subject ./other -n 2 -r 1 --counters clock -o s --suite suite --markdown
	grep -q '^| one |' <<<"$output"
	for weight in 0 -1 x '' 1e999 nan 2x; do
		printf 'one: again\ntwo*%s: again\n' "$weight" >suite
		refuse 2 'suite:2: a weight is a number above 0' -- interfero compare ./subject ./other --suite suite
	done
}

@test "a suite is reported again by the name of its -o" {
	printf 'one: again\ntwo: again\n' >suite
	within 120 interfero compare ./subject ./other -n 2 -r 1 --counters clock -o s.exp --suite suite --json >first || [ $? = 1 ]
	interfero compare s.exp --json >again || [ $? = 1 ]
	jq '.comparisons | map({name, command, verdict, p})' first >a
	jq '.comparisons | map({name, command, verdict, p})' again >b
	[ "$(jq length a)" = 2 ]
	cmp a b
	refuse 2 'no program' -- interfero compare t.exp
}

@test "a command that fails is an error of the suite, the others are compared" {
	printf 'good: again\nbad: fail\n' >suite
	run --separate-stderr within 120 interfero compare ./subject ./other -n 2 -r 2 --counters clock -o s --suite suite --junit j.xml
	[ "$status" = 3 ] || [ "$status" = 1 ]
	grep -q 'Not compared:' <<<"$output"
	grep -q 'errors="1"' j.xml
}

@test "functions that both programs have lie at equal addresses in a pair of layouts" {
	for n in $(seq 20); do
		echo "__attribute__((noinline)) int f$n(int x) { volatile int y = x * $n + 1 MORE$n; return y; }"
	done >many.c
	sed -i '1i #include <stdlib.h>' many.c
	{ echo 'int main(void) { int s = 0;'; for n in $(seq 20); do echo "s = f$n(s);"; done; echo 'return s == 7; }'; } >>many.c
	none=$(printf -- '-DMORE%d= ' $(seq 20))
	# shellcheck disable=SC2086
	interfero-gcc -O2 $none many.c -o short
	# shellcheck disable=SC2086
	interfero-gcc -O2 ${none/-DMORE7=/-DMORE7='+x%5*x/9;if(__builtin_expect(x==-77777,0))abort();return~x'} many.c -o long
	within 60 interfero compare -q -c clock -n 2 -r 1 -o m.exp ./short ./long || [ $? = 1 ]
	for side in 0 1; do
		program=$([ $side = 0 ] && echo ./short || echo ./long)
		sql m.exp "SELECT plan FROM variant WHERE layout = 2 AND program = $side" >$side.plan
		cp $side.plan $side.matched.plan
		for plan in matched start room last; do
			[ $plan = matched ] || sed "/^$plan /d" $side.plan >$side.$plan.plan
			interfero variants -q --plan $side.$plan.plan -o v$side-$plan "$program"
			nm --defined-only "$(find v$side-$plan -type f -perm -1)" | sed -n 's/^\(.*\) [tT] \(f[0-9]*\|main\)$/\2 \1/p' |
				sort >$side.$plan
		done
	done
	[ "$(wc -l <0.matched)" = 21 ]
	diff 0.matched 1.matched
	# The call of abort makes what lies before the code longer, f7 is longer, and a part of it is a function of its own.
	for line in start room last; do
		grep -q "^$line " 1.plan
		not diff 0.$line 1.$line >apart
	done
	interfero compare m.exp >text || [ $? = 1 ]
	tr -s ' \n' ' ' <text | grep -q 'with their common functions at equal addresses'
}

@test "folders of variants are compared by the names that both have" {
	interfero variants -q -n 3 -o v ./subject
	interfero variants -q -n 4 -o w ./other
	run within 60 interfero compare v w -r 2 --counters clock -o f.exp -- again
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[ "$(sql f.exp 'SELECT count(*) FROM variant')" = 6 ]
	tr -s ' \n' ' ' <<<"$output" | grep -q '3 random layouts of both'
	mkdir empty
	refuse 2 'same names' -- interfero compare v empty
}

@test "two experiments: compared, with a warning that they ran apart" {
	within 60 interfero bench -q -n 3 -r 2 --counters clock -o a.exp -- ./subject again
	within 60 interfero bench -q -n 3 -r 2 --counters clock -o b.exp -- ./other again
	run interfero compare a.exp b.exp
	[ "$status" = 0 ] || [ "$status" = 1 ]
	tr -s ' \n' ' ' <<<"$output" | grep -q 'did not run interleaved'
	refuse 2 'not run again' -- interfero compare a.exp b.exp -- again
	refuse 2 'one program' -- interfero compare a.exp
	refuse 2 'comparison already' -- interfero compare a.exp "$place/both.exp"
}

@test "planned looks: ended where a change is clear, with a wider interval, and reported again alike" {
	need jq
	interfero-gcc -O1 -falign-functions=16 -DQUICK=1 "$programs/work.c" -o quick
	interfero-gcc -O1 -falign-functions=16 -DQUICK=0 "$programs/work.c" -o slow
	run -1 --separate-stderr within 120 interfero compare ./quick ./slow -n 16 -r 2 --interim 2 --counters clock -m page-faults --axes functions -o l.exp --json
	jq -e '.comparisons[0] | .verdict == "change" or .verdict == "both"' <<<"$output"
	jq -e '.comparisons[0].result | .new_layouts == 8 and .ratio > 1.5 and .interval.confidence > 0.99' <<<"$output"
	[ "$(sql l.exp 'SELECT count(*) FROM variant')" = 18 ]
	run -1 interfero compare l.exp -m page-faults --json
	jq -e '.comparisons[0].result.interval.confidence > 0.99' <<<"$output"
	# A program against itself goes on, or is given up; never more layouts than planned.
	run -0 --separate-stderr within 120 interfero compare ./quick ./quick -n 16 -r 2 --interim 2 --counters clock -m page-faults --axes functions -o m.exp --json --fail-above 900%
	jq -e '.comparisons[0].result.new_layouts <= 16' <<<"$output"
	printf 'a: 1\n' >suite
	refuse 2 'choose one' -- interfero compare ./quick ./slow --suite suite --interim 2
}

@test "the same objects linked in another order: the verdict is a layout effect" {
	need jq
	interfero-gcc -O1 -falign-functions=16 -c "$programs/placed.c"
	echo 'int pad(int value) { return value; }' >pad.c
	interfero-gcc -O1 -falign-functions=16 -c pad.c
	interfero-gcc placed.o pad.o -o lucky
	interfero-gcc pad.o placed.o -o unlucky
	run --separate-stderr within 120 interfero compare ./lucky ./unlucky -n 8 -r 3 --counters clock -m page-faults --axes functions,padding -o u.exp --json
	[ "$status" = 0 ]
	# Another quarter of the line, so more or less to do; whichever it is.
	jq -e '.comparisons[0].verdict == "layout"' <<<"$output"
	jq -e '.comparisons[0].result | .layout_effect > 1.2 or .layout_effect < 0.8' <<<"$output"
	jq -e '.comparisons[0].result | .ratio > 0.99 and .ratio < 1.01' <<<"$output"
}

@test "bad command lines" {
	refuse 2 'which programs' -- interfero compare
	refuse 2 'with what' -- interfero compare ./subject
	refuse 2 'both programs' -- interfero compare ./subject "$place/both.exp"
	refuse 2 'fail-above' -- interfero compare ./subject ./other --fail-above much
	refuse 2 'no program' -- interfero compare ./subject ./nowhere
	printf 'a: 1\n' >suite
	refuse 2 'stand in the file' -- interfero compare ./subject ./other --suite suite -- 1
	printf 'no colon\n' >suite
	refuse 2 'suite:1' -- interfero compare ./subject ./other --suite suite
}
