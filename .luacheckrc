std = "lua51"
read_globals = { "KEYS", "ARGV", "redis" }
