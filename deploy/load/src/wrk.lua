-- Sends the requests of a file in their order, a line each, and prints in one line what they showed.
local requests, at = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    requests[#requests + 1] = line:gsub('\1', '\r\n')
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  -- Microseconds, but for the CPU time of this program in seconds.
  print(string.format('RESULT %d %d %d %d %d %d %.3f', summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), errors.status, broken, os.clock()))
end
