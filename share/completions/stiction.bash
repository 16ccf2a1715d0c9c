# Completion of stiction for bash; installed where bash-completion looks for it.
_stiction()
{
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local scenario='--set --question --package-path'
  local -A options=(
    [check]="$scenario --json --steps --problem --mlcp --write-scenario --svg --view --animate"
    [region]='--set --package-path --svg --csv'
    [batch]="$scenario --inputs --out --threads --shard --plot --resume --quiet"
    [track]="$scenario --inputs --out --window --tolerance --threads --plot --resume --quiet"
    [simulate]='--set --package-path --for --step --csv --plot --json'
    [verify]='--scenario --set --package-path --exact'
    [new]='--ground --feet --package-path'
    [inspect]='--package-path'
    [view]="$scenario --html --port --host --no-browser"
  )
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${!options[*]} --help --version" -- "$cur")
    return
  fi
  case $prev in
    --question)
      mapfile -t COMPREPLY < <(compgen -W 'all_sticking equilibrium closure region sliding impact couplings' -- "$cur") ;;
    --view) mapfile -t COMPREPLY < <(compgen -W 'front side top iso' -- "$cur") ;;
    --package-path) compopt -o nospace 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -S / -- "$cur") ;;
    --set | --threads | --shard | --window | --tolerance | --ground | --feet | --port | --host | --for | --step) ;;
    *)
      if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${options[$command]-} --help --version" -- "$cur")
      else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      fi ;;
  esac
}
complete -F _stiction stiction
