-- traceparent: field c of a header, the W3C trace context of the message. common/base/trace.c reads it in the same way.

-- is_traceparent(text): VERSION-TRACE-SPAN-FLAGS in lower-case hex, version not ff, trace and span not all zeros; of a later
-- version more may follow, behind a dash.
local function is_traceparent(text)
  local version, trace, span, more = string.match(text, '^([%da-f]+)%-([%da-f]+)%-([%da-f]+)%-[%da-f][%da-f](.*)$')
  return version and #version == 2 and #trace == 32 and #span == 16 and version ~= 'ff'
    and string.find(trace, '[^0]') and string.find(span, '[^0]')
    and (more == '' or version ~= '00' and #text <= 255 and string.find(more, '^%-[!-~]*$'))
end
