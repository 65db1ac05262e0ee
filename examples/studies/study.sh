# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Part of every study's script: `run FOLDER` builds, measures and prints in FOLDER, and writes page.html there. QUICK=1
# takes smaller sizes, INTERFERO_STUDY=model leaves out the machine at hand, =clock leaves out the model.
# INTERFERO_STUDY_ON=slurm[:KEY=VALUE,...] hands campaigns and replays to a cluster. A study that was interrupted goes on
# where it stopped. Figures of the papers stand in the scripts.
# shellcheck disable=SC2154 # $sources is the folder of the study's script

set -eu
mkdir -p "${1:?"usage: $0 FOLDER"}"
cd "$1"
CC=${CC:-gcc} study=${sources##*/}
# For commands that take --on, as one word or none.
# shellcheck disable=SC2034 # used by studies
on=${INTERFERO_STUDY_ON:+--on=$INTERFERO_STUDY_ON}
# shellcheck source=examples/studies/page.sh
. "$sources/../page.sh"

# need TOOL...: one error with the remedy where tools are missing.
need() {
	for tool; do
		command -v "$tool" >/dev/null && continue
		case $tool in
		interfero*) echo "$study needs interfero in PATH: PATH=\$PWD/build/bin:\$PATH" >&2 ;;
		objdump) echo "$study needs $tool: apt-get install binutils" >&2 ;;
		*) echo "$study needs $tool: apt-get install $tool" >&2 ;;
		esac
		exit 4
	done
}

# Whether this part is wanted: "model", or "clock", the machine at hand.
wants() {
	[ "${INTERFERO_STUDY:-$1}" = "$1" ]
}

# heading TEXT: a line before a table; rows of the page begin with it.
headline=
heading() {
	headline=$1
	printf '\n%s\n' "$1"
}

# record TRACE [OPTION...] -- COMMAND...: one recording. Its notes are shown where it fails.
record() {
	trace=$1
	shift
	interfero record -q --once -o "$trace" "$@" >record.log 2>&1 || {
		cat record.log >&2
		return 1
	}
}

# replay_layouts TRACE [OPTION...]: the counters of each layout on the described Ivy Bridge, a line each, the shipped one
# first: cycles, loads that alias, loads that waited for an alias, slots from the loop buffer. Cycles are those of the core,
# for every instruction.
replay_layouts() {
	trace=$1
	shift
	interfero replay ${on:+"$on"} --json --core=full --machine ivybridge "$@" "$trace" | tr '{,}' '[\n*]' | awk -F'"' '
		{ value = $3; sub(/^: */, "", value) }
		$2 == "cycles" { cycles = value }
		$2 == "ld_blocks_partial.address_alias" { alias = value }
		$2 == "alias-delayed-loads" { waited = value }
		$2 == "lsd.uops" { lsd = value }
		$2 == "counters" { if (open) print cycles, alias, waited, lsd; open = 1 }
		END { print cycles, alias, waited, lsd }'
}

# subtract MORE LESS: the differences of two files of replay_layouts: the work that MORE did beyond LESS, without the
# start of the program.
subtract() {
	paste -d ' ' "$1" "$2" | awk '{ print $1 - $5, $2 - $6, $3 - $7, $4 - $8 }'
}

# say_seen WHAT HERE THESIS [LEAST [WHY]]: whether the thesis' effect is seen, by the slower figure over the faster one: LEAST
# (1.05) or more; and a row of the page with WHY, a sentence. THESIS is empty where the thesis has no figure.
say_seen() {
	awk -v what="$1" -v here="$2" -v thesis="$3" -v least="${4:-1.05}" 'BEGIN {
		printf "%s: %s, a factor of %.2f%s\n", what, (here >= least) ? "seen" : "not seen", here,
			thesis ? " (the thesis: " thesis ")" : "" }'
	row "${headline%:}: $1, slower over faster" "${3:--}" "$(printf %.2f "$2")" "${5:-As there.}"
}

# alias_at_hand: a sentence: what a load that agrees with an earlier store in the low 12 bits costs by the clock.
alias_at_hand() {
	[ -s alias.json ] || interfero probe -q --budget 20s --only=cycle,memory --json >alias.json
	amd=$(grep -q AuthenticAMD /proc/cpuinfo && echo true || echo false)
	jq -r --argjson amd "$amd" '[.findings[] | select(.key == "pipeline.alias")][0] |
		if .told and .value < 0.5 and $amd then "By interfero probe, a load 4096 bytes above a store takes no longer on this processor. AMD forwards stores by the low 12 bits of the address, and its guide warns of a store elsewhere between a load and the store that it needs."
		elif .told then "By interfero probe, a load 4096 bytes above a store takes \(.value * 100 | round / 100) cycles more on this processor than one a line further: what is left of the effect here has another cause, which is not known."
		else "What such a load costs on this processor, interfero probe did not tell." end' alias.json
}

# The machine at hand, and the day: figures of the clock hold for these.
name_machine() {
	awk -F': *' '/^vendor_id/ { vendor = $2 } /^cpu family/ { family = $2 } /^model\t/ { model = $2 }
		END { printf "machine at hand: %s, family %s, model %s", vendor, family, model }' /proc/cpuinfo
	printf '; gcc %s; %s\n' "$($CC -dumpfullversion)" "$(date +%Y-%m-%d)"
}

# fetch PACKAGE...: the files of these Debian packages, unpacked in the folder root, by the machine's own apt. Nonzero and
# a reason where there is none.
fetch() {
	mkdir -p debs root
	for binary; do
		[ ! -f "debs/$binary.done" ] || continue
		{ (cd debs && timeout 120 apt-get -q download "$binary") >fetch.log 2>&1 &&
			dpkg-deb -x debs/"$binary"_*.deb root && : >"debs/$binary.done"; } || {
			echo "$binary cannot be fetched: $(tail -n 1 fetch.log)" >&2
			return 1
		}
	done
}

# The script runs twice: the outer run writes the page of the inner one.
need interfero jq "${CC%% *}"
[ "${STUDY_FOLDER:-}" = "$PWD" ] || run_with_page

# choose_programs: sets $programs, programs of the system that a study of the model records, and $lines, of their input.
# shellcheck disable=SC2034 # used by studies
choose_programs() {
	programs='gzip sort mawk perl bash' lines=30000
	[ -z "${QUICK:-}" ] || { programs='gzip mawk' lines=4000; }
}

# make_inputs LINES
make_inputs() {
	seq 1 "$1" | awk '{ print $1 * 7919 % 200003, $1, "the quick brown fox" }' >text
	# shellcheck disable=SC2016 # awk's variables
	echo '{ n[$1 % 97] += $2; s = s % 9973 + length($0) } END { for (k in n) t += n[k]; print s, t }' >words.awk
	# shellcheck disable=SC2016 # perl's variables
	echo 'while (<>) { my @w = split; $n{$w[0] % 97} += $w[1]; $s = $s % 9973 + length } $t += $n{$_} for keys %n; print $s + $t' >words.pl
	# shellcheck disable=SC2016 # bash's variables
	echo 'i=0; s=0; while read -r a b c; do s=$(((s * 7 + a + ${#c}) % 9973)); ((++i < 3000)) || break; done <text; echo $s' >words.sh
}

# The command of a program.
command_of() {
	case $1 in
	gzip) echo "gzip -c text" ;;
	sort) echo "sort -n text" ;;
	mawk) echo "mawk -f words.awk text" ;;
	perl) echo "perl words.pl text" ;;
	bash) echo "bash words.sh" ;;
	esac
}

# record_programs: a recording PROGRAM.trace of each of $programs.
record_programs() {
	make_inputs "$lines"
	for program in $programs; do
		# shellcheck disable=SC2046 # words
		[ -f "$program.trace" ] || record "$program.trace" -- $(command_of "$program")
	done
}

# apt with lists and archives of the study's own, for sources.
apt_source() {
	timeout 120 apt-get -q -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache::archives=$PWD/archives" -o Acquire::http::Timeout=30 \
		-o "APT::Sandbox::User=$(id -un)" "$@"
}

# prepare_apt: the lists of Debian's sources, once. Nonzero and one reason where there are none.
prepare_apt() {
	[ ! -f lists/ready ] || return 0
	need apt-get
	mkdir -p lists/partial archives/partial
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$3 == "main" && !seen[$0]++ { print "deb-src", $0 }' >sources.list
	apt_source -o APT::Update::Error-Mode=any update >fetch.log 2>&1 || {
		echo "Debian's sources cannot be fetched: $(grep -m 1 '^[EW]:' fetch.log || tail -n 1 fetch.log)" >&2
		return 1
	}
	: >lists/ready
}

# fetch_source PACKAGE FOLDER [TAR-OPTION...]: the source of a Debian package, as it was before Debian's changes, unpacked
# in FOLDER, once. Nonzero and a reason where there is none.
fetch_source() {
	package=$1 into=$2
	shift 2
	[ ! -f "$into/ready" ] || return 0
	prepare_apt || return 1
	mkdir -p "$into"
	{
		apt_source --download-only source "$package" &&
			tar -C "$into" --strip-components=1 "$@" -xf "$(ls "$package"_*.orig.tar.*[z2])"
	} >fetch.log 2>&1 || {
		echo "Debian's source of $package cannot be fetched: $(tail -n 1 fetch.log)" >&2
		return 1
	}
	rm -f "$package"_*
	: >"$into/ready"
}
