#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording real programs: what makes a recording hard, each in a small program; how programs end; what is refused; and that
# the counters of a layout are those of a recording of that layout, to the last one.

load ../helpers
load ../record

setup_file() {
	use_own_kits
	record_programs="$BATS_TEST_DIRNAME/programs/record"
	export record_programs
	for name in rep page long fault vector mask jit remap prefetch first locked; do
		gcc -nostdlib -static -no-pie "$record_programs/$name.S" -o "$place/$name"
	done
	gcc -O2 -nostdlib -static -no-pie "$record_programs/pure.c" -o "$place/pure"
	for name in threads children ends loads asks ticks; do
		gcc -O1 "$record_programs/$name.c" -o "$place/$name"
	done
	gcc -O1 -static "$record_programs/ends.c" -o "$place/ends-static"
	gcc -O1 -static "$record_programs/asks.c" -o "$place/asks-static"
	gcc -O1 -static-pie "$record_programs/ends.c" -o "$place/ends-static-pie"
	gcc -O1 -shared -fPIC "$record_programs/loaded.c" -o "$place/libloaded.so"
}

setup() {
	use_own_folder
	need jq
}

teardown_file() {
	drop_own_kits
}

# number KEY TRACE: a total of it.
number() {
	interfero trace info "$2" | sed -n "s/^$1 //p"
}

# counts NAME INSTRUCTIONS ACCESSES: the program without a C library makes so many, and as many when nothing is derived; the
# places read back are the same.
counts() {
	record -o a.trace -- "$place/$1"
	[ "$(number instructions a.trace) $(number accesses a.trace)" = "$2 $3" ] || say "$(interfero trace verify a.trace)"
	interfero trace verify a.trace
	record --all-accesses -o b.trace -- "$place/$1"
	cmp <(interfero trace dump a.trace) <(interfero trace dump b.trace)
	[ "$(number 'recorded accesses' b.trace)" = "$3" ]
	[ "$(number 'recorded accesses' a.trace)" -le "$3" ]
}

# --- what makes a recording hard -------------------------------------------------------------------------------

@test "a repeated instruction counts once, and all its accesses are there" {
	counts rep 23 265
}

@test "an instruction that lies across two pages counts once" {
	counts page 55 21
	not grep -q "cut short" notes
}

@test "a straight run of 1500 instructions is one block" {
	counts long 4511 9000
	interfero trace dump a.trace | grep -q '1502 instructions, conditional, taken'
}

@test "an instruction that faults in the middle of a block counts once, as does what ran before it" {
	counts fault 50 20
	grep -q 'signal handlers ran' notes
	grep -q '4 blocks were cut short by faults' notes
}

@test "a block whose first instruction faults did not run, and the handler is where it lies" {
	counts first 10 0
	interfero trace dump a.trace | tail -n 3 >end
	diff - end <<END
break
block program8:0x$(nm "$place/first" | sed -n 's/^0*\([0-9a-f]*\) t handler/\1/p') +12, 3 instructions, system call
break
END
}

@test "vectors of 16 and 32 bytes are accesses of 8 bytes" {
	grep -qw avx2 /proc/cpuinfo || skip "no AVX2"
	counts vector 55 100
}

@test "a masked move touches what its mask says" {
	counts mask 21 12
	not grep -q 'cut short' notes
}

@test "a block of thousands of accesses is recorded; qemu's recorder refuses one of too many" {
	local saves accesses
	for saves in 1 140 200; do
		gcc -nostdlib -static -no-pie -DSAVES=$saves "$record_programs/many.S" -o many
		run -0 --separate-stderr within 60 interfero record -q -o a.trace -- ./many
		[ $saves != 1 ] || accesses=$(number accesses a.trace)
		[ "$(number accesses a.trace)" -eq $((saves * accesses)) ]
	done
	[ "$accesses" -gt 50 ]
	need_qemu_recorder
	run -3 --separate-stderr within 60 interfero record -q --recorder qemu -o a.trace -- ./many
	[[ $stderr == *'a block of the program makes more than 8191 accesses, which cannot be recorded'* ]]
}

# block_ends TRACE: how often blocks end in which way, "ends in: count" in order.
block_ends() {
	interfero trace dump "$1" | sed -nE 's/^block .*instructions, ([a-z ]+)(, taken)?$/\1/p' | sort | uniq -c | awk '{ n = $1; $1 = ""; print $0 ": " n }' | tr '\n' ';'
}

@test "code that is written while it runs" {
	counts jit 53 17
	# Five functions lay at one address, each with another constant.
	interfero trace dump --code a.trace >dump
	[ "$(sed -nE 's/^  code (b8[0-9a-f]{8}) c3$/\1/p' dump | tr '\n' ' ')" = "b805000000 b804000000 b803000000 b802000000 b801000000 " ] ||
		say "$(cat dump)"
}

@test "software prefetches are accesses of their own kind, with all their addresses; replays ignore them" {
	counts prefetch 1019 707
	interfero trace dump a.trace | sed -n 's/^  prefetch 1 //p' >prefetches
	[ "$(wc -l <prefetches)" -eq 506 ]
	# The last six: below address 0, at 8, at buffer + 16, 3 + buffer - 1 + 8, buffer + 800, 0x1010.
	buffer=0x$(nm "$place/prefetch" | sed -n 's/ b buffer//p')
	{
		printf 'other:0x0\nother:0x8\n'
		printf 'program8:0x%x\n' $((buffer + 16)) $((buffer + 10)) $((buffer + 800))
		printf 'other:0x1010\n'
	} | diff - <(tail -n 6 prefetches)
	[ "$(counters p6 a.trace | jq -c '[."L1-dcache-loads", ."L1-dcache-stores"]')" = "[100,101]" ]
	need_qemu_recorder
	# qemu's recorder does not know where a segment lies.
	record --recorder qemu --all-accesses -o q.trace -- "$place/prefetch"
	diff <(interfero trace dump --code a.trace) <(interfero trace dump --code q.trace) >left_out || true
	[ "$(grep -c '^[<>]' left_out)" = 1 ]
	grep -q "^<   prefetch 1 program8:$(printf 0x%x $((buffer + 16)))" left_out
	grep -q 'left out software prefetches' notes
}

@test "what ends a block is there: branches of all kinds, system calls, repeats, faults, limits" {
	record -o a.trace -- "$place/rep"
	block_ends a.trace | grep -q 'repeat: .*system call: '
	record -o a.trace -- "$place/fault"
	[ "$(interfero trace dump a.trace | grep -c ', fault$')" -eq 4 ] || say "$(interfero trace dump a.trace)"
	printf '.globl _start\n_start: call f\nlea f(%%rip), %%rax\ncall *%%rax\njmp 1f\n1: lea 2f(%%rip), %%rax\njmp *%%rax\n2: .rept 20000\nmov %%rax, %%rbx\n.endr\n' >ends.s
	printf 'xor %%edi, %%edi\njz 3f\n3: mov $60, %%eax\nsyscall\nf: ret\n' >>ends.s
	gcc -nostdlib -static ends.s -o ends
	record -o a.trace -- ./ends
	[ "$(interfero trace dump a.trace | sed -nE 's/^block .*instructions, ([a-z ]+)(, taken)?$/\1/p' | tr '\n' ';')" = \
		"call;return;indirect call;return;jump;indirect jump;limit;conditional;system call;" ] || say "$(interfero trace dump a.trace)"
	interfero trace verify a.trace
}

@test "a trace of the version before is refused, with the remedy" {
	record -o a.trace -- "$place/rep"
	printf '\004' | dd of=a.trace bs=1 seek=8 conv=notrunc 2>/dev/null
	refuse 2 "version 4" "record again" -- interfero replay a.trace
	refuse 2 "record again" -- interfero trace info a.trace
}

@test "mappings that go, come again to the same place, move and grow; a heap that shrinks" {
	counts remap 68 11
	# Stores and loads: three mappings, each at an offset of its own, the heap, which is one region all the time, and a
	# fourth where the heap no longer is.
	interfero trace dump a.trace | sed -nE 's/^ +(store|load) 8 ([a-z]+)([0-9]+):/\1 \2 \3 /p' >touched
	[ "$(awk '$2 == "mapping" { print $4 }' touched | tr '\n' ' ')" = "0x0 0x0 0x8 0x8 0x20000 0x20000 0x0 0x0 " ] || say "$(cat touched)"
	[ "$(awk '$2 == "mapping" { print $3 }' touched | uniq | wc -l)" -eq 4 ]
	[ "$(awk '$2 == "heap" { print $4 }' touched | tr '\n' ' ')" = "0x9c40 0x7d0 0x9c40 " ] || say "$(cat touched)"
	[ "$(awk '$2 == "heap" { print $3 }' touched | sort -u | wc -l)" -eq 1 ]
}

@test "signals of a timer: handlers are recorded, and nothing is lost" {
	record -o a.trace -- "$place/ticks"
	grep -q 'signal handlers ran' notes
	interfero trace verify a.trace
}

@test "threads are recorded, and marked" {
	record -o a.trace -- "$place/threads"
	[ "$(cat out)" = 200000 ]
	grep -q 'several threads' notes
	interfero trace verify a.trace
	# Five times four of them add 20,000 times, in a few instructions each.
	[ "$(number instructions a.trace)" -gt 1600000 ]
	# What one maps and another touches, or takes away, is where it was.
	not grep -q other: <(interfero trace dump a.trace)
	interfero replay a.trace >/dev/null
}

@test "a child is not recorded, whatever it does, and its parent is, exactly" {
	record -o a.trace -- "$place/children" fork 10
	grep -q 'child processes' notes
	record -o b.trace -- "$place/children" fork 20
	[ "$(number instructions a.trace)" = "$(number instructions b.trace)" ]
	record -o c.trace -- "$place/children" spawn 1
	[ "$(cat out)" = spawned ]
	grep -q 'child processes' notes
}

@test "a program that replaces itself is recorded up to there, and it is said" {
	local rounds before=0 after
	for rounds in 10 20 30; do
		record -o a.trace -- "$place/children" exec $rounds
		[ "$(cat out)" = replaced ]
		grep -q 'replaced itself' notes
		interfero trace verify a.trace
		# Ten rounds more, to the last one before it is replaced: load, add, store, load, compare, branch, or thereabouts.
		after=$(number instructions a.trace)
		[ $rounds = 10 ] || [ $((after - before)) -ge 40 ]
		[ $rounds != 30 ] || [ $((after - before)) = $more ]
		more=$((after - before)) before=$after
	done
	# And nothing of the other program: its file is named nowhere.
	not grep -q /bin/echo <(interfero trace info a.trace)
}

@test "a library that is opened, called and closed again and again" {
	cp "$place/libloaded.so" .
	record -o a.trace -- "$place/loads"
	[ "$(cat out)" = 10 ]
	[ "$(interfero trace info a.trace | grep -c '^mapping .*libloaded')" -eq 5 ]
	# Its table is new each time.
	[ "$(interfero trace dump a.trace | grep -cE 'store 4 library[0-9]+:0x')" -ge 5 ]
	interfero replay a.trace >/dev/null
}

# --- two recorders -----------------------------------------------------------------------------------------------

# agree PROGRAM [ARGS...]: both recorders write down the same blocks and accesses.
agree() {
	record --recorder valgrind -o v.trace -- "$@"
	record --recorder qemu -o q.trace -- "$@"
	cmp <(interfero trace dump --code v.trace) <(interfero trace dump --code q.trace) ||
		say "$(diff <(interfero trace dump v.trace) <(interfero trace dump q.trace) | head -n 20)"
}

@test "the recorders share no code and agree: programs without a C library" {
	need_qemu_recorder
	for name in rep page long jit remap pure; do agree "$place/$name"; done
	grep -qw avx2 /proc/cpuinfo || return 0
	for name in vector mask; do agree "$place/$name"; done
}

# own_blocks TRACE: block executions of the program's own code with their accesses, but for those to other mappings: the
# library routines that a program chooses by its processor work on the stack and in the heap.
own_blocks() {
	interfero trace dump "$1" | awk '/^block/ { own = /program8:/ } own && (/^block/ || /program8:/)'
}

@test "the recorders agree over what programs with a C library execute themselves" {
	need_qemu_recorder
	both() {
		record --recorder valgrind -o v.trace -- "$@"
		record --recorder qemu -o q.trace -- "$@"
		[ "$(own_blocks v.trace | wc -l)" -gt 20 ]
		cmp <(own_blocks v.trace) <(own_blocks q.trace) || say "$* $(diff <(own_blocks v.trace) <(own_blocks q.trace) | head)"
	}
	both "$place/ends" 0
	# What asks for clocks and addresses has tests of its own.
	! is_full_depth || both "$place/asks" i
	both "$(type -P gawk)" 'BEGIN { for (i = 0; i < 300; i++) { s = s "x"; n += length(s) * 1.5 } print n }'
}

@test "loads whose value nobody uses are there" {
	printf '.globl _start\n_start: push %%rax\nlea -64(%%rsp), %%rbx\nmov (%%rbx), %%rcx\nmov 8(%%rsp), %%rcx\n' >unused.s
	printf 'cmpl $1, 16(%%rsp)\ntest %%eax, %%eax\npop %%rcx\nxor %%ecx, %%ecx\nprefetcht0 (%%rsp)\nnopw 8(%%rsp)\n' >>unused.s
	printf 'lea 8(%%rsp), %%rcx\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' >>unused.s
	gcc -nostdlib -static unused.s -o unused
	record -o a.trace -- ./unused
	[ "$(number instructions a.trace) $(number accesses a.trace)" = "14 6" ] || say "$(interfero trace dump a.trace)"
}

@test "a locked instruction makes one load and one store, an exchange, too, by both recorders" {
	counts locked 18 30
	# Each pair of a load and a store is one number: its bytes. cmpxchg16b is of 16 bytes, in parts of eight.
	[ "$(interfero trace dump a.trace | sed -nE 's/^  (load|store) ([0-9]+) .*/\1 \2/p' | paste -sd' ' | sed 's/load \([0-9]\) store \1/\1/g')" = \
		"4 4 4 4 load 8 8 store 8 4 4 4 4 4 8 4 1 8" ] || say "$(interfero trace dump a.trace)"
	need_qemu_recorder
	agree "$place/locked"
}

@test "an instruction that the recorder does not know is named with its place" {
	printf 'int main(void) {\n\t__asm__ volatile("vpaddd %%zmm0, %%zmm0, %%zmm0");\n\treturn 0;\n}\n' >wide.c
	gcc -g wide.c -o wide
	refuse 3 'does not know an instruction' 'addr2line -e' '0x62' -- interfero record -q --once -o a.trace -- ./wide
	run interfero record -q --once -o a.trace -- ./wide
	[[ $(eval "$(grep -o 'addr2line -e [^ ]* 0x[0-9a-f]*' <<<"$output")") == *wide.c:2 ]] || say "$output"
	[ ! -e a.trace ]
}

@test "a recorder that fails at an instruction says so, with the recorder that does not" {
	printf '.globl _start\n_start: pcmpistri $0x3a, -64(%%rsp), %%xmm1\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' >strings.s
	gcc -nostdlib -static strings.s -o strings
	refuse 4 'the recorder gave up' '--recorder qemu' -- interfero record -q --once --recorder valgrind -o a.trace -- ./strings
	[ ! -e a.trace ]
	need_qemu_recorder
	record --recorder qemu -o a.trace -- ./strings
	[ "$(number instructions a.trace)" = 4 ]
}

# --- how programs end, and what they ask -----------------------------------------------------------------------

@test "a program that is killed, aborts or fails leaves its trace, and its status is said" {
	for way in "k 137" "a 134" "s 139" "_ 9"; do
		for kind in ends ends-static; do
			run -3 --separate-stderr within 60 interfero record -q -o a.trace -- "$place/$kind" "${way% *}"
			[[ $stderr == *"status ${way#* }"* ]] || say "$way: $stderr"
			interfero trace verify a.trace
			# The loop: load, add, store, load, compare, branch, or thereabouts.
			[ "$(number instructions a.trace)" -gt 500000 ]
		done
	done
}

@test "of a program killed in the middle of a block nothing counts that did not run" {
	printf '.globl _start\n_start: push %%rax\nmov (%%rsp), %%rbx\nmov 8, %%rax\npush %%rax\npop %%rbx\nmov $60, %%eax\nsyscall\n' >killed.s
	gcc -nostdlib -static killed.s -o killed
	run -3 --separate-stderr interfero record -q -o a.trace -- ./killed
	[ "$(number instructions a.trace) $(number accesses a.trace)" = "2 2" ] || say "$(interfero trace verify a.trace)"
}

@test "a static program and one that can lie anywhere" {
	record -o a.trace -- "$place/ends-static" 0
	interfero trace info a.trace | grep -q '^mapping 8 program'
	record -o a.trace -- "$place/ends-static-pie" 0
	interfero trace info a.trace | grep -q '^mapping 8 program'
	not grep -q '^region [0-9]* library' <(interfero trace info a.trace)
}

@test "clocks and random numbers are answered: two recordings print the same, and are the same bytes" {
	for what in m r g t c u s x d; do
		# A static program asks by system calls alone: two questions show that at quick depth.
		for kind in asks $([[ $what == [mx] ]] && echo asks-static || at_depth "" asks-static); do
			record -o a.trace -- "$place/$kind" $what
			mv out first
			[ -s first ]
			sleep 0.01
			record -o b.trace -- "$place/$kind" $what
			cmp first out
			cmp a.trace b.trace
			case $what in [mrgtcus]) grep -q 'reads a clock' notes ;; esac
		done
	done
	interfero trace info a.trace | grep -q '^note .*random bytes'
}

@test "what cannot be answered is said: the process' number, the time-stamp counter" {
	for kind in asks asks-static; do
		record -o a.trace -- "$place/$kind" p
		grep -q 'process or thread number' notes
		record -o a.trace -- "$place/$kind" k
		grep -q 'time-stamp counter' notes
	done
}

@test "a program's own name and path are as it is called, however long" {
	local recorder name folder=$PWD
	printf '#include <stdio.h>\nint main(int count, char **names) {\n\treturn puts(names[0]) < 0 || count > 1;\n}\n' >name.c
	gcc -O1 name.c -o name
	for _ in {1..14}; do folder+=/$(printf 'x%.0s' {1..200}); done
	mkdir -p "$folder"
	cp name "$folder/name"
	ln -s name link
	for recorder in valgrind qemu; do
		[ $recorder = valgrind ] || need_qemu_recorder
		for name in ./name ./link "$(printf './%.0s' {1..1500})name" "$folder/name"; do
			record --recorder $recorder -o a.trace -- "$name"
			[ "$(cat out)" = "$name" ] || say "$(cat out)"
		done
		interfero trace info a.trace | grep -qx "mapping 8 program .* bytes $folder/name"
		interfero trace verify a.trace
	done
}

@test "standard input is a file, or nothing" {
	printf A >letter
	record -o a.trace --stdin letter -- "$place/asks" i
	[ "$(cat out)" = 65 ]
	record -o a.trace -- "$place/asks" i </etc/passwd
	[ "$(cat out)" = -1 ]
	refuse 2 /nowhere/letter "standard input" -- interfero record -o b.trace --stdin /nowhere/letter -- "$place/asks" i
	[ ! -e b.trace ]
}

# --- what is refused -------------------------------------------------------------------------------------------

@test "what is no 64-bit program for x86-64 is refused with the remedy" {
	printf '#!/bin/sh\necho\n' >script
	printf 'words\n' >words
	: >empty
	printf '\177ELF\001\001\001\0\0\0\0\0\0\0\0\0\002\0\003\0' >small
	printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\002\0\267\0' >arm
	chmod +x script words empty small arm
	cp /bin/true rights
	chmod 4755 rights
	refuse 2 "is setuid or setgid" -- interfero record -o a.trace -- ./rights
	refuse 2 "is a script" /bin/sh -- interfero record -o a.trace -- ./script
	refuse 2 "no ELF header" -- interfero record -o a.trace -- ./words
	refuse 2 "no ELF header" -- interfero record -o a.trace -- ./empty
	refuse 2 "64-bit" -- interfero record -o a.trace -- ./small
	refuse 2 "64-bit" -- interfero record -o a.trace -- ./arm
	refuse 2 "no program" -- interfero record -o a.trace -- ./missing
	refuse 2 "which program" -- interfero record -o a.trace
	[ ! -e a.trace ]
}

@test "a disk that is full, or a folder that is not there: a message, and no trace" {
	refuse 4 nowhere/a.trace -- interfero record -q -o nowhere/a.trace -- "$place/pure"
	run -4 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 8; exec interfero record -q -o a.trace -- "$0"' "$place/pure"
	[[ $stderr == *"File too large"* ]] || say "$stderr"
	[ -z "$(ls)" ] || say "$(ls)"
	mkdir disk
	mount -t tmpfs -o size=16k tmpfs disk 2>/dev/null || skip "no right to mount a disk"
	run -4 --separate-stderr interfero record -q -o disk/a.trace -- "$place/pure"
	left=$(ls disk)
	umount disk
	[[ $stderr == *"No space left"* ]] || say "$stderr"
	[ -z "$left" ]
}

@test "what is no file is not written over" {
	mkfifo fifo
	mkdir folder
	refuse 4 fifo "not a file" -- interfero record -o fifo -- "$place/pure"
	refuse 4 folder "not a file" -- interfero record -o folder -- "$place/pure"
	[ -p fifo ] && [ -d folder ]
	refuse 2 "cannot be executed" -- interfero record -- ./fifo
	refuse 2 "from 1" -- interfero record --to 0 -- "$place/pure"
	refuse 2 name -- interfero record --region "" -- "$place/pure"
}

@test "a part of a program that does not end ends the program; its time may be up before" {
	printf 'int main(void) { for (volatile unsigned i = 0;; i++); }\n' >endless.c
	gcc -O1 endless.c -o endless
	run -0 --separate-stderr within 60 interfero record --to 300000 -o part.trace -- ./endless
	[[ $stderr == *"the program was ended there"* ]]
	interfero trace verify part.trace
	[ "$(interfero replay --json part.trace | jq .layouts[0].counters.instructions)" -ge 100000 ]
	refuse 3 "--to" -- interfero record --timeout 0.5s -o none.trace -- ./endless
	[ ! -e none.trace ]
}

@test "an interruption in the middle, and the end of the time: no trace" {
	interfero record -q --once -o a.trace -- "$place/ends" l 2>notes &
	recorder=$!
	await 30 sh -c 'ls a.trace.part-*'
	kill -INT $recorder
	status=0
	wait $recorder || status=$?
	[ "$status" -eq 130 ]
	grep -q interrupted notes
	refuse 3 "did not end in its time" -- interfero record -q --timeout 300ms -o a.trace -- "$place/ends" w
	not grep -q trace <(ls)
}

@test "a part: blocks that begin between two instructions" {
	record -o all.trace -- "$place/long"
	# 2 + 1502 instructions make the first block, 1502 each of the others.
	record --from 1504 --to 3006 -o a.trace -- "$place/long"
	[ "$(number instructions a.trace)" = 1502 ]
	record --from 1505 --to 3007 -o a.trace -- "$place/long"
	[ "$(number instructions a.trace)" = 1502 ]
	record --from 0 --to 1 -o a.trace -- "$place/long"
	[ "$(number instructions a.trace)" = 1504 ]
	record --to 3006 -o a.trace -- "$place/long"
	record --from 3006 -o b.trace -- "$place/long"
	[ $(($(number instructions a.trace) + $(number instructions b.trace))) -eq "$(number instructions all.trace)" ]
	refuse 2 "--to" -- interfero record --from 10 --to 10 -- "$place/long"
	refuse 2 "ended after 4511" -- interfero record -q --from 4511 -o c.trace -- "$place/long"
	[ ! -e c.trace ]
}

@test "parts of a run, one after the other, are the run: blocks, directions and places" {
	local program part half third
	cp "$place/libloaded.so" .
	for program in loads remap rep vector fault; do
		record -o all.trace -- "$place/$program"
		half=$(($(number instructions all.trace) / 2)) third=$(($(number instructions all.trace) / 3))
		record --to $third -o a.trace -- "$place/$program"
		record --from $third --to $half -o b.trace -- "$place/$program"
		record --from $half -o c.trace -- "$place/$program"
		# A part ends, and its last branch has no successor.
		for part in a b c; do interfero trace dump $part.trace; done | grep -v '^break' >parts
		interfero trace dump all.trace | grep -v '^break' | cmp - parts || say "$program in three parts"
		grep -q '^block' parts
	done
}

# recorder_of FILE: prints the number of the process that records into it, once there is one.
recorder_of() {
	await 30 sh -c "ls $1.part-*" >/dev/null
	local part
	part=$(ls "$1".part-*)
	echo "${part##*-}"
}

@test "a recording that is killed at any time leaves a trace that says it is cut, and no process" {
	local wait writer child
	for wait in 0 $(at_depth 0.1 "0.05 0.3 1"); do
		interfero record -q --once -o a.trace -- "$place/ends" l 2>notes &
		writer=$!
		[ "$(recorder_of a.trace)" = $writer ]
		sleep $wait
		child=$(cat /proc/$writer/task/$writer/children)
		kill -KILL $writer
		wait $writer || true
		run -3 --separate-stderr interfero trace verify a.trace.part-$writer
		[[ $stderr == *"the file ends"* && $stderr == *"only the part before"* ]] || say "$stderr"
		run -3 --separate-stderr interfero replay a.trace.part-$writer
		[ -z "$child" ] || await 10 sh -c "! kill -0 $child"
		rm a.trace.part-*
	done
	[ ! -e a.trace ]
}

@test "a recorded program that is killed at any time: its trace is whole up to there, and says so" {
	local wait writer child recorder
	for recorder in valgrind qemu; do
		[ $recorder = valgrind ] || need_qemu_recorder
		for wait in $(at_depth 0.1 "0 0.05 0.3"); do
			interfero record -q --once --recorder $recorder -o a.trace -- "$place/ends" l 2>notes &
			writer=$!
			recorder_of a.trace >/dev/null
			await 30 sh -c "interfero trace info a.trace.part-$writer 2>/dev/null | grep -q '^mapping'"
			sleep $wait
			child=$(cat /proc/$writer/task/$writer/children)
			kill -KILL $child
			status=0
			wait $writer || status=$?
			[ $status -eq 3 ]
			grep -q 'was killed (signal 9): the trace ends there' notes || say "$(cat notes)"
			interfero trace verify a.trace
			interfero trace info a.trace | grep -q '^note .*was killed'
			rm a.trace
		done
	done
}

@test "a trace that is cut anywhere gives what is whole, with a message and status 3" {
	record -o a.trace -- "$place/pure"
	size=$(stat -c %s a.trace)
	for part in 1 2 3 4 5 6 7; do
		head -c $((size * part / 8)) a.trace >cut.trace
		run -3 --separate-stderr interfero trace verify cut.trace
		explain cut.trace "only the part before the damage was read"
		run -3 --separate-stderr interfero replay cut.trace
		explain cut.trace "only the part before the damage is counted"
		run -3 --separate-stderr interfero replay --json cut.trace
		[ "$(jq -r .damage <<<"$output")" != null ]
	done
	head -c 10 a.trace >cut.trace
	refuse 2 "no trace" -- interfero trace verify cut.trace
	refuse 2 "no trace" -- interfero replay "$place/pure"
}

# --- exactness -------------------------------------------------------------------------------------------------

@test "instructions, conditional branches and misses are cachegrind's" {
	need valgrind
	export GLIBC_TUNABLES=
	record -o a.trace -- "$place/pure"
	counters cachegrind,l1i.bytes=32768,l1i.ways=8,l1d.bytes=32768,l1d.ways=8,l2.bytes=131072,l2.ways=16 a.trace |
		jq -r '[.instructions, ."L1-icache-load-misses", ."L1-dcache-loads", ."L1-dcache-load-misses", ."L1-dcache-stores",
			."L1-dcache-store-misses", ."l2-misses", ."conditional-branches", ."conditional-branch-misses"] | @tsv' >ours
	within 120 valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=131072,16,64 \
		--cachegrind-out-file=cg "$place/pure" 2>log
	# Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
	[ "$(sed -n 's/^events: //p' cg)" = "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim" ]
	awk -v OFS='\t' '$1 == "summary:" { print $2, $3, $5, $6, $8, $9, $4 + $7 + $10, $11, $12 }' cg | diff - ours
}

@test "a plan for a trace of a variant, or of another build, is refused" {
	gcc_flags=(-O2 -nostdlib -static -no-pie -fno-tree-loop-distribute-patterns)
	interfero-gcc "${gcc_flags[@]}" "$record_programs/deep.c" -o deep
	interfero variants -q -n 1 -o v deep
	record -o a.trace -- ./deep
	record -o v.trace --plan v/v00001.plan -- ./deep
	refuse 2 "of a variant" v00001 -- interfero replay --plan v/v00001.plan v.trace
	interfero variants -q -n 1 -a functions,heap -o heap deep
	refuse 2 "axes heap and blocks" "record --objects" -- interfero replay --plan heap/v00001.plan a.trace
	refuse 2 "--objects" -- interfero record -q -o h.trace --plan heap/v00001.plan -- ./deep
	make_plans stack main deep -n 1 -x stack:main=64
	refuse 2 "stack:main" -- interfero replay --plan main/v00001.plan a.trace
	interfero-gcc -g "${gcc_flags[@]}" "$record_programs/deep.c" -o deep
	refuse 2 "built again" -- interfero replay --plan v/v00001.plan a.trace
	interfero replay a.trace >counted
}

@test "exact: functions, stack and load of a program without a C library" {
	interfero-gcc -O2 -nostdlib -static -no-pie -fno-tree-loop-distribute-patterns "$record_programs/deep.c" -o deep
	exact fields2004 functions,padding,base,stack,load "$(at_depth 2 8)" ./deep
	exact cachegrind,l1d.bytes=2048,l1d.ways=1 stack,load "$(at_depth 2 6)" ./deep
	run -0 interfero record -q --check -- ./deep
	[[ $output == *"on the same data"* ]]
}

@test "exact: the examples" {
	make -s -C "$BATS_TEST_DIRNAME/../../examples" CC=interfero-gcc "O=$here/built" >log 2>&1 || say "$(cat log)"
	exact haswell functions,padding,base "$(at_depth 2 5)" built/dispatch/dispatch 3
	exact p6 functions,link-order "$(at_depth 2 5)" built/link-order/link-order 3
	# At quick depth the other two are in examples.bats alone.
	is_full_depth || return 0
	exact goldencove functions,padding,base,link-order "$(at_depth 2 5)" built/stack-alias/stack-alias 1
	exact zen2 functions,padding,load "$(at_depth 2 5)" built/aligned-buffers/aligned-buffers 8 3
}

write_work() {
	numbers 2000 >text
	cat >work.sql <<'END'
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 100) insert into t select x, x * x % 37 from c;
select b, count(*), sum(a) from t group by b order by 2, 1 limit 3;
END
	cat >work.lua <<'END'
local t = {}
for i = 1, 200 do t["k" .. i] = i end
for i = 1, 100 do t[#t + 1] = tostring(i):rep(3) end
table.sort(t)
print(#table.concat(t))
END
}

@test "exact: bzip2, sqlite3 and lua as Debian ships their sources" {
	debian=$(within 800 "$BATS_TEST_DIRNAME/../debian" "$INTERFERO_BUILD" 2>reason) || {
		[ $? -eq 1 ] || say "$(cat reason)"
		skip "$(cat reason)"
	}
	cp -a "$debian/kits/." "$INTERFERO_KITS"
	write_work
	exact ivybridge functions,padding,base "$(at_depth 2 4)" "$debian/bzip2/bzip2" -c text
	# The larger ones take longer; record_objects.bats records lua at quick depth, too.
	is_full_depth || return 0
	exact core2-e5440 functions,link-order,base 4 "$debian/sqlite3/sqlite3" :memory: ".read work.sql"
	exact netburst functions,padding,base,link-order 4 "$debian/lua/src/lua" work.lua
	run -0 --separate-stderr interfero record -q --check -o a.trace -- "$debian/lua/src/lua" work.lua
	[[ $output == *"code and its stack elsewhere the program executes the same"* ]] || say "$output"
}

@test "stock lua looks at addresses, and --check says where" {
	need lua5.4
	write_work
	run -1 --separate-stderr within 60 interfero record -q --check -o a.trace -- "$(command -v lua5.4)" work.lua
	[[ $output == *"does something else after"*" in "* ]] || say "$output"
	[[ $output == *"looks at addresses"* ]]
	not grep -q check <(ls)
	# Who replays it is told.
	interfero trace verify a.trace
	interfero replay --json a.trace >replayed 2>note
	tr '\n' ' ' <note | grep -q "s behaviour depends on addresses (record --check): where a layout moves its stack, counters are approximate"
	[[ $(jq -r .recording replayed) == *"approximate stack"* ]]
}
