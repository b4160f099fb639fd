# bash completion for the dq tools. One file: each tool's name is a link to it.

# TOOL OPTION... ARGUMENT, one option a line; "-" where it takes none, else the kind that _dq_argument completes.
_dq_options='
all        -u --url              url
all        --password-file       file
all        --askpass             -
all        --cacert              file
all        --cert                file
all        --key                 file
all        --insecure            -
all        --connect-timeout     duration
all        --timeout             duration
all        --prefix              text
all        -h --help             -
all        -V --version          -
all        -v --verbose          -
dq-put     -d --delay            duration
dq-put     -a --at               time
dq-put     -i --id               text
dq-put     -k --message-key      text
dq-put     -e --if-exists        mode
dq-put     --existing           -
dq-put     --unique-for          duration
dq-put     --keep                duration
dq-put     -t --ttr              duration
dq-put     -r --tries            number
dq-put     -b --backoff          schedule
dq-put     -p --priority         number
dq-put     -x --expires          duration
dq-put     -l --lines            -
dq-put     -0 --null             -
dq-put     --tsv                 -
dq-put     --base64              -
dq-put     -q --quiet            -
dq-put     --max-bytes           size
dq-put     --retry-for           duration
dq-put     --wait-replicas       replicas
dq-put     --fsync               -
dq-take    -n --count            number
dq-take    -w --wait             duration
dq-take    -f --follow           -
dq-take    --linger              duration
dq-take    --until-empty         -
dq-take    -t --ttr              duration
dq-take    --json                -
dq-take    -0 --null             -
dq-take    --ack                 -
dq-take    --no-promote          -
dq-take    --retry-for           duration
dq-take    -q --quiet            -
dq-take    --wait-replicas       replicas
dq-take    --fsync               -
dq-run     -j --jobs             number
dq-run     -t --ttr              duration
dq-run     --once                -
dq-run     --drain               -
dq-run     --until-empty         -
dq-run     --rotate              -
dq-run     --result              -
dq-run     --kill-after          duration
dq-run     -q --quiet            -
dq-run     --retry-for           duration
dq-run     --wait-replicas       replicas
dq-run     --fsync               -
dq-ack     -r --retry            -
dq-ack     -d --delay            duration
dq-ack     -a --at               time
dq-ack     -b --bury             -
dq-ack     -x --extend           duration
dq-ack     -g --give-back        -
dq-ack     -m --message          text
dq-ack     --retry-for           duration
dq-ack     -q --quiet            -
dq-ack     --wait-replicas       replicas
dq-ack     --fsync               -
dq-promote -f --follow           -
dq-promote --for                 duration
dq-promote --dead                -
dq-promote --release             -
dq-promote --holder              text
dq-promote -n --count            number
dq-promote --rate                number
dq-promote --dry-run             -
dq-promote --retry-for           duration
dq-promote -q --quiet            -
dq-wait    -w --wait             duration
dq-wait    --any                 -
dq-wait    --empty               -
dq-wait    --all                 -
dq-wait    --json                -
dq-wait    --allow-empty         -
dq-wait    -q --quiet            -
dq-wait    --retry-for           duration
dq-set     --json                -
dq-set     -q --quiet            -
dq-set     --retry-for           duration
dq-rm      -a --all              -
dq-rm      -k --message-key      text
dq-rm      --state               state
dq-rm      --retry-for           duration
dq-rm      --dry-run             -
dq-rm      -f --force            -
dq-rm      -q --quiet            -
dq-stat    -a --all              -
dq-stat    --json                -
dq-stat    --messages            states
dq-stat    --no-header           -
dq-stat    --payload             -
dq-stat    --keys                -
dq-stat    --limit               number
dq-stat    -k --message-key      text
dq-stat    --check               -
dq-stat    --next                -
dq-stat    --names               -
dq-stat    --prometheus          -
dq-stat    --output              file
dq-stat    --watch               -
dq-stat    --every               duration
dq-stat    --warn                limits
dq-stat    --crit                limits
dq-stat    --retry-for           duration
dq-stat    -q --quiet            -
dq-gc      --dead-for            duration
dq-gc      --empty-for           duration
dq-gc      --check               -
dq-gc      --repair              -
dq-gc      --dry-run             -
dq-gc      --retry-for           duration
dq-gc      -q --quiet            -
dq-dump    --retry-for           duration
dq-dump    -q --quiet            -
dq-load    -e --if-exists        load_mode
dq-load    --dry-run             -
dq-load    -q --quiet            -
dq-load    --retry-for           duration
dq-load    --wait-replicas       replicas
dq-load    --fsync               -
'

# TOOL OPERANDS: what each operand is; a last word in "..." repeats.
_dq_operands='
dq-put     queue
dq-take    queue...
dq-run     queue...
dq-promote name...
dq-wait    message...
dq-set     queue setting...
dq-rm      message...
dq-stat    name...
dq-gc      queue...
dq-dump    queue...
dq-load    file...
'

# The kind of argument that the word takes as an option of the tool; nothing where it is none.
_dq_kind() { # TOOL WORD
	awk -v tool="$1" -v word="$2" '$1 == tool || $1 == "all" {
		for (i = 2; i < NF; i++) if ($i == word) print $NF }' <<<"$_dq_options"
}

_dq_takes() { # TOOL OPTION: has it an argument? Sets REPLY to its kind
	REPLY=$(_dq_kind "$1" "$2")
	[[ -n $REPLY && $REPLY != - ]]
}

# What is typed up to the cursor, in words: COMP_WORDBREAKS cuts --option=value, URLs, and ids with a colon.
_dq_split() { # sets typed
	local rest=${COMP_LINE:0:COMP_POINT} blank word i n=0
	rest=${rest#*"${COMP_WORDS[0]}"}
	typed=("${COMP_WORDS[0]}")
	for ((i = 1; i <= COMP_CWORD; i++)); do
		blank=${rest%%[![:space:]]*}
		rest=${rest#"$blank"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$rest
		if [[ -n $blank ]]; then
			typed[++n]=$word
		else
			typed[n]+=$word
		fi
		rest=${rest#"$word"}
	done
}

# What the shell would make of the word, its quotes and plain variables. Nothing is executed: it fails where something would be.
_dq_unquote() { # WORD; sets REPLY
	local rest=$1 quote='' char variable='^(\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))'
	REPLY=
	if [[ $rest == \~ || $rest == \~/* ]]; then
		REPLY=$HOME rest=${rest:1}
	fi
	while [[ -n $rest ]]; do
		char=${rest:0:1} rest=${rest:1}
		case $quote$char in
		"''" | '""') quote= ;;
		"'" | '"') quote=$char ;;
		"'"*) REPLY+=$char ;;
		\\ | \"\\)
			[[ -z $quote || $rest == [\"\\\`\$]* ]] || REPLY+=\\
			REPLY+=${rest:0:1} rest=${rest:1}
			;;
		\$ | '"$')
			[[ $rest =~ $variable ]] || return 1
			rest=${rest#"${BASH_REMATCH[0]}"}
			char=${BASH_REMATCH[2]}${BASH_REMATCH[3]}
			[[ -n ${!char-} ]] || return 1
			REPLY+=${!char}
			;;
		\` | '"`') return 1 ;;
		*) REPLY+=$char ;;
		esac
	done
}

# An option of the line. What names the server is for dq-stat, too; no question is asked if its value is not known here.
_dq_option() { # NAME VALUE
	case $1 in
	-u) set -- --url "$2" ;;
	--insecure) connection+=(--insecure) ;;
	--dead) state=dead ;;
	--release) state=leased ;;
	--holder) held=1 ;;
	--state) state=$2 ;;
	esac
	case $tool$1 in
	dq-rm-a | dq-rm--all | dq-rm-k | dq-rm--message-key | dq-promote-f | dq-promote--follow | dq-wait--empty) queues=1 ;;
	dq-stat--keys | dq-stat-k | dq-stat--message-key) queues=1 ;;
	dq-stat--messages | dq-stat--check | dq-stat--next | dq-stat--prometheus | dq-stat--watch) queues=1 ;;
	esac
	case $1 in
	--url | --prefix | --password-file | --cacert | --cert | --key)
		_dq_unquote "$2" || unknown=1
		connection+=("$1=$REPLY")
		;;
	esac
}

# The words before the last one: options, then operands.
_dq_scan() { # sets operands and what _dq_option does
	local i word at value end=$((${#typed[@]} - 1)) dashes=
	for ((i = 1; i < end; i++)); do
		word=${typed[i]}
		case $dashes$word in
		--) dashes=1 ;;
		--*=*) _dq_option "${word%%=*}" "${word#*=}" ;;
		--*)
			value=
			! _dq_takes "$tool" "$word" || value=${typed[++i]}
			_dq_option "$word" "$value"
			;;
		-?*)
			for ((at = 1; at < ${#word}; at++)); do
				value=
				if _dq_takes "$tool" "-${word:at:1}"; then
					value=${word:at+1}
					[[ -n $value ]] || value=${typed[++i]}
				fi
				_dq_option "-${word:at:1}" "$value"
				[[ -z $value ]] || break
			done
			;;
		*) ((++operands)) ;;
		esac
	done
}

# Names that dq-stat prints first in its lines, and that begin with what is typed: at most 1000, from 10,000 lines, within two seconds.
_dq_ask() { # OPTION...
	local -a stat=(dq-stat)
	[[ -z $unknown ]] || return
	[[ -z $(type -P timeout) ]] || stat=(timeout 2 dq-stat)
	command "${stat[@]}" "${connection[@]}" "$@" 2>/dev/null </dev/null |
		begin=$plain LC_ALL=C awk -F '\t' 'NR > 10000 || n == 1000 { exit }
			index($1, ENVIRON["begin"]) == 1 && $1 ~ /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._:+-]+)?$/ { print $1; n++ }'
}

# Offers those that begin with what is typed, without what readline keeps of that.
_dq_offer() { # CANDIDATE...
	local word
	for word; do
		[[ $word == "$plain"* ]] || continue
		word=${word#"$kept"}
		[[ -n $quoted ]] || word=${word//>/\\>}
		COMPREPLY+=("$word")
	done
}

_dq_queues() { # SUFFIX
	local -a names
	mapfile -t names < <(_dq_ask --names)
	_dq_offer "${names[@]/%/$1}"
}

_dq_messages() {
	local -a names
	local queue=${plain%%/*}
	[[ $tool != dq-promote || -n $state ]] || state=delayed # only these can be made ready
	[[ -n $state && $state != *[!a-z,]* ]] || state=all
	[[ -n $queue && $queue != *[!A-Za-z0-9._-]* ]] || return
	mapfile -t names < <(_dq_ask "--messages=$state" -- "$queue")
	_dq_offer "${names[@]}"
}

_dq_names() { # queues are names, too; SUFFIX of them
	if [[ $plain == */* ]]; then
		[[ -n $queues ]] || _dq_messages
	else
		[[ -z $1 ]] || compopt -o nospace 2>/dev/null
		_dq_queues "$1"
	fi
}

_dq_argument() { # KIND
	case $1 in
	duration) _dq_offer 500ms 1s 10s 1m 10m 1h 1d ;;
	replicas) _dq_offer 1 1,1s 2 ;;
	size) _dq_offer 64k 1M 16M ;;
	mode) _dq_offer fail keep replace earlier later move edit ;;
	load_mode) _dq_offer fail keep replace ;;
	schedule) _dq_offer 1s,10s,1m,10m exp:1s..1h ;;
	state) _dq_offer delayed due ready leased dead delayed,due,ready ;;
	limits) _dq_offer 'late>60s,dead>0,failing>10m,limited>1h' 'late>2m' 'oldest>10m' 'ready>1000' none ;;
	states) _dq_offer all delayed due ready leased dead expired ended delayed,due,ready ;;
	url)
		compopt -o nospace 2>/dev/null
		_dq_offer redis:// rediss:// unix:///
		;;
	file*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$part")
		;;
	queue*) _dq_queues '' ;;
	setting...) _dq_offer paused=yes paused=no paused=10m paused:KEY=10m max-leased=10 max-leased=none rate=10/1s rate=none \
		max-len=10000 max-len=none keys=serial keys=serial,stop keys=fair key-limit=1 key-limit=none shards=2 shards=3 shards=6 ;;
	name...)
		[[ -n $queues$held || $state != leased ]] || set -- message...
		_dq_names "$([[ $1 != message... ]] || echo /)"
		;;
	message...) _dq_names "$([[ -n $queues ]] || echo /)" ;;
	esac
}

_dq_command() { # OFFSET CURRENT: a command line of its own begins there
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
	fi
}

_dq() {
	local tool=${1##*/} part=$2 plain kept quoted='' unknown='' queues='' held='' state='' operands=0 current previous i REPLY
	local -a typed words connection=(--connect-timeout=1s --timeout=1s)
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ $tool == dq-run && ${COMP_WORDS[i]} == -- ]]; then
			_dq_command $((i + 1)) "$part"
			return
		fi
	done
	_dq_split
	current=${typed[${#typed[@]} - 1]} previous=${typed[${#typed[@]} - 2]}
	[[ $current != [\"\']* ]] || quoted=1
	_dq_scan
	i=
	if _dq_takes "$tool" "$previous"; then
		i=$REPLY
	elif [[ $current == --*=* ]] && _dq_takes "$tool" "${current%%=*}"; then
		i=$REPLY current=${current#*=}
	fi
	_dq_unquote "$current" || return
	plain=$REPLY
	_dq_unquote "$part" || return
	kept=${plain%"$REPLY"}
	if [[ -n $i ]]; then
		_dq_argument "$i"
	elif [[ $current == -* ]]; then
		# Options go before operands.
		((operands == 0)) || return
		mapfile -t words < <(awk -v tool="$tool" '$1 == tool || $1 == "all" {
			for (i = 2; i < NF; i++) print $i }' <<<"$_dq_options")
		_dq_offer "${words[@]}"
	else
		_dq_argument "$(awk -v tool="$tool" -v n="$operands" '$1 == tool {
			i = n + 2 <= NF ? n + 2 : $NF ~ /\.\.\.$/ ? NF : 0
			if (i) print $i }' <<<"$_dq_operands")"
	fi
}

complete -F _dq dq-put dq-take dq-run dq-ack dq-wait dq-rm dq-promote dq-set dq-stat dq-gc dq-dump dq-load
