#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Words of the model: what its counts say of two programs, in tables, and what is refused before anything runs.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	build_sql
	# By hand: two mov, twenty add and dec, ten jnz, one xor, one syscall.
	cat >loop.S <<-'END'
		.section .text.start,"ax"
		.globl _start
		_start:
			mov $10, %ecx
		1:	add $3, %edx
			dec %ecx
			jnz 1b
			mov $60, %eax
			xor %edi, %edi
			syscall
		.section .text.other,"ax"
		other:
			ret
		.section .note.GNU-stack,"",@progbits
	END
	sed 's/add \$3/sub $3/' loop.S >less.S
	sed 's/add \$3/and $3/' loop.S >logic.S
	for name in loop less logic; do
		interfero-gcc -nostdlib -static -no-pie $name.S -o $name
	done
}

setup() {
	use_own_folder
	ln -s ../loop ../less ../logic .
}

teardown_file() {
	drop_own_kits
}

# classes EXPERIMENT [BEHIND]
classes() {
	sql "$1" "SELECT value FROM fact WHERE name = 'instructions by class${2:-}'"
}

@test "executed instructions are counted by class, and comparisons say where they are the same" {
	within 60 interfero compare -c model -n 2 -a functions,padding --fail-above 900% -o same.exp ./loop ./less >same
	[ "$(classes same.exp)" = "BINARY 20; COND_BR 10; DATAXFER 2; LOGICAL 1; SYSCALL 1" ] || say "$(classes same.exp)"
	[ "$(classes same.exp ' 2')" = "$(classes same.exp)" ]
	tr -s ' \n' '  ' <same | grep -q "instructions of each class\|the same instructions, class by class"
	tr -s ' \n' '  ' <same | grep -q "Modelled: .* Nothing was timed"
	not grep -q "interleaved\|one run of each\|runs, " same
	[ "$(interfero compare --json same.exp | jq '[.. | .same_instructions? // empty] | .[0]')" = true ]
	within 60 interfero compare -c model -n 2 -a functions,padding --fail-above 900% -o other.exp ./loop ./logic >other
	[ "$(classes other.exp ' 2')" = "BINARY 10; COND_BR 10; DATAXFER 2; LOGICAL 11; SYSCALL 1" ] || say "$(classes other.exp ' 2')"
	not grep -q "each class" other
}

@test "units are ranked by the instructions of the recording where no profile exists" {
	within 60 interfero bench -c model --no-profile -n 3 -a functions,padding -o i.exp -- ./loop >report
	[ "$(sql i.exp 'SELECT instructions FROM unit ORDER BY instructions DESC')" = "$(printf '34\n0')" ] ||
		say "$(sql i.exp 'SELECT name, instructions FROM unit')"
	grep -q "Of 34 instructions in the model's recording:" report || say "$(cat report)"
	grep -q "100 %: start" report
	tr -s ' \n' '  ' <report | grep -q "by executed instructions of the model's recording, as there is no profile"
	[ "$(interfero report --json i.exp | jq -c '.analysis.unit_map | [.basis, .instructions, .rows[0].share]')" = '["instructions",34,1]' ]
	# A later call keeps the counts.
	sql i.exp 'DELETE FROM simulated WHERE variant = 2'
	within 60 interfero bench -q -c model --no-profile -n 3 -a functions,padding -o i.exp -- ./loop
	[ "$(sql i.exp 'SELECT sum(instructions) FROM unit')" = 34 ]
	# An earlier call that ended before it stored the units.
	sql i.exp 'DELETE FROM simulated WHERE variant = 2; DROP TABLE unit; DROP TABLE place'
	within 60 interfero bench -q -c model --no-profile -n 3 -a functions,padding -o i.exp -- ./loop
	[ "$(sql i.exp 'SELECT sum(instructions) FROM unit')" = 34 ]
}

@test "a table of lines takes the model's counters, and cycles that are a sum of them are called that" {
	within 60 interfero bench -c model --core=none -n 8 -a functions,padding -o m.exp -- ./loop >report
	tr -s ' \n' '  ' <report >joined
	[ "$(grep -c 'Which counters correlate' report)" = 0 ] || grep -q "adds these cycles up from the counters" joined
	# A run of the clock's experiment has model:branch-misses and no other.
	within 60 interfero bench -q -c clock,model:branch-misses -n 2 -r 1 -o c.exp -- ./loop
	run interfero report --table1 c.exp
	[[ $output != *"did not record"* ]] || say "$output"
	# Each spelling works for both.
	for name in branch-misses model:branch-misses; do
		for file in m c; do
			run interfero report "--table1=$name" $file.exp
			[[ $output != *"did not record"* ]] || say "$output"
			interfero report -m $name --json $file.exp | jq -r .analysis.metric
		done
	done >metrics
	[ "$(tr '\n' ' ' <metrics)" = "branch-misses model:branch-misses branch-misses model:branch-misses " ]
	within 60 interfero bench -q -c model:branch-misses -m model:branch-misses -n 2 -a functions -o n.exp -- ./loop
	refuse 2 'no "model:cycles"' -- interfero bench -q -c model:branch-misses -m model:cycles -n 2 -o x.exp -- ./loop
	refuse 2 zen4 "which --machine takes" -- interfero bench -q -c model -m zen4 -n 2 -o x.exp -- ./loop
	refuse 2 "more (--counters)" -- interfero bench -q -c model -m nope -n 2 -o x.exp -- ./loop
}

@test "what cannot be is refused before anything runs" {
	local command
	mkdir there
	for command in bench calibrate; do
		refuse 2 'no machine "nope"' -- interfero $command --machine nope -- ./loop
		refuse 2 '"nope"' "cpu_time" -- interfero $command -c clock -m nope -- ./loop
	done
	refuse 2 'no machine "nope"' -- interfero compare --machine nope ./loop ./less
	refuse 2 '"nope"' -- interfero compare -c clock -m nope ./loop ./less
	refuse 2 'no machine "nope"' -- interfero blame x.exp --confirm --machine nope -- ./loop
	refuse 4 "--html" "/nonexist/x.html" -- interfero bench -H /nonexist/x.html -- ./loop
	refuse 4 "--html" "a folder" -- interfero bench --html there -- ./loop
	refuse 4 "--figures" -- interfero bench --figures /nonexist/figures -- ./loop
	refuse 4 "--html" "/nonexist/x.html" -- interfero compare -H /nonexist/x.html ./loop ./less
	refuse 4 "--junit" -- interfero compare --junit /nonexist/x.xml ./loop ./less
	[ "$(ls)" = "$(printf 'less\nlogic\nloop\nthere')" ] || say "$(ls)"
	refuse 2 'predictor is "foo"' -- interfero replay --machine skylake,predictor=foo no.trace
	refuse 2 'direction.kind is "foo"' -- interfero replay --machine skylake,direction.kind=foo no.trace
}

@test "the machine native is the nearest to this processor" {
	family=$(sed -n 's/^cpu family[^0-9]*//p' /proc/cpuinfo | head -n 1)
	model=$(sed -n 's/^model[^0-9a-z]*: //p' /proc/cpuinfo | head -n 1)
	run --separate-stderr interfero replay --describe-machine --machine native,l1i.ways=4
	[[ $stderr == *"native: "*" family $family model $model)"* ]] || say "$stderr"
	if [ "$status" != 0 ]; then
		explain "no description is near this processor" "--machine help"
		return
	fi
	name=$(sed -n 's/^interfero: native: \([a-z0-9-]*\)[ ,].*/\1/p' <<<"$stderr")
	[ "$output" = "$(interfero replay --describe-machine --machine "$name,l1i.ways=4")" ]
	within 60 interfero bench -q -c model -n 2 --machine native -o native.exp -- ./loop 2>said
	grep -q "native: $name" said
	[ "$(sql native.exp "SELECT value FROM fact WHERE name = 'machine'")" = "$name" ]
}

@test "a machine is described in 80 columns, and so are all there are" {
	local machine
	interfero replay --machine help >list
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' list
	grep -q '^  pipeline.table  ' list || grep -q '^  *pipeline.table ' list
	grep -A1 '^  l1i.policy ' list | grep -q '^ \{25\}[a-z(]'
	for machine in skylake cachegrind zen2; do
		interfero replay --describe-machine --machine $machine >described
		awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' described
		grep -q '^core.width = ' described
	done
}

@test "a comparison that its budget ended says so, and leaves no variants" {
	# The words are tested by test_comparison; what a budget allows depends on the machine.
	need_full_depth
	interfero-gcc -O0 "$programs/subject.c" -o subject
	# No budget has time for ten thousand repetitions of 50 ms, and every one for some.
	within 160 interfero compare -c clock -n 2 -r 10000 -a functions --budget 60s -o b.exp ./subject ./subject -- sleep 50 >text || true
	tr -s ' \n' '  ' <text | grep -q "Partial results: the time budget was used up. The plan was 2 random layouts with 10000 runs each" ||
		say "$(cat text)"
	[ ! -e b.exp.variants ]
}
