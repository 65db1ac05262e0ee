#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# interfero place: functions that are in their own way, better places, and plans whose replays give what was promised.

load ../helpers

setup_file() {
	use_own_kits
	# A loop of 26 bytes in a function, and a function beside it with a branch of its own.
	cat >hot.c <<-'END'
		__attribute__((noinline, noclone)) static int hot(int n) {
			do
				__asm__ volatile(".skip 24, 0x90");
			while (--n);
			return n;
		}
		__attribute__((noinline, noclone)) static int first(int n) {
			__asm__ volatile("" : "+r"(n));
			return n & 1 ? 3 : n;
		}
		int main(void) {
			int sum = 0;
			for (int i = 0; i < 3000; i++)
				sum += first(i) + hot(20);
			return sum & 64 ? 0 : sum & 0;
		}
	END
	interfero-gcc -O2 -fno-unroll-loops -ffunction-sections hot.c -o hot
	interfero record -q -o hot.trace -- ./hot
}

setup() {
	use_own_folder
	cp ../hot .
	ln -s ../hot.trace .
}

teardown_file() {
	drop_own_kits
}

cycles() { # MACHINE [OPTION...]: of a replay by the estimate
	local machine=$1
	shift
	interfero replay --json --machine "$machine" "$@" hot.trace | jq '.layouts[-1].counters.cycles'
}

# With one way and few sets all branches meet; the plan's replay has the cycles that the gain says.
@test "the plan gains in a replay what the report says, and the table fits 80 columns" {
	need jq
	local machine=p6,btb1.ways=1,btb1.entries=4
	within 60 interfero place -q --json --machine "$machine" -o best.plan hot.trace >found.json
	jq -e '.schema_version == 1 and (.core | not) and (.pairs | length) > 0' found.json
	jq -e '[.pairs[] | select(.first == .second)] | length == 0' found.json
	jq -e '.gain > 0 and .functions[0].gain > 0' found.json
	grep -q '^at 0x' best.plan
	local before after
	before=$(cycles "$machine")
	after=$(cycles "$machine" --plan best.plan)
	jq -e --argjson before "$before" --argjson after "$after" '(.gain * $before - ($before - $after)) | fabs < 1' found.json
	within 60 interfero place -q --machine "$machine" -o best.plan hot.trace >text
	not grep -qE '.{81}' text
	grep -q 'interfero cure --plan best.plan' text
	# The plan is one that cures take: the model as the clock.
	within 60 interfero cure -q --json --counters model --machine "$machine" --core=none --metric cycles -n 4 \
		--plan best.plan --axes stack -- ./hot >cure.json
	jq -e '.effect == "helps"' cure.json
}

@test "with a core, cycles are the core's; a program without a kit is refused" {
	need jq
	within 60 interfero place -q --json --machine goldencove --functions 2 hot.trace >found.json
	jq -e '.core and (.functions | length) <= 2' found.json
	gcc -O2 "$PWD/../hot.c" -o plain
	interfero record -q -o plain.trace -- ./plain
	run -2 --separate-stderr within 60 interfero place -q plain.trace
	[[ $stderr == interfero* ]]
	refuse 2 'no machine "p7"' -- interfero place --machine p7 hot.trace
}
