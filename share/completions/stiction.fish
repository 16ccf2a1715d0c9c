# Completion of stiction for fish.
set -l commands check region batch track verify new inspect
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -f
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a check -d 'answer the question of a scenario'
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a region -d 'support region of the centre of mass'
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a batch -d 'answer many rows over one scenario'
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a track -d 'answer every instant of a trajectory'
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a verify -d "re-check a report's proof"
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a new -d 'write a scenario of a robot on the ground'
complete -c stiction -n "not __fish_seen_subcommand_from $commands" -a inspect -d 'links, joints, limits and masses of a robot'
complete -c stiction -l help -s h -d help
complete -c stiction -l version -d version
complete -c stiction -n '__fish_seen_subcommand_from check region batch track verify' -l set -x -d 'replace one entry: PATH=VALUE'
complete -c stiction -n "__fish_seen_subcommand_from $commands" -l package-path -x -a '(__fish_complete_directories)' -d 'folder for package:// files'
complete -c stiction -n '__fish_seen_subcommand_from check batch track' -l question -x -a 'all_sticking equilibrium closure region sliding impact couplings'
complete -c stiction -n '__fish_seen_subcommand_from check' -l json -d 'the report as JSON, with the proof'
complete -c stiction -n '__fish_seen_subcommand_from check' -l steps -d 'also what the steps of the algorithm find'
complete -c stiction -n '__fish_seen_subcommand_from check' -l problem -r -d 'write a problem file'
complete -c stiction -n '__fish_seen_subcommand_from check' -l mlcp -r -d 'write the complementarity problems'
complete -c stiction -n '__fish_seen_subcommand_from check' -l write-scenario -r -d 'write the scenario with detected contacts'
complete -c stiction -n '__fish_seen_subcommand_from check' -l view -x -a 'front side top iso' -d 'draw only this view'
complete -c stiction -n '__fish_seen_subcommand_from check' -l animate -d 'draw bodies on their way'
complete -c stiction -n '__fish_seen_subcommand_from check region' -l svg -r -d 'draw the answer'
complete -c stiction -n '__fish_seen_subcommand_from region' -l csv -r -d 'corners of the polygons'
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l inputs -r -d rows
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l out -r -d 'results, .jsonl or .csv'
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l threads -x -d 'worker threads'
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l plot -r -d 'draw verdicts and margins, .svg or .html'
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l resume -d 'go on where an interrupted run ended'
complete -c stiction -n '__fish_seen_subcommand_from batch track' -l quiet -d 'no progress'
complete -c stiction -n '__fish_seen_subcommand_from batch' -l shard -x -d 'one of n blocks of rows: i/n'
complete -c stiction -n '__fish_seen_subcommand_from track' -l window -x -d 'rows that are fitted to'
complete -c stiction -n '__fish_seen_subcommand_from track' -l tolerance -x -d 'velocity that is taken out, m/s'
complete -c stiction -n '__fish_seen_subcommand_from verify' -l scenario -r -d 'that the report must be about'
complete -c stiction -n '__fish_seen_subcommand_from verify' -l exact -d 'also judge in rational arithmetic'
complete -c stiction -n '__fish_seen_subcommand_from new' -l ground -x -d 'the ground: slope: 10 deg, mu: 0.5'
complete -c stiction -n '__fish_seen_subcommand_from new' -l feet -x -d 'links that stand on it'
