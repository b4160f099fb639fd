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
dq-put     -e --if-exists        mode
dq-put     --existing           -
dq-put     --unique-for          duration
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
dq-put     --wait-replicas       replicas
dq-put     --fsync               -
dq-take    -n --count            number
dq-take    -w --wait             duration
dq-take    -f --follow           -
dq-take    --until-empty         -
dq-take    -t --ttr              duration
dq-take    --json                -
dq-take    -0 --null             -
dq-take    --ack                 -
dq-take    --no-promote          -
dq-take    -q --quiet            -
dq-take    --wait-replicas       replicas
dq-take    --fsync               -
dq-run     -j --jobs             number
dq-run     -t --ttr              duration
dq-run     --once                -
dq-run     --drain               -
dq-run     --until-empty         -
dq-run     --kill-after          duration
dq-run     -q --quiet            -
dq-run     --wait-replicas       replicas
dq-run     --fsync               -
dq-ack     -r --retry            -
dq-ack     -d --delay            duration
dq-ack     -a --at               time
dq-ack     -b --bury             -
dq-ack     -x --extend           duration
dq-ack     -g --give-back        -
dq-ack     -m --message          text
dq-ack     -q --quiet            -
dq-ack     --wait-replicas       replicas
dq-ack     --fsync               -
dq-promote -f --follow           -
dq-promote --for                 duration
dq-promote --dead                -
dq-promote --release             -
dq-promote -n --count            number
dq-promote --rate                number
dq-promote --pause               -
dq-promote --resume              -
dq-promote --dry-run             -
dq-promote -q --quiet            -
dq-rm      -a --all              -
dq-rm      --state               state
dq-rm      --dry-run             -
dq-rm      -f --force            -
dq-rm      -q --quiet            -
dq-stat    -a --all              -
dq-stat    --json                -
dq-stat    --messages            states
dq-stat    --no-header           -
dq-stat    --payload             -
dq-stat    --check               -
dq-stat    --next                -
dq-stat    --prometheus          -
dq-stat    --output              file
dq-stat    --watch               -
dq-stat    --every               duration
dq-stat    --warn                limits
dq-stat    --crit                limits
dq-stat    -q --quiet            -
dq-gc      --dead-for            duration
dq-gc      --empty-for           duration
dq-gc      --check               -
dq-gc      --repair              -
dq-gc      --dry-run             -
dq-gc      -q --quiet            -
dq-dump    -q --quiet            -
dq-load    -e --if-exists        load_mode
dq-load    --dry-run             -
dq-load    -q --quiet            -
dq-load    --wait-replicas       replicas
dq-load    --fsync               -
'

# TOOL OPERANDS: what each operand is; a last word in "..." repeats.
_dq_operands='
dq-put     queue
dq-take    queue...
dq-run     queue...
dq-promote queue...
dq-rm      queue...
dq-stat    queue...
dq-gc      queue...
dq-dump    queue...
dq-load    file...
'

_dq_words() { # candidates that start with the current word
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_dq_queues() {
	dq-stat --connect-timeout 1s --timeout 1s --no-header 2>/dev/null | awk '{ print $1 }'
}

_dq_argument() { # KIND CURRENT
	case $1 in
	duration) _dq_words '500ms 1s 10s 1m 10m 1h 1d' "$2" ;;
	replicas) _dq_words '1 1,1s 2' "$2" ;;
	size) _dq_words '64k 1M 16M' "$2" ;;
	mode) _dq_words 'fail keep replace earlier later' "$2" ;;
	load_mode) _dq_words 'fail keep replace' "$2" ;;
	schedule) _dq_words '1s,10s,1m,10m exp:1s..1h' "$2" ;;
	state) _dq_words 'delayed due ready leased dead delayed,due,ready' "$2" ;;
	limits) _dq_words 'late>60s,dead>0 late>2m oldest>10m ready>1000 none' "$2" ;;
	states) _dq_words 'all delayed due ready leased dead expired' "$2" ;;
	url) _dq_words 'redis:// unix:///' "$2" ;;
	file*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		;;
	queue*) _dq_words "$(_dq_queues)" "$2" ;;
	esac
}

# The kind of argument that the word takes as an option of the tool; nothing where it is none.
_dq_kind() { # TOOL WORD
	awk -v tool="$1" -v word="$2" '$1 == tool || $1 == "all" {
		for (i = 2; i < NF; i++) if ($i == word) print $NF }' <<<"$_dq_options"
}

_dq_command() { # OFFSET CURRENT: a command line of its own begins there
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		_dq_argument file "$2"
	fi
}

_dq() {
	local tool=${1##*/} current=$2 previous=$3 kind word n=0 i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ $tool == dq-run && ${COMP_WORDS[i]} == -- ]]; then
			_dq_command $((i + 1)) "$current"
			return
		fi
	done
	# COMP_WORDBREAKS cuts --option=value into three words.
	if [[ $current == = ]]; then
		kind=$(_dq_kind "$tool" "$previous") current=
	elif [[ $previous == = ]]; then
		kind=$(_dq_kind "$tool" "${COMP_WORDS[COMP_CWORD - 2]}")
	else
		kind=$(_dq_kind "$tool" "$previous")
	fi
	if [[ -n $kind && $kind != - ]]; then
		_dq_argument "$kind" "$current"
		return
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == -* ]]; then
			kind=$(_dq_kind "$tool" "$word")
			[[ -z $kind || $kind == - ]] || ((i++))
			[[ ${COMP_WORDS[i]} != = ]] || ((i++))
		else
			((n++))
		fi
	done
	if [[ $current == -* ]]; then
		# Options go before operands.
		((n > 0)) || _dq_words "$(awk -v tool="$tool" '$1 == tool || $1 == "all" {
			for (i = 2; i < NF; i++) print $i }' <<<"$_dq_options")" "$current"
		return
	fi
	kind=$(awk -v tool="$tool" -v n="$n" '$1 == tool {
		i = n + 2 <= NF ? n + 2 : $NF ~ /\.\.\.$/ ? NF : 0
		if (i) print $i }' <<<"$_dq_operands")
	_dq_argument "$kind" "$current"
}

complete -F _dq dq-put dq-take dq-run dq-ack dq-rm dq-promote dq-stat dq-gc dq-dump dq-load
