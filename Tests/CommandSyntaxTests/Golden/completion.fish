# Completes greenhouse in fish: keep this file as
# ~/.config/fish/completions/greenhouse.fish

function __greenhouse_at
  set -l path greenhouse
  for word in (commandline -opc)[2..-1]
    switch "$path/$word"
      case 'greenhouse/water' 'greenhouse/grow' 'greenhouse/seeds' 'greenhouse/seeds/list' 'greenhouse/seeds/sow' 'greenhouse/help'
        set path "$path/$word"
    end
  end
  test $path = $argv[1]
end

complete -c greenhouse -f
complete -c greenhouse -n '__greenhouse_at greenhouse' -a 'water' -d 'Water plants by hand or by machine'
complete -c greenhouse -n '__greenhouse_at greenhouse' -a 'grow' -d 'Let plants grow for some days'
complete -c greenhouse -n '__greenhouse_at greenhouse' -a 'seeds' -d 'Keep seeds'
complete -c greenhouse -n '__greenhouse_at greenhouse' -a 'help' -d 'Show a subcommand\'s help'
complete -c greenhouse -n '__greenhouse_at greenhouse' -l generate-completion-script -r -f -a 'bash zsh fish' -d 'Print a completion script for a shell.'
complete -c greenhouse -n '__greenhouse_at greenhouse' -l generate-man-page -d 'Print the manual page in roff.'
complete -c greenhouse -n '__greenhouse_at greenhouse' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -f -a 'can hose drip'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -f -a '(__fish_complete_suffix .plant) (__fish_complete_suffix .tree)'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -s o -l output -r -f -a '(__fish_complete_suffix .json)' -d 'Where the log is written.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -s l -l litres -r -f -d 'Water for each plant, in litres.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -l rounds -r -f -d 'How often to go round, as a number of rounds.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -l min-soil-temperature -r -f -d 'Coldest soil that is watered, in degrees Celsius.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -l additive -r -f -d 'Something to mix in; may be given again.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -l json -d 'Print the log as JSON.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/water' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/grow' -l diary -d 'Print a line for every day.'
complete -c greenhouse -n '__greenhouse_at greenhouse/grow' -l pause -r -f -d 'Time to rest after each day, in milliseconds.'
complete -c greenhouse -n '__greenhouse_at greenhouse/grow' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/grow' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds' -a 'list' -d 'List the seeds in store'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds' -a 'sow' -d 'Put a seed into the ground'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/list' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/list' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/sow' -f -a 'basil bean'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/sow' -s d -l depth -r -f -d 'How deep, in centimetres below the ground.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/sow' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/seeds/sow' -s h -l help -d 'Show help: -h one screen, --help all.'
complete -c greenhouse -n '__greenhouse_at greenhouse/help' -f -a 'water grow seeds'
complete -c greenhouse -n '__greenhouse_at greenhouse/help' -l version -d 'Show the version.'
complete -c greenhouse -n '__greenhouse_at greenhouse/help' -s h -l help -d 'Show help: -h one screen, --help all.'
