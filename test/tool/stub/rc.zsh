# What test/system/typed.bats gives zsh to start with; @TOP@ is the top folder.
PS1='$ '
fpath=(@TOP@/completions $fpath)
autoload -U compinit
compinit -D -u
LISTMAX=0
unsetopt beep
