#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero misses: programs whose misses, and the context that tells them, are known by arithmetic; counts of replay and of
# cachegrind.

load ../helpers
load ../record

# Exact LRU, so that arithmetic is easy.
lru=(--machine cachegrind --cache 32K:8:64)

cases="$BATS_TEST_DIRNAME/../../examples/studies/correlation-profiling"

# build NAME [FLAGS...]
build() {
	gcc -O1 -g -nostdlib -static -no-pie -fno-optimize-sibling-calls -fno-tree-loop-distribute-patterns -fcf-protection=none \
		"${@:2}" -o "$1" "$cases/$1.c"
}

setup_file() {
	use_own_kits
	local name
	for name in tree compare buckets phases; do
		build $name
		within 60 interfero record -q -o $name.trace -- ./$name >/dev/null
	done
}

setup() {
	use_own_folder
	cp ../*.trace .
}

teardown_file() {
	drop_own_kits
}

# misses ARGS...: the JSON in result.
misses() {
	within 60 interfero misses --json "$@" >result
}

# marked NAME MARK: the load of a program's marked line, as "function (file:line)".
marked() {
	local line
	line=$(grep -n "/\* $2 \*/" "$cases/$1.c" | cut -d : -f 1)
	jq -r '.loads[].code' result | grep -F "($1.c:$line)" | head -n 1
}

# profile NAME MARK: the profile of that load alone, in profile.
profile() {
	jq --arg code "$(marked "$1" "$2")" '[.profiled[] | select(.code == $code)] | if length == 1 then .[0] else error("not one") end' \
		result >profile
}

# 4 traversals of 32,767 nodes, two a line: the first of each line misses, 4 · 16,384 times, but for the root of the first
# traversal, whose line the last store of the tree's making has just touched. The outcomes alternate, in that order, so after
# a hit always a miss comes (the root's neighbour after the first hit is a hit, too), after a miss a hit but at the end of a
# traversal, where node 32,766 and then the root miss.
@test "a tree in preorder: self tells, with one outcome" {
	misses "${lru[@]}" tree.trace
	profile tree LOAD
	[ "$(jq -c '[.references, .misses, .best, .self.best_length]' profile)" = '[131068,65535,"self",1]' ]
	# After hits: 65,533 hits and the beginning, less the last; two hits follow a hit. After misses 3 misses.
	jq -c '[.contexts[] | [.after, .references, .misses]]' profile >contexts
	[ "$(cat contexts)" = '[["h",65534,65532],["m",65534,3]]' ] || say "$(cat contexts)"
	[ "$(jq -c '[.self.lengths[0] | .contexts, .hit_as_miss, .miss_as_hit]' profile)" = '[2,2,3]' ]
	# The last 128 blocks do not know whether the traversal is at an odd node.
	[ "$(jq '[."control flow".lengths[].left_out.cycles] | min' profile)" -ge "$(jq '.summary.cycles * 0.99 | floor' profile)" ]
}

@test "a load that two calls reach: control flow tells, with one block" {
	misses "${lru[@]}" compare.trace
	# The first calls of either kind miss; so do all further ones of the second kind.
	second=$(python3 -c '
state = count = 0
state = 1
for i in range(50000):
    state = (state * 1103515245 + 12345) % 2**32
    count += not state >> 31
print(count)')
	profile compare LOAD
	[ "$(jq -c '[.references, .misses, .best, ."control flow".best_length]' profile)" = "[50000,$((second + 1)),\"control flow\",1]" ]
	for kind in self global; do
		[ "$(jq "[.\"$kind\".lengths[].left_out.cycles] | min" profile)" -ge "$(jq '.summary.cycles * 0.99 | floor' profile)" ]
	done
	# One path misses always but where the load's block is entered first; the other never but once.
	[ "$(jq '."control flow".lengths[0].miss_as_hit' profile)" -le 1 ]
	[ "$(jq -c '[.contexts[].after]' profile)" != '["",""]' ]
	[ "$(jq '[.contexts[] | select(.after | test("compare.c:2[0-9]"))] | length' profile)" -eq 2 ]
}

@test "buckets of a hash table: the head's miss tells the entry's, globally" {
	misses "${lru[@]}" buckets.trace
	profile buckets LOAD
	fresh=$(python3 -c '
state = 1
count = 0
for i in range(50000):
    state = (state * 1103515245 + 12345) % 2**32
    count += state >> 31
print(count)')
	# Each fresh bucket, and the old one once.
	[ "$(jq -c '[.references, .misses, .best, .global.best_length]' profile)" = "[50000,$((fresh + 1)),\"global\",1]" ]
	[ "$(jq -c '.global.lengths[0] | [.contexts, .hit_as_miss, .miss_as_hit, .bins[0], .bins[9]]' profile)" = \
		"[2,0,0,$((50000 - fresh - 1)),$((fresh + 1))]" ]
	profile buckets HEAD
	[ "$(jq -r .best profile)" = summary ]
}

# 256 lines miss when the list is made and hit in the three rounds after.
@test "a list that is made and used: control flow tells the phase" {
	misses "${lru[@]}" --latency 20 phases.trace
	profile phases LOAD
	[ "$(jq -c '[.references, .misses, .best, ."control flow".best_length]' profile)" = '[1024,256,"control flow",1]' ]
	# V / L is 2 / 20: by the ratio, all are tolerated, 1,024 · 2 cycles; where the call tells, 256 · 2. One outcome of the
	# load is wrong twice, at the beginning of either phase: 255 misses and one hit tolerated, and a stall.
	[ "$(jq -c '[.summary.cycles, ."control flow".lengths[0].cycles, .self.lengths[0].cycles]' profile)" = '[2048,512,532]' ]
	[ "$(jq -c '.schemes["control flow"].time | [.useful_overhead, .wasted_overhead, .stalls]' result)" = '[512,0,0]' ]
	[ "$(jq -c '.schemes.summary.time | [.useful_overhead, .wasted_overhead, .stalls, .other_stalls]' result)" = '[512,1536,0,0]' ]
	# Figure 5: at V = 0 nothing costs anything; at V = L nothing is tolerated, by ratios below 1.
	[ "$(jq -c '.curve[0] | [.never, .always, .ideal, .summary, .self]' result)" = '[5,0,0,0,0]' ]
	[ "$(jq -c '.curve[20] | [.never, .always, .ideal, .summary]' result)" = '[5,20,5,5]' ]
}

# The counters in result are those in replayed.
same_counters() {
	[ "$(jq -c --slurpfile all replayed '[.totals.counters | to_entries[] | .value == $all[0][.key]] | [all, length]' result)" = \
		'[true,11]' ]
}

@test "counts are those of replay, in any layout, and a program's are those of its trace" {
	for spec in "tree skylake" "buckets zen4,l1d.bytes=4096,l1d.ways=2" "compare fields2004"; do
		read -r name machine <<<"$spec"
		misses --machine "$machine" $name.trace
		interfero replay --json --machine "$machine" $name.trace | jq -S '.layouts[0].counters' >replayed
		same_counters
		[ "$(jq '.totals.lines_of_loads[0]' result)" = "$(jq '."L1-dcache-load-misses"' replayed)" ]
		[ "$(jq '[.loads[].lines[0]] | add' result)" = "$(jq '."L1-dcache-load-misses"' replayed)" ]
		[ "$(jq '.totals.lines_of_loads[1] + .totals.lines_of_stores[1] + .totals.lines_of_fetches[1]' result)" = \
			"$(jq '."l2-misses"' replayed)" ]
	done
	printf 'interfero-plan 1\nstack bytes=2048\n' >moved.plan
	misses --plan moved.plan tree.trace
	interfero replay --json --plan moved.plan tree.trace | jq -S '.layouts[0].counters' >replayed
	same_counters
	misses phases.trace
	jq 'del(.trace, .recording)' result >of_trace
	misses -- ../phases
	jq 'del(.trace, .recording)' result | diff of_trace -
}

# D1mr and DLmr of each line of a file, of cachegrind; and Dr in all.
@test "misses of each line are cachegrind's" {
	need valgrind
	for name in tree compare buckets phases; do
		within 120 valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=8192,2,64 --LL=131072,16,64 \
			--cachegrind-out-file=cg ../$name 2>log || say "$(cat log)"
		misses --machine cachegrind,l1i.bytes=32768,l1i.ways=8,l2.bytes=131072,l2.ways=16 --cache 8K:2:64 --loads 1000 $name.trace
		python3 - <<-'END' || say "$name"
			import collections, json, re
			theirs, file, events, total = collections.Counter(), "", [], 0
			for line in open("cg"):
			    if line.startswith("events:"):
			        events = line.split()[1:]
			    elif line.startswith(("fl=", "fi=", "fe=")):
			        file = line.strip()[3:].rsplit("/", 1)[-1]
			    elif line[0].isdigit():
			        number, *counts = map(int, line.split())
			        row = dict(zip(events, counts))
			        total += row["Dr"]
			        if row["D1mr"]:
			            theirs[file, number] += row["D1mr"] + 1j * row["DLmr"]
			ours, result = collections.Counter(), json.load(open("result"))
			for load in result["loads"]:
			    file, number = re.search(r"\((.*):(\d+)\)", load["code"]).groups()
			    ours[file, int(number)] += load["misses"][0] + 1j * load["misses"][1]
			assert ours == theirs and ours, (ours, theirs)
			assert result["totals"]["references"] == total, total
		END
	done
}

# Each further round takes as many cycles as the load stalls retirement: nothing else does.
@test "cycles that a load stalls are those by which more of it take longer" {
	build chase
	mv chase short
	build chase -DROUNDS=4
	for name in short chase; do
		misses --core=full -- ./$name
		jq -r '[.totals.counters.cycles, .loads[0].stall_cycles, ([.loads[].stall_cycles] | add)] | @tsv' result
	done >cycles
	awk 'NR == 1 { cycles = $1; stalls = $2 } { if ($3 > $1) exit 1 }
		NR == 2 { more = $1 - cycles; if (more < 131072 * 38 || ($2 - stalls) / more < 0.999 || ($2 - stalls) / more > 1.001) exit 1 }' cycles ||
		say "$(cat cycles)"
	misses -- ./short
	[ "$(jq '.loads[0].stall_cycles' result)" = null ]
	# Samples estimate the same: so many cycles for each of 24 · 65,536 links.
	build chase -DROUNDS=24
	misses --core=sampled -- ./chase
	awk -v sampled="$(jq '.loads[0].stall_cycles' result)" 'NR == 1 { stalls = $2 }
		NR == 2 { link = ($2 - stalls) / 131072; if (sampled / (24 * 65536 * link) < 0.99 || sampled / (24 * 65536 * link) > 1.01) exit 1 }' \
		cycles || say "$(cat cycles)"
}

@test "the geometry of any level can be given" {
	misses "${lru[@]}" tree.trace
	[ "$(jq -c .cache result)" = '{"level":"L1D","bytes":32768,"ways":8,"line_bytes":64}' ]
	# Two nodes a line of 64 bytes, one a line of 32, four a line of 128.
	misses --machine cachegrind --cache 32K:8:32 --ratios 0:100 tree.trace
	profile tree LOAD
	[ "$(jq .misses profile)" -ge $((131068 - 32)) ]
	misses --machine cachegrind --cache 32K:8:128 tree.trace
	profile tree LOAD
	[ "$(jq .misses profile)" -ge $((131068 / 4 - 32)) ]
	[ "$(jq .misses profile)" -le $((131068 / 4 + 4)) ]
	# The second level has the whole tree but for the first time.
	misses --machine cachegrind --level l2 --cache 2M:16:64 tree.trace
	[ "$(jq -c '[.cache.level, .cache.bytes]' result)" = '["L2",2097152]' ]
	[ "$(jq '[.loads[].misses[1]] | add' result)" -lt 40 ]
}

@test "the text tells the same, in 80 columns" {
	interfero misses "${lru[@]}" tree.trace >text
	[ "$(awk 'length > 80' text)" = "" ]
	[[ $(head -n 1 text) == "1 load misses now and then, with "* ]]
	grep -q '^       65535  99.7%  50.0%  50.0%  visit (tree.c:[0-9]*): nodes$' text
	grep -q '^visit (tree.c:[0-9]*): 50.0% of 131068 references miss. Best: self, N = 1.$' text
	grep -q '^  self  *1  *2  *2  *3 ' text
	grep -q 'miss after a hit$' text
	# Half of the references miss: at V / L = 0.3 of 100 cycles, all are tolerated without contexts, half of them with;
	# at 0.7, none and half.
	interfero misses "${lru[@]}" --latency 100 tree.trace >text
	grep -q '^  summary  *5.00 * 10.00 * 20.00 * 30.00 * 50.00 * 50.00 * 50.00$' text
	grep -q '^  self  *2.50 * 5.00 * 10.00 * 15.00 * 25.00 * 35.00 * 45.00$' text
	interfero misses "${lru[@]}" --core=none buckets.trace >text
	[ "$(awk 'length > 80' text)" = "" ]
	grep -q '^All 2 together:$' text
	interfero misses --cache 64M:8:64 --machine cachegrind phases.trace >text
	[[ $(head -n 1 text) == "1 load misses now and then"* ]]
	interfero misses "${lru[@]}" --ratios 60:70 phases.trace >text
	[[ $(head -n 1 text) == "Of the loads with the most misses of the L1D, none misses now and then"* ]]
}

@test "memory for contexts is bounded, and what does not fit is told" {
	misses "${lru[@]}" --memory 200k --contexts 1,2,100 compare.trace
	profile compare LOAD
	[ "$(jq -c '[."control flow".lengths[] | .too_many]' profile)" = '[false,false,true]' ]
	[ "$(jq -r '."control flow".lengths[2].contexts' profile)" = null ]
	[ "$(jq -r .best profile)" = "control flow" ]
}

@test "wrong options and damaged traces are refused" {
	refuse 2 "which program or trace" -- interfero misses
	refuse 2 "not both" -- interfero misses tree.trace -- ../tree
	refuse 2 "one trace at a time" -- interfero misses tree.trace compare.trace
	refuse 2 "l1d, l2 or l3" l4 -- interfero misses --level l4 tree.trace
	refuse 2 "SIZE:WAYS:LINE" -- interfero misses --cache 32K:8 tree.trace
	refuse 2 "SIZE:WAYS:LINE" -- interfero misses --cache 32K:8:64:1 tree.trace
	refuse 2 "SIZE:WAYS:LINE" -- interfero misses --cache -1:8:64 tree.trace
	refuse 2 "ways" -- interfero misses --cache 32K:7:64 tree.trace
	refuse 2 "level" -- interfero misses --machine cachegrind --level l3 tree.trace
	refuse 2 "--contexts" -- interfero misses --contexts 4,2 tree.trace
	refuse 2 "--contexts" -- interfero misses --contexts 129 tree.trace
	refuse 2 "--contexts" -- interfero misses --contexts 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 tree.trace
	refuse 2 "--ratios" -- interfero misses --ratios 90:10 tree.trace
	refuse 2 "--latency" -- interfero misses --latency 0 tree.trace
	refuse 2 "--overhead" -- interfero misses --overhead nan tree.trace
	refuse 2 "--stdin" -- interfero misses --stdin x tree.trace
	refuse 2 "core" -- interfero misses --machine cachegrind --core tree.trace
	refuse 2 nowhere -- interfero misses nowhere
	refuse 2 nowhere -- interfero misses -- ./nowhere
	echo text >text.trace
	refuse 2 text.trace -- interfero misses text.trace
	printf 'interfero-plan 1\nfunctions seed=1\n' >kit.plan
	refuse 2 kit -- interfero misses --plan kit.plan tree.trace
	head -c $(($(stat -c %s tree.trace) - 100)) tree.trace >cut.trace
	run -3 --separate-stderr interfero misses --json cut.trace
	[[ $stderr == *"only the part before the damage"* ]]
	[ "$(jq -r .damage <<<"$output")" != null ]
}

@test "a program that was built again since it was recorded is told, not named by other code" {
	build tree
	within 60 interfero record -q -o tree.trace -- ./tree >/dev/null
	misses "${lru[@]}" tree.trace 2>said
	[ ! -s said ]
	grep -q 'tree.c:' result
	build tree -Wl,--build-id=0x01
	misses "${lru[@]}" tree.trace 2>said
	[ "$(tr -s ' \n' ' ' <said)" = "interfero: $PWD/tree was built again since it was recorded: its functions and lines are not named; record it again, or put the old one back " ]
	not grep -q 'tree.c:' result
	refuse 2 "built again" -- interfero misses --advise tree.trace
}

@test "a program that fails is profiled, and its status is told" {
	printf '#include <stdlib.h>\nint main(void) { return 7; }\n' >fails.c
	gcc -o fails fails.c
	run -3 --separate-stderr interfero misses --json -- ./fails
	[[ $stderr == *"status 7"* ]]
	[ "$(jq '.totals.references > 0' <<<"$output")" = true ]
}

# A cache of one way: k of 32 lines of a table and of the stack displace one another in each of 1000 rounds, and 32 - k
# do with the stack moved by half the cache. Other lines of the table miss once, those of the stack are there already. So
# the table has 32 * 1000 + 32 misses in both together.
@test "misses of placement: what goes away in another layout, by the names of what meets in sets" {
	local first here there loads='.loads[] | select(.code and (.code | startswith("sum (")))'
	local one=(--machine cachegrind --cache 4K:1:64 --contexts 1 --latency 20)
	gcc -O1 -g "$programs/displaced.c" -o displaced
	within 60 interfero record -q -o displaced.trace -- ./displaced
	for first in 0 1024; do
		printf 'interfero-plan 1\nstack bytes=%d\n' $first >here.plan
		printf 'interfero-plan 1\nstack bytes=%d\n' $((first + 2048)) >there.plan
		interfero misses "${one[@]}" --plan here.plan --against there.plan --json displaced.trace >result
		here=$(jq .totals.misses result) there=$(jq .against.misses result)
		[ $((here - there)) -lt 5000 ] && [ $((there - here)) -lt 5000 ] || break
	done
	[ "$(jq "$loads | select(.data == \"table\") | .misses[0] + .misses_against" result)" = 32032 ] ||
		say "$(jq -c "[$loads]" result)"
	[ "$(jq "$loads | select(.data == \"stack\") | .misses[0] + .misses_against | . > 31900 and . < 32032" result)" = true ]
	if [ "$here" -lt "$there" ]; then
		mv here.plan moved.plan && mv there.plan here.plan && mv moved.plan there.plan
		interfero misses "${one[@]}" --plan here.plan --against there.plan --json displaced.trace >result
	fi
	[ "$(jq '[.against.conflicts[] | select((.names | map(split(" in ")[0]) | sort) == ["stack", "table"])] | length' result)" \
		-ge 1 ] || say "$(jq -c .against result)"
	# The other layout alone, and the text.
	interfero misses "${one[@]}" --plan there.plan --json displaced.trace >moved
	[ "$(jq .against.misses result)" = "$(jq .totals.misses moved)" ] || say "$(jq -c .totals moved)"
	[ "$(jq .against moved)" = null ]
	interfero misses "${one[@]}" --plan here.plan --against there.plan displaced.trace >text
	grep -Eq '^ +[0-9]+ +[0-9]+  sum \(displaced.c:[0-9]+\)$' text
	refuse 2 missing.plan -- interfero misses --against missing.plan displaced.trace
}

# Every second node misses: by its ratio alone 50 % of the references are hits that are taken for misses (figure 6).
@test "figures: what each scheme mispredicts, and the parts of the run's time" {
	misses "${lru[@]}" --latency 20 --figures drawn tree.trace
	local figure
	for figure in ratios mispredicted time; do
		grep -q '<svg' "drawn/$figure.svg"
		grep -q '^"best of each load" ' "drawn/$figure.gp"
		grep -q '>best of each load<' "drawn/$figure.svg"
	done
	[ "$(grep '^"summary"' drawn/mispredicted.gp)" = '"summary" 100 0' ]
	awk '$1 == "\"self\"" { found = 1; if ($2 + $3 > 1) exit 1 } END { exit !found }' drawn/mispredicted.gp
	refuse 2 ratios -- interfero misses --ratios 99:100 --figures drawn tree.trace
}

# The page of a file whose name is markup: it has the values of the text, the columns of each figure, and nothing to load.
@test "the page has the tables and the paper's figures, and escapes names" {
	need python3
	mkdir sources
	cp "$cases"/start.h sources
	cp "$cases"/compare.c 'sources/<b>&"x.c'
	gcc -O1 -g -nostdlib -static -no-pie -fno-optimize-sibling-calls -fcf-protection=none -o 'sources/<i>&"x' 'sources/<b>&"x.c'
	within 60 interfero record -q -o '<i>&"x.trace' -- 'sources/<i>&"x' >/dev/null
	misses "${lru[@]}" '<i>&"x.trace'
	interfero misses "${lru[@]}" --html page.html '<i>&"x.trace' >text
	interfero misses "${lru[@]}" '<i>&"x.trace' | diff text -
	python3 - page.html result <<-'END' || say "$(head -c 3000 page.html)"
		import json, re, sys
		from html.parser import HTMLParser
		page, result = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))
		opened, tables, titles, lines, captions = [], {}, {}, {}, []
		class Parser(HTMLParser):
		    table = figure = None
		    def handle_starttag(self, tag, attributes):
		        attributes = dict(attributes)
		        assert not {"src", "href"} & set(attributes) and tag not in ("script", "link", "img", "b", "i"), tag
		        if tag not in ("meta", "br"): opened.append(tag)
		        if tag == "table": self.table = tables.setdefault(attributes.get("id"), [])
		        if tag == "tr": self.table.append([])
		        if tag in ("td", "th"): self.table[-1].append("")
		        if tag == "figure": self.figure = attributes["id"]
		        if tag == "path" and "stroke-width" in attributes: lines[attributes["d"]] = attributes
		    def handle_endtag(self, tag):
		        assert opened.pop() == tag, tag
		    def handle_startendtag(self, tag, attributes):
		        self.handle_starttag(tag, attributes), opened.pop()
		    def handle_data(self, data):
		        if opened and opened[-1] in ("td", "th"): self.table[-1][-1] += data
		        if opened and opened[-1] == "title" and self.figure: titles.setdefault(self.figure, []).append(data)
		        if opened and opened[-1] == "figcaption": captions.append(data)
		Parser().feed(page)
		assert not opened and "http" not in page, opened
		assert "<title>Loads that miss: &lt;i&gt;&amp;&quot;x.trace</title>" in page
		# The load, its misses, and the kind of context that tells them.
		load, = result["profiled"]
		assert "<b>&\"x.c:" in load["code"]
		assert [load["code"], str(load["misses"])] == tables["loads"][1][:2], tables["loads"]
		assert tables["contexts"][1][:5] == [load["code"], "50000", "%.1f" % (load["misses"] / 500), "control flow", "1"], tables["contexts"]
		assert [row[0] for row in tables["schemes"][1:]] == ["summary", "control flow", "self", "global", "best of each load",
		    "never tolerated", "always tolerated", "ideal"]
		assert [row[1] for row in tables["prefetches"][1:]] and "called by" in tables["prefetches"][1][1], tables["prefetches"]
		# Figures: the values of the columns are those of JSON, by scheme.
		values = {name: dict(re.fullmatch(r"(.*): ([0-9.]+) %", title).groups() for title in titles[name])
		    for name in ("mispredicted", "time")}
		wrong = {name: scheme["hit_as_miss"] + scheme["miss_as_hit"] for name, scheme in result["schemes"].items()}
		for name, scheme in result["schemes"].items():
		    drawn = sum(float(values["mispredicted"][name + ", " + part]) for part in ("hit as miss", "miss as hit"))
		    assert abs(drawn - 100 * wrong[name] / wrong["summary"]) < 0.11, (name, drawn)
		ratios = [float(re.search(r": ([0-9.]+) %", title)[1]) for title in titles["ratios"]]
		assert len(ratios) == 50 and abs(sum(ratios) - 500) < 1, ratios
		assert len(values["time"]) == 25 and len([title for title in titles["cycles"]]) == 8, titles["cycles"]
		for figure in ("figure 9a.", "figure 6.", "figures 5 and 9b.", "figure 7."):
		    assert [caption for caption in captions if caption.endswith("Mowry and Luk 1997, " + figure)], captions
	END
	# Without contexts the page has the loads and the advice. A file that cannot be written is named.
	misses "${lru[@]}" --ratios 99:100 --html page.html phases.trace
	grep -q 'id="loads"' page.html
	! grep -q '<figure' page.html || false
	refuse 4 "--html" nowhere -- interfero misses --html nowhere/page.html tree.trace
	# With advice, that of the options.
	interfero misses "${lru[@]}" --advise --latency 3 --html page.html compare.trace >text
	grep -q '1 load is worth a prefetch' text
	grep -q '1 load is worth a prefetch' page.html
}

@test "with --objects, objects whose loads miss are named by the line that allocated them" {
	# Two lists of as many nodes, each node in lines of its own.
	cat >lists.c <<-'END'
		#include <stdlib.h>
		struct node { struct node *next; long v; char rest[112]; };
		static struct node *add(struct node *next, size_t bytes) {
			struct node *node = malloc(bytes);
			*node = (struct node){next, 1};
			return node;
		}
		int main(void) {
			struct node *list = NULL;
			long sum = 0;
			for (int i = 0; i < 4000; i++)
				list = add(list, sizeof *list);
			for (struct node *node = list; node; node = node->next)
				sum += node->v;
			return sum != 4000;
		}
	END
	gcc -O1 -g -fno-inline -o lists lists.c
	within 60 interfero misses --json --objects "${lru[@]}" -- ./lists >result
	[ "$(jq -r '.loads[0].data' result)" = "heap objects of 128 bytes, malloc in add (lists.c:4)" ] || say "$(jq -c '.loads[0]' result)"
}
