#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The wrappers cannot call themselves: whatever stands in PATH or in INTERFERO_GCC and INTERFERO_LD, a compilation either
# works with the real tools or ends with one message, after a handful of processes.

load ../helpers

setup_file() {
	use_own_kits
}

setup() {
	use_own_folder
	echo 'int main(void) { return 0; }' >main.c
	mkdir first
	: >calls
}

teardown_file() {
	drop_own_kits
}

# relay NAME TARGET: first/NAME is a script that writes a line to calls and becomes TARGET; after 20 calls it refuses, so
# that a broken wrapper cannot flood the machine.
relay() {
	cat >"first/$1" <<END
#!/bin/sh
echo call >>"$here/calls"
[ "\$(wc -l <"$here/calls")" -le 20 ] || exit 99
${3-exec }$2 "\$@"
END
	chmod +x "first/$1"
}

# stopped COMMAND...: ends with status 4 or what a compiler makes of it, one message of ours, and few calls.
stopped() {
	run --separate-stderr within 20 "$@"
	[ "$status" -ne 0 ]
	[ "$status" -ne 124 ] || say "it did not end"
	[ "$(grep -c '^interfero' <<<"$stderr")" -eq 1 ] || say "not one message: $stderr"
	[ "$(wc -l <calls)" -le 3 ] || say "$(wc -l <calls) calls"
}

# works COMMAND...
works() {
	run -0 --separate-stderr within 20 "$@"
	[ -z "$stderr" ]
	[ "$(wc -l <calls)" -le 3 ] || say "$(wc -l <calls) calls"
	./a.out
}

@test "gcc in PATH is a link to interfero-gcc: the next one is taken" {
	ln -s "$INTERFERO_BUILD/bin/interfero-gcc" first/gcc
	works env PATH="$here/first:$PATH" interfero-gcc main.c
	works env PATH="$here/first:$PATH" gcc main.c
}

@test "gcc in PATH is a link to a link, of the wrapper of another language" {
	ln -s "$INTERFERO_BUILD/bin/interfero-g++" first/interfero-gcc
	ln -s interfero-gcc first/gcc
	works env PATH="$here/first:$PATH" first/interfero-gcc main.c
}

@test "a link to interfero-gcc is the only gcc there is" {
	ln -s "$INTERFERO_BUILD/bin/interfero-gcc" first/gcc
	stopped env PATH="$here/first" "$INTERFERO_BUILD/bin/interfero-gcc" main.c
	[[ $stderr == *"no compiler gcc"*INTERFERO_GCC* ]]
	stopped env INTERFERO_GCC=/nonexist/gcc "$INTERFERO_BUILD/bin/interfero-gcc" main.c
	[[ $stderr == *"no compiler /nonexist/gcc"*INTERFERO_GCC* ]]
}

@test "gcc in PATH is a script that becomes interfero-gcc" {
	relay gcc "$INTERFERO_BUILD/bin/interfero-gcc"
	stopped env PATH="$here/first:$PATH" interfero-gcc main.c
	[ "$status" -eq 4 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *INTERFERO_GCC* ]]
}

@test "gcc in PATH is a script that calls interfero-gcc and goes on" {
	relay gcc "$INTERFERO_BUILD/bin/interfero-gcc" ""
	stopped env PATH="$here/first:$PATH" interfero-gcc main.c
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "gcc in PATH is a copy of the wrapper" {
	cp -L "$INTERFERO_BUILD/bin/interfero-gcc" first/gcc
	stopped env PATH="$here/first:$PATH" interfero-gcc main.c
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "two scripts that call one another through the wrappers" {
	relay gcc "interfero-g++"
	relay g++ "interfero-gcc"
	stopped env PATH="$here/first:$PATH" interfero-gcc main.c
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "INTERFERO_GCC names the wrapper, by a link, a script or a copy" {
	ln -s "$INTERFERO_BUILD/bin/interfero-gcc" first/link
	relay script "$INTERFERO_BUILD/bin/interfero-gcc"
	cp -L "$INTERFERO_BUILD/bin/interfero-gcc" first/copy
	for name in "$INTERFERO_BUILD/bin/interfero-gcc" "$here/first/link" "$here/first/script" "$here/first/copy"; do
		: >calls
		stopped env INTERFERO_GCC="$name" interfero-gcc main.c
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "INTERFERO_GCC names a script around the real compiler: it is used" {
	relay wrapped "$(command -v gcc)"
	works env INTERFERO_GCC="$here/first/wrapped" interfero-gcc main.c
	# Once for its version, once to compile.
	[ "$(wc -l <calls)" -eq 2 ]
}

@test "ld in PATH is a link to our linker: the next one is taken" {
	ln -s "$INTERFERO_BUILD/libexec/interfero/ld/ld" first/ld
	works env PATH="$here/first:$PATH" interfero-gcc main.c
	interfero kit show a.out | grep -q "^key"
}

@test "ld in PATH is a script that becomes our linker" {
	relay ld "$INTERFERO_BUILD/libexec/interfero/ld/ld"
	stopped env PATH="$here/first:$PATH" interfero-gcc main.c
	[[ $stderr == *circle* ]]
	[ ! -e a.out ]
}

@test "INTERFERO_LD names a script that becomes our linker, or calls the compiler" {
	relay ours "$INTERFERO_BUILD/libexec/interfero/ld/ld"
	stopped env INTERFERO_LD="$here/first/ours" interfero-gcc main.c
	: >calls
	relay compiler "interfero-gcc"
	stopped env INTERFERO_LD="$here/first/compiler" interfero-gcc main.c
}

@test "the guard of one compilation does not reach the next" {
	cat >Makefile <<'END'
a.out: main.c
	$(CC) main.c
	interfero kit show a.out | grep -q '^key'
END
	run -0 --separate-stderr make -s CC=interfero-gcc
	[ -z "$stderr" ]
}
