#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The runtime inside programs that matter, as Debian builds them: under every pair of policies each does what it does
# without. At quick depth each program meets every third pair, and each pair some programs; at full depth every program meets
# all pairs with two of ten seeds, others in each program. RUNTIME_PAIRS=all takes all ten, which takes a quarter of an hour.
# Then the allocator by itself, under two sanitizers for RUNTIME_STRESS_S seconds altogether.

load ../helpers

setup_file() {
	place=$(mktemp -d "${TMPDIR:-/tmp}/ifr-XXXXXX")
	export place work="$BATS_TEST_DIRNAME/programs/runtime/run"
	export runtime="$INTERFERO_BUILD/libexec/interfero/libinterfero.so"
}

# cases WHAT: HEAP BLOCKS SEED, a line each. Seeds go round over pairs, and begin elsewhere in each program.
cases() {
	local pairs=({shuffle,diehard}" "{glibc,aligned,random,alias-free} "glibc "{aligned,random,alias-free})
	local first=$(($(printf %s "$1" | cksum | cut -d' ' -f1) % 10)) i seed step
	step=$(at_depth 10 5)
	[ "${RUNTIME_PAIRS:-}" = all ] && step=1
	for i in "${!pairs[@]}"; do
		[ -n "${RUNTIME_PAIRS:-}" ] || [ $(((i + first) % $(at_depth 3 1))) -eq 0 ] || continue
		for ((seed = 0; seed < 10; seed += step)); do
			echo "${pairs[i]} $(((first + i + seed) % 10 + 1))"
		done
	done
}

teardown_file() {
	drop_own_kits
}

# one WHAT HEAP BLOCKS SEED: compares with what it printed without the runtime.
one() {
	local got
	got=$(INTERFERO_HEAP=$2 INTERFERO_BLOCKS=$3 INTERFERO_HEAP_SEED=$4 INTERFERO_BLOCKS_SEED=$4 PRELOAD=$runtime \
		timeout -k 5 120 "$work" "$1" "$4" 2>&1) && [ "$got" = "$(cat "$place/$1")" ] && return 0
	printf '%s: heap %s, blocks %s, seed %s:\n%s\n' "$@" "$got"
	return 255
}

same_everywhere() {
	export -f one
	PRELOAD='' "$work" "$1" 1 >"$place/$1"
	[ -s "$place/$1" ]
	# shellcheck disable=SC2016 # for the inner shell
	cases "$1" | xargs -P 2 -L 1 bash -c 'one "$@"' one "$1"
}

@test "python3 passes its own tests" {
	need_full_depth # the longest; perl, git, sqlite3 and redis run at quick depth
	need /usr/bin/python3
	/usr/bin/python3 -c 'import test.test_list' 2>/dev/null || skip "Debian's package of Python's own tests is not installed"
	same_everywhere python
}

@test "perl sorts, substitutes and forks" {
	same_everywhere perl
}

@test "git makes, packs and checks a history" {
	need git
	same_everywhere git
}

@test "sqlite3 joins, changes and vacuums a database" {
	need sqlite3
	same_everywhere sqlite
}

@test "a redis server with two threads serves its benchmark, saves and ends" {
	need redis-benchmark redis-cli
	same_everywhere redis
}

@test "gawk adds up" {
	need gawk
	same_everywhere gawk
}

@test "xz with two threads" {
	need xz
	same_everywhere xz
}

@test "zstd with two threads" {
	need zstd
	same_everywhere zstd
}

# Longer than the whole test takes: the programs look at the clock between rounds.
stress() {
	within 600 env TSAN_OPTIONS=halt_on_error=1:exitcode=66 "$1" $((${RUNTIME_STRESS_S:-$(at_depth 4 60)} / 2))
}

@test "eight threads, forks and frees across threads: AddressSanitizer finds nothing" {
	stress "$BATS_TEST_DIRNAME/../../build/sanitized/tests/stress"
}

@test "eight threads, forks and frees across threads: ThreadSanitizer finds nothing" {
	need_full_depth # the same program runs under AddressSanitizer at quick depth
	stress "$BATS_TEST_DIRNAME/../../build/threads/tests/stress"
}
