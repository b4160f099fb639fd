# Goal: systemd accepts the installed units, which have few rights. No unit is started.
# once: stand-ins are there for the tools
# bats file_tags=once

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
	for tool in dq-gc dq-promote dq-run; do
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
	run -0 --separate-stderr systemd-analyze verify --man=no ./dq-promote.service ./dq-gc.service ./dq-gc.timer ./dq-run@orders.service
	[ "$output$stderr" = '' ]
}

@test "systemd warns of a wrong line" {
	sed -i 's/^ProtectHome=.*/ProtectHome=perhaps/' dq-gc.service
	run systemd-analyze verify --man=no ./dq-gc.service
	[[ $output == *perhaps* ]]
}

# 77 and 78 end a worker whose server was given another password, or an expired certificate; once that is mended, a start is enough.
@test "a refused password or certificate keeps no unit from its next start; a wrong option does" {
	local unit line
	for unit in dq-promote.service dq-run@.service; do
		line=$(sed -n 's/^RestartPreventExitStatus=//p' "./$unit")
		[[ " $line " == *' USAGE '* ]]
		[[ ! " $line " =~ \ (NOPERM|CONFIG|77|78)\  ]]
		grep -qx 'Restart=on-failure' "./$unit"
	done
}

# 0 is best, 10 worst; a unit without any of these lines has 9.6.
@test "the exposure of the units, by systemd-analyze security: at most 1.6 of 10" {
	local unit
	for unit in dq-promote.service dq-gc.service dq-run@.service; do
		run -0 systemd-analyze security --offline=true --threshold=16 --no-pager "./$unit"
	done
	sed -i '/^Protect/d' dq-promote.service
	run -1 systemd-analyze security --offline=true --threshold=16 --no-pager ./dq-promote.service
}

# The manuals name what the units read.
@test "dq-recipes(7) has the units, and their files and variables" {
	local name
	cd "$BATS_TEST_DIRNAME/../.." || return
	for name in share/systemd/*.service share/systemd/*.timer; do
		name=${name##*/}
		name=${name/@/@QUEUE}
		[ "$name" = dq-gc.service ] || grep -qxF ".It Li $name" man/dq-recipes.7
	done
	# shellcheck disable=SC2016
	sed -nE 's/^Environment=([A-Z_]+)=.*/\1/p; s/^ExecStart=.* -- \$([A-Z_]+)$/\1/p' share/systemd/*.service |
		sort -u >"$BATS_TEST_TMPDIR/names"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -eq 4 ]
	while read -r name; do
		grep -q "^$name=" man/dq-recipes.7
	done <"$BATS_TEST_TMPDIR/names"
	sed -nE 's/^EnvironmentFile=-?//p' share/systemd/*.service | sed 's/%i/orders/' | sort -u >"$BATS_TEST_TMPDIR/files"
	while read -r name; do
		grep -qxF "# $name" man/dq-recipes.7
	done <"$BATS_TEST_TMPDIR/files"
}
