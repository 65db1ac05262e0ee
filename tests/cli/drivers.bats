#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --program: a driver starts the program; --prepare and --warmup: what comes before each run; threads, and processes that a
# program leaves.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	build_subject
	interfero-gcc -O1 "$programs/subject.c" -o other
	interfero-gcc -O1 "$programs/leaves.c" -o leaves -lpthread
}

setup() {
	use_own_folder
	cp ../subject ../other ../leaves .
	# drive COMMAND...: a driver of that script, and the runs that it saw.
	cat >drive <<'END'
#!/bin/sh
eval "$1"
END
	chmod +x drive
}

teardown_file() {
	drop_own_kits
}

need_mounts() {
	unshare -m true 2>/dev/null || unshare -Um true 2>/dev/null || skip "mounting is not allowed here"
}

@test "a driver finds each layout at the program's path and by its name; the program's file stays as it is" {
	need_mounts
	digest=$(sha256sum <subject)
	within 60 interfero bench -q -c clock -n 3 -r 2 --ignore-output --program ./subject -o d.exp -- \
		./drive "sha256sum <\$PWD/subject >>by_path; sha256sum <\"\$(command -v subject)\" >>by_name; ./subject"
	cmp by_path by_name
	# The shipped file and three variants, all of them files that the experiment knows.
	[ "$(sort -u by_path | wc -l)" = 4 ]
	sort -u by_path | sed 's/ .*//' >seen
	sql d.exp 'SELECT sha256 FROM variant ORDER BY sha256' | cmp - seen
	[ "$(sha256sum <subject)" = "$digest" ]
	# A bundle has no place for a driver to look at.
	refuse 2 'measured by a driver' "$PWD/subject" -- interfero pack d.exp
	[ ! -e d.exp.bundle ]
	# The same once more, from the experiment alone.
	sort -u by_path >first
	rm by_path
	within 60 interfero bench -q --again d.exp -o again.exp
	sort -u by_path | cmp - first
	[ "$(sql d.exp 'SELECT count(refused) FROM run')" = 0 ]
}

@test "both programs of a comparison take the place that the driver knows" {
	need_mounts
	mkdir place
	cp subject place/prog
	within 60 interfero compare -q -c clock -n 2 -r 1 --ignore-output --program place/prog -o c.exp ./subject ./other -- \
		./drive "sha256sum <place/prog >>seen; place/prog" || [ $? = 1 ]
	sort -u seen | sed 's/ .*//' | cmp - <(sql c.exp 'SELECT DISTINCT sha256 FROM variant ORDER BY sha256')
	[ "$(sort -u seen | wc -l)" -ge 5 ]
}

@test "--prepare and --warmup: before each run, and not measured" {
	need_mounts
	within 60 interfero bench -q -c clock -n 2 -r 2 --prepare 'echo p >>log' --warmup 2 --program ./subject -o p.exp -- \
		./drive "echo r >>log; ./subject"
	runs=$(sql p.exp 'SELECT count(*) FROM run')
	# Two reference runs, and two unmeasured runs before each measured one; a preparation before each of all.
	[ "$(grep -c r log)" = $((2 + 3 * runs)) ]
	[ "$(paste -sd '' log | sed 's/pr//g')" = "" ]
	refuse 3 'ended with status 7, saying no input' -- \
		interfero bench -c clock -n 2 --prepare 'echo no input; exit 7' -o f.exp -- ./subject
	[ ! -e f.exp ]
}

@test "a driver that does not start the program, and what a driver cannot have, are refused" {
	refuse 2 'did not start' subject -- interfero bench -c clock -n 2 --program ./subject -o x.exp -- ./drive true
	refuse 2 'heap, blocks, allocator and huge-pages' -- interfero bench -c clock -n 2 -a heap --program ./subject -o x.exp -- ./drive ./subject
	refuse 2 model -- interfero bench -c clock,model -n 2 --program ./subject -o x.exp -- ./drive ./subject
	refuse 2 'which driver' -- interfero compare -c clock -n 2 --program ./subject ./subject ./other
	refuse 2 'no program ./nothing' -- interfero bench --program ./nothing -- ./drive ./subject
	refuse 2 'choose one' -- interfero bench --library ./x --program ./subject -- ./drive ./subject
	refuse 2 warmup -- interfero bench --warmup x -- ./subject
	[ ! -e x.exp ]
}

@test "where mounting is not allowed, a driver is led by the program's name, and its path is refused" {
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_mnt_namespaces && ! unshare -m true' 2>/dev/null ||
		skip "mounting cannot be forbidden here"
	cat >without <<'END'
#!/bin/sh
echo 0 >/proc/sys/user/max_mnt_namespaces
exec "$@"
END
	chmod +x without
	within 60 unshare -Ur ./without interfero bench -q -c clock -n 2 -r 1 --ignore-output --program ./subject -o n.exp -- \
		./drive "sha256sum <\"\$(command -v subject)\" >>seen; subject"
	sort -u seen | sed 's/ .*//' | cmp - <(sql n.exp 'SELECT sha256 FROM variant ORDER BY sha256')
	refuse 2 'by its name alone' 'mounting is not allowed' -- unshare -Ur ./without \
		interfero bench -c clock -n 2 --program ./subject -o x.exp -- ./drive ./subject
}

@test "daemons that a program leaves are ended with each run, and said" {
	within 60 interfero bench -c clock -n 2 -r 1 -o d.exp -- ./leaves leave >text
	tr -s ' \n' '  ' <text | grep -q 'leaves processes running when it ends'
	# Three of each of the two reference runs, the three measured ones and those that are profiled; none is left.
	[ "$(wc -l <left)" -ge 15 ]
	[ $(($(wc -l <left) % 3)) = 0 ]
	while read -r pid; do
		not kill -0 "$pid"
	done <left
	within 60 interfero compare -c clock -n 2 -r 1 -o c.exp ./leaves ./leaves -- leave >text || [ $? = 1 ]
	tr -s ' \n' '  ' <text | grep -q '! The program leaves processes running'
	within 60 interfero bench -c clock -n 2 -r 1 -o n.exp -- ./leaves >text
	not grep -q 'leaves processes' text
}

@test "daemons that a program leaves are ended under the recorder and by heap, and said" {
	within 60 interfero record -q -o t.trace -- ./leaves leave 2>notes
	grep -q 'leaves processes running when it ends' notes
	[ "$(wc -l <left)" -ge 3 ]
	within 60 interfero bench -c model --core=none -n 2 -o d.exp -- ./leaves leave >text
	tr -s ' \n' '  ' <text | grep -q 'leaves processes running when it ends'
	within 60 interfero heap -r 1 -- ./leaves leave 2>notes
	grep -q 'leaves processes running when it ends' notes
	while read -r pid; do
		not kill -0 "$pid"
	done <left
	within 60 interfero record -q -o n.trace -- ./leaves 2>notes
	not grep -q 'leaves processes' notes
}

@test "a program with threads on one processor: said, with --cpu none" {
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "there is one processor"
	within 60 interfero bench -c clock -n 2 -r 1 -o t.exp -- ./leaves threads >text
	tr -s ' \n' '  ' <text | grep -q 'several threads, and they all shared one processor: --cpu none'
	within 60 interfero bench -c clock -n 2 -r 1 --cpu none -o u.exp -- ./leaves threads >text
	not grep -q 'several threads' text
	within 60 interfero bench -c clock -n 2 -r 1 -o n.exp -- ./leaves >text
	not grep -q 'several threads' text
}

@test "threads that live for a moment are met, too" {
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "there is one processor"
	within 60 interfero bench -q -c clock -n 2 -r 1 -o m.exp -- ./leaves moment
	# The kernel's count needs its permission, as the profile does.
	[[ $(sql m.exp "SELECT value FROM fact WHERE name='profile'") != none:* ]] || skip "the kernel refuses samples"
	[ "$(sql m.exp "SELECT count(*) FROM fact WHERE name='threads'")" = 1 ]
}
