# Goal: With TLS only the right server is accepted, and every other promise holds.

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover

setup_file() {
	begin_file
	make_certs
	start_tls secure server
	echo "$port" >"$F/port"
}

setup() {
	begin_test
	C=$T/certs
	port=$(<"$F/port")
	export DQ_URL=rediss://localhost:$port DQ_CACERT=$C/ca.crt SERVER=secure
}

start_peer() { # HOW [SOCKET [CERTIFICATE]]
	rm -f "$T/peer"
	python3 "$BATS_TEST_DIRNAME/peer.py" "$T/peer" "$1" "${2-}" "$C/${3-server}.crt" "$C/${3-server}.key" 3>&- &
	wait_until 10 test -s "$T/peer"
	port=$(<"$T/peer")
}

@test "put, take, ack, stat, promote and run over TLS, by name and by address" {
	local host
	for host in localhost 127.0.0.1; do
		export DQ_URL=rediss://$host:$port
		equal "$(dq-put -i x "$q" hello)" "$q/x"
		equal "$(dq-take "$q" | tee "$T/taken" | cut -f 2)" hello
		holds 0 0 1 0
		equal "$(dq-stat "$q" | awk 'NR == 2 { print $5 }')" 1
		dq-ack <"$T/taken"
		holds 0 0 0 0
		dq-put -q -d 1h "$q" later
		dq-promote "$(dq-stat --messages delayed "$q" | cut -f 1)"
		holds 0 1 0 0
		dq-rm -q -f -a "$q"
		dq-put -q "$q" job
		equal "$(dq-run --once "$q" -- cat)" job
	done
}

@test "the version says whether TLS is there" {
	matches "$(dq-put --version)" 'hiredis [0-9.]+, with TLS$'
}

# Each with its status and message. No message is put, and the server does not get the request in clear.
refused() { # STATUS REGEX [OPTION...]
	run --separate-stderr dq-put --connect-timeout 2s "${@:3}" "$q" secret-payload
	equal "$status" "$1" || return
	matches "$stderr" "^dq-put: rediss://[^ ]*: $2" || return
	equal "$output" ''
}

misnamed="mismatch .only the names in its subjectAltName count.\$"

@test "wrong name: 78" {
	start_tls wrong other
	DQ_URL=rediss://localhost:$port refused 78 "TLS: the server's certificate: hostname $misnamed"
	DQ_URL=rediss://127.0.0.1:$port refused 78 "TLS: the server's certificate: IP address $misnamed"
	SERVER=wrong holds 0 0 0 0
}

@test "a common name is no name of a host: 78" {
	start_tls cn named
	DQ_URL=rediss://localhost:$port refused 78 "TLS: the server's certificate: hostname $misnamed"
	SERVER=cn holds 0 0 0 0
	stop_server cn
}

@test "expired, not valid yet, signed by itself, by a stranger: 78" {
	local certificate why
	local try='.its authority: --cacert, DQ_CACERT.'
	for certificate in 'expired certificate has expired' 'early certificate is not yet valid' "self self.signed certificate $try" \
		"stranger unable to get local issuer certificate $try"; do
		read -r certificate why <<<"$certificate"
		start_tls "$certificate" "$certificate"
		DQ_URL=rediss://localhost:$port refused 78 "TLS: the server's certificate: $why$"
		SERVER=$certificate holds 0 0 0 0
		stop_server "$certificate"
	done
}

@test "the certificates of the system do not know a private authority: 78" {
	unset DQ_CACERT
	local why='(self.signed certificate in certificate chain|unable to get local issuer certificate)'
	refused 78 "TLS: the server's certificate: $why .its authority: --cacert, DQ_CACERT.$"
	equal "$(SSL_CERT_FILE=$C/ca.crt dq-put -i x "$q" hello)" "$q/x"
}

@test "a plain URL for a port with TLS: the error says what to try" {
	local try
	try='connection closed by the server before it answered .for a port with TLS: rediss://; some proxies do so at CLIENT SETNAME.'
	export DQ_URL=redis://127.0.0.1:$port
	fails 75 "$try: 0 accepted" dq-put --timeout 2s "$q" x
	REDISCLI_AUTH=x fails 75 "$try" dq-stat "$q"
}

@test "a server without TLS: 78, and it gets nothing in clear" {
	start_tcp plain
	export DQ_URL=rediss://:canary@localhost:$port
	run --separate-stderr dq-put --connect-timeout 500ms "$q" x # as the random bytes of the greeting look to it
	matches "$status $stderr" \
		'^(78|69) dq-put: rediss://\*?[^ ]*: TLS: .*(perhaps this port has no TLS|does not speak TLS on this port)$'
	SERVER=plain holds 0 0 0 0
	run ! grep -aq canary "$T/plain/log"
}

@test "TLS 1.1: 78" {
	start_peer old "$T/secure/s"
	DQ_URL=rediss://localhost:$port refused 78 'TLS: '
	holds 0 0 0 0
}

@test "a peer that closes the connection: 69; one that says nonsense: 78; one that says nothing: 69, in time" {
	start_peer closes
	DQ_URL=rediss://127.0.0.1:$port refused 69 'TLS: '
	start_peer garbage
	DQ_URL=rediss://127.0.0.1:$port refused 78 'TLS: '
	start_peer silent
	local began=${EPOCHREALTIME/./}
	DQ_URL=rediss://127.0.0.1:$port refused 69 'TLS: timed out; perhaps this port has no TLS$' --connect-timeout 300ms
	between 250 $(((${EPOCHREALTIME/./} - began) / 1000)) 8000
}

@test "a peer that sends without end: the tool keeps its time-out, and a signal ends it" {
	local _ TIMEFORMAT
	start_peer floods
	export DQ_URL=rediss://localhost:$port
	refused 69 'TLS: timed out' --connect-timeout 500ms
	TIMEFORMAT='%3U %3S' # of processors, as the machine may be busy; several times, as the peer may be slow now and then
	{ time for _ in {1..8}; do
		dq-put --connect-timeout 200ms "$q" x >"$T/out" 2>&1 || true
	done; } 2>"$T/times"
	between 0 "$(awk '{ print int(1000 * ($1 + $2)) }' "$T/times")" 2000
	env --default-signal=TERM dq-put --connect-timeout 1m "$q" x >"$T/out" 2>&1 3>&- &
	local putter=$!
	busy() { [ "$(cut -d' ' -f 14 "/proc/$putter/stat")" -gt 5 ]; }
	wait_until 10 busy
	kill "$putter"
	exits 143 "$putter"
}

@test "a plain client before a TLS server: 78" {
	DQ_URL=redis://localhost:$port run --separate-stderr dq-put --timeout 2s "$q" x
	matches "$status $stderr" '^(78 .*not the Redis protocol|75 .*(connection closed|reset))'
}

@test "--insecure accepts every server, with a warning each time" {
	start_tls wrong other
	DQ_URL=rediss://localhost:$port run -0 --separate-stderr dq-put --insecure -i x "$q" hello
	equal "$output" "$q/x"
	equal "$stderr" "dq-put: rediss://localhost:$port/0: --insecure: the server's certificate is not verified"
	DQ_INSECURE=1 DQ_URL=rediss://localhost:$port run -78 dq-put "$q" x
	DQ_URL="rediss://localhost:$port/0?ssl_cert_reqs=none" \
		fails 64 "^DQ_URL: the URL has the parameter ssl_cert_reqs: .*; only --insecure turns that off\$" dq-put "$q" x
}

@test "a client certificate that the server wants: by options, by variables, and as commands of dq-run see it" {
	start_tls strict server --tls-auth-clients yes
	export DQ_URL=rediss://localhost:$port SERVER=strict
	run -78 --separate-stderr dq-put "$q" hello
	matches "$stderr" "^dq-put: ($q|$DQ_URL/0): TLS: the server wants a certificate of the client .--cert, --key."
	matches "$stderr" "--key.( .$DQ_URL/0.: 0 accepted, 0 refused, 0 unknown, 1 not sent|\$)"
	run -78 --separate-stderr dq-put --cert "$C/stranger.crt" --key "$C/stranger.key" "$q" hello
	matches "$stderr" "TLS: the server does not trust the authority of the client's certificate .--cert."
	equal "$(dq-put --cert "$C/client.crt" --key "$C/client.key" -i a "$q" one)" "$q/a"
	equal "$(DQ_CERT=$C/client.crt DQ_KEY=$C/client.key dq-put -i b "$q" two)" "$q/b"
	unset DQ_CACERT
	cd "$C"
	equal "$(dq-run --cacert ca.crt --cert client.crt --key client.key --once "$q" -- sh -c "cd / && dq-put -i c $q three")" "$q/c"
	holds 0 2 0 0
}

@test "a certificate without its key is usage; files that cannot be used are named: 78" {
	fails 64 '^--cert and --key: both, or none of them$' dq-put --cert "$C/client.crt" "$q" x
	fails 64 '^--cert and --key: both, or none of them$' env DQ_KEY="$C/client.key" dq-put "$q" x
	fails 78 "TLS: CA certificates $T/no: No such file or directory$" dq-put --cacert "$T/no" "$q" x
	fails 78 "TLS: certificate $T/no: No such file or directory$" dq-put --cert "$T/no" --key "$C/client.key" "$q" x
	fails 78 "TLS: key $C/locked.key: " dq-put --cert "$C/client.crt" --key "$C/locked.key" "$q" x
	fails 78 "TLS: key $C/client.key: not that of the certificate$" dq-put --cert "$C/other.crt" --key "$C/client.key" "$q" x
	fails 78 "TLS: CA certificates $C/client.key: " dq-put --cacert "$C/client.key" "$q" x
	fails 78 'TLS: CA certificates /no\\x1b\[31m: No such file or directory$' dq-put --cacert $'/no\e[31m' "$q" x
}

@test "options about TLS with a URL without it: 64; variables are for whole scripts" {
	local option
	export DQ_URL=unix://$T/secure/s
	for option in "--cacert $C/ca.crt" "--cert $C/client.crt --key $C/client.key" --insecure; do
		# shellcheck disable=SC2086
		fails 64 '^--[a-z]+: the URL has no TLS: rediss://$' dq-put $option "$q" x
	done
	equal "$(dq-put -i x "$q" hello)" "$q/x"
}

# Input before the prompt is discarded.
answer() { # PASSWORD
	local fd
	rm -f "$T/keys" "$T/screen"
	mkfifo "$T/keys"
	command script -qefc "dq-put --askpass -i y -e replace $q hello" /dev/null <"$T/keys" >"$T/screen" 2>&1 3>&- &
	asker=$!
	exec {fd}>"$T/keys"
	wait_until 10 grep -q 'Password for Redis: ' "$T/screen"
	echo "$1" >&"$fd"
	exec {fd}>&-
}

@test "a password over TLS, from a file and asked for on the terminal" {
	start_tls locked server --requirepass canary
	export DQ_URL=rediss://localhost:$port
	echo canary >"$T/word"
	chmod 600 "$T/word"
	run -77 dq-put "$q" x
	equal "$(dq-put --password-file "$T/word" -i x "$q" hello)" "$q/x"
	answer canary
	exits 0 "$asker"
	grep -q "$q/y" "$T/screen"
	run ! grep -q canary "$T/screen"
	answer wrong
	exits 77 "$asker"
	if command -v setsid >/dev/null; then
		fails 78 '^--askpass: there is no terminal$' setsid -w dq-put --askpass "$q" hello
	fi
}

@test "bytes for TLS alone are no reply: a connection may be idle, and large batches go both ways" {
	mkfifo "$T/in"
	dq-put -l "$q" <"$T/in" >"$T/out" 2>"$T/err" 3>&- &
	local putter=$! fd
	exec {fd}>"$T/in"
	echo one >&"$fd"
	wait_until 10 has_lines "$T/out" 1
	echo two >&"$fd"
	wait_until 10 has_lines "$T/out" 2
	exec {fd}>&-
	exits 0 "$putter"
	equal "$(cat "$T/err")" ''
	seq -f 'line %g, and some more bytes to have more than a record of TLS' 20000 >"$T/lines"
	dq-put -q -l "$q.many" <"$T/lines"
	dq-take --until-empty --ack "$q.many" | cut -f 2 | cmp - "$T/lines"
	head -c 3000000 /dev/zero | tr '\0' x >"$T/large"
	dq-put -q --max-bytes 4M "$q.large" <"$T/large"
	dq-take -0 --ack "$q.large" | tr '\0' '\n' | sed -n 2p | tr -d '\n' | cmp - "$T/large"
}

@test "records of one byte" {
	start_peer bytes "$T/secure/s"
	export DQ_URL=rediss://localhost:$port
	seq 300 | dq-put -q -l --timeout 60s "$q"
	equal "$(dq-take --until-empty --ack --timeout 60s "$q" | cut -f 2)" "$(seq 300)"
}

@test "a connection that ends without a TLS alert: reported as lost, and the message is put on a new one" {
	dq-put -q "$q" x # the scripts and the queue are known
	start_peer cuts "$T/secure/s"
	mkfifo "$T/in"
	DQ_URL=rediss://localhost:$port dq-put -l --timeout 3s "$q" <"$T/in" >"$T/out" 2>"$T/err" 3>&- &
	local putter=$! fd
	exec {fd}>"$T/in"
	echo one >&"$fd"
	wait_until 10 has_lines "$T/out" 1
	echo two >&"$fd"
	exec {fd}>&-
	exits 75 "$putter"
	matches "$(cat "$T/err")" "^dq-put: $q: connection closed by the server: 1 accepted, 0 refused, 1 unknown"
}

@test "a reply that was altered on the way: 75, unknown" {
	dq-put -q "$q" first # the scripts are known: the first answer is that to the message
	start_peer alters "$T/secure/s"
	export DQ_URL=rediss://localhost:$port
	run -75 --separate-stderr dq-put --timeout 3s -i x "$q" hello
	matches "$stderr" "^dq-put: $q: TLS: decryption failed or bad record mac: 0 accepted, 0 refused, 1 unknown, 0 not sent"
	holds 0 2 0 0
}

accepts_or_ended() { # PID
	grep -q ACCEPT "$T/shown" || ended "$1"
}

@test "a server that asks for a renegotiation and is refused: 75, unknown" {
	mkfifo "$T/keys"
	local fd putter renegotiator _
	for _ in {1..20}; do # another test may take the port first
		port=$(free_port)
		openssl s_server -accept "127.0.0.1:$port" -tls1_2 -cert "$C/server.crt" -key "$C/server.key" <"$T/keys" >"$T/shown" 2>&1 \
			3>&- &
		renegotiator=$!
		exec {fd}>"$T/keys"
		wait_until 20 accepts_or_ended "$renegotiator"
		! grep -q ACCEPT "$T/shown" || break
		exec {fd}>&-
	done
	DQ_URL=rediss://localhost:$port dq-put --timeout 5s "$q" x >"$T/out" 2>"$T/err" 3>&- &
	putter=$!
	wait_until 10 grep -qa EVALSHA "$T/shown" # the put is on its way
	echo R >&"$fd"
	exits 75 "$putter"
	exec {fd}>&-
	matches "$(cat "$T/err")" ' 0 accepted, 0 refused, 1 unknown, 0 not sent'
}

@test "waits over TLS: a due message arrives in time, the server ends and returns" {
	start_tls away server
	local taker
	export DQ_URL=rediss://localhost:$port SERVER=away
	env --default-signal=TERM dq-take -f "$q" >"$T/out" 2>"$T/err" 3>&- &
	taker=$!
	dq-put -q -d 300ms "$q" one
	wait_until 10 has_lines "$T/out" 1
	grep -qE 'libssl' "/proc/$taker/maps"
	stop_server away KILL
	wait_until 10 grep -q 'connecting again$' "$T/err"
	start_server away --tls-port "$port" --tls-cert-file "$C/server.crt" --tls-key-file "$C/server.key" --bind 127.0.0.1 \
		--tls-ca-cert-file "$C/ca.crt" --tls-auth-clients no
	wait_until 10 grep -q 'connected again$' "$T/err"
	dq-put -q "$q" two
	wait_until 10 has_lines "$T/out" 2
	kill "$taker"
	exits 143 "$taker"
}

@test "a delay of an hour over TLS is as exact as without: due to the millisecond, and not one early" {
	local url before due receipt
	for url in "$DQ_URL" "unix://$T/secure/s"; do
		before=$(server_ms)
		dq-put -q -u "$url" -i x -d 1h "$q" hello
		due=$(score delayed x)
		between $((before + 3600000)) "${due%.*}" $(($(server_ms) + 3600000))
		run -1 dq-take -q -u "$url" "$q"
		later $((${due%.*} - $(server_ms) - 300))
		due=$(score delayed x)
		receipt=$(dq-take -u "$url" -w 20s "$q" | cut -f1)
		between "${due%.*}" $((${receipt##*@} / 1000)) $((${due%.*} + 5000))
		dq-ack -u "$url" "$receipt"
	done
}

@test "a tool with a plain URL does not load OpenSSL" {
	DQ_URL=unix://$T/secure/s dq-take -f "$q" >"$T/out" 2>&1 3>&- &
	local taker=$!
	waits() { rcli CLIENT LIST | grep -q 'cmd=bzpopmin'; }
	wait_until 10 waits
	run ! grep -qE 'libssl|libcrypto' "/proc/$taker/maps"
	kill "$taker"
}

@test "without the TLS library, or with one of another version: 78, and the error names it" {
	mkdir "$T/bin"
	cp "$DQ_BIN/dq-put" "$T/bin"
	run -78 --separate-stderr "$T/bin/dq-put" "$q" x
	matches "$stderr" "^dq-put: rediss://localhost:$port/0: TLS: its library of version [^ ]* cannot be loaded: .*/dq/tls.so"
	cp "$DQ_BIN/shift.so" "$T/bin/tls.so"
	run -78 "$T/bin/dq-put" "$q" x
	cp "$DQ_BIN/tls.so" "$T/bin/tls.so"
	equal "$("$T/bin/dq-put" -i x "$q" hello)" "$q/x"
	mkdir -p "$T/lib/dq" # as make install puts it
	mv "$T/bin/tls.so" "$T/lib/dq"
	equal "$("$T/bin/dq-put" -i y "$q" hello)" "$q/y"
}
