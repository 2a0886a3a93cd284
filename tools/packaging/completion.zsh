#compdef adjoint
# zsh completion of adjoint: commands, options, operators, fields and values. The tool itself knows them.
_adjoint() {
  local -a found
  found=(${(f)"$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}
[[ ${funcstack[1]} != _adjoint ]] || _adjoint "$@"
