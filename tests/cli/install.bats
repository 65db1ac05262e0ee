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

setup() {
	use_own_folder
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

man_page() {
	echo "$place/root/opt/ifr/share/man/man${1##*.}/$1"
}

@test "there is a man page for every command" {
	"$place/root/opt/ifr/bin/interfero" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >"$place/commands"
	[ "$(wc -l <"$place/commands")" -ge 18 ]
	while read -r command; do
		page=$(man_page "interfero-$command.1")
		grep -q "^interfero.*$command .* [a-z]" "$page" && grep -q "^.TH \"INTERFERO-${command^^}\" " "$page"
		grep -q "^.BR interfero.*-$command (1)" "$(man_page interfero.1)"
	done <"$place/commands"
}

@test "man pages: examples and lists have a line each, and the axes a heading" {
	grep -qx 'make CC=interfero\\-gcc' "$(man_page interfero.1)"
	grep -qx 'bench  .*' "$(man_page interfero.1)"
	grep -qx 'symbols    the symbol table' "$(man_page interfero-verify.1)"
	grep -qx '.SH AXES' "$(man_page interfero-bench.1)"
	# A parameter begins a line of its own, with a default and without.
	grep -q '(no default)' "$(man_page interfero-plan.5)"
	not grep -Pzo '\n(?!\.br\n)[^\n]*\n[a-z\\\\-]+ \(no default\)' "$(man_page interfero-plan.5)"
	# No fact is described twice.
	[ -z "$(sed -n 's/^| \(`.*`\) | .*/\1/p' "$BATS_TEST_DIRNAME/../../docs/interfero-experiment.md" | grep -o '`[a-z][^`]* [^`]*`' | sort | uniq -d)" ]
	grep -qx '.SH "EXIT STATUS"' "$(man_page interfero-bench.1)"
}

@test "the file formats have man pages, which the others name" {
	for format in experiment plan machine; do
		grep -q "^.TH \"INTERFERO-${format^^}\" \"5\"" "$(man_page interfero-$format.5)"
		for page in interfero.1 interfero-bench.1; do
			grep -q "^.BR interfero.*-$format (5)" "$(man_page $page)"
		done
	done
	# What the program knows is in them: parameters of axes, predictors.
	grep -q "largest padding before a function" "$(man_page interfero-plan.5)"
	grep -q "gshare" "$(man_page interfero-machine.5)"
}

@test "every compiler's name has the man page of the wrappers" {
	for compiler in "$place"/root/opt/ifr/bin/interfero-*; do
		page=$(man_page "$(basename "$compiler").1")
		grep -qx '.TH "INTERFERO-GCC" "1".*' "$page" || say "$page"
	done
	grep -q 'INTERFERO_PLAN' "$(man_page interfero-gcc.1)"
}

@test "man pages have no line over 80 columns, and the formatter no complaint" {
	need man groff
	for page in "$place"/root/opt/ifr/share/man/man[15]/$(at_depth 'interfero-[bpr]*' '*'); do
		MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l "$page" 2>complaints >text
		[ ! -s complaints ] || say "$page: $(cat complaints)"
		LC_ALL=C.UTF-8 awk -v page="$page" 'length($0) > 80 { print page ": " $0; bad = 1 } END { exit bad }' text
	done
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

# offered SHELL COMMAND: the options that the shell's script has for the command.
offered() {
	interfero --completions "$1" >script
	case $1 in
	bash) sed -n "s/^ *$2) words='\(.*\)' ;;$/\1/p" script | tr ' ' '\n' ;;
	zsh) sed -n "/^    $2)$/,/;;$/s/^ *'\(--[a-z0-9-]*\).*/\1/p" script ;;
	fish) sed -n "s/.*__fish_seen_subcommand_from $2' -l \([a-z0-9-]*\).*/--\1/p" script ;;
	esac | grep . | sort
}

# argp's help is the other list of the same options.
@test "the completions of every shell have each option that a command's help has, and no other" {
	interfero --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
	[ "$(wc -l <commands)" -ge 30 ]
	while read -r command; do
		interfero "$command" --help | grep -oE '^ {2,6}(-., )?--[a-z][a-z0-9-]*' | grep -o -e '--.*' | sort >wanted
		[ "$(wc -l <wanted)" -ge 3 ]
		for shell in bash zsh fish; do
			offered $shell "$command" | diff wanted - >difference || say "$shell, $command: $(cat difference)"
		done
	done <commands
}

@test "zsh: the completions know the commands, their options, and what these are for" {
	need zsh
	# zsh's own functions print what they are to complete.
	cat >try.zsh <<'END'
_describe() { print -rl -- ${(P)2} }
_arguments() { print -rl -- "$@" }
compadd() { print -rl -- "$@" }
script=$1
shift
words=(interfero "$@") CURRENT=$(($# + 1))
source $script
END
	local script="$place/root/opt/ifr/share/zsh/site-functions/_interfero"
	[ "$(head -1 "$script")" = "#compdef interfero" ]
	zsh -n "$script"
	zsh -f try.zsh "$script" be >commands
	grep -qx 'bench:measure many layouts of a program and report' commands
	zsh -f try.zsh "$script" bench --bud >options
	grep -q '^--budget=\[.*\]:TIME:_files$' options
	grep -q '^--quiet\[' options
	not grep -q '^--older-than' options
	zsh -f try.zsh "$script" kit '' >options
	grep -q '^--older-than=\[' options
	not grep -q '^--budget' options
}

@test "zsh completes a command's option as it is typed" {
	need zsh
	# A terminal of zsh's own; the loop is bounded.
	cat >type.zsh <<'END'
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell "PS1=; fpath=(${1:h} \$fpath); autoload -U compinit; compinit -u -D; echo rea''dy"
text=
for try in {1..200}; do
	zpty -r -t shell line && text+=$line || sleep 0.05
	[[ $text != *ready* ]] || break
done
zpty -w -n shell $'interfero bench --budg\t'
for try in {1..200}; do
	zpty -r -t shell line && text+=$line || sleep 0.05
	[[ $text != *--budget* ]] || break
done
print -r -- $text
zpty -d shell
END
	within 30 zsh -f type.zsh "$place/root/opt/ifr/share/zsh/site-functions/_interfero" >typed
	grep -q -- --budget typed || say "$(cat typed)"
}

@test "fish completes commands and options" {
	need fish
	local script="$place/root/opt/ifr/share/fish/vendor_completions.d/interfero.fish"
	HOME=$here fish -c "source $script; complete -C 'interfero be'" >commands
	grep -qx 'bench	measure many layouts of a program and report' commands
	HOME=$here fish -c "source $script; complete -C 'interfero bench --bud'" >options
	grep -q -- '^--budget	' options
	[ "$(wc -l <options)" = 1 ]
	HOME=$here fish -c "source $script; complete -C 'interfero kit --bud'" >options
	[ ! -s options ]
}

@test "pkg-config leads to the header" {
	need pkg-config
	printf '#include <interfero.h>\nint main(void) { IFR_BEGIN("all"); IFR_END; return 0; }\n' >marked.c
	PKG_CONFIG_PATH="$place/root/opt/ifr/share/pkgconfig" pkg-config --define-variable=prefix="$place/root/opt/ifr" \
		--cflags --libs interfero >flags
	# shellcheck disable=SC2046
	gcc marked.c $(cat flags) -o marked
	./marked
	[ "$(PKG_CONFIG_PATH="$place/root/opt/ifr/share/pkgconfig" pkg-config --modversion interfero)" = \
		"$("$place/root/opt/ifr/bin/interfero" --version | grep -o '[0-9][0-9.]*' | head -1)" ]
}

# A small project with a library, in the two build systems; its header comes by pkg-config.
make_project() {
	local share="$place/root/opt/ifr/share"
	export PKG_CONFIG_PATH="$here/pkgconfig"
	mkdir -p pkgconfig
	sed "s|^prefix=.*|prefix=$place/root/opt/ifr|" "$share/pkgconfig/interfero.pc" >pkgconfig/interfero.pc
	sed "s|/opt/ifr|$place/root/opt/ifr|" "$share/interfero/interfero.meson" >native.meson
	echo 'int twice(int x); int twice(int x) { return 2 * x; }' >twice.c
	cat >main.c <<-'END'
		#include <interfero.h>
		int twice(int x);
		int main(void) { IFR_BEGIN("all"); int four = twice(2); IFR_END; return four - 4; }
	END
	cat >CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.10)
		project(p C)
		find_package(PkgConfig REQUIRED)
		pkg_check_modules(INTERFERO REQUIRED interfero)
		add_library(twice STATIC twice.c)
		add_executable(prog main.c)
		target_include_directories(prog PRIVATE ${INTERFERO_INCLUDE_DIRS})
		target_link_libraries(prog twice)
	END
	cat >meson.build <<-'END'
		project('p', 'c')
		twice = static_library('twice', 'twice.c')
		executable('prog', 'main.c', link_with: twice, dependencies: dependency('interfero'))
	END
}

# is_project PROGRAM: its functions move, the library's, too.
is_project() {
	"$1"
	interfero variants -q -n 2 -o v "$1"
	v/v00001 && v/v00002
	interfero layout -u "$1" | grep -q 'twice'
}

@test "a project of CMake, by the toolchain file and pkg-config" {
	need cmake pkg-config
	make_project
	cmake -DCMAKE_TOOLCHAIN_FILE="$place/root/opt/ifr/share/interfero/interfero.cmake" -S . -B build >log || say "$(cat log)"
	cmake --build build >>log || say "$(cat log)"
	is_project build/prog
}

@test "a project of Meson, by the native file and pkg-config" {
	make_project
	while read -r compiler; do [ -x "$compiler" ] || say "$compiler"; done < <(sed -n "s/.* = '\(.*\)'/\1/p" native.meson)
	[ "$(grep -c "= '/opt/ifr/bin/interfero-" "$place/root/opt/ifr/share/interfero/interfero.meson")" = 3 ]
	need meson pkg-config
	meson setup --native-file native.meson build >log || say "$(cat log)"
	meson compile -C build >>log || say "$(cat log)"
	is_project build/prog
}

@test "uninstall leaves no file behind" {
	make -s -C "$root" uninstall "PREFIX=/opt/ifr" "DESTDIR=$place/root"
	[ -z "$(find "$place/root" -type f -o -type l)" ]
}
