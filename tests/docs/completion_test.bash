#!/usr/bin/env bash
# What completion offers for the last word of a command line.
#   completion_test.bash COMPLETION FOLDER...     the script for bash, and folders of the commands
set -euo pipefail
completion=$1
shift
for folder in "$@"; do PATH=$folder:$PATH; done

# offers "EXPECTED ..." WORD...
offers() {
  local expected=$1 offered
  shift
  offered=$(
    # shellcheck disable=SC1090
    source "$completion"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _abut
    echo "${COMPREPLY[*]}"
  )
  [ "$offered" = "$expected" ] || { echo "completion of '$*' is '$offered', not '$expected'"; exit 1; }
}
offers "inspect" abut-preprocess in
offers "--pieces --piece-error --piece-vertices" abut-preprocess MESHES OUT --pie
offers "--to --table" abut-preprocess export --t
offers "mujoco meshes" abut-preprocess export --to m
offers "surface spheres" abut-preprocess export --part s
offers "foam" abut-preprocess export --material fo
offers "wrench wrench_derivative wrench_hessian" abut-query OUT POSES.csv --what wre
offers "vtk" abut-query OUT POSES.csv --surface-format v
offers "hull surface pieces pressure_field soft_potential soft_minimum point" abut-query OUT POSES.csv --model ""
offers "soft_potential soft_minimum" abut-query OUT POSES.csv --what wrench_hessian --model ""
offers "surface" abut-query OUT POSES.csv --what smoothed_derivative --model s
offers "gumbel gaussian" abut-query OUT POSES.csv --what derivative --method g
offers "features" abut-query OUT POSES.csv --what derivative --model surface --method f
offers "pressure_field" abut-sim SCENE --model pre
offers "--objects" abut-datasets download --ob
offers "" abut-query OUT POSES.csv --out a
