# Goal: make builds for another machine, the same in any folder, with the flags that its caller gives.

bats_require_minimum_version 1.5.0

# They share one build directory.
export BATS_NO_PARALLELIZE_WITHIN_FILE=true

# Without the flags of the user who runs the tests.
setup() {
	unset CC AR CFLAGS CPPFLAGS LDFLAGS LDLIBS HOSTCC HOSTCFLAGS SAN MAKEFLAGS MAKELEVEL MFLAGS
	cd "$BATS_TEST_DIRNAME/../.." || return
	B=$BATS_TEST_TMPDIR/build
}

# The compiler makes programs for a machine that this one cannot run.
cross() {
	make -s BUILD="$B" CFLAGS=-O0 CC="$PWD/test/tool/stub/cross_cc" "$@"
}

@test "a cross compiler makes the objects, HOSTCC what runs while building" {
	cross "$B/scripts/put.lua.o" "$B/unit/test_ulid.o"
	[ "$("$B/embed" -x lua/ack.lua)" = "$("${DQ_BIN:-build}/embed" -x lua/ack.lua)" ]
	rm -r "$B"
	run cross "$B/scripts/put.lua.o" HOSTCC="$PWD/test/tool/stub/cross_cc"
	[ "$status" -eq 2 ]
}

@test "make expanded removes a script that is no longer in lua/" {
	mkdir -p "$B/lua"
	echo old >"$B/lua/old.lua"
	make -s BUILD="$B" expanded
	[ "$(cd "$B" && echo lua/*)" = "$(echo lua/*.lua)" ]
}

# The level that a source file sees with these variables, without any warning; empty: none.
level() { # VARIABLE=VALUE...
	local flags
	make -s BUILD="$B" "$@" "$B/flags"
	flags=$(sed 's/ | .*//' "$B/flags")
	eval "$flags -Werror -dM -E -include stdio.h -xc /dev/null" | sed -n 's/#define _FORTIFY_SOURCE //p'
}

@test "_FORTIFY_SOURCE: 2 where code is optimized, unless you or the compiler set another; never a warning" {
	local cc="$BATS_TEST_TMPDIR/distribution" own
	own=$(cc -O2 -dM -E -xc /dev/null | sed -n 's/#define _FORTIFY_SOURCE //p')
	[ "$(level)" = "${own:-2}" ]
	[ "$(level CFLAGS=-Og)" = "${own:-2}" ]
	[ "$(level CFLAGS=-O0)" = '' ]
	[ "$(level CFLAGS=-g)" = '' ]
	[ "$(level CFLAGS='-O2 -D_FORTIFY_SOURCE=1')" = 1 ]
	[ "$(level CFLAGS='-O2 -Wp,-D_FORTIFY_SOURCE=1')" = 1 ]
	[ "$(level CPPFLAGS=-D_FORTIFY_SOURCE=1)" = 1 ]
	[ "$(level CFLAGS='-O2 -U_FORTIFY_SOURCE')" = '' ]
	printf '#!/bin/sh\nexec cc -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=1 "$@"\n' >"$cc"
	chmod +x "$cc"
	[ "$(level CC="$cc")" = 1 ]
	[ "$(level CC="$cc" CFLAGS='-O2 -D_FORTIFY_SOURCE=2')" = 2 ]
}

@test "embed leaves out the functions that a script does not use, and no more, whatever stands behind their ends" {
	mkdir "$BATS_TEST_TMPDIR/lua"
	cat >"$BATS_TEST_TMPDIR/lua/try.lua" <<-'EOF'
		#!lua
		local function unused() return 1 end -- one line
		local function used(x) return x .. '-- end' end -- one line, too
		local function unused_text() return '-- no comment' end
		local function unused_long(x)
		  local function of_unused() return x end -- one line
		  return of_unused
		end -- of the unused one
		local function caller(x)
		  local function unused_inner() return x end -- one line
		  return used(x)
		end -- of several lines
		return caller('a')
	EOF
	run -0 "${DQ_BIN:-build}/embed" -x "$BATS_TEST_TMPDIR/lua/try.lua"
	[ "$output" = "$(grep -v unused "$BATS_TEST_TMPDIR/lua/try.lua")" ]
}

# The tools, of those named, that hold the script's digest.
holders() { # SCRIPT TOOL...
	local sha tool
	sha=$("$DQ_BIN/embed" -x "lua/$1.lua" | sha1sum | cut -d ' ' -f 1)
	for tool in "${@:2}"; do
		! grep -qF "$sha" "$DQ_BIN/dq-$tool" || printf ' %s' "$tool"
	done
}

@test "a tool contains the scripts that it calls, and no others" {
	local script tools found bad=0
	DQ_BIN=${DQ_BIN:-build}
	while read -r script tools; do
		found=$(holders "$script" ack gc promote put rm run set stat take)
		[ "$found" = " $tools" ] || {
			echo "$script: in$found, not $tools"
			bad=1
		}
	done <<-'EOF'
		ack ack run take
		audit gc
		bury ack run take
		extend ack run
		gc gc
		promote_now promote
		promote promote
		put put
		redrive promote
		release promote
		retry ack run
		rm gc rm
		set set
		take run take
	EOF
	[ "$bad" -eq 0 ]
}

@test "a static link, with hiredis named by CPPFLAGS and LDLIBS alone" {
	local hiredis
	hiredis=$(cc -print-file-name=libhiredis.a)
	[[ $hiredis == /* ]] || skip 'no libhiredis.a'
	make -s -j2 BUILD="$B" CFLAGS=-O0 PKG_CONFIG=true CPPFLAGS='-isystem /usr/include/hiredis' LDLIBS="$hiredis" \
		STATIC=1 "$B/dq-ack" 2>/dev/null
	run -0 readelf -dW "$B/dq-ack"
	[[ $output == *'no dynamic section'* ]]
	[ "$("$B/dq-ack" --version | sed -n 1p)" = "dq-ack (dq) $(cat VERSION)" ]
	[[ "$("$B/dq-ack" --version)" = *', without TLS' ]]
	run -2 make -s BUILD="$B" STATIC=1 TLS=yes
	[[ $output == *'TLS=yes: a static build has none: it loads no libraries'* ]]
}

# In one folder for all tests, so that all is compiled once.
without_tls() { # ARG...
	make -s -j2 BUILD="$B" CFLAGS='-O0 -g' TLS=no "$@"
}

@test "the same bytes in any folder" {
	local name dir=$BATS_TEST_TMPDIR/another/place other
	other=$dir-build # it begins with the path of the sources
	mkdir -p "$dir"
	cp -r Makefile VERSION cmd common embed lua "$dir"
	B=$BATS_FILE_TMPDIR/without
	without_tls all
	B=$other without_tls -C "$dir" all
	for name in libdq.a scripts/put.lua.c $(cd cmd && printf '%s\n' *); do
		cmp "$B/$name" "$other/$name"
	done
	run ! grep -qF "$BATS_TEST_TMPDIR" "$other/libdq.a" "$other/dq-put"
	# What TLS=no left out.
	B=$BATS_TEST_TMPDIR/tls other=$dir-tls
	mkdir "$B" "$other"
	make -s BUILD="$B" CFLAGS='-O0 -g' "$B/common/tool/opt.o" "$B/common/redis/tls.o" "$B/tls.so"
	make -s -C "$dir" BUILD="$other" CFLAGS='-O0 -g' "$other/common/tool/opt.o" "$other/common/redis/tls.o" "$other/tls.so"
	for name in common/tool/opt.o common/redis/tls.o tls.so; do
		cmp "$B/$name" "$other/$name"
	done
}

# Objects do not depend on which hiredis is linked: with -o flags they are not compiled again.
link_again() { # ARG...
	rm "$B/dq-ack"
	without_tls -o "$B/flags" "$@" "$B/dq-ack"
	run -0 readelf -dW "$B/dq-ack"
}

@test "hiredis: its archive where there is one, its library with HIREDIS=shared and where pkg-config names another folder" {
	local none=$BATS_TEST_TMPDIR/none
	B=$BATS_FILE_TMPDIR/without
	without_tls "$B/dq-ack"
	run -0 readelf -dW "$B/dq-ack"
	[[ $(cc -print-file-name=libhiredis.a) != /* ]] || [[ $output != *libhiredis* ]]
	link_again HIREDIS=shared
	[[ $output == *'Shared library: [libhiredis.so'* ]]
	mkdir "$none"
	# shellcheck disable=SC2016  # for pkg-config
	printf 'Name: hiredis\nDescription: x\nVersion: 1\nlibdir=%s\nLibs: -L${libdir} -lhiredis\nCflags: %s\n' "$none" \
		"$(pkg-config --cflags hiredis)" >"$none/hiredis.pc"
	PKG_CONFIG_PATH=$none link_again
	[[ $output == *'Shared library: [libhiredis.so'* ]]
}

@test "checks in a chroot name what they need" {
	printf '#!/bin/sh\necho 1000\n' >"$BATS_TEST_TMPDIR/id"
	chmod +x "$BATS_TEST_TMPDIR/id"
	PATH=$BATS_TEST_TMPDIR:$PATH run -69 test/by_hand/chroot bookworm -- true
	[ "$output" = 'chroot: this needs root' ]
	run -64 test/by_hand/chroot bookworm
	run -64 test/by_hand/portable no-such-line
	mkdir "$B"
	PATH=$BATS_TEST_TMPDIR:$PATH BUILD=$B run -69 test/by_hand/portable m32
	[ "${lines[0]}" = 'chroot: this needs root' ]
	[[ ${lines[1]} == 'm32 '*' failed '*'not run'* ]]
}

@test "without TLS: a TLS URL is refused with what to do, and --version says so" {
	B=$BATS_FILE_TMPDIR/without
	without_tls all
	[ ! -e "$B/tls.so" ]
	[[ "$("$B/dq-put" --version)" = *', without TLS' ]]
	run -78 "$B/dq-put" -u "rediss://localhost:1" q x
	[[ $output == *': TLS is not built in; a tunnel by socat or stunnel gives a unix socket (dq-recipes(7), TLS)'* ]]
	sed -n '/^\.Sh TLS$/,/^\.Sh [^T]/p' man/dq-recipes.7 | grep -q '^socat UNIX-LISTEN:'
	run -69 "$B/dq-put" -u "redis://localhost:1" q x
}
