# Goal: Moves by time (promote, take, gc of the expired), from every state, as the table of dq-scripts(7) says.

bats_require_minimum_version 1.5.0

load ../helper
load moves

@test "promote: due messages, and expired leases" {
	row promote <<-'ROW'
		due      1/0/0  ready-500 0 void
		overdue  0/1/0  ready+0 1 valid
		ending   0/0/1  dead+0 1 valid
		missed   0/1/0  ready-200 0 void
		others   0/0/0  =
	ROW
}

@test "take: due or ready messages, and expired leases with tries left" {
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

@test "take without promote: ready messages; no other message moves" {
	row take 0 0 <<-'ROW'
		ready    a/1-1000  leased+1000 1 void
		given    a/1-3000  leased+1000 1 void
		late     a/2-400   leased+1000 2 void
		others   -         =
	ROW
}

@test "take of expired messages: removed, but a leased one stays, and so do the dead" {
	row take expired 750 1 <<-'ROW'
		delayed,due,retried  -  gone
		ready,given,late     -  gone
		overdue,missed       -  gone
		ending               -  dead+750 1 valid
		others               -  =
	ROW
}

@test "promote of expired messages: removed, but a leased one stays, and so do the dead" {
	row promote expired <<-'ROW'
		delayed,due,retried  0/0/0/1  gone
		ready,given,late     0/0/0/1  gone
		overdue,missed       0/1/0/1  gone
		ending               0/0/1/0  dead+750 1 valid
		others               0/0/0/0  =
	ROW
}

@test "gc of expired messages: removed, but the leased and the dead stay" {
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
