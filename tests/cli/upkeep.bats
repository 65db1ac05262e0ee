#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Upkeep of a pinned layout: interfero optimize --check-pin, --refresh and --stable. The programs print costs that follow
# from where their functions lie, and these are measured instead of a time.

load ../helpers

setup_file() {
	use_own_kits
	cd "$place" || return 1
	# The cost of a function is the number of windows of 64 bytes that it and its return lie in: 1 at best for 48 bytes.
	# SHIFT: so many times 16 bytes more of main.
	make_program() { # NAMES...: a program of functions of these names
		local name
		echo '#include <stdint.h>'
		echo '#include <stdio.h>'
		for name; do
			echo "__attribute__((noipa)) static void $name(void) { __asm__ volatile(\".rept 16\n nopl (%rax)\n .endr\"); }"
		done
		echo 'static int windows(void (*f)(void)) { return (int)(((uintptr_t)f + 48) / 64 - (uintptr_t)f / 64 + 1); }'
		# Names of static functions alone would not make another build-id.
		echo "__attribute__((used)) static const char names[] = \"$*\";"
		echo 'int main(void) {'
		echo "__asm__ volatile(\".skip 16 * ${SHIFT:-0}, 0x90\");"
		for name; do echo "for (int i = 0; i < 2000; i++) $name();"; done
		echo 'printf("cost: %d\n", 0'
		for name; do echo "+ windows($name)"; done
		echo '); }'
	}
	make_program f1 f2 f3 >prog.c
	interfero-gcc -O2 prog.c -o prog
	mkdir edited
	# Each of the functions, which come first, begins a line.
	text=$(readelf -SW prog | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) .*/\1/p')
	{
		echo 'interfero-plan 1'
		for n in 1 2 3; do echo "order prog.c:.text.f$n"; done
		for n in 1 2 3; do echo "room 64 prog.c:.text.f$n"; done
		echo "start $(((0x$text + 63) / 64 * 64))"
	} >best.plan
	# Of the edited program, the new function lies across two lines in this layout, where the linker leaves it.
	grep -v 'text\.f2' best.plan >kept.plan
	local SHIFT
	for SHIFT in 0 1 2 3; do
		make_program f1 f3 g4 >edited/prog.c
		interfero-gcc -O2 edited/prog.c -o edited/prog
		interfero variants -q -n 1 --plan kept.plan -o linked edited/prog
		[ "$(linked/kept)" = "cost: 3" ] || break
	done
}

setup() {
	use_own_folder
	cp ../best.plan .
	ln -s ../prog ../edited .
}

teardown_file() {
	drop_own_kits
}

# measure OPTIONS... PROGRAM: interfero optimize by the cost that the program prints.
measure() {
	local program=${*: -1}
	within 60 interfero optimize -n 8 -r 1 --metrics 'regex:^(\w+): ([0-9.]+)' -m cost --contexts 3 --ignore-output -o out "${@:1:$#-1}" -- "$program"
}

cost() {
	"$@" | tr -dc 0-9
}

addresses_of() {
	nm "$1" | sed -n 's/^\(.*\) [tT] \(f[0-9]*\|g4\|main\)$/\2 \1/p' | sort
}

@test "the plan is as good as it is meant to be" {
	interfero variants -q --plan best.plan -o made ./prog
	[ "$(cost made/best)" = 3 ]
	[ "$(cost ./prog)" -gt 3 ]
}

@test "--check-pin tells whether a pin still gains, of a plain build and of a pinned one" {
	local shipped
	shipped=$(cost ./prog)
	run -0 measure --json --check-pin best.plan ./prog
	jq -e --argjson shipped "$shipped" '.holds and .upkeep == "check" and (.ratio - 3 / $shipped | fabs < 1e-9)' <<<"$output"
	cp "$(readlink -f prog)" pinned
	interfero pin --plan best.plan pinned
	jq -e '.pinned == false' <<<"$output" >/dev/null
	measure --check-pin best.plan ./prog | grep -q '^  - ./prog itself has the plain layout: remove it'
	run -0 measure --json --check-pin best.plan ./pinned
	jq -e '.pinned' <<<"$output" >/dev/null
	not grep 'itself has the plain' <(measure --check-pin best.plan ./pinned)
	jq -e --argjson shipped "$shipped" '.holds and (.ratio - 3 / $shipped | fabs < 1e-9)' <<<"$output"
	# A search begins at the plain layout, too.
	run -0 measure --json --rounds 1 --candidates 4 ./pinned
	jq -e --argjson shipped "$shipped" '.faster and .ratio * $shipped < $shipped - 0.9' <<<"$output"
	# The check leaves the files alone.
	cmp best.plan ../best.plan
	[ "$(cost ./pinned)" = 3 ]
	# A layout that is no other than the shipped one gains nothing.
	interfero layout ./prog >nothing.plan
	run -1 measure --check-pin nothing.plan ./prog
	[[ $output == 'The pin has lost its gain: cost +0.0 %'* ]] || say "$output"
	sed s/prog.c/other.c/ best.plan >other.plan
	refuse 2 'none of the units' -- interfero optimize -n 8 -r 1 --check-pin other.plan -o out -- ./prog
}

@test "--check-pin goes by workloads and held-out arguments" {
	printf 'one: 1\ntwo: 2 2\n' >two.suite
	run -0 measure --json --suite two.suite --held-out 3 --check-pin best.plan ./prog
	jq -e '.holds and ([.workloads[].name] | sort == ["one", "two"]) and .held_out[0].arguments == "3"' <<<"$output"
	measure --held-out 3 --check-pin best.plan ./prog | grep -q '^  - With the arguments 3 it is faster'
}

@test "--refresh drops what is gone and places hot functions that are new" {
	# Without repair the new function lies where the linker leaves it.
	run measure --json --check-pin best.plan edited/prog
	jq -e '.units_gone == 1' <<<"$output"
	run -0 --separate-stderr measure --json --refresh=best.plan edited/prog
	jq -e '.holds and .units_gone == 1 and .functions_new >= 1 and .functions_placed == .functions_new and .plan == "best.plan"' <<<"$output"
	not grep 'text.f2' best.plan
	grep -qx 'order prog.c:.text.g4' best.plan
	ratio=$(jq .ratio <<<"$output")
	interfero variants -q --plan best.plan -o made edited/prog
	jq -en --argjson ratio "$ratio" --argjson made "$(cost made/best)" --argjson shipped "$(cost edited/prog)" \
		'$ratio - $made / $shipped | fabs < 1e-9'
	for form in order sections ld h; do [ -s best.$form ]; done
	# The plan of the search, where none is named.
	run -2 --separate-stderr measure --refresh ./prog
	[[ $stderr == *'out/best.plan'* ]] || say "$stderr"
}

@test "--refresh leaves a plan that gains nothing" {
	{
		interfero layout ./prog
		echo 'order gone.c:.text.gone'
	} >nothing.plan
	cp nothing.plan before
	run -1 --separate-stderr measure --json --refresh=nothing.plan ./prog
	cmp nothing.plan before
	jq -e '(.holds | not) and .units_gone == 1 and .functions_new == 0 and .plan == null' <<<"$output"
}

@test "--stable: functions may grow without moving others, as rebuilding shows" {
	run -0 measure --json --stable ./prog
	jq -e '.holds and .moved == 0 and .moved_shipped > 0.3 and .slack_bytes > 0 and .plan == "out/stable.plan"' <<<"$output"
	measure --stable ./prog | grep -q '^  - A function that grows by 16 bytes moves 0.0 % of the others, and [1-9]'
	measure --stable ./prog | grep -qF 'INTERFERO_LAYOUT=$PWD/out/stable.plan make CC=interfero-gcc'
	# Known answer: nm of programs in which f1 has 16 bytes of nops more.
	mkdir grown
	sed '/ f1(void)/s/[.]rept 16/.skip 16, 0x90; &/' ../prog.c >grown/prog.c
	interfero-gcc -O2 grown/prog.c -o grown/plain
	interfero-gcc -O2 -finterfero-layout=out/stable.plan ../prog.c -o small
	interfero-gcc -O2 -finterfero-layout=out/stable.plan grown/prog.c -o grown/large
	[ "$(addresses_of small)" = "$(addresses_of grown/large)" ]
	[ "$(addresses_of prog)" != "$(addresses_of grown/plain)" ]
	# Every function begins a line.
	not grep -v '[048c]0$' <(addresses_of small)
	# Beyond its slack it moves the others.
	sed '/ f1(void)/s/rept 16/rept 400/' ../prog.c >grown/prog.c
	interfero-gcc -O2 -finterfero-layout=out/stable.plan grown/prog.c -o grown/huge
	[ "$(addresses_of small)" != "$(addresses_of grown/huge)" ]
}

@test "--stable: its count of moved functions is that of programs that were built with the edit" {
	moved=0 pairs=0
	run -0 measure --json --stable ./prog
	for name in f1 f2 f3 main; do
		mkdir -p edit-$name
		if [ $name = main ]; then
			sed 's/^int main(void) {/&__asm__ volatile(".skip 16, 0x90");/' ../prog.c >edit-$name/prog.c
		else
			sed "/ $name(void)/s/[.]rept 16/.skip 16, 0x90; &/" ../prog.c >edit-$name/prog.c
		fi
		interfero-gcc -O2 edit-$name/prog.c -o edit-$name/prog
		moved=$((moved + $(join <(addresses_of prog) <(addresses_of edit-$name/prog) | grep -v "^$name " | awk '$2 != $3' | wc -l)))
		pairs=$((pairs + 3))
	done
	jq -e --argjson moved $moved --argjson pairs $pairs '.moved_shipped - $moved / $pairs | fabs < 1e-9' <<<"$output" || say "$moved of $pairs, and $output"
}

@test "--stable: with templates, the loops of hot functions are aligned" {
	cat >loop.c <<-'END'
		__attribute__((noipa)) static int hot(int n) {
			volatile int sum = 0;
			for (int i = 0; i < n; i++) sum += i;
			return sum;
		}
		int main(void) { return hot(100000) == 1; }
	END
	INTERFERO_TEMPLATES=1 interfero-gcc -O2 loop.c -o loop
	run within 60 interfero optimize --json -r 2 --contexts 2 --stable -o out -- ./loop
	[ "$status" -le 1 ]
	jq -e '.loops_aligned >= 1 and .moved == 0' <<<"$output"
	grep -q '^align seed=1 .*loop-bytes=32.* only=.*hot' out/stable.plan
	grep -q 'INTERFERO_PIN_hot .*optimize("align-loops=32")' out/stable.h
}

@test "--stable begins with the order of a plan" {
	printf 'interfero-plan 1\norder prog.c:.text.f3\norder prog.c:.text.f2\norder prog.c:.text.f1\n' >turned.plan
	run measure --stable=turned.plan ./prog
	[ "$status" = 0 ]
	[ "$(grep -o 'text\.f[0-9]' out/stable.plan | head -n 3 | tr -d '\n')" = text.f3text.f2text.f1 ]
}

@test "one kind of upkeep at a time" {
	run -2 --separate-stderr interfero optimize --stable --check-pin best.plan -- ./prog
	[[ $stderr == *'go one at a time'* ]]
}
