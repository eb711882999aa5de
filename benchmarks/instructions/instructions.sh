#!/bin/bash
# Instructions per query of every kind, counted by callgrind, as a table; the same on any machine.
#   benchmarks/instructions/instructions.sh ASSETS [PROGRAM...]    default: build/release/benchmarks/instructions
# ASSETS: a folder of assets with points and volumes (`abut-preprocess synthetic MESHES`, then `abut-preprocess MESHES
# ASSETS --quads 2000 --tets 1000`). Programs of several builds give a column each, numbered.
set -euo pipefail
assets=$1
shift
programs=("${@:-build/release/benchmarks/instructions}")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# count PROGRAM ROW
count() {
  local queries total
  queries=$(valgrind --tool=callgrind --callgrind-out-file="$folder/out" --toggle-collect=abut_measured \
    "$1" "$assets" "$2" 2>"$folder/log") || { cat "$folder/log" >&2; return 1; }
  total=$(awk '/^(summary|totals):/ { print $2; exit }' "$folder/out")
  echo $((total / queries))
}

for i in "${!programs[@]}"; do printf '%d: %s\n' $((i + 1)) "${programs[i]}"; done
printf '%-36s' 'instructions per query'; printf ' %14s' $(seq ${#programs[@]}); echo
"${programs[0]}" "$assets" | while read -r row; do
  printf '%-36s' "$row"
  for program in "${programs[@]}"; do printf ' %14s' "$(count "$program" "$row")"; done
  echo
done
