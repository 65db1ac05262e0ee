#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero bench and interfero report on a program that behaves.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
	# One small experiment that the tests of the report share.
	within 60 interfero bench --counters clock -n 4 -r 5 -o small.exp -- ./subject sleep 1 >small.text 2>small.errors
	echo $? >small.status
}

setup() {
	use_own_folder
	ln -s ../subject subject
}

teardown_file() {
	drop_own_kits
}

# A JSON document on standard input is one, and the path in it (in jq's words) has this value.
json_has() {
	if command -v jq >/dev/null; then
		[ "$(jq -r "$1")" = "$2" ]
	elif command -v python3 >/dev/null && python3 -c 'import json' 2>/dev/null; then
		python3 -c 'import json, sys
value = json.load(sys.stdin)
for word in sys.argv[1].strip(".").split("."):
    value = len(value) if word == "length" else value[int(word) if word.isdigit() else word]
sys.exit(str(value) != sys.argv[2])' "${1// | length/.length}" "$2"
	else
		grep -q '"schema_version": 3'
	fi
}

@test "bench measures, reports and says nothing in a pipe" {
	[ "$(cat "$place/small.status")" = 0 ]
	[ ! -s "$place/small.errors" ]
	[ -s "$place/small.exp" ]
	[ ! -e "$place/small.exp.variants" ]
	grep -q v00001 "$place/small.text"
	[ "$(sql "$place/small.exp" "SELECT value FROM fact WHERE name='complete'")" = yes ]
	# The layout that ships and four others, five runs each.
	[ "$(sql "$place/small.exp" 'SELECT count(DISTINCT variant), count(DISTINCT repetition) FROM run')" = "5|5" ]
	planned=$(sql "$place/small.exp" 'SELECT 25 * (max(pass) + 1) FROM run')
	[ "$(sql "$place/small.exp" 'SELECT count(*) FROM run WHERE NOT twin')" = "$planned" ]
	[ "$(sql "$place/small.exp" 'SELECT count(*) FROM (SELECT DISTINCT variant, repetition, pass FROM run)')" = "$planned" ]
	[ "$(sql "$place/small.exp" 'SELECT count(*) FROM run WHERE id NOT IN (SELECT run FROM sample)')" = 0 ]
}

@test "reports name programs as the user did, so that commands can be pasted" {
	cd "$place"
	grep -q '^Layouts of ./subject$' small.text
	grep -qE -- '^ +-o DIR ./subject$' small.text
	interfero report --html "$here/page.html" small.exp >"$here/text"
	not grep -F "$place/subject" small.text "$here/text" "$here/page.html"
	# An experiment of before has the path alone.
	cp small.exp "$here/before.exp"
	sql "$here/before.exp" "DELETE FROM fact WHERE name = 'program name'"
	interfero report "$here/before.exp" | grep -q "^Layouts of $place/subject$"
}

@test "the command that bench prints continues its experiment" {
	cd "$place"
	command=$(awk '/^  Next: measure more layouts, 20 in all/ { on = 1; next } /^$/ { on = 0 } on' small.text)
	[[ $command == *" -n 20 "* ]]
	before=$(sql small.exp 'SELECT count(*), max(started_ns) FROM run')
	eval "${command/-n 20/-n 4}" >continued.text
	cmp small.text continued.text
	[ "$(sql small.exp 'SELECT count(*), max(started_ns) FROM run')" = "$before" ]
}

@test "bench samples the shipped layout, where the kernel lets it, and keeps where units lie" {
	profile=$(sql "$place/small.exp" "SELECT value FROM fact WHERE name='profile'")
	[[ $profile == "none: "* || $profile == *" samples of cpu-clock" ]]
	[ "$(sql "$place/small.exp" 'SELECT sum(samples) FROM unit')" = "$([[ $profile == none:* ]] && echo 0 || echo "${profile%% *}")" ]
	# A place in each of the five layouts; the shipped layout's as the program's own symbols say.
	[ "$(sql "$place/small.exp" "SELECT count(*) FROM place WHERE unit = (SELECT id FROM unit WHERE name LIKE '%main' LIMIT 1)")" = 5 ]
	main=$(nm "$place/subject" | awk '$3 == "main" { print $1 }')
	[ "$(sql "$place/small.exp" "SELECT address FROM place JOIN unit ON unit.id = unit WHERE name LIKE '%.main' AND variant = 0")" = $((16#$main)) ]
	cd "$place"
	interfero bench --no-profile --counters clock -n 1 -r 1 -o without.exp -- ./subject sleep 0 >without.text
	[ "$(sql without.exp "SELECT count(*) FROM fact WHERE name='profile'")" = 0 ]
	run ! grep -q cpu-clock without.text
}

@test "report as text: what bench said, no line over 80 columns" {
	cd "$place"
	interfero report small.exp >again.text 2>errors
	cmp small.text again.text
	[ ! -s errors ]
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' again.text
	not grep -q "$(printf '\033')" again.text
}

@test "the text says what it measured, with the seed that repeats it" {
	text=$(tr -s ' \n' '  ' <"$place/small.text")
	[[ $text == *"./subject sleep 1"* ]]
	[[ $text == *"Seed: 1"* ]]
	[[ $text == *"$(build_id_of subject)"* ]]
	# The layout that ships stands beside the others.
	[ "$(grep -cE '^>? *[0-9]+  v0000[0-4] ' "$place/small.text")" -eq 5 ]
}

@test "the best layout's plan, as printed, makes that layout" {
	sed -n '/^ *interfero-plan 1/,/^$/p' "$place/small.text" | sed 's/^ *//' >best.plan
	grep -q "^name v0000" best.plan
	name=$(sed -n 's/^name //p' best.plan)
	interfero variants -q -o again --plan best.plan
	interfero variants -q -n 4 -o all ./subject
	cmp "again/$name" "all/$name"
}

@test "report as JSON" {
	interfero report "$place/small.exp" --json >small.json
	json_has .schema_version 3 <small.json
	json_has .tool interfero <small.json
	json_has .facts.command './subject sleep 1' <small.json
	json_has '.variants | length' 5 <small.json
	json_has '.runs | length' "$(sql "$place/small.exp" 'SELECT count(*) FROM run')" <small.json
	# A broken one is seen.
	head -c 2000 small.json >short.json
	if command -v jq >/dev/null || command -v python3 >/dev/null; then
		not json_has .schema_version 3 <short.json 2>/dev/null
	fi
}

@test "report as one HTML page that loads nothing" {
	interfero report "$place/small.exp" --quiet --html small.html >out 2>errors
	[ ! -s out ]
	[ ! -s errors ]
	head -n 1 small.html | grep -qi '^<!doctype html>'
	tail -n 1 small.html | grep -qi '</html>'
	grep -q '<svg' small.html
	not grep -qiE '<(script|link|iframe|object|embed|img|base)\b' small.html
	not grep -qiE '(src|href|action|data|poster)[[:space:]]*=[[:space:]]*["'\'']?(https?:|ftp:|file:|//)' small.html
	not grep -qiE '@import|url\([[:space:]]*["'\'']?(https?:|//)' small.html
}

@test "HTML escapes what the program is called" {
	cp -L subject 'a<b>&"c"'
	run -0 --separate-stderr within 60 interfero bench --counters clock -q -n 2 -r 2 -o odd.exp --html odd.html -- './a<b>&"c"' '<script>'
	[ -z "$stderr" ]
	not grep -q '<script>' odd.html
	not grep -q '<b>&"c"' odd.html
	grep -q '&lt;script&gt;' odd.html
}

@test "figures as SVG, PDF and scripts" {
	need gnuplot
	run -0 --separate-stderr interfero report "$place/small.exp" --quiet --figures figures
	[ -z "$stderr" ]
	for kind in svg pdf gp; do
		[ -n "$(find figures -name "*.$kind" -size +0)" ] || say "no $kind"
	done
	[ "$(find figures -name '*.svg' | wc -l)" -eq "$(find figures -name '*.gp' | wc -l)" ]
	head -c 5 "$(find figures -name '*.pdf' | head -n 1)" | grep -q '%PDF-'
	grep -q '</svg>' "$(find figures -name '*.svg' | head -n 1)"
	# The scripts draw the same figures again.
	(cd figures && for script in *.gp; do gnuplot "$script"; done)
}

@test "--seed repeats: same plans, same files; another seed, others" {
	for name in one two; do
		within 60 interfero bench --counters clock -q -n 3 -r 1 --seed 7 -o $name.exp -- ./subject
	done
	within 60 interfero bench --counters clock -q -n 3 -r 1 --seed 8 -o other.exp -- ./subject
	query='SELECT id, plan, build_id, sha256, facts FROM variant ORDER BY id'
	[ "$(sql one.exp "$query")" = "$(sql two.exp "$query")" ]
	query='SELECT sha256 FROM variant WHERE id > 0 ORDER BY id'
	[ "$(sql one.exp "$query" | head -n 1)" != "$(sql other.exp "$query" | head -n 1)" ]
	# The order of runs, too.
	query='SELECT variant, repetition FROM run ORDER BY id'
	[ "$(sql one.exp "$query")" = "$(sql two.exp "$query")" ]
}

@test "each round runs every layout once, in an order of its own" {
	for round in 0 1 2 3 4; do
		[ "$(sql "$place/small.exp" "SELECT DISTINCT variant FROM run WHERE repetition=$round ORDER BY 1" | tr -d '\n')" = 01234 ]
		sql "$place/small.exp" "SELECT variant FROM run WHERE repetition=$round AND pass=0 AND NOT twin ORDER BY id" | tr -d '\n'
		echo
	done >rounds
	[ "$(sort -u rounds | wc -l)" -ge 3 ]
	# Interleaved: a round is over before the next begins.
	sql "$place/small.exp" 'SELECT repetition FROM run ORDER BY id' >in_order
	sort -n in_order | cmp - in_order
}

# places FILE OPTIONS...: what subject notes of its stack, heap and libraries in each run of five layouts, two rounds.
places() {
	local file=$1
	shift
	within 60 interfero bench --no-profile --counters clock -q -n 4 -r 2 --one-file -o "$file.exp" "$@" -- ./subject places "$here/$file"
}

@test "addresses are the same in every run of a layout" {
	places off --axes stack
	# Two runs to see what the program does, then two rounds.
	[ "$(grep -c '^v00000 ' off)" -eq 4 ]
	for i in 1 2 3 4; do [ "$(grep -c "^v0000$i " off)" -eq 2 ]; done
	[ "$(sort -u off | wc -l)" -eq 5 ]
	# The stack axis moves the stack, and nothing else.
	[ "$(awk '{ print $3 }' off | sort -u | wc -l)" -eq 5 ]
	[ "$(awk '{ print $5, $7 }' off | sort -u | wc -l)" -eq 1 ]
}

@test "--keep-aslr leaves randomization on" {
	[ "$(cat /proc/sys/kernel/randomize_va_space)" = 2 ] || skip "this machine does not randomize"
	places on --axes stack --keep-aslr
	[ "$(sort -u on | wc -l)" -eq 12 ]
}

@test "--stdin, --env, --expect-exit" {
	head -c 1234 /dev/zero >input
	run -0 within 60 interfero bench --counters clock -q -n 2 -r 1 -o stdin.exp --stdin input -- ./subject stdin
	[ "$(sql stdin.exp 'SELECT count(*) FROM run WHERE refused IS NULL')" -ge 3 ]
	run -0 within 60 interfero bench --counters clock -q -n 2 -r 1 -o exit.exp --expect-exit 7 -- ./subject fail
	[ "$(sql exit.exp 'SELECT DISTINCT exit_status FROM run')" = 7 ]
	run -0 within 60 interfero bench --counters clock -q -n 1 -r 1 -o env.exp --env GREETING=hello -- ./subject
	sql env.exp "SELECT value FROM fact WHERE name='environment'" | grep -q 'GREETING=hello'
}

@test "--keep leaves the variants, which are the ones that interfero variants makes" {
	within 60 interfero bench --counters clock -q --keep -n 2 -r 1 -o kept.exp -- ./subject
	interfero variants -q -n 2 -o v ./subject
	for i in 1 2; do
		cmp v/v0000$i kept.exp.variants/v0000$i
		cmp v/v0000$i.plan kept.exp.variants/v0000$i.plan
	done
	cmp subject kept.exp.variants/v00000
}

@test "a finished experiment is not measured again, a larger one goes on" {
	# Every run of the program leaves a line in log; two more are to see what the program does.
	grow() { within 60 interfero bench --no-profile --counters clock -q "$@" --one-file -o grow.exp -- ./subject places "$here/log"; }
	grow -n 2 -r 2
	[ "$(wc -l <log)" -eq 8 ]
	before=$(sql grow.exp 'SELECT * FROM run ORDER BY id')
	grow -n 2 -r 2
	[ "$(wc -l <log)" -eq 8 ]
	[ "$(sql grow.exp 'SELECT * FROM run ORDER BY id')" = "$before" ]
	grow -n 3 -r 3
	[ "$(wc -l <log)" -eq 14 ]
	[ "$(sql grow.exp 'SELECT * FROM run ORDER BY id' | head -n 6)" = "$(head -n 6 <<<"$before")" ]
	[ "$(sql grow.exp 'SELECT count(*) FROM (SELECT DISTINCT variant, repetition FROM run)')" = 12 ]
}

@test "help, version and completions" {
	interfero --help | grep -q bench
	interfero --version | grep -q '^interfero [0-9]'
	for command in bench variants report kit doctor; do
		interfero $command --help | grep -qi usage
		interfero --help | grep -q " $command "
	done
	interfero --completions >completions
	refuse 2 bash zsh fish -- interfero --completions tcsh
	bash -n completions
	grep -q -- --axes completions
}

# Reads a CSV file into a table of its own with Python's reader, and prints what the query says.
query_csv() {
	python3 -c 'import csv, sqlite3, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE t(" + ",".join("\"%s\"" % name for name in rows[0]) + ")")
database.executemany("INSERT INTO t VALUES(" + ",".join("?" * len(rows[0])) + ")", rows[1:])
for row in database.execute(sys.argv[2]):
    print("|".join(str(field) for field in row))' "$@"
}

@test "report --csv has every sample, as another reader reads it" {
	need python3
	cd "$place"
	interfero report --csv small.exp >small.csv
	samples="SELECT v.layout, r.repetition, r.twin, r.copy, c.name, CAST(s.value AS INTEGER) FROM sample s JOIN run r ON r.id = s.run
		JOIN variant v ON v.id = r.variant JOIN counter c ON c.id = s.counter ORDER BY r.id, c.id"
	query_csv small.csv 'SELECT layout, repetition, twin, copy, counter, CAST(value AS INTEGER) FROM t' >read
	sql small.exp "$samples" >stored
	[ -s stored ]
	cmp stored read
	refuse 2 "--csv" -- interfero report --csv --json small.exp
}

@test "report --csv: the stack's bytes are those that the runs had" {
	need python3
	within 60 interfero bench -q -c clock -n 3 -r 1 --axes stack -o stack.exp -- ./subject
	interfero report --csv stack.exp >stack.csv
	query_csv stack.csv 'SELECT DISTINCT layout, "stack:bytes" FROM t WHERE layout + 0 > 0 ORDER BY layout + 0' >read
	sql stack.exp "SELECT layout, CAST(substr(facts, instr(facts, 'stack: ') + 7) AS INTEGER) FROM variant WHERE layout > 0" >stored
	[ "$(wc -l <stored)" -eq 3 ]
	cmp stored read
	[ "$(query_csv stack.csv 'SELECT DISTINCT "stack:bytes" FROM t WHERE layout + 0 = 0')" = 0 ]
}

@test "interfero-experiment(5) names every column and every fact" {
	page="$BATS_TEST_DIRNAME/../../docs/interfero-experiment.md"
	for table in fact warning counter variant run sample simulated; do
		columns=$(grep -m 1 "^| \`$table\` |" "$page" | cut -d'|' -f3 | tr -d ' ' | tr ',' '\n' | sort)
		[ "$columns" = "$(sql "$place/small.exp" "SELECT name FROM pragma_table_info('$table') ORDER BY name")" ] || say "$table: $columns"
	done
	sql "$place/small.exp" "SELECT name FROM fact" | while read -r fact; do
		grep -q "^| .*\`$fact\`" "$page" || say "the page has no \"$fact\""
	done
	interfero report --csv "$place/small.exp" | head -n 1 | tr ',' '\n' | grep -v : | while read -r column; do
		sed -n '/^## CSV/,$p' "$page" | grep -q "^| .*\`$column\`" || say "the page has no column \"$column\""
	done
}

@test "a budget too short for two layouts: the message names one that is enough, and it is" {
	refuse 2 "one run takes 0." "--budget " "s is enough" -- \
		interfero bench -q --counters clock --budget 100ms -o short.exp -- ./subject sleep 150
	[ ! -e short.exp ]
	[[ $stderr =~ --budget\ ([0-9]+)s ]] && enough=${BASH_REMATCH[1]}
	[ "$enough" -ge 1 ] && [ "$enough" -lt 60 ]
	need_full_depth # seconds; the arithmetic is tested in tests/unit/test_budget.c
	within 60 interfero bench -q --counters clock --budget "${enough}s" -o enough.exp -- ./subject sleep 150
	[ "$(sql enough.exp 'SELECT count(DISTINCT layout) FROM run JOIN variant ON variant.id = variant WHERE layout > 0')" -ge 2 ]
}
