#!/bin/bash
# Instructions per cold query on the reference queries, counted by callgrind:
#   benchmarks/micro/witness_instructions.sh build/release/benchmarks/witness_instructions
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$program" write "$folder"
for file in ycb_hulls_collide.csv ycb_hulls_separate.csv; do
  answer=$(valgrind --tool=callgrind --callgrind-out-file="$folder/$file" \
    --toggle-collect=abut_measured_queries "$program" query "$folder" "$file" 2>"$folder/log") ||
    { cat "$folder/log" >&2; exit 1; }
  total=$(awk '/^(summary|totals):/ { print $2; exit }' "$folder/$file")
  echo "$file: $answer, $((total / ${answer%% *})) instructions per query"
done
