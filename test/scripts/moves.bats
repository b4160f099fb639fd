# Every move from every state, with the time as an argument: what is replied, what is left, and that what is refused changes
# nothing at all. dq-scripts(7) has this table for people.
# once: no tool runs
# bats file_tags=once

bats_require_minimum_version 1.5.0

load ../helper

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
# AFTER is "=" (no key of the queue has changed, but for marks by promote), "gone", or "STATE+TIME TRIES RECEIPT": what is kept of the tries, and whether
# the receipt that was last given out is valid or void; then "again+TIME" if it is leased and was asked for again, and "new" if
# the record is that of this move's put.
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

# --- put ---

@test "put fail, due sooner or later: there is one already, in every state" {
	local due
	for due in 0 +200 +800; do
		row put fail $due <<-ROW
			absent  n  $([ $due = 0 ] && echo ready+0 || echo delayed$due) 0 void new
			others  x  =
		ROW
		q+=x
	done
}

@test "put keep, due sooner or later: what is there stays, in every state" {
	local due
	for due in 0 +200 +800; do
		row put keep $due <<-ROW
			absent  n  $([ $due = 0 ] && echo ready+0 || echo delayed$due) 0 void new
			others  k  =
		ROW
		q+=x
	done
}

@test "put replace, due sooner or later: anew from every state, and no receipt is valid" {
	local due
	for due in +200 +800; do
		row put replace $due <<-ROW
			absent,unique  n  delayed$due 0 void new
			others         r  delayed$due 0 void new
		ROW
		q+=x
	done
}

@test "put replace, due now" {
	row put replace 0 <<-'ROW'
		absent,unique  n  ready+0 0 void new
		others         r  ready+0 0 void new
	ROW
}

@test "put earlier, due sooner" {
	row put earlier +200 <<-'ROW'
		absent,unique    n  delayed+200 0 void new
		delayed          e  delayed+200 0 void
		due,ready,given  k  =
		late             k  ready-400 1 void
		leased,asked     e  leased+900 1 valid again+200
		overdue,ending   e  leased-500 1 valid again+200
		missed           k  =
		retried          e  delayed+200 1 void
		spent,buried     e  delayed+200 0 void
	ROW
}

@test "put earlier, due later" {
	row put earlier +800 <<-'ROW'
		absent,unique    n  delayed+800 0 void new
		delayed,retried  k  =
		due,ready,given  k  =
		late             k  ready-400 1 void
		leased           e  leased+900 1 valid again+800
		overdue,ending   e  leased-500 1 valid again+800
		asked,missed     k  =
		spent,buried     e  delayed+800 0 void
	ROW
}

@test "put earlier, due now" {
	row put earlier 0 <<-'ROW'
		absent,unique    n  ready+0 0 void new
		delayed          e  ready+0 0 void
		due,ready,given  k  =
		late             k  ready-400 1 void
		leased,asked     e  leased+900 1 valid again+0
		overdue,ending   e  leased-500 1 valid again+0
		missed           k  =
		retried          e  ready+0 1 void
		spent,buried     e  ready+0 0 void
	ROW
}

@test "put later, due sooner" {
	row put later +200 <<-'ROW'
		absent,unique           n  delayed+200 0 void new
		delayed,retried         k  =
		due,ready,given         l  delayed+200 0 void
		late                    l  delayed+200 1 void
		leased                  l  leased+900 1 valid again+200
		overdue,ending,missed   l  leased-500 1 valid again+200
		asked                   k  =
		spent,buried            l  delayed+200 0 void
	ROW
}

@test "put later, due later" {
	row put later +800 <<-'ROW'
		absent,unique           n  delayed+800 0 void new
		delayed                 l  delayed+800 0 void
		retried                 l  delayed+800 1 void
		due,ready,given         l  delayed+800 0 void
		late                    l  delayed+800 1 void
		leased,asked            l  leased+900 1 valid again+800
		overdue,ending,missed   l  leased-500 1 valid again+800
		spent,buried            l  delayed+800 0 void
	ROW
}

@test "put later, due now" {
	row put later 0 <<-'ROW'
		absent,unique           n  ready+0 0 void new
		delayed,retried         k  =
		due,ready,given         l  ready+0 0 void
		late                    l  ready+0 1 void
		leased                  l  leased+900 1 valid again+0
		overdue,ending,missed   l  leased-500 1 valid again+0
		asked                   k  =
		spent,buried            l  ready+0 0 void
	ROW
}

@test "put repeat of another record: as fail, but what is kept unique may have been this one" {
	row put repeat +200 <<-'ROW'
		absent  n  delayed+200 0 void new
		unique  ?  =
		others  x  =
	ROW
}

@test "put repeat of the same record: it is there, whatever became of it" {
	row put repeat 0 same <<-'ROW'
		absent  n  ready+0 0 void
		unique  ?  =
		others  s  =
	ROW
}

@test "put earlier or later, due when it is due already: nothing to do" {
	row put earlier +500 <<-'ROW'
		absent,unique          n  delayed+500 0 void new
		spent,buried           e  delayed+500 0 void
		late                   k  ready-400 1 void
		leased,asked           e  leased+900 1 valid again+500
		overdue,ending         e  leased-500 1 valid again+500
		others                 k  =
	ROW
	q+=x
	row put later +500 <<-'ROW'
		absent,unique          n  delayed+500 0 void new
		delayed,retried,asked  k  =
		late                   l  delayed+500 1 void
		leased                 l  leased+900 1 valid again+500
		overdue,ending,missed  l  leased-500 1 valid again+500
		others                 l  delayed+500 0 void
	ROW
	q+=x
	row put earlier +600 <<-'ROW'
		absent,unique          n  delayed+600 0 void new
		spent,buried           e  delayed+600 0 void
		late                   k  ready-400 1 void
		leased                 e  leased+900 1 valid again+600
		overdue,ending         e  leased-500 1 valid again+600
		others                 k  =
	ROW
}

# --- what time does: promote and take ---

@test "promote: what is due, and what ran out of its lease" {
	row promote <<-'ROW'
		due      1/0/0  ready-500 0 void
		overdue  0/1/0  ready+0 1 valid
		ending   0/0/1  dead+0 1 valid
		missed   0/1/0  ready-200 0 void
		others   0/0/0  =
	ROW
}

@test "take: what is due or ready, or ran out of its lease with tries left" {
	row take 0 1 <<-'ROW'
		due      a/1-500   leased+1000 1 void
		ready    a/1-1000  leased+1000 1 void
		given    a/1-3000  leased+1000 1 void
		late     a/2-400   leased+1000 2 void
		overdue  a/2+0     leased+1000 2 void
		missed   a/1-200   leased+1000 1 void
		ending   -         dead+0 1 valid
		others   -         =
	ROW
}

@test "take without promote: what is ready, and nothing moves by itself" {
	row take 0 0 <<-'ROW'
		ready    a/1-1000  leased+1000 1 void
		given    a/1-3000  leased+1000 1 void
		late     a/2-400   leased+1000 2 void
		others   -         =
	ROW
}

@test "take of what has expired: gone, but who has a lease keeps it, and the dead stay" {
	row take expired 750 1 <<-'ROW'
		delayed,due,retried  -  gone
		ready,given,late     -  gone
		overdue,missed       -  gone
		ending               -  dead+750 1 valid
		others               -  =
	ROW
}

@test "promote of what has expired: gone, but who has a lease keeps it, and the dead stay" {
	row promote expired <<-'ROW'
		delayed,due,retried  0/0/0/1  gone
		ready,given,late     0/0/0/1  gone
		overdue,missed       0/1/0/1  gone
		ending               0/0/1/0  dead+750 1 valid
		others               0/0/0/0  =
	ROW
}

@test "gc of what has expired: gone, but the leased and the dead stay" {
	row gc expired 100000 1000 0 0 <<-'ROW'
		delayed,due,retried  a  gone
		ready,given,late     a  gone
		others               -  =
	ROW
	q+=x
	row gc expired 100000 1000 1 0 <<-'ROW'
		delayed,due,retried  a  =
		ready,given,late     a  =
		others               -  =
	ROW
}

# --- settling: by the last receipt, an older one, one that never was ---

@test "ack" {
	row ack last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  gone
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

@test "retry, by schedule" {
	row retry '' why last <<-'ROW'
		absent,unique        u  =
		late,leased,overdue  d  delayed+300 1 void
		asked                d  delayed+600 0 void
		missed               d  ready-200 0 void
		ending,spent         b  dead+0 1 void
		others               s  =
	ROW
}

@test "retry, after a delay" {
	row retry 250 why last <<-'ROW'
		absent,unique        u  =
		late,leased,overdue  d  delayed+250 1 void
		asked                d  delayed+600 0 void
		missed               d  ready-200 0 void
		ending,spent         b  dead+0 1 void
		others               s  =
	ROW
}

@test "retry, at once" {
	row retry 0 why last <<-'ROW'
		absent,unique        u  =
		late,leased,overdue  d  delayed+0 1 void
		asked                d  delayed+600 0 void
		missed               d  ready-200 0 void
		ending,spent         b  dead+0 1 void
		others               s  =
	ROW
}

@test "bury" {
	row bury why last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  dead+0 1 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

@test "extend: only what is leased, even past its end" {
	row extend 2000 last <<-'ROW'
		absent,unique          u  =
		leased,overdue,ending  d  leased+2000 1 valid
		asked                  d  leased+2000 1 valid again+600
		missed                 d  leased+2000 1 valid again-200
		others                 s  =
	ROW
}

@test "give back: into the place that it was taken from" {
	row giveback '' last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  ready-3000 0 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

@test "give back for a while: delayed, and the try does not count" {
	row giveback 250 last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  delayed+250 0 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
	q+=x
	row giveback @1800000000250 last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  delayed+250 0 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

@test "give back, due now or at a time that has come: ready, with that due time" {
	row giveback 0 last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  ready+0 0 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
	q+=x
	row giveback @1799999999950 last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending,spent  d  ready-50 0 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

# Every verb, by a receipt of that kind.
settling() { # KIND
	local table=$'absent,unique u =\nothers s ='
	row ack "$1" <<<"$table"
	q=$q.r row retry '' why "$1" <<<"$table"
	q=$q.d row retry 0 why "$1" <<<"$table"
	q=$q.b row bury why "$1" <<<"$table"
	q=$q.x row extend 2000 "$1" <<<"$table"
	q=$q.g row giveback '' "$1" <<<"$table"
}

@test "settling by an older receipt: refused in every state" {
	settling stale
}

@test "settling by a forged receipt: refused in every state" {
	settling forged
}

# --- by name ---

@test "rm, in any state" {
	row rm '' <<-'ROW'
		absent,unique  u  =
		others         d  gone
	ROW
}

@test "rm, only what is delayed" {
	row rm delayed <<-'ROW'
		absent,unique    u  =
		delayed,retried  d  gone
		leased,overdue,ending,asked,missed  l  =
		others           s  =
	ROW
}

@test "rm, only what is due" {
	row rm due <<-'ROW'
		absent,unique  u  =
		due            d  gone
		leased,overdue,ending,asked,missed  l  =
		others         s  =
	ROW
}

@test "rm, only what is ready" {
	row rm ready <<-'ROW'
		absent,unique     u  =
		ready,given,late  d  gone
		leased,overdue,ending,asked,missed  l  =
		others            s  =
	ROW
}

@test "rm, only what is leased" {
	row rm leased <<-'ROW'
		absent,unique          u  =
		leased,overdue,ending  d  gone
		asked,missed           d  gone
		others                 s  =
	ROW
}

@test "rm, only what is dead" {
	row rm dead <<-'ROW'
		absent,unique  u  =
		spent,buried   d  gone
		leased,overdue,ending,asked,missed  l  =
		others         s  =
	ROW
}

@test "hasten: what is delayed" {
	row hasten <<-'ROW'
		absent,unique  u  =
		delayed        d  ready+0 0 void
		due            d  ready-500 0 void
		retried        d  ready+0 1 void
		spent,buried   b  =
		others         k  =
	ROW
}

@test "release: what is leased, as if its lease had run out, but the receipt is void" {
	row release <<-'ROW'
		absent,unique   u  =
		leased,overdue  d  ready+0 1 void
		ending          b  dead+0 1 void
		asked           d  delayed+600 0 void
		missed          d  ready-200 0 void
		others          s  =
	ROW
}

@test "redrive: what is dead" {
	row redrive <<-'ROW'
		absent,unique  u  =
		spent,buried   d  ready+0 0 void
		others         s  =
	ROW
}

@test "gc: what died long enough ago" {
	row gc 400 1000 0 0 <<-'ROW'
		spent,buried  a  gone
		others        -  =
	ROW
}

@test "gc: what died later stays, and a dry run changes nothing" {
	row gc 401 1000 0 0 <<-'ROW'
		others  -  =
	ROW
	q+=x
	row gc 400 1000 1 0 <<-'ROW'
		spent,buried  a  =
		others        -  =
	ROW
}

@test "looking: stat, show, list and an audit with repair change nothing" {
	row look <<-'ROW'
		others  -  =
	ROW
}
