# Goal: Every put, from every state, with each mode and due time, as the table of dq-scripts(7) says.

bats_require_minimum_version 1.5.0

load ../helper
load moves

@test "put fail, due sooner or later: exists already, in every state" {
	local due
	for due in 0 +200 +800; do
		row put fail $due <<-ROW
			absent  n  $([ $due = 0 ] && echo ready+0 || echo delayed$due) 0 void new
			unique  v  =
			spent,buried  b  =
			others  x  =
		ROW
		q+=x
	done
}

@test "put keep, due sooner or later: the existing message stays, in every state" {
	local due
	for due in 0 +200 +800; do
		row put keep $due <<-ROW
			absent  n  $([ $due = 0 ] && echo ready+0 || echo delayed$due) 0 void new
			unique  v  =
			others  k  =
		ROW
		q+=x
	done
}

@test "put replace, due sooner or later: a new message from every state, and no receipt is valid" {
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

@test "put move, due sooner, later, now, and at the same time" {
	row put move +200 <<-'ROW'
		absent,unique          n  delayed+200 0 void new
		delayed                m  delayed+200 0 void
		retried                m  delayed+200 1 void
		due,ready,given        m  delayed+200 0 void
		late                   m  delayed+200 1 void
		leased,asked           m  leased+900 1 valid again+200
		overdue,ending,missed  m  leased-500 1 valid again+200
		spent,buried           m  delayed+200 0 void
	ROW
	q+=x
	row put move +800 <<-'ROW'
		absent,unique          n  delayed+800 0 void new
		delayed                m  delayed+800 0 void
		retried                m  delayed+800 1 void
		due,ready,given        m  delayed+800 0 void
		late                   m  delayed+800 1 void
		leased,asked           m  leased+900 1 valid again+800
		overdue,ending,missed  m  leased-500 1 valid again+800
		spent,buried           m  delayed+800 0 void
	ROW
	q+=x
	row put move 0 <<-'ROW'
		absent,unique          n  ready+0 0 void new
		delayed,due            m  ready+0 0 void
		retried                m  ready+0 1 void
		ready,given            m  ready+0 0 void
		late                   m  ready+0 1 void
		leased,asked           m  leased+900 1 valid again+0
		overdue,ending,missed  m  leased-500 1 valid again+0
		spent,buried           m  ready+0 0 void
	ROW
	q+=x
	row put move +500 <<-'ROW'
		absent,unique          n  delayed+500 0 void new
		delayed,retried        k  =
		due,ready,given        m  delayed+500 0 void
		late                   m  delayed+500 1 void
		leased,asked           m  leased+900 1 valid again+500
		overdue,ending,missed  m  leased-500 1 valid again+500
		spent,buried           m  delayed+500 0 void
	ROW
	q+=x
	row put move +600 <<-'ROW'
		absent,unique          n  delayed+600 0 void new
		asked                  k  =
		delayed                m  delayed+600 0 void
		retried                m  delayed+600 1 void
		due,ready,given        m  delayed+600 0 void
		late                   m  delayed+600 1 void
		leased                 m  leased+900 1 valid again+600
		overdue,ending,missed  m  leased-500 1 valid again+600
		spent,buried           m  delayed+600 0 void
	ROW
}

@test "put edit: the payload, in every state; whatever the due time of the put" {
	local due
	for due in 0 +200 +800; do
		row put edit $due <<-ROW
			absent,unique    n  $([ $due = 0 ] && echo ready+0 || echo delayed$due) 0 void new
			delayed          p  delayed+500 0 void text
			retried          p  delayed+500 1 void text
			due              p  delayed-500 0 void text
			ready            p  ready-1000 0 void text
			given            p  ready-3000 0 void text
			late             p  ready-400 1 void text
			leased           p  leased+900 1 valid again-3000 text
			asked            p  leased+900 1 valid again+600 text
			overdue,ending   p  leased-500 1 valid again-3000 text
			missed           p  leased-500 1 valid again-200 text
			spent,buried     p  dead-400 1 void text
		ROW
		q+=x
	done
	row put edit +200 same <<-'ROW'
		absent,unique  n  delayed+200 0 void
		others         k  =
	ROW
}

@test "put repeat of another record: as fail, but a reserved id may be that of this message" {
	row put repeat +200 <<-'ROW'
		absent  n  delayed+200 0 void new
		unique  ?  =
		spent,buried  b  =
		others  x  =
	ROW
}

@test "put repeat of the same record: success, whatever happened to the message" {
	row put repeat 0 same <<-'ROW'
		absent  n  ready+0 0 void
		unique  ?  =
		others  s  =
	ROW
}

@test "put earlier or later, with the same due time: nothing to do" {
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

@test "load fail and keep: the existing message stays, in every state, and the same message is recognized" {
	row load fail due +200 <<-'ROW'
		absent  n  delayed+200 2 void new
		unique  v  =
		others  x  =
	ROW
	q+=x
	row load keep leased +200 <<-'ROW'
		absent  n  leased+200 2 void new
		unique  v  =
		others  k  =
	ROW
	q+=x
	row load fail dead -200 same <<-'ROW'
		absent  n  dead-200 2 void
		unique  v  =
		others  s  =
	ROW
}

@test "load replace: as the dump has it, from every state, and no receipt is valid" {
	row load replace due -200 <<-'ROW'
		absent,unique  n  ready-200 2 void new
		others         r  ready-200 2 void new
	ROW
	q+=x
	row load replace leased +800 <<-'ROW'
		absent,unique  n  leased+800 2 void new
		others         r  leased+800 2 void new
	ROW
	q+=x
	row load replace dead -200 <<-'ROW'
		absent,unique  n  dead-200 2 void new
		others         r  dead-200 2 void new
	ROW
}
