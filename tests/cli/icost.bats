#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Interaction costs: which causes cost the cycles of a run, and how they overlap.

load ../helpers

few=win,bw,bmisp,shalu,lgalu
paper=dl1,win,bw,bmisp,dmiss,shalu,lgalu,imiss

setup_file() {
	use_own_kits
	cd "$place" || return 1
	interfero-gcc -O2 "$programs/causes.c" -o causes
	interfero record -q -o branch.trace -- ./causes branch 14000
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# flat FILE: its words in one line.
flat() {
	tr -s ' \n' '  ' <"$1"
}

@test "the first lines name what costs most, and what to do" {
	while read -r what cause about; do
		within 60 interfero icost --causes $paper -- ../causes "$what" >text
		flat text | grep -q "^../causes $what on skylake: [0-9]* cycles, [0-9.]* an instruction\. Most is lost by $cause ($about" ||
			say "$(cat text)"
		flat text | grep -Eq "To do: [^.]*\. Where: the same with --lines"
		[ "$(awk 'length > 80' text)" = "" ]
	done <<-'END'
		chase dmiss data not in the first data cache
		branch bmisp mispredicted branches
		divide lgalu longer operations
	END
	[ "$(ls)" = text ]
}

@test "a breakdown adds up to the cycles, and tells what is left" {
	interfero icost --causes $paper ../branch.trace >text
	awk '/^cause/ { on = 1; next } /^total/ { print sum > "sum"; on = 0 }
		on && /^[a-z]/ { sum += $2 + ($3 ~ /^-?[0-9.]+$/ ? $3 : 0) }' text
	jq -e 'fabs < 100.8 and fabs > 99.2' sum
	# Causes without a figure share a line.
	interfero icost ../branch.trace >text
	not grep -Eq '^[a-z0-9]+ +0\.0( +0\.0)? +[^0-9 b]' text || say "$(cat text)"
	flat text | grep -Eq "smaller 0\.[0-9] -?0\.[0-9] below 0\.05 each: [a-z0-9, ]*alias4k" || say "$(cat text)"
	interfero icost --json --focus dl1 ../branch.trace >costs.json
	jq -e '.breakdown.focus == "dl1" and .schema_version == 1 and (.causes | length) == 16' costs.json
	jq -e '.breakdown | [.rows[] | .cost_pct + (.icost_with_focus_pct // 0)] + [.other_pct, .rest_pct] | add
		| . - 100 | fabs < 1e-6' costs.json
	# Each cause, each pair, and all.
	[ "$(jq '.sets | length' costs.json)" = $((16 + 16 * 15 / 2 + 1)) ]
	jq -e '.cycles as $all | .sets | all(.cycles > 0 and (.cycles + .cost - $all | fabs < 1e-3))' costs.json
	# An icost is the pair less its parts.
	jq -e '[.sets[] | {key: (.causes | join("+")), value: .}] | from_entries
		| ."bmisp+shalu".icost - (."bmisp+shalu".cost - .bmisp.cost - .shalu.cost) | fabs < 1e-3' costs.json
	# A branch waits for the operations before it: one of both is enough.
	jq -e '.sets[] | select(.causes == ["bmisp", "shalu"]) | .interaction == "serial" or .interaction == "independent"' costs.json
}

@test "the interactions of all sets add up to the cost of all causes" {
	interfero icost --json --all --causes $few ../branch.trace >costs.json
	[ "$(jq '.sets | length' costs.json)" = 31 ]
	jq -e '([.sets[].icost] | add) - .sets[-1].cost | fabs < 1' costs.json
	interfero icost --all --causes dl1,bmisp,shalu ../branch.trace | grep -Eq '^ +[0-9.-]+ +[0-9.-]+  dl1\+bmisp\+shalu$'
	# Pairs alone are those of all sets.
	interfero icost --json --causes $few ../branch.trace >pairs.json
	[ "$(jq -c '[.sets[] | select(.causes | length < 3)]' costs.json)" = "$(jq -c '[.sets[] | select(.causes | length < 3)]' pairs.json)" ]
}

@test "costs from samples are those of the graph, and say how well they cover the run" {
	interfero icost --causes bmisp --profile ../branch.trace >text
	flat text | grep -q "The run is short for a profile"
	need_full_depth
	# Long enough that the dynamic loader's first misses, whose path few samples know, are little of it.
	interfero record -q -o long.trace -- ../causes branch 1400000
	interfero icost --json --causes bmisp,shalu,lgalu long.trace >graph.json
	interfero icost --json --causes bmisp,shalu,lgalu --profile --save-samples samples long.trace >profile.json
	# Ref: Fields et al. 2004, table IX: the mean error over categories above 5 % is 9 % at most.
	jq -s '(.[0].cycles / 100) as $pct | .[0].sets as $graph | (.[1].cycles / .[0].cycles) as $scale | [.[1].sets
		| to_entries[] | select($graph[.key].icost and ($graph[.key].icost / $pct | fabs > 5))
		| $graph[.key].icost as $true | (.value.icost / $scale - $true) / $true | fabs] | length, 100 * add / length' \
		graph.json profile.json >error
	awk 'NR == 1 && $1 < 2 || NR == 2 && $1 > 9 { exit 1 }' error || say "$(cat error)"
	jq -e '.profile | .fragments > 10 and .fragments + .dropped_impossible_bits + .dropped_code + .dropped_target
		+ .dropped_short == .signatures and .missing * 50 < .instructions' profile.json
	interfero icost --causes bmisp,shalu,lgalu --profile long.trace >text
	flat text | grep -Eq "From fragments of the shotgun profiler: [0-9]+ of [0-9]+ signature samples could be put together"
	not grep -q "short for" text
	[ "$(awk 'length > 80' text)" = "" ]
	# The samples are enough: no sequence of the trace is read.
	interfero icost --json --causes bmisp,shalu,lgalu --samples samples long.trace >again.json
	[ "$(jq -c '.sets, .profile' profile.json)" = "$(jq -c '.sets, .profile' again.json)" ]
	# Another run's samples, and a file that has none.
	sed -n '/^place/p; /^instr/p' samples >few
	refuse 2 "of 0 signature samples no fragment could be put together" -- interfero icost --samples few long.trace
	echo "detail 1 2" >few
	refuse 2 "few:1: no line of samples" -- interfero icost --samples few long.trace
	refuse 2 "leave out --across, --lines" -- interfero icost --profile --lines long.trace
}

@test "fragments with string instructions that repeat, once or never, are put together" {
	cat >repeat.c <<-'END'
		int main(void) {
			static char bytes[64];
			for (unsigned i = 0; i < 30000; i++) {
				char *to = bytes;
				unsigned long count = i % 4;
				__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
			}
			return 0;
		}
	END
	gcc -O1 repeat.c -o repeat
	interfero icost --json --causes bmisp --profile -- ./repeat >profile.json
	jq -e '.profile | .signatures > 20 and .fragments > 0.7 * .signatures' profile.json || say "$(jq -c .profile profile.json)"
}

@test "samples of a processor, as perf prints them, are put together" {
	python3 "$programs/stacks.py" ../branch.trace >perf.samples
	interfero icost --json --causes bmisp,shalu --samples perf.samples ../branch.trace >perf.json
	# The stacks lead along the run: few calls return to callers that the stack does not know.
	jq -e '.profile | .signatures > 40 and .fragments > 0.8 * .signatures' perf.json || say "$(jq -c .profile perf.json)"
	# No branch was mispredicted, by the stacks.
	jq -e '[.sets[] | select(.causes == ["bmisp"]) | .cost] == [0]' perf.json
	sed 's,/P/-/-/0,/M/-/-/0,g' perf.samples >mispredicted.samples
	interfero icost --json --causes bmisp,shalu --samples mispredicted.samples ../branch.trace |
		jq -e '[.sets[] | select(.causes == ["bmisp"]) | .cost][0] > 0.5 * .cycles'
	{ cat perf.samples; echo "cycles:upp: 12 0x34/56"; } >bad.samples
	refuse 2 "bad.samples:$(wc -l <bad.samples): no line of samples" "perf script --show-mmap-events -F" -- \
		interfero icost --samples bad.samples ../branch.trace
	grep PERF_RECORD perf.samples >none.samples
	refuse 2 "no branch stack leads through code of the trace" "perf record -b" -- \
		interfero icost --samples none.samples ../branch.trace
}

@test "a recording of samples alone gives the costs of the run" {
	refuse 2 "before the first sample: record all of it, without --every" -- interfero icost --every 900000000000 -- ../causes chase
	refuse 2 "needs a number from 2000000" -- interfero icost --every 1000 -- ../causes chase
	interfero record -q --once -o all.trace -- ../causes branch 3000000
	interfero icost -q --json --causes bmisp,shalu,lgalu all.trace >all.json
	interfero icost -q --json --causes bmisp,shalu,lgalu --every 10000000 -o samples.trace -- ../causes branch 3000000 >samples.json
	# A fifth of the instructions, as many samples as there are whole periods, or one more.
	count() {
		interfero trace info "$1" | awk '$1 == "instructions" { print $2 }'
	}
	[ $(($(count samples.trace) / 1990000)) -le $(($(count all.trace) / 10000000 + 1)) ]
	[ $(($(count samples.trace) / 1990000)) -ge $(($(count all.trace) / 10000000)) ]
	# Within a twentieth of the cycles.
	jq -e -n --slurpfile all all.json --slurpfile few samples.json '[$all[0].sets, $few[0].sets] | transpose
		| all((.[0].cost / $all[0].cycles - .[1].cost / $few[0].cycles) | fabs < 0.05)' || say "$(jq -c .sets all.json samples.json)"
	jq -e '.recorded_every == 10000000 and .fragments > 1' samples.json
	jq -e '.recorded_every == null and .fragments > 1' all.json
	interfero icost -q --causes bmisp samples.trace >text
	flat text | grep -q "The recording has two million of each 10000000 instructions"
}

@test "a program's costs are those of its recording, which is kept if that is asked for" {
	interfero icost --json --causes bmisp,win -o kept.trace -- ../causes branch >own.json
	interfero icost --json --causes bmisp,win kept.trace >kept.json
	[ "$(jq -c .sets own.json)" = "$(jq -c .sets kept.json)" ]
	# The whole run: its cycles are those of replay.
	interfero icost --json --core full --causes bmisp kept.trace | jq '.cycles' >one
	interfero replay --json --core=full kept.trace | jq '.layouts[0].counters.cycles' >other
	cmp one other
	# Another layout has other cycles, those of its replay.
	interfero variants -q -n 1 -a padding,functions --seed 3 -o v ../causes
	interfero icost --json --core full --causes fetch,imiss --plan v/v00001.plan kept.trace | jq '.cycles' >one
	interfero replay --json --core=full --plan v/v00001.plan kept.trace | jq '.layouts[0].counters.cycles' >plan
	cmp one plan
	not cmp -s plan other
}

@test "what is idealised in the core costs what a better machine saves" {
	cycles() {
		interfero icost --json --core full --causes "$1" --machine "$2" ../branch.trace
	}
	while read -r cause machine better; do
		cycles "$cause" "$machine" | jq '.sets[0].cycles' >ideal
		cycles bmisp "$better" | jq '.cycles' >changed
		cmp ideal changed || say "$cause: $(cat ideal) and $(cat changed)"
	done <<-'END'
		dl1 fields2004 fields2004,pipeline.load_latency=0,pipeline.forward=0
		shalu skylake,pipeline.wakeup=2 skylake,pipeline.wakeup=0
		lgalu skylake skylake,pipeline.longest=0
		dmiss skylake,l2.bytes=67108864 skylake,l2.bytes=67108864,l1d.bytes=0
		dtlb skylake,penalty.stlb=0 skylake,penalty.stlb=0,penalty.dtlb=0
		itlb skylake,penalty.stlb=0 skylake,penalty.stlb=0,penalty.itlb=0
		imiss skylake,penalty.l2=0,penalty.llc=0 skylake,penalty.l2=0,penalty.llc=0,penalty.l1i=0
		btb skylake,btb1.entries=64 skylake,btb1.entries=64,penalty.btb=0
		alias4k skylake skylake,pipeline.alias=0
		fusion skylake skylake,fetch.fusion=anywhere
		win skylake,pipeline.window=40,pipeline.scheduler=12,pipeline.loads=20,pipeline.stores=10 skylake,pipeline.window=800,pipeline.scheduler=240,pipeline.loads=400,pipeline.stores=200
	END
}

@test "a difference between layouts is the sum of its causes, and of its lines" {
	interfero variants -q -n 3 -a padding,functions --seed 3 -o v ../causes
	interfero icost --across --core full --json --plan v/v00001.plan --plan v/v00002.plan ../branch.trace >two.json
	interfero replay --json --core=full --plan v/v00001.plan --plan v/v00002.plan ../branch.trace | jq '[.layouts[].counters.cycles]' >replayed.json
	jq -e --slurpfile replayed replayed.json '[.layouts[].cycles] == $replayed[0]' two.json
	interfero icost --across --json -n 3 -a padding,functions --seed 3 ../branch.trace >spread.json
	for file in two.json spread.json; do
		parts_add_up $file
	done
	interfero icost --across --plan v/v00001.plan ../branch.trace >text
	flat text | grep -Eq "v00001 takes [0-9]+ cycles, [0-9]+ (more|fewer) \([+-][0-9.]+ %\) than the shipped layout\."
	flat text | grep -Eq "% of the difference is [a-z0-9]+ \([^)]*\), -?[0-9.]+ % in "
	[ "$(awk 'length > 80' text)" = "" ]
	# Two layouts that are one differ by nothing.
	interfero icost --across --plan v/v00001.plan --plan v/v00001.plan ../branch.trace | grep -q "there is no difference to explain"
}

@test "blame advises the command that tells its layouts' cycles by cause" {
	need_full_depth # an experiment of eight layouts
	within 60 interfero bench -q -n 8 --seed 4 -a padding,functions --counters model --core -o layouts.exp -- ../causes branch 5000 >/dev/null
	interfero blame layouts.exp | sed -n '/By cause, and by line:/,$p' | tail -n +2 | tr -d '\\\n' >advice
	grep -q "interfero icost --across .*-n 8 -s 4 " advice
	bash ./advice >text
	grep -q "8 layouts take" text
	# As it stands there, in another folder, too.
	mkdir elsewhere
	(cd elsewhere && interfero blame ../layouts.exp) | sed -n '/By cause, and by line:/,$p' | tail -n +2 >advice
	(cd elsewhere && bash ../advice) | cmp - text
	# By the clock, too: its layouts in the model.
	within 60 interfero bench -q -n 8 -r 2 --seed 4 -a padding,functions --counters clock -o clock.exp -- ../causes branch 5000 >/dev/null
	interfero blame clock.exp | sed -n '/By cause, and by line, in the model:/,$p' | tail -n +2 | tr -d '\\\n' >advice
	grep -q "interfero icost --across .*--machine native -n 8 -s 4 " advice
}

# Six objects linked in two orders: of one code, and apart as shipped alone.
@test "compare advises the same where two links differ by their layouts" {
	need_full_depth # two recordings of eight layouts
	local example=$BATS_TEST_DIRNAME/../../examples/link-order
	make -s -C "$example" O="$PWD/slow" OBJECTS="main rank fold tally text show" CC=interfero-gcc
	make -s -C "$example" O="$PWD/fast" OBJECTS="main rank tally text fold show" CC=interfero-gcc
	within 120 interfero compare fast/link-order slow/link-order -n 8 --counters model --core --machine skylake \
		--axes functions,link-order,padding -o links.exp --json -- 2000 >compared.json
	jq -e '.comparisons[0] | .verdict == "no change" and .result.layout_effect > 1.1' compared.json
	interfero compare links.exp | sed -n '/^ *interfero icost/,/^$/p' | tr -d '\\\n' >advice
	within 120 bash ./advice >text
	(cd / && interfero compare "$here/links.exp") | sed -n '/^ *(cd /,/)$/p' >advice
	(cd / && within 120 bash "$here/advice") | cmp - text
	# What the example is about.
	flat text | grep -Eq "8 layouts take .*% of the difference is (fetch|dsb) [^.]*, [0-9.]+ % in tally" || say "$(cat text)"
}

# The thesis' micro-kernel: in one of 256 places of the stack, loads in its loop alias with stores.
@test "two layouts that differ by aliases differ by the cause alias4k, in the lines of the loop" {
	gcc -O0 -g -DLOOPS=2048 "$programs/micro.c" -o micro
	interfero record -q -o micro.trace -- ./micro >/dev/null
	interfero replay --machine ivybridge --json --sweep stack:bytes=0:4080:16 micro.trace |
		jq '[.layouts[1:][].counters["ld_blocks_partial.address_alias"]] | 16 * index(max)' >spike
	printf 'interfero-plan 1\nstack seed=1 max=4096 main=0 bytes=%s\n' "$(cat spike)" >spike.plan
	printf 'interfero-plan 1\nstack seed=1 max=4096 main=0 bytes=%s\n' $((($(cat spike) + 1024) % 4096)) >usual.plan
	interfero icost --across --core full --machine ivybridge --json --plan usual.plan --plan spike.plan micro.trace >two.json
	jq -e '.difference > 5000 and .causes[0].causes == ["alias4k"]
		and (.difference - .causes[0].cost | fabs) < 0.02 * .difference and .causes[0].share > 0.5 * .difference' two.json || say "$(jq -c '[.difference, .causes]' two.json)"
	jq -e '.difference as $all | [.lines[] | select(.line | test("^micro.c:(8|9|10|11)$")) | .shares.alias4k] | add > 0.5 * $all' two.json
	interfero icost --across --core full --machine ivybridge --plan usual.plan --plan spike.plan micro.trace >text
	flat text | grep -Eq "[0-9.]+ % of the difference is alias4k \(loads behind stores of equal low 12 bits\), [0-9.]+ % in main; without it, (99|100|101)\\.[0-9] % is gone\." || say "$(cat text)"
	flat text | grep -q "To do: move one of the two"
}

@test "a branch, a load, a line and a function are causes" {
	cat >parts.c <<-'END'
		#include <stdlib.h>
		static unsigned state = 1, sum;
		static volatile unsigned table[1 << 20];
		__attribute__((noinline)) static void guess(void) {
			state = state * 1664525 + 1013904223;
			if (state >> 31)
				__asm__ volatile("addl $1, %0" : "+m"(sum));
		}
		__attribute__((noinline)) static unsigned fetch(unsigned at) {
			return table[at];
		}
		int main(void) {
			for (unsigned i = 0, at = 0; i < 20000; i++) {
				guess();
				at = (at + 99991 + fetch(at)) & ((1 << 20) - 1);
			}
			return 0;
		}
	END
	gcc -g -O1 -fno-if-conversion parts.c -o parts
	interfero record -q -o parts.trace -- ./parts
	costs() {
		interfero icost --json --core full --causes bmisp,dmiss "$@" parts.trace >all.json && jq '[.sets[] | {key: (.causes | join("+")), value: .cost}] | from_entries' all.json
	}
	# The load is nearly all of dmiss; behind its misses nothing else costs anything. Once it is gone, the branch is most of
	# bmisp; and behind bmisp nothing is left of it.
	costs --cause branch:parts.c:6 --cause load:parts.c:10 >parts.json
	jq -e '."load:parts.c:10" >= 0.8 * .dmiss and .dmiss > 1000000' parts.json || say "$(cat parts.json)"
	jq -e '."branch:parts.c:6+load:parts.c:10" - ."load:parts.c:10" > 0.6 * (."bmisp+load:parts.c:10" - ."load:parts.c:10")' parts.json || say "$(cat parts.json)"
	jq -e '."bmisp+branch:parts.c:6" == .bmisp' parts.json
	costs --cause function:guess --cause line:parts.c:10 >whole.json
	jq -e --slurpfile parts parts.json '."function:guess+line:parts.c:10" >= 0.99 * $parts[0]."branch:parts.c:6+load:parts.c:10"' whole.json
	interfero icost --cause branch:parts.c:6 parts.trace >text
	grep -q '^cause .*+branch:parts.c:6 ' text
	# What the load misses is a part of what all loads miss.
	interfero icost --causes bmisp,dmiss --cause load:parts.c:10 parts.trace >text
	flat text | grep -q "dmiss and load:parts.c:10 are serial: .* they have cycles in common by definition" || say "$(cat text)"
	interfero icost --causes bmisp,lgalu --cause load:parts.c:10 parts.trace >text
	not grep -q "by definition" text
	refuse 2 "parts.c:10 has no branches: take line:parts.c:10" -- interfero icost --cause branch:parts.c:10 parts.trace
	refuse 2 "executes no code of nowhere.c:5" "built with -g" -- interfero icost --cause line:nowhere.c:5 parts.trace
	refuse 2 "line:parts.c:6 and function:guess have instructions in common" -- interfero icost --cause line:parts.c:6 --cause function:guess parts.trace
	refuse 2 "--cause is load:FILE:LINE" "are --causes" -- interfero icost --cause dl1 parts.trace
	refuse 2 "--across tells the lines itself" -- interfero icost --across --cause line:parts.c:6 parts.trace
}

@test "lines that bound the run: each execution of a chain is critical, what is beside it has slack" {
	cat >chain.c <<-'END'
		int main(void) {
			unsigned long chain = 3, beside = 1;
			for (unsigned i = 0; i < 40000; i++) {
				__asm__ volatile("imul $7, %0, %0; imul $7, %0, %0; imul $7, %0, %0" : "+r"(chain));
				__asm__ volatile("imul $7, %0, %0; imul $7, %0, %0; imul $7, %0, %0" : "+r"(chain));
				__asm__ volatile("lea 1(%0), %0" : "+r"(beside));
			}
			return (int)(chain + beside) & 1;
		}
	END
	gcc -g -O1 chain.c -o chain
	interfero record -q -o chain.trace -- ./chain
	interfero icost --lines --core full --json chain.trace >lines.json
	# Each line is three multiplications of three cycles in a chain. If they take none, their port still takes one a cycle:
	# 6 cycles less in each of 40,000 rounds. Whatever is a cycle later there costs a cycle for each. The counter and the
	# third operation hide behind them.
	for line in 4 5; do
		jq -e --arg line "chain.c:$line" '.lines[] | select(.line == $line) | .executed >= 120000
			and (.criticality - 1 | fabs < 0.01) and (.cost - 240000 | fabs < 4000)' lines.json || say "$(cat lines.json)"
	done
	jq -e '[.lines[] | select(.line == "chain.c:6" or .line == "chain.c:3") | .criticality < 0.01 and (.cost | fabs) < 2000] | all' lines.json
	interfero icost --lines chain.trace >text
	flat text | grep -Eq "Most is lost in main \(chain.c:[45]\): .* To do: shorten it\."
	# Its command, as it stands there, with the options of this one.
	interfero icost --lines --machine zen4 --core full chain.trace | grep -E '^  interfero icost ' >advice
	grep -Eqx '  interfero icost --machine zen4 --core full --cause line:chain.c:[45] chain.trace' advice || say "$(cat advice)"
	bash ./advice | grep -Eq '^cause .*\+line:chain.c:[45] '
	not grep -q "build it with -g" text
	[ "$(awk 'length > 80' text)" = "" ]
	refuse 2 "leave out --causes" -- interfero icost --lines --causes dl1 chain.trace
	refuse 2 "at a time" -- interfero icost --lines --what-if chain.trace
}

@test "what if: a row is the run on that machine, with its interactions" {
	interfero icost --what-if --json --machine fields2004 ../branch.trace >what.json
	jq -e '[.machines[].change] == ["", "pipeline.load_latency=4", "pipeline.load_latency=8", "pipeline.wakeup=2", "pipeline.window=128", "pipeline.window=256"]' what.json ||
		say "$(jq -c '[.machines[].change]' what.json)"
	interfero icost --json --causes dl1,win,bmisp,shalu --machine fields2004,pipeline.window=128 ../branch.trace >one.json
	jq -e --slurpfile one one.json '.machines[4] as $row | $row.cycles == $one[0].cycles
		and ($one[0].sets | all((.causes | join("+")) as $name | ($row[$name] == null) or (.icost - $row[$name] | fabs < 1e-6)))' what.json
	interfero icost --what-if --machine fields2004 ../branch.trace >text
	[ "$(awk 'length > 80' text)" = "" ]
}

@test "the page has the parts as bars, which add up" {
	interfero icost --html page.html --focus dl1 --causes $paper ../branch.trace >told
	python3 - page.html "$(flat told | grep -oE 'Most is lost by [a-z0-9]+')" <<-'END'
		import re, sys
		from html.parser import HTMLParser
		page = open(sys.argv[1]).read()
		opened = []
		class Parser(HTMLParser):
		    def handle_starttag(self, tag, attributes):
		        if tag not in ("meta", "line", "rect"): opened.append(tag)
		    def handle_endtag(self, tag):
		        if tag not in ("meta", "line", "rect"): assert opened.pop() == tag, tag
		Parser().feed(page)
		assert not opened, opened
		assert "http" not in page and sys.argv[2] and sys.argv[2] in page
		# The upper bar less the lower one is the run.
		above, below = (float(re.search(r">%s ([0-9.]+) %%<" % re.escape(sign), page)[1]) for sign in "+-")
		assert abs(above - below - 100) < 0.11, (above, below)
		segments = [float(value) for value in re.findall(r"<title>[^<]*: (-?[0-9.]+) % \(", page)]
		assert abs(sum(segments) - 100) < 1.5 and len(segments) > 5, segments
		table = [float(value) for value in re.findall(r"</td><td>(-?[0-9.]+)</td>", page)]
		assert abs(sum(table) - 200) < 1.5, table
		assert not [value for value in table if abs(value) < 0.05]
		left_out = re.search(r"Left out, below 0.05 % each: ([^.]*)\.", page)[1].split(", ")
		assert len(segments) + len(left_out) == 8 + 7 + 2, left_out
	END
	refuse 2 "--html draws costs" -- interfero icost --lines --html page.html ../branch.trace
	refuse 4 "--html" -- interfero icost --html nowhere/page.html ../branch.trace
}

@test "causes that are none, or not of this machine, are named with the remedy" {
	refuse 2 'no cause "cache"' "--help lists them" -- interfero icost --causes dl1,cache ../branch.trace
	refuse 2 "--causes names no cause: leave it out" -- interfero icost --causes "" ../branch.trace
	# Of the form of a place, before any file is read.
	refuse 2 "--cause is load:FILE:LINE" 'not "foo"' -- interfero icost --cause foo nope
	refuse 2 "--cause is load:FILE:LINE" 'not "function:"' -- interfero icost --cause function: nope
	refuse 2 "dl1 stands twice" -- interfero icost --causes dl1,dl1 ../branch.trace
	refuse 2 'no cause "x"' -- interfero icost --focus x ../branch.trace
	refuse 2 "skylake has no cause lsd" "no loop buffer" "another --machine" -- interfero icost --causes lsd ../branch.trace
	refuse 2 "win is not among --causes" -- interfero icost --focus win --causes dl1 ../branch.trace
	refuse 2 "65536 sets" "up to 10" -- interfero icost --all ../branch.trace
	refuse 2 "cachegrind has no core" "skylake" -- interfero icost --machine cachegrind ../branch.trace
	for core in none maybe; do
		refuse 2 "--core is sampled or full, not \"$core\"" -- interfero icost --core $core ../branch.trace
	done
	refuse 2 "which program or trace" -- interfero icost
	refuse 2 "a program stands behind --" -- interfero icost ../branch.trace ../causes
	refuse 2 "leave them out with a trace" -- interfero icost --stdin x ../branch.trace
	refuse 2 "is no trace" -- interfero icost ../causes
	refuse 2 nope -- interfero icost nope
	refuse 2 "no file nope" -- interfero icost --plan nope ../branch.trace
	refuse 2 "no file nope" -- interfero icost --samples nope ../branch.trace
	interfero icost --help >help
	flat help | grep -q 'Exit status: 0 told, 2 usage or a trace, plan or file of samples that is not there'
	flat help | grep -q '"interfero replay --machine help" lists all (skylake)'
	refuse 2 "executes no code of nowhere: name another function" -- interfero icost --cause function:nowhere ../branch.trace
	not interfero icost --cause function:nowhere ../branch.trace 2>said
	not grep -q -e -g said
	refuse 2 "no program ./nope" -- interfero icost -- ./nope
	refuse 2 "a second --plan needs --across" -- interfero icost --plan a --plan b ../branch.trace
	refuse 2 "-n needs --across" -- interfero icost -n 3 ../branch.trace
	refuse 2 "--axes needs --across" -- interfero icost -a padding ../branch.trace
	refuse 2 "--seed needs --across" -- interfero icost -s 3 ../branch.trace
	refuse 2 "--set needs --across" -- interfero icost -x padding:max=8 ../branch.trace
	refuse 2 "--axes names no axis" -- interfero icost --across -a "" ../branch.trace
	refuse 2 "--across takes one --plan" -- interfero icost --across --plan a -n 3 ../branch.trace
	refuse 2 "two layouts at least" -- interfero icost --across -n 1 ../branch.trace
	refuse 2 "leave out --all and --focus" -- interfero icost --across --focus win ../branch.trace
	# --focus alone, of a machine that has it.
	interfero icost --focus lsd --machine haswell ../branch.trace | grep -q '^cause *alone *+lsd'
}

@test "of a cut trace the whole part is told" {
	interfero record -q -o long.trace -- ../causes branch 500000
	head -c $(($(stat -c %s long.trace) * 7 / 10)) long.trace >cut.trace
	run -3 --separate-stderr interfero icost --causes bmisp cut.trace
	grep -q "The trace is cut" <<<"$output"
	grep -Eq "cycles, [0-9]\.[0-9]+ an instruction" <<<"$output"
	run -3 --separate-stderr interfero icost --json --causes bmisp cut.trace
	jq -e '(.damage | type) == "string" and .instructions > 1000000' <<<"$output"
	head -c 9000 ../branch.trace >short.trace
	refuse 3 "no instructions" "record the program again" -- interfero icost short.trace
}
