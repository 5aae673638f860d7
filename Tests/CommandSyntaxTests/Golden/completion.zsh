#compdef greenhouse
# Completes greenhouse in zsh: keep this file as _greenhouse in a folder of $fpath.

_greenhouse() {
  local context curcontext=$curcontext state line
  typeset -A opt_args
  local -a subcommands=(
    'water:Water plants by hand or by machine'
    'grow:Let plants grow for some days'
    'seeds:Keep seeds'
    'help:Show a subcommand'\''s help'
  )
  _arguments -C -S \
    '(--generate-completion-script)'--generate-completion-script='[Print a completion script for a shell.]:shell:(bash zsh fish)' \
    '(--generate-man-page)'--generate-man-page'[Print the manual page in roff.]' \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1: :->subcommand' \
    '*:: :->rest'
  case $state in
    subcommand) _describe subcommand subcommands ;;
    rest)
      case $words[1] in
        water) _greenhouse_water ;;
        grow) _greenhouse_grow ;;
        seeds) _greenhouse_seeds ;;
        help) _greenhouse_help ;;
      esac
      ;;
  esac
}

_greenhouse_water() {
  _arguments -S \
    '(-o --output)'{-o,--output=}'[Where the log is written.]:log:_files -g "*.json"' \
    '(-l --litres)'{-l,--litres=}'[Water for each plant, in litres.]:litres: ' \
    '(--rounds)'--rounds='[How often to go round, as a number of rounds.]:n: ' \
    '(--min-soil-temperature)'--min-soil-temperature='[Coldest soil that is watered, in degrees Celsius.]:degrees: ' \
    '*'--additive='[Something to mix in; may be given again.]:name: ' \
    '(--json)'--json'[Print the log as JSON.]' \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1::method:(can hose drip)' \
    '*:plant:_files -g "*.(plant|tree)"'
}

_greenhouse_grow() {
  _arguments -S \
    '(--diary)'--diary'[Print a line for every day.]' \
    '(--pause)'--pause='[Time to rest after each day, in milliseconds.]:milliseconds: ' \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1:days: '
}

_greenhouse_seeds() {
  local context curcontext=$curcontext state line
  typeset -A opt_args
  local -a subcommands=(
    'list:List the seeds in store'
    'sow:Put a seed into the ground'
  )
  _arguments -C -S \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1: :->subcommand' \
    '*:: :->rest'
  case $state in
    subcommand) _describe subcommand subcommands ;;
    rest)
      case $words[1] in
        list) _greenhouse_seeds_list ;;
        sow) _greenhouse_seeds_sow ;;
      esac
      ;;
  esac
}

_greenhouse_seeds_list() {
  _arguments -S \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]'
}

_greenhouse_seeds_sow() {
  _arguments -S \
    '(-d --depth)'{-d,--depth=}'[How deep, in centimetres below the ground.]:centimetres: ' \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1:kind:(basil bean)'
}

_greenhouse_help() {
  _arguments -S \
    '(--version)'--version'[Show the version.]' \
    '(-h --help)'{-h,--help}'[Show help\: -h one screen, --help all.]' \
    '1::subcommand:(water grow seeds)'
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _greenhouse "$@"
else
  compdef _greenhouse greenhouse
fi
