#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Two programs as Debian ships their sources, bzip2 and Lua, built with nothing but CC=interfero-gcc: their variants do
# what they do, each has an order of its own, plans repeat them, and interfero bench measures them.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	need_sources
	build_bzip2
	build_lua
	write_inputs
}

setup() {
	use_own_folder
	[ -z "$(cat "$place/reason")" ] || skip "$(cat "$place/reason")"
}

teardown_file() {
	drop_own_kits
}

# A reason in $place/reason skips every test; else bzip2 and lua5.4 are unpacked in folders of these names.
need_sources() {
	local tool
	: >reason
	for tool in apt-get dpkg-source; do
		command -v $tool >/dev/null || {
			echo "$tool is not installed" >reason
			return 0
		}
	done
	timeout 170 bash -c fetch_sources >fetch.log 2>&1 || echo "Debian's sources cannot be fetched (no network?)" >reason
}

# Asks the machine's own sources, in a configuration of its own that changes nothing outside this folder.
fetch_sources() {
	set -e
	mkdir -p apt/lists/partial apt/cache/archives/partial apt/empty
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$3 == "main" && !seen[$0]++ { print "deb-src", $0 }' >apt/sources.list
	[ -s apt/sources.list ]
	local options=(-q -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o "Dir::Etc::SourceParts=$PWD/apt/empty"
		-o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o "Acquire::Retries=2"
		-o "Acquire::http::Timeout=30")
	[ "$(id -u)" -ne 0 ] || options+=(-o APT::Sandbox::User=root)
	# One index of several that is missing is no matter.
	apt-get "${options[@]}" update || true
	apt-get "${options[@]}" --download-only source bzip2 lua5.4
	dpkg-source --skip-patches -x bzip2_*.dsc bzip2
	dpkg-source --skip-patches -x lua5.4_*.dsc lua
	rm -rf apt
}
export -f fetch_sources

build_bzip2() {
	[ -d bzip2 ] || return 0
	within 120 make -C bzip2 CC=interfero-gcc bzip2 >bzip2.log 2>&1
}

# A fixed seed for strings' hashes: else Lua takes one from the time and from addresses, which no layout may keep.
build_lua() {
	[ -d lua ] || return 0
	within 170 make -C lua/src CC=interfero-gcc linux "MYCFLAGS='-Dluai_makeseed(L)=1u'" >lua.log 2>&1
}

# numbers COUNT: words and numbers from Park and Miller's generator (1988: x = 16807 x mod 2^31-1), about 10 bytes each.
numbers() {
	awk -v count="$1" 'BEGIN {
		split("layout branch cache block of the to and", word, " ")
		x = 20260101
		for (i = 0; i < count; i++) {
			x = x * 16807 % 2147483647
			printf "%s %d%s", word[x % 8 + 1], int(x / 8) % 10000, i % 9 ? " " : "\n"
		}
	}'
}

write_inputs() {
	[ -z "$(cat reason)" ] || return 0
	numbers 520000 >large
	numbers 180000 >small
	mkdir -p script
	cat >script/shapes.lua <<'END'
local shapes = {}
shapes.__index = shapes
function shapes.new(width, height) return setmetatable({ width = width, height = height }, shapes) end
function shapes:area() return self.width * self.height end
return shapes
END
	cat >script/work.lua <<'END'
local shapes = require "shapes"
local rounds = tonumber(arg[1]) or 1
local function counter()
	local n = 0
	return function() n = n + 1 return n end
end
local function primes(limit)
	return coroutine.wrap(function()
		for n = 2, limit do
			local prime = true
			for d = 2, math.floor(n ^ 0.5) do
				if n % d == 0 then prime = false break end
			end
			if prime then coroutine.yield(n) end
		end
	end)
end
for round = 1, rounds do
	local next_number, words, sum, area = counter(), {}, 0, 0
	for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do
		words[#words + 1] = word:upper():reverse() .. next_number()
	end
	table.sort(words)
	for p in primes(400 * rounds) do sum = sum + p end
	for i = 1, 50 * rounds do area = area + shapes.new(i, i + 1):area() end
	local keys = {}
	for i = 1, 200 do keys["key" .. i] = i end
	local seen = 0
	for _, value in pairs(keys) do seen = seen + value end
	local ok, message = pcall(function() error({ code = round }) end)
	local bad, text = pcall(function() return #nil end)
	if round == 1 or round == rounds then
		print(table.concat(words, " "), sum, area, seen, ok, message.code, bad, (text:gsub("^.-:%d+: ", "")))
		print(string.format("%q %5.2f %x", "a\nb", sum / 7, area), select("#", table.unpack(words)))
	end
end
os.exit(5)
END
}

# is_varied PROGRAM FOLDER: sixteen variants, each a file with an order of functions of its own, and the same bytes when
# made from its plan alone.
is_varied() {
	local i
	interfero variants -q -n 16 --axes all -o "$2" "$1"
	interfero variants -q -o "$2-again" $(printf -- '--plan %s ' "$2"/*.plan)
	functions_of "$1" | md5sum >orders
	for i in $(seq -w 16); do
		[ -x "$2/v000$i" ]
		functions_of "$2/v000$i" | md5sum >>orders
		cmp "$2/v000$i" "$2-again/v000$i"
		[ "$(functions_of "$2/v000$i" | sort | md5sum)" = "$(functions_of "$1" | sort | md5sum)" ]
	done
	distinct 17 <orders
	{
		build_id_of "$1"
		for i in $(seq -w 16); do build_id_of "$2/v000$i"; done
	} | distinct 17
}

# ships PROGRAM: a plan without axes gives its bytes.
ships() {
	printf 'interfero-plan 1\nname same\n' >same.plan
	interfero variants -q -o same --plan same.plan "$1"
	cmp "$1" same/same
}

# is_measured EXPERIMENT COMMAND...: bench to a text report and a page, exit status 0.
is_measured() {
	local file=$1
	shift
	run -0 --separate-stderr within 150 interfero bench -n 16 -r 5 -o "$file" --html page.html "${options[@]}" -- "$@"
	[ -z "$stderr" ] || say "$stderr"
	[[ $output == *"layout that ships"* ]]
	[[ $output == *"16 random"* ]]
	grep -q '</html>' page.html
	[ "$(sql "$file" 'SELECT count(*) FROM (SELECT DISTINCT variant, round FROM run WHERE refused IS NULL)')" = 85 ]
	[ "$(sql "$file" 'SELECT count(*) FROM variant WHERE refused IS NOT NULL')" = 0 ]
}

@test "bzip2: a plan without axes gives the shipped program" {
	ships "$place/bzip2/bzip2"
}

@test "bzip2: sixteen variants compress to the same bytes, and back" {
	bzip2="$place/bzip2/bzip2"
	is_varied "$bzip2" v
	"$bzip2" -c "$place/large" >shipped.bz2
	for i in $(seq -w 16); do
		within 60 v/v000$i -c "$place/large" | cmp - shipped.bz2
		within 60 v/v000$i -dc shipped.bz2 | cmp - "$place/large"
	done
	# What is no compressed file is refused with the same status and words.
	status_of() { local got=0; (exec -a bzip2 "$1" -t "$place/large") 2>&1 || got=$?; echo "$got"; }
	status_of "$bzip2" >shipped
	[ "$(tail -n 1 shipped)" = 2 ]
	for i in $(seq -w 16); do
		status_of v/v000$i | cmp - shipped
	done
}

@test "bzip2: measured" {
	cd "$place/bzip2"
	options=()
	is_measured "$here/bzip2.exp" ./bzip2 -c "$place/small"
}

@test "lua: a plan without axes gives the shipped program" {
	ships "$place/lua/src/lua"
	ships "$place/lua/src/luac"
}

@test "lua: sixteen variants run a script alike" {
	lua="$place/lua/src/lua"
	is_varied "$lua" v
	cd "$place/script"
	got=0
	"$lua" work.lua 2 >"$here/shipped" || got=$?
	# The words, and that the script went to its end, are checked by hand: 9 words, 1 + … + 200 = 20100, status 5.
	[ "$got" -eq 5 ]
	grep -q "20100.*false.*attempt to get length of a nil value" "$here/shipped"
	grep -q "	9$" "$here/shipped"
	for i in $(seq -w 16); do
		got=0
		"$here/v/v000$i" work.lua 2 >"$here/got" || got=$?
		[ "$got" -eq 5 ]
		cmp "$here/shipped" "$here/got"
	done
}

@test "lua: measured" {
	cd "$place/script"
	ln -sf ../lua/src/lua lua
	options=(--expect-exit 5)
	is_measured "$here/lua.exp" ./lua work.lua 32
}

@test "lua built under a plan of the compiler's axes does what lua does, and so do its variants" {
	cp -r "$place/lua" compiled
	make -s -C compiled/src clean >/dev/null
	printf '%s\n' "interfero-plan 1" "unit-order seed=11" "nops seed=12 rate=20 max=3" \
		"align seed=13 functions=64 loops=32" >compile.plan
	INTERFERO_PLAN=$PWD/compile.plan within 170 make -s -j2 -C compiled/src CC=interfero-gcc linux \
		"MYCFLAGS='-Dluai_makeseed(L)=1u'" >log 2>&1
	not cmp "$place/lua/src/lua" compiled/src/lua
	[ "$(functions_of compiled/src/lua | sort)" = "$(functions_of "$place/lua/src/lua" | sort)" ]
	[ "$(functions_of compiled/src/lua)" != "$(functions_of "$place/lua/src/lua")" ]
	readelf -SW compiled/src/lapi.o | grep -q '\.note\.interfero'
	interfero variants -q -n 4 --axes all -o v compiled/src/lua
	cd "$place/script"
	run -5 "$place/lua/src/lua" work.lua 3
	shipped=$output
	for program in "$here/compiled/src/lua" "$here"/v/v0000?; do
		run -5 "$program" work.lua 3
		[ "$output" = "$shipped" ]
	done
}

@test "bzip2 and lua: what is made in memory is what ld.bfd links, byte for byte" {
	for program in bzip2/bzip2 lua/src/lua; do
		run within 120 "$INTERFERO_BUILD/tests/engine" check "$place/$program"
		[ "$status" -eq 0 ] && [ "$(grep -c '^ok' <<<"$output")" -eq 11 ] || say "$output"
	done
}

@test "bzip2 and lua: verify finds nothing in eight variants each, and the scripts agree" {
	interfero variants -q -n 8 --axes all -o vb "$place/bzip2/bzip2"
	within 120 interfero verify "$place/bzip2/bzip2" vb -- {} -c "$place/small"
	interfero variants -q -n 8 --axes all -o vl "$place/lua/src/lua"
	cd "$place/script"
	within 120 interfero verify "$place/lua/src/lua" "$here/vl" -- {} work.lua 2
}
