/** What each shell runs to have words completed; the program itself says which they are. */
export const scripts = {
  bash: `# Completion of cardinal for bash: source <(cardinal completion bash)
_cardinal() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${cur#[\\"\\']}")
      continue
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(cardinal complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$cur" 2>/dev/null)
}
complete -F _cardinal cardinal
`,
  zsh: `#compdef cardinal
# Completion of cardinal for zsh: source <(cardinal completion zsh), behind compinit; or as _cardinal in a folder of fpath
_cardinal() {
  local line value
  local -a found
  local files=0
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; continue; fi
    value=\${line%%$'\\t'*}
    if [[ $line == *$'\\t'* ]]; then found+=("\${value//:/\\\\:}:\${line#*$'\\t'}"); else found+=("\${value//:/\\\\:}"); fi
  done < <(cardinal complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V cardinal found
  (( files )) && _files
}
if [[ \${funcstack[1]} == _cardinal ]]; then _cardinal "$@"; else compdef _cardinal cardinal; fi
`,
  fish: `# Completion of cardinal for fish: cardinal completion fish > ~/.config/fish/completions/cardinal.fish
function __cardinal_complete
    set -l token (commandline -ct)
    set -l words (commandline -opc) "$token"
    for line in (cardinal complete fish -- $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            printf '%s\\n' $line
        end
    end
end
complete -c cardinal -f -a '(__cardinal_complete)'
`,
};
