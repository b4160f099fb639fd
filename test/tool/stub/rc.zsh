# What test/system/typed.bats gives zsh to start with; @TOP@ is the top folder, @DUMP@ a file that keeps what compinit has found.
PS1='$ '
fpath=(@TOP@/completions $fpath)
autoload -U compinit
compinit -C -u -d @DUMP@
LISTMAX=0
unsetopt beep
