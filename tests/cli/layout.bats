# SPDX-License-Identifier: GPL-3.0-or-later
# Places by name: interfero layout, and plans with order and at lines. nm is the judge of where things lie.

load ../helpers

setup_file() {
	use_own_kits
}

teardown_file() {
	drop_own_kits
}

setup() {
	use_own_folder
	cat >main.c <<-'EOT'
		#include <stdio.h>
		int first(int), second(int), third(int);
		const int table[] = {1, 2, 3, 4};
		int counter = 7;
		static int spare[100];
		int main(int argc, char **argv) {
			(void)argv;
			spare[argc] = first(argc) + second(argc) + third(argc);
			printf("%d %d\n", spare[argc] + table[argc], counter);
			return 0;
		}
	EOT
	for name in first second third; do
		echo "int $name(int x); int $name(int x) { return x * 3 + ${#name}; }" >$name.c
	done
	interfero-gcc -O2 -ffunction-sections -fdata-sections main.c first.c second.c third.c -o program
	expected=$(./program)
}

address() { nm "$2" | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p"; }

# plan LINES...: writes them as plan "p" and makes its variant v/p.
plan() {
	printf '%s\n' "interfero-plan 1" "$@" >p
	rm -rf v
	run interfero variants --plan p -o v ./program
}

@test "the printed layout names every unit of code in its order, and makes the program again" {
	interfero layout ./program >printed
	[ "$(head -n 1 printed)" = "interfero-plan 1" ]
	[ "$(grep '^order ' printed | grep -c '\.text')" -eq "$(grep -c '^order' printed)" ]
	for name in main first second third; do grep -q ":.text.*\.$name\$" printed; done
	interfero variants -q --plan printed -o v ./program
	for name in main first second third counter table; do
		[ "$(address $name v/printed)" = "$(address $name program)" ]
	done
	[ "$(v/printed)" = "$expected" ]
}

@test "a found layout, printed, is the same layout without its seeds" {
	interfero variants -q -n 2 --axes functions,padding,base -o found ./program
	interfero layout --plan found/v00002.plan --addresses ./program >pinned
	grep -q '^at 0x' pinned && ! grep -q seed pinned
	interfero variants -q --plan pinned -o v ./program
	for name in main first second third _start; do
		[ "$(address $name v/pinned)" = "$(address $name found/v00002)" ]
	done
	[ "$(v/pinned)" = "$expected" ]
}

@test "--units lists what there is, as nm has it, and what pins it" {
	run interfero layout --units ./program
	[ "$status" -eq 0 ]
	for name in first second third; do
		line=$(grep ":.text.$name\$" <<<"$output")
		[ $((0x$(address $name program))) -eq $((${line%% *})) ]
	done
	[[ $output == *"crt1.o:.text (pinned: it is of a start file)"* ]]
	[[ $output == *":.rodata.str1.1 (pinned: its constants are merged"* || $output == *"str1.1 (pinned: its constants"* ]]
}

@test "a plan that gives one function an address moves nothing else" {
	plan "at 0x4000 second.c:.text.second"
	[ "$status" -eq 0 ] || say "$output"
	[ "$(address second v/p)" = 4000 ]
	for name in main first third _start; do
		[ "$(address $name v/p)" = "$(address $name program)" ]
	done
	[ "$(v/p)" = "$expected" ]
	[[ $output == *"places: 1 of 1 followed"* ]]
	interfero verify ./program v
}

@test "an order comes first, and the rest behind it" {
	plan "order third.c:.text.third" "order first.c:.text.first"
	[ "$status" -eq 0 ] || say "$output"
	[ "$(nm -n v/p | grep -oE ' (third|first|second)$' | tr -d ' \n')" = thirdfirstsecond ]
	[ "$(v/p)" = "$expected" ]
}

@test "functions flow around one that is held at its address" {
	for seed in 1 2 3 4; do
		plan "functions seed=$seed" "padding seed=$seed" "at 0x$(address first program) first.c:.text.first"
		[ "$status" -eq 0 ] || say "$output"
		[ "$(address first v/p)" = "$(address first program)" ]
		[ "$(v/p)" = "$expected" ]
	done
	[ "$(address second v/p)" != "$(address second program)" ]
	interfero verify ./program v
}

@test "data are placed by name, and the axis data moves nothing of the code" {
	plan "order main.c:.data.counter" "order main.c:.rodata.table" "order main.c:.bss.spare"
	[ "$status" -eq 0 ] || say "$output"
	[ "$(v/p)" = "$expected" ]
	plan "data seed=3 max=256"
	[ "$status" -eq 0 ] || say "$output"
	[[ $output == *"data: "*" bytes of padding"* ]]
	[ "$(address table v/p)" != "$(address table program)" ]
	for name in main first second third; do
		[ "$(address $name v/p)" = "$(address $name program)" ]
	done
	[ "$(v/p)" = "$expected" ]
	interfero verify ./program v
}

@test "patterns limit an axis: what they leave out keeps its place in the order" {
	plan "padding seed=1 max=4096 only=second"
	[ "$status" -eq 0 ] || say "$output"
	[ "$(address first v/p)" = "$(address first program)" ]
	[ "$(address second v/p)" != "$(address second program)" ]
	plan "functions seed=5 cross=1 except=*first,*third"
	[ "$status" -eq 0 ] || say "$output"
	[ "$(v/p)" = "$expected" ]
}

@test "impossible places are refused, with the unit and the remedy" {
	plan "at 0x4004 second.c:.text.second"
	[ "$status" -eq 2 ] && [[ $output == *"second.c:.text.second cannot lie at 0x4004: it needs a multiple of 16"* ]] || say "$output"
	plan "at 0x$(address first program) second.c:.text.second"
	[ "$status" -eq 2 ] && [[ $output == *"first.c:.text.first at 0x"*" overlap"* ]] || say "$output"
	plan "at 0x10 second.c:.text.second"
	[ "$status" -eq 2 ] && [[ $output == *".text begins at 0x"* ]] || say "$output"
	plan "at 0x900000000000 second.c:.text.second"
	[ "$status" -eq 2 ] && [[ $output == *"may grow by 64 MiB"* ]] || say "$output"
	plan "order nosuch.o:.text"
	[ "$status" -eq 2 ] && [[ $output == *"has none of the units"*"interfero layout --units"* ]] || say "$output"
	plan "order second.c:.text.second" "at 0x4000 second.c:.text.second"
	[ "$status" -eq 2 ] && [[ $output == *"given two places"* ]] || say "$output"
	plan "order crt1.o:.data" "order second.c:.text.second"
	[ "$status" -eq 0 ] && [[ $output == *"1 name no unit of this program"* ]] || say "$output"
	[ ! -e v/nothing ]
}

@test "a plan of one build fits the next one, as far as the names go" {
	interfero layout ./program >old
	cp program before
	echo 'int fourth(int x); int fourth(int x) { return x + 4; }' >>third.c
	interfero-gcc -O2 -ffunction-sections -fdata-sections main.c first.c second.c third.c -o program
	run interfero variants --plan old -o v ./program
	[ "$status" -eq 0 ] || say "$output"
	for name in main first second third; do
		[ "$(address $name v/old)" = "$(address $name before)" ]
	done
	[ "$(v/old)" = "$expected" ]
}

@test "nonsense on the command line" {
	run interfero layout
	[ "$status" -eq 2 ]
	run interfero layout ./program other
	[ "$status" -eq 2 ]
	run interfero layout --units --addresses ./program
	[ "$status" -eq 2 ]
	run interfero layout /bin/true
	[ "$status" -ne 0 ] && [[ $output == *"interfero-gcc"* ]]
	run interfero layout --plan nosuch.plan ./program
	[ "$status" -eq 2 ]
}
