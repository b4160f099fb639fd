# Goal: In a model of how the tools wait for each other every message is on time, in any order of events; and in one of messages with
# keys none is delivered too early, passed over, or stuck (make model: more and larger models).

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export MODEL=${DQ_BIN:-$PWD/build}/model/waiting
}

@test "no message is late if no tool is killed, and former bugs are found again" {
	test/model/run --short
}

@test "a setup with another end is reported, with the steps to it" {
	cp -r test/model "$BATS_TEST_TMPDIR/model"
	mkdir "$BATS_TEST_TMPDIR/test"
	mv "$BATS_TEST_TMPDIR/model" "$BATS_TEST_TMPDIR/test/model"
	sed -i 's/^try short 1 .* TT terms=1 bug=8/try short 0 1 TT terms=1 bug=8/' "$BATS_TEST_TMPDIR/test/model/run"
	run -1 "$BATS_TEST_TMPDIR/test/model/run" --short
	[[ $output == *$'\nnot ok: TT terms=1 bug=8: wanted late 0, timekeepers 1\nlate 1, timekeepers 1'*'CLIENT UNBLOCK; '*'late]'* ]]
	[ "$(grep -c '^not ok' <<<"$output")" -eq 1 ]
}

@test "a setup of keys with another end is reported, with the steps to it" {
	mkdir "$BATS_TEST_TMPDIR/test"
	cp -r test/model "$BATS_TEST_TMPDIR/test/model"
	sed -i 's/^turns short idle bug=32 /turns short fine bug=32 /' "$BATS_TEST_TMPDIR/test/model/run"
	run -1 "$BATS_TEST_TMPDIR/test/model/run" --short
	[[ $output == *$'\nnot ok: keys: bug=32 keys=2 each=2 ends=1: wanted fine\nidle, '*'lease over A1; take by 2;'* ]]
	[ "$(grep -c '^not ok' <<<"$output")" -eq 1 ]
}

@test "what the model mirrors has not changed since somebody compared the two (then: test/model/run --agree)" {
	local sum bytes path
	[ "$(wc -l <test/model/mirrored)" -ge 6 ]
	while read -r sum bytes path; do
		[ "$(cksum "$path")" = "$sum $bytes $path" ] || {
			echo "$path has changed: do test/model/waiting.c and keys.c still do the same?"
			return 1
		}
		grep -qF "$path" test/model/waiting.c || grep -qF "$path" test/model/keys.c
	done <test/model/mirrored
}
