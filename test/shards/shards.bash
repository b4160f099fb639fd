# shellcheck shell=bash disable=SC2154
# A queue of several shards on one server: the keys of shard I are those of the queue $(tag I).

# The number in the tag of shard I of the queue $q, of N: the first whose slot is in the I-th part of all, from that of shard 0 on.
tag() { # I N
	local tags file=$T/tags.$q.$2
	[ -s "$file" ] || python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" "$2" >"$file"
	mapfile -t tags <"$file"
	echo "${tags[$1]}"
}

# Those of the ids id1 to id60 that belong to shard I of the queue $q, of N.
ids_of() { # I [N]
	python3 "$BATS_TEST_DIRNAME/../tool/shards.py" "$q" "${2:-3}" id{1..60} | sed -n "/^$1\$/=" | sed 's/^/id/'
}

first_of() { # I [N]
	ids_of "$@" | sed -n 1p
}

# The number of messages of each shard, in one line.
shares() { # N
	local i out=
	for ((i = 0; i < $1; i++)); do out+="$(rcli HLEN "dq:{$(tag "$i" "$1")}:msg") "; done
	echo "${out% }"
}

# The field shards of shard I of N.
said() { # I N
	rcli HGET "dq:{$(tag "$1" "$2")}:stat" shards
}

spread() { # N
	dq-set "$q" shards="$1"
}
