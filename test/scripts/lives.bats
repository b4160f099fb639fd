# Goal: The rights that dq-scripts(7) gives each role suffice in a queue that has lived, whatever its settings are.

bats_require_minimum_version 1.5.0
export BATS_NO_PARALLELIZE_WITHIN_FILE=true # the users are those of one server

load ../helper
load ../acl

# What earlier messages leave: outcomes, ids that are reserved or not any more, expired messages, leases that have ended.
lived() { # QUEUE
	local id
	for id in kept lost; do dq-put -q --keep 1h -i "$id" "$1" x; done
	dq-put -q --unique-for 1h -i own "$1" x
	dq-take -q -n 9 "$1" >"$T/lived"
	grep -v /lost@ "$T/lived" | dq-ack
	grep /lost@ "$T/lived" | dq-ack -b
	for id in gone k+gone; do
		dq-load -q <<<"{\"queue\":\"$1\",\"id\":\"$id\",\"due_ms\":5,\"expires_ms\":9,\"payload\":\"\"}"
	done
	for id in k+1 2; do
		dq-load -q <<<"{\"queue\":\"$1\",\"id\":\"$id\",\"state\":\"leased\",\"lease_until_ms\":7,\"tries\":1,\"payload\":\"\"}"
	done
	printf -- '%s\t%s\tx\n' - k+3 - k+4 20ms j+3 - here | dq-put -q --tsv "$1"
}

# What each role does, in a queue that has lived, with these settings from then on (shards: from the beginning).
lives() { # SETTING...
	local how receipt
	[[ $1 != shards=* ]] || dq-set -q "$q.x" "$1"
	lived "$q.x"
	dq-set -q "$q.x" "$@"
	for how in kept own lost; do does 1 producer dq-put -i "$how" "$q.x" x || return; done
	for how in '' '-x 1h' '--keep 1h' '-e keep' '-d 1h'; do
		# shellcheck disable=SC2086
		does 0 producer dq-put $how -i "new${how//[^a-z]/}" "$q.x" x || return
		# shellcheck disable=SC2086
		does 0 producer dq-put $how -k k "$q.x" x || return
	done
	receipt=$(as consumer dq-take -n 3 "$q.x") || equal "$?" 1 || return
	[ -z "$receipt" ] || does 0 consumer dq-ack -r -m why "${receipt%%$'\t'*}" || return
	does 0 consumer dq-promote "$q.x" || return
	does 0 setter dq-set -q "$q.x" paused:k=no paused:j=20ms max-leased=none rate=none || return
	does 0 monitor dq-stat --keys "$q.x" || return
	does 0 monitor dq-stat --messages all "$q.x" || return
	does 0 monitor dq-wait -w 0 "$q.x/kept" || return
	does 0 monitor dq-dump "$q.x" || return
	does 0 operator dq-promote --dead "$q.x" || return
	does 0 operator dq-rm -k k "$q.x" || return
	does 0 operator dq-gc "$q.x" || return
	does 0 operator dq-gc --check "$q.x" || return
}

# A step of which nothing may be refused.
does() { # STATUS ROLE COMMAND...
	step "$@" || return
	[ -z "$refused" ] || {
		echo "$2: ${*:3}"
		cat "$T/err"
		return 1
	}
}

@test "each role works in a queue that has lived, whatever its settings are" {
	local role settings
	for role in producer consumer operator setter monitor; do set_user "$role"; done
	for settings in paused=no 'keys=serial paused=no' keys=serial,stop 'key-limit=1 max-leased=2 rate=3/1h max-len=90' paused=20ms \
		'paused=yes keys=serial paused:k=yes paused:j=20ms' 'shards=3 keys=serial paused:k=20ms'; do
		refused=''
		# shellcheck disable=SC2086
		lives $settings || {
			echo "with $settings"
			return 1
		}
		dq-rm -q -f -a "$q.x"
	done
}

@test "a new message ends the reservation of its id, also if the caller may remove nothing" {
	set_user producer
	dq-put -q --keep 1h -i a "$q.x" x
	dq-take -q "$q.x" | dq-ack -b
	dq-rm -q "$q.x/a"
	as producer dq-put -q -i a "$q.x" y
	dq-take -q --ack "$q.x"
	run -66 dq-wait -w 0 "$q.x/a"
	dq-put -q -i b --unique-for 1h "$q.x" x
	equal "$(rcli HEXISTS "dq:{$q.x}:outcome" a)" 0
}
