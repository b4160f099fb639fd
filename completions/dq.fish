# fish completion for the dq tools. One file: each tool's name is a link to it.

# What names the server in the line, for dq-stat, too. Nothing of it is executed: it fails where something would have to be.
function __dq_connection
    set -l words (commandline -opc)
    set -l connection --connect-timeout=1s --timeout=1s
    set -l i 2
    while test $i -le (count $words)
        set -l word $words[$i]
        set -l next $words[(math $i + 1)]
        set i (math $i + 1)
        set -l option
        switch $word
            case --
                break
            case --insecure
                set -a connection --insecure
            case -u --url --prefix --password-file --cacert --cert --key
                set option (string replace -r '^-u$' -- --url $word)=$next
                set i (math $i + 1)
            case '--url=*' '--prefix=*' '--password-file=*' '--cacert=*' '--cert=*' '--key=*'
                set option $word
            case '-u*'
                set option --url=(string sub -s 3 -- $word)
        end
        if set -l variable (string match -gr '=\$([A-Za-z_][A-Za-z0-9_]*)$' -- $option)
            set option (string replace -r '=.*' '' -- $option)=$$variable
        else if string match -qr '[$(]' -- $option
            return 1
        else if test "$word" != "$option"; and not string match -qr -- '^--url=|^--prefix=' "$option"
            set option (string replace -r '=~(?=/|$)' "=$HOME" -- $option)
        end
        set -a connection $option
    end
    printf '%s\n' $connection
end

# Names that dq-stat prints first in its lines, and that begin with what is typed: at most 1000, from 10,000 lines, within two seconds.
function __dq_ask
    set -l connection (__dq_connection); or return
    set -l limit
    command -q timeout; and set limit timeout 2
    command -q dq-stat; or return
    command $limit dq-stat $connection $argv 2>/dev/null </dev/null |
        begin=(commandline -ct | string collect) LC_ALL=C awk -F '\t' 'NR > 10000 || n == 1000 { exit }
            index($1, ENVIRON["begin"]) == 1 && $1 ~ /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._:+-]+)?$/ { print $1; n++ }'
end

function __dq_queues
    __dq_ask --names
end

function __dq_messages
    set -l words (commandline -opc)
    set -l queue (string replace -r '/.*' '' -- (commandline -ct))
    set -l state all
    test "$words[1]" = dq-promote; and set state delayed
    set -l given (string match -gr '^--state=(.*)' -- $words); or set given $words[(math 1 + (contains -i -- --state $words; or echo 0))]
    string match -qr '^[a-z,]+$' -- "$given"; and set state $given
    contains -- --dead $words; and set state dead
    contains -- --release $words; and set state leased
    string match -qr '^[A-Za-z0-9._-]+$' -- $queue; and __dq_ask --messages=$state -- $queue
end

# Queues are names, too, unless the line takes only messages.
function __dq_names
    set -l words (commandline -opc)
    if string match -q '*/*' -- (commandline -ct)
        __dq_messages
    else if test "$words[1]" = dq-rm; or contains -- --release $words; and not string match -q -- '--holder*' $words
        string replace -r '$' / -- (__dq_queues)
    else
        __dq_queues
    end
end

# Has the line one of these options?
function __dq_has
    for option in $argv
        string match -q -- $option (commandline -opc); and return
    end
    return 1
end

# Has the line of dq-set an operand before this word?
function __dq_operand
    set -l words (commandline -opc)
    set -l i 2
    while test $i -le (count $words)
        switch $words[$i]
            case -u --url --prefix --password-file --cacert --cert --key --timeout --connect-timeout
                set i (math $i + 1)
            case '-*'
            case '*'
                return 0
        end
        set i (math $i + 1)
    end
    return 1
end

# After "--" dq-run has a command line of its own.
function __dq_command
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    set -e words[1..$at]
    complete --do-complete "$words"
end

set -l durations '1s 10s 1m 10m 1h 1d'

for tool in dq-put dq-take dq-run dq-ack dq-wait dq-rm dq-promote dq-set dq-stat dq-gc dq-dump dq-load
    # Each tool's link may be loaded, so begin anew.
    complete -c $tool -e
    complete -c $tool -f
    complete -c $tool -s u -l url -x -a 'redis:// rediss:// unix:///' -d 'where Redis is'
    complete -c $tool -l password-file -r -F -d 'read the password from this file'
    complete -c $tool -l askpass -d 'ask for the password on the terminal'
    complete -c $tool -l cacert -r -F -d 'trust the certificates in this file only'
    complete -c $tool -l cert -r -F -d "the client's certificate"
    complete -c $tool -l key -r -F -d "the client's key"
    complete -c $tool -l insecure -d "do not verify the server's certificate"
    complete -c $tool -l connect-timeout -x -a $durations -d 'stop connecting after this long'
    complete -c $tool -l timeout -x -a $durations -d 'stop waiting for a reply after this long'
    complete -c $tool -l prefix -x -d 'first part of all keys'
    complete -c $tool -s h -l help -d 'show help'
    complete -c $tool -s V -l version -d 'show the version'
    complete -c $tool -s v -l verbose -d 'report what was done'
end
for tool in dq-put dq-take dq-run dq-ack dq-load
    complete -c $tool -l wait-replicas -x -a '1 1,1s 2' -d 'confirmed by this many replicas'
    complete -c $tool -l fsync -d 'confirmed by the disk'
end
for tool in dq-put dq-take dq-run dq-ack dq-wait dq-rm dq-promote dq-set dq-stat dq-gc dq-dump dq-load
    complete -c $tool -l retry-for -x -a $durations -d 'try again for this long'
end
for tool in dq-put dq-take dq-gc dq-dump
    complete -c $tool -a '(__dq_queues)' -d queue
end
set -l only_queues '__dq_has -a --all -k "--message-key*"'
complete -c dq-rm -n $only_queues -a '(__dq_queues)' -d queue
complete -c dq-rm -n "not $only_queues" -a '(__dq_names)'
set only_queues '__dq_has -f --follow'
complete -c dq-promote -n $only_queues -a '(__dq_queues)' -d queue
complete -c dq-promote -n "not $only_queues" -a '(__dq_names)'
set only_queues '__dq_has --check --keys --next --prometheus --watch "--messages*" -k "--message-key*"'
complete -c dq-stat -n $only_queues -a '(__dq_queues)' -d queue
complete -c dq-stat -n "not $only_queues" -a '(__dq_names)'
complete -c dq-run -n 'not contains -- -- (commandline -opc)' -a '(__dq_queues)' -d queue
complete -c dq-run -n 'contains -- -- (commandline -opc)' -a '(__dq_command)'

complete -c dq-put -s d -l delay -x -a $durations -d 'due after this long'
complete -c dq-put -s a -l at -x -d 'due at this time (@EPOCH or RFC 3339)'
complete -c dq-put -s i -l id -x -d 'id of the message'
complete -c dq-put -s k -l message-key -x -d 'key of the messages'
complete -c dq-put -s e -l if-exists -x -a 'fail keep replace earlier later move edit' -d 'if the id exists'
complete -c dq-put -l existing -d 'create no message'
complete -c dq-put -l keep -x -a $durations -d 'what became of the message is kept for this long'
complete -c dq-put -l unique-for -x -a $durations -d 'the id stays reserved for this long after an ack'
complete -c dq-put -s t -l ttr -x -a $durations -d 'length of a lease'
complete -c dq-put -s r -l tries -x -d 'deliveries before it is dead'
complete -c dq-put -s b -l backoff -x -a '1s,10s,1m,10m exp:1s..1h' -d 'waits before a retry'
complete -c dq-put -s p -l priority -x -d '0 to 255, lower first'
complete -c dq-put -s x -l expires -x -a $durations -d 'not delivered later than this'
complete -c dq-put -s l -l lines -d 'one message per line'
complete -c dq-put -s 0 -l null -d 'messages end in NUL'
complete -c dq-put -l tsv -d 'lines of delay, id and payload'
complete -c dq-put -l base64 -d 'payloads are base64'
complete -c dq-put -s q -l quiet -d 'print no names'
complete -c dq-put -l max-bytes -x -d 'largest payload'

complete -c dq-take -s n -l count -x -d 'at most this many'
complete -c dq-take -s w -l wait -x -a $durations -d 'wait this long for one'
complete -c dq-take -s f -l follow -d 'continue for ever'
complete -c dq-take -l linger -x -a $durations -d 'wait this long for more'
complete -c dq-take -l until-empty -d 'continue until nothing is due'
complete -c dq-take -s t -l ttr -x -a $durations -d 'length of the lease'
complete -c dq-take -l json -d 'JSON Lines'
complete -c dq-take -s 0 -l null -d 'fields end in NUL'
complete -c dq-take -l ack -d 'ack each message as soon as it is written'
complete -c dq-take -l no-promote -d 'do not promote'
complete -c dq-take -s q -l quiet -d 'do not report queues that do not exist'

complete -c dq-run -s j -l jobs -x -d 'commands at once'
complete -c dq-run -s t -l ttr -x -a $durations -d 'length of a lease between renewals'
complete -c dq-run -l once -d 'take the due messages and end'
complete -c dq-run -l drain -d 'end when no message is left'
complete -c dq-run -l until-empty -d 'end when nothing is due'
complete -c dq-run -l rotate -d 'several queues in turn'
complete -c dq-run -l result -d 'the last line of output is the result'
complete -c dq-run -l kill-after -x -a $durations -d 'between TERM and KILL'
complete -c dq-run -s q -l quiet -d 'do not report queues that do not exist'

complete -c dq-ack -s r -l retry -d 'failed: retry'
complete -c dq-ack -s d -l delay -x -a $durations -d 'retry, or give back, after this long'
complete -c dq-ack -s a -l at -x -d 'give back until this time'
complete -c dq-ack -s b -l bury -d 'failed permanently'
complete -c dq-ack -s x -l extend -x -a $durations -d 'end the lease after this long'
complete -c dq-ack -s g -l give-back -d 'ready again, the try does not count'
complete -c dq-ack -s m -l message -x -d 'reason'
complete -c dq-ack -s q -l quiet -d 'print nothing'

complete -c dq-rm -s a -l all -d 'all messages of each queue'
complete -c dq-rm -s k -l message-key -x -d 'all messages of this key'
complete -c dq-rm -l state -x -a 'delayed due ready leased dead delayed,due,ready' -d 'only in these states'
complete -c dq-rm -l dry-run -d 'print what would be removed'
complete -c dq-rm -s f -l force -d 'do not ask'
complete -c dq-rm -s q -l quiet -d 'do not report what was not removed'

complete -c dq-promote -s f -l follow -d 'continue for ever'
complete -c dq-promote -l for -x -a $durations -d 'continue for this long'
complete -c dq-promote -l dead -d 'redrive dead messages'
complete -c dq-promote -l release -d 'end the leases of dead consumers'
complete -c dq-promote -l holder -x -d 'only the leases of this one'
complete -c dq-promote -s n -l count -x -d 'at most this many'
complete -c dq-promote -l rate -x -d 'at most this many a second'
complete -c dq-promote -l dry-run -d 'print what would be moved'
complete -c dq-promote -s q -l quiet -d 'print nothing'

complete -c dq-wait -n '__dq_has --empty' -a '(__dq_queues)' -d queue
complete -c dq-wait -n 'not __dq_has --empty' -a '(__dq_names)'
complete -c dq-wait -s w -l wait -x -a $durations -d 'at most this long'
complete -c dq-wait -l any -d 'only until one has ended'
complete -c dq-wait -l empty -d 'until queues are empty'
complete -c dq-wait -l all -d 'with --empty, also of delayed messages'
complete -c dq-wait -l json -d 'as JSON'
complete -c dq-wait -l allow-empty -d 'no name at all is no mistake'
complete -c dq-wait -s q -l quiet -d 'print nothing'

complete -c dq-set -n 'not __dq_operand' -a '(__dq_queues)' -d queue
complete -c dq-set -n __dq_operand -a 'paused=yes paused=no paused=10m paused:KEY=10m max-leased=10 max-leased=none rate=10/1s rate=none max-len=10000 max-len=none keys=serial keys=serial,stop keys=fair key-limit=1 key-limit=none shards=2 shards=3 shards=6'
complete -c dq-set -l json -d 'as JSON'
complete -c dq-set -s q -l quiet -d 'do not report that the queue does not exist'

complete -c dq-stat -l json -d 'as JSON'
complete -c dq-stat -l messages -x -a 'all leased ready due delayed dead expired ended delayed,due,ready' -d 'a line for each message in these states'
complete -c dq-stat -l no-header -d 'no line of column names'
complete -c dq-stat -l payload -d 'payloads'
complete -c dq-stat -l keys -d 'the keys of the messages'
complete -c dq-stat -l limit -x -d 'at most so many keys'
complete -c dq-stat -s k -l message-key -x -d 'the messages of this key'
complete -c dq-stat -l check -d 'server settings that put messages at risk'
complete -c dq-stat -l next -d 'ms until the next message can be taken'
complete -c dq-stat -l names -d 'only the names of the queues'
complete -c dq-stat -l prometheus -d 'metrics for Prometheus'
complete -c dq-stat -l output -r -d 'replace this file with the metrics'
complete -c dq-stat -s a -l all -d 'show idle queues, too'
complete -c dq-stat -l watch -d 'a live view'
complete -c dq-stat -l every -x -a $durations -d 'refresh interval'
complete -c dq-stat -l warn -x -a 'late\>60s,dead\>0 oldest\>10m none' -d 'limits of a warning'
complete -c dq-stat -l crit -x -a 'late\>2m ready\>1000 none' -d 'limits of critical'
complete -c dq-stat -s q -l quiet -d 'do not report queues that do not exist'

complete -c dq-gc -l dead-for -x -a $durations -d 'purge messages dead for this long'
complete -c dq-gc -l empty-for -x -a $durations -d 'remove queues empty for this long'
complete -c dq-gc -l check -d 'print faults'
complete -c dq-gc -l repair -d 'check, and repair faults'
complete -c dq-gc -l dry-run -d 'print what would be removed'
complete -c dq-gc -s q -l quiet -d 'do not report queues that do not exist'

complete -c dq-dump -s q -l quiet -d 'do not report queues that do not exist'

complete -c dq-load -F -d file
complete -c dq-load -s e -l if-exists -x -a 'fail keep replace' -d 'if another message has the id'
complete -c dq-load -l dry-run -d 'check the lines only'
complete -c dq-load -s q -l quiet -d 'print no names'
