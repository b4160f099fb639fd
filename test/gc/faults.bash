# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# Faults of a queue, made by hand, and traffic on it.

# N of a fault, made by hand; first what it takes, then the damage. The ids are 1 to N.
make_faults() { # FAULT N
	local damage
	case $1 in
	unindexed) damage='redis.call("HSET", key.."msg", i, "\n"..i)' ;;
	bodiless) damage='redis.call("ZADD", key.."dead", i, i)' ;;
	tried) damage='redis.call("HSET", key.."try", i, "1 5 5 \nwhy")' ;;
	twice)
		seq "$2" | dq-put -ql "$q"
		rename
		damage='redis.call("ZADD", key.."delayed", 4000000000000, i)'
		;;
	unreceipted)
		seq "$2" | dq-put -ql "$q"
		rename
		while [ "$(states)" != "0 0 $2 0" ]; do dq-take -n 1000 -t 1d "$q" >/dev/null; done
		damage='redis.call("HDEL", key.."try", i)'
		;;
	esac
	rcli EVAL "local key = ARGV[1] for i = 1, ARGV[2] do $damage end" 0 "dq:{$q}:" "$2" >/dev/null
}

# Each message gets its payload as its id.
rename() {
	rcli EVAL 'local key = ARGV[1]
		for _, id in ipairs(redis.call("ZRANGE", key.."ready", 0, -1)) do
			local record = redis.call("HGET", key.."msg", id)
			redis.call("HSET", key.."msg", string.sub(record, 2), record)
			redis.call("ZADD", key.."ready", redis.call("ZSCORE", key.."ready", id), string.sub(record, 2))
			redis.call("HDEL", key.."msg", id)
			redis.call("ZREM", key.."ready", id)
		end' 0 "dq:{$q}:" >/dev/null
}

clean() {
	run -0 --separate-stderr dq-gc -q --check "$q"
	equal "$output$stderr" ''
	audit
}

traffic() { # until the file is gone; to find nothing to take is no end
	while [ -e "$T/$q.traffic" ]; do "$@" || true; done
}
