-- @include lib/constants.lua
-- holder: who has a lease: HOST:PID, or a name that its operator chose. It is foreign text:
-- printable, without blanks, and short.

local function is_holder(text)
  return #text <= HOLDER and not string.find(text, '[^!-~]')
end

-- is_held_by(try, wanted): is that its holder, or does its holder begin with wanted and a colon (a
-- process of that host)?
local function is_held_by(try, wanted)
  local at, whole_name = try.at_holder, '@' .. wanted
  return at == whole_name or string.sub(at, 1, #whole_name + 1) == whole_name .. ':'
end
