#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The other Debian, 13 on 12 and 12 on 13: make demo, lua recorded and measured, the programs of other compilers, and by make
# check-other every test. The system is made by debootstrap in BUILD/systems and kept with its build, as both take minutes.

load ../helpers
load ../system
source "$BATS_TEST_DIRNAME/../sources.bash"

setup_file() {
	use_own_kits
	find_reason >reason
	[ -s reason ] || (make_other) 2>reason || true
}

setup() {
	use_own_folder
	[ ! -s "$place/reason" ] || skip "$(cat "$place/reason")"
	find_system
}

teardown_file() {
	drop_own_kits
}

# Why the other system cannot be tried here.
find_reason() {
	is_full_depth || { echo "at full depth (make check-full): a system, and the build in it"; return; }
	[ -n "$(other)" ] || echo "this is neither Debian 12 nor 13"
}

# The other release.
other() {
	(. /etc/os-release && case $VERSION_CODENAME in bookworm) echo trixie ;; trixie) echo bookworm ;; esac)
}

find_system() {
	system=$INTERFERO_BUILD/systems/$(other)
}

# The system, with the sources as they are now. Those that are the same keep their times, so that make builds what changed.
make_other() {
	find_system
	if [ ! -d "$system" ]; then
		system+=.new
		rm -rf "$system"
		mkdir -p "$system"
		make_system "$(other)"
		in_system sh -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends make git' >log 2>&1 || say "apt-get fails: $(tail -n 1 log)"
		mv "$system" "${system%.new}"
		find_system
	fi
	local sources=$system/root/interfero fresh=$system/root/fresh file
	rm -rf "$fresh"
	mkdir -p "$sources" "$fresh"
	(cd "$BATS_TEST_DIRNAME/../.." && git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --) | tar -C "$fresh" -xmf -
	(cd "$fresh" && find . -type f) | while read -r file; do
		! cmp -s "$fresh/$file" "$sources/$file" || touch -r "$sources/$file" "$fresh/$file"
	done
	[ ! -d "$sources/build" ] || mv "$sources/build" "$fresh"
	rm -rf "$sources"
	mv "$fresh" "$sources"
}

# in_sources COMMANDS: a shell's, in the folder of the sources, with the build in its path.
in_sources() {
	in_system sh -ec "cd /root/interfero; export HOME=/root PATH=\$PWD/build/bin:\$PATH; $1" >log 2>&1 || say "$(tail -n 30 log)"
}

@test "make demo installs what it needs, builds and measures" {
	in_sources 'make -j2 demo'
	grep -q "24 random" log || say "$(tail -n 30 log)"
	grep -q '</html>' "$system/root/interfero/build/demo/dispatch.html"
	# Nothing that only tests need.
	not grep -qE '^To be installed.* (bats|cmake|jq)' log
}

@test "lua is recorded, and measured by the clock and the model" {
	local store=$INTERFERO_BUILD/debian sources=$system/root/interfero/build/debian/sources
	mkdir -p "$store" "$sources"
	(flock 9 && need_sources "$store") 9>"$store/lock" 2>why || skip "$(cat why)"
	[ -d "$sources/lua5.4" ] || cp -r "$store/sources/lua5.4" "$sources"
	cat >"$system/root/work.lua" <<-'END'
		local sum = 0
		for i = 1, 20000 do sum = sum + #tostring(i) end
		print(sum)
	END
	# 9 numbers of one digit, 90 of two, 900 of three, 9000 of four, 10001 of five.
	in_sources 'make -s -j2 all; rm -rf /root/lua; tests/debian build interfero-gcc /root/lua lua; cd /root/lua/lua/src
		test "$(./lua /root/work.lua)" = 88894
		interfero record -o lua.trace -- ./lua /root/work.lua
		interfero trace verify lua.trace
		interfero bench --counters clock,model --core=none -n 4 -r 2 -o lua.exp -- ./lua /root/work.lua'
	grep -q "4 random" log || say "$(cat log)"
	grep -q "L1-icache-load-misses" log || say "$(cat log)"
}

@test "a first command: bench of a program as it is" {
	in_sources 'apt-get install -y -qq --no-install-recommends gawk >/dev/null; cd /root
		interfero bench --axes stack,heap -n 4 -r 2 --fresh -o gawk.exp -- /usr/bin/gawk "BEGIN { for (i = 0; i < 100000; i++) s += i; print s }"'
	grep -q "^Layouts of /usr/bin/gawk" log || say "$(cat log)"
	grep -q "4 random" log || say "$(cat log)"
}

# Debian 12 has no Swift. Debian 13 has gcc 13 beside 14, Debian 12 gcc 11 beside 12.
@test "programs of other compilers, and of a second gcc: bench, compare, verify, blame and replay" {
	in_sources 'apt-get install -y -qq --no-install-recommends bats jq clang gfortran rustc cargo librust-criterion-dev golang-go gdc ldc gnat >/dev/null
		apt-get install -y -qq --no-install-recommends gcc-13-plugin-dev >/dev/null || apt-get install -y -qq --no-install-recommends gcc-11-plugin-dev >/dev/null
		! apt-cache policy swiftlang | grep -q "Candidate: [0-9]" || apt-get install -y -qq --no-install-recommends swiftlang >/dev/null
		make -s -j2 all'
	in_sources 'INTERFERO_TEST_DEPTH=full tests/run build build/sanitized/tests tests/e2e/compilers.bats tests/cli/gcc_versions.bats'
	grep -q ' 0 failed' log
	not grep -E '^ok .*# skip' log >skipped || [ "$(other):$(grep -v Swift skipped)" = bookworm: ] || say "$(cat skipped)"
}

@test "make check passes" {
	[ -n "${INTERFERO_CHECK_OTHER:-}" ] || skip "by make check-other: a quarter of an hour on two processors alone"
	# shellcheck disable=SC2034 # in_system's
	system_limit=1800
	in_sources 'make check 2>&1' || say "$(grep -A 20 '^not ok' log)"
	echo "# $(other): $(tail -n 1 log)" >&3
}
