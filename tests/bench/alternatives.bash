# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Layouts that a user would take instead of a searched one. Their profiles are of the very workload that is then measured:
# the best that a profile can be. All work in the current folder, where an alternative becomes a file of its name, or
# NAME.reason tells why there is none.

# --- relinking ---------------------------------------------------------------------------------------------------------

# link_arguments FILE: those of the captured link, one a line.
link_arguments() {
	kit=$INTERFERO_KITS/kits/$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	link_folder=$kit/root$(jq -r .cwd "$kit/kit.json")
	readarray -t arguments < <(jq -r --arg root "$kit/root" '.arguments[] | gsub("@interfero-root@"; $root)' "$kit/kit.json")
}

# relink FILE OUTPUT LINKER OPTIONS...: the captured link by another linker, of the same object files.
relink() {
	local kit link_folder arguments
	link_arguments "$1"
	(cd "$link_folder" && "$3" "${arguments[@]}" "${@:4}" -o "$2")
}

# relink_in_two FILE SCRIPT OUTPUT LINKER: ld.bfd links the program's own object files partly, by a script that gives their
# functions an order, and the linker does the rest.
relink_in_two() {
	local kit link_folder arguments argument whole=$PWD/whole.o own=() others=()
	link_arguments "$1"
	for argument in "${arguments[@]}"; do
		case $argument in
		"$kit"/root/usr/* | "$kit"/root/lib*) others+=("$argument") ;;
		*.o | *.a)
			[ ${#own[@]} -gt 0 ] || others+=("$whole")
			own+=("$argument")
			;;
		*) others+=("$argument") ;;
		esac
	done
	(cd "$link_folder" && ld.bfd -r -T "$2" --whole-archive "${own[@]}" -o "$whole" && "$4" "${others[@]}" -o "$3")
}

# --- profiles and orders -----------------------------------------------------------------------------------------------

# functions_of FILE: the program's functions by address; a clone counts as its function.
functions_of() {
	nm -n "$1" | awk '$2 ~ /^[tTwW]$/ && $3 !~ /\.cold/ { sub(/[.\/].*/, "", $3); if (!seen[$3]++) print $3 }'
}

# profile FILE WORDS...: lines "calls FROM TO COUNT" and "self FUNCTION INSTRUCTIONS" of a run, by callgrind, which knows
# nothing of interfero; of the program's functions only.
profile() {
	valgrind -q --tool=callgrind --callgrind-out-file=callgrind "$@" </dev/null >/dev/null
	functions_of "$1" >functions
	awk 'function function_of(text, id) {
			match(text, /\([0-9]+\)/)
			id = substr(text, RSTART, RLENGTH)
			sub(/.*=\([0-9]+\) ?/, "", text)
			sub(/[.\047].*/, "", text)
			if (text != "") name[id] = text
			return name[id]
		}
		NR == FNR { own[$1]; next }
		/^fn=/ { from = function_of($0) }
		/^cfn=/ { to = function_of($0) }
		/^calls=/ { split($1, count, "="); calls[from " " to] += count[2]; inclusive = 1; next }
		/^[-+*0-9]/ { if (!inclusive) self[from] += $2; inclusive = 0 }
		END {
			for (pair in calls) {
				split(pair, ends, " ")
				if (ends[1] in own && ends[2] in own && ends[1] != ends[2]) print "calls", pair, calls[pair]
			}
			for (f in self) if (f in own) print "self", f, self[f]
		}' functions callgrind | sort
}

# place FILE OUTPUT: the program with the functions of standard input first, in their order, by a plan.
place() {
	interfero layout --units "$1" | awk '{ print $NF }' >units
	awk 'BEGIN { print "interfero-plan 1" }
		NR == FNR { f = $1; if (sub(/.*:\.text\.((unlikely|startup|hot|exit)\.)?/, "", f)) unit[f] = unit[f] "order " $1 "\n"; next }
		!seen[$1]++ { printf "%s", unit[$1] }' units - >"$2.plan"
	make_variant "$1" "$2.plan" "$2"
}

# make_variant FILE PLAN OUTPUT
make_variant() {
	rm -rf variant
	interfero variants -q --plan "$2" -o variant "$1"
	mv "$(find variant -type f -perm -1)" "$3"
}

# --- the alternatives: FILE WORDS... -----------------------------------------------------------------------------------

# The most executed function first.
make_lld_hottest() {
	awk '$1 == "self" { print $3, $2 }' counts | sort -rn | sed 's/.* //' >hottest.order
	relink "$1" "$PWD/lld_hottest" ld.lld --symbol-ordering-file="$PWD/hottest.order" --no-warn-symbol-ordering
}

# Lld's clusters of the call graph (C3).
make_lld_calls() {
	sed -n 's/^calls //p' counts >call-graph
	relink "$1" "$PWD/lld_calls" ld.lld --call-graph-ordering-file="$PWD/call-graph" --no-warn-symbol-ordering \
		--print-symbol-order="$PWD/calls.order"
}

make_gold_calls() {
	sed 's/^/.text./' calls.order >calls.sections
	relink "$1" "$PWD/gold_calls" ld.gold --section-ordering-file="$PWD/calls.sections"
}

# Mold takes no order of functions, but keeps the one that it finds in an object file.
make_mold_calls() {
	{
		echo 'SECTIONS { .text.pinned : {'
		sed 's/.*/*(.text.&)/' calls.order
		echo '} } INSERT BEFORE .text;'
	} >calls.ld
	relink_in_two "$1" "$PWD/calls.ld" "$PWD/mold_calls" mold
}

# The program compiled by its own profile: other code and another order.
make_pgo() {
	printf '#!/bin/sh\nexec gcc "$@" $(cat %q)\n' "$PWD/flags" >compiler
	chmod +x compiler
	local common="-ffunction-sections -fdata-sections"
	echo "$common -fprofile-generate" >flags
	build_with "$PWD/compiler" "$PWD/built"
	# Programs that ran while it was built left profiles, too.
	find built -name '*.gcda' -delete
	"$PWD/built/$file_in_build" "${@:2}" </dev/null >/dev/null
	find built -name '*.gcda' | grep -q . || { echo "the run left no profile"; return 1; }
	find built \( -name '*.o' -o -name '*.lo' -o -name '*.a' \) -delete
	rm "built/$file_in_build"
	echo "$common -fprofile-use -freorder-functions -Wno-missing-profile" >flags
	build_with "$PWD/compiler" "$PWD/built"
	cp "built/$file_in_build" pgo
}

# Its order alone, of the code as it was compiled.
make_pgo_order() {
	[ -x pgo ] || { echo "PGO made no program"; return 1; }
	functions_of pgo | place "$1" "$PWD/pgo_order"
}

# BOLT lays out blocks, too. It reads an instrumented run, as there need not be counters.
make_bolt() {
	local bolt
	bolt=$(compgen -c llvm-bolt | sort -rV | grep -m 1 -x 'llvm-bolt\(-[0-9]*\)\?') || { echo "no llvm-bolt"; return 1; }
	bolt=$(realpath "$(command -v "$bolt")") # its libraries lie beside the file
	relink "$1" "$PWD/relocations" ld.bfd --emit-relocs
	"$bolt" relocations -instrument -instrumentation-file="$PWD/bolt.fdata" -o instrumented
	./instrumented "${@:2}" </dev/null >/dev/null || { echo "the instrumented program fails"; return 1; }
	[ -s bolt.fdata ] || { echo "the run left no profile"; return 1; }
	"$bolt" relocations -data=bolt.fdata -o bolt -reorder-blocks=ext-tsp -reorder-functions=hfsort+ -split-functions \
		-split-all-cold -split-eh -generate-function-order="$PWD/bolt.order"
}

make_bolt_order() {
	[ -s bolt.order ] || { echo "BOLT left no order"; return 1; }
	sed 's/[.\/].*//' bolt.order | place "$1" "$PWD/bolt_order"
}

# --- all ---------------------------------------------------------------------------------------------------------------

alternatives="lld_hottest lld_calls gold_calls mold_calls pgo pgo_order bolt bolt_order"

describe_alternative() {
	case $1 in
	lld_hottest) echo "lld, hottest function first" ;;
	lld_calls) echo "lld, call graph (C3)" ;;
	gold_calls) echo "gold, lld's order" ;;
	mold_calls) echo "mold, lld's order" ;;
	pgo) echo "GCC PGO (other code)" ;;
	pgo_order) echo "order of GCC PGO" ;;
	bolt) echo "BOLT (other code)" ;;
	bolt_order) echo "order of BOLT" ;;
	esac
}

# make_alternatives FILE WORDS...: file_in_build is FILE below the folder of a build; build_with COMPILER FOLDER builds it.
# What is there already stays.
make_alternatives() {
	local name status
	[ -s counts ] || profile "$@" >counts
	for name in $alternatives; do
		[ ! -e "$name" ] && [ ! -e "$name.reason" ] || continue
		# `if` and `||` would switch off -e within, too.
		set +e
		(set -eu -o pipefail; "make_$name" "$@") >"$name.log" 2>&1
		status=$?
		set -e
		if [ $status -ne 0 ] || [ ! -x "$name" ]; then
			rm -f "$name"
			tail -n 1 "$name.log" | cut -c 1-100 >"$name.reason"
		elif [ "$("$@" </dev/null 2>&1 | sha256sum)" != "$("./$name" "${@:2}" </dev/null 2>&1 | sha256sum)" ]; then
			rm "$name"
			echo "it prints something else" >"$name.reason"
		fi
	done
}
