#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Retired instructions: a variant executes what the program executes, and its nops, exactly. Counted by callgrind, which
# runs programs one instruction after the other.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	need valgrind
}

teardown_file() {
	drop_own_kits
}

# counts PROGRAM: the instructions that its own code retired, and how many of them were nops.
counts() {
	within 120 valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no --compress-strings=no \
		--callgrind-out-file=callgrind "$1" >/dev/null 2>&1 || [ $? = 7 ]
	objdump -d --no-show-raw-insn "$1" |
		awk '/^ *[0-9a-f]+:\t/ { at = $1; sub(":", "", at); if ($0 ~ /\tnop|\tdata16.*nop|\tcs nop|\txchg +%ax,%ax/) print "0x" at }' >nops
	awk -v program="$(realpath "$1")" 'FNR == NR { nop[$1] = 1; next }
		/^ob=/ { own = substr($0, 4) == program; next }
		/^calls=/ { getline; next }
		own && /^0x/ { all += $3; if ($1 in nop) nops += $3 }
		END { print all + 0, nops + 0 }' nops callgrind
}

@test "a variant retires the program's instructions and its own nops" {
	cp "$sources/program.c" .
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 -no-pie program.c -o program
	read -r all nops < <(counts ./program)
	[ "$all" -gt 2000 ]
	real=$((all - nops))
	interfero variants -q -n 3 --axes nops --set nops:rate=30,max=9 -o v ./program
	interfero variants -q -n 3 --axes nops,align,unit-order,functions --set nops:rate=100 -o w ./program
	for variant in v/v0000[123] w/v0000[123]; do
		read -r all more < <(counts $variant)
		[ "$more" -gt "$nops" ]
		[ $((all - more)) -eq "$real" ] || say "$variant: $all instructions, $more nops; the program $real without nops"
	done
	# frames may add or take instructions: it is no axis of this promise.
}
