#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs without a kit, and experiments in which only the process varies: stack, heap, blocks, load, copies.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	gcc -O1 "$programs/where.c" -o where # another build-id than the kit's
	gcc -O2 -static "$programs/where.c" -o fixed
	interfero-gcc -O2 "$programs/where.c" -o kitted
	interfero bench -q --counters clock -n 3 -r 2 -o plain.exp -- ./where "$place/plain.log"
}

setup() {
	use_own_folder
	cp ../where ../fixed ../kitted .
}

teardown_file() {
	drop_own_kits
}

@test "a program without a kit varies its process, and one line says what gives more" {
	run -0 --separate-stderr interfero bench --counters clock -n 2 -r 1 -o e.exp -- ./where "$here/log"
	explain "where has no kit" "--axes stack,heap,blocks,load,copies" "CC=interfero-gcc has a kit"
	[ "$(sql e.exp "SELECT value FROM fact WHERE name = 'axes'")" = stack,heap,blocks,load,copies ]
	[ "$(sql e.exp "SELECT count(*) FROM run WHERE refused IS NULL")" -ge 3 ]
	# The stack began elsewhere in each layout.
	grep variants/ log | cut -d' ' -f3 | sort -u | distinct 3
	# No word on code.
	not grep -qiE 'functions|link order|Movable|blame|interfero variants' <<<"$output"
	[[ $output == *"Kit: none"* ]]
}

@test "a static program has no heap and no blocks to vary" {
	run -0 --separate-stderr interfero bench --counters clock -n 1 -r 1 -o e.exp -- ./fixed "$here/log"
	explain "--axes stack,load,copies"
}

@test "an axis that needs a kit is refused where there is none" {
	refuse 2 "has no kit" "CC=interfero-gcc" "to vary functions;" "stack,heap,blocks,load,copies" -- \
		interfero bench -a functions,stack -- ./where "$here/log"
	refuse 2 "has no kit" "to vary padding" -- interfero compare -a padding ./kitted ./where -- "$here/log"
}

@test "two programs without kits are compared, and so is one with a kit" {
	local old
	for old in ./fixed ./kitted; do
		run -0 --separate-stderr interfero compare --fail-above 900 --counters clock -n 2 -r 1 -o $old.exp $old ./where -- "$here/log"
		explain "has no kit" "stack,"
		[[ $output == Verdict:* ]]
	done
	not grep -q functions <<<"$(sql kitted.exp "SELECT value FROM fact WHERE name = 'axes'")"
}

# where prints the inode of its file: a copy is another file.
@test "the axis copies keeps one copy a layout, and the shipped layout takes fresh ones" {
	interfero bench -q --counters clock -a copies -n 3 -r 3 -o e.exp -- ./where "$here/log"
	local name
	for name in v00001 v00002 v00003; do
		[ "$(grep "variants/$name$" log | cut -d' ' -f6 | sort -u | wc -l)" -eq 1 ]
		[ "$(sql e.exp "SELECT count(DISTINCT copy) FROM run r JOIN variant v ON v.id = r.variant WHERE v.name = '$name'")" -eq 1 ]
	done
	[ "$(sql e.exp "SELECT count(DISTINCT copy) FROM run r JOIN variant v ON v.id = r.variant WHERE v.layout = 0")" -eq 3 ]
	# The best copy cannot be chosen, so that no command claims to.
	interfero report e.exp >text
	not grep -q 'interfero run\|interfero variants' text
	# A file that was removed and made again is another copy.
	interfero bench -q --counters clock -a copies -n 3 -r 4 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT group_concat(copy) FROM run r JOIN variant v ON v.id = r.variant WHERE v.name = 'v00001'")" = 0,0,0,1 ]
}

# where prints argv[0], the length of the path that the kernel executed, and the address of argv.
@test "sweeps of the program's path and of argv[0] move the stack by as many bytes" {
	local name
	for name in path argument; do
		interfero bench -q --counters clock --no-profile --sweep stack:$name-bytes=0:64:32 -r 1 -o e.exp -- \
			./where "$here/$name.log"
		python3 - "$name" "$here/$name.log" <<-'END'
			import re, sys
			runs = {}
			for line in open(sys.argv[2]):
			    fields = line.split()
			    if variant := re.search("variants/v0000([1-3])$", fields[-1]):
			        runs[int(variant[1])] = len(fields[0]), int(fields[1]), int(fields[2], 16)
			moved = [tuple(runs[i + 1][j] - runs[1][j] for j in range(3)) for i in range(3)]
			path = sys.argv[1] == "path"
			assert moved == [(0 if path else n, n if path else 0, -n) for n in (0, 32, 64)], moved
		END
		rm -r e.exp*
	done
	printf 'interfero-plan 1\nstack seed=1 bytes=0 path-bytes=16 argument-bytes=5\n' >longer.plan
	interfero run --plan longer.plan -- ./where "$here/run.log" >/dev/null
	[[ $(cat run.log) == ".//////where 272 "* ]]
	PATH=.:$PATH refuse 2 "no slash" -- interfero run --plan longer.plan -- where "$here/run.log"
	interfero record -q -o x.trace -- ./where "$here/x.log"
	refuse 2 "stack:path-bytes" -- interfero replay --plan longer.plan x.trace
}

@test "bench --axes all takes a program without a kit, too, and no kept copies" {
	interfero bench -q --counters clock -a all -n 1 -r 1 -o e.exp -- ./where "$here/log"
	[ "$(sql e.exp "SELECT value FROM fact WHERE name = 'axes'")" = stack,heap,blocks,load ]
}

# The addresses that the program saw in bench and in run are the same.
@test "the report's command runs the program in the layout" {
	local command number
	interfero bench -q --counters clock -a stack,load -n 3 -r 1 -o e.exp -- ./kitted "$here/log"
	interfero report e.exp >text
	command=$(sed -n '/^    interfero run/,/--/p' text)
	number=$(sed -n 's/.*-n \([0-9]*\).*/\1/p' <<<"$command")
	grep "variants/v0000$number$" log | cut -d' ' -f1-5 | sort -u >bench
	rm log
	eval "$command" >/dev/null
	cut -d' ' -f1-5 log >run
	diff bench run
	# By the plan alone.
	sed -n '/^    interfero-plan/,/^$/s/^    //p' text >best.plan
	rm log
	interfero run --plan best.plan -- ./kitted "$here/log" >/dev/null
	cut -d' ' -f1-5 log | diff bench -
	not grep -q 'interfero variants' text
}

@test "run makes the variant of a plan that moves code, and hands the status on" {
	interfero run -a functions,stack -n 2 -- ./kitted "$here/log" >out
	[ "$(cat out)" = fine ]
	run -1 interfero run -a stack -n 2 -- ./where
	refuse 2 "which layout" -- interfero run -- ./where
	refuse 2 "has no kit" -- interfero run -a functions -n 2 -- ./where "$here/log"
}

@test "variants refuses axes that are no property of a file, and names what applies them" {
	refuse 2 "stack,load" "not of a file" "interfero run --seed 1 --axes stack,load -n 3 -- ./kitted" -- \
		interfero variants -a stack,load -n 3 -o out ./kitted
	printf 'interfero-plan 1\nname a\nheap seed=1\n' >heap.plan
	refuse 2 "heap" "interfero run --plan heap.plan -- ./kitted" -- interfero variants --plan heap.plan -o out ./kitted
	run -0 --separate-stderr interfero variants -a functions,stack -n 1 -o out ./kitted
	[[ $stderr == *"stack: of a process"*"interfero run --seed 1 --axes functions,stack -n 1"* ]]
}

@test "blame says that no code moved" {
	run -0 interfero blame ../plain.exp
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"only the stack, heap, blocks, load and copies varied"* ]]
}

@test "an experiment is read in a folder in which nobody may write" {
	need setpriv
	mkdir closed
	cp ../plain.exp closed
	chmod 555 closed
	chmod a+rx . "$place"
	setpriv --reuid=65534 --clear-groups --bounding-set=-all test -r closed/plain.exp || skip "others cannot come to this folder"
	run -0 --separate-stderr setpriv --reuid=65534 --clear-groups --bounding-set=-all interfero report closed/plain.exp
	chmod 755 closed
	[ -z "$stderr" ]
	[[ $output == *v00001* ]]
}

@test "a printed command can be pasted, whatever the names" {
	local name=$'a b\nc\td\'e\\f\xffg' command
	cp where "$name"
	interfero bench -q --counters clock -a stack -n 2 -r 1 -o e.exp -- "./$name" "$here/log"
	# By nanoseconds: of processor time, in microseconds, two layouts may have the same, and then none is the fastest.
	interfero report -m duration_time e.exp >text
	command=$(sed -n '/^    interfero run/,/--/p' text)
	[[ $command == *"\$'./a b\\nc\\td\\047e\\134f\\377g'"* ]] || say "$command"
	rm log
	eval "$command"
	[ "$(wc -l <log)" -ge 1 ]
}
