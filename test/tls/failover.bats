# Goal: With several hosts, or with Sentinels, each connection uses TLS, and each certificate is checked for its own name.

bats_require_minimum_version 1.5.0

load ../helper
load ../failover/failover

setup_file() {
	begin_file
	make_certs
	start_tls secure server
	echo "$port" >"$F/secure-port"
	start_tls wrong other
	echo "$port" >"$F/wrong-port"
}

setup() {
	begin_test
	C=$T/certs
	secure=$(<"$F/secure-port") wrong=$(<"$F/wrong-port")
	export DQ_CACERT=$C/ca.crt SERVER=secure
}

@test "several hosts: a host with the certificate of another is skipped" {
	DQ_URL=rediss://localhost:$wrong,localhost:$secure run -0 --separate-stderr dq-put "$q" x
	equal "$stderr" ''
	holds 0 1 0 0
	local mismatch="TLS: the server's certificate: (hostname|IP address) mismatch .only the names in its subjectAltName count."
	DQ_URL=rediss://localhost:$wrong,127.0.0.1:$wrong fails 78 \
		"^no master among localhost:$wrong \($mismatch\), 127\.0\.0\.1:$wrong \($mismatch\)$" \
		dq-put "$q" x
	DQ_CACERT=$T/none.pem DQ_URL=rediss://localhost:$wrong,localhost:$secure fails 78 'none\.pem' dq-put "$q" x
	SERVER=wrong holds 0 0 0 0
}

# Sentinels that speak TLS, on $port.
start_tls_sentinel() { # NAME CERTIFICATE MASTER-PORT
	local line=(tls-cert-file "$C/$2.crt" tls-key-file "$C/$2.key" tls-ca-cert-file "$C/ca.crt" tls-auth-clients no \
		tls-replication yes) lines=() i
	for ((i = 0; i < ${#line[@]}; i += 2)); do
		lines+=("${line[i]} ${line[i + 1]}")
	done
	for _ in {1..20}; do # another test may take the port first
		secure_port=$(free_port)
		! start_sentinel "$1" "$3" "tls-port $secure_port" "${lines[@]}" || break
	done
	port=$secure_port
}

@test "Sentinels: they and the master that they name are both checked" {
	start_tls_sentinel sentinel server "$secure"
	local good=$port
	start_tls_sentinel other other "$secure"
	local bad=$port
	start_tls_sentinel leads server "$wrong"
	local leads=$port
	DQ_URL=rediss+sentinel://localhost:$bad,localhost:$good/m run -0 --separate-stderr dq-put "$q" x
	equal "$stderr" ''
	holds 0 1 0 0
	DQ_URL=rediss+sentinel://localhost:$bad/m fails 78 "^no Sentinel names the master m: localhost:$bad \(TLS: .* mismatch .*\)$" \
		dq-put "$q" x
	DQ_URL=rediss+sentinel://localhost:$leads/m fails 78 \
		"^no master m: 127\.0\.0\.1:$wrong, says Sentinel localhost:$leads \(TLS: .*IP address mismatch .*\)$" dq-put "$q" x
	SERVER=wrong holds 0 0 0 0
}
