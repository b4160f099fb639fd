# zsh -f complete.zsh DIR LINE PATTERN: types LINE and TAB into an interactive zsh with DIR in its fpath, and prints what
# it shows until that matches PATTERN.
zmodload zsh/zpty
zpty shell zsh -fi
zpty -w shell "PS1= ; stty -echo; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -D -u; LISTMAX=0; echo ready"
zpty -r shell out $'*\nready*'
zpty -n -w shell "$2"$'\t\t'
zpty -r shell out "$3"
print -r -- $out
zpty -d shell
