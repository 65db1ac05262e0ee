#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The cures that an audit proposes for what it found, and measures. By the model, whose figures are the same every time.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	export studies="$BATS_TEST_DIRNAME/../../examples/studies"
	# Behind i, j and k come eight bytes, so that what follows would be at byte 8 of 16.
	echo 'char behind[8];' >behind.c
	interfero-gcc -O0 -g -DROUNDS=2048 "$studies/micro-kernel/micro-kernel.c" behind.c -o micro
	gcc -std=c11 -D_GNU_SOURCE -O3 -fno-tree-vectorize "$studies/heap-pair/heap-pair.c" -o pair
}

setup() {
	use_own_folder
	cp ../micro ../pair .
}

teardown_file() {
	drop_own_kits
}

audit() { # OPTION... -- COMMAND
	within 120 interfero audit --counters model --core=none --no-profile "$@"
}

aliases() { # OPTION... -- COMMAND
	audit --machine ivybridge --metric ld_blocks_partial.address_alias "$@"
}

# The most aliases of a program over a period of environment sizes, as it is.
most_aliases() { # PROGRAM
	within 60 interfero bench -q --counters model --machine ivybridge --core=none --no-profile --fresh -o period.exp \
		--sweep stack:bytes=0:4080:16 -- "$1"
	sql period.exp "SELECT CAST(max(value) AS INTEGER) FROM simulated JOIN counter c ON c.id = counter WHERE name = 'ld_blocks_partial.address_alias'"
}

# The spike of the thesis: the static variables meet inc and g in one of 256 stacks, at bytes 8 to 15 of 16. At bytes 0 to 7
# they meet them in none. Ref: Melhus 2013, section 4.1.1.
@test "the spike of the micro-kernel has a cure, which removes its events in fresh contexts, and in the variant" {
	local runs
	aliases --triggers environment --json --cures 1 -- ./micro >json
	[ "$(jq -r '.cures | length' json)" = 1 ]
	[ "$(jq -r '.cures[0] | "\(.trigger) \(.verdict) \(.effect) \(.contexts) \(.exhaustive) \(.event.name)"' json)" = \
		"environment helps helps 256 true ld_blocks_partial.address_alias" ]
	# Five loads in each round, and with the cure those of the loader alone.
	[ "$(jq '.cures[0] | .event.most_without > 5 * 2040 and .event.most_with < 2100 and .worst_context.high < 0.2' json)" = true ]
	[ "$(jq '.cures[0] | .worst_context.above_median_with < .worst_context.above_median_without / 5' json)" = true ]
	[ "$(jq '.cures[0] | .spread.with.sd < .spread.without.sd' json)" = true ]
	# Fresh: sizes behind those that found it, and another seed.
	[ "$(jq -r '.triggers[0].sweep + " " + .cures[0].sweep' json)" = "stack:bytes=0:8176:16 stack:bytes=8192:12272:16" ]
	[ "$(jq '.cures[0].seed != .triggers[0].seed' json)" = true ]
	jq -r '.cures[0].plan' json >cure.plan
	interfero variants -q --plan cure.plan -o cured ./micro
	[ "$(sed -n 's/^at .*\.bss\.//p' cure.plan | tr '\n' ' ')" = "j k " ]
	[ $((0x$(nm cured/cure | awk '$3 == "j" {print $1}') % 16)) -lt 8 ]
	[ $((0x$(nm cured/cure | awk '$3 == "k" {print $1}') % 16)) -lt 8 ]
	[ "$(most_aliases ./micro)" -gt 10000 ]
	[ "$(most_aliases ./cured/cure)" -lt 2100 ]
	# The same command continues, and has nothing left to do; the recording is that of the trigger.
	runs=$(sql micro.audit/cure-1.exp "SELECT count(*), max(started_ns) FROM run")
	aliases --triggers environment --json --cures 1 -- ./micro | jq .cures >again
	diff again <(jq .cures json)
	[ "$(sql micro.audit/cure-1.exp "SELECT count(*), max(started_ns) FROM run")" = "$runs" ]
	[ "$(stat -c %i micro.audit/cure-1.exp.2.trace)" = "$(stat -c %i micro.audit/environment.exp.trace)" ]
	aliases --triggers environment --cures 1 -- ./micro >text
	grep -q '^cure 1, of environment, helps: at 0x' text
	grep -q 'interfero variants --plan cure.plan -o cured' text
	grep -q 'It helps: ld_blocks_partial.address_alias -' text
	[ "$(awk 'length > 80 && !/interfero variants/' text)" = "" ]
}

@test "a program without a bias has no cure, nor has a mechanism against which nothing can be moved" {
	audit --triggers environment,load --metric instructions --json -- ./micro >json
	[ "$(jq -c '[.cures, (.triggers | map(.found))]' json)" = "[[],[false,false]]" ]
	[ "$(ls micro.audit)" = "environment.exp
environment.exp.trace
load.exp
load.exp.trace" ]
	gcc -O0 -g -DROUNDS=2048 "$studies/micro-kernel/micro-kernel.c" -o bare
	aliases --triggers environment -- ./bare >text
	grep -q "No cure is proposed" text
	[ ! -e bare.audit/cure-1.exp ]
}

# Eight lines lie in one set of eight ways, and in one stack of 64 lines the loop's variables, too. Wherever the table goes,
# there is such a stack: the cure moves the spike, and cures nothing.
@test "a cure that moves the spike elsewhere is withdrawn" {
	cat >sets.c <<-'END'
		static _Alignas(64) volatile char table[8][4096];
		int main(void) {
			_Alignas(16) struct { long round, line; } on = {0};
			for (on.round = 0; on.round < 500; on.round++)
				for (on.line = 0; on.line < 8; on.line++)
					(void)table[on.line][5 * 64];
			return 0;
		}
	END
	interfero-gcc -O0 -g sets.c -o sets
	audit --machine ivybridge,l1d.policy=lru --metric L1-dcache-load-misses --triggers environment --json -- ./sets >json
	[ "$(jq -r '.cures[0] | "\(.verdict) \(.effect) \(.event.name)"' json)" = "withdrawn does not help L1-dcache-load-misses" ]
	[ "$(jq '.cures[0] | .worst_context.ratio > 0.99 and .worst_context.ratio < 1.01 and .event.most_with > 4000' json)" = true ]
	# The table did move, by half of the 64 sets of 64 bytes.
	[ $((($(jq -r '.cures[0].plan' json | awk '$1 == "at" {print $2}') - 0x$(nm sets | awk '$3 == "table" {print $1}')) % 4096)) = 2048 ]
	audit --machine ivybridge,l1d.policy=lru --metric L1-dcache-load-misses --triggers environment -- ./sets >text
	grep -q '^cure 1, of environment, withdrawn: at 0x' text
	grep -q 'It is not advised' text
	run ! grep -q 'cure.plan' text
}

# Where the arrays' page offsets agree with one of the four loads, it meets the last stores; half a page apart, none does.
@test "two large blocks that meet in some placements have the alias-free allocator, without a kit" {
	cat >meet.c <<-'END'
		#include <stdlib.h>
		int main(void) {
			float *from = calloc(40000, sizeof *from), *to = calloc(40000, sizeof *to);
			for (unsigned i = 0; i + 600 < 20000; i++)
				to[i] = from[i] + from[i + 200] + from[i + 400] + from[i + 600];
			return to[5] != 0;
		}
	END
	gcc -O1 -fno-tree-vectorize meet.c -o meet
	aliases --triggers blocks --json -- ./meet >json
	[ "$(jq -r '.cures[] | "\(.verdict) \(.plan)"' json)" = "helps interfero-plan 1
blocks seed=0 policy=2" ] || say "$(<json)"
	[ "$(jq '.cures[0] | .event.most_without > 19000 and .event.most_with < 2500 and .worst_context.high < 0.2' json)" = true ] || say "$(<json)"
}

# Both arrays begin a page, so that each load but the first meets the store before it, under every stack; the loader's pairs
# differ with the stack. A store to a block meets a static variable wherever blocks are apart from one another.
@test "pairs that alias as often in the best layout, or of a block with something else, have no cure by placing blocks" {
	cat >same.c <<-'END'
		#include <stdlib.h>
		int main(void) {
			float *from = calloc(40000, sizeof *from), *to = calloc(40000, sizeof *to);
			for (unsigned i = 0; i < 3000; i++)
				to[i + 1] = from[i];
			return to[5] != 0;
		}
	END
	gcc -O1 -g -fno-tree-vectorize same.c -o same
	aliases --triggers environment --environment-increment 128 --json -- ./same >json
	[ "$(jq '.triggers[0] | .found and .names.aliases.loads_best > 2990 and (.names.aliases.pairs | length > 0)' json)" = true ] || say "$(<json)"
	! grep -q 'same.c:5' <(jq .triggers[0].names.aliases json) || say "$(<json)"
	[ "$(jq -c .cures json)" = "[]" ] || say "$(<json)"
	cat >table.c <<-'END'
		#include <stdlib.h>
		volatile int table[256];
		int main(void) {
			volatile int *to = malloc(200000);
			for (int i = 0; i < 200; i++)
				for (int j = 0; j < 256; j++)
					to[0] = table[j];
			return 0;
		}
	END
	gcc -O1 -g table.c -o table
	aliases --triggers blocks --json -- ./table >json
	[ "$(jq '.triggers[0].names.aliases.pairs[0] | .loads - .loads_best >= 199 and (.load.data | startswith("table"))' json)" = true ] || say "$(<json)"
	[ "$(jq '.triggers[0].names.aliases | .interventions[0].moved == "table" and .interventions[0].remaining < .loads_best + 20' json)" = true ] ||
		say "$(<json)"
	[ "$(jq -c .cures json)" = "[]" ] || say "$(<json)"
}

# The starts of the text in the contexts of the second cure, without it (v) or with it (w).
text_starts() { # LETTER
	sql hot.audit/cure-2.exp "SELECT plan FROM variant WHERE name GLOB '$1*' AND layout > 0" | grep '^base ' | grep -o 'bytes=[0-9]*$'
}

@test "the loop whose windows change is aligned, and the best layout is pinned, on fresh text addresses" {
	cat >hot.c <<-'END'
		__attribute__((noinline, noclone)) static int hot(int n) {
			do
				__asm__ volatile(".globl hot_begin\nhot_begin: .skip 48, 0x90");
			while (--n);
			return n;
		}
		int main(void) { return hot(5000); }
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -fno-unroll-loops hot.c -o hot
	audit --machine ivybridge --metric windows-32 --triggers text --json -- ./hot >json
	# 53 bytes from 16 modulo 32 enter three windows, from 0 two.
	[ "$(jq -r '.cures | map(.verdict + " " + (.plan | split("\n")[1] | split(" ")[0])) | join(", ")' json)" = \
		"helps align, helps base" ]
	jq -r '.cures[0].plan' json | grep -q 'loop-bytes=32 only=hot$'
	[ "$(jq '.cures[0] | .event.most_without - .event.most_with > 4900 and .spread.with.sd < 0.001' json)" = true ]
	# Without the pin, the text begins where each context says; with it, where the pin says; both under the context's stack.
	[ "$(text_starts v | sort -u | wc -l)" = 64 ]
	[ "$(text_starts w | sort -u)" = "$(jq -r '.cures[1].plan' json | grep -o 'bytes=[0-9]*$')" ]
	[ "$(sql hot.audit/cure-2.exp "SELECT count(*) FROM variant v JOIN variant w USING (layout) WHERE v.program = 0 AND w.program = 1 AND layout > 0
		AND substr(v.plan, instr(v.plan, 'stack')) = substr(w.plan, instr(w.plan, 'stack'))")" = 64 ]
}

@test "a pair in a function with sources has its loops in two versions, which the model leaves to the clock" {
	need_full_depth # compiles, and sweeps the stack twice
	INTERFERO_SOURCES=1 interfero-gcc -O0 -g -ffunction-sections -DROUNDS=2048 "$studies/micro-kernel/micro-kernel.c" -o micro
	aliases --triggers environment --json --cures 3 -- ./micro >json
	[ "$(jq -r '.cures[] | select(.plan | test("alias-check .*only=main")) | .verdict' json)" = "not measured" ]
	jq -r '.cures[].not_measured_because' json | grep -q "the model cannot follow the axis alias-check"
	interfero cure -q --counters clock --no-profile -n 2 -r 2 --axes stack --line 'alias-check only=main' -o check.exp -- ./micro
	interfero variants -q -n 1 --axes alias-check --set alias-check:only=main -o checked ./micro
	interfero explain checked/v00001 | grep -q 'two versions 1'
}

# placed.c needs four times as many pages where the function `sensitive` lies badly: 492 pages and 1692, whatever the clock.
@test "the function behind slow layouts is named, moved alone, and put where it is best" {
	interfero-gcc -g -O1 -falign-functions=16 "$programs/placed.c" -o placed
	within 120 interfero audit --counters clock --no-profile -m page-faults --triggers "$(at_depth functions functions,text)" \
		-r 2 --cures 1 --json -- ./placed >json
	[ "$(jq -r '.triggers[0].code | "\(.unit) \(.source) \(.significant) \(.frame_bytes) \(.best_offset) \(.worst_offset)"' json)" = \
		"placed.c:.text.sensitive placed.c:$(grep -n 'sensitive(' "$programs/placed.c" | head -n 1 | cut -d : -f 1) true 64 0 48" ]
	[ "$(jq '.triggers[0].code | .best_address % 64 < 16 and .worst_address % 64 >= 48' json)" = true ]
	[ "$(jq '.triggers[0].code.confirmation | .holds and .layouts > 8 and .ratio > 3.3 and .ratio < 3.5' json)" = true ]
	# All functions lie at the same offsets where the text begins elsewhere: the one that was moved alone stands for them.
	! is_full_depth || [ "$(jq -r '.triggers[1].code | "\(.unit) \(.alike) \(.confirmed_for)"' json)" = "placed.c:.text.sensitive 6 functions" ]
	[ "$(jq -r '.cures[0] | "\(.trigger) \(.verdict)"' json)" = "functions helps" ]
	jq -r '.cures[0].plan' json >cure.plan
	interfero variants -q --plan cure.plan -o cured ./placed
	[ $((0x$(nm cured/cure | awk '$3 == "sensitive" {print $1}') % 64)) -lt 16 ]
}

# Its loop of 29 bytes enters two windows of 64 bytes from 48 modulo 64 on, where the function has the most faults, and one
# from 0. The audit by the clock asks the model afterwards, where its counters leave that open.
@test "what the clock found is replayed, and its windows are named, in text and JSON" {
	sed 's/return value + 1;/do __asm__ volatile(".skip 24, 0x90"); while (--value); return 2;/; s/sensitive(first.*1)))))))/sensitive(5000) + first(second(third(fourth(fifth(1))))))/' \
		"$programs/placed.c" >placed.c
	interfero-gcc -g -O1 -falign-functions=16 placed.c -o placed
	check() { # JSON
		[ "$(jq -r '.triggers[0].names.changes[] | select(.event == "windows-64") | "\(.code | sub(" .*"; "")) \(.worst.windows) \(.best.windows)"' "$1" | head -n 1)" = \
			"sensitive 2 1" ] || say "$(<"$1")"
		# The medians of each event stand in the order of the layouts' values.
		[ "$(jq '.triggers[0] | (.values | length) as $all | (.events | length > 10 and all(.[]; .medians | length == $all))' "$1")" = true ]
		[ "$(jq '.triggers[0] | [.events[] | select(.name == "model:windows-64" or .name == "windows-64")][0] as $e
			| [.values, $e.medians] | transpose | map(select(.[0].layout > 0) | .[1]) | min == $e.low and max == $e.high' "$1")" = true ]
		[ "$(jq '.triggers[0].names.changes[] | select(.event == "windows-64") | .worst.events - .best.events' "$1" | head -n 1)" -ge 4999 ]
	}
	options=(--no-profile -m page-faults --triggers functions -r 2 --cures 0)
	within 120 interfero audit --counters clock,model --core=none "${options[@]}" --json -- ./placed >json
	check json
	[ "$(jq -c '.triggers[0] | [.model_experiment, .no_model_because]' json)" = "[null,null]" ]
	[ ! -e /sys/bus/event_source/devices/cpu ] || return 0 # there, auto counts other events
	within 120 interfero audit --fresh -q --counters clock "${options[@]}" -- ./placed
	[ ! -e placed.audit/functions.model ]
	within 120 interfero audit --counters auto "${options[@]}" --json -- ./placed >json
	check json
	[ "$(jq -r '.triggers[0].model_experiment' json)" = placed.audit/functions.model ]
	within 120 interfero audit --counters auto "${options[@]}" -- ./placed >text
	grep -q 'windows-64: 29 bytes of code in sensitive' <(tr -s ' \n' ' ' <text) || say "$(<text)"
	grep -q 'Events that go along (those of the model on ' <(tr -s ' \n' ' ' <text)
}

# The functions in front of `sensitive` lie at the same offsets. `second` is too long for the gap in front of `aaa`, so that
# those behind would move with `aaa`.
@test "a function that moves alone leaves those behind it where they are" {
	need_full_depth # the same campaign as above
	sed 's/first/aaa/; s/^OTHER(second)/__attribute__((noinline)) int second(int v) { __asm__ volatile(".skip 203, 0x90"); return v; }/' \
		"$programs/placed.c" >placed.c
	interfero-gcc -g -O1 -falign-functions=16 -fno-toplevel-reorder placed.c -o placed
	within 120 interfero audit --counters clock --no-profile -m page-faults --triggers text -r 2 --cures 1 --json -- ./placed >json
	[ "$(jq -r '.triggers[0].code | "\(.unit) \(.confirmation.holds)"' json)" = "placed.c:.text.aaa false" ]
	[ "$(jq '.triggers[0].code.confirmation.ratio | . > 0.99 and . < 1.01' json)" = true ]
}

@test "cures are as many as are wanted, and --fresh sets them aside" {
	aliases --triggers environment --cures 0 --json -- ./micro | jq -c .cures >none
	[ "$(<none)" = "[]" ]
	[ ! -e micro.audit/cure-1.exp ]
	aliases -q --triggers environment -- ./micro
	[ -e micro.audit/cure-1.exp ] && [ ! -e micro.audit/cure-2.exp ]
	aliases -q --triggers load --fresh -- ./micro
	[ -e micro.audit/cure-1.exp~ ] && [ ! -e micro.audit/cure-1.exp ]
	refuse 2 "--cures needs a number from 0 to 100" -- interfero audit --cures 101 -- ./micro
	interfero audit --help | tr -s ' \n' ' ' | grep -q -- "--cures=N Measure N of the cures"
}
