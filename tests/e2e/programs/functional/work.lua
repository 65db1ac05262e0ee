-- SPDX-License-Identifier: GPL-3.0-or-later
-- Strings, tables, closures, coroutines, metatables, patterns, errors, garbage, files, all by arithmetic of its own. The lines
-- marked "known" have answers that follow from arithmetic alone.
local x = 20260101
local function draw(n)
	x = x * 16807 % 2147483647
	return x % n
end
local words = {}
for i = 1, 600 do words[i] = string.format("%s%03d", ("layoutbranchcache"):sub(1 + draw(12), 4 + draw(12)), draw(1000)) end

-- tables
table.sort(words, function(a, b) if #a ~= #b then return #a < #b end return a > b end)
print(words[1], words[300], words[600], #words, select("#", table.unpack(words, 1, 200)))
local moved = table.move(words, 1, 10, 3, { "a", "b" })
print(table.concat(moved, ",", 1, 12), table.remove(moved), table.remove(moved, 1), #moved)
local counts = {}
for _, word in ipairs(words) do counts[#word] = (counts[#word] or 0) + 1 end
local keys = {}
for key in pairs(counts) do keys[#keys + 1] = key end
table.sort(keys)
for _, key in ipairs(keys) do io.write(key, "=", counts[key], " ") end
print()
print("known", #("x"):rep(1000), ("abc"):rep(3, "-"), next({}), rawlen({ 1, 2, 3 }), #table.pack(1, nil, 3) >= 0)

-- strings and patterns
local text = table.concat(words, " ")
local digits = 0
for d in text:gmatch("%d") do digits = digits + d end
print(digits, text:find("%f[%a]cache(%d+)"), text:match("(b[^ ]-)(%d%d%d) "), select(2, text:gsub("(%a+)(%d+)", "%2%1")))
print(("one;two;;four"):gsub("([^;]*);?", function(s) return "[" .. s .. "]" end))
print(("%bxy"):len(), ("f(a(b)c)d"):match("%b()"), ("  trim  "):match("^%s*(.-)%s*$") .. "|", ("äö"):byte(1, -1))
print(string.format("%5.2f|%-8s|%08d|%x|%X|%e|%g|%q|%c|%i|%a", 3.14159, "ab", 42, 255, 255, 12345.678, 1e20, "a\n\0b", 65, -7, 0.5))
print(string.pack("<i4>I2z", -5, 513, "zero"):byte(1, -1))
print(string.unpack("<i4>I2z", string.pack("<i4>I2z", -5, 513, "zero")))
for _, code in utf8.codes("aß€😀") do io.write(code, " ") end
print(utf8.char(97, 8364), utf8.len("aß€"), ("x"):rep(3):reverse():upper())

-- numbers
print("known", 7 // 2, -7 // 2, -7 % 3, 7.5 // 2, 1 << 40, 0xff ~ 0x0f, ~0, 3 | 4, 2 ^ 10, 10 / 4, 1e15 + 0.5 == 1e15)
print("known", math.maxinteger + 1 == math.mininteger, math.type(1), math.type(1.0), math.tointeger(3.0), tostring(1e100), 0x10p2, "10" + 5)
print(math.floor(-3.5), math.ceil(-3.5), math.fmod(-7, 3), math.ult(1, -1), math.max(3, 9, 4), string.format("%.12f", math.sin(1) + math.exp(2) + math.log(10, 3)))
local function gcd(a, b) if b == 0 then return a end return gcd(b, a % b) end
local function ackermann(m, n)
	if m == 0 then return n + 1 end
	if n == 0 then return ackermann(m - 1, 1) end
	return ackermann(m - 1, ackermann(m, n - 1))
end
print("known", gcd(1071, 462), ackermann(2, 9))

-- closures, varargs, goto
local function counter(step)
	local n = 0
	return function() n = n + step return n end, function() return n end
end
local up, read = counter(3)
for _ = 1, 10 do up() end
print("known", read(), (function(...) return select("#", ...), ... end)(nil, nil, 3))
local primes = {}
for n = 2, 1000 do
	for _, p in ipairs(primes) do
		if p * p > n then break end
		if n % p == 0 then goto continue end
	end
	primes[#primes + 1] = n
	::continue::
end
print("known", #primes, primes[#primes])

-- metatables, inheritance, to-be-closed
local Vector = {}
Vector.__index = Vector
local function vector(a, b) return setmetatable({ a = a, b = b }, Vector) end
Vector.__add = function(u, v) return vector(u.a + v.a, u.b + v.b) end
Vector.__mul = function(u, k) return type(k) == "number" and vector(u.a * k, u.b * k) or u.a * k.a + u.b * k.b end
Vector.__eq = function(u, v) return u.a == v.a and u.b == v.b end
Vector.__lt = function(u, v) return u * u < v * v end
Vector.__le = function(u, v) return u * u <= v * v end
Vector.__tostring = function(u) return "(" .. u.a .. " " .. u.b .. ")" end
Vector.__concat = function(u, v) return tostring(u) .. "&" .. tostring(v) end
Vector.__len = function() return 2 end
Vector.__call = function(u, name) return u[name] end
Vector.__unm = function(u) return vector(-u.a, -u.b) end
local u, v = vector(1, 2), vector(3, 4)
print(tostring(u + v), u * v, u * 3 == vector(3, 6), u < v, v <= u, u .. v, #u, u("b"), tostring(-u))
local log = setmetatable({}, { __newindex = function(t, k, val) rawset(t, k, val * 2) end, __index = function(_, k) return k .. "?" end })
log.six = 3
print(log.six, log.other)
do
	local closed <close> = setmetatable({}, { __close = function(_, err) print("closed", err) end })
	local fixed <const> = 5
	print("inside", fixed)
end

-- coroutines
local function permute(list, n)
	n = n or #list
	if n <= 1 then coroutine.yield(table.concat(list)) return end
	for i = 1, n do
		list[n], list[i] = list[i], list[n]
		permute(list, n - 1)
		list[n], list[i] = list[i], list[n]
	end
end
local seen, last = 0, nil
for s in coroutine.wrap(function() permute({ "a", "b", "c", "d", "e", "f" }) end) do seen, last = seen + 1, s end
print("known", seen, last and #last)
local co = coroutine.create(function(a) local b = coroutine.yield(a * 2) error({ code = b }) end)
print(coroutine.resume(co, 21))
local ok, failure = coroutine.resume(co, 7)
print(ok, failure.code, coroutine.status(co), (coroutine.resume(co)), coroutine.isyieldable(), select(2, coroutine.running()))

-- errors
print(pcall(error, "plain", 0))
print(select(2, pcall(function() local t = nil return t.field end)))
print(select(2, pcall(function() return 1 + {} end)))
print(select(2, pcall(function() return #5 end)))
print(select(2, pcall(string.rep)))
print(select(2, pcall(function() return ("x"):bad() end)))
print(xpcall(function() error("deep") end, function(m) return "handled " .. m:gsub("^.-:%d+: ", "") end))
local function overflow() return 1 + overflow() end
print((select(2, pcall(overflow)):match("stack overflow")))
print(load("return 1 +", "chunk"))
print(load("local a <const> = 1; a = 2", "=chunk"))
print(load("return ...", "chunk", "t", {})(5), pcall(load, function() error("torn") end))
print(load(string.dump(function(a, b) return a * b end))(6, 7))

-- garbage: weak tables, finalisers, a working set that grows and shrinks
local weak, finished = setmetatable({}, { __mode = "v" }), 0
for i = 1, 2000 do weak[i] = setmetatable({ i }, { __gc = function() finished = finished + 1 end }) end
collectgarbage()
collectgarbage()
print("known", finished, #weak)
for _, mode in ipairs { "incremental", "generational", "incremental" } do
	collectgarbage(mode)
	local list
	for i = 1, 5000 do list = i % 500 == 0 and nil or { next = list, value = tostring(i) } end
	collectgarbage("step")
end
print(collectgarbage("count") < 20000, collectgarbage("isrunning"))

-- files
local name = os.tmpname()
local file <close> = assert(io.open(name, "w+"))
for i = 1, 50 do file:write(i, " ", words[i], "\n") end
file:seek("set", 0)
print(file:read("n", "l", "L", 5))
print(#file:read("a"), file:seek("end"))
local total = 0
for n in io.lines(name, "n") do total = total + n break end
for line in io.lines(name) do total = total + #line end
os.remove(name)
print(total, io.type(file), (pcall(io.lines, name .. "-gone")))
print(os.date("!%Y-%m-%d %H:%M:%S", 86400 * 10957), os.time({ year = 2000, month = 1, day = 1, hour = 12 }) > 0)
os.exit(5, true)
