# complete.zsh SCRIPT LINE: prints what zsh offers for the end of a line, in a terminal of its own.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= ; autoload -Uz compinit; compinit -u -D; source ${(q)1}"
zpty -w shell 'zstyle ":completion:*" verbose no; zstyle ":completion:*" list-separator ""'
# Instead of showing what it found, it prints each word between marks.
zpty -w shell 'compadd() { local -a found; builtin compadd -O found "$@" 2>/dev/null; for one in $found; do print -r -- "<offer>$IPREFIX$one</offer>"; done }'
zpty -w shell 'complete-here() { _main_complete; print "<end>"; }; zle -C complete-here list-choices complete-here; bindkey "^I" complete-here; print "<""ready>"'
while zpty -r shell line && [[ $line != *"<ready>"* ]]; do :; done
zpty -w -n shell "$2"$'\t'
all=
while zpty -r shell line; do all+=$line; [[ $line == *"<end>"* ]] && break; done
print -r -- ${(F)${(M)${(f)all//</$'\n'<}:#<offer>*}//<offer>/}
zpty -d shell
