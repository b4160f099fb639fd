# Goal: Whatever reasons a dump has, a queue keeps at most 1,000 bytes of each, and no half character.

bats_require_minimum_version 1.5.0

load ../helper

dead() { # ID REASON: a line of a dump
	printf '{"queue":"%s","id":"%s","state":"dead","died_ms":1,"tries":1,"payload":"x","reason":"%s"}\n' "$q" "$1" "$2"
}

@test "a long reason is cut, at the end of a character" {
	local x
	x=$(printf '%0999d' 0)
	{
		dead ascii "$x$x"
		dead two "${x}é"
		dead fits "${x%0}é"
		dead four "${x%00}😀"
		dead bytes "$(head -c 8000000 /dev/zero | tr '\0' y)"
		printf '{"queue":"%s","id":"binary","state":"dead","died_ms":1,"payload":"x","reason_base64":"%s"}\n' "$q" \
			"$(head -c 2000 /dev/zero | tr '\0' '\377' | base64 -w 0)"
	} | dq-load -q
	equal "$(reason ascii | tr -d '\n' | wc -c)" 1000
	equal "$(reason two)" "$x"
	equal "$(reason fits)" "${x%0}é"
	equal "$(reason four)" "${x%00}"
	equal "$(reason bytes | tr -d '\n' | wc -c)" 1000
	equal "$(reason binary | tr -d '\n' | wc -c)" 1000
	equal "$(dq-stat --json "$q/two" | jq -r .reason)" "$x"
}
