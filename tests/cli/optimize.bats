#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero optimize: the search for a fast layout. The programs print costs that follow from where their functions lie, and
# these are searched for instead of a time.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	# Each of three functions of 48 bytes costs as many as the windows of 64 bytes that it and its return lie in: three at
	# best, where one random layout in 64 has them, six at worst. With an argument the best layout is the worst.
	cat >planted.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#define FUNCTION(n) __attribute__((noipa)) static void f##n(void) { __asm__ volatile(".rept 16\n nopl (%rax)\n .endr"); }
		FUNCTION(1)
		FUNCTION(2)
		FUNCTION(3)
		static int windows(void (*f)(void)) {
			uintptr_t at = (uintptr_t)f;
			return (int)((at + 48) / 64 - at / 64 + 1);
		}
		int main(int argc, char **argv) {
			(void)argv;
			for (int i = 0; i < 2000; i++) f1();
			for (int i = 0; i < 2000; i++) f2();
			for (int i = 0; i < 2000; i++) f3();
			int cost = windows(f1) + windows(f2) + windows(f3);
			printf("cost: %d\n", argc > 1 ? 10 - cost : cost);
		}
	END
	interfero-gcc -O2 planted.c -o planted
	sed 's/windows(f1) + windows(f2) + windows(f3)/5/' planted.c >equal.c
	interfero-gcc -O2 equal.c -o equal
	search -o found ./planted >found.text && echo 0 >found.status || echo $? >found.status
	search --json --rounds 0 -o drawn ./planted >drawn.json
}

setup() {
	use_own_folder
	ln -s ../planted ../equal .
}

teardown_file() {
	drop_own_kits
}

# The search by what a program prints: its last argument.
search() {
	local program=${*: -1}
	within 60 interfero optimize -n 8 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 4 --each 4 --contexts 4 --ignore-output "${@:1:$#-1}" -- "$program"
}

@test "a planted best layout is found, confirmed and written" {
	[ "$(cat ../found.status)" = 0 ]
	[ "$(./planted)" != "cost: 3" ]
	grep -q '^Faster: the layout found takes 50.0 % less cost' ../found.text
	interfero variants -q --plan ../found/best.plan -o best ./planted
	[ "$(best/best)" = "cost: 3" ]
	[ "$(head -n 4 ../found/best.order | sort | tr '\n' ' ')" = "f1 f2 f3 main " ]
	[ "$(awk 'length > 80' ../found.text)" = "" ]
	# All its functions are hot.
	grep -q '^  - Not tried: a small edit (the program has no function ' ../found.text
}

@test "the planted best layout is found by its features alone" {
	# No candidate is random, and the only one of the round is that with the fewest windows.
	interfero-gcc -O2 -fno-align-functions ../planted.c -o dense
	[ "$(./dense)" != "cost: 3" ]
	within 60 interfero optimize -q -n 6 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 0 --rounds 1 --each 1 --contexts 2 \
		--ignore-output -o features -- ./dense
	[ "$(features/round-1/c00000)" = "cost: 3" ]
}

# planted NAME BYTES COST: functions of 48 bytes whose cost is an expression over their addresses a[0] to a[5]. Between them lie
# functions of so many bytes that are never called.
planted() {
	cat >"$1.c" <<-END
		#include <stdint.h>
		#include <stdio.h>
		#define HOT(n) __attribute__((noipa)) void f##n(void) { __asm__ volatile(".rept 16\n nopl (%rax)\n .endr"); }
		#define COLD(n) __attribute__((noipa)) void g##n(void) { __asm__ volatile(".skip $2"); }
		#define EVICTS(a, b) ((a) / 64 != (b) / 64 && (a) / 64 % 16 == (b) / 64 % 16)
		HOT(0) COLD(0) HOT(1) COLD(1) HOT(2) COLD(2) HOT(3) COLD(3) HOT(4) COLD(4) HOT(5)
		int main(void) {
			void (*const f[])(void) = {f0, f1, f2, f3, f4, f5};
			int cost = 1;
			for (int i = 0; i < 6000; i++) f[i % 6]();
			for (int i = 0; i < 6; i++)
				for (int k = 0; k < i; k++) {
					const uintptr_t a = (uintptr_t)f[i], b = (uintptr_t)f[k];
					cost += $3;
				}
			printf("cost: %d\n", cost);
		}
	END
	interfero-gcc -O2 -fno-toplevel-reorder "$1.c" -o "$1"
}

# The layouts of the round are heuristics and have no time yet: the features alone make them.
found_by_features() {
	within 60 interfero optimize -q -n 6 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 0 --rounds 1 --each "$2" \
		--contexts 2 --ignore-output -o "$1.features" -- "./$1"
	for layout in "$1.features"/round-1/c0000?; do "$layout"; done | sort | head -n 1
}

@test "functions that evict each other are parted, by features alone and by what runs cost" {
	# Each pair in one of sixteen sets of lines costs one more. They ship in one set.
	planted sets '1024 - 64 - 1' 'EVICTS(a, b) + EVICTS(a, b + 48) + EVICTS(a + 48, b)'
	[ "$(./sets | tr -dc 0-9)" -ge 16 ]
	[ "$(found_by_features sets 1)" = "cost: 1" ]
	is_full_depth || return 0 # the search has the same stages as the first test's
	search -o sets.found ./sets
	interfero variants -q --plan sets.found/best.plan -o sets.made ./sets
	[ "$(sets.made/best)" = "cost: 1" ]
}

@test "targets of a table that alias are parted, by features alone and by what runs cost" {
	# Each pair alike in twelve bits of the address costs one more. All are, as they ship.
	planted targets '4096 - 64 - 1' 'a % 4096 == b % 4096'
	[ "$(./targets)" = "cost: 16" ]
	[ "$(found_by_features targets 1)" = "cost: 1" ]
	is_full_depth || return 0 # the search has the same stages as the first test's
	search -o targets.found ./targets
	interfero variants -q --plan targets.found/best.plan -o targets.made ./targets
	[ "$(targets.made/best)" = "cost: 1" ]
}

@test "loops are aligned where that is what costs" {
	# The loop begins 24 bytes behind its function: no place of the function brings it to 32 bytes. By itself gcc 14 aligns
	# it to 16 bytes, and unrolls it, so that the label would be there twice.
	cat >loop.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		extern char loop_begin[];
		__attribute__((noipa)) void hot(int n) {
			__asm__ volatile(".skip 11, 0x90");
			for (int i = 0; i < n; i++) __asm__ volatile("loop_begin: nop" : : "r"(i));
		}
		int main(void) {
			hot(20000);
			printf("cost: %d\n", (uintptr_t)loop_begin % 32 ? 10 : 3);
		}
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -falign-loops=8 -fno-unroll-loops loop.c -o loop
	[ "$(./loop)" = "cost: 10" ]
	search --json --rounds 1 --axes functions,padding,base,align -o loop.found ./loop >loop.json
	jq -e '.found and .origin == "aligned" and (.ratio - 0.3 | fabs < 1e-9)' loop.json
	grep -q '^align .*only=hot' loop.found/best.plan
	interfero variants -q --plan loop.found/best.plan -o loop.made ./loop
	[ "$("$(find loop.made -type f -perm -1)")" = "cost: 3" ]
}

# try_axes COST OPTIONS...: searches axes.c by a cost that no place of a function changes, and an axis does.
try_axes() {
	within 60 interfero optimize --fresh --json -n 6 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 0 --rounds 0 --contexts 2 \
		--ignore-output "${@:2}" -o "$1.found" -- ./axes "$1" >"$1.json"
}

@test "axes beside the places of functions are tried on the best layout, as far as the kit has them" {
	cat >axes.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <string.h>
		#include <stdlib.h>
		/* The linker makes room for a copy of it among the data. */
		extern char **environ;
		int first = 1, second[40] = {2}, third[4], fourth[4];
		extern char hot_begin[], hot_end[];
		__attribute__((noipa)) int hot(int n) {
			volatile int sum = 0;
			__asm__ volatile("hot_begin:");
			for (int i = 0; i < n; i++) sum += i;
			__asm__ volatile("hot_end:");
			return sum;
		}
		int main(int argc, char **argv) {
			hot(20000);
			if (!environ) return third[0] + fourth[0];
			/* Side by side as they ship. */
			const int size = (int)(hot_end - hot_begin), distance = (int)labs((char *)&first - (char *)second);
			printf("cost: %d\n", 1000 - (strcmp(argv[argc - 1], "nops") ? distance : size));
		}
	END
	interfero-gcc -O2 axes.c -o axes
	[ "$(./axes data)" = "cost: 840" ]
	try_axes data
	jq -e '.found and .origin == "varied" and .axes_tried == "data"' data.json
	grep -q '^data seed=' data.found/best.plan
	interfero variants -q --plan data.found/best.plan -o data.made ./axes
	jq -e --argjson cost "$("$(find data.made -type f -perm -1)" data | tr -dc 0-9)" '.ratio - $cost / 840 | fabs < 1e-9' data.json
	# Those of --axes alone.
	try_axes data --axes functions || [ $? = 1 ]
	jq -e '(.found | not) and .axes_tried == "none"' data.json
	is_full_depth || return 0 # compilations
	INTERFERO_SOURCES=1 interfero-gcc -O2 axes.c -o axes
	try_axes nops
	jq -e '.found and .origin == "varied" and .axes_tried == "data,unit-order,nops,align,frames,globals,alias-check"' nops.json
	grep -q '^nops seed=.* only=hot' nops.found/best.plan
	try_axes data --axes functions,globals
	jq -e '.found and .axes_tried == "globals"' data.json
}

@test "functions that attribution names are moved alone, and all of them together" {
	# Each costs 5 less in a quarter of a line of its own. Of four layouts two are heuristics, and the third is attribution's:
	# it names all units, as a local move does, of which none is chosen here.
	cat >blamed.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#define FUNCTION(n) __attribute__((noipa)) static void f##n(void) { __asm__ volatile(".rept 16\n nopl (%rax)\n .endr"); }
		FUNCTION(1) FUNCTION(2) FUNCTION(3)
		static int misses(void (*f)(void), unsigned quarter) { return (uintptr_t)f / 16 % 4 != quarter; }
		int main(void) {
			for (int i = 0; i < 2000; i++) f1();
			for (int i = 0; i < 2000; i++) f2();
			for (int i = 0; i < 2000; i++) f3();
			printf("cost: %d\n", 10 + 5 * (misses(f1, 1) + misses(f2, 2) + misses(f3, 3)));
		}
	END
	interfero-gcc -O2 blamed.c -o blamed
	within 60 interfero optimize -q -n 24 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 0 --rounds 1 --each 4 --contexts 2 \
		--ignore-output -o blamed.found -- ./blamed
	[ "$(blamed.found/round-1/c00002)" = "cost: 10" ]
	grep -q '^order .*crt' blamed.found/round-1/c00002.plan
}

# fact STAGE NAME: of an experiment of the search "short".
fact() {
	sqlite3 "short/$1.exp" "SELECT value FROM fact WHERE name='$2'"
}

# enough NS STAGE: the runs, 1 to 10, of which so many nanoseconds are made.
enough() {
	local run
	run=$(fact "$2" 'reference time_ns')
	echo $((($1 + run - 1) / run < 1 ? 1 : ($1 + run - 1) / run > 10 ? 10 : ($1 + run - 1) / run))
}

@test "short runs are repeated more often, and those of the confirmation stay" {
	local runs='SELECT count(*), min(started_ns) FROM run WHERE repetition < 10'
	within 60 interfero optimize --json -n 6 -r 1 --rounds 0 --contexts 2 --axes functions -o short -- ./equal >short.json || true
	# 0.1 s a layout in a step, and 2 s in the two contexts of the confirmation, by the length of the first run.
	[ "$(fact random 'rounds planned')" = "$(enough 100000000 random)" ]
	planned=$(fact confirmation 'rounds planned')
	[ "$planned" = "$(enough 1000000000 confirmation)" ]
	[ "$planned" -gt 1 ]
	jq -e --argjson planned "$planned" '.workloads[0] | .runs == 2 * $planned and .run_ns > 0' short.json
	sqlite3 short/confirmation.exp "$runs" >before
	within 60 interfero optimize -q -n 6 -r 1 --rounds 0 --contexts 2 --axes functions -o short -- ./equal || true
	[ "$(sqlite3 short/confirmation.exp "$runs")" = "$(cat before)" ]
	# A program that measures itself decides about its runs.
	[ "$(sqlite3 "$place/found/confirmation.exp" "SELECT value FROM fact WHERE name='rounds planned'")" = 1 ]
}

@test "the gain is also told as shrunk by the random layouts" {
	# Costs without noise keep all of it; single runs do not tell their noise.
	search -r 2 --rounds 0 --json -o shrunk ./planted >shrunk.json
	jq -e '.faster and .shrunk.kept == 1 and .shrunk.layouts == 8 and (.shrunk.ratio - .ratio | fabs < 1e-9)' shrunk.json
	search -r 2 --rounds 0 -o shrunk ./planted | tr '\n' ' ' | tr -s ' ' | grep -q 'Shrunk by what random layouts gain (empirical Bayes): -.* It keeps 100 % of the distance of both confirmations from the mean of 8 random layouts'
	jq -e '.shrunk == null' "$place/drawn.json"
}

@test "modelled cycles of measured and promising layouts take part" {
	search --learn-from skylake --rounds 1 --json -o modelled ./planted >modelled.json
	# The shipped layout and eight random ones, then those of the shortlists.
	jq -e '.faster and .layouts_modelled > 9 and .layouts_modelled <= 9 + 4 * 4' modelled.json
	jq -e '.layouts_modelled == 0' "$place/drawn.json"
	refuse 2 'nowhere' -- interfero optimize --learn-from nowhere -- ./planted
}

@test "local moves begin from measured layouts and keep their distances" {
	# Layouts of a move name every unit, and have the axes of the layout that they come from.
	cd "$place"
	search --for mean --each 8 -o moves ./planted >moves.text || true
	local plan seed found=0
	for plan in moves/round-?/*.plan; do
		[ "$(grep -c '^order .*crt' "$plan")" = 0 ] || found=$((found + 1))
		seed=$(sed -n 's/^padding seed=\([0-9]*\).*/\1/p' "$plan")
		[ -z "$seed" ] || ! grep -q '^order ' "$plan" ||
			[ "$(sqlite3 moves/random.exp "SELECT count(*) FROM variant WHERE plan LIKE '%padding seed=$seed%'")" = 1 ]
	done
	[ $found -gt 0 ]
}

@test "a held-out input tells where the layout found is slower" {
	cd "$place"
	cp -r found held
	search --held-out worse --json -o held ./planted >held.json
	shipped=$(./planted worse | tr -dc 0-9)
	jq -e --argjson shipped "$shipped" '.faster and (.held_out[0] | .slower and (.ratio - 7 / $shipped | fabs < 1e-9))' held.json
	search --held-out worse -o held ./planted | grep -q '^  - With the arguments worse it is slower: +'
	refuse 2 'a quote stays open in "'"it's"'"' -- interfero optimize -n 8 -r 1 --rounds 0 --contexts 2 --held-out "it's" -- ./equal
}

@test "other linkers follow the written order" {
	cd "$place"
	order=$(grep -xE 'main|f[123]' drawn/best.order | tr '\n' ' ')
	[ "$order" != "main f1 f2 f3 " ]
	for linker in lld,--symbol-ordering-file=drawn/best.order gold,--section-ordering-file=drawn/best.sections; do
		# Debian 13 has gold in a package of its own.
		command -v "ld.${linker%,*}" >/dev/null || continue
		gcc -O2 -ffunction-sections planted.c "-fuse-ld=${linker%,*}" "-Wl,${linker#*,}" -o linked
		[ "$(nm linked | sort | sed -n 's/.* [tT] \(f[123]\|main\)$/\1/p' | tr '\n' ' ')" = "$order" ] || say "$linker"
	done
}

@test "its JSON gives the ratio that the costs have" {
	shipped=$(./planted | tr -dc 0-9)
	cd "$place"
	search --json -o found ./planted >again
	jq -e --argjson shipped "$shipped" '.faster and (.ratio - 3 / $shipped | fabs < 1e-9) and .layouts_measured >= 9' again
	runs=0
	for stage in found/{random,round-*,finalists-*}.exp; do
		runs=$((runs + $(sqlite3 "$stage" 'SELECT count(*) FROM run WHERE NOT twin')))
	done
	jq -e --argjson runs "$runs" '.runs_searched == $runs' again
	jq -e '.again.ratio == .ratio' again
	jq -e '.features[].name | select(test("windows of 64 bytes entered"))' again >/dev/null
}

@test "a random layout is written with its order by name, and gives the cost that was confirmed" {
	cd "$place"
	shipped=$(./planted | tr -dc 0-9)
	grep -q '^order planted.c:.text.f1$' drawn/best.plan
	not grep '^functions' drawn/best.plan
	interfero variants -q --plan drawn/best.plan -o drawn.best ./planted
	cost=$("$(find drawn.best -type f -perm -1)" | tr -dc 0-9)
	jq -e --argjson cost "$cost" --argjson shipped "$shipped" '.faster and (.ratio - $cost / $shipped | fabs < 1e-9)' drawn.json
	# A later build takes what it still has.
	sed 's/FUNCTION(2)/FUNCTION(2) FUNCTION(4)/' planted.c >later.c
	interfero-gcc -O2 later.c -o later
	interfero variants --plan drawn/best.plan -o later.best ./later | grep -q 'places: [0-9]* of [0-9]* followed'
}

@test "an interrupted search goes on with the runs it has" {
	cd "$place"
	cp -r found copy
	rm copy/again.exp copy/confirmation.exp copy/finalists-*.exp
	before=$(sqlite3 copy/round-1.exp 'SELECT max(started_ns) FROM run')
	search -q -o copy ./planted
	[ "$(sqlite3 copy/round-1.exp 'SELECT max(started_ns) FROM run')" = "$before" ]
	cmp copy/best.plan found/best.plan
}

@test "killed at any moment, a search goes on where it stopped and finds the same" {
	need_full_depth # seconds; the test above has the same rule
	cd "$place"
	cp -r found killed
	for stage in finalists-1 round-1 random; do
		# The search up to a part of this stage.
		rm -rf killed/{again,confirmation,finalists-1,finalists-2}.exp killed/best.* killed/$stage.exp
		[ $stage = finalists-1 ] || rm -rf killed/round-*.exp
		interfero optimize -q -n 8 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --candidates 4 --each 4 --contexts 4 --ignore-output \
			-o killed -- ./planted &
		search=$!
		while [ "$(sqlite3 killed/$stage.exp 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -lt 2 ]; do
			kill -0 $search
			sleep 0.01
		done
		kill -9 $search
		wait $search || true
		sqlite3 killed/$stage.exp 'SELECT variant, repetition, started_ns FROM run' >before
		search -q -o killed ./planted
		sqlite3 killed/$stage.exp 'SELECT variant, repetition, started_ns FROM run' >after
		[ "$(grep -cxFf before after)" = "$(wc -l <before)" ] || say "runs of $stage are lost"
		cmp killed/best.plan found/best.plan
	done
}

@test "a search with fewer rounds, or less time, goes on: what earlier stages chose begins anew" {
	search -q --rounds 0 -o longer ./planted || [ $? = 1 ]
	[ ! -e longer/finalists-1.exp~ ]
	runs=$(sqlite3 longer/random.exp "SELECT count(*) FROM run")
	search --json -o longer ./planted >json
	jq -e '.found and .layouts_measured > 8' json
	[ -e longer/finalists-1.exp~ ]
	[ "$(sqlite3 longer/random.exp "SELECT count(*) FROM run")" = "$runs" ]
}

@test "reports of its stages advise no command that would measure other layouts" {
	run --separate-stderr interfero report "$place/found/finalists-1.exp" -m cost
	[ "$status" = 0 ]
	not grep 'interfero bench' <<<"$output"
	interfero report "$place/found/random.exp" -m cost | grep 'interfero bench\|interfero compare' >/dev/null
}

@test "where all layouts are equal, none is called faster" {
	run --separate-stderr search -o none ./equal
	[ "$status" = 1 ]
	grep -q '^No layout found is faster' <<<"$output"
	[ ! -e none/best.plan ]
}

@test "a gain that a second confirmation does not find is none" {
	# No layout gains once the second confirmation begins.
	sed 's/int cost = /int cost = !fopen("once\/again.exp", "r") ? 0 : 5; if (!cost) cost = /' ../planted.c >fickle.c
	interfero-gcc -O2 fickle.c -o fickle
	run --separate-stderr search -o once ./fickle
	[ "$status" = 1 ]
	grep -q '^No layout found is faster: .* a first confirmation tells -.* and a second in other contexts +0.0 %' <(tr '\n' ' ' <<<"$output" | tr -s ' ')
	[ ! -e once/best.plan ]
	run -1 --separate-stderr search --json -o once ./fickle
	jq -e '(.found or .faster | not) and .again.ratio == 1 and .ratio < 1' <<<"$output"
}

@test "a budget too short for a step names one that is enough, and what has run stays" {
	refuse 2 'the step "recording"' "The same command with --budget " -- \
		interfero optimize -q -n 6 --budget 1ms -o short -- ./equal
	# However fast the machine is: an answer, with what was left out, or the step and a budget.
	for budget in 500ms 2s 6s; do
		status=0
		within 60 interfero optimize --json -n 6 -r 1 --each 2 --contexts 2 --budget $budget -o short -- ./equal >json 2>errors || status=$?
		case $status in
		0 | 1) jq -e '.skipped | type == "array"' json ;;
		2) grep -Eq 'too short for the step "[a-z0-9-]+": .* with --budget [0-9]+s goes on from here' errors ;;
		*) false ;;
		esac || say "$budget: $status $(cat errors)"
	done
}

@test "what cannot be searched is refused" {
	cp ./planted bare
	objcopy --remove-section=.note.gnu.build-id bare
	refuse 2 'bare has no kit' -- interfero optimize -- ./bare
	refuse 2 'stack is not of it' -- interfero optimize -a functions,stack -- ./planted
	refuse 2 'leave model and auto out' -- interfero optimize -c clock,model -- ./planted
	refuse 2 'learns from 6' -- interfero optimize -n 3 -- ./planted
	refuse 2 '"nope"' -- interfero optimize -n 6 -r 1 -m nope -- ./equal
	[ ! -e equal.optimize/random.exp ]
}
