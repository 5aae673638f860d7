# Completes greenhouse in bash: source this file, or keep it as
# ~/.local/share/bash-completion/completions/greenhouse

_greenhouse() {
  local current=${COMP_WORDS[COMP_CWORD]} path=greenhouse pending= ended= position=0
  local word index extension candidates=() files=
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ $word == '=' && -n $pending ]]; then
      continue
    elif [[ -n $pending ]]; then
      pending=
    elif [[ -n $ended ]]; then
      position=$((position + 1))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -?* ]]; then
      case "$path $word" in
        'greenhouse --generate-completion-script') pending=$word ;;
        'greenhouse/water -o' | 'greenhouse/water --output' | 'greenhouse/water -l' | 'greenhouse/water --litres' | 'greenhouse/water --rounds' | 'greenhouse/water --min-soil-temperature' | 'greenhouse/water --additive') pending=$word ;;
        'greenhouse/grow --pause') pending=$word ;;
        'greenhouse/seeds/sow -d' | 'greenhouse/seeds/sow --depth') pending=$word ;;
      esac
    else
      case "$path/$word" in
        'greenhouse/water') path=$path/$word ;;
        'greenhouse/grow') path=$path/$word ;;
        'greenhouse/seeds') path=$path/$word ;;
        'greenhouse/seeds/list') path=$path/$word ;;
        'greenhouse/seeds/sow') path=$path/$word ;;
        'greenhouse/help') path=$path/$word ;;
        *) position=$((position + 1)) ;;
      esac
    fi
  done
  [[ $current == '=' && -n $pending ]] && current=
  if [[ -n $pending ]]; then
    case "$path $pending" in
      'greenhouse --generate-completion-script') candidates+=('bash' 'zsh' 'fish') ;;
      'greenhouse/water -o' | 'greenhouse/water --output') files='directories json' ;;
    esac
  elif [[ $current == -* && -z $ended ]]; then
    case $path in
      'greenhouse') candidates=('--generate-completion-script' '--generate-man-page' '--version' '-h' '--help') ;;
      'greenhouse/water') candidates=('-o' '--output' '-l' '--litres' '--rounds' '--min-soil-temperature' '--additive' '--json' '--version' '-h' '--help') ;;
      'greenhouse/grow') candidates=('--diary' '--pause' '--version' '-h' '--help') ;;
      'greenhouse/seeds') candidates=('--version' '-h' '--help') ;;
      'greenhouse/seeds/list') candidates=('--version' '-h' '--help') ;;
      'greenhouse/seeds/sow') candidates=('-d' '--depth' '--version' '-h' '--help') ;;
      'greenhouse/help') candidates=('--version' '-h' '--help') ;;
    esac
  else
    case $path in
      'greenhouse')
        ((position == 0)) && candidates=('water' 'grow' 'seeds' 'help')
        ;;
      'greenhouse/water')
        ((position >= 0 && position <= 0)) && candidates+=('can' 'hose' 'drip')
        ((position >= 0)) && files='directories plant tree'
        ;;
      'greenhouse/seeds')
        ((position == 0)) && candidates=('list' 'sow')
        ;;
      'greenhouse/seeds/sow')
        ((position >= 0 && position <= 0)) && candidates+=('basil' 'bean')
        ;;
      'greenhouse/help')
        ((position >= 0 && position <= 0)) && candidates+=('water' 'grow' 'seeds')
        ;;
    esac
  fi
  for word in "${candidates[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      COMPREPLY+=("$word")
    done < <(
      if [[ $files == any ]]; then
        compgen -f -- "$current"
      else
        compgen -d -- "$current"
        for extension in ${files#directories}; do
          compgen -f -X "!*.$extension" -- "$current"
        done
      fi | sort -u
    )
  fi
}

complete -F _greenhouse greenhouse
