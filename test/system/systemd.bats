# Goal: systemd accepts the installed units, which have few rights. No unit is started.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export units=$BATS_FILE_TMPDIR/units
	command -v systemd-analyze >/dev/null || return 0
	# systemd looks whether the commands are there.
	mkdir "$units" "$BATS_FILE_TMPDIR/bin"
	for unit in share/systemd/*; do
		sed "s|/usr/local/bin|$BATS_FILE_TMPDIR/bin|g" "$unit" >"$units/${unit##*/}"
	done
	for tool in dq-gc dq-promote dq-run dq-stat; do
		printf '#!/bin/sh\n' >"$BATS_FILE_TMPDIR/bin/$tool"
		chmod +x "$BATS_FILE_TMPDIR/bin/$tool"
	done
}

setup() {
	command -v systemd-analyze >/dev/null || [ "${CI:-}" = true ] || skip 'systemd-analyze not found: make test-deps'
	export SYSTEMD_UNIT_PATH=$units:
	cd "$units" || return
}

@test "systemd accepts the units without a warning" {
	run -0 --separate-stderr systemd-analyze verify --man=no ./dq-promote.service ./dq-gc.service ./dq-gc.timer \
		./dq-metrics.service ./dq-metrics.timer ./dq-run@orders.service
	echo "$output$stderr" # shown if it is not empty
	[ "$output$stderr" = '' ]
}

@test "systemd warns of a wrong line" {
	sed -i 's/^ProtectHome=.*/ProtectHome=perhaps/' dq-gc.service
	run systemd-analyze verify --man=no ./dq-gc.service
	[[ $output == *perhaps* ]]
}

# 77 and 78 end a worker whose server was given another password, or an expired certificate; 126 and 127 one whose command is missing.
# Once that is mended, a start is enough.
@test "a refused password or certificate, or a missing command, keeps no unit from its next start; a wrong option does" {
	local unit line
	for unit in dq-promote.service dq-run@.service; do
		line=$(sed -n 's/^RestartPreventExitStatus=//p' "./$unit")
		[[ " $line " == *' USAGE '* ]]
		[[ ! " $line " =~ \ (NOPERM|CONFIG|77|78|126|127)\  ]]
		grep -qx 'Restart=on-failure' "./$unit"
	done
}

# redis and valkey are their names on Fedora and Arch. A day is missed, too, if nothing tries again after a boot.
@test "the units begin after Redis, by each of its names, and the daily one waits for it" {
	local unit name after
	for unit in ./*.service; do
		after=$(sed -n 's/^After=//p' "$unit")
		for name in redis-server redis valkey-server valkey; do
			[[ " $after " == *" $name.service "* ]]
		done
	done
	grep -qE '^Environment=DQ_RETRY_FOR=[0-9]+m$' ./dq-gc.service
	if grep -q '^Persistent' ./dq-metrics.timer; then false; fi
}

# 0 is best, 10 worst; a unit without any of these lines has 9.6.
@test "the exposure of the units, by systemd-analyze security: at most 1.6 of 10, as root 1.7, with commands 1.9" {
	local unit
	for unit in dq-promote.service dq-gc.service; do
		run -0 systemd-analyze security --offline=true --threshold=16 --no-pager "./$unit"
	done
	run -0 systemd-analyze security --offline=true --threshold=17 --no-pager ./dq-metrics.service
	run -0 systemd-analyze security --offline=true --threshold=19 --no-pager ./dq-run@.service
	sed -i '/^Protect/d' dq-promote.service
	run -1 systemd-analyze security --offline=true --threshold=16 --no-pager ./dq-promote.service
}

# The kernel kills one command, a program of 32 bits runs, a pipe whose reader has ended ends its writer, files are readable as in a shell,
# a program finds its home, and -j 1000 has descriptors.
@test "commands of dq-run are no worse off than in a shell" {
	local line
	for line in OOMPolicy=continue IgnoreSIGPIPE=no 'Environment=HOME=%S/dq-run/%i' 'LimitNOFILE=4096:524288'; do
		grep -qxF "$line" ./dq-run@.service
	done
	run ! grep -E '^(SystemCallArchitectures|UMask|MemoryDenyWriteExecute)=' ./dq-run@.service
}

@test "systemd accepts each drop-in of dq-recipes(7) without a warning" {
	local file n=0
	sed -n '/^\.Bd/,/^\.Ed/p' "$BATS_TEST_DIRNAME/../../man/dq-recipes.7" |
		awk -v dir="$BATS_TEST_TMPDIR" '/^\.Bd/ { file = dir "/" ++n; next } /^\.Ed/ { close(file); next } { print >file }'
	mkdir dq-run@drop.service.d
	for file in "$BATS_TEST_TMPDIR"/*; do
		[ "$(sed -n 1p "$file")" = '[Service]' ] || continue
		cp "$file" dq-run@drop.service.d/override.conf
		run -0 --separate-stderr systemd-analyze verify --man=no ./dq-run@drop.service
		[ "$output$stderr" = '' ]
		n=$((n + 1))
	done
	[ "$n" -eq 4 ]
}

# The manuals name what the units read.
@test "dq-recipes(7) has the units, and their files and variables" {
	local name
	cd "$BATS_TEST_DIRNAME/../.." || return
	for name in share/systemd/*.service share/systemd/*.timer; do
		name=${name##*/}
		name=${name/@/@QUEUE}
		[[ $name == dq-@(gc|metrics).service ]] || grep -qxF ".It Li $name" man/dq-recipes.7
	done
	# shellcheck disable=SC2016
	sed -nE 's/^Environment=(DQ_[A-Z_]+)=.*/\1/p; s/^ExecStart=.* -- \$([A-Z_]+)$/\1/p' share/systemd/*.service |
		sort -u | grep -vx DQ_RETRY_FOR >"$BATS_TEST_TMPDIR/names" # of dq(7)
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -eq 6 ]
	while read -r name; do
		grep -q "^$name=" man/dq-recipes.7
	done <"$BATS_TEST_TMPDIR/names"
	sed -nE 's/^EnvironmentFile=-?//p' share/systemd/*.service | sed 's/%i/orders/' | sort -u >"$BATS_TEST_TMPDIR/files"
	while read -r name; do
		grep -qxF "# $name" man/dq-recipes.7
	done <"$BATS_TEST_TMPDIR/files"
}
