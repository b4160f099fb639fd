-- trace: the W3C trace context of a message, fields c and s of its header. common/base/trace.c
-- reads c in the same way.
local TRACESTATE = 1536 -- 512 bytes, in which blanks and % are written as %20 and %25

-- is_traceparent(text): VERSION-TRACE-SPAN-FLAGS in lower-case hex, version not ff, trace and span
-- not all zeros; of a later version more may follow, behind a dash.
local function is_traceparent(text)
  local version, trace, span, more =
    string.match(text, '^([%da-f]+)%-([%da-f]+)%-([%da-f]+)%-[%da-f][%da-f](.*)$')
  return version and #version == 2 and #trace == 32 and #span == 16 and version ~= 'ff'
    and string.find(trace, '[^0]') and string.find(span, '[^0]')
    and (more == '' or version ~= '00' and #text <= 255 and string.find(more, '^%-[!-~]*$'))
end

-- is_tracestate(text): tools read what is in it, and ignore it unless it is valid.
local function is_tracestate(text)
  return #text <= TRACESTATE and not string.find(text, '[^!-~]')
end
