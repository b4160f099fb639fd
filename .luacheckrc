std = "lua51"
read_globals = { "KEYS", "ARGV", "redis", "bit" }
max_line_length = 150
