# The recipes of dq-recipes(7).
# shellcheck shell=bash disable=SC2154

page=$top/man/dq-recipes.7

# The literal blocks of the page, as files 01, 02... in a folder, without mdoc's escapes.
blocks() { # DIR
	mkdir -p "$1"
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$page" | sed 's/\\&//g; s/\\-/-/g; s/\\e/\\/g' |
		awk -v dir="$1" '
			/^\.Bd/ { file = sprintf("%s/%02d", dir, ++n); next }
			/^\.Ed/ { close(file); next }
			{ print >file }'
	[ -e "$1/01" ]
}

# The kind of a block says which test runs it.
kind() { # FILE
	case $(sed -n 1p "$1") in
	'$ '*) echo console ;;
	DQ_URL=*) grep -q gzip "$1" && echo backup || echo cron ;;
	'# '*/dq.conf) echo common ;;
	'# '*/run/*.conf) echo worker ;;
	'[Service]') echo drop-in ;;
	systemctl*) echo start ;;
	'dq-set hooks rate='*) echo limits ;;
	'429 | 503)') grep -q DQ_MESSAGE_KEY "$1" && echo pause-key || echo pause ;;
	'#!/usr/bin/env python3') echo batches ;;
	'#!/bin/sh') grep -q curl "$1" && echo webhook || echo script ;;
	'export DQ_URL=rediss:'*) echo tls ;;
	socat*) echo tunnel ;;
	'(umask 077'*) echo secret ;;
	*) echo "$1" ;;
	esac
}

# The one block of a kind, with the tools that are tested, and folders of the test, in place of the installed ones.
block() { # KIND
	local file
	blocks "$BATS_TEST_TMPDIR/blocks"
	for file in "$BATS_TEST_TMPDIR"/blocks/??; do
		[ "$(kind "$file")" != "$1" ] || sed "s|/usr/local/bin|$DQ_BIN|g; s|/opt/shop|$T/bin|g; s|redis://127.0.0.1:6379/0|$DQ_URL|g
			s|/run/|$T/|g; s|/var/lib/prometheus/node-exporter|$T|g" "$file"
	done
}
