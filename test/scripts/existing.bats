# Goal: The put script treats an existing message of the same id as its mode says: keep, replace, earlier, later.

bats_require_minimum_version 1.5.0

load ../helper
load calls

@test "put -e keep: the existing message stays" {
	put a 5 $'\nA'
	local before
	before=$(digest)
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB')" k
	equal "$(digest)" "$before"
	equal "$(script put "$now" keep 100 '' '' a 0 $'\nB' b 0 $'\nC' b 0 $'\nD')" knk
	equal "$(field msg b)" $'\nC'
	holds 1 1 0 0
}

@test "put -e replace: a new message in every state, and no old receipt is valid" {
	local state
	for state in delayed ready leased dead; do
		q=q$BATS_TEST_NUMBER.$state
		[ $state = delayed ] && put a 5 $'r=1\nA' || put a 0 $'r=1\nA'
		[ $state != leased ] || take 0 1
		[ $state != dead ] || take 0 1 1
		[ $state != dead ] || promote 1
		equal "$(rcli ZCARD "dq:{$q}:$state")" 1
		local t
		t=$(token a)
		equal "$(script put "$now" replace 7 '' '' a 3 $'p=7\nB')" r
		holds 1 0 0 0
		equal "$(field msg a)" $'p=7\nB'
		equal "$(tries a)" ''
		refuses '^s$' ack "$now" a "${t:-1}"
		promote 3
		equal "$(score ready a)" "$((7 * 4398046511104 + now + 3))"
	done
}

@test "put -e earlier: only brings the due time forward, and changes nothing else" {
	put a 50 $'\nA'
	equal "$(script put "$now" earlier 100 '' '' a 60 $'\nB')" k
	equal "$(script put "$now" earlier 100 '' '' a 50 $'\nB')" k
	equal "$(script put "$now" earlier 9 '' '' a 40 $'p=9\nB')" e
	holds 1 0 0 0
	equal "$(score delayed a)" "$((now + 40))"
	equal "$(script put "$now" earlier 100 '' '' a 0 $'\nB')" e
	holds 0 1 0 0
	equal "$(script put "$now" earlier 100 '' '' a 0 $'\nB')" k
	equal "$(field msg a)" $'\nA'
}

@test "put -e later: only postpones the due time, and changes nothing else" {
	put a 50 $'\nA'
	equal "$(script put "$now" later 100 '' '' a 50 $'\nB')" k
	equal "$(script put "$now" later 100 '' '' a 60 $'\nB')" l
	equal "$(score delayed a)" "$((now + 60))"
	promote 60
	equal "$(script put "$now" later 100 '' '' a 90 $'\nB')" l
	holds 1 0 0 0
	equal "$(field msg a)" $'\nA'
}

@test "put -e earlier, later: a leased message is redelivered after its delivery" {
	local t
	put a 0 $'p=7 r=1\nA'
	take 0 1
	t=$(token a)
	equal "$(script put "$now" later 9 '' '' a 90 $'p=9\nB')" l
	equal "$(field try a | head -1)" "1 $t $now>$((now + 90)) p=7 r=1"
	equal "$(script put "$now" later 9 '' '' a 80 $'p=9\nB')" k
	equal "$(script put "$now" earlier 9 '' '' a 95 $'p=9\nB')" k
	equal "$(script put "$now" only-earlier 9 '' '' a 70.5 $'\n')" e
	equal "$(script extend "$now" 500 a "$t")" d
	equal "$(script show "$now" 0 a | sed -n 8p)" "$((now + 71))"
	holds 0 0 1 0
	equal "$(script bury "$now" why a "$t")" d
	holds 1 0 0 0
	equal "$(score delayed a)" "$((now + 71)).6367"
	equal "$(field try a)" ''
	equal "$(field msg a)" $'p=7 r=1\nA'
	equal "$(field stat dead)" ''
	equal "$(field stat acked)" ''
	equal "$(score timer t)" "$((now + 71))"
	refuses '^s$' ack "$now" a "$t"
}

@test "put -e earlier, later: settled in one call with other messages" {
	put a 0 $'\nA' b 0 $'r=1\nB' c 0 $'\nC' d 0 $'\nD'
	take 0 4
	script put "$now" later 100 '' '' b 90 $'\n' d 5 $'\n' >/dev/null
	promote 60000 2
	promote 60000 2
	holds 0 4 0 0
	equal "$(rcli ZRANGE "dq:{$q}:ready" 0 -1 | paste -sd' ')" 'd b a c'
	equal "$(field try b)" ''
	equal "$(field stat expired_leases)" 4
	equal "$(field stat dead)" ''
}

@test "put -e earlier, later: not past the expiry of a leased message" {
	equal "$(script put "$now" fail 100 1000 '' a 0 $'\nA')" n
	take 0 1
	equal "$(script put "$now" later 100 '' '' a 1000 $'\n' a 999 $'\n' a 1000 $'\n')" yly
}
