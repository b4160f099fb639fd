# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# A row of the table of moves: one move from every state, with the time as an argument; what is replied, what is left, and that
# what is refused changes nothing at all. dq-scripts(7) has this table for people. test/tool/moves.py does it.

# row MOVE [ARG...] <table: a line "STATE[,STATE...]  REPLY  AFTER" for each state; "others" are those not named.
#
# States of message a, in a queue with others, at the time 0 (ms):
#   absent    was there, and was acked           unique    likewise, and its id is kept unique
#   delayed   due at +500                        due       due at -500, not yet moved
#   ready     due at -1000, never delivered      given     the same, delivered and given back
#   late      ready since -400: its lease ran out, and the receipt is still out
#   leased    until +900                         overdue   leased until -500, and not yet moved back
#   ending    as overdue, and it was the last try
#   asked     as leased, and since -50 a put asks for it again at +600
#   missed    as overdue, and since -1400 a put asks for it again at -200
#   retried   delayed until +500 by retry
#   spent     dead since -400, when the lease of its last try ran out; the receipt is still out
#   buried    dead since -400
# AFTER is "=" (no key of the queue has changed, but for marks by promote), "gone", or "STATE+TIME TRIES RECEIPT": what is kept of the
# tries, and whether the receipt that was last given out is valid or void; then "again+TIME" if it is leased and was asked for again, and
# "new" if the record is that of this move's put, "text" if only its payload is.
row() {
	python3 "$top/test/tool/moves.py" "$T/main/s" "$T/lua" "$q" "$@"
}

setup_file() {
	begin_file
	local file
	mkdir "$T/lua"
	for file in "$top"/lua/*.lua; do
		"$DQ_BIN/embed" -x "$file" >"$T/lua/${file##*/}"
	done
}
