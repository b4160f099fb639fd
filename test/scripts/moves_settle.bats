# Goal: Every verb that settles, from every state, by the last receipt, an older one, and an invented one, as the table of dq-scripts(7)
# says.

bats_require_minimum_version 1.5.0

load ../helper
load moves

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
		ending               b  dead+0 1 void
		spent                b  dead-400 1 void
		others               s  =
	ROW
}

@test "retry, after a delay" {
	row retry 250 why last <<-'ROW'
		absent,unique        u  =
		late,leased,overdue  d  delayed+250 1 void
		asked                d  delayed+600 0 void
		missed               d  ready-200 0 void
		ending               b  dead+0 1 void
		spent                b  dead-400 1 void
		others               s  =
	ROW
}

@test "retry, at once" {
	row retry 0 why last <<-'ROW'
		absent,unique        u  =
		late,leased,overdue  d  delayed+0 1 void
		asked                d  delayed+600 0 void
		missed               d  ready-200 0 void
		ending               b  dead+0 1 void
		spent                b  dead-400 1 void
		others               s  =
	ROW
}

@test "bury" {
	row bury why last <<-'ROW'
		absent,unique                     u  =
		late,leased,overdue,ending        d  dead+0 1 void
		spent                             d  dead-400 1 void
		asked                             d  delayed+600 0 void
		missed                            d  ready-200 0 void
		others                            s  =
	ROW
}

@test "extend: only a leased message, even past the end of its lease" {
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

# Each verb that settles, with a receipt of that kind.
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
