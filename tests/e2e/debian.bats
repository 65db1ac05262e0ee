#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Two programs as Debian ships their sources, bzip2 and Lua, built with nothing but CC=interfero-gcc: their variants do
# what they do, each has an order of its own, plans repeat them, and interfero bench measures them. Many variants of
# larger programs are in functional.bats.

load ../helpers

setup_file() {
	use_own_kits
	build_sql
	use_debian
	write_inputs
}

setup() {
	use_own_folder
	need_debian
}

teardown_file() {
	drop_own_kits
}

write_inputs() {
	[ -z "$(cat reason)" ] || return 0
	numbers "$(at_depth 200000 520000)" >large
	numbers "$(at_depth 60000 180000)" >small
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

# How many variants of a program there are, and their names.
count=$(at_depth 4 16)
variants=$(seq -f 'v%05g' "$count")

# is_varied PROGRAM FOLDER: variants, each a file with an order of functions of its own, and the same bytes when
# made from its plan alone.
is_varied() {
	local i
	interfero variants -q -n "$count" --axes all -o "$2" "$1"
	interfero variants -q -o "$2-again" $(printf -- '--plan %s ' "$2"/*.plan)
	functions_of "$1" | md5sum >orders
	for i in $variants; do
		[ -x "$2/$i" ]
		functions_of "$2/$i" | md5sum >>orders
		cmp "$2/$i" "$2-again/$i"
		[ "$(functions_of "$2/$i" | sort | md5sum)" = "$(functions_of "$1" | sort | md5sum)" ]
	done
	distinct $((count + 1)) <orders
	{
		build_id_of "$1"
		for i in $variants; do build_id_of "$2/$i"; done
	} | distinct $((count + 1))
}

# ships PROGRAM: a plan without axes gives its bytes.
ships() {
	printf 'interfero-plan 1\nname same\n' >same.plan
	interfero variants -q -o same --plan same.plan "$1"
	cmp "$1" same/same
}

# is_measured EXPERIMENT COMMAND...: bench to a text report and a page, exit status 0.
is_measured() {
	local file=$1 rounds
	rounds=$(at_depth 2 5)
	shift
	run -0 --separate-stderr within 150 interfero bench --counters clock -n "$count" -r "$rounds" -o "$file" --html page.html "${options[@]}" -- "$@"
	[ -z "$stderr" ] || say "$stderr"
	[[ $output == *"shipped layout"* ]]
	[[ $output == *"$count random"* ]]
	grep -q '</html>' page.html
	[ "$(sql "$file" 'SELECT count(*) FROM (SELECT DISTINCT variant, repetition FROM run WHERE refused IS NULL)')" = $(((count + 1) * rounds)) ]
	[ "$(sql "$file" 'SELECT count(*) FROM variant WHERE refused IS NOT NULL')" = 0 ]
}

@test "bzip2: a plan without axes gives the shipped program" {
	ships "$debian/bzip2/bzip2"
}

@test "bzip2: variants compress to the same bytes, and back" {
	bzip2="$debian/bzip2/bzip2"
	is_varied "$bzip2" v
	"$bzip2" -c "$place/large" >shipped.bz2
	for i in $variants; do
		within 60 v/$i -c "$place/large" | cmp - shipped.bz2
		within 60 v/$i -dc shipped.bz2 | cmp - "$place/large"
	done
	# What is no compressed file is refused with the same status and words.
	status_of() { local got=0; (exec -a bzip2 "$1" -t "$place/large") 2>&1 || got=$?; echo "$got"; }
	status_of "$bzip2" >shipped
	[ "$(tail -n 1 shipped)" = 2 ]
	for i in $variants; do
		status_of v/$i | cmp - shipped
	done
}

@test "bzip2: measured" {
	cd "$debian/bzip2"
	options=()
	is_measured "$here/bzip2.exp" ./bzip2 -c "$place/small"
}

@test "lua: a plan without axes gives the shipped program" {
	ships "$debian/lua/src/lua"
	ships "$debian/lua/src/luac"
}

@test "lua: variants run a script alike" {
	lua="$debian/lua/src/lua"
	is_varied "$lua" v
	cd "$place/script"
	got=0
	"$lua" work.lua 2 >"$here/shipped" || got=$?
	# The words, and that the script went to its end, are checked by hand: 9 words, 1 + … + 200 = 20100, status 5.
	[ "$got" -eq 5 ]
	grep -q "20100.*false.*attempt to get length of a nil value" "$here/shipped"
	grep -q "	9$" "$here/shipped"
	for i in $variants; do
		got=0
		"$here/v/$i" work.lua 2 >"$here/got" || got=$?
		[ "$got" -eq 5 ]
		cmp "$here/shipped" "$here/got"
	done
}

@test "lua: measured" {
	cd "$place/script"
	ln -sf "$debian/lua/src/lua" lua
	options=(--expect-exit 5)
	is_measured "$here/lua.exp" ./lua work.lua "$(at_depth 8 32)"
}

@test "lua built under a plan of the compiler's axes does what lua does, and so do its variants" {
	# plugin_generated.bats and cli/recompile.bats run small programs in C under every axis.
	need_full_depth
	cp -r "$debian/lua" compiled
	make -s -C compiled/src clean >/dev/null
	printf '%s\n' "interfero-plan 1" "unit-order seed=11" "nops seed=12 rate=20 max=3" \
		"align seed=13 functions=64 loops=32" >compile.plan
	INTERFERO_PLAN=$PWD/compile.plan within 170 make -s -j2 -C compiled/src CC=interfero-gcc linux \
		"MYCFLAGS='-Dluai_makeseed(L)=1u'" >log 2>&1
	not cmp "$debian/lua/src/lua" compiled/src/lua
	[ "$(functions_of compiled/src/lua | sort)" = "$(functions_of "$debian/lua/src/lua" | sort)" ]
	[ "$(functions_of compiled/src/lua)" != "$(functions_of "$debian/lua/src/lua")" ]
	readelf -SW compiled/src/lapi.o | grep -q '\.note\.interfero'
	interfero variants -q -n "$(at_depth 2 4)" --axes all -o v compiled/src/lua
	cd "$place/script"
	run -5 "$debian/lua/src/lua" work.lua 3
	shipped=$output
	for program in "$here/compiled/src/lua" "$here"/v/v0000?; do
		run -5 "$program" work.lua 3
		[ "$output" = "$shipped" ]
	done
}

# Also functions, which are in no machine-readable form but by their lines.
@test "a difference between layouts of lua and bzip2 is the sum of its causes, interactions and lines" {
	interfero record -q -o lua.trace -- "$debian/lua/src/lua" -e 'local s = 0 for w in ("ab cd"):rep(300):gmatch("%a+") do s = s + #w end'
	head -c 20000 "$place/small" >tiny
	interfero record -q -o bzip2.trace -- "$debian/bzip2/bzip2" -c tiny
	printf 'interfero-plan 1\nname moved\npadding seed=3 max=64\nfunctions seed=3 cross=0\n' >moved.plan
	for program in lua bzip2; do
		within 60 interfero icost -q --across --json --plan moved.plan $program.trace >two.json
		within 60 interfero icost -q --across --json -n "$(at_depth 3 12)" -a padding,functions $program.trace >spread.json
		for file in two.json spread.json; do
			jq -e '.difference != 0 and (.lines | length > 20)' $file || say "$program: $(jq -c '[.difference, (.lines | length)]' $file)"
			parts_add_up $file
		done
	done
}
