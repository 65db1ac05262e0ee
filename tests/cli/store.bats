#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A store of kits that cannot be written never costs a link; and interfero kit, which looks after the store.

load ../helpers

setup_file() {
	use_own_kits
	printf '#include <stdio.h>\nint main(void) { puts("linked"); return 0; }\n' >main.c
	interfero-gcc -c main.c -o main.o
}

setup() {
	use_own_folder
	export INTERFERO_KITS="$here/kits"
	mounted=
}

teardown() {
	[ -z "$mounted" ] || umount "$mounted"
}

teardown_file() {
	drop_own_kits
}

# small_disk FOLDER OPTIONS: a file system of 64 KiB in memory there; fails where it cannot be mounted.
small_disk() {
	mkdir -p "$1"
	[ "$(id -u)" -eq 0 ] && mount -t tmpfs -o "size=64k$2" tmpfs "$1" 2>/dev/null && mounted=$1
}

# links_with_a_warning: the program is linked as ever, with one line that says why it has no kit.
links_with_a_warning() {
	run -0 --separate-stderr within 30 interfero-gcc "$place/main.o" -o program
	[ -z "$output" ]
	explain warning "no kit of program" "$@"
	[ "$(./program)" = linked ]
}

@test "the disk of the store is full" {
	small_disk "$here/kits" || skip "no file system can be mounted here"
	links_with_a_warning "No space left"
	# Nothing half-made stays there but objects, which the next sweep takes.
	[ -z "$(find kits/kits -mindepth 1)" ]
}

@test "the store lies below a file" {
	echo text >kits
	links_with_a_warning "Not a directory"
	[ "$(cat kits)" = text ]
	INTERFERO_KITS="$here/kits/below" links_with_a_warning "Not a directory"
}

@test "the store cannot be written" {
	mkdir kits
	chmod 555 kits
	if [ -w kits ]; then # root may write everywhere but here
		chmod 755 kits
		small_disk "$here/kits" || skip "root may write everywhere"
		mount -o remount,ro "$here/kits"
	fi
	links_with_a_warning kits
}

@test "there is no place for a store" {
	unset INTERFERO_KITS
	run -0 --separate-stderr env -u HOME -u XDG_CACHE_HOME interfero-gcc "$place/main.o" -o program
	explain warning INTERFERO_KITS
	[ "$(./program)" = linked ]
}

@test "XDG_CACHE_HOME and HOME are where kits go by default" {
	unset INTERFERO_KITS
	XDG_CACHE_HOME="$here/cache" interfero-gcc "$place/main.o" -o program
	[ -d cache/interfero/kits/"$(build_id_of program)" ]
	env -u XDG_CACHE_HOME HOME="$here/home" interfero-gcc "$place/main.o" -o program
	[ -d home/.cache/interfero/kits/"$(build_id_of program)" ]
}

@test "temporary files cannot be written" {
	echo text >file
	TMPDIR="$here/file" links_with_a_warning "$here/file"
}

@test "the plugin is missing" {
	mkdir -p copy/libexec/interfero
	cp -r "$INTERFERO_BUILD/bin" copy/bin
	cp -r "$INTERFERO_BUILD/libexec/interfero/ld" copy/libexec/interfero
	refuse 4 "no plugin for gcc" "install the package gcc-" -- copy/bin/interfero-gcc "$place/main.c" -o program
	[ ! -e program ]
}

@test "kit list, show, prune" {
	run -0 --separate-stderr interfero kit list
	[ -z "$output" ]
	[[ $stderr == *"no kits"* ]]
	interfero-gcc "$place/main.o" -o one
	interfero-gcc "$place/main.o" -Wl,--defsym=other=1 -o two
	[ "$(interfero kit list | grep -c '/\(one\|two\)$')" -eq 2 ]
	key=$(build_id_of one)
	interfero kit show ./one | grep -q "$place/main.o"
	[ "$(interfero kit show "${key:0:8}")" = "$(interfero kit show ./one)" ]
	refuse 2 "there is no kit" -- interfero kit show 00000000
	interfero kit prune ./one
	refuse 2 "has no kit" interfero-gcc -- interfero kit show ./one
	interfero kit show ./two >/dev/null
	interfero kit prune --older-than 1h | grep -q "^0 kits"
	interfero kit prune --all | grep -q "^1 kit removed"
	[ -z "$(interfero kit list 2>/dev/null)" ]
}

@test "prune without a choice removes no kit" {
	interfero-gcc "$place/main.o" -o one
	interfero kit prune | grep -q "^0 kits"
	interfero kit show ./one >/dev/null
}

@test "export and import" {
	interfero-gcc "$place/main.o" -o one
	interfero kit export ./one -o one.kit
	export INTERFERO_KITS="$here/other"
	refuse 2 "has no kit" -- interfero kit show ./one
	[ "$(interfero kit import one.kit)" = "$(build_id_of one)" ]
	interfero variants -q -n 1 -o v ./one
	[ "$(v/v00001)" = linked ]
}

@test "what cannot be imported or exported is refused and leaves nothing" {
	interfero-gcc "$place/main.o" -o one
	interfero kit export ./one -o one.kit
	export INTERFERO_KITS="$here/other"
	refuse 2 nowhere.kit -- interfero kit import nowhere.kit
	refuse 4 one -- interfero kit import one
	head -c 2000 one.kit >short.kit
	refuse 4 short.kit -- interfero kit import short.kit
	[ -z "$(find other/kits -mindepth 1 2>/dev/null)" ]
	export INTERFERO_KITS="$here/kits"
	refuse 2 "-o FILE" -- interfero kit export ./one
	echo text >file
	refuse 4 file/x.kit -- interfero kit export ./one -o file/x.kit
	refuse 4 missing/x.kit -- interfero kit export ./one -o missing/x.kit
	[ -z "$(find . -name '*.partial')" ]
}

@test "a kit that lost an input, or whose input has changed" {
	interfero-gcc "$place/main.o" -o one
	folder=$(interfero kit show ./one | sed -n 's/^folder *//p')
	chmod u+w "$folder/root$place/main.o"
	cp -p "$folder/root$place/main.o" saved
	rm "$folder/root$place/main.o"
	refuse 4 main.o interfero-gcc -- interfero variants -n 1 -o v ./one
	refuse 4 main.o interfero-gcc -- interfero bench -n 1 -o x.exp -- ./one
	[ ! -e x.exp ]
	[ ! -e x.exp.variants ]
	[ -z "$(ls v 2>/dev/null)" ]
	# Of the same size, but with another content.
	sed 's/linked/lunked/' saved >"$folder/root$place/main.o"
	refuse 4 main.o "not what was linked" -- interfero kit show ./one
	refuse 4 main.o -- interfero kit export ./one -o one.kit
	[ ! -e one.kit ]
	echo '{' >"$folder/kit.json"
	refuse 4 kit.json -- interfero kit show ./one
}

@test "unknown words are refused" {
	refuse 2 list prune -- interfero kit
	refuse 2 mend list prune -- interfero kit mend
	refuse 2 "which kit" -- interfero kit show
	refuse 2 "two" -- interfero kit show one two more
	refuse 2 "--older-than" -- interfero kit prune --older-than yesterday
}
