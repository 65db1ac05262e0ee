-- SPDX-License-Identifier: GPL-3.0-or-later
-- Trees of small tables that the collector has to walk, and strings that grow.
local function tree(depth)
  if depth == 0 then return {} end
  return {tree(depth - 1), tree(depth - 1)}
end
local function count(t)
  if not t[1] then return 1 end
  return 1 + count(t[1]) + count(t[2])
end
local total = 0
for i = 1, 30 do total = total + count(tree(13)) end
local words, x = {}, 12345
for i = 1, 200000 do
  x = (x * 1103515245 + 12345) % 2147483648
  local key = "k" .. (x % 20000)
  words[key] = (words[key] or "") .. string.char(97 + i % 26)
  if #words[key] > 40 then words[key] = nil end
end
local parts = {}
for k, v in pairs(words) do parts[#parts + 1] = k .. "=" .. v end
table.sort(parts)
print(total, #table.concat(parts, ";"))
