# What test/system/typed.bats gives bash to start with; @TOP@ is the top folder.
PS1='$ '
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
. @TOP@/completions/dq.bash
