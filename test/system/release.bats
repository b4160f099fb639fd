# Goal: A tarball has the sources of a commit, always the same bytes, and builds without git. make release refuses parts that disagree.

bats_require_minimum_version 1.5.0

version=9.8.7

need() {
	command -v "$1" >/dev/null || [ "${CI:-}" = true ] || skip "$1 not found: make test-deps"
}

# A repository of this tree, in which a release could be made.
setup_file() {
	command -v git >/dev/null || return 0
	cd "$BATS_TEST_DIRNAME/../.." || return
	mkdir "$BATS_FILE_TMPDIR/repository"
	tar -c --exclude='./build*' --exclude=./.git . | tar -C "$BATS_FILE_TMPDIR/repository" -x
	cd "$BATS_FILE_TMPDIR/repository" || return
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=dq GIT_AUTHOR_EMAIL=dq@localhost
	export GIT_COMMITTER_NAME=dq GIT_COMMITTER_EMAIL=dq@localhost
	export GIT_AUTHOR_DATE=2026-01-12T00:00:00Z GIT_COMMITTER_DATE=2026-01-12T00:00:00Z
	git init -q
	printf 'build/\n' >.gitignore
	echo $version >VERSION
	sed -i "0,/^## .*/s//## $version (2026-01-12)/" NEWS.md
	sed -i 's/^\.Dd .*/.Dd January 12, 2026/' man/*.[1-9]
	sed -i "1s/.*/dq-tools ($version-1) unstable; urgency=medium/" share/debian/changelog
	commit
	git tag "v$version"
}

# Each test has a copy.
setup() {
	need git
	unset BUILD DESTDIR PREFIX MAKEFLAGS MAKELEVEL MFLAGS
	cp -a "$BATS_FILE_TMPDIR/repository" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR/repository" || return
}

# What is new goes into one pack, in place of a file for each object, which each test would copy.
commit() {
	git -c core.bigFileThreshold=1 add -A
	git commit -qm "${1:-release}"
}

@test "a release that agrees is not refused" {
	run -0 test/by_hand/release
	[ "$output" = '' ]
}

refuses() { # TEXT...: a line for each, and no other
	run -1 test/by_hand/release
	[ "${#lines[@]}" -eq $# ] || {
		echo "$output"
		return 1
	}
	for text; do
		[[ $output == *"$text"* ]] || {
			echo "not said: $text; but: $output"
			return 1
		}
	done
}

@test "refused: a tree with changes, or with unknown files" {
	echo >>README.md
	refuses 'has changes that are not committed'
	git checkout -q README.md
	echo x >unknown
	refuses 'has changes that are not committed'
}

@test "refused: no tag, or one of another commit" {
	git tag -d "v$version" >/dev/null
	refuses "no tag v$version"
	git tag "v$version"
	echo >>README.md
	commit later
	refuses "the tag v$version is another commit"
}

@test "refused: VERSION differs from NEWS.md and the changelog, or is invalid" {
	echo 9.8.8 >VERSION
	commit
	git tag v9.8.8
	refuses "NEWS.md: begins with \"$version (2026-01-12)\", and VERSION is 9.8.8" 'share/debian/changelog: begins with'
	echo 9.8.8-rc >VERSION
	commit
	refuses 'VERSION: 9.8.8-rc: not of the form' 'NEWS.md: begins' 'share/debian/changelog: begins' 'no tag v9.8.8-rc'
}

@test "refused: NEWS.md without a date, and an unreleased changelog" {
	sed -i "s/^## $version .*/## $version (unreleased)/" NEWS.md
	sed -i '1s/unstable/UNRELEASED/' share/debian/changelog
	commit
	git tag -f "v$version" >/dev/null
	refuses 'NEWS.md: 9.8.7 (unreleased): no date' 'share/debian/changelog: dq-tools (9.8.7-1) UNRELEASED'
}

@test "refused: a manual of another date" {
	sed -i 's/^\.Dd .*/.Dd January 11, 2026/' man/dq-put.1
	commit
	git tag -f "v$version" >/dev/null
	refuses 'man/dq-put.1: .Dd is January 11, 2026, and NEWS.md says January 12, 2026'
}

@test "refused: no repository at all; and make release does nothing else then" {
	rm -r .git
	refuses 'no git repository here'
	run -2 make release
	[ ! -e build ]
}

@test "the tarball has the same bytes each time, whatever git is configured to do; and says if the tree has changes" {
	make -s dist >"$BATS_TEST_TMPDIR/first" 2>&1
	[ "$(cut -d ' ' -f 3 "$BATS_TEST_TMPDIR/first")" = "dq-$version.tar.gz" ]
	git clone -q . ../elsewhere
	git -C ../elsewhere config tar.umask 077
	touch -d '2 days ago' ../elsewhere/*
	TZ=Asia/Kolkata make -s -C ../elsewhere dist >"$BATS_TEST_TMPDIR/second" 2>&1
	cmp "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
	cmp "build/dq-$version.tar.gz" "../elsewhere/build/dq-$version.tar.gz"
	[ "$(tar -tf "build/dq-$version.tar.gz" | grep -v '/$' | sort)" = "$(git ls-files | sed "s|^|dq-$version/|" | sort)" ]
	echo >>README.md
	run -0 --separate-stderr make -s dist
	[[ $stderr == *'they are not in the tarball'* ]]
	cmp "build/dq-$version.tar.gz" "../elsewhere/build/dq-$version.tar.gz"
	rm -r .git
	run -2 make -s dist
}

# Tests run tests here: the inner bats is one of its own.
@test "distcheck: the tarball builds, passes, installs and uninstalls" {
	local names
	mapfile -t names < <(compgen -e BATS_ | sed 's/^/-u/')
	run -0 env "${names[@]}" PATH="${PATH//"$BATS_LIBEXEC:"/}" make -s distcheck CFLAGS=-O0 TESTS=test/check/unit.bats
	[ "${lines[-1]}" = "distcheck: dq-$version.tar.gz builds, passes, installs and uninstalls" ]
}

# In the tarball is a tool that needs no compiler, and a Makefile of its own, in which clean runs the command.
small() { # COMMAND
	git rm -rq cmd
	mkdir -p cmd/dq-ack
	printf '#!/bin/sh\necho "dq-ack (dq) %s"\n' "$version" >cmd/dq-ack/dq-ack
	chmod +x cmd/dq-ack/dq-ack
	# shellcheck disable=SC2016  # for make
	printf '%s\n' 'all check: ; @:' 'at = $(DESTDIR)/bin' 'install: ; @install -Dt $(at) cmd/dq-ack/dq-ack && echo $(at)/dq-ack' \
		'uninstall: ; @rm $(at)/dq-ack' "clean: ; @$1" >Makefile
	commit small
}

@test "distcheck: what clean leaves is found" {
	local make=(make -f "$BATS_TEST_DIRNAME/../../Makefile" -s distcheck)
	small :
	TESTS=$'a\nb' run -0 "${make[@]}" # lines: as test/suite may have been told
	small 'touch left-behind'
	run -2 "${make[@]}"
	[[ $output == *'./left-behind'*'distcheck: make clean left'* ]]
	run -1 test/by_hand/dist "build/dq-$version.tar.gz" nothing-to-make
	[ "${lines[-1]}" = 'distcheck: not built' ]
}
