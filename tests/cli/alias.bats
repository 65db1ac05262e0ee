#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# 4 KiB aliasing in the model: the spike of the thesis' micro-kernel, and its variables by name.

load ../helpers
load ../record

setup_file() {
	use_own_kits
	gcc -O0 -g -DLOOPS=2048 "$programs/micro.c" -o micro
	within 60 interfero record -q -o micro.trace -- ./micro >/dev/null
}

setup() {
	use_own_folder
	cp ../micro ../micro.trace .
}

teardown_file() {
	drop_own_kits
}

# By hand, in the layout where g and inc lie modulo 4096 on two of i, j, k: in each round the three loads of inc, the load of g
# for g++, and the load of the variable on g's place meet the last store to their low 12 bits, which is to the other
# variable: 5 · 2048. In every other layout none of them does.
@test "one environment size in 256 aliases, in each round five loads; the pairs have names and lines" {
	counters ivybridge micro.trace --sweep stack:bytes=0:4080:16 >layouts
	python3 - <<-'END' >value
		import json
		count = [json.loads(line)["ld_blocks_partial.address_alias"] for line in open("layouts")][1:]
		assert len(count) == 256, len(count)
		usual = sorted(count)[128]
		high = [n for n in range(256) if count[n] > usual + 2048]
		assert len(high) == 1, (usual, sorted(count)[-4:])
		assert 0 <= count[high[0]] - 5 * 2048 - usual < 1024, (count[high[0]], usual)
		print(16 * high[0], count[high[0]])
	END
	read -r value events <value
	printf 'interfero-plan 1\nstack seed=1 max=4096 main=0 bytes=%s\n' "$value" >spike.plan
	interfero replay --machine ivybridge --aliases=100000 --plan spike.plan micro.trace >text
	[ "$(awk 'length > 80' text)" = "" ]
	python3 - "$events" <<-'END'
		import re, subprocess, sys
		text = " ".join(open("text").read().split())
		pairs = re.findall(r"- (\d+) loads? of (.*?) \((0x\w+)\) in (.*?) meets? the store to (.*?) \((0x\w+)\) in (.*?), modulo", text)
		assert sum(int(p[0]) for p in pairs) == int(sys.argv[1]), (len(pairs), sys.argv)
		symbols = {line.split()[2]: int(line.split()[0], 16) for line in
		           subprocess.run(["nm", "micro"], capture_output=True, text=True).stdout.splitlines() if len(line.split()) == 3}
		hot = [p for p in pairs if int(p[0]) >= 2047]
		assert len(hot) == 5, hot
		lines = {"i": 9, "j": 10, "k": 11}
		met = set()
		for count, load, at, where, store, to, there in hot:
		    static, local = (load, store) if load in "ijk" else (store, load)
		    line, other = (where, there) if load in "ijk" else (there, where)
		    assert static in "ijk" and local in ("g", "inc"), hot
		    assert int(at, 16) % 4096 == int(to, 16) % 4096, hot
		    assert int(at if load in "ijk" else to, 16) % 4096 == symbols[static] % 4096, hot
		    assert line == "main (micro.c:%d)" % lines[static], hot
		    assert re.fullmatch(r"main \(micro.c:(8|9|10|11)\)", other), hot
		    met.add((local, static))
		assert {local for local, static in met} == {"g", "inc"} and len(met) == 2, met
		# Moved alone, the partner of inc takes three of the five with it, that of g two.
		moved = {name: int(left) for name, left, all in re.findall(r"- (\w) moved alone, by 2048 bytes: (\d+) aliases of (\d+) remain", text)}
		for local, static in met:
		    gone = int(sys.argv[1]) - moved[static]
		    assert abs(gone - (3 if local == "inc" else 2) * 2048) < 64, (local, static, gone)
	END
}

@test "an array in the stack that code indexes has its name" {
	gcc -O2 -g -I "$BATS_TEST_DIRNAME/../../examples" "$BATS_TEST_DIRNAME/../../examples/stack-alias/main.c" -o sell
	within 60 interfero record -q -o sell.trace -- ./sell 200 >/dev/null
	counters ivybridge sell.trace --sweep stack:bytes=0:4080:16 >layouts
	python3 - <<-'END' >spike.plan
		import json
		count = [json.loads(line)["ld_blocks_partial.address_alias"] for line in open("layouts")][1:]
		print("interfero-plan 1\nstack seed=1 max=4096 main=0 bytes=%d" % (16 * count.index(max(count))))
	END
	interfero replay --machine ivybridge --aliases=2 --plan spike.plan sell.trace | tr -s '\n ' ' ' >text
	grep -q 'loads of price\[\] (0x[0-9a-f]*) in sell (main.c:16) meet the store to total' text
	grep -q 'loads of total+[0-9]* (0x[0-9a-f]*) in sell (main.c:15) meet the store to price\[\]' text
}

# Melhus 2013, table 4.3: 8.8 aliases a float without padding, 0.001 from 16 floats on in scalar code.
@test "two arrays that begin at one page offset alias, and no longer at a padding" {
	local folder="$BATS_TEST_DIRNAME/../../examples/studies/heap-pair" padding
	gcc -O3 "$folder/heap-pair.c" -o pair
	for padding in 0 48; do
		record --once -o pair.trace -- ./pair 65536 $padding 1
		counters ivybridge pair.trace | jq '."ld_blocks_partial.address_alias"'
	done >aliases
	[ "$(head -n 1 aliases)" -gt 65536 ]
	[ "$(tail -n 1 aliases)" -lt 6553 ]
}

# By hand: in each of 100 and then 300 rounds a store to one of two words half a page apart, and loads of half a page, one of
# which aliases it where the array's half is the word's. The last store to the first word is in the buffer of 36 for 35 rounds more.
# So 135 aliases are exchanged for 300, or 300 for 135, by moving the array alone, wherever the plan has placed the block.
@test "a variable moves alone in layouts that place heap objects, too" {
	cat >half.c <<-'END'
		#include <stdlib.h>
		_Alignas(4096) volatile int half[512];
		int main(void) {
			volatile int *to = malloc(200000);
			for (int i = 0; i < 64; i++)
				to[0] = i;
			for (int round = 0; round < 400; round++) {
				to[round < 100 ? 0 : 512] = round;
				for (int i = 0; i < 512; i++)
					(void)half[i];
			}
			return 0;
		}
	END
	gcc -O1 -g half.c -o half
	within 60 interfero record -q --once --objects -o half.trace -- ./half
	printf 'interfero-plan 1\nblocks seed=0 policy=2\n' >apart.plan
	local seed
	for seed in 1 2 3 4 5 6 7 8; do
		printf 'interfero-plan 1\nblocks seed=%s\n' $seed >blocks$seed.plan
	done
	printf 'interfero-plan 1\nheap seed=1\n' >heap.plan
	for plan in *.plan; do
		interfero replay --machine ivybridge --aliases=1 --plan $plan half.trace | tr -s ' \n' ' '
		echo
	done >text
	python3 - <<-'END'
		import re
		seen = set()
		for line in open("text"):
		    pair = re.search(r"- (\d+) loads of half\S* \S* in main \(half.c:10\) meet the store to heap object \d+ of 200000 bytes", line)
		    trial = re.search(r"- half moved alone, by 2048 bytes: (\d+) aliases of (\d+) remain", line)
		    assert pair and trial, line
		    seen.add((int(pair[1]), int(trial[1]) - int(trial[2])))
		few, many = sorted(seen)
		assert 130 < few[0] <= 135 and many[0] == 300, seen
		assert few[1] == 300 - 135 and many[1] == 135 - 300, seen
	END
}

@test "what replay --aliases refuses" {
	refuse 2 "no store buffer" -- interfero replay --machine p6 --aliases micro.trace
	refuse 2 "without --json" -- interfero replay --json --aliases micro.trace
	refuse 2 "--aliases needs a number" -- interfero replay --aliases=0 micro.trace
	printf 'interfero-plan 1\nbase seed=1 max=4096 step=16\n' >base.plan
	refuse 2 "of the process alone" -- interfero replay --aliases --plan base.plan micro.trace
}
