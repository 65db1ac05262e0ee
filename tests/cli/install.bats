#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed works from where it is installed, and goes again.

load ../helpers

setup_file() {
	use_own_kits
	export root="$BATS_TEST_DIRNAME/../.."
	make -s -C "$root" install "PREFIX=/opt/ifr" "DESTDIR=$place/root" >"$place/log" 2>&1 || {
		cat "$place/log" >&2
		return 1
	}
}

teardown_file() {
	drop_own_kits
}

@test "an installed interfero-gcc captures, an installed interfero makes variants of it" {
	bin="$place/root/opt/ifr/bin"
	cd "$place"
	printf '#include <stdio.h>\nint one(void){return 1;}\nint main(void){printf("%%d\\n", one());return 0;}\n' >p.c
	"$bin/interfero-gcc" -O1 p.c -o p
	"$bin/interfero" variants -q -n 2 -o v ./p
	[ "$(v/v00002)" = 1 ]
}

@test "there is a man page for every command" {
	for command in bench variants report kit doctor; do
		page="$place/root/opt/ifr/share/man/man1/interfero-$command.1"
		grep -q "^interfero-$command .* [a-z]" "$page" && grep -q "^.TH INTERFERO-${command^^} " "$page"
	done
	[ -s "$place/root/opt/ifr/share/man/man1/interfero.1" ]
}

@test "the completions know the commands and their options" {
	# shellcheck disable=SC1090
	source "$place/root/opt/ifr/share/bash-completion/completions/interfero"
	COMP_WORDS=(interfero be) COMP_CWORD=1
	_interfero
	[ "${COMPREPLY[*]}" = bench ]
	COMP_WORDS=(interfero bench --bud) COMP_CWORD=2
	_interfero
	[ "${COMPREPLY[*]}" = --budget ]
}

@test "uninstall leaves no file behind" {
	make -s -C "$root" uninstall "PREFIX=/opt/ifr" "DESTDIR=$place/root"
	[ -z "$(find "$place/root" -type f -o -type l)" ]
}
