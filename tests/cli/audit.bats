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
		assert load["model_left_out_because"] is None, load
		assert "no kit" in link["left_out_because"] and "experiment" not in link, link
	END
	interfero report where.audit/load.exp >/dev/null
	refuse 2 "another experiment" -- interfero audit --counters clock --triggers load -r 1 -- ./where "$here/other"
	audit -q --triggers load -r 1 --fresh -- ./where "$here/other"
}

# What a report of a trigger's experiment advises goes on with it: the values of the sweep, and the audit's own options.
@test "bench goes on with a trigger's experiment by the options that it holds" {
	local options layouts budget
	# On a busy machine a second may pass before the first run.
	for budget in 1s 9s; do
		audit -q --triggers load,environment --counters clock --budget $budget -r 1 --fresh -- ./where "$here/log"
		[ ! -e where.audit/load.exp ] || [ ! -e where.audit/environment.exp ] || break
	done
	layouts="-n $(sql where.audit/load.exp "SELECT max(layout) FROM variant")"
	for trigger in load environment; do
		options=$(sql where.audit/$trigger.exp "SELECT value FROM fact WHERE name = 'options'")
		[[ $options == *"--counters clock --budget $budget --"* && $options != *triggers* ]] || say "$options"
		# shellcheck disable=SC2086 # words
		within 60 interfero bench -q $options -r 1 $layouts -o where.audit/$trigger.exp -- ./where "$here/log"
		layouts=
	done
	[[ $options == *" --sweep stack:bytes=0:"* ]] || say "$options"
}

@test "experiments of earlier calls are in the report, though the budget has no time for them" {
	# Of one run each, all are made by the screen.
	audit -q --triggers load,copies -r 1 --cures 0 -- ./where "$here/log"
	audit --json --triggers load,copies -r 1 --cures 0 --budget 1s -- ./where "$here/log" >json
	[ "$(jq -c '[.triggers[] | [.layouts, .runs, .beyond_screen, .left_out_because]] | unique' json)" = '[[32,1,true,null]]' ] || say "$(<json)"
}

# A run of where takes a millisecond and counts for twenty: the screen ends early, and finer steps have the rest. A
# machine that is busy throughout one try leaves no rest.
@test "a budget takes larger steps, then smaller ones for the rest, which a second call keeps" {
	local sweep coarser try
	for try in 1 2 3; do
		audit -q --triggers environment --budget 3s -r 1 --fresh -- ./where "$here/log"
		coarser=$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'coarser sweep'")
		[ -z "$coarser" ] || break
	done
	sweep=$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")
	[[ $sweep =~ ^stack:bytes=0:[34][0-9]*:[0-9]*$ ]]
	[[ $coarser =~ ^stack:bytes=0:[34][0-9]*:[0-9]*$ ]]
	[ "${sweep##*:}" -lt "${coarser##*:}" ]
	[ "$(sql where.audit/environment.exp~ "SELECT value FROM fact WHERE name = 'sweep'")" = "$coarser" ]
	audit -q --triggers environment --budget 1m -r 1 -- ./where "$here/log"
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")" = "$sweep" ]
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'complete'")" = yes ]
}

# 256 values have suspects after any two runs of each. Those of a screen would be some of the five of later runs.
@test "a screen has no second look; more runs end with one" {
	need_full_depth # seconds; sweep.bats has the second look of a sweep that goes on
	audit -q --triggers arguments -r 3 -- ./where "$here/log"
	local most
	most=$(sql where.audit/arguments.exp "SELECT max(repetition) FROM run")
	case $(sql where.audit/arguments.exp "SELECT value FROM fact WHERE name = 'complete'"),$most in
		yes,1) ;;
		yes,*) [ "$most" -gt 2 ] && [ "$(sql where.audit/arguments.exp "SELECT count(DISTINCT variant) FROM run WHERE repetition = 2")" = 257 ] ;;
		*) false ;;
	esac
}

@test "the triggers of an audit share a recording; heap objects need another" {
	# Each experiment runs the program twice as its reference; two record it.
	gcc -O1 "$programs/steps.c" -o steps
	within 120 interfero audit -q --counters model --no-profile --cures 0 --triggers load,heap,aslr,blocks -- ./steps 2000 "$here/runs"
	[ "$(wc -c <runs)" = 10 ] || say "$(wc -c <runs) runs"
	[ "$(stat -c %i steps.audit/load.exp.trace)" = "$(stat -c %i steps.audit/aslr.exp.trace)" ]
	[ "$(stat -c %i steps.audit/heap.exp.trace)" = "$(stat -c %i steps.audit/blocks.exp.trace)" ]
	[ "$(stat -c %i steps.audit/load.exp.trace)" != "$(stat -c %i steps.audit/heap.exp.trace)" ]
	# Another program at the same path has a recording of its own.
	rm steps.audit/aslr.exp*
	gcc -O0 "$programs/steps.c" -o steps
	within 120 interfero audit -q --counters model --no-profile --cures 0 --triggers aslr -- ./steps 2000 "$here/runs"
	[ "$(wc -c <runs)" = 13 ]
}

@test "triggers that the model cannot follow are measured without it" {
	within 60 interfero audit --json --counters clock,model --core=none --no-profile --cures 0 --triggers copies,path \
		--budget 3s -r 1 -- ./where "$here/log" >json
	python3 - <<-'END'
		import json
		for trigger, why in zip(json.load(open("json"))["triggers"], ("path-bytes", "physical addresses")):
		    assert trigger["left_out_because"] is None and trigger["layouts"] >= 8, trigger
		    assert why in trigger["model_left_out_because"], trigger
	END
}

# The range of a counter in an audit's experiment, as the replay counted it.
range() { # EXPERIMENT COUNTER
	sql "$1" "SELECT CAST(max(value) - min(value) AS INTEGER) FROM simulated JOIN counter c ON c.id = counter WHERE name = '$2'"
}

# A word 12 bytes behind a multiple of 16 crosses a line of 64 bytes in one of four stacks: at 60 modulo 64.
@test "an audit names the access across a line, and where it lies in the worst layout" {
	cat >packed.c <<-'END'
		int main(void) {
			_Alignas(16) struct __attribute__((packed)) { char before[12]; volatile long word; } odd = {.word = 1};
			long sum = 0;
			for (int i = 0; i < 1000; i++)
				sum += odd.word;
			return sum != 1000;
		}
	END
	gcc -O0 -g packed.c -o packed
	within 120 interfero audit --counters model --metric misalign_mem_ref.loads --no-profile --triggers environment \
		-- ./packed | tr -s ' \n' ' ' >text
	python3 - "$(range packed.audit/environment.exp misalign_mem_ref.loads)" <<-'END'
		import re, sys
		text = open("text").read()
		found = re.search(r"- misalign_mem_ref.loads: (\d+) of odd\S* in main \(packed.c:5\) in the worst layout "
		                  r"\((0x\w+)\), (\d+) in the best \((0x\w+)\)", text)
		assert found, text
		assert found[1] == "1000" and found[3] == "0", found
		assert int(found[2], 16) % 64 == 60 and int(found[4], 16) % 64 in (12, 28, 44), found
		assert "every 64" in text, text
		rest = re.search(r"misalign_mem_ref.loads: \d+ more differs?, by ([+-]\d+) in all", text)
		assert 1000 + int(rest[1] if rest else 0) == int(sys.argv[1]), (rest, sys.argv)
	END
}

# 20 bytes at a multiple of 16 lie in one window of 32 bytes, or in two. The first round belongs to the code before.
@test "an audit names the loop whose windows change with the start of the text" {
	cat >loop.c <<-'END'
		__asm__(".text\n.p2align 4\n.type spin,@function\nspin:\nmov $10000, %ecx\n.p2align 4\n"
		        "1:\n.skip 16, 0x90\ndec %ecx\njnz 1b\nret\n.size spin, .-spin\n");
		void spin(void);
		int main(void) { spin(); return 0; }
	END
	interfero-gcc -O1 loop.c -o loop
	within 120 interfero audit --counters model --metric windows-32 --no-profile --triggers text -- ./loop |
		tr -s ' \n' ' ' >text
	python3 - "$(range loop.audit/text.exp windows-32)" <<-'END'
		import re, sys
		text = open("text").read()
		found = re.search(r"- windows-32: 20 bytes of code in spin\S* enter (\d) in the worst layout \((0x\w+)\), "
		                  r"(\d) in the best \((0x\w+)\); in all (\d+) and (\d+)\.", text)
		assert found, text
		assert found.group(1, 3, 5, 6) == ("2", "1", "19998", "9999"), found
		assert int(found[2], 16) % 32 == 16 and int(found[4], 16) % 32 == 0, found
		rest = re.search(r"windows-32: \d+ more differs?, by ([+-]\d+) in all", text)
		assert 9999 + int(rest[1] if rest else 0) == int(sys.argv[1]), (rest, sys.argv)
	END
}

# The loop of Melhus 2013, listing 4.7: eleven windows of 32 bytes and a tail. At a multiple of 32 it spans twelve windows,
# which Ivy Bridge's loop buffer holds; 16 bytes on it spans thirteen. Ref: Melhus 2013, section 4.2.1.
@test "an audit names the loop that leaves the loop buffer" {
	cat >thesis.c <<-'END'
		__asm__(".text\n.p2align 4\n.type spin,@function\nspin:\nmov $4000, %ecx\n.p2align 4\n1:\n"
		        ".rept 11\nmovl word(%rip), %eax\ntest %eax, %eax\njne 2f\n.skip 22, 0x90\n2:\n.endr\n"
		        "movl word(%rip), %eax\nlea 1(%rax), %edx\ndec %ecx\nmovl %edx, other(%rip)\njnz 1b\nret\n.size spin, .-spin\n"
		        ".data\n.p2align 6\nword: .long 1\n.p2align 6\nother: .long 0\n");
		void spin(void);
		int main(void) { spin(); return 0; }
	END
	interfero-gcc -O1 thesis.c -o thesis
	within 120 interfero audit --counters model --machine ivybridge --core=full --metric cycles --no-profile --cures 0 \
		--triggers text -- ./thesis | tee whole | tr -s ' \n' ' ' >text
	python3 - <<-'END'
		import re
		text = open("text").read()
		found = re.search(r"- loop in spin\S*, 375 bytes, 3999 jumps back: (\d+) windows of 32 bytes in the worst layout \((0x\w+)\), "
		                  r"(\d+) in the best \((0x\w+)\)\. .*?the loop buffer (\d+) in the worst layout, (\d+) in the best\.", text)
		assert found, text
		assert found.group(1, 3, 5) == ("13", "12", "0"), found
		assert int(found[2], 16) % 32 == 16 and int(found[4], 16) % 32 == 0, found
		assert int(found[6]) > 0.99 * 27 * 3997, found # 27 slots a round; two rounds tell that it is a loop
		assert text.count("- loop in") == 1, text
	END
	[ "$(awk 'length > 80' whole)" = "" ] || say "$(<whole)"
}

# The thesis' pair of 4660 floats: with 18640 bytes each they alias or not, by their distance in a page. Glibc places the second
# one behind the first; objects at multiples of their slots would alias in all placements.
@test "an audit sees objects of some pages alias in some heap placements" {
	gcc -std=c11 -D_GNU_SOURCE -O3 -fno-tree-vectorize -I"$BATS_TEST_DIRNAME/../../examples/studies" \
		"$BATS_TEST_DIRNAME/../../examples/studies/heap-pair/heap-pair.c" -o pair
	within 120 interfero audit -q --counters model --core=none --machine ivybridge --metric ld_blocks_partial.address_alias \
		--no-profile --cures 0 --triggers heap --json -- ./pair 4660 0 1 >json
	jq -e '.triggers[0] | .found and (.shipped != null) and (.shipped_outside | type == "boolean")' json ||
		say "$(jq -c '.triggers[0] | del(.events, .values)' json)"
	jq -e '[.triggers[0].values[] | select(.layout > 0).median] | min as $least | [.[] | select(. > 5 * $least)] |
		length > 0 and length < 8' json || say "$(jq -c '[.triggers[0].values[].median]' json)"
}

# Two arrays under another placement of large blocks: loads of one, 600 elements before the store to the other, alias where the
# distance of the arrays says so. Lines 3 and 9 allocate them. In the other loop, a load aliases the store of two rounds before
# wherever the array lies, which is no difference between layouts.
@test "an audit names heap objects by their allocation site" {
	cat >blocks.c <<-'END'
		#include <stdlib.h>
		__attribute__((noinline)) static float *make(unsigned n) {
			float *made = malloc(n * sizeof *made);
			made[0] = 1;
			return made;
		}
		int main(void) {
			float *from = make(20000);
			float *to = calloc(20000, sizeof *to);
			for (unsigned i = 0; i + 600 < 20000; i++)
				to[i] = from[i + 2] + from[i + 200] + from[i + 400] + from[i + 600];
			for (unsigned i = 0; i < 2000; i++)
				to[i] = to[i + 1022];
			return to[5] == 3;
		}
	END
	gcc -g -O1 blocks.c -o blocks
	within 120 interfero audit --counters model --core=none --machine ivybridge --metric ld_blocks_partial.address_alias \
		--no-profile --cures 0 --triggers blocks -- ./blocks | tr -s ' \n' ' ' >text
	grep -q "$(echo 'loads of heap object [0-9]* of 80000 bytes, malloc in make (blocks.c:3) (0x[0-9a-f]*) in main (blocks.c:11) meet' \
		'the store to heap object [0-9]* of 80000 bytes, calloc in main (blocks.c:9) (0x')" text || say "$(<text)"
	! grep -q 'in _dl_relocate_object' text || say "the loader's pairs, which are the same in each layout: $(<text)"
	grep -q '(blocks.c:11), modulo 4096, in the worst layout, and 0 in the best' text || say "$(<text)"
	! grep -q 'blocks.c:13' text || say "a pair that aliases in each layout: $(<text)"
	within 120 interfero audit --json --counters model --core=none --machine ivybridge --metric ld_blocks_partial.address_alias \
		--no-profile --cures 0 --triggers blocks -- ./blocks >json
	jq -c '.triggers[0].names.aliases' json >aliases
	# Both layouts have the 2000 loads or so of line 13.
	[ "$(jq '.loads - .loads_best' aliases)" = "$(range blocks.audit/blocks.exp ld_blocks_partial.address_alias)" ] || say "$(<aliases)"
	[ "$(jq '.loads_best > 1950 and .differing_pairs >= (.pairs | length) and .all_pairs > .differing_pairs' aliases)" = true ] || say "$(<aliases)"
	[ "$(jq '[.pairs[] | .loads - .loads_best] | . == (sort | reverse) and all(. > 0)' aliases)" = true ] || say "$(<aliases)"
	local recorder
	for recorder in valgrind qemu; do
		interfero record --recorder $recorder --objects -o $recorder.trace -- ./blocks || [ $? -eq 1 ]
		interfero replay --machine ivybridge --aliases $recorder.trace | tr -s ' \n' ' ' >pairs
		grep -q 'loads of heap object [0-9]* of 80000 bytes, calloc in main (blocks.c:9)' pairs || say "$recorder: $(<pairs)"
	done
}

# Eight lines of a table lie in set 5 of 64 by eight ways. In one stack in 64 lines, the loop's variables lie in that set, too:
# then each round of the eight misses eight times, as the variables take a way (LRU).
@test "an audit names the data that meet in a set of the cache beyond its ways" {
	cat >sets.c <<-'END'
		static _Alignas(4096) volatile char table[8][4096];
		int main(void) {
			_Alignas(16) struct { long round, line; } on = {0};
			for (on.round = 0; on.round < 1000; on.round++)
				for (on.line = 0; on.line < 8; on.line++)
					(void)table[on.line][5 * 64];
			return 0;
		}
	END
	gcc -O0 -g sets.c -o sets
	within 120 interfero audit --counters model --machine ivybridge,l1d.policy=lru --metric L1-dcache-load-misses --no-profile \
		--triggers environment -- ./sets | tr -s ' \n' ' ' >text
	python3 - "$(range sets.audit/environment.exp L1-dcache-load-misses)" <<-'END'
		import re, sys
		text = open("text").read()
		found = re.search(r"- L1-dcache-load-misses: in the worst layout (\d+) lines meet in set 5 of the L1D, which has 8 ways: "
		                  r"(.*?)\. They miss there (\d+) times, in the best layout (\d+) times?\.", text)
		assert found, text
		assert int(found[1]) >= 9 and "table in main (sets.c:6)" in found[2] and re.search(r"\bon\S* in main \(sets.c:", found[2]), found
		assert 7900 < int(found[3]) - int(found[4]) < 8100, found
		assert abs(int(found[3]) - int(found[4]) - int(sys.argv[1])) < 200, (found, sys.argv)
		# Below the plot, the misses' requests to the L2 have the same two spikes.
		assert re.search(r"\| @ @ l2-references: \d+ to \d+ ", text), text
	END
}

@test "the first size of the environment, and the distance of sizes, are those that are asked for" {
	audit --triggers environment -r 1 --environment-offset 100 --environment-increment 1024 --json -- ./where "$here/log" >json
	[ "$(jq -r '.triggers[0] | "\(.sweep) \(.layouts) \(.step) \(.finest_step)"' json)" = "stack:bytes=100:7268:1024 8 1024 1024" ]
	audit -q --fresh --budget 1s --triggers environment -r 1 --environment-increment 64 -- ./where "$here/log"
	[ "$(sql where.audit/environment.exp "SELECT value FROM fact WHERE name = 'sweep'")" = "stack:bytes=0:4032:64" ]
	refuse 2 "--environment-increment needs a number from 1 to 4096" -- interfero audit --environment-increment 0 -- ./where
	refuse 2 "--environment-offset needs a number from 0 to 57344" -- interfero audit --environment-offset 57345 -- ./where
}

@test "an experiment that is lost costs its row of the report, not the others" {
	audit --triggers load,copies -r 1 \
		--prepare 'test ! -e where.audit/copies.exp || rm -f where.audit/load.exp' -- ./where "$here/log" >text
	grep -q '^  copies  *32 ' text
	grep -q 'load: Left out: there is no experiment where.audit/load.exp' <(tr -s ' \n' ' ' <text) || say "$(<text)"
}

@test "the help of an audit has its triggers in two columns, and its folder" {
	interfero audit --help >help
	[ "$(sed -n '/^Triggers:$/,/^$/p' help | grep -c '^[^ T]')" -eq 0 ] || say "$(<help)"
	grep -q "the folder of an audit's" <(tr -s ' \n' ' ' <help)
}

@test "what an audit refuses" {
	refuse 2 "which program" -- interfero audit
	refuse 2 "no trigger \"moon\"" "environment, stack" -- interfero audit --triggers moon -- ./where
	refuse 2 "no kit" -- interfero audit --triggers functions -- ./where "$here/log"
	refuse 2 "--keep-aslr" -- interfero audit --keep-aslr -- ./where
	refuse 3 -- interfero audit --counters clock --triggers load -- ./where
}
