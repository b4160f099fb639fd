std = "lua51"
read_globals = { "KEYS", "ARGV", "redis" }
max_line_length = 130
