# Goal: Moves by name (rm, promote_now, release, redrive) and gc, from every state, as the table of dq-scripts(7) says.

bats_require_minimum_version 1.5.0

load ../helper
load moves

@test "rm, in any state" {
	row rm '' <<-'ROW'
		absent  u  =
		others  d  gone
	ROW
}

@test "rm, only delayed messages" {
	row rm delayed <<-'ROW'
		absent,unique                       u  =
		delayed,retried                     d  gone
		due                                 e  =
		ready,given,late                    r  =
		leased,overdue,ending,asked,missed  l  =
		spent,buried                        b  =
	ROW
}

@test "rm, only due messages" {
	row rm due <<-'ROW'
		absent,unique                       u  =
		delayed,retried                     y  =
		due                                 d  gone
		ready,given,late                    r  =
		leased,overdue,ending,asked,missed  l  =
		spent,buried                        b  =
	ROW
}

@test "rm, only ready messages" {
	row rm ready <<-'ROW'
		absent,unique                       u  =
		delayed,retried                     y  =
		due                                 e  =
		ready,given,late                    d  gone
		leased,overdue,ending,asked,missed  l  =
		spent,buried                        b  =
	ROW
}

@test "rm, only leased messages" {
	row rm leased <<-'ROW'
		absent,unique                       u  =
		delayed,retried                     y  =
		due                                 e  =
		ready,given,late                    r  =
		leased,overdue,ending,asked,missed  d  gone
		spent,buried                        b  =
	ROW
}

@test "rm, only dead messages" {
	row rm dead <<-'ROW'
		absent,unique                       u  =
		delayed,retried                     y  =
		due                                 e  =
		ready,given,late                    r  =
		leased,overdue,ending,asked,missed  l  =
		spent,buried                        d  gone
	ROW
}

@test "promote_now: delayed messages, and leased ones that were put again for later" {
	row promote_now <<-'ROW'
		absent,unique  u  =
		delayed        d  ready+0 0 void
		due            d  ready-500 0 void
		retried        d  ready+0 1 void
		spent,buried   b  =
		asked          k  leased+900 1 valid again+0
		others         k  =
	ROW
}

@test "release: leased messages, as if the lease had expired, but no receipt is valid" {
	row release <<-'ROW'
		absent,unique   u  =
		leased,overdue  d  ready+0 1 void
		ending          b  dead+0 1 void
		asked           d  delayed+600 0 void
		missed          d  ready-200 0 void
		others          s  =
	ROW
}

@test "redrive: dead messages" {
	row redrive <<-'ROW'
		absent,unique  u  =
		spent,buried   d  ready+0 0 void
		others         s  =
	ROW
}

@test "gc: messages that died long enough ago" {
	row gc 400 1000 0 0 <<-'ROW'
		spent,buried  a  gone
		others        -  =
	ROW
}

@test "gc: a message that died later stays, and a dry run changes nothing" {
	row gc 401 1000 0 0 <<-'ROW'
		others  -  =
	ROW
	q+=x
	row gc 400 1000 1 0 <<-'ROW'
		spent,buried  a  =
		others        -  =
	ROW
}

@test "reading: stat, show, list and an audit with repair change nothing" {
	row look <<-'ROW'
		others  -  =
	ROW
}
