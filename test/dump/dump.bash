# shellcheck shell=bash
# The kinds of lines of a dump in their order: "queue 5*message end done".
kinds() { # FILE
	jq -r .kind "$1" | uniq -c | awk '{ printf("%s%s%s", sep, ($1 > 1 ? $1 "*" : ""), $2); sep = " " }'
}

# What a dump says of messages and reserved ids, sorted.
contents() { # FILE
	grep -E '"kind":"(message|reserved)"' "$1" | sort -u
}
