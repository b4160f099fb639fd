# Goal: make install puts every file in its place, and uninstall removes them all; here in a folder of the test.

bats_require_minimum_version 1.5.0

# They share one build directory.
export BATS_NO_PARALLELIZE_WITHIN_FILE=true

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	DQ_BIN=${DQ_BIN:-$PWD/build}
	root=$BATS_TEST_TMPDIR/root
	share=$root/usr/share
	mapfile -t tools < <(find cmd -name 'dq-*.c' -exec basename {} .c \; | sort)
	[ ${#tools[@]} -gt 0 ] || skip 'no tools'
}

# PREFIX is said here, so that it holds whatever make check was called with.
into_root() {
	make -s BUILD="${DQ_BIN#"$PWD/"}" PREFIX=/usr DESTDIR="$root" BINDIR=/usr/bin MANDIR=/usr/share/man \
		ZSHDIR=/usr/share/zsh/site-functions UNITDIR=/usr/lib/systemd/system "$@" >/dev/null
}

@test "install puts everything in its place" {
	local tool page script unit
	into_root install
	for tool in "${tools[@]}"; do
		[ "$("$root/usr/bin/$tool" --version | sed -n 1p)" = "$tool (dq) $(cat VERSION)" ]
		cmp completions/dq.bash "$share/bash-completion/completions/$tool"
		cmp completions/dq.fish "$share/fish/vendor_completions.d/$tool.fish"
	done
	cmp completions/_dq "$share/zsh/site-functions/_dq_tools"
	for unit in share/systemd/*; do
		sed "s|/usr/local/|/usr/|g" "$unit" | cmp - "$root/usr/lib/systemd/system/${unit##*/}"
	done
	for page in man/*.[1-9]; do
		[ -e "$page" ] || continue
		sed "s|/usr/local/|/usr/|g; s|^\.Os dq\$|.Os dq $(cat VERSION)|" "$page" |
			cmp - "$share/man/man${page##*.}/$(basename "$page")"
	done
	for script in lua/*.lua; do
		[ -e "$script" ] || continue
		"$DQ_BIN/embed" -x "$script" | cmp - "$share/dq/$script"
	done
	cmp share/grafana.json "$share/dq/grafana.json"
	sed "s|/usr/local/|/usr/|g" share/alerts.yml | cmp - "$share/dq/alerts.yml"
	cmp share/spool "$share/dq/spool"
	[ -x "$share/dq/spool" ]
	if [ -e "$DQ_BIN/tls.so" ]; then cmp "$DQ_BIN/tls.so" "$root/usr/lib/dq/tls.so"; fi
	[ -z "$(find "$root" -type f ! -perm -444)" ]
	[ -z "$(find "$root" -xtype l)" ]
}

@test "installed manuals name the paths that are installed, and the version" {
	local path page
	command -v mandoc >/dev/null || [ "${CI:-}" = true ] || skip 'mandoc not found: make test-deps'
	make -s BUILD="${DQ_BIN#"$PWD/"}" PREFIX=/opt/dq DESTDIR="$root" BINDIR=/opt/dq/sbin MANDIR=/opt/dq/man install >/dev/null
	run ! grep -r /usr/local "$root"/opt/dq/man
	grep -rhoE '/opt/dq/[a-z/.-]*[a-z]' "$root"/opt/dq/man | sort -u >"$BATS_TEST_TMPDIR/paths"
	grep -qx /opt/dq/sbin/dq-promote "$BATS_TEST_TMPDIR/paths"
	grep -qx /opt/dq/share/dq/lua/put.lua "$BATS_TEST_TMPDIR/paths"
	while IFS= read -r path; do
		[ -e "$root$path" ]
	done <"$BATS_TEST_TMPDIR/paths"
	for page in "$root"/opt/dq/man/man*/*; do
		mandoc -Tascii "$page" | sed 's/.\x08//g' | tail -1 |
			grep -qE "^dq $(cat VERSION) +[A-Z][a-z]+ [0-9]+, [0-9]+ +dq $(cat VERSION)\$"
	done
}

@test "installed scripts have the digests that the tools call" {
	local script
	into_root install
	for script in "$share"/dq/lua/*.lua; do
		grep -qF "\"$(sha1sum "$script" | cut -d' ' -f1)\"" "$DQ_BIN/scripts/${script##*/}.c"
	done
}

@test "installed manuals can be read" {
	local page
	command -v mandoc >/dev/null || [ "${CI:-}" = true ] || skip 'mandoc not found: make test-deps'
	compgen -G 'man/*.[1-9]' >/dev/null || skip 'no manuals'
	into_root install
	for page in "$share"/man/man*/*; do
		[ "$(mandoc -Tascii "$page" | sed 's/.\x08//g' | grep -cx NAME)" = 1 ]
	done
}

@test "install twice, then uninstall: the folder is as before" {
	mkdir -p "$root/usr/bin" "$share/dq"
	echo theirs >"$root/usr/bin/other"
	into_root install
	into_root install
	into_root uninstall
	[ "$(find "$root" ! -type d)" = "$root/usr/bin/other" ]
	[ ! -e "$share/dq" ]
}

# Debian has another tool of that name: its command, its page and its completions are not ours.
@test "nothing is installed under the name of another dq" {
	into_root install
	[ "$(find "$root" -name 'dq' -o -name 'dq.[!7]*' -o -name '_dq' | sed "s|^$root||" | sort | paste -sd' ')" = \
		'/usr/lib/dq /usr/share/dq' ]
}

# Where pkg-config says so, below our PREFIX; units only where there is systemd.
@test "completions and units are installed in the folders of the shells and systemd" {
	local stub=$PWD/test/tool/stub/pkg_config args=(BUILD="${DQ_BIN#"$PWD/"}" DESTDIR="$root" PREFIX=/opt)
	NO_SYSTEMD=0 make -s "${args[@]}" PKG_CONFIG="$stub" install >/dev/null
	[ -r "$root/opt/else/where/dq-put" ]
	[ -r "$root/opt/else/where/dq-put.fish" ]
	[ -r "$root/opt/lib/systemd/system/dq-run@.service" ]
	NO_SYSTEMD=0 make -s "${args[@]}" PKG_CONFIG="$stub" uninstall
	[ -z "$(find "$root" ! -type d)" ]
	make -s "${args[@]}" BASHDIR=/b ZSHDIR=/z FISHDIR=/f UNITDIR= install >/dev/null
	[ -r "$root/b/dq-put" ]
	[ -r "$root/z/_dq_tools" ]
	[ -r "$root/f/dq-put.fish" ]
	[ -z "$(find "$root" -name '*.service')" ]
}

# Debian 13 has systemd.pc in a package that a machine with systemd need not have.
@test "the Debian package has units, whether or not pkg-config knows systemd" {
	mkdir "$BATS_TEST_TMPDIR/stub"
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/stub/pkg-config"
	chmod +x "$BATS_TEST_TMPDIR/stub/pkg-config"
	PATH=$BATS_TEST_TMPDIR/stub:$PATH run -0 make -n -f share/debian/rules override_dh_auto_install
	[[ $output == *' UNITDIR=/usr/lib/systemd/system' ]]
	printf '#!/bin/sh\necho /lib/there\n' >"$BATS_TEST_TMPDIR/stub/pkg-config"
	PATH=$BATS_TEST_TMPDIR/stub:$PATH run -0 make -n -f share/debian/rules override_dh_auto_install
	[[ $output == *' UNITDIR=/lib/there' ]]
}

@test "make without hiredis says what to install; deps, help and clean work" {
	local empty=$BATS_TEST_TMPDIR/build
	run make BUILD="$empty" PKG_CONFIG=false
	[ "$status" -ne 0 ]
	[[ $output == *'hiredis not found: sudo apt-get install libhiredis-dev (make deps installs it)'* ]]
	[ "${#lines[@]}" -eq 1 ]
	make -s BUILD="$empty" PKG_CONFIG=false help clean
	make -n BUILD="$empty" PKG_CONFIG=false deps
}

# What the linker and the compiler should have done to a program, and did not.
soft() { # PROGRAM
	local elf
	elf=$(LC_ALL=C readelf -Whld --dyn-syms "$1")
	grep -qE 'Type: +DYN \(Position-Independent' <<<"$elf" || echo 'no PIE'
	grep -q GNU_RELRO <<<"$elf" || echo 'no RELRO'
	grep -qE 'BIND_NOW|FLAGS_1.* NOW' <<<"$elf" || echo 'lazy binding: RELRO is not full'
	grep -qE 'GNU_STACK.* RW ' <<<"$elf" || echo 'a stack that can be executed'
	grep -q __stack_chk_fail <<<"$elf" || echo 'no stack protector'
	grep -qE ' __(read|memcpy|snprintf|vsnprintf|fprintf|poll)_chk' <<<"$elf" || echo 'not fortified'
}

@test "tools are hardened" {
	local tool
	for tool in "$DQ_BIN"/dq-*; do
		[ ! -x "$tool" ] || [ "$(soft "$tool")" = '' ] || {
			echo "$tool: $(soft "$tool")"
			return 1
		}
	done
	echo 'int main(void) { return 0; }' >"$BATS_TEST_TMPDIR/soft.c"
	"${CC:-cc}" -no-pie -fno-stack-protector -Wl,-z,norelro,-z,lazy,-z,execstack -o "$BATS_TEST_TMPDIR/soft" "$BATS_TEST_TMPDIR/soft.c"
	[ "$(soft "$BATS_TEST_TMPDIR/soft" | wc -l)" -eq 6 ]
}

# As a user who may not install anything sees it: what is missing, on a machine that has nothing.
missing() { # [--test]
	local stub=$BATS_TEST_TMPDIR/stub
	mkdir -p "$stub"
	printf '#!/bin/sh\necho 1000\n' >"$stub/id"
	printf '#!/bin/sh\nexit 1\n' | tee "$stub/sudo" "$stub/apt-get" "$stub/dpkg-query" >/dev/null
	chmod +x "$stub"/*
	PATH=$stub:$PATH run -1 test/by_hand/deps "$@"
	[[ $output == 'deps: as root, run: apt-get update && apt-get install -y --no-install-recommends '* ]] || return
	packages=" ${output##*recommends } "
}

@test "deps installs no more than building and the demo need; test-deps the rest; no package is of one Debian release" {
	local package
	missing
	for package in gcc make libhiredis-dev redis-server redis-tools; do
		[[ $packages == *" $package "* ]]
	done
	for package in clang valgrind zsh fish bats debhelper; do
		[[ $packages != *" $package "* ]]
	done
	missing --test
	for package in gcc redis-server clang libclang-rt-dev valgrind zsh fish bats debhelper; do
		[[ $packages == *" $package "* ]]
	done
	[[ ! $packages =~ -[0-9]+(-dev)?' ' ]]
}
